// SPDX-License-Identifier: MIT
/* Operators on the bits of whole numbers, on the loopback, against C. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/frontend/tflite/model_text.h"
#include "tests/unit/frontend/tflite/one_operator.h"

#define COUNT 12

static void run_bits(const char *text, const void *a, const void *b, void *out)
{
	struct writer *w = calloc(1, sizeof(*w));

	assert_non_null(w);
	write_text(w, text);
	run_written(w, 0, (const void *[]){ a, b }, (void *[]){ out }, 1);
	free(w);
}

static const int64_t numbers[COUNT] = { 0, -1, 1, 0x5555, -0x5556, INT64_MAX, INT64_MIN, INT32_MAX,
					INT32_MIN, INT64_C(1) << 32, -(INT64_C(1) << 33), 77 };

static void test_and(void **state)
{
	int64_t turned[COUNT], out[COUNT];
	int32_t words[2][COUNT], sums[COUNT];
	uint8_t bytes[2][COUNT], few[COUNT];

	for (int shift = 0; shift < COUNT; shift++) {
		for (int i = 0; i < COUNT; i++) {
			turned[i] = numbers[(i + shift) % COUNT];
			words[0][i] = (int32_t)numbers[i];
			words[1][i] = (int32_t)turned[i];
			bytes[0][i] = (uint8_t)numbers[i];
			bytes[1][i] = (uint8_t)turned[i];
		}
		run_bits("STABLEHLO_AND l[12] l[12] -> l[12]", numbers, turned, out);
		run_bits("STABLEHLO_AND i[12] i[12] -> i[12]", words[0], words[1], sums);
		run_bits("STABLEHLO_AND u[12]*0.5+3 u[12]*0.25 -> u[12]*2+9", bytes[0], bytes[1], few);
		for (int i = 0; i < COUNT; i++) {
			assert_int_equal(out[i], numbers[i] & turned[i]);
			assert_int_equal(sums[i], words[0][i] & words[1][i]);
			assert_int_equal(few[i], bytes[0][i] & bytes[1][i]);
		}
	}
}

static void test_truth(void **state)
{
	static const bool a[] = { 0, 0, 1, 1 }, b[] = { 0, 1, 0, 1 }, want[] = { 0, 0, 0, 1 };
	bool out[4];

	run_bits("STABLEHLO_AND b[4] b[4] -> b[4]", a, b, out);
	assert_memory_equal(out, want, sizeof(want));
}

/* Bits beyond the type are lost; shifts that C leaves undefined give 0. */
static void test_shift(void **state)
{
	static const int32_t x[] = { 1, -3, 0x40000001, 7, 1, -1, 5 };
	static const int32_t by[] = { 31, 4, 1, 0, 32, -1, INT32_MIN };
	static const int32_t want[] = { INT32_MIN, -48, INT32_MIN + 2, 7, 0, 0, 0 };
	static const int8_t bytes[] = { 3, -128, 65 }, few[] = { 6, 1, 1 };
	static const int8_t left[] = { -64, 0, -126 };
	int8_t small[3];
	int32_t out[7];

	run_bits("STABLEHLO_SHIFT_LEFT i[7] i[7] -> i[7]", x, by, out);
	assert_memory_equal(out, want, sizeof(want));
	run_bits("STABLEHLO_SHIFT_LEFT a[3]*0.5+1 a[3]*2 -> a[3]", bytes, few, small);
	assert_memory_equal(small, left, sizeof(left));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_and),
		cmocka_unit_test(test_truth),
		cmocka_unit_test(test_shift),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
