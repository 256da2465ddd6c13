// SPDX-License-Identifier: MIT
/* Elements put where indices say, by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <float.h>

#include "tests/unit/frontend/tflite/one_operator.h"

static void test_one_hot(void **state)
{
	static const int32_t depth = 3, in[] = { 2, -1 };
	static const float on = 5, off = 1, want[] = { 1, 1, 5, 1, 1, 1 };
	const struct one_operator m = {
		.code = TFLITE_ONE_HOT,
		.tensors = { S32(1, { 2 }), S32(0, { 0 }, &depth, 4), F32(0, { 0 }, &on, 4),
			     F32(0, { 0 }, &off, 4), F32(2, { 2, 3 }) },
		.tensor_count = 5,
		.inputs = { 0, 1, 2, 3, -1 },
		.outputs = { 4, -1 },
		.options = 61,
		.fields = { -1 },
		.field_count = 1,
	};
	float out[6];

	run(&m, (const void *[]){ in }, (void *[]){ out });
	check_floats(out, want, 6);
}

/* Updates of one place add up. */
static void test_scatter_nd(void **state)
{
	static const int32_t indices[] = { 2, 0, 2 }, shape[] = { 4, 2 };
	static const float in[] = { 1, 2, 3, 4, 5, 6 }, want[] = { 3, 4, 0, 0, 6, 8, 0, 0 };
	const struct one_operator m = {
		.code = TFLITE_SCATTER_ND,
		.tensors = { S32(2, { 3, 1 }, indices, 12), F32(2, { 3, 2 }),
			     S32(1, { 2 }, shape, 8), F32(2, { 4, 2 }) },
		.tensor_count = 4,
		.inputs = { 0, 1, 2, -1 },
		.outputs = { 3, -1 },
	};
	float out[8];

	run(&m, (const void *[]){ in }, (void *[]){ out });
	check_floats(out, want, 8);
}

/* The same where the run has the indices. */
static void test_scatter_nd_of_run(void **state)
{
	static const int32_t indices[] = { 2, 0, 2 }, shape[] = { 4, 2 };
	static const float in[] = { 1, 2, 3, 4, 5, 6 }, want[] = { 3, 4, 0, 0, 6, 8, 0, 0 };
	const struct one_operator m = {
		.code = TFLITE_SCATTER_ND,
		.tensors = { S32(2, { 3, 1 }), F32(2, { 3, 2 }), S32(1, { 2 }, shape, 8),
			     F32(2, { 4, 2 }) },
		.tensor_count = 4,
		.inputs = { 0, 1, 2, -1 },
		.outputs = { 3, -1 },
	};
	float out[8];

	run(&m, (const void *[]){ indices, in }, (void *[]){ out });
	check_floats(out, want, 8);
}

/* A segment that no number names has the least number, the greatest, or 1. */
static void check_segments(int32_t code, const float want[6])
{
	static const int32_t numbers[] = { 2, -1, 0, 2 }, count = 3;
	static const float in[] = { 1, 2, 3, 4, 5, 6, -7, 8 };
	const struct one_operator m = {
		.code = code,
		.tensors = { F32(2, { 4, 2 }), S32(1, { 4 }, numbers, 16), S32(0, { 0 }, &count, 4),
			     F32(2, { 3, 2 }) },
		.tensor_count = 4,
		.inputs = { 0, 1, 2, -1 },
		.outputs = { 3, -1 },
	};
	float out[6];

	run(&m, (const void *[]){ in }, (void *[]){ out });
	assert_memory_equal(out, want, sizeof(out));
}

static void test_segments(void **state)
{
	check_segments(TFLITE_UNSORTED_SEGMENT_MAX,
		       (const float[]){ 5, 6, -FLT_MAX, -FLT_MAX, 1, 8 });
	check_segments(TFLITE_UNSORTED_SEGMENT_MIN,
		       (const float[]){ 5, 6, FLT_MAX, FLT_MAX, -7, 2 });
	check_segments(TFLITE_UNSORTED_SEGMENT_PROD, (const float[]){ 5, 6, 1, 1, -7, 16 });
	check_segments(TFLITE_UNSORTED_SEGMENT_SUM, (const float[]){ 5, 6, 0, 0, -6, 10 });
}

