// SPDX-License-Identifier: MIT
/* Profiles of runs on the loopback. */
#include "tests/unit/libnnaccel/runtime/sum.h"

#include <errno.h>

static void test_profile(void **state)
{
	struct nna_profile_command commands[8] = { 0 };
	uint32_t count, dropped;
	struct nna_timing timing;
	struct sum s;

	sum_begin(&s, *state, 5000);
	assert_int_equal(nna_execution_get_profile(s.execution, commands, 8, &count, &dropped),
			 -EINVAL);
	assert_int_equal(nna_execution_set_profile(s.execution, UINT32_MAX), -EINVAL);
	assert_int_equal(nna_execution_set_profile(s.execution, 100), 0);
	assert_int_equal(nna_execution_get_profile(s.execution, commands, 8, &count, &dropped),
			 -EINVAL);
	for (int run = 0; run < 3; run++) {
		assert_int_equal(nna_execution_compute(s.execution), 0);
		assert_int_equal(nna_execution_get_profile(s.execution, commands, 8, &count,
							   &dropped), 0);
		assert_int_equal(nna_execution_get_timing(s.execution, &timing), 0);
		/* All commands but END. */
		assert_int_equal(count, timing.commands - 1);
		assert_int_equal(dropped, 0);
		assert_true(count >= 1 && count <= 8);
		assert_true(commands[0].place >= 64);
		assert_true(commands[0].tiles >= 1);
		assert_true(commands[0].begin >= timing.begin);
		assert_true(commands[count - 1].end <= timing.end);
		assert_true(commands[0].run <= timing.end - timing.begin);
		assert_true(commands[0].busy[0] <= commands[0].run);
	}
	/* No more than there is room for. */
	assert_int_equal(nna_execution_get_profile(s.execution, NULL, 0, &count, &dropped), 0);
	assert_int_equal(count, timing.commands - 1);
	assert_int_equal(nna_execution_set_profile(s.execution, 0), 0);
	assert_int_equal(nna_execution_compute(s.execution), 0);
	assert_int_equal(nna_execution_get_profile(s.execution, commands, 8, &count, &dropped),
			 -EINVAL);
	sum_check(&s);
	sum_end(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_profile, open_device, close_device),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
