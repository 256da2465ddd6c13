// SPDX-License-Identifier: MIT
/* Layers with 8-bit weights and a float input, computed as TFLite does, step by step. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/frontend/tflite/run_text.h"

/* @inverse: of the scale, as each of TFLite's two ways rounds it. */
static float quantised(float x, float inverse, float zero)
{
	float q = roundf(x * inverse) + zero;

	return (q < -128 ? -128 : q > 127 ? 127 : q) - zero;
}

/*
 * Two rows with ranges of their own, one of zeros, and two with a number on the edge of two steps:
 * the first goes to the other one with 1 / (maximum / 127) in place of 127 / maximum, the second
 * where the zero point is added before it is rounded. Weights with a scale per channel.
 */
static void check(bool asymmetric)
{
	static const int8_t weights[2][3] = { { 127, -5, 33 }, { -70, 64, 1 } };
	static const float scales[2] = { 0.5f, 0.25f }, bias[2] = { 1, -2 };
	static const float in[][3] = { { -0.3f, 0.7f, 0.123f },
				       { 100, 55.5f, 7 },
				       { 0, 0, 0 },
				       { 0.772633195f, 3.11506104f, 0 },
				       { -0.17587908f, 2.8145816f, -0.27846453f } };
	enum { ROWS = sizeof(in) / sizeof(in[0]) };
	const struct one_operator m = {
		.code = TFLITE_FULLY_CONNECTED,
		.tensors = { F32(2, { ROWS, 3 }),
			     { TFLITE_INT8, 2, { 2, 3 }, weights, sizeof(weights),
			       .channel_count = 2, .channel_scales = scales },
			     F32(1, { 2 }, bias, sizeof(bias)), F32(2, { ROWS, 2 }) },
		.tensor_count = 4,
		.inputs = { 0, 1, 2, -1 },
		.outputs = { 3, -1 },
		.options = 8,
		.fields = { 0, 0, 0, asymmetric },
		.field_count = 4,
	};
	float out[ROWS][2], want[ROWS][2];

	for (int r = 0; r < ROWS; r++) {
		float low = 0, high = 0, scale, inverse, zero = 0;

		for (int k = 0; k < 3; k++) {
			low = fminf(low, in[r][k]);
			high = fmaxf(high, in[r][k]);
		}
		if (low == high) {
			scale = 1;
			inverse = 1;
		} else if (asymmetric) {
			scale = (high - low) / 255;
			inverse = 1 / scale;
			zero = roundf(-128 - low / scale);
		} else {
			scale = fmaxf(high, -low) / 127;
			inverse = 127 / fmaxf(high, -low);
		}
		for (int n = 0; n < 2; n++) {
			float sum = 0;

			for (int k = 0; k < 3; k++)
				sum += quantised(in[r][k], inverse, zero) * weights[n][k];
			want[r][n] = sum * scale * scales[n] + bias[n];
		}
	}
	run(&m, (const void *[]){ in }, (void *[]){ out });
	check_floats(out[0], want[0], ROWS * 2);
}

static void test_fully_connected(void **state)
{
	check(true);
	check(false);
}

/* In steps of 1 the input is 127, 1, -127, 61: equal scales of channels count as one. */
static void test_groups(void **state)
{
	static const float in[] = { 127, 1.4f, -127, 60.6f },
			   want[] = { (127 + 2) * 0.5f, (-127 * 3 + 61 * 4) * 0.5f };
	float out[2];

	run_text("CONV_2D@1:1,1,1 f[1,1,1,4] a[2,1,1,2]={1,2,3,4}^ f[2]={} -> f[1,1,1,2]",
		 (const void *[]){ in }, (void *[]){ out });
	assert_memory_equal(out, want, sizeof(want));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fully_connected),
		cmocka_unit_test(test_groups),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
