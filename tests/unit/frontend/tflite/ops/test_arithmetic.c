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

#include "tests/unit/frontend/tflite/one_operator.h"

/* Numbers of the schema's union of options. */
#define ADD_OPTIONS 11
#define MUL_OPTIONS 21
#define SUB_OPTIONS 28

static void test_ceil_and_square(void **state)
{
	check_unary(TFLITE_CEIL, (float[]){ 1.5f, -1.5f, 2, -0.25f }, (float[]){ 2, -1, 2, 0 });
	check_unary(TFLITE_SQUARE, (float[]){ 0, 1.5f, -2, 3 }, (float[]){ 0, 2.25f, 4, 9 });
}

/* Six numbers and six others. */
static void check_s32(int32_t code, const int32_t a[6], const int32_t b[6], const int32_t want[6])
{
	const struct one_operator m = {
		.code = code,
		.tensors = { S32(1, { 6 }), S32(1, { 6 }), S32(1, { 6 }) },
		.tensor_count = 3,
		.inputs = { 0, 1, -1 },
		.outputs = { 2, -1 },
	};
	int32_t out[6];

	run(&m, (const void *[]){ a, b }, (void *[]){ out });
	assert_memory_equal(out, want, sizeof(out));
}

static void test_floor_div_and_mod(void **state)
{
	static const int32_t a[] = { 7, -7, 7, -7, 6, 0 }, b[] = { 3, 3, -3, -3, 2, 5 };
	static const int32_t quotient[] = { 2, -3, -3, 2, 3, 0 }, rest[] = { 1, 2, -2, -1, 0, 0 };

	check_s32(TFLITE_FLOOR_DIV, a, b, quotient);
	check_s32(TFLITE_FLOOR_MOD, a, b, rest);
}

