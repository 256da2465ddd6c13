// SPDX-License-Identifier: MIT
/*
 * The control socket of nna-device. The model is a stand-in that records what is injected.
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

enum { HANG = 3, STORM = 4, SLOW = 7, DEAD = 8, NUMBERS = 9 };

static const struct nnadev_injection injections[] = {
	{ HANG, "hang", "N", "the next N jobs hang", 1000000, false },
	{ STORM, "spurious-irq", "N", "N interrupts, now", 10000, true },
	{ SLOW, "slow", "NS", "jobs take NS nanoseconds longer", 10000000000u, false },
	{ DEAD, "dead", "0|1", "nobody answers", 1, false },
	{ 0 },
};

struct device {
	_Atomic uint64_t values[NUMBERS];
	atomic_uint calls;
};

static void inject(void *device, uint32_t number, uint64_t value)
{
	struct device *dev = device;

	assert_in_range(number, HANG, DEAD);
	dev->values[number] = value;
	dev->calls++;
}

static const struct nnadev_model model = { .injections = injections, .inject = inject };

struct fixture {
	struct device dev;
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
	assert_int_equal(
		nnadev_control_start(&model, &f->dev, f->listener, NULL, NULL, &f->control), 0);
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
		uint32_t number;
		uint64_t value;
	} cases[] = {
		{ "hang 1000000\n", HANG, 1000000 },
		{ "spurious-irq 10\n", STORM, 10 },
		{ "slow 5000000000\n", SLOW, 5000000000 },
		{ "dead 1\r\n", DEAD, 1 },
	};
	struct fixture *f = *state;
	int fd = join(f);

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_string_equal(ask(fd, cases[i].line), "ok\n");
		assert_int_equal(f->dev.values[cases[i].number], cases[i].value);
	}
	/* All but the interrupts, which are past. */
	f->dev.calls = 0;
	assert_string_equal(ask(fd, "clear\n"), "ok\n");
	assert_int_equal(f->dev.calls, 3);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		if (cases[i].number != STORM)
			assert_int_equal(f->dev.values[cases[i].number], 0);
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
		assert_int_equal(nnadev_control_line(&model, &f->dev, line, reply, sizeof(reply)),
				 0);
		names++;
	}
	assert_int_equal(names, 4);
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
	assert_int_equal(f->dev.values[HANG], 7);
	assert_int_equal(send(fd, "hang 1\nslow 22\ndead 1\n", 22, 0), 22);
	while (answers < 3)
		for (const char *at = answer(fd); *at; at++)
			answers += *at == '\n';
	assert_int_equal(f->dev.values[SLOW], 22);
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
	assert_int_equal(send(second, "dead 1\n", 7, 0), 7);
	assert_int_equal(poll(&p, 1, 50), 0);
	close(first);
	assert_string_equal(answer(second), "ok\n");
	/* What the first has armed is left as it was. */
	assert_int_equal(f->dev.values[HANG], 5);
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
