// SPDX-License-Identifier: MIT
/* The line that says what a device runs of a model: all, some, one, none; and long names. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "libnnaccel/support/coverage.h"

static char line[NNA_COVERAGE_SIZE];

static void test_lines(void **state)
{
	assert_string_equal(nna_coverage_describe(31, 31, "loopback", "on the CPU", line),
			    "31 of 31 operators on loopback");
	assert_string_equal(nna_coverage_describe(29, 31, "loopback", "on the CPU", line),
			    "29 of 31 operators on loopback, the others on the CPU");
	assert_string_equal(nna_coverage_describe(30, 31, "loopback", NULL, line),
			    "30 of 31 operators on loopback, the other nowhere");
	assert_string_equal(nna_coverage_describe(0, 1, "loopback", "on the CPU", line),
			    "0 of 1 operator on loopback, the other on the CPU");
	assert_string_equal(nna_coverage_describe(0, 0, "loopback", "on the CPU", line),
			    "0 of 0 operators on loopback");
}

static void test_long_names(void **state)
{
	char name[1000];

	memset(name, 'x', sizeof(name));
	name[sizeof(name) - 1] = 0;
	nna_coverage_describe(UINT32_MAX - 7, UINT32_MAX, name, name, line);
	assert_true(strlen(line) < sizeof(line));
	assert_non_null(strstr(line, ", the others x"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lines),
		cmocka_unit_test(test_long_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
