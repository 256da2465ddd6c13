// SPDX-License-Identifier: MIT
/* SVDF of whole numbers, on the loopback, against values computed by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/frontend/tflite/one_operator.h"

/*
 * One filter of weight 2 with time weights 3 and 5, and bias 10, all scales 1. The input 3 gives
 * the feature 6: 5 * 6 + 10 in the first run, 3 * 6 + 5 * 6 + 10 in the second.
 */
static void test_int8(void **state)
{
	static const int8_t in[] = { 4 }, features[] = { 2 };
	static const int16_t times[] = { 3, 5 };
	static const int32_t bias[] = { 10 };
	const struct one_operator m = {
		.code = TFLITE_SVDF,
		.tensors = { { TFLITE_INT8, 2, { 1, 1 }, NULL, 0, 1.0f, 1 },
			     { TFLITE_INT8, 2, { 1, 1 }, features, 1, 1.0f, 0 },
			     { TFLITE_INT16, 2, { 1, 2 }, times, 4, 1.0f, 0 },
			     S32(1, { 1 }, bias, 4, 1.0f, 0),
			     { TFLITE_INT16, 2, { 1, 2 }, NULL, 0, 1.0f, 0, .variable = true },
			     { TFLITE_INT8, 2, { 1, 1 }, NULL, 0, 1.0f, -128 } },
		.tensor_count = 6,
		.inputs = { 0, 1, 2, 3, 4, -1 },
		.outputs = { 5, -1 },
		.options = 6,
		.fields = { 1, TFLITE_ACT_RELU },
		.field_count = 2,
	};
	int8_t out[1];

	run_times(&m, (const void *[]){ in }, (void *[]){ out }, 1);
	assert_int_equal(out[0], 40 - 128);
	run_times(&m, (const void *[]){ in }, (void *[]){ out }, 2);
	assert_int_equal(out[0], 58 - 128);
}

/*
 * Rank 2: two filters make one unit. The input (127, -254) has the scale 2 and the whole numbers
 * (64, -127): 63.5 rounds away from zero. The features are 64 - 127 and 64 + 127 times 2 * 0.5.
 */
static void test_hybrid(void **state)
{
	static const float in[] = { 127, -254 };
	static const int8_t features[] = { 1, 1, 1, -1 }, times[] = { 4, 8, -2, 1 };
	static const float bias = 1;
	const struct one_operator m = {
		.code = TFLITE_SVDF,
		.tensors = { F32(2, { 1, 2 }),
			     { TFLITE_INT8, 2, { 2, 2 }, features, 4, 0.5f, 0 },
			     { TFLITE_INT8, 2, { 2, 2 }, times, 4, 0.25f, 0 },
			     F32(1, { 1 }, &bias, 4), F32(2, { 1, 4 }, .variable = true),
			     F32(2, { 1, 1 }) },
		.tensor_count = 6,
		.inputs = { 0, 1, 2, 3, 4, -1 },
		.outputs = { 5, -1 },
		.options = 6,
		.fields = { 2 },
		.field_count = 1,
	};
	float out[1];

	run_times(&m, (const void *[]){ in }, (void *[]){ out }, 1);
	check_floats(out, (float[]){ 2 * -63 + 0.25f * 191 + 1 }, 1);
	run_times(&m, (const void *[]){ in }, (void *[]){ out }, 2);
	check_floats(out, (float[]){ (1 + 2) * -63 + (0.25f - 0.5f) * 191 + 1 }, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_int8),
		cmocka_unit_test(test_hybrid),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
