// SPDX-License-Identifier: MIT
/*
 * Copies along new dimensions, and other orders of elements, on the loopback, against values
 * computed by hand.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/frontend/tflite/one_operator.h"

static void test_broadcast_to(void **state)
{
	static const int32_t in[] = { 1, 2 }, dims[] = { 2, 2, 2 },
			     want[] = { 1, 1, 2, 2, 1, 1, 2, 2 };
	const struct one_operator m = {
		.code = TFLITE_BROADCAST_TO,
		.tensors = { S32(2, { 2, 1 }), S32(1, { 3 }, dims, sizeof(dims)),
			     S32(3, { 2, 2, 2 }) },
		.tensor_count = 3,
		.inputs = { 0, 1, -1 },
		.outputs = { 2, -1 },
	};
	int32_t out[8];

	run(&m, (const void *[]){ in }, (void *[]){ out });
	assert_memory_equal(out, want, sizeof(out));
}

static void check_order(int32_t code, const int32_t *axes, uint32_t count, const int32_t *want)
{
	static const int32_t in[] = { 1, 2, 3, 4, 5, 6 };
	const struct one_operator m = {
		.code = code,
		.tensors = { S32(2, { 2, 3 }), S32(1, { (int32_t)count }, axes, 4 * count),
			     S32(2, { code == TFLITE_TRANSPOSE ? 3 : 2,
				      code == TFLITE_TRANSPOSE ? 2 : 3 }) },
		.tensor_count = 3,
		.inputs = { 0, 1, -1 },
		.outputs = { 2, -1 },
	};
	int32_t out[6];

	run(&m, (const void *[]){ in }, (void *[]){ out });
	assert_memory_equal(out, want, sizeof(out));
}

static void test_reverse(void **state)
{
	check_order(TFLITE_REVERSE_V2, (const int32_t[]){ 0 }, 1,
		    (const int32_t[]){ 4, 5, 6, 1, 2, 3 });
	check_order(TFLITE_REVERSE_V2, (const int32_t[]){ 0, -1 }, 2,
		    (const int32_t[]){ 6, 5, 4, 3, 2, 1 });
}

static void test_transpose_from_the_end(void **state)
{
	check_order(TFLITE_TRANSPOSE, (const int32_t[]){ -1, 0 }, 2,
		    (const int32_t[]){ 1, 4, 2, 5, 3, 6 });
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_broadcast_to),
		cmocka_unit_test(test_reverse),
		cmocka_unit_test(test_transpose_from_the_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
