// SPDX-License-Identifier: MIT
/* Shapes that the file leaves open follow from that of the input. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/frontend/tflite/small_model.h"

/*
 * [?, 2] -> SHAPE -> the first number, 2 -> FILL of that shape + input -> [?, 2]; the file says 1
 * for what is open.
 */
static void test_follows_the_input(void **state)
{
	static const int32_t zero[1] = { 0 }, one[1] = { 1 }, two[1] = { 2 };
	static const float three = 3;
	const struct small_graph g = {
		.tensors = { { TFLITE_FLOAT32, 2, { 1, 2 }, .open = true }, S32(1, { 2 }),
			     S32(1, { 1 }, zero, 4), S32(1, { 1 }, one, 4), S32(1, { 1 }),
			     S32(1, { 1 }, two, 4), S32(1, { 2 }), F32(0, { 0 }, &three, 4),
			     { TFLITE_FLOAT32, 2, { 1, 2 }, .open = true },
			     { TFLITE_FLOAT32, 2, { 1, 2 }, .open = true } },
		.tensor_count = 10,
		.inputs = { 0, -1 },
		.outputs = { 9, -1 },
		.operators = {
			{ .code = TFLITE_SHAPE, .inputs = { 0, -1 }, .outputs = { 1, -1 } },
			{ .code = TFLITE_STRIDED_SLICE, .inputs = { 1, 2, 3, 3, -1 },
			  .outputs = { 4, -1 }, .options = 32 },
			{ .code = TFLITE_CONCATENATION, .inputs = { 4, 5, -1 },
			  .outputs = { 6, -1 }, .options = 10 },
			{ .code = TFLITE_FILL, .inputs = { 6, 7, -1 }, .outputs = { 8, -1 } },
			{ .code = TFLITE_ADD, .inputs = { 0, 8, -1 }, .outputs = { 9, -1 } },
		},
		.operator_count = 5,
	};
	const float in[] = { 1, 2, 3, 4, 5, 6 }, want[] = { 4, 5, 6, 7, 8, 9 };
	struct writer *w = write_graphs(&g, 1);
	float out[6];

	run_written(w, 3, (const void *[]){ in }, (void *[]){ out }, 1);
	check_floats(out, want, 6);
	run_written(w, 1, (const void *[]){ in }, (void *[]){ out }, 1);
	check_floats(out, want, 2);
	free(w);
}

/* Results that are an input, a constant, and one another. */
static void test_passes_inputs_through(void **state)
{
	static const float constant[2] = { 8, 9 };
	const struct small_graph g = {
		.tensors = { F32(1, { 2 }), F32(1, { 2 }, constant, 8), F32(1, { 2 }) },
		.tensor_count = 3,
		.inputs = { 0, -1 },
		.outputs = { 0, 1, 2, 2, -1 },
		.operators = { { .code = TFLITE_NEG, .inputs = { 0, -1 },
				 .outputs = { 2, -1 } } },
		.operator_count = 1,
	};
	const float in[2] = { 1, -2 };
	float out[4][2];

	run_graphs(&g, 1, (const void *[]){ in }, (void *[]){ out[0], out[1], out[2], out[3] }, 1);
	check_floats(out[0], in, 2);
	check_floats(out[1], constant, 2);
	check_floats(out[2], (float[]){ -1, 2 }, 2);
	check_floats(out[3], (float[]){ -1, 2 }, 2);
}

/*
 * A loop adds up x[i:i + 2] for i of 0 to 2. The size is state that the loop never changes, so that
 * the shapes in its body follow from it.
 */
