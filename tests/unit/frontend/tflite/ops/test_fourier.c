// SPDX-License-Identifier: MIT
/* RFFT2D and complex numbers on the loopback, against the definition of the transform. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/frontend/tflite/one_operator.h"

#define C64(...) { TFLITE_COMPLEX64, __VA_ARGS__ }
enum { MOST = 512 };

/* Images [count, h, w] as a transform of size [th, tw], to pairs [count, th, tw / 2 + 1]. */
static void check_transform(int32_t count, int32_t h, int32_t w, int32_t th, int32_t tw)
{
	const int32_t size[2] = { th, tw }, half = tw / 2 + 1;
	const struct one_operator m = {
		.code = TFLITE_RFFT2D,
		.tensors = { F32(3, { count, h, w }), S32(1, { 2 }, size, sizeof(size)),
			     C64(3, { count, th, half }) },
		.tensor_count = 3,
		.inputs = { 0, 1, -1 },
		.outputs = { 2, -1 },
	};
	float in[MOST], out[MOST];
	uint32_t seed = 1;

	assert_true(count * h * w <= MOST && count * th * half * 2 <= MOST);
	for (int32_t i = 0; i < count * h * w; i++) {
		seed = seed * 1664525 + 1013904223;
		in[i] = (float)(int32_t)seed * 0x1p-31f;
	}
	run(&m, (const void *[]){ in }, (void *[]){ out });
	for (int32_t i = 0; i < count * th * half; i++) {
		int32_t n = i / half / th, ky = i / half % th, kx = i % half;
		double re = 0, im = 0;

		for (int32_t y = 0; y < h && y < th; y++) {
			for (int32_t x = 0; x < w && x < tw; x++) {
				double angle = -2 * M_PI * ((double)ky * y / th +
							    (double)kx * x / tw);

				re += cos(angle) * (double)in[(n * h + y) * w + x];
				im += sin(angle) * (double)in[(n * h + y) * w + x];
			}
		}
		if (!(fabs(re - (double)out[2 * i]) < 1e-5 &&
		      fabs(im - (double)out[2 * i + 1]) < 1e-5))
			fail_msg("%d of %d by %d: %g + %gi, not %g + %gi", i, th, tw,
				 (double)out[2 * i], (double)out[2 * i + 1], re, im);
	}
}

static void test_transforms(void **state)
{
	check_transform(2, 8, 8, 8, 8);
	check_transform(3, 1, 16, 1, 16);
	check_transform(1, 16, 4, 16, 4);
	check_transform(2, 3, 5, 4, 8); /* filled with zeros */
	check_transform(1, 9, 6, 4, 4); /* cut off */
	check_transform(1, 5, 7, 5, 7); /* no power of two */
}

static void test_parts(void **state)
{
	static const float in[] = { 3, -4, 0, 0, -5, 12, 3e30f, 4e30f, 3e-30f, 0 };
	static const float re[] = { 3, 0, -5, 3e30f, 3e-30f }, im[] = { -4, 0, 12, 4e30f, 0 };
	static const float size[] = { 5, 0, 13, 5e30f, 3e-30f };
	struct one_operator m = {
		.code = TFLITE_REAL,
		.tensors = { C64(1, { 5 }), F32(1, { 5 }) },
		.tensor_count = 2,
		.inputs = { 0, -1 },
		.outputs = { 1, -1 },
	};
	float out[5];

	run(&m, (const void *[]){ in }, (void *[]){ out });
	assert_memory_equal(out, re, sizeof(out));
	m.code = TFLITE_IMAG;
	run(&m, (const void *[]){ in }, (void *[]){ out });
	assert_memory_equal(out, im, sizeof(out));
	m.code = TFLITE_COMPLEX_ABS;
	run(&m, (const void *[]){ in }, (void *[]){ out });
	check_floats(out, size, 5);
	assert_true(out[4] == 3e-30f);
}

/* Any other operator would take the parts for numbers of their own. */
static void test_complex_is_refused_elsewhere(void **state)
{
	const struct one_operator m = {
		.code = TFLITE_MUL,
		.tensors = { C64(1, { 4 }), C64(1, { 4 }), C64(1, { 4 }) },
		.tensor_count = 3,
		.inputs = { 0, 1, -1 },
		.outputs = { 2, -1 },
		.options = 21,
	};

	check_refused(&m, "its type; supported: COMPLEX64 for");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_transforms),
		cmocka_unit_test(test_parts),
		cmocka_unit_test(test_complex_is_refused_elsewhere),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
