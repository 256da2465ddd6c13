// SPDX-License-Identifier: MIT
/* Messages by tags, and trace marks: each case is a process, which reads the environment once. */
#include "hal-bridge/common/log.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "hal-bridge/common/trace.h"

static void speak(void)
{
	nnb_log_from("hal-bridge/common/model.c", "one");
	nnb_log_from("hal-bridge/nnapi/compilation.c", "two %d", 2);
	nnb_log_from("hal-bridge/nnapi/argument.c", "three");
	nnb_log_from("hal-bridge/nnapi/fallback", "four");
	nnb_log_from("hal-bridge/nnapi/device.c", "five");
	nnb_log_sink.line(NULL, NNA_LOG_ERROR, "six");
	unsetenv("NNACCEL_LOG");
	nnb_log_from("hal-bridge/service/device.c", "seven");
}

static void mark(void)
{
	NNB_TRACE(RUNTIME, EXECUTION, "compute");

	{
		NNB_TRACE(DRIVER, COMPILATION, "nnaccel-loopback");
	}
}

/* What a process with this variable writes to a file: as its standard error, or as its trace. */
static void run(const char *name, const char *value, void (*body)(void), char *text, size_t size)
{
	int fd = memfd_create("log", 0), status = 1;
	char path[64];
	ssize_t got;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (!pid) {
		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
		if (name && setenv(name, value ? value : path, 1))
			_exit(1);
		dup2(fd, STDERR_FILENO);
		body();
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	got = pread(fd, text, size - 1, 0);
	assert_true(got >= 0);
	text[got] = '\0';
	close(fd);
}

static void tags_choose_messages(void **state)
{
	static const char *const wanted[][2] = {
		{ "", "" },
		{ "0", "" },
		{ "nothing", "" },
		{ "model", "nnaccel: model: one\n" },
		{ "manager,cpuexe", "nnaccel: cpuexe: four\nnnaccel: manager: five\n" },
		{ "execution  compilation",
		  "nnaccel: compilation: two 2\nnnaccel: execution: three\n" },
		{ "driver", "nnaccel: driver: six\nnnaccel: driver: seven\n" },
		{ "1", "nnaccel: model: one\nnnaccel: compilation: two 2\n"
		       "nnaccel: execution: three\nnnaccel: cpuexe: four\nnnaccel: manager: five\n"
		       "nnaccel: driver: six\nnnaccel: driver: seven\n" },
	};
	char text[1024], all[1024];

	for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
		run("NNACCEL_LOG", wanted[i][0], speak, text, sizeof(text));
		assert_string_equal(text, wanted[i][1]);
	}
	run("NNACCEL_LOG", "all", speak, all, sizeof(all));
	assert_string_equal(all, text);
	run(NULL, NULL, speak, text, sizeof(text));
	assert_string_equal(text, "");
}

static void spans_are_marked(void **state)
{
	char text[1024], layer[8], phase[8], name[64];
	int pid, n = 0;

	run("NNACCEL_TRACE", NULL, mark, text, sizeof(text));
	assert_int_equal(sscanf(text, "B|%d|[NN_%2s_%2s]%63s\n%n", &pid, layer, phase, name, &n),
			 4);
	assert_string_equal(layer, "LR");
	assert_string_equal(phase, "PE");
	assert_string_equal(name, "compute");
	assert_true(pid > 0 && n > 0);
	snprintf(name, sizeof(name), "B|%d|[NN_LD_PC]nnaccel-loopback\nE|%d\nE|%d\n", pid, pid,
		 pid);
	assert_string_equal(text + n, name);
	run("NNACCEL_TRACE", "0", mark, text, sizeof(text));
	assert_string_equal(text, "");
	run(NULL, NULL, mark, text, sizeof(text));
	assert_string_equal(text, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tags_choose_messages),
		cmocka_unit_test(spans_are_marked),
	};

	unsetenv("NNACCEL_LOG");
	unsetenv("NNACCEL_TRACE");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
