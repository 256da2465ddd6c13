// SPDX-License-Identifier: MIT
/* Bursts of the NNAPI C API. */
#include "tests/unit/hal-bridge/nnapi/run.h"

static void test_burst(void **state)
{
	ANeuralNetworksBurst *burst = NULL, *other = NULL;
	struct run run, second;

	run_start(&run, 4);
	run_start(&second, 4);
	OK(ANeuralNetworksBurst_create(run.compilation, &burst));
	OK(ANeuralNetworksBurst_create(second.compilation, &other));
	run_bind(&run);
	IS(UNEXPECTED_NULL, ANeuralNetworksExecution_burstCompute(run.execution, NULL));
	IS(BAD_DATA, ANeuralNetworksExecution_burstCompute(run.execution, other));
	OK(ANeuralNetworksExecution_burstCompute(run.execution, burst));
	run_check(&run);
	ANeuralNetworksBurst_free(burst);
	ANeuralNetworksBurst_free(other);
	run_stop(&run);
	run_stop(&second);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_burst),
	};

	use_loopback();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
