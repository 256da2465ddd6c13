// SPDX-License-Identifier: MIT
/* Changes of quantisation, on the loopback, against values computed by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/frontend/tflite/one_operator.h"

/*
 * Steps of 0.1 to steps of 0.4: the multiplier is 2^30, the shift 32. The first rounding makes 0.25
 * (1 * 2^30 of 2^31) a half, the second 1.
 */
static void test_requantize_rounding(void **state)
{
	static const uint8_t in[] = { 11, 15, 19, 9, 12, 8 }, want[] = { 21, 22, 23, 20, 21, 19 };
	const struct one_operator m = {
		.code = TFLITE_QUANTIZE,
		.tensors = { { TFLITE_UINT8, 1, { 6 }, NULL, 0, 0.1f, 10 },
			     { TFLITE_UINT8, 1, { 6 }, NULL, 0, 0.4f, 20 } },
		.tensor_count = 2,
		.inputs = { 0, -1 },
		.outputs = { 1, -1 },
	};
	uint8_t out[6];

	run(&m, (const void *[]){ in }, (void *[]){ out });
	assert_memory_equal(out, want, sizeof(out));
}

/* CAST of integers to fewer bits keeps the low ones. */
static void test_cast_wraps(void **state)
{
	static const int32_t in[] = { 300, -1, 255, 256, INT32_MAX, INT32_MIN, -129, 128 };
	static const int64_t wide[] = { 1ll << 40 | 5, 32768, -32769, 65535, INT64_MAX, INT64_MIN,
					-1, 70000 };
	static const uint8_t unsigned8[] = { 44, 255, 255, 0, 255, 0, 127, 128 };
	static const int8_t signed8[] = { 44, -1, -1, 0, -1, 0, 127, -128 };
	static const int16_t signed16[] = { 5, -32768, 32767, -1, -1, 0, -1, 4464 };
	static const struct {
		uint8_t from, to;
		const void *in, *want;
		size_t size;
	} casts[] = {
		{ TFLITE_INT32, TFLITE_UINT8, in, unsigned8, sizeof(unsigned8) },
		{ TFLITE_INT32, TFLITE_INT8, in, signed8, sizeof(signed8) },
		{ TFLITE_INT64, TFLITE_INT16, wide, signed16, sizeof(signed16) },
	};

	for (uint32_t i = 0; i < sizeof(casts) / sizeof(casts[0]); i++) {
		const struct one_operator m = {
			.code = TFLITE_CAST,
			.tensors = { { casts[i].from, 1, { 8 } }, { casts[i].to, 1, { 8 } } },
			.tensor_count = 2,
			.inputs = { 0, -1 },
			.outputs = { 1, -1 },
		};
		int16_t out[8];

		run(&m, (const void *[]){ casts[i].in }, (void *[]){ out });
		assert_memory_equal(out, casts[i].want, casts[i].size);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_requantize_rounding),
		cmocka_unit_test(test_cast_wraps),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