/* DIV of integers rounds towards zero, FLOOR_DIV down. */
static void test_div_of_integers(void **state)
{
	static const int32_t a[] = { 7, -7, 7, -7, INT32_MIN, INT32_MIN };
	static const int32_t b[] = { 3, 3, -3, -3, 2, 3 };
	static const int32_t quotient[] = { 2, -2, -2, 2, INT32_MIN / 2, INT32_MIN / 3 };
	static const int32_t below[] = { 2, -3, -3, 2, INT32_MIN / 2, INT32_MIN / 3 - 1 };

	check_s32(TFLITE_DIV, a, b, quotient);
	check_s32(TFLITE_FLOOR_DIV, a, b, below);
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

static void test_bits_of_int32(void **state)
{
	static const int32_t a[] = { 0x0ff0, -1, 0x12345678, -9, INT32_MIN, 7 };
	static const int32_t b[] = { 0xff, 0, 8, 1, 40, -3 };
	static const int32_t differ[] = { 0xf0f, -1, 0x12345670, -10, INT32_MIN + 40, -6 };
	static const int32_t shifted[] = { 0, -1, 0x123456, -5, -1, 7 };

	check_s32(TFLITE_BITWISE_XOR, a, b, differ);
	check_s32(TFLITE_RIGHT_SHIFT, a, b, shifted);
}

/* b is one number for all. */
static void test_bits_of_small_types(void **state)
{
	static const int8_t s8[] = { -128, 127, -3, 64 }, s8_b = -1;
	static const int8_t s8_differ[] = { 127, -128, 2, -65 };
	static const int8_t s8_shifted[] = { -128, 127, -3, 64 };
	static const uint8_t u8[] = { 255, 128, 127, 3 }, u8_b = 9;
	static const uint8_t u8_differ[] = { 246, 137, 118, 10 }, u8_shifted[] = { 1, 1, 0, 0 };
	static const int16_t s16[] = { -32768, 32767, 256, -2 }, s16_b = 3;
	static const int16_t s16_differ[] = { -32765, 32764, 259, -3 };
	static const int16_t s16_shifted[] = { -4096, 4095, 32, -1 };
	static const struct {
		uint8_t type, size;
		const void *a, *b, *differ, *shifted;
	} cases[] = {
		{ TFLITE_INT8, 1, s8, &s8_b, s8_differ, s8_shifted },
		{ TFLITE_UINT8, 1, u8, &u8_b, u8_differ, u8_shifted },
		{ TFLITE_INT16, 2, s16, &s16_b, s16_differ, s16_shifted },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct one_operator m = {
			.code = TFLITE_BITWISE_XOR,
			.tensors = { { cases[i].type, 1, { 4 } },
				     { cases[i].type, 1, { 1 } },
				     { cases[i].type, 1, { 4 } } },
			.tensor_count = 3,
			.inputs = { 0, 1, -1 },
			.outputs = { 2, -1 },
		};
		const void *in[] = { cases[i].a, cases[i].b };
		uint8_t out[8];

		run(&m, in, (void *[]){ out });
		assert_memory_equal(out, cases[i].differ, 4u * cases[i].size);
		m.code = TFLITE_RIGHT_SHIFT;
		run(&m, in, (void *[]){ out });
		assert_memory_equal(out, cases[i].shifted, 4u * cases[i].size);
	}
}

/*
 * Sums and products of INT16, whose values are those of LiteRT 2.3's reference kernels: any scales;
 * powers of two, where TFLite shifts one input to the steps of the other by a rule of its own; and
 * the same powers where the file does not want that rule.
 */
static void test_int16(void **state)
{
	static const int16_t a[] = { -32768, -20001, -5, -1, 0, 1, 2, 3, 5, 101, 20000, 32767 };
	static const int16_t b[] = { -32768, 15000, 5, 1, 0, 1, 3, -7, 9, -3, 20000, 32767 };
	static const struct {
		int32_t code;
		float scales[3];
		uint8_t options;
		int32_t fields[2]; /* the activation; whether the rule for powers is wanted */
		int16_t want[12];
	} rows[] = {
		{ TFLITE_ADD, { 0.0003f, 0.0007f, 0.0009f }, ADD_OPTIONS, { 0, 1 },
		  { -32768, 5000, 2, 0, 0, 1, 3,
		    -4, 9, 31, 22222, 32767 } },
		{ TFLITE_ADD, { 0.0003f, 0.0007f, 0.0004f }, ADD_OPTIONS, { 3, 1 },
		  { 0, 11249, 5, 1, 0, 3, 7,
		    0, 20, 71, 15000, 15000 } },
		{ TFLITE_SUB, { 0.0003f, 0.0007f, 0.0009f }, SUB_OPTIONS, { 0, 1 },
		  { 14564, -18334, -6, -1, 0, 0, -2,
		    6, -5, 36, -8889, -14563 } },
		{ TFLITE_MUL, { 0.0003f, 0.0007f, 0.0051f }, MUL_OPTIONS, { 0, 0 },
		  { 32767, -12354, 0, 0, 0, 0, 0,
		    0, 0, 0, 16471, 32767 } },
		{ TFLITE_MUL, { 0.0003f, 0.0007f, 0.0007f }, MUL_OPTIONS, { 1, 0 },
		  { 32767, 0, 0, 0, 0, 0, 0,
		    0, 0, 0, 32767, 32767 } },
		{ TFLITE_ADD, { 0x1p-11f, 0x1p-9f, 0x1p-9f }, ADD_OPTIONS, { 0, 1 },
		  { -32768, 10000, 4, 1, 0, 1, 4,
		    -6, 10, 22, 25000, 32767 } },
		{ TFLITE_ADD, { 0x1p-11f, 0x1p-9f, 0x1p-9f }, ADD_OPTIONS, { 0, 0 },
		  { -32768, 10000, 4, 1, 0, 1, 4,
		    -6, 10, 22, 25000, 32767 } },
		{ TFLITE_SUB, { 0x1p-9f, 0x1p-10f, 0x1p-9f }, SUB_OPTIONS, { 0, 1 },
		  { -16384, -27501, -8, -2, 0, 0, 0,
		    7, 0, 103, 10000, 16383 } },
		{ TFLITE_SUB, { 0x1p-9f, 0x1p-10f, 0x1p-9f }, SUB_OPTIONS, { 0, 0 },
		  { -16384, -27501, -8, -2, 0, 1, 1,
		    7, 1, 103, 10000, 16384 } },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct one_operator m = {
			.code = rows[i].code,
			.tensors = { { TFLITE_INT16, 1, { 12 }, NULL, 0, rows[i].scales[0], 0 },
				     { TFLITE_INT16, 1, { 12 }, NULL, 0, rows[i].scales[1], 0 },
				     { TFLITE_INT16, 1, { 12 }, NULL, 0, rows[i].scales[2], 0 } },
			.tensor_count = 3,
			.inputs = { 0, 1, -1 },
			.outputs = { 2, -1 },
			.options = rows[i].options,
			.fields = { rows[i].fields[0], rows[i].fields[1] },
			.field_count = rows[i].options == MUL_OPTIONS ? 1 : 2,
		};
		int16_t out[12];

		run(&m, (const void *[]){ a, b }, (void *[]){ out });
		for (int k = 0; k < 12; k++)
			if (out[k] != rows[i].want[k])
				fail_msg("row %zu: %d and %d give %d instead of %d", i, a[k], b[k],
					 out[k], rows[i].want[k]);
	}
}

static void test_pow_of_integers(void **state)
{
	static const int32_t base[] = { 2, -3, 0, 0, 1, -1, -1, 7, 46340 },
			     exponent[] = { 30, 3, 0, 32, 1000, 2000000001, 64, 1, 2 },
			     want[] = { 1 << 30, -27, 1, 0, 1, -1, 1, 7, 46340 * 46340 };
	const struct one_operator m = {
		.code = TFLITE_POW,
		.tensors = { S32(1, { 9 }), S32(1, { 9 }), S32(1, { 9 }) },
		.tensor_count = 3,
		.inputs = { 0, 1, -1 },
		.outputs = { 2, -1 },
	};
	int32_t out[9];

	run(&m, (const void *[]){ base, exponent }, (void *[]){ out });
	assert_memory_equal(out, want, sizeof(want));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ceil_and_square),
		cmocka_unit_test(test_floor_div_and_mod),
		cmocka_unit_test(test_div_of_integers),
		cmocka_unit_test(test_floor_mod_of_floats),
		cmocka_unit_test(test_squared_difference),
		cmocka_unit_test(test_add_n),
		cmocka_unit_test(test_add_rounding),
		cmocka_unit_test(test_mul_rounding),
		cmocka_unit_test(test_bits_of_int32),
		cmocka_unit_test(test_bits_of_small_types),
		cmocka_unit_test(test_int16),
		cmocka_unit_test(test_pow_of_integers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
