// SPDX-License-Identifier: MIT
/* Pooling, on the loopback, against values computed by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/frontend/tflite/one_operator.h"

/*
 * The mean of a window: halves go away from zero, by (sum -+ count / 2) / count without the rest.
 * NNAPI would round to -121 and 122, as its unsigned types do.
 */
static void test_average_pool_rounding(void **state)
{
	static const int8_t in[] = { -121, -122, 121, 122, -1, 0, -3, -3 },
			    want[] = { -122, 122, -1, -3 };
	const struct one_operator m = {
		.code = TFLITE_AVERAGE_POOL_2D,
		.tensors = { { TFLITE_INT8, 4, { 1, 1, 8, 1 }, NULL, 0, 0.5f, 3 },
			     { TFLITE_INT8, 4, { 1, 1, 4, 1 }, NULL, 0, 0.5f, 3 } },
		.tensor_count = 2,
		.inputs = { 0, -1 },
		.outputs = { 1, -1 },
		.options = 5,
		.fields = { 1, 2, 1, 2, 1 },
		.field_count = 5,
	};
	int8_t out[4];

	run(&m, (const void *[]){ in }, (void *[]){ out });
	assert_memory_equal(out, want, sizeof(out));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_average_pool_rounding),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
