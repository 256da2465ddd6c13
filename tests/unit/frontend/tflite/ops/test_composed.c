// SPDX-License-Identifier: MIT
/* Operators made of several operations, against the functions of the C library or by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>

#include "tests/unit/frontend/tflite/one_operator.h"

static void test_gelu(void **state)
{
	const float in[4] = { -3, -0.5f, 0.25f, 2 };
	struct one_operator m = {
		.code = TFLITE_GELU,
		.tensors = { F32(1, { 4 }), F32(1, { 4 }) },
		.tensor_count = 2,
		.inputs = { 0, -1 },
		.outputs = { 1, -1 },
	};
	float want[4], out[4];

	for (int i = 0; i < 4; i++)
		want[i] = 0.5f * in[i] * (1 + erff(in[i] * 0.70710678f));
	run(&m, (const void *[]){ in }, (void *[]){ out });
	check_floats(out, want, 4);
	m.options = 116;
	m.fields[0] = 1;
	m.field_count = 1;
	for (int i = 0; i < 4; i++)
		want[i] = 0.5f * in[i] *
			  (1 + tanhf(0.7978845608f * (in[i] + 0.044715f * in[i] * in[i] * in[i])));
	run(&m, (const void *[]){ in }, (void *[]){ out });
	check_floats(out, want, 4);
}

/* Halves go to the even neighbour. */
static void test_sign_and_round(void **state)
{
	check_unary(TFLITE_SIGN, (float[]){ -2, 0, 0.5f, 9 }, (float[]){ -1, 0, 1, 1 });
	check_unary(TFLITE_ROUND, (float[]){ -2.5f, -1.5f, 0.5f, 1.25f },
		    (float[]){ -2, -2, 0, 1 });
	check_unary(TFLITE_ROUND, (float[]){ 2.5f, 3.5f, -0.75f, 7 }, (float[]){ 2, 4, -1, 7 });
}

static void test_relu_0_to_1(void **state)
{
	check_unary(TFLITE_RELU_0_TO_1, (float[]){ -2, 0.5f, 1, 9 }, (float[]){ 0, 0.5f, 1, 1 });
}

static void test_cumsum(void **state)
{
	static const int32_t axis = 1, in[] = { 1, 2, 3, 10, 20, 30 };
	static const int32_t want[4][6] = {
		{ 1, 3, 6, 10, 30, 60 },
		{ 0, 1, 3, 0, 10, 30 },
		{ 6, 5, 3, 60, 50, 30 },
		{ 5, 3, 0, 50, 30, 0 },
	};

	for (int i = 0; i < 4; i++) {
		const struct one_operator m = {
			.code = TFLITE_CUMSUM,
			.tensors = { S32(2, { 2, 3 }), S32(0, { 0 }, &axis, 4), S32(2, { 2, 3 }) },
			.tensor_count = 3,
			.inputs = { 0, 1, -1 },
			.outputs = { 2, -1 },
			.options = 102,
			.fields = { i & 1, i >> 1 },
			.field_count = 2,
		};
		int32_t out[6];

		run(&m, (const void *[]){ in }, (void *[]){ out });
		assert_memory_equal(out, want[i], sizeof(out));
	}
}

/* Its boundaries are a list in the options, which the writer of one operator cannot make: none. */
static void test_bucketize(void **state)
{
	const struct one_operator m = {
		.code = TFLITE_BUCKETIZE,
		.tensors = { F32(1, { 4 }), S32(1, { 4 }) },
		.tensor_count = 2,
		.inputs = { 0, -1 },
		.outputs = { 1, -1 },
	};

	check_refused(&m, "no boundaries");
}

/* The octants, the axes, and the origin. */
static void test_atan2(void **state)
{
	static const float y[] = { 1, 3, 3, 1, -1, -3, -3, -1, 0, 0, 2, -2, 0, 1e-30f, 5, -4 };
	static const float x[] = { 3, 1, -1, -3, -3, -1, 1, 3, 2, -2, 0, 0, 0, 1, 5, 1e30f };
	const struct one_operator m = {
		.code = TFLITE_ATAN2,
		.tensors = { F32(1, { 16 }), F32(1, { 16 }), F32(1, { 16 }) },
		.tensor_count = 3,
		.inputs = { 0, 1, -1 },
		.outputs = { 2, -1 },
	};
	float out[16], want[16];

	for (int i = 0; i < 16; i++)
		want[i] = atan2f(y[i], x[i]);
	run(&m, (const void *[]){ y, x }, (void *[]){ out });
	check_floats(out, want, 16);
}

/* Each input has fewer dimensions than the next one, and broadcasts. */
static void test_select_of_three_ranks(void **state)
{
	static const bool flags[] = { true, false };
	static const float a[] = { 1, 2 }, b[] = { 3, 4, 5 }, want[] = { 1, 3, 1, 4, 1, 5 };
	const struct one_operator m = {
		.code = TFLITE_SELECT_V2,
		.tensors = { { TFLITE_BOOL, 1, { 2 } }, F32(2, { 1, 2 }), F32(3, { 1, 3, 1 }),
			     F32(3, { 1, 3, 2 }) },
		.tensor_count = 4,
		.inputs = { 0, 1, 2, -1 },
		.outputs = { 3, -1 },
	};
	float out[6];

	run(&m, (const void *[]){ flags, a, b }, (void *[]){ out });
	check_floats(out, want, 6);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_select_of_three_ranks),
		cmocka_unit_test(test_gelu),
		cmocka_unit_test(test_sign_and_round),
		cmocka_unit_test(test_relu_0_to_1),
		cmocka_unit_test(test_cumsum),
		cmocka_unit_test(test_bucketize),
		cmocka_unit_test(test_atan2),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
