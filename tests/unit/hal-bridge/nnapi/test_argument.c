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
	/* A number of dimensions and none of them, and the other way round. */
	type.dimensions = NULL;
	IS(BAD_DATA, ANeuralNetworksExecution_setInput(run.execution, 0, &type, run.a, 16));
	IS(BAD_DATA, ANeuralNetworksExecution_setOutput(run.execution, 0, &type, run.out, 16));
	type.dimensions = four;
	type.dimensionCount = 0;
	IS(BAD_DATA, ANeuralNetworksExecution_setOutput(run.execution, 0, &type, run.out, 16));
	type.dimensions = four;
	type.dimensionCount = 1;
	type.scale = 1;
	IS(BAD_DATA, ANeuralNetworksExecution_setInput(run.execution, 0, &type, run.a, 16));
	type.scale = 0;
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
	OK(ANeuralNetworksExecution_setInput(run.execution, 0, &type, run.a, 16));
	IS(BAD_STATE, ANeuralNetworksExecution_setInput(run.execution, 0, NULL, run.a, 16));
	IS(BAD_STATE, ANeuralNetworksExecution_setInput(run.execution, 0, NULL, NULL, 0));
	OK(ANeuralNetworksExecution_setOutput(run.execution, 0, NULL, run.out, 16));
	IS(BAD_STATE, ANeuralNetworksExecution_setOutput(run.execution, 0, &type, run.out, 16));
	IS(BAD_STATE, ANeuralNetworksExecution_enableInputAndOutputPadding(run.execution, true));
	run_stop(&run);
}

/*
 * Of a type only the dimensions are compared with the model's, as in Android's runtime; but it has
 * to be a type. The bytes are the model's type's.
 */
static void test_other_types(void **state)
{
	static const uint32_t four[] = { 4 }, five[] = { 5 };
	static const ANeuralNetworksOperandType others[] = {
		{ ANEURALNETWORKS_TENSOR_INT32, 1, four, 0, 0 },
		{ ANEURALNETWORKS_TENSOR_FLOAT16, 1, four, 0, 0 },
		{ ANEURALNETWORKS_TENSOR_QUANT8_ASYMM, 1, four, 0.5f, 3 },
	};

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		for (uint32_t n = 0; n < 5; n += 4) {
			ANeuralNetworksOperandType type = others[i];
			struct run run;

			run_start(&run, n);
			type.type = 100;
			IS(BAD_DATA, ANeuralNetworksExecution_setInput(run.execution, 0, &type,
								       run.a, 16));
			type = others[i];
			type.dimensions = NULL;
			IS(BAD_DATA, ANeuralNetworksExecution_setOutput(run.execution, 0, &type,
									run.out, 16));
			type = others[i];
			type.dimensions = five;
			IS(BAD_DATA, ANeuralNetworksExecution_setInput(run.execution, 0, &type,
								       run.a, 16));
			type.dimensions = four;
			IS(BAD_DATA, ANeuralNetworksExecution_setInput(run.execution, 0, &type,
								       run.a, 8));
			OK(ANeuralNetworksExecution_setInput(run.execution, 0, &type, run.a, 16));
			OK(ANeuralNetworksExecution_setInput(run.execution, 1, &type, run.b, 16));
			OK(ANeuralNetworksExecution_setOutput(run.execution, 0, &type, run.out,
							      16));
			OK(ANeuralNetworksExecution_compute(run.execution));
			run_check(&run);
			run_stop(&run);
		}
	}
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

/* ADD of [4] and [4], whose output's only dimension the model leaves open. */
static ANeuralNetworksModel *open_output_model(void)
{
	static const uint32_t four[] = { 4 }, open[] = { 0 }, in[] = { 0, 1, 2 }, out[] = { 3 };
	const int32_t none = ANEURALNETWORKS_FUSED_NONE;
	ANeuralNetworksModel *model = NULL;

	OK(ANeuralNetworksModel_create(&model));
	add_tensor(model, ANEURALNETWORKS_TENSOR_FLOAT32, 1, four);
	add_tensor(model, ANEURALNETWORKS_TENSOR_FLOAT32, 1, four);
	add_tensor(model, ANEURALNETWORKS_INT32, 0, NULL);
	add_tensor(model, ANEURALNETWORKS_TENSOR_FLOAT32, 1, open);
	OK(ANeuralNetworksModel_setOperandValue(model, 2, &none, sizeof(none)));
	OK(ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_ADD, 3, in, 1, out));
	OK(ANeuralNetworksModel_identifyInputsAndOutputs(model, 2, in, 1, out));
	OK(ANeuralNetworksModel_finish(model));
	return model;
}

/*
 * A type of an output that agrees with the model, but not with what the operations make of it: it
 * can be set, and the run fails.
 */
static void test_other_shape_than_is_inferred(void **state)
{
	static const uint32_t four[] = { 4 }, five[] = { 5 };

	for (enum way way = COMPUTE; way < WAYS; way++) {
		for (int right = 0; right < 2; right++) {
			const ANeuralNetworksOperandType type = {
				.type = ANEURALNETWORKS_TENSOR_FLOAT32,
				.dimensionCount = 1,
				.dimensions = right ? four : five,
			};
			struct run run = { .a = { 1, 2, 3, 4 }, .b = { 10, 20, 30, 40 } };
			float out[5] = { 0 };

			run.model = open_output_model();
			run.compilation = compile(run.model);
			OK(ANeuralNetworksExecution_create(run.compilation, &run.execution));
			OK(ANeuralNetworksExecution_setInput(run.execution, 0, NULL, run.a, 16));
			OK(ANeuralNetworksExecution_setInput(run.execution, 1, NULL, run.b, 16));
			IS(BAD_DATA, ANeuralNetworksExecution_setOutput(run.execution, 0, &type,
									out, 12));
			OK(ANeuralNetworksExecution_setOutput(run.execution, 0, &type, out,
							      right ? 16 : 20));
			assert_int_equal(start_and_wait(&run, way),
					 right ? ANEURALNETWORKS_NO_ERROR :
						 ANEURALNETWORKS_OP_FAILED);
			assert_true(out[3] == (right ? 44 : 0));
			run_stop(&run);
		}
	}
}

