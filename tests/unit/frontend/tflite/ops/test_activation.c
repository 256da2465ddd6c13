// SPDX-License-Identifier: MIT
/* Activations with a parameter, on the loopback, against values computed by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/frontend/tflite/one_operator.h"

static void test_leaky_relu(void **state)
{
	const float alpha = 0.25f, in[] = { -4, -0.5f, 0, 8 }, want[] = { -1, -0.125f, 0, 8 };
	struct one_operator m = {
		.code = TFLITE_LEAKY_RELU,
		.tensors = { F32(1, { 4 }), F32(1, { 4 }) },
		.tensor_count = 2,
		.inputs = { 0, -1 },
		.outputs = { 1, -1 },
		.options = 75,
		.field_count = 1,
	};
	float out[4];

	memcpy(&m.fields[0], &alpha, 4);
	run(&m, (const void *[]){ in }, (void *[]){ out });
	check_floats(out, want, 4);
}

static void test_leaky_relu_quantised(void **state)
{
	const float alpha = 0.25f;
	/* In steps of 0.5 from 10 on, out in steps of 0.25 from 20 on. */
	const uint8_t in[] = { 2, 9, 10, 30 }, want[] = { 16, 20, 20, 60 };
	struct one_operator m = {
		.code = TFLITE_LEAKY_RELU,
		.tensors = { { TFLITE_UINT8, 1, { 4 }, NULL, 0, 0.5f, 10 },
			     { TFLITE_UINT8, 1, { 4 }, NULL, 0, 0.25f, 20 } },
		.tensor_count = 2,
		.inputs = { 0, -1 },
		.outputs = { 1, -1 },
		.options = 75,
		.field_count = 1,
	};
	uint8_t out[4];

	memcpy(&m.fields[0], &alpha, 4);
	run(&m, (const void *[]){ in }, (void *[]){ out });
	/* -0.125 is half a step: either neighbour. */
	assert_int_equal(out[0], want[0]);
	assert_in_range(out[1], 19, 20);
	assert_int_equal(out[2], want[2]);
	assert_int_equal(out[3], want[3]);
}

/* A factor of 0.5 below zero: the shift is 31, halves go up. */
static void test_leaky_relu_rounding(void **state)
{
	static const int8_t in[] = { -1, -3, -4, 5 }, want[] = { 0, -1, -2, 5 };
	const float alpha = 0.5f;
	struct one_operator m = {
		.code = TFLITE_LEAKY_RELU,
		.tensors = { { TFLITE_INT8, 1, { 4 }, NULL, 0, 0.5f, 0 },
			     { TFLITE_INT8, 1, { 4 }, NULL, 0, 0.5f, 0 } },
		.tensor_count = 2,
		.inputs = { 0, -1 },
		.outputs = { 1, -1 },
		.options = 75,
		.field_count = 1,
	};
	int8_t out[4];

	memcpy(&m.fields[0], &alpha, 4);
	run(&m, (const void *[]){ in }, (void *[]){ out });
	assert_memory_equal(out, want, sizeof(out));
}

/* What TFLite's kernels give for inputs in steps of 2^-12. */
static void test_sigmoids_int16(void **state)
{
	static const int16_t in[] = { -32768, -20000, -9001, -4097, -1234, -171, -1, 0,
				      1, 85, 170, 1024, 3333, 12345, 21717, 32767 };
	static const int16_t tangents[] = { -32767, -32764, -31969, -24959, -9584, -1368, -8, 0,
					    8, 680, 1360, 8026, 22009, 32611, 32766, 32767 };
	static const int16_t logistics[] = { 11, 247, 3276, 8811, 13935, 16042, 16382, 16384,
					     16386, 16554, 16724, 18422, 22705, 31234, 32606,
					     32757 };
	struct one_operator m = {
		.code = TFLITE_TANH,
		.tensors = { { TFLITE_INT16, 1, { 16 }, NULL, 0, 0x1p-12f, 0 },
			     { TFLITE_INT16, 1, { 16 }, NULL, 0, 0x1p-15f, 0 } },
		.tensor_count = 2,
		.inputs = { 0, -1 },
		.outputs = { 1, -1 },
	};
	int16_t out[16];

	run(&m, (const void *[]){ in }, (void *[]){ out });
	assert_memory_equal(out, tangents, sizeof(out));
	m.code = TFLITE_LOGISTIC;
	run(&m, (const void *[]){ in }, (void *[]){ out });
	assert_memory_equal(out, logistics, sizeof(out));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_leaky_relu),
		cmocka_unit_test(test_leaky_relu_quantised),
		cmocka_unit_test(test_leaky_relu_rounding),
		cmocka_unit_test(test_sigmoids_int16),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
