// SPDX-License-Identifier: MIT
/*
 * Operators whose result follows from shapes and constants, on the loopback, against values
 * computed by hand.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/frontend/tflite/one_operator.h"

static void test_zeros_like(void **state)
{
	check_unary(TFLITE_ZEROS_LIKE, (float[]){ 0, 1, -2, INFINITY },
		    (float[]){ 0, 0, 0, 0 });
}

static void test_range_and_fill(void **state)
{
	static const int32_t start = 7, limit = 0, step = -3, dims[] = { 2, 2 }, value = 9;
	static const int32_t range[] = { 7, 4, 1 }, filled[] = { 9, 9, 9, 9 };
	const struct one_operator r = {
		.code = TFLITE_RANGE,
		.tensors = { S32(0, { 0 }, &start, 4), S32(0, { 0 }, &limit, 4),
			     S32(0, { 0 }, &step, 4), S32(1, { 3 }) },
		.tensor_count = 4,
		.inputs = { 0, 1, 2, -1 },
		.outputs = { 3, -1 },
	};
	const struct one_operator f = {
		.code = TFLITE_FILL,
		.tensors = { S32(1, { 2 }, dims, sizeof(dims)), S32(0, { 0 }, &value, 4),
			     S32(2, { 2, 2 }) },
		.tensor_count = 3,
		.inputs = { 0, 1, -1 },
		.outputs = { 2, -1 },
	};
	int32_t out[4];

	run(&r, NULL, (void *[]){ out });
	assert_memory_equal(out, range, sizeof(range));
	run(&f, NULL, (void *[]){ out });
	assert_memory_equal(out, filled, sizeof(filled));
}

static void test_shape_and_rank(void **state)
{
	static const float in[6];
	struct one_operator m = {
		.code = TFLITE_SHAPE,
		.tensors = { F32(2, { 2, 3 }), S32(1, { 2 }) },
		.tensor_count = 2,
		.inputs = { 0, -1 },
		.outputs = { 1, -1 },
		.options = 55,
		.fields = { TFLITE_INT32 },
		.field_count = 1,
	};
	int32_t out[2];

	run(&m, (const void *[]){ in }, (void *[]){ out });
	assert_int_equal(out[0], 2);
	assert_int_equal(out[1], 3);
	m.code = TFLITE_RANK;
	m.options = 0;
	m.tensors[1].rank = 0;
	run(&m, (const void *[]){ in }, (void *[]){ out });
	assert_int_equal(out[0], 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_zeros_like),
		cmocka_unit_test(test_range_and_fill),
		cmocka_unit_test(test_shape_and_rank),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
