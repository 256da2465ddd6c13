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

/* Values that NNAPI's FILL does not take: of 64 and 16 bits, truth values, and scalars. */
static void test_fill_of_other_types(void **state)
{
	static const int32_t dims[] = { 3 };
	static const int64_t wide = 1ll << 40;
	static const int16_t narrow = -5;
	static const uint8_t truth = 1;
	static const struct {
		uint8_t type;
		const void *value;
		uint32_t size, rank;
	} rows[] = { { TFLITE_INT64, &wide, 8, 1 }, { TFLITE_INT16, &narrow, 2, 1 },
		     { TFLITE_BOOL, &truth, 1, 1 }, { TFLITE_INT32, dims, 4, 0 } };

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct one_operator m = {
			.code = TFLITE_FILL,
			.tensors = { S32(1, { (int32_t)rows[i].rank }, dims, 4 * rows[i].rank),
				     { rows[i].type, 0, { 0 }, rows[i].value, rows[i].size },
				     { rows[i].type, rows[i].rank, { 3 } } },
			.tensor_count = 3,
			.inputs = { 0, 1, -1 },
			.outputs = { 2, -1 },
		};
		uint8_t out[24];

		run(&m, NULL, (void *[]){ out });
		for (uint32_t k = 0; k < (rows[i].rank ? 3 : 1); k++)
			assert_memory_equal(out + k * rows[i].size, rows[i].value, rows[i].size);
	}
}

/* 0.1 is added ten times, so the last value is not 1. */
static void test_range_of_other_types(void **state)
{
	static const float start = 0, limit = 1.05f, step = 0.1f;
	static const int64_t first = 1ll << 40, last = (1ll << 40) + 3, two = 2;
	static const int64_t wide[] = { 1ll << 40, (1ll << 40) + 2 };
	const struct one_operator f = {
		.code = TFLITE_RANGE,
		.tensors = { F32(0, { 0 }, &start, 4), F32(0, { 0 }, &limit, 4),
			     F32(0, { 0 }, &step, 4), F32(1, { 11 }) },
		.tensor_count = 4,
		.inputs = { 0, 1, 2, -1 },
		.outputs = { 3, -1 },
	};
	const struct one_operator l = {
		.code = TFLITE_RANGE,
		.tensors = { { TFLITE_INT64, 0, { 0 }, &first, 8 },
			     { TFLITE_INT64, 0, { 0 }, &last, 8 },
			     { TFLITE_INT64, 0, { 0 }, &two, 8 }, { TFLITE_INT64, 1, { 2 } } },
		.tensor_count = 4,
		.inputs = { 0, 1, 2, -1 },
		.outputs = { 3, -1 },
	};
	float out[11], sum = 0;
	int64_t longs[2];

	run(&f, NULL, (void *[]){ out });
	for (int i = 0; i < 11; i++, sum += step)
		assert_memory_equal(&out[i], &sum, 4);
	run(&l, NULL, (void *[]){ longs });
	assert_memory_equal(longs, wide, sizeof(wide));
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
		cmocka_unit_test(test_fill_of_other_types),
		cmocka_unit_test(test_range_of_other_types),
		cmocka_unit_test(test_shape_and_rank),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