/* Dimensions whose product leaves 32 bits, and more of them than the device has. */
static void test_products_overflow(void **state)
{
	static const uint32_t open[] = { 5, 4, 4, 0, 5, 3, 0, 4, 5 };
	static const uint32_t large[] = { 5, 4, 4, 786433, 5, 3, 16777216, 4, 5 };
	const ANeuralNetworksOperandType type = { ANEURALNETWORKS_TENSOR_FLOAT32, 9, large, 0, 0 };
	static const uint32_t in = 0, out = 1;
	ANeuralNetworksCompilation *compilation = NULL;
	ANeuralNetworksExecution *execution = NULL;
	ANeuralNetworksModel *model = NULL;
	uint8_t bytes[20];

	OK(ANeuralNetworksModel_create(&model));
	IS(BAD_DATA, ANeuralNetworksModel_addOperand(model, &type));
	add_tensor(model, ANEURALNETWORKS_TENSOR_FLOAT32, 9, open);
	add_tensor(model, ANEURALNETWORKS_TENSOR_FLOAT32, 9, open);
	OK(ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_ABS, 1, &in, 1, &out));
	OK(ANeuralNetworksModel_identifyInputsAndOutputs(model, 1, &in, 1, &out));
	OK(ANeuralNetworksModel_finish(model));
	OK(ANeuralNetworksCompilation_create(model, &compilation));
	OK(ANeuralNetworksCompilation_finish(compilation));
	OK(ANeuralNetworksExecution_create(compilation, &execution));
	IS(BAD_DATA, ANeuralNetworksExecution_setInput(execution, 0, &type, bytes, sizeof(bytes)));
	IS(BAD_DATA, ANeuralNetworksExecution_setOutput(execution, 0, &type, bytes, sizeof(bytes)));
	ANeuralNetworksExecution_free(execution);
	ANeuralNetworksCompilation_free(compilation);
	ANeuralNetworksModel_free(model);
}

/* An output of 2^32 elements that follows from small inputs: it cannot be computed. */
static void test_large_output(void **state)
{
	enum { LARGE = 1 << 16 };
	static const uint32_t rows[] = { 0, 1 }, bias[] = { 0 }, open[] = { 0, 0 };
	static const uint32_t in_dims[] = { LARGE, 1 }, in[] = { 0, 1, 2, 3 }, out = 4;
	const ANeuralNetworksOperandType type = {
		.type = ANEURALNETWORKS_TENSOR_FLOAT32,
		.dimensionCount = 2,
		.dimensions = in_dims,
	};
	const ANeuralNetworksOperandType bias_type = {
		.type = ANEURALNETWORKS_TENSOR_FLOAT32,
		.dimensionCount = 1,
		.dimensions = in_dims,
	};
	const int32_t none = ANEURALNETWORKS_FUSED_NONE;
	ANeuralNetworksCompilation *compilation = NULL;
	ANeuralNetworksExecution *execution = NULL;
	ANeuralNetworksModel *model = NULL;
	static float x[LARGE], y[LARGE];

	OK(ANeuralNetworksModel_create(&model));
	add_tensor(model, ANEURALNETWORKS_TENSOR_FLOAT32, 2, rows);
	add_tensor(model, ANEURALNETWORKS_TENSOR_FLOAT32, 2, rows);
	add_tensor(model, ANEURALNETWORKS_TENSOR_FLOAT32, 1, bias);
	add_tensor(model, ANEURALNETWORKS_INT32, 0, NULL);
	add_tensor(model, ANEURALNETWORKS_TENSOR_FLOAT32, 2, open);
	OK(ANeuralNetworksModel_setOperandValue(model, 3, &none, sizeof(none)));
	OK(ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_FULLY_CONNECTED, 4, in, 1,
					     &out));
	OK(ANeuralNetworksModel_identifyInputsAndOutputs(model, 3, in, 1, &out));
	OK(ANeuralNetworksModel_finish(model));
	OK(ANeuralNetworksCompilation_create(model, &compilation));
	OK(ANeuralNetworksCompilation_finish(compilation));
	OK(ANeuralNetworksExecution_create(compilation, &execution));
	OK(ANeuralNetworksExecution_setInput(execution, 0, &type, x, sizeof(x)));
	OK(ANeuralNetworksExecution_setInput(execution, 1, &type, x, sizeof(x)));
	OK(ANeuralNetworksExecution_setInput(execution, 2, &bias_type, x, sizeof(x)));
	OK(ANeuralNetworksExecution_setOutput(execution, 0, NULL, y, sizeof(y)));
	IS(OP_FAILED, ANeuralNetworksExecution_compute(execution));
	ANeuralNetworksExecution_free(execution);
	ANeuralNetworksCompilation_free(compilation);
	ANeuralNetworksModel_free(model);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_arguments),
		cmocka_unit_test(test_other_types),
		cmocka_unit_test(test_padding),
		cmocka_unit_test(test_other_shape_than_is_inferred),
		cmocka_unit_test(test_products_overflow),
		cmocka_unit_test(test_large_output),
	};

	use_loopback();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
