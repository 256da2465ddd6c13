// SPDX-License-Identifier: MIT
/*
 * The control socket of nna-device. The device model is a stand-in that records what is injected.
 */
#include <errno.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cmocka.h>

#include "device/transport/control.h"
#include "device/transport/listener.h"

struct nnadev {
	_Atomic uint64_t values[NNADEV_INJECT_DEAD + 1];
	atomic_uint calls;
};

int nnadev_inject(struct nnadev *dev, enum nnadev_inject what, uint64_t value)
{
	assert_in_range(what, NNADEV_INJECT_HANG, NNADEV_INJECT_DEAD);
	dev->values[what] = value;
	dev->calls++;
	return 0;
}

struct fixture {
	struct nnadev dev;
	struct nnadev_control *control;
	char dir[32];
	char path[64];
	int listener;
};

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	char why[256];

	assert_non_null(f);
	strcpy(f->dir, "/tmp/nna-test.XXXXXX");
	assert_non_null(mkdtemp(f->dir));
	snprintf(f->path, sizeof(f->path), "%s/control", f->dir);
	f->listener = nnadev_listener_open(f->path, why, sizeof(why));
	assert_true(f->listener >= 0);
	assert_int_equal(nnadev_control_start(&f->dev, f->listener, NULL, NULL, &f->control), 0);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	nnadev_control_stop(f->control);
	nnadev_listener_close(f->listener, f->path);
	rmdir(f->dir);
	free(f);
	return 0;
}

static int join(struct fixture *f)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	snprintf(address.sun_path, sizeof(address.sun_path), "%s", f->path);
	assert_int_equal(connect(fd, (struct sockaddr *)&address, sizeof(address)), 0);
	return fd;
}

/* Reads until a newline that ends what has come; an empty answer when the other side hung up. */
static const char *answer(int fd)
{
	static char text[2048];
	size_t used = 0;

	do {
		struct pollfd p = { .fd = fd, .events = POLLIN };
		ssize_t n;

		assert_int_equal(poll(&p, 1, 10000), 1);
		n = recv(fd, text + used, sizeof(text) - 1 - used, 0);
		if (n <= 0)
			break;
		used += (size_t)n;
	} while (text[used - 1] != '\n');
	text[used] = 0;
	return text;
}

static const char *ask(int fd, const char *line)
{
	assert_int_equal(send(fd, line, strlen(line), MSG_NOSIGNAL), strlen(line));
	return answer(fd);
}

static void test_every_fault(void **state)
{
	static const struct {
		const char *line;
		enum nnadev_inject what;
		uint64_t value;
	} cases[] = {
		{ "hang 3\n", NNADEV_INJECT_HANG, 3 },
		{ "stuck 1\n", NNADEV_INJECT_STUCK, 1 },
		{ "drop-irq 2\n", NNADEV_INJECT_DROP_IRQ, 2 },
		{ "spurious-irq 10\n", NNADEV_INJECT_SPURIOUS_IRQ, 10 },
		{ "corrupt 1000000\n", NNADEV_INJECT_CORRUPT, 1000000 },
		{ "refuse-reset 4\n", NNADEV_INJECT_REFUSE_RESET, 4 },
		{ "slow 5000000000\n", NNADEV_INJECT_SLOW_NS, 5000000000 },
		{ "dead 1\r\n", NNADEV_INJECT_DEAD, 1 },
	};
	struct fixture *f = *state;
	int fd = join(f);

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_string_equal(ask(fd, cases[i].line), "ok\n");
		assert_int_equal(f->dev.values[cases[i].what], cases[i].value);
	}
	/* All but the interrupts, which are past. */
	f->dev.calls = 0;
	assert_string_equal(ask(fd, "clear\n"), "ok\n");
	assert_int_equal(f->dev.calls, 7);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		if (cases[i].what != NNADEV_INJECT_SPURIOUS_IRQ)
			assert_int_equal(f->dev.values[cases[i].what], 0);
	close(fd);
}

