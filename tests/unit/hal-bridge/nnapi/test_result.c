// SPDX-License-Identifier: MIT
/* What an execution tells when it has ended: dimensions of outputs, and durations. */
#include "tests/unit/hal-bridge/nnapi/run.h"

/* Sizes that only the execution knows, and an output that is too small. */
static void test_dynamic(void **state)
{
	static const uint32_t four[] = { 4 };
	const ANeuralNetworksOperandType type = { ANEURALNETWORKS_TENSOR_FLOAT32, 1, four, 0, 0 };
	ANeuralNetworksEvent *event = NULL;
	uint32_t dims[1] = { 0 };
	struct run run;

	run_start(&run, 0);
	IS(BAD_DATA,
	   ANeuralNetworksExecution_setInput(run.execution, 0, NULL, run.a, sizeof(run.a)));
	OK(ANeuralNetworksExecution_setInput(run.execution, 0, &type, run.a, sizeof(run.a)));
	OK(ANeuralNetworksExecution_setInput(run.execution, 1, &type, run.b, sizeof(run.b)));
	OK(ANeuralNetworksExecution_setOutput(run.execution, 0, NULL, run.out, 8));
	/* A fenced execution needs to know its outputs. */
	IS(BAD_DATA, ANeuralNetworksExecution_startComputeWithDependencies(run.execution, NULL, 0,
									   0, &event));
	assert_null(event);
	IS(OUTPUT_INSUFFICIENT_SIZE, ANeuralNetworksExecution_compute(run.execution));
	IS(OUTPUT_INSUFFICIENT_SIZE,
	   ANeuralNetworksExecution_getOutputOperandDimensions(run.execution, 0, dims));
	assert_int_equal(dims[0], 4);
	ANeuralNetworksExecution_free(run.execution);

	OK(ANeuralNetworksExecution_create(run.compilation, &run.execution));
	OK(ANeuralNetworksExecution_setInput(run.execution, 0, &type, run.a, sizeof(run.a)));
	OK(ANeuralNetworksExecution_setInput(run.execution, 1, &type, run.b, sizeof(run.b)));
	OK(ANeuralNetworksExecution_setOutput(run.execution, 0, NULL, run.out, sizeof(run.out)));
	OK(ANeuralNetworksExecution_compute(run.execution));
	run_check(&run);
	OK(ANeuralNetworksExecution_getOutputOperandDimensions(run.execution, 0, dims));
	assert_int_equal(dims[0], 4);
	run_stop(&run);
}

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
		/* No fence was waited for. */
		assert_true(times[2] == times[0] && times[3] == times[1]);
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
		cmocka_unit_test(test_dynamic),
		cmocka_unit_test(test_durations),
	};

	use_loopback();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
