// SPDX-License-Identifier: MIT
/* What an execution tells when it has ended: durations. */
#include "tests/unit/hal-bridge/nnapi/run.h"

static void test_durations(void **state)
{
	uint64_t times[4], none = 0;

	for (int way = 0; way < WAYS; way++) {
		struct run run;

		run_start(&run, 4);
		OK(ANeuralNetworksExecution_setMeasureTiming(run.execution, true));
		run_bind(&run);
		OK(start_and_wait(&run, way));
		for (int code = 0; code < 4; code++)
			OK(ANeuralNetworksExecution_getDuration(run.execution, code, &times[code]));
		/* Time in the driver includes time on the device, fenced or not. */
		assert_true(times[0] <= times[1] && times[1] < 60000000000ull);
		assert_true(times[2] <= times[3] && times[3] <= times[1]);
		IS(BAD_DATA, ANeuralNetworksExecution_getDuration(run.execution, -1, &none));
		run_stop(&run);

		/* Without having been asked for. */
		run_start(&run, 4);
		run_bind(&run);
		OK(start_and_wait(&run, way));
		IS(BAD_STATE, ANeuralNetworksExecution_getDuration(run.execution, 0, &none));
		assert_true(none == UINT64_MAX);
		run_stop(&run);

		/* Of a run that failed. */
		run_start(&run, 4);
		OK(ANeuralNetworksExecution_setMeasureTiming(run.execution, true));
		OK(ANeuralNetworksExecution_setTimeout(run.execution, 1));
		run_bind(&run);
		IS(MISSED_DEADLINE_PERSISTENT, start_and_wait(&run, way));
		none = 0;
		IS(BAD_STATE, ANeuralNetworksExecution_getDuration(run.execution, 0, &none));
		assert_true(none == UINT64_MAX);
		IS(BAD_STATE, ANeuralNetworksExecution_getOutputOperandRank(run.execution, 0,
									    &(uint32_t){ 0 }));
		run_stop(&run);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_durations),
	};

	use_loopback();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
