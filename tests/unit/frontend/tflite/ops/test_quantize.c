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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_requantize_rounding),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
