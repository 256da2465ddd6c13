// SPDX-License-Identifier: MIT
/* Products of matrices, on the loopback, against values computed by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/frontend/tflite/run_text.h"

/*
 * A Dense layer as today's converter writes it: a scale per unit. In steps: (2 + 1) * 0.5 * 1 and
 * (2 * 3 - 4) * 0.5 * 0.25, in 0.25 from -10 on; the bias adds 2 * 0.5 and 8 * 0.125.
 */
static void test_fully_connected_per_channel(void **state)
{
	static const int8_t in[] = { 7, 6 }, weights[] = { 1, 1, 3, -4 };
	static const int32_t bias[] = { 2, 8 };
	static const float scales[] = { 1, 0.25f };
	const int8_t want[2][2] = { { -10 + 6, -10 + 1 }, { -10 + 6 + 4, -10 + 1 + 4 } };

	for (uint32_t i = 0; i < 2; i++) {
		const struct one_operator m = {
			.code = TFLITE_FULLY_CONNECTED,
			.tensors = { { TFLITE_INT8, 2, { 1, 2 }, NULL, 0, 0.5f, 5 },
				     { TFLITE_INT8, 2, { 2, 2 }, weights, 4, .channel_count = 2,
				       .channel_scales = scales },
				     { TFLITE_INT8, 2, { 1, 2 }, NULL, 0, 0.25f, -10 },
				     S32(1, { 2 }, bias, sizeof(bias)) },
			.tensor_count = 4,
			.inputs = { 0, 1, i ? 3 : -1, -1 },
			.outputs = { 2, -1 },
			.options = 8,
		};
		int8_t out[2];

		run(&m, (const void *[]){ in }, (void *[]){ out });
		assert_memory_equal(out, want[i], sizeof(out));
	}
}

/*
 * FULLY_CONNECTED rounds once, since LiteRT 2: a factor of 0.25 makes 0.25, 0.5, -0.5 and 1.25 of
 * these sums. Rounded twice, as a convolution's, the first would be 1 and the last 2.
 */
static void test_fully_connected_rounding(void **state)
{
	static const int8_t in[] = { 1 }, weights[] = { 1, 2, -2, 5 }, want[] = { 0, 1, -1, 1 };
	const struct one_operator m = {
		.code = TFLITE_FULLY_CONNECTED,
		.tensors = { { TFLITE_INT8, 2, { 1, 1 }, NULL, 0, 0.5f, 0 },
			     { TFLITE_INT8, 2, { 4, 1 }, weights, 4, 0.5f, 0 },
			     { TFLITE_INT8, 2, { 1, 4 }, NULL, 0, 1, 0 } },
		.tensor_count = 3,
		.inputs = { 0, 1, -1, -1 },
		.outputs = { 2, -1 },
		.options = 8,
	};
	int8_t out[4];

	run(&m, (const void *[]){ in }, (void *[]){ out });
	assert_memory_equal(out, want, sizeof(out));
}

/*
 * Each row is quantised by its own range: 127 and -127 in steps of 1, 32 and 127 in steps of
 * 4 / 127. Of x transposed the rows are the same.
 */
static void test_hybrid_product(void **state)
{
	static const float rows[] = { 127, -127, 1, 4 }, columns[] = { 127, 1, -127, 4 };
	const float want[] = { (254 - 381) * 0.5f, 445.0f * ((4.0f / 127.0f) * 0.5f) };
	float out[2];

	run_text("BATCH_MATMUL@101 f[2,2] a[2,1]={2,3}*0.5 -> f[2,1]",
		 (const void *[]){ rows }, (void *[]){ out });
	assert_memory_equal(out, want, sizeof(want));
	run_text("BATCH_MATMUL@101:1,1 f[2,2] a[1,2]={2,3}*0.5 -> f[2,1]",
		 (const void *[]){ columns }, (void *[]){ out });
	assert_memory_equal(out, want, sizeof(want));
}

/* LiteRT takes weights with scales of channels times 0. */
static void test_product_of_channels(void **state)
{
	static const int8_t in[] = { 100, -100 }, want[] = { -7, -7 };
	static const int16_t wide[] = { 3000, -3000 }, zeros[] = { 0, 0 };
	int16_t wide_out[2];
	int8_t out[2];

	run_text("BATCH_MATMUL@101 a[1,2]*0.5+3 a[2,2]={1,2,3,4}^ -> a[1,2]*0.5-7",
		 (const void *[]){ in }, (void *[]){ out });
	assert_memory_equal(out, want, sizeof(want));
	run_text("BATCH_MATMUL@101 w[1,2]*0.5 a[2,2]={1,2,3,4}^ -> w[1,2]*0.5",
		 (const void *[]){ wide }, (void *[]){ wide_out });
	assert_memory_equal(wide_out, zeros, sizeof(zeros));
}

/* (1000 * 300 - 2000 * 400) * 0.5 * 0.5 in steps of 8, of weights that an operator computes. */
static void test_computed_weights(void **state)
{
	static const int16_t x[] = { 1000, -2000 }, w[] = { 300, 400 }, want[] = { -15625 };
	int16_t out[1];

	run_text("FULLY_CONNECTED@8 w[1,2]*0.5 w[1,2]*0.5 - -> w[1,1]*8.0",
		 (const void *[]){ x, w }, (void *[]){ out });
	assert_memory_equal(out, want, sizeof(want));
}

/*
 * Blocks of 2 with a scale each. The row is quantised asymmetrically, whatever the options say:
 * from 0 to 255 in steps of 1, so that it stays as it is.
 */
static void test_blocks(void **state)
{
	static const float row[] = { 255, 1, 2, 0 };
	const float want[] = { 255 * 0.5f + 2 * 2 * 0.25f + 1,
			       (255 * 3 - 1) * 1.0f - 2 * 2.0f + 2 };
	float out[2];

	run_text("FULLY_CONNECTED@8 f[1,4] a[2,4]={1,0,2,7,3,-1,-1,5}#2:4 "
		 "f[2]={1,2} -> f[1,2]; ABS f[2,2]={0.5,0.25,1,2} -> f[2,2]; RETURN %3",
		 (const void *[]){ row }, (void *[]){ out });
	assert_memory_equal(out, want, sizeof(want));
}

/* [[1 2] [3 4]] times [[5 6] [7 8]], both of FLOAT32. */
static void test_batch_matmul(void **state)
{
	const struct one_operator m = {
		.code = TFLITE_BATCH_MATMUL,
		.tensors = { F32(3, { 1, 2, 2 }), F32(3, { 1, 2, 2 }), F32(3, { 1, 2, 2 }) },
		.tensor_count = 3,
		.inputs = { 0, 1, -1 },
		.outputs = { 2, -1 },
		.options = 101,
	};
	const float a[] = { 1, 2, 3, 4 }, b[] = { 5, 6, 7, 8 }, want[] = { 19, 22, 43, 50 };
	float out[4];

	run(&m, (const void *[]){ a, b }, (void *[]){ out });
	check_floats(out, want, 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fully_connected_per_channel),
		cmocka_unit_test(test_fully_connected_rounding),
		cmocka_unit_test(test_batch_matmul),
		cmocka_unit_test(test_hybrid_product),
		cmocka_unit_test(test_product_of_channels),
		cmocka_unit_test(test_computed_weights),
		cmocka_unit_test(test_blocks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
