// SPDX-License-Identifier: MIT
/*
 * Functions of one INT16, on the loopback. What is expected is what LiteRT 2.3's reference kernels
 * give for these numbers and scales: limits, both signs, the ends and the middle of a part of its
 * tables, and ties.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/frontend/tflite/one_operator.h"

#define COUNT 16
/* Numbers of the schema's union of options. */
#define LEAKY_RELU_OPTIONS 75
#define GELU_OPTIONS 116

/** struct row - a function of COUNT numbers */
struct row {
	int32_t code;
	float in_scale, out_scale;
	uint8_t options;
	float alpha; /* LEAKY_RELU; GELU: whether it is the approximation */
	int16_t want[COUNT];
};

static const int16_t both[COUNT] = { -32768, -20000, -1000, -77, -3,  -1,   0,	   1,
				     2,	     3,	     63,    64,	 100, 5000, 20001, 32767 };
/* LOG and roots of numbers that are not negative. */
static const int16_t above[COUNT] = { 0,   1,	2,    3,    63,	   64,	  65,	 100,
				      127, 128, 5000, 9999, 20001, 30000, 32766, 32767 };

static void check(const struct row *r, const int16_t *in)
{
	struct one_operator m = {
		.code = r->code,
		.tensors = { { TFLITE_INT16, 1, { COUNT }, NULL, 0, r->in_scale, 0 },
			     { TFLITE_INT16, 1, { COUNT }, NULL, 0, r->out_scale, 0 } },
		.tensor_count = 2,
		.inputs = { 0, -1 },
		.outputs = { 1, -1 },
		.options = r->options,
	};
	int16_t out[COUNT];

	if (r->options == LEAKY_RELU_OPTIONS) {
		memcpy(m.fields, &r->alpha, sizeof(r->alpha));
		m.field_count = 1;
	} else if (r->alpha != 0) {
		m.fields[0] = 1;
		m.field_count = 1;
	}
	run(&m, (const void *[]){ in }, (void *[]){ out });
	for (int i = 0; i < COUNT; i++)
		if (out[i] != r->want[i])
			fail_msg("operator %d of %d is %d instead of %d", r->code, in[i], out[i],
				 r->want[i]);
}

