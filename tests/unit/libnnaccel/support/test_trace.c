// SPDX-License-Identifier: MIT
/* Trace marks: each case is a process, which reads the environment once. */
#include "libnnaccel/support/trace.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tests/unit/libnnaccel/support/process.h"

static void mark(void)
{
	NNA_TRACE(RUNTIME, EXECUTION, "compute");

	{
		NNA_TRACE(DRIVER, COMPILATION, "nnaccel-loopback");
	}
}

static void spans_are_marked(void **state)
{
	char text[1024], layer[8], phase[8], name[64];
	int pid, n = 0;

	run_with("NNACCEL_TRACE", NULL, mark, text, sizeof(text));
	assert_int_equal(sscanf(text, "B|%d|[NN_%2s_%2s]%63s\n%n", &pid, layer, phase, name, &n),
			 4);
	assert_string_equal(layer, "LR");
	assert_string_equal(phase, "PE");
	assert_string_equal(name, "compute");
	assert_true(pid > 0 && n > 0);
	snprintf(name, sizeof(name), "B|%d|[NN_LD_PC]nnaccel-loopback\nE|%d\nE|%d\n", pid, pid,
		 pid);
	assert_string_equal(text + n, name);
	run_with("NNACCEL_TRACE", "0", mark, text, sizeof(text));
	assert_string_equal(text, "");
	run_with(NULL, NULL, mark, text, sizeof(text));
	assert_string_equal(text, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(spans_are_marked),
	};

	unsetenv("NNACCEL_TRACE");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
