// SPDX-License-Identifier: MIT
/*
 * Arithmetic that takes several operations of NNAPI, on the loopback, against values computed by
 * hand.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/tools/tflite/one_operator.h"

static void test_ceil_and_square(void **state)
{
	check_unary(TFLITE_CEIL, (float[]){ 1.5f, -1.5f, 2, -0.25f }, (float[]){ 2, -1, 2, 0 });
	check_unary(TFLITE_SQUARE, (float[]){ 0, 1.5f, -2, 3 }, (float[]){ 0, 2.25f, 4, 9 });
}

static void test_floor_div_and_mod(void **state)
{
	static const int32_t a[] = { 7, -7, 7, -7, 6, 0 }, b[] = { 3, 3, -3, -3, 2, 5 };
	static const int32_t quotient[] = { 2, -3, -3, 2, 3, 0 }, rest[] = { 1, 2, -2, -1, 0, 0 };
	struct one_operator m = {
		.code = TFLITE_FLOOR_DIV,
		.tensors = { S32(1, { 6 }), S32(1, { 6 }), S32(1, { 6 }) },
		.tensor_count = 3,
		.inputs = { 0, 1, -1 },
		.outputs = { 2, -1 },
	};
	int32_t out[6];

	run(&m, (const void *[]){ a, b }, (void *[]){ out });
	assert_memory_equal(out, quotient, sizeof(out));
	m.code = TFLITE_FLOOR_MOD;
	run(&m, (const void *[]){ a, b }, (void *[]){ out });
	assert_memory_equal(out, rest, sizeof(out));
}

static void test_floor_mod_of_floats(void **state)
{
	static const float a[] = { 5.5f, -5.5f, 5.5f }, b = 2, want[] = { 1.5f, 0.5f, 1.5f };
	const struct one_operator m = {
		.code = TFLITE_FLOOR_MOD,
		.tensors = { F32(1, { 3 }), F32(1, { 1 }, &b, sizeof(b)), F32(1, { 3 }) },
		.tensor_count = 3,
		.inputs = { 0, 1, -1 },
		.outputs = { 2, -1 },
	};
	float out[3];

	run(&m, (const void *[]){ a }, (void *[]){ out });
	check_floats(out, want, 3);
}

static void test_squared_difference(void **state)
{
	static const int32_t a[] = { 1, 2, 3, 4 }, b[] = { 3, -1 }, want[] = { 4, 9, 0, 25 };
	static const float fa[] = { 1, 2, 3, 4 }, fb[] = { 1.5f, -1 },
			   fwant[] = { 0.25f, 9, 2.25f, 25 };
	struct one_operator m = {
		.code = TFLITE_SQUARED_DIFFERENCE,
		.tensors = { F32(2, { 2, 2 }), F32(1, { 2 }), F32(2, { 2, 2 }) },
		.tensor_count = 3,
		.inputs = { 0, 1, -1 },
		.outputs = { 2, -1 },
	};
	float out[4];
	int32_t whole[4];

	run(&m, (const void *[]){ fa, fb }, (void *[]){ out });
	check_floats(out, fwant, 4);
	for (int i = 0; i < 3; i++)
		m.tensors[i].type = TFLITE_INT32;
	run(&m, (const void *[]){ a, b }, (void *[]){ whole });
	assert_memory_equal(whole, want, sizeof(whole));
}

static void test_add_n(void **state)
{
	static const float a[] = { 1, 2 }, b[] = { 10, 20 }, c[] = { 100, 200 },
			   want[] = { 111, 222 };
	const struct one_operator m = {
		.code = TFLITE_ADD_N,
		.tensors = { F32(1, { 2 }), F32(1, { 2 }), F32(1, { 2 }), F32(1, { 2 }) },
		.tensor_count = 4,
		.inputs = { 0, 1, 2, -1 },
		.outputs = { 3, -1 },
	};
	float out[2];

	run(&m, (const void *[]){ a, b, c }, (void *[]){ out });
	check_floats(out, want, 2);
}

/*
 * Sums in units of 2^-20, each factor rounded once to 31 fewer bits: scales of 0.3 and 0.1 to 0.2
 * are not quite factors of 1.5 and 0.5, and the stages lose that little, so that these sums (-1.5 +
 * 2, -1.5 + 3 ...) are taken for halves, which go away from zero.
 */
static void test_add_rounding(void **state)
{
	static const int8_t a[] = { -1, -1, 1, 1, 1 }, b[] = { 4, 6, -6, -4, 1 },
			    want[] = { 1, 2, -2, -1, 2 };
	const struct one_operator m = {
		.code = TFLITE_ADD,
		.tensors = { { TFLITE_INT8, 1, { 5 }, NULL, 0, 0.3f, 0 },
			     { TFLITE_INT8, 1, { 5 }, NULL, 0, 0.1f, 0 },
			     { TFLITE_INT8, 1, { 5 }, NULL, 0, 0.2f, 0 } },
		.tensor_count = 3,
		.inputs = { 0, 1, -1 },
		.outputs = { 2, -1 },
		.options = 11,
	};
	int8_t out[5];

	run(&m, (const void *[]){ a, b }, (void *[]){ out });
	assert_memory_equal(out, want, sizeof(out));
}

/* A product of 0.25 is 0.5 after the first rounding and 1 after the second. */
static void test_mul_rounding(void **state)
{
	static const int8_t a[] = { 1, 5, -1, -2 }, b[] = { 1, 1, 1, 1 }, want[] = { 1, 2, 0, -1 };
	const struct one_operator m = {
		.code = TFLITE_MUL,
		.tensors = { { TFLITE_INT8, 1, { 4 }, NULL, 0, 0.5f, 0 },
			     { TFLITE_INT8, 1, { 4 }, NULL, 0, 0.5f, 0 },
			     { TFLITE_INT8, 1, { 4 }, NULL, 0, 1, 0 } },
		.tensor_count = 3,
		.inputs = { 0, 1, -1 },
		.outputs = { 2, -1 },
		.options = 21,
	};
	int8_t out[4];

	run(&m, (const void *[]){ a, b }, (void *[]){ out });
	assert_memory_equal(out, want, sizeof(out));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ceil_and_square),
		cmocka_unit_test(test_floor_div_and_mod),
		cmocka_unit_test(test_floor_mod_of_floats),
		cmocka_unit_test(test_squared_difference),
		cmocka_unit_test(test_add_n),
		cmocka_unit_test(test_add_rounding),
		cmocka_unit_test(test_mul_rounding),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
