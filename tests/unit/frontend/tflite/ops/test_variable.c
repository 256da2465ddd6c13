// SPDX-License-Identifier: MIT
/* Resource variables: state from one run to the next, with a first value. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>

#include "tests/unit/frontend/tflite/small_model.h"

static const float first[2] = { 10, 20 };

#define HANDLE(tensor) \
	{ .code = TFLITE_VAR_HANDLE, .inputs = { -1 }, .outputs = { tensor, -1 }, \
	  .options = 111, .text = "total", .text_field = 1 }

/* The variable becomes itself plus the input; the output is its new value. */
#define MAIN \
	{ \
		.tensors = { F32(1, { 2 }), { 13, 0, { 0 } }, F32(1, { 2 }), F32(1, { 2 }), \
			     F32(1, { 2 }) }, \
		.tensor_count = 5, \
		.inputs = { 0, -1 }, \
		.outputs = { 4, -1 }, \
		.operators = { \
			{ .code = TFLITE_CALL_ONCE, .inputs = { -1 }, .outputs = { -1 }, \
			  .options = 103, .fields = { 1 }, .field_count = 1 }, \
			HANDLE(1), \
			{ .code = TFLITE_READ_VARIABLE, .inputs = { 1, -1 }, \
			  .outputs = { 2, -1 } }, \
			{ .code = TFLITE_ADD, .inputs = { 2, 0, -1 }, .outputs = { 3, -1 } }, \
			{ .code = TFLITE_ASSIGN_VARIABLE, .inputs = { 1, 3, -1 }, \
			  .outputs = { -1 } }, \
			{ .code = TFLITE_READ_VARIABLE, .inputs = { 1, -1 }, \
			  .outputs = { 4, -1 } }, \
		}, \
		.operator_count = 6, \
	}

static void test_keeps_its_value(void **state)
{
	static const float in[2] = { 1, 2 };
	const struct small_graph graphs[2] = {
		MAIN,
		{
			.tensors = { { 13, 0, { 0 } }, F32(1, { 2 }, first, sizeof(first)) },
			.tensor_count = 2,
			.inputs = { -1 },
			.outputs = { -1 },
			.operators = { HANDLE(0),
				       { .code = TFLITE_ASSIGN_VARIABLE, .inputs = { 0, 1, -1 },
					 .outputs = { -1 } } },
			.operator_count = 2,
		},
	};
	float out[2];

	run_graphs(graphs, 2, (const void *[]){ in }, (void *[]){ out }, 1);
	check_floats(out, (float[]){ 11, 22 }, 2);
	run_graphs(graphs, 2, (const void *[]){ in }, (void *[]){ out }, 3);
	check_floats(out, (float[]){ 13, 26 }, 2);
}

/* INT16, for which NNAPI has no SELECT between the first value and the last one. */
static void test_begins_with_short_numbers(void **state)
{
	static const int16_t start[2] = { -32768, 32767 }, in[2] = { 5, -6 };
	const struct small_graph graphs[2] = {
		{
			.tensors = { { TFLITE_INT16, 1, { 2 } }, { 13, 0, { 0 } },
				     { TFLITE_INT16, 1, { 2 } } },
			.tensor_count = 3,
			.inputs = { 0, -1 },
			.outputs = { 2, -1 },
			.operators = {
				{ .code = TFLITE_CALL_ONCE, .inputs = { -1 }, .outputs = { -1 },
				  .options = 103, .fields = { 1 }, .field_count = 1 },
				HANDLE(1),
				{ .code = TFLITE_READ_VARIABLE, .inputs = { 1, -1 },
				  .outputs = { 2, -1 } },
				{ .code = TFLITE_ASSIGN_VARIABLE, .inputs = { 1, 0, -1 },
				  .outputs = { -1 } },
			},
			.operator_count = 4,
		},
		{
			.tensors = { { 13, 0, { 0 } },
				     { TFLITE_INT16, 1, { 2 }, start, sizeof(start) } },
			.tensor_count = 2,
			.inputs = { -1 },
			.outputs = { -1 },
			.operators = { HANDLE(0),
				       { .code = TFLITE_ASSIGN_VARIABLE, .inputs = { 0, 1, -1 },
					 .outputs = { -1 } } },
			.operator_count = 2,
		},
	};
	int16_t out[2];

	run_graphs(graphs, 2, (const void *[]){ in }, (void *[]){ out }, 1);
	assert_memory_equal(out, start, sizeof(out));
	run_graphs(graphs, 2, (const void *[]){ in }, (void *[]){ out }, 2);
	assert_memory_equal(out, in, sizeof(out));
}

/* Another shape of the old value, read after the variable has its new one. */
static void test_reads_a_view_of_the_old_value(void **state)
{
	static const float in[2] = { 1, 2 };
	const struct small_graph graph = {
		.tensors = { F32(1, { 2 }), { 13, 0, { 0 } }, F32(1, { 2 }), F32(1, { 2 }),
			     F32(2, { 2, 1 }), F32(2, { 2, 1 }), F32(2, { 2, 1 }) },
		.tensor_count = 7,
		.inputs = { 0, -1 },
		.outputs = { 6, -1 },
		.operators = {
			HANDLE(1),
			{ .code = TFLITE_READ_VARIABLE, .inputs = { 1, -1 }, .outputs = { 2, -1 } },
			{ .code = TFLITE_RESHAPE, .inputs = { 2, -1 }, .outputs = { 4, -1 } },
			{ .code = TFLITE_ASSIGN_VARIABLE, .inputs = { 1, 0, -1 },
			  .outputs = { -1 } },
			{ .code = TFLITE_EXP, .inputs = { 4, -1 }, .outputs = { 5, -1 } },
			{ .code = TFLITE_LOG, .inputs = { 5, -1 }, .outputs = { 6, -1 } },
		},
		.operator_count = 6,
	};
	float out[2];

	run_graphs(&graph, 1, (const void *[]){ in }, (void *[]){ out }, 1);
	check_floats(out, (float[]){ 0, 0 }, 2);
	run_graphs(&graph, 1, (const void *[]){ in }, (void *[]){ out }, 2);
	check_floats(out, in, 2);
}

static void test_refuses_initialisers_that_compute(void **state)
{
	const struct small_graph graphs[2] = {
		MAIN,
		{
			.tensors = { F32(1, { 2 }, first, sizeof(first)), F32(1, { 2 }) },
			.tensor_count = 2,
			.inputs = { -1 },
			.outputs = { -1 },
			.operators = { { .code = TFLITE_NEG, .inputs = { 0, -1 },
					 .outputs = { 1, -1 } } },
			.operator_count = 1,
		},
	};
	struct writer *w = write_graphs(graphs, 2);
	char error[TFLITE_ERROR_SIZE];
	struct tflite_model *model;
	struct nna_graph *graph;

	assert_int_equal(tflite_parse(w->bytes, w->size, &model, error), 0);
	assert_int_equal(tflite_to_graph(model, NULL, &graph, NULL, error), -ENOTSUP);
	assert_non_null(strstr(error, "CALL_ONCE"));
	assert_non_null(strstr(error, "NEG"));
	tflite_free(model);
	free(w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_keeps_its_value),
		cmocka_unit_test(test_begins_with_short_numbers),
		cmocka_unit_test(test_reads_a_view_of_the_old_value),
		cmocka_unit_test(test_refuses_initialisers_that_compute),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
