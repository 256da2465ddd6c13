// SPDX-License-Identifier: MIT
/* Resizing of signed numbers, on the loopback, with weights of 10 bits computed here. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/frontend/tflite/model_text.h"
#include "tests/unit/frontend/tflite/one_operator.h"

#define CHANNELS 11
#define MOST (13 * 13 * CHANNELS)

/* Where output @i of @out lies in @in pixels, in 1/1024, and the weight of each input. */
static void weigh(int i, int in, int out, bool align, bool half, int *weights)
{
	int scale = align && out > 1 ? (1024 * (in - 1) + (out - 1) / 2) / (out - 1) :
				       (1024 * in + out / 2) / out;
	int at = half ? i * scale + scale / 2 - 512 : i * scale;

	for (int k = 0; k < in; k++) {
		int d = abs(at - 1024 * k);

		weights[k] = d < 1024 ? 1024 - d : 0;
	}
	if (at < 0)
		weights[0] = 1024;
	if (at > 1024 * (in - 1))
		weights[in - 1] = 1024;
}

/* Sums over all of the input, whose weights are 0 but for the neighbours'. */
static void resize(const int8_t *in, int ih, int iw, int8_t *out, int oh, int ow, bool align,
		   bool half)
{
	int rows[16], columns[16];

	for (int i = 0; i < oh * ow * CHANNELS; i++) {
		double sum = 0;

		weigh(i / CHANNELS / ow, ih, oh, align, half, rows);
		weigh(i / CHANNELS % ow, iw, ow, align, half, columns);
		for (int k = 0; k < ih * iw; k++)
			sum += (double)rows[k / iw] * columns[k % iw] *
			       in[k * CHANNELS + i % CHANNELS];
		out[i] = (int8_t)round(sum / (1024 * 1024));
	}
}

/* Fractions of 1024 that are none of a power of two; NNAPI's weights have the bits of a float. */
static void test_bilinear_of_signed(void **state)
{
	static const struct {
		uint32_t ih, iw, oh, ow;
	} sizes[] = { { 6, 6, 9, 11 }, { 3, 5, 13, 13 }, { 13, 7, 4, 3 }, { 1, 2, 3, 1 },
		      { 4, 4, 8, 8 },  { 12, 13, 7, 12 } };
	int8_t in[MOST], out[MOST], want[MOST];
	uint32_t seed = 7;

	for (uint32_t i = 0; i < 6 * 3; i++) {
		uint32_t ih = sizes[i / 3].ih, iw = sizes[i / 3].iw, oh = sizes[i / 3].oh,
			 ow = sizes[i / 3].ow;
		const int32_t size[2] = { (int32_t)oh, (int32_t)ow };
		const uint32_t c = CHANNELS;
		const struct one_operator m = {
			.code = TFLITE_RESIZE_BILINEAR,
			.tensors = { { TFLITE_INT8, 4, { 1, ih, iw, c }, NULL, 0, 0.5f, 3 },
				     S32(1, { 2 }, size, sizeof(size)),
				     { TFLITE_INT8, 4, { 1, oh, ow, c }, NULL, 0, 0.5f, 3 } },
			.tensor_count = 3,
			.inputs = { 0, 1, -1 },
			.outputs = { 2, -1 },
			.options = 15,
			.fields = { 0, 0, i % 3 == 1, i % 3 == 2 },
			.field_count = 4,
		};

		for (uint32_t k = 0; k < MOST; k++) {
			seed = seed * 1664525 + 1013904223;
			in[k] = (int8_t)(seed >> 24);
		}
		resize(in, (int)ih, (int)iw, want, (int)oh, (int)ow, i % 3 == 1, i % 3 == 2);
		run(&m, (const void *[]){ in }, (void *[]){ out });
		assert_memory_equal(out, want, (size_t)oh * ow * CHANNELS);
	}
}

/* Numbers that are none of pictures, such as the classes of pixels, are gathered. */
static void test_numbers(void **state)
{
	static const int32_t in[] = { INT32_MIN, 16777217, -3, 4 };
	static const int32_t want[] = {
		INT32_MIN, INT32_MIN, 16777217, INT32_MIN, INT32_MIN, 16777217,
		-3, -3, 4, -3, -3, 4,
	};
	static const bool flags[] = { false, true, true, false };
	static const bool corners[] = { false, true, true, true, false, false, true, false, false };
	struct writer *w = calloc(1, sizeof(*w));
	int32_t out[12];
	bool few[9];

	assert_non_null(w);
	write_text(w, "RESIZE_NEAREST_NEIGHBOR@74:0,0 i[1,2,2,1] i[2]={4,3} -> i[1,4,3,1]");
	run_written(w, 0, (const void *[]){ in }, (void *[]){ out }, 1);
	assert_memory_equal(out, want, sizeof(want));
	write_text(w, "RESIZE_NEAREST_NEIGHBOR@74:1,0 b[1,2,2,1] i[2]={3,3} -> b[1,3,3,1]");
	run_written(w, 0, (const void *[]){ flags }, (void *[]){ few }, 1);
	assert_memory_equal(few, corners, sizeof(corners));
	free(w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bilinear_of_signed),
		cmocka_unit_test(test_numbers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
