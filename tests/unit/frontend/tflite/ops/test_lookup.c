// SPDX-License-Identifier: MIT
/*
 * Functions of 8-bit numbers, on the loopback. What is expected is what LiteRT 2.3's kernels give
 * for these numbers and scales: limits, both signs, saturation and ties; `make check-clients-sweep`
 * has all numbers and random scales.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/frontend/tflite/one_operator.h"

#define COUNT 16
/* Numbers of the schema's union of options. */
#define GELU_OPTIONS 116

/** struct row - a function of COUNT numbers, minus 128 those of UINT8 */
struct row {
	int32_t code;
	float in_scale;
	int32_t in_zero;
	float out_scale;
	int32_t out_zero;
	int8_t want[COUNT];
};

static const int8_t in[COUNT] = { -128, -127, -100, -64, -50, -13, -3,	-1,
				  0,	1,    2,    31,	 64,  100, 126, 127 };

static void check(const struct row *r, bool is_signed)
{
	const uint8_t type = is_signed ? TFLITE_INT8 : TFLITE_UINT8, flip = is_signed ? 0 : 128;
	struct one_operator m = {
		.code = r->code,
		.tensors = { { type, 1, { COUNT }, NULL, 0, r->in_scale, r->in_zero + flip },
			     { type, 1, { COUNT }, NULL, 0, r->out_scale, r->out_zero + flip } },
		.tensor_count = 2,
		.inputs = { 0, -1 },
		.outputs = { 1, -1 },
		.options = r->code == TFLITE_GELU ? GELU_OPTIONS : 0,
	};
	uint8_t x[COUNT], out[COUNT];

	for (int i = 0; i < COUNT; i++)
		x[i] = (uint8_t)in[i] ^ flip;
	run(&m, (const void *[]){ x }, (void *[]){ out });
	for (int i = 0; i < COUNT; i++)
		if ((int8_t)(out[i] ^ flip) != r->want[i])
			fail_msg("operator %d of %d is %d instead of %d", r->code, in[i],
				 (int8_t)(out[i] ^ flip), r->want[i]);
}

static void test_functions(void **state)
{
	static const struct row rows[] = {
		{ TFLITE_EXP, 0.05f, -20, 0.5f, -128,
		  { -128, -128, -128, -128, -128, -125, -123, -123, -123, -122, -122, -102, 5, 127,
		    127, 127 } },
		{ TFLITE_LOG, 0.5f, -128, 0.05f, -30,
		  { -128, -44, 23, 39, 43, 51, 53, 53, 53, 53, 53, 58, 61, 65, 67, 67 } },
		{ TFLITE_ELU, 0.05f, 10, 0.04f, -70,
		  { -95, -95, -95, -94, -94, -87, -82, -81, -80, -79, -78, -44, -2, 43, 75, 76 } },
		{ TFLITE_GELU, 0.05f, 10, 0.04f, -70,
		  { -70, -70, -70, -70, -70, -74, -74, -74, -74, -74, -73, -48, -3, 42, 75, 76 } },
		{ TFLITE_LOGISTIC, 0x1p-5f, -20, 0x1p-8f, -128,
		  { -120, -119, -109, -76, -56, 14, 33, 37, 39, 41, 42, 85, 111, 122, 125, 125 } },
		{ TFLITE_TANH, 0x1p-6f, -20, 0x1p-7f, 0,
		  { -120, -119, -109, -76, -56, 14, 33, 37, 39, 41, 42, 85, 111, 122, 125, 125 } },
		{ TFLITE_HARD_SWISH, 0.05f, -10, 0.03f, -60,
		  { -60, -60, -60, -65, -71, -62, -53, -51, -50, -49, -48, -2, 63, 123, 127,
		    127 } },
		{ TFLITE_HARD_SWISH, 0.3f, -10, 0.2f, -60,
		  { -60, -60, -60, -60, -60, -62, -51, -47, -45, -44, -42, 1, 51, 105, 127,
		    127 } },
		{ TFLITE_RELU_0_TO_1, 0.022308f, 48, 0.0488194f, 42,
		  { 42, 42, 42, 42, 42, 42, 42, 42, 42, 42, 42, 42, 50, 62, 62, 62 } },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		check(&rows[i], true);
		check(&rows[i], false);
	}
}

