// SPDX-License-Identifier: MIT
/* Errors as result codes: those of calls, those of runs, and every one of them has a code. */
#include "hal-bridge/common/result.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "hal-bridge/include/NeuralNetworks.h"

static void success_is_no_error(void **state)
{
	assert_int_equal(nnb_result_of_call(0), ANEURALNETWORKS_NO_ERROR);
	assert_int_equal(nnb_result_of_run(0), ANEURALNETWORKS_NO_ERROR);
	for (int error = 1; error < 200; error++) {
		assert_in_range(nnb_result_of_call(-error), 1, ANEURALNETWORKS_DEAD_OBJECT);
		assert_in_range(nnb_result_of_run(-error), 1, ANEURALNETWORKS_DEAD_OBJECT);
	}
}

/* What others hold may be there later; what nobody can have will not. */
static void resources_are_transient_or_persistent(void **state)
{
	static const int transient[] = { EAGAIN, EMFILE, ENFILE };
	static const int persistent[] = { E2BIG, EFBIG, EOVERFLOW };

	for (int i = 0; i < 3; i++) {
		assert_int_equal(nnb_result_of_run(-transient[i]),
				 ANEURALNETWORKS_RESOURCE_EXHAUSTED_TRANSIENT);
		assert_int_equal(nnb_result_of_call(-transient[i]),
				 ANEURALNETWORKS_RESOURCE_EXHAUSTED_TRANSIENT);
		assert_int_equal(nnb_result_of_run(-persistent[i]),
				 ANEURALNETWORKS_RESOURCE_EXHAUSTED_PERSISTENT);
	}
	assert_int_equal(nnb_result_of_call(-E2BIG), ANEURALNETWORKS_BAD_DATA);
	assert_int_equal(nnb_result_of_call(-EOVERFLOW), ANEURALNETWORKS_BAD_DATA);
}

static void calls_and_runs_differ(void **state)
{
	assert_int_equal(nnb_result_of_call(-EINVAL), ANEURALNETWORKS_BAD_DATA);
	assert_int_equal(nnb_result_of_run(-EINVAL), ANEURALNETWORKS_OP_FAILED);
	assert_int_equal(nnb_result_of_run(-ENOMEM), ANEURALNETWORKS_OUT_OF_MEMORY);
	assert_int_equal(nnb_result_of_run(-ENODEV), ANEURALNETWORKS_DEAD_OBJECT);
	assert_int_equal(nnb_result_of_run(-ENOSPC), ANEURALNETWORKS_OUTPUT_INSUFFICIENT_SIZE);
	assert_int_equal(nnb_result_of_run(-ETIMEDOUT), ANEURALNETWORKS_MISSED_DEADLINE_TRANSIENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(success_is_no_error),
		cmocka_unit_test(resources_are_transient_or_persistent),
		cmocka_unit_test(calls_and_runs_differ),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