static void test_reverse_sequence(void **state)
{
	static const int32_t lengths[] = { 2, 3 }, in[] = { 1, 2, 3, 4, 5, 6 };
	static const int32_t want[] = { 2, 1, 3, 6, 5, 4 };
	const struct one_operator m = {
		.code = TFLITE_REVERSE_SEQUENCE,
		.tensors = { S32(2, { 2, 3 }), S32(1, { 2 }, lengths, 8), S32(2, { 2, 3 }) },
		.tensor_count = 3,
		.inputs = { 0, 1, -1 },
		.outputs = { 2, -1 },
		.options = 87,
		.fields = { 1, 0 },
		.field_count = 2,
	};
	int32_t out[6];

	run(&m, (const void *[]){ in }, (void *[]){ out });
	assert_memory_equal(out, want, sizeof(out));
}

/* Sequences along the last dimension of three, and lengths that the run has. */
static void test_reverse_sequence_of_run(void **state)
{
	static const int32_t lengths[] = { 1, 3 };
	static const int32_t in[] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12 };
	static const int32_t want[] = { 1, 2, 3, 6, 5, 4, 7, 8, 9, 12, 11, 10 };
	const struct one_operator m = {
		.code = TFLITE_REVERSE_SEQUENCE,
		.tensors = { S32(3, { 2, 2, 3 }), S32(1, { 2 }), S32(3, { 2, 2, 3 }) },
		.tensor_count = 3,
		.inputs = { 0, 1, -1 },
		.outputs = { 2, -1 },
		.options = 87,
		.fields = { 2, 1 },
		.field_count = 2,
	};
	int32_t out[12];

	run(&m, (const void *[]){ in, lengths }, (void *[]){ out });
	assert_memory_equal(out, want, sizeof(out));
}

static void test_matrix_diag(void **state)
{
	static const float in[] = { 7, 8 }, want[] = { 7, 0, 0, 8 };
	const struct one_operator m = {
		.code = TFLITE_MATRIX_DIAG,
		.tensors = { F32(1, { 2 }), F32(2, { 2, 2 }) },
		.tensor_count = 2,
		.inputs = { 0, -1 },
		.outputs = { 1, -1 },
	};
	float out[4];

	run(&m, (const void *[]){ in }, (void *[]){ out });
	check_floats(out, want, 4);
}

/* Tables that a file of few bytes asks for, but nobody has memory or time to make. */
static void test_too_large(void **state)
{
	static const int32_t lengths[] = { 0 }, begin[] = { 0, 0 };
	static const float update[] = { 1 };
	const struct one_operator models[] = {
		{
			.code = TFLITE_REVERSE_SEQUENCE,
			.tensors = { S32(2, { 1 << 25, 1 }), S32(1, { 1 }, lengths, 4),
				     S32(2, { 1 << 25, 1 }) },
			.tensor_count = 3,
			.inputs = { 0, 1, -1 },
			.outputs = { 2, -1 },
			.options = 87,
			.fields = { 0, 1 },
			.field_count = 2,
		},
		{
			.code = TFLITE_DYNAMIC_UPDATE_SLICE,
			.tensors = { F32(2, { 1 << 25, 1 }), F32(2, { 1, 1 }, update, 4),
				     S32(1, { 2 }, begin, 8), F32(2, { 1 << 25, 1 }) },
			.tensor_count = 4,
			.inputs = { 0, 1, 2, -1 },
			.outputs = { 3, -1 },
		},
	};

	for (uint32_t i = 0; i < 2; i++)
		check_refused(&models[i], "a table of 33554432 elements");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_one_hot),
		cmocka_unit_test(test_scatter_nd),
		cmocka_unit_test(test_scatter_nd_of_run),
		cmocka_unit_test(test_segments),
		cmocka_unit_test(test_reverse_sequence),
		cmocka_unit_test(test_reverse_sequence_of_run),
		cmocka_unit_test(test_matrix_diag),
		cmocka_unit_test(test_too_large),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