static void test_interpolated(void **state)
{
	static const struct row rows[] = {
		{ TFLITE_EXP, 0.0003f, 0.0005f, 0, 0,
		  { 0, 5, 1481, 1954, 1997, 1998, 1999, 2000, 2000, 2001, 2037, 2038, 2060, 8961,
		    32767, 32767 } },
		{ TFLITE_LOG, 0.0021f, 0.0004f, 0, 0,
		  { -32768, -32768, -32768, -30179, -26423, -26322, -26271, -26091, -25911, -25731,
		    -14926, -14745, -8262, 5878, 9344, 10579 } },
		{ TFLITE_GELU, 0.0004f, 0.0003f, GELU_OPTIONS, 0,
		  { 0, 0, -460, -50, -3, -2, -1, 0, 0, 1, 42, 43, 68, 6515, 26667, 32767 } },
		{ TFLITE_GELU, 0.0004f, 0.0003f, GELU_OPTIONS, 1,
		  { 0, 0, -460, -50, -3, -2, -1, 0, 0, 1, 42, 43, 68, 6516, 26667, 32767 } },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		check(&rows[i], both);
}

static void test_roots(void **state)
{
	static const struct row rows[] = {
		{ TFLITE_SQRT, 0.0031f, 0.0003f, 0, 0,
		  { 0, 185, 262, 321, 1473, 1484, 1496, 1855, 2091, 2099, 13123, 18558, 26247,
		    32145, 32767, 32767 } },
		{ TFLITE_RSQRT, 0.0031f, 0.0003f, 0, 0,
		  { 27007, 26837, 26666, 26496, 16275, 16105, 15935, 9973, 5373, 5203, 846, 599,
		    424, 346, 331, 331 } },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		check(&rows[i], above);
}

static void test_scaled(void **state)
{
	static const struct row rows[] = {
		{ TFLITE_RELU, 0.0005f, 0.0003f, 0, 0,
		  { 0, 0, 0, 0, 0, 0, 0, 2, 3, 5, 105, 107, 167, 8333, 32767, 32767 } },
		{ TFLITE_RELU6, 0.0005f, 0.0003f, 0, 0,
		  { 0, 0, 0, 0, 0, 0, 0, 2, 3, 5, 105, 107, 167, 8333, 20000, 20000 } },
		{ TFLITE_LEAKY_RELU, 0.0005f, 0.0003f, LEAKY_RELU_OPTIONS, 0.3f,
		  { -16384, -10000, -500, -38, -1, 0, 0, 2, 3, 5, 105, 107, 167, 8333, 32767,
		    32767 } },
		{ TFLITE_LEAKY_RELU, 0.0005f, 0.0007f, LEAKY_RELU_OPTIONS, -0.3f,
		  { 7022, 4286, 214, 17, 1, 0, 0, 1, 1, 2, 45, 46, 71, 3571, 14286, 23405 } },
		{ TFLITE_ABS, 0.0005f, 0.0007f, 0, 0,
		  { 23406, 14286, 714, 55, 2, 1, 0, 1, 1, 2, 45, 46, 71, 3571, 14286, 23405 } },
		{ TFLITE_NEG, 0.0005f, 0.0007f, 0, 0,
		  { -32768, 20000, 1000, 77, 3, 1, 0, -1, -2, -3, -63, -64, -100, -5000, -20001,
		    -32767 } },
		{ TFLITE_QUANTIZE, 0.0005f, 0.0009f, 0, 0,
		  { -18204, -11111, -556, -43, -2, -1, 0, 1, 1, 2, 35, 36, 56, 2778, 11112,
		    18204 } },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		check(&rows[i], both);
}

/* From and to 8 bits, with zero points. */
static void test_quantize_8(void **state)
{
	static const int8_t bytes[COUNT] = { -128, -127, -100, -77, -50, -9, -5,  -4,
					     -1,   0,	 1,    2,   50,	 99, 126, 127 };
	static const int16_t want16[COUNT] = { -6833, -6778, -5278, -4000, -2500, -222, 0, 56,
					       222, 278, 333, 389, 3056, 5778, 7278, 7333 };
	static const int8_t want8[COUNT] = { -128, -116, -11, -5, -5, -5, -5,  -5,
					     -5,   -5,	 -5,  -5, -4, 23, 106, 127 };
	struct one_operator narrow = {
		.code = TFLITE_QUANTIZE,
		.tensors = { { TFLITE_INT16, 1, { COUNT }, NULL, 0, 0.0005f, 0 },
			     { TFLITE_INT8, 1, { COUNT }, NULL, 0, 0.09f, -5 } },
		.tensor_count = 2,
		.inputs = { 0, -1 },
		.outputs = { 1, -1 },
	};
	struct one_operator widen = {
		.code = TFLITE_QUANTIZE,
		.tensors = { { TFLITE_INT8, 1, { COUNT }, NULL, 0, 0.05f, -5 },
			     { TFLITE_INT16, 1, { COUNT }, NULL, 0, 0.0009f, 0 } },
		.tensor_count = 2,
		.inputs = { 0, -1 },
		.outputs = { 1, -1 },
	};
	int16_t out16[COUNT];
	int8_t out8[COUNT];

	run(&narrow, (const void *[]){ both }, (void *[]){ out8 });
	assert_memory_equal(out8, want8, sizeof(out8));
	run(&widen, (const void *[]){ bytes }, (void *[]){ out16 });
	assert_memory_equal(out16, want16, sizeof(out16));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_interpolated),
		cmocka_unit_test(test_roots),
		cmocka_unit_test(test_scaled),
		cmocka_unit_test(test_quantize_8),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