static void test_state_that_stays(void **state)
{
	static const int32_t zero[1] = { 0 }, one[1] = { 1 }, three[1] = { 3 }, size[2] = { 2, 2 };
	static const float none[4];
	const struct tensor_spec x = { TFLITE_FLOAT32, 2, { 1, 2 }, .open = true };
	const struct tensor_spec sum = { TFLITE_FLOAT32, 2, { 1, 2 }, .open = true };
	const struct small_graph g[3] = {
		{
			.tensors = { x, S32(1, { 1 }, zero, 4), S32(1, { 2 }, size, 8),
				     F32(2, { 2, 2 }, none, 16), S32(1, { 1 }), x, S32(1, { 2 }),
				     sum },
			.tensor_count = 8,
			.inputs = { 0, -1 },
			.outputs = { 7, -1 },
			.operators = { { .code = TFLITE_WHILE, .inputs = { 1, 0, 2, 3, -1 },
					 .outputs = { 4, 5, 6, 7, -1 }, .options = 93,
					 .fields = { 1, 2 }, .field_count = 2 } },
			.operator_count = 1,
		},
		{
			.tensors = { S32(1, { 1 }), x, S32(1, { 2 }), sum,
				     S32(1, { 1 }, three, 4), { TFLITE_BOOL, 1, { 1 } } },
			.tensor_count = 6,
			.inputs = { 0, 1, 2, 3, -1 },
			.outputs = { 5, -1 },
			.operators = { { .code = TFLITE_LESS, .inputs = { 0, 4, -1 },
					 .outputs = { 5, -1 } } },
			.operator_count = 1,
		},
		{
			.tensors = { S32(1, { 1 }), x, S32(1, { 2 }), sum, S32(1, { 1 }, zero, 4),
				     S32(1, { 2 }), sum, sum, S32(1, { 1 }, one, 4),
				     S32(1, { 1 }) },
			.tensor_count = 10,
			.inputs = { 0, 1, 2, 3, -1 },
			.outputs = { 9, 1, 2, 7, -1 },
			.operators = {
				{ .code = TFLITE_CONCATENATION, .inputs = { 0, 4, -1 },
				  .outputs = { 5, -1 }, .options = 10 },
				{ .code = TFLITE_SLICE, .inputs = { 1, 5, 2, -1 },
				  .outputs = { 6, -1 } },
				{ .code = TFLITE_ADD, .inputs = { 3, 6, -1 },
				  .outputs = { 7, -1 } },
				{ .code = TFLITE_ADD, .inputs = { 0, 8, -1 },
				  .outputs = { 9, -1 } },
			},
			.operator_count = 4,
		},
	};
	const float in[] = { 1, 2, 3, 4, 5, 6, 7, 8 }, want[] = { 9, 12, 15, 18 };
	struct writer *w = write_graphs(g, 3);
	float out[4];

	run_written(w, 4, (const void *[]){ in }, (void *[]){ out }, 1);
	check_floats(out, want, 4);
	free(w);
}

/* The file says nothing of the shapes of results: RELU, then rows of it by GATHER_ND. */
static void test_unstated_shapes(void **state)
{
	static const int32_t rows[] = { 2, 0 };
	const struct small_graph g = {
		.tensors = { F32(2, { 3, 2 }), F32(0, { 0 }), S32(2, { 2, 1 }, rows, 8),
			     F32(0, { 0 }) },
		.tensor_count = 4,
		.inputs = { 0, -1 },
		.outputs = { 3, -1 },
		.operators = { { .code = TFLITE_RELU, .inputs = { 0, -1 }, .outputs = { 1, -1 } },
			       { .code = TFLITE_GATHER_ND, .inputs = { 1, 2, -1 },
				 .outputs = { 3, -1 } } },
		.operator_count = 2,
	};
	const float in[] = { -1, 2, 3, -4, 5, 6 }, want[] = { 5, 6, 0, 2 };
	struct writer *w = write_graphs(&g, 1);
	float out[4];

	run_written(w, 0, (const void *[]){ in }, (void *[]){ out }, 1);
	check_floats(out, want, 4);
	free(w);
}

/* An open batch before operators that move blocks: two to the batch, from there, to the depth. */
static void test_open_batch_of_blocks(void **state)
{
	static const int32_t blocks[] = { 1, 2 }, none[4];
	const struct small_graph g = {
		.tensors = { { TFLITE_FLOAT32, 4, { 1, 2, 2, 1 }, .open = true },
			     S32(1, { 2 }, blocks, 8), S32(2, { 2, 2 }, none, 16),
			     { TFLITE_FLOAT32, 4, { 2, 2, 1, 1 }, .open = true },
			     { TFLITE_FLOAT32, 4, { 1, 2, 2, 1 }, .open = true },
			     { TFLITE_FLOAT32, 4, { 1, 1, 1, 4 }, .open = true } },
		.tensor_count = 6,
		.inputs = { 0, -1 },
		.outputs = { 5, -1 },
		.operators = { { .code = TFLITE_SPACE_TO_BATCH_ND, .inputs = { 0, 1, 2, -1 },
				 .outputs = { 3, -1 } },
			       { .code = TFLITE_BATCH_TO_SPACE_ND, .inputs = { 3, 1, 2, -1 },
				 .outputs = { 4, -1 } },
			       { .code = TFLITE_SPACE_TO_DEPTH, .inputs = { 4, -1 },
				 .outputs = { 5, -1 }, .options = 19, .fields = { 2 },
				 .field_count = 1 } },
		.operator_count = 3,
	};
	const float in[] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12 };
	struct writer *w = write_graphs(&g, 1);
	float out[12];

	run_written(w, 3, (const void *[]){ in }, (void *[]){ out }, 1);
	check_floats(out, in, 12);
	free(w);
}

