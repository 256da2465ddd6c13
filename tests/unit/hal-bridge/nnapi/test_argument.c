// SPDX-License-Identifier: MIT
/* Arguments of executions: which are refused, and padding. */
#include "tests/unit/hal-bridge/nnapi/run.h"

static void test_arguments(void **state)
{
	static const uint32_t four[] = { 4 }, five[] = { 5 }, unknown[] = { 0 }, two[] = { 4, 1 };
	ANeuralNetworksOperandType type = { ANEURALNETWORKS_TENSOR_FLOAT32, 1, four, 0, 0 };
	struct run run;

	run_start(&run, 4);
	/* The model states the dimensions; a type cannot leave them open again. */
	type.dimensions = unknown;
	IS(BAD_DATA, ANeuralNetworksExecution_setInput(run.execution, 0, &type, run.a, 16));
	IS(BAD_DATA, ANeuralNetworksExecution_setOutput(run.execution, 0, &type, run.out, 16));
	type.dimensionCount = 0;
	IS(BAD_DATA, ANeuralNetworksExecution_setInput(run.execution, 0, &type, run.a, 16));
	type.dimensionCount = 1;
	type.dimensions = five;
	IS(BAD_DATA, ANeuralNetworksExecution_setInput(run.execution, 0, &type, run.a, 20));
	IS(BAD_DATA, ANeuralNetworksExecution_setOutput(run.execution, 0, &type, run.out, 20));
	type.dimensions = two;
	type.dimensionCount = 2;
	IS(BAD_DATA, ANeuralNetworksExecution_setInput(run.execution, 0, &type, run.a, 16));
	type.dimensions = NULL;
	IS(UNEXPECTED_NULL, ANeuralNetworksExecution_setInput(run.execution, 0, &type, run.a, 16));
	type.dimensions = four;
	type.dimensionCount = 1;
	type.scale = 1;
	IS(BAD_DATA, ANeuralNetworksExecution_setInput(run.execution, 0, &type, run.a, 16));
	type.scale = 0;
	type.type = ANEURALNETWORKS_TENSOR_INT32;
	IS(BAD_DATA, ANeuralNetworksExecution_setInput(run.execution, 0, &type, run.a, 16));
	IS(BAD_DATA, ANeuralNetworksExecution_setInput(run.execution, 0, NULL, run.a, 15));
	IS(BAD_DATA, ANeuralNetworksExecution_setInput(run.execution, 0, NULL, run.a, 17));
	IS(BAD_DATA, ANeuralNetworksExecution_setInput(run.execution, 2, NULL, run.a, 16));
	IS(BAD_DATA, ANeuralNetworksExecution_setInput(run.execution, -1, NULL, run.a, 16));
	IS(UNEXPECTED_NULL, ANeuralNetworksExecution_setInput(run.execution, 0, NULL, NULL, 16));
	IS(BAD_DATA, ANeuralNetworksExecution_setOutput(run.execution, 0, NULL, run.out, 12));
	IS(BAD_DATA, ANeuralNetworksExecution_setOutput(run.execution, 0, NULL, run.out, 20));
	IS(BAD_DATA, ANeuralNetworksExecution_setOutput(run.execution, 1, NULL, run.out, 16));
	IS(UNEXPECTED_NULL, ANeuralNetworksExecution_setOutput(run.execution, 0, NULL, NULL, 16));
	/* A call that is refused changes nothing. */
	OK(ANeuralNetworksExecution_enableInputAndOutputPadding(run.execution, false));
	type.type = ANEURALNETWORKS_TENSOR_FLOAT32;
	OK(ANeuralNetworksExecution_setInput(run.execution, 0, &type, run.a, 16));
	IS(BAD_STATE, ANeuralNetworksExecution_setInput(run.execution, 0, NULL, run.a, 16));
	IS(BAD_STATE, ANeuralNetworksExecution_setInput(run.execution, 0, NULL, NULL, 0));
	OK(ANeuralNetworksExecution_setOutput(run.execution, 0, NULL, run.out, 16));
	IS(BAD_STATE, ANeuralNetworksExecution_setOutput(run.execution, 0, &type, run.out, 16));
	IS(BAD_STATE, ANeuralNetworksExecution_enableInputAndOutputPadding(run.execution, true));
	run_stop(&run);
}

static void test_padding(void **state)
{
	float a[8] = { 1, 2, 3, 4, 99 }, b[8] = { 10, 20, 30, 40, 99 }, out[8] = { 0 };
	struct run run;

	run_start(&run, 4);
	OK(ANeuralNetworksExecution_enableInputAndOutputPadding(run.execution, true));
	IS(BAD_DATA, ANeuralNetworksExecution_setInput(run.execution, 0, NULL, a, 12));
	OK(ANeuralNetworksExecution_setInput(run.execution, 0, NULL, a, sizeof(a)));
	OK(ANeuralNetworksExecution_setInput(run.execution, 1, NULL, b, sizeof(b)));
	OK(ANeuralNetworksExecution_setOutput(run.execution, 0, NULL, out, sizeof(out)));
	OK(ANeuralNetworksExecution_compute(run.execution));
	assert_true(out[0] == 11 && out[3] == 44 && out[4] == 0);
	run_stop(&run);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_arguments),
		cmocka_unit_test(test_padding),
	};

	use_loopback();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