static void test_help_names_every_fault(void **state)
{
	struct fixture *f = *state;
	int fd = join(f);
	char text[2048], reply[256], *line, *save;
	int names = 0;

	snprintf(text, sizeof(text), "%s", ask(fd, "help\n"));
	for (line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		line[strcspn(line, " ")] = 0;
		if (strcmp(line, "clear") == 0 || strcmp(line, "help") == 0 ||
		    strcmp(line, "disconnect") == 0)
			continue;
		strcat(line, " 0");
		assert_int_equal(nnadev_control_line(&f->dev, line, reply, sizeof(reply)), 0);
		names++;
	}
	assert_int_equal(names, 8);
	close(fd);
}

static void test_bad_lines(void **state)
{
	static const char *const lines[] = {
		"\n",	     " \n",	    "hang\n",	      "hang \n",
		"hang x\n",  "hang -1\n",   "hang 1x\n",      "hang 1 2\n",
		"hang  1\n", "hang 0x10\n", "hang 1000001\n", "hang 99999999999999999999999\n",
		"han 1\n",   "hangs 1\n",   "dead 2\n",	      "spurious-irq 10001\n",
		"clear 1\n", "HELP\n",
	};
	struct fixture *f = *state;
	int fd = join(f);

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		assert_int_equal(strncmp(ask(fd, lines[i]), "error: ", 7), 0);
	assert_int_equal(f->dev.calls, 0);
	assert_string_equal(ask(fd, "hang 1\n"), "ok\n");
	close(fd);
}

static void test_lines_in_pieces(void **state)
{
	struct fixture *f = *state;
	int fd = join(f);
	size_t answers = 0;

	assert_int_equal(send(fd, "ha", 2, 0), 2);
	assert_int_equal(send(fd, "ng 7", 4, 0), 4);
	assert_string_equal(ask(fd, "\n"), "ok\n");
	assert_int_equal(f->dev.values[NNADEV_INJECT_HANG], 7);
	assert_int_equal(send(fd, "hang 1\nstuck 2\ndead 1\n", 22, 0), 22);
	while (answers < 3)
		for (const char *at = answer(fd); *at; at++)
			answers += *at == '\n';
	assert_int_equal(f->dev.values[NNADEV_INJECT_STUCK], 2);
	close(fd);
}

/* Somebody who sends no newline is thrown out; the next one is served. */
static void test_endless_line(void **state)
{
	struct fixture *f = *state;
	char noise[4096];
	int fd = join(f);

	memset(noise, 'a', sizeof(noise));
	send(fd, noise, sizeof(noise), MSG_NOSIGNAL);
	assert_string_equal(answer(fd), "");
	close(fd);
	fd = join(f);
	assert_string_equal(ask(fd, "hang 1\n"), "ok\n");
	close(fd);
}

static void test_one_after_the_other(void **state)
{
	struct fixture *f = *state;
	int first = join(f), second = join(f);
	struct pollfd p = { .fd = second, .events = POLLIN };

	assert_string_equal(ask(first, "hang 5\n"), "ok\n");
	assert_int_equal(send(second, "stuck 1\n", 8, 0), 8);
	assert_int_equal(poll(&p, 1, 50), 0);
	close(first);
	assert_string_equal(answer(second), "ok\n");
	/* What the first has armed is left as it was. */
	assert_int_equal(f->dev.values[NNADEV_INJECT_HANG], 5);
	close(second);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_every_fault, setup, teardown),
		cmocka_unit_test_setup_teardown(test_help_names_every_fault, setup, teardown),
		cmocka_unit_test_setup_teardown(test_bad_lines, setup, teardown),
		cmocka_unit_test_setup_teardown(test_lines_in_pieces, setup, teardown),
		cmocka_unit_test_setup_teardown(test_endless_line, setup, teardown),
		cmocka_unit_test_setup_teardown(test_one_after_the_other, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
