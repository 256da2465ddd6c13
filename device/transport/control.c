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

#define HELP_MAX 4096u

/**
 * struct nnadev_control - the thread and its sockets
 * @model: the model
 * @device: of @model
 * @disconnect: as given to nnadev_control_start()
 * @user: handed to @disconnect
 * @thread: answers
 * @listener: listening socket; the caller's
 * @quit: eventfd, raised to end the thread
 * @client: socket of the client, or -1
 * @line: the part of a line that has been received
 * @used: bytes of @line
 */
struct nnadev_control {
	const struct nnadev_model *model;
	void *device;
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

static void help_line(char *text, size_t size, const char *name, const char *value,
		      const char *what)
{
	size_t used = strlen(text);
	char command[32];

	snprintf(command, sizeof(command), "%s%s%s", name, *value ? " " : "", value);
	snprintf(text + used, size - used, "%s%-15s %s", used ? "\n" : "", command, what);
}

void nnadev_control_help(const struct nnadev_model *model, char *text, size_t size)
{
	*text = 0;
	for (const struct nnadev_injection *at = model->injections; at->name; at++)
		help_line(text, size, at->name, at->value, at->help);
	help_line(text, size, "clear", "", "disarm all");
	help_line(text, size, "disconnect", "",
		  "end the connection of the virtual machine, if there is one");
	help_line(text, size, "help", "", "this list");
}

static void clear(const struct nnadev_model *model, void *device)
{
	for (const struct nnadev_injection *at = model->injections; at->name; at++)
		if (!at->once)
			model->inject(device, at->number, 0);
}

static const struct nnadev_injection *find(const struct nnadev_model *model, const char *name,
					   size_t length)
{
	for (const struct nnadev_injection *at = model->injections; at->name; at++)
		if (strlen(at->name) == length && strncmp(name, at->name, length) == 0)
			return at;
	return NULL;
}

int nnadev_control_line(const struct nnadev_model *model, void *device, const char *line,
			char *answer, size_t size)
{
	size_t length = strcspn(line, " ");
	const char *text = line + length + (line[length] == ' ');
	const struct nnadev_injection *injection;
	unsigned long long value;
	char *end;

	if (strcmp(line, "help") == 0) {
		nnadev_control_help(model, answer, size);
		return 0;
	}
	if (strcmp(line, "clear") == 0) {
		clear(model, device);
		say(answer, size, "ok");
		return 0;
	}
	injection = find(model, line, length);
	if (!injection) {
		say(answer, size, "error: no such fault (try help)");
		return -EINVAL;
	}
	errno = 0;
	value = strtoull(text, &end, 10);
	if (*text < '0' || *text > '9' || *end || errno || value > injection->max) {
		snprintf(answer, size, "error: %s takes a number from 0 to %llu", injection->name,
			 (unsigned long long)injection->max);
		return -EINVAL;
	}
	model->inject(device, injection->number, value);
	say(answer, size, "ok");
	return 0;
}

static void disconnect(struct nnadev_control *c)
{
	close(c->client);
	c->client = -1;
	c->used = 0;
}

/* Answers fit the socket's buffer. A client that does not read them is disconnected. */
static void answer_line(struct nnadev_control *c)
{
	char answer[HELP_MAX + 1];
	size_t size;

	if (strcmp(c->line, "disconnect") == 0 && c->disconnect) {
		c->disconnect(c->user);
		say(answer, sizeof(answer) - 1, "ok");
	} else {
		nnadev_control_line(c->model, c->device, c->line, answer, sizeof(answer) - 1);
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

int nnadev_control_start(const struct nnadev_model *model, void *device, int listener,
			 void (*disconnect)(void *user), void *user, struct nnadev_control **out)
{
	struct nnadev_control *c = calloc(1, sizeof(*c));
	int ret;

	if (!c)
		return -ENOMEM;
	c->model = model;
	c->device = device;
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