/* Roots are rounded towards zero, and the inverse of 0 is the largest number. */
static void test_signed_functions(void **state)
{
	static const struct row rows[] = {
		{ TFLITE_SQRT, 0.3f, -128, 0.04f, -128,
		  { -128, -115, -56, -19, -8, 18, 25, 26, 26, 27, 28, 44, 61, 78, 90, 90 } },
		{ TFLITE_RSQRT, 0.3f, -128, 0.01f, -128,
		  { 127, 55, -93, -105, -107, -111, -112, -112, -112, -112, -112, -114, -115, -116,
		    -117, -117 } },
		{ TFLITE_ABS, 0.5f, 3, 0.7f, -100,
		  { -6, -7, -26, -52, -62, -89, -96, -97, -98, -99, -99, -80, -56, -31, -12,
		    -11 } },
		{ TFLITE_NEG, 0.5f, 3, 0.5f, 3,
		  { -128, 127, 100, 64, 50, 13, 3, 1, 0, -1, -2, -31, -64, -100, -126, -127 } },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		check(&rows[i], true);
}

/*
 * Numbers are compared in steps of 1/256: 8 is 1.5 of them in the first quantisation and 1.53 in
 * the second, 9 is 1.7 and 14 2.6.
 */
static void test_comparison(void **state)
{
	static const int8_t a[] = { 8, 9, 14, -8, -128 }, b[] = { 8, 8, 8, 8, 127 };
	static const uint8_t equal[] = { 1, 1, 0, 0, 0 }, less[] = { 0, 0, 0, 1, 1 };
	struct one_operator m = {
		.tensors = { { TFLITE_INT8, 1, { 5 }, NULL, 0, 1.5f / 2048, 0 },
			     { TFLITE_INT8, 1, { 5 }, NULL, 0, 1.53f / 2048, 0 },
			     { TFLITE_BOOL, 1, { 5 }, NULL, 0, 0, 0 } },
		.tensor_count = 3,
		.inputs = { 0, 1, -1 },
		.outputs = { 2, -1 },
	};
	uint8_t out[5];

	m.code = TFLITE_EQUAL;
	run(&m, (const void *[]){ a, b }, (void *[]){ out });
	assert_memory_equal(out, equal, sizeof(out));
	m.code = TFLITE_LESS;
	run(&m, (const void *[]){ a, b }, (void *[]){ out });
	assert_memory_equal(out, less, sizeof(out));
}

/* Quotients of all pairs of UINT8, within a step of the exact one; that by zero is zero. */
static void test_quotients(void **state)
{
	static uint8_t a[65536], b[65536], out[65536];
	const struct one_operator m = {
		.code = TFLITE_DIV,
		.tensors = { { TFLITE_UINT8, 1, { 65536 }, NULL, 0, 0.5f, 128 },
			     { TFLITE_UINT8, 1, { 65536 }, NULL, 0, 0.25f, 100 },
			     { TFLITE_UINT8, 1, { 65536 }, NULL, 0, 0.0625f, 120 } },
		.tensor_count = 3,
		.inputs = { 0, 1, -1 },
		.outputs = { 2, -1 },
		.options = 29,
	};

	for (uint32_t i = 0; i < 65536; i++) {
		a[i] = i >> 8;
		b[i] = i & 255;
	}
	run(&m, (const void *[]){ a, b }, (void *[]){ out });
	for (uint32_t i = 0; i < 65536; i++) {
		double exact = b[i] == 100 ? 0 : (a[i] - 128) * 0.5 / ((b[i] - 100) * 0.25);
		double want = fmin(fmax(exact / 0.0625 + 120, 0), 255);

		if (fabs(out[i] - want) > 1)
			fail_msg("%d / %d: %u, not %g", a[i] - 128, b[i] - 100, out[i], want);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_functions),
		cmocka_unit_test(test_signed_functions),
		cmocka_unit_test(test_comparison),
		cmocka_unit_test(test_quotients),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
