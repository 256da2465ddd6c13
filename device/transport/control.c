// SPDX-License-Identifier: MIT
#include "device/transport/control.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#define COUNT_MAX 1000000u

static const struct {
	const char *name;
	enum nnadev_inject what;
	uint64_t max;
} faults[] = {
	{ "hang", NNADEV_INJECT_HANG, COUNT_MAX },
	{ "stuck", NNADEV_INJECT_STUCK, COUNT_MAX },
	{ "drop-irq", NNADEV_INJECT_DROP_IRQ, COUNT_MAX },
	{ "spurious-irq", NNADEV_INJECT_SPURIOUS_IRQ, 10000 },
	{ "corrupt", NNADEV_INJECT_CORRUPT, COUNT_MAX },
	{ "refuse-reset", NNADEV_INJECT_REFUSE_RESET, COUNT_MAX },
	{ "slow", NNADEV_INJECT_SLOW_NS, 10000000000u },
	{ "dead", NNADEV_INJECT_DEAD, 1 },
};

#define FAULTS (sizeof(faults) / sizeof(faults[0]))

const char nnadev_control_help[] =
	"hang N          the next N jobs run until aborted, reset or out of budget\n"
	"stuck N         the next N jobs do not even react to budget and abort\n"
	"drop-irq N      the next N interrupts are not raised\n"
	"spurious-irq N  N interrupts on every vector, now\n"
	"corrupt N       the next N completions carry a sequence number that was never submitted\n"
	"refuse-reset N  the next N resets do not become ready\n"
	"slow NS         every job takes NS nanoseconds longer\n"
	"dead 0|1        registers read as all ones and writes are lost, until 0 brings the device "
	"back\n"
	"clear           disarm all\n"
	"disconnect      end the connection of the virtual machine, if there is one\n"
	"help            this list";

/**
 * struct nnadev_control - the thread and its sockets
 * @disconnect: with @user, as given to nnadev_control_start()
 * @quit: eventfd, raised to end the thread
 * @client: who is connected, or -1
 * @line: what has come of a line so far
 * @used: bytes of it
 */
struct nnadev_control {
	struct nnadev *dev;
	void (*disconnect)(void *user);
	void *user;
	pthread_t thread;
	int listener;
	int quit;
	int client;
	char line[128];
	size_t used;
};

static void say(char *answer, size_t size, const char *text)
{
	snprintf(answer, size, "%s", text);
}

static int clear(struct nnadev *dev, char *answer, size_t size)
{
	for (size_t i = 0; i < FAULTS; i++)
		if (faults[i].what != NNADEV_INJECT_SPURIOUS_IRQ)
			nnadev_inject(dev, faults[i].what, 0);
	say(answer, size, "ok");
	return 0;
}

int nnadev_control_line(struct nnadev *dev, const char *line, char *answer, size_t size)
{
	size_t name = strcspn(line, " ");
	const char *text = line + name + (line[name] == ' ');
	unsigned long long value;
	char *end;

	if (strcmp(line, "help") == 0) {
		say(answer, size, nnadev_control_help);
		return 0;
	}
	if (strcmp(line, "clear") == 0)
		return clear(dev, answer, size);
	for (size_t i = 0; i < FAULTS; i++) {
		if (strlen(faults[i].name) != name || strncmp(line, faults[i].name, name) != 0)
			continue;
		errno = 0;
		value = strtoull(text, &end, 10);
		if (*text < '0' || *text > '9' || *end || errno || value > faults[i].max) {
			snprintf(answer, size, "error: %s takes a number from 0 to %llu",
				 faults[i].name, (unsigned long long)faults[i].max);
			return -EINVAL;
		}
		nnadev_inject(dev, faults[i].what, value);
		say(answer, size, "ok");
		return 0;
	}
	say(answer, size, "error: no such fault (try help)");
	return -EINVAL;
}

static void disconnect(struct nnadev_control *c)
{
	close(c->client);
	c->client = -1;
	c->used = 0;
}

/* Answers are small and the client waits for each: who does not take one whole is disconnected. */
static void answer_line(struct nnadev_control *c)
{
	char answer[sizeof(nnadev_control_help) + 1];
	size_t size;

	if (strcmp(c->line, "disconnect") == 0 && c->disconnect) {
		c->disconnect(c->user);
		say(answer, sizeof(answer) - 1, "ok");
	} else {
		nnadev_control_line(c->dev, c->line, answer, sizeof(answer) - 1);
	}
	size = strlen(answer);
	answer[size++] = '\n';
	if (send(c->client, answer, size, MSG_NOSIGNAL | MSG_DONTWAIT) != (ssize_t)size)
		disconnect(c);
}

static void receive(struct nnadev_control *c)
{
	char *end;
	ssize_t n = recv(c->client, c->line + c->used, sizeof(c->line) - 1 - c->used, MSG_DONTWAIT);

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0) {
		disconnect(c);
		return;
	}
	c->used += (size_t)n;
	while (c->client >= 0 && (end = memchr(c->line, '\n', c->used))) {
		size_t length = (size_t)(end - c->line);

		*end = 0;
		if (length && c->line[length - 1] == '\r')
			c->line[length - 1] = 0;
		answer_line(c);
		if (c->client < 0)
			return;
		c->used -= length + 1;
		memmove(c->line, end + 1, c->used);
	}
	if (c->used == sizeof(c->line) - 1)
		disconnect(c);
}

static void *control_main(void *arg)
{
	struct nnadev_control *c = arg;

	for (;;) {
		struct pollfd fds[2] = {
			{ .fd = c->quit, .events = POLLIN },
			{ .fd = c->client >= 0 ? c->client : c->listener, .events = POLLIN },
		};

		if (poll(fds, 2, -1) < 0)
			continue;
		if (fds[0].revents)
			break;
		if (!fds[1].revents)
			continue;
		if (c->client >= 0)
			receive(c);
		else
			c->client = accept4(c->listener, NULL, NULL, SOCK_CLOEXEC);
	}
	if (c->client >= 0)
		disconnect(c);
	return NULL;
}

int nnadev_control_start(struct nnadev *dev, int listener, void (*disconnect)(void *user),
			 void *user, struct nnadev_control **out)
{
	struct nnadev_control *c = calloc(1, sizeof(*c));
	int ret;

	if (!c)
		return -ENOMEM;
	c->dev = dev;
	c->disconnect = disconnect;
	c->user = user;
	c->listener = listener;
	c->client = -1;
	c->quit = eventfd(0, EFD_CLOEXEC);
	if (c->quit < 0) {
		ret = -errno;
		free(c);
		return ret;
	}
	ret = -pthread_create(&c->thread, NULL, control_main, c);
	if (ret) {
		close(c->quit);
		free(c);
		return ret;
	}
	*out = c;
	return 0;
}

void nnadev_control_stop(struct nnadev_control *control)
{
	uint64_t one = 1;

	if (!control)
		return;
	while (write(control->quit, &one, sizeof(one)) < 0 && errno == EINTR)
		;
	pthread_join(control->thread, NULL);
	close(control->quit);
	free(control);
}