/* A pool over 5 x 5 pixels in steps of two: with SAME three windows fit, the last is cut. */
static void check_pool(bool same)
{
	const uint32_t size = same ? 3 : 2;
	const struct small_graph g = {
		.tensors = { { TFLITE_FLOAT32, 4, { 1, 5, 5, 2 }, .open = true },
			     { TFLITE_FLOAT32, 4, { 1, size, size, 2 }, .open = true } },
		.tensor_count = 2,
		.inputs = { 0, -1 },
		.outputs = { 1, -1 },
		.operators = { { .code = TFLITE_MAX_POOL_2D, .inputs = { 0, -1 },
				 .outputs = { 1, -1 }, .options = 5,
				 .fields = { same ? 0 : 1, 2, 2, 2, 2 }, .field_count = 5 } },
		.operator_count = 1,
	};
	struct writer *w = write_graphs(&g, 1);
	float in[2 * 5 * 5 * 2], out[2 * 3 * 3 * 2], want[2 * 3 * 3 * 2];
	uint32_t at = 0;

	/* Numbers that grow: the largest of a window is its last. */
	for (uint32_t i = 0; i < 2 * 5 * 5 * 2; i++)
		in[i] = i;
	for (uint32_t n = 0; n < 2; n++)
		for (uint32_t y = 0; y < size; y++)
			for (uint32_t x = 0; x < size; x++)
				for (uint32_t c = 0; c < 2; c++)
					want[at++] = ((n * 5 + (y < 2 ? 2 * y + 1 : 4)) * 5 +
						      (x < 2 ? 2 * x + 1 : 4)) * 2 + c;
	run_written(w, 2, (const void *[]){ in }, (void *[]){ out }, 1);
	check_floats(out, want, at);
	free(w);
}

static void test_windows(void **state)
{
	check_pool(false);
	check_pool(true);
}

/* Columns of an open batch in parts of stated sizes: one, and the rest. */
static void test_open_batch_of_parts(void **state)
{
	static const int32_t sizes[] = { 1, -1 }, one[] = { 1 };
	const struct small_graph g = {
		.tensors = { { TFLITE_FLOAT32, 2, { 1, 3 }, .open = true },
			     S32(1, { 2 }, sizes, 8), S32(0, { 0 }, one, 4),
			     { TFLITE_FLOAT32, 2, { 1, 1 }, .open = true },
			     { TFLITE_FLOAT32, 2, { 1, 2 }, .open = true } },
		.tensor_count = 5,
		.inputs = { 0, -1 },
		.outputs = { 3, 4, -1 },
		.operators = { { .code = TFLITE_SPLIT_V, .inputs = { 0, 1, 2, -1 },
				 .outputs = { 3, 4, -1 }, .options = 79, .fields = { 2 },
				 .field_count = 1 } },
		.operator_count = 1,
	};
	const float in[] = { 1, 2, 3, 4, 5, 6 };
	struct writer *w = write_graphs(&g, 1);
	float out[2][4];

	run_written(w, 2, (const void *[]){ in }, (void *[]){ out[0], out[1] }, 1);
	check_floats(out[0], (float[]){ 1, 4 }, 2);
	check_floats(out[1], (float[]){ 2, 3, 5, 6 }, 4);
	free(w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_follows_the_input),
		cmocka_unit_test(test_passes_inputs_through),
		cmocka_unit_test(test_state_that_stays),
		cmocka_unit_test(test_unstated_shapes),
		cmocka_unit_test(test_open_batch_of_blocks),
		cmocka_unit_test(test_windows),
		cmocka_unit_test(test_open_batch_of_parts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
