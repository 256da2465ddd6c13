// SPDX-License-Identifier: MIT
/* Sparse constants: written out where they are sound, refused where they are not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>

#include "tests/unit/frontend/tflite/small_model.h"

/* [3, 4] with elements at (0, 1), (0, 3) and (2, 0). */
static struct small_graph sparse_graph(uint8_t *lists)
{
	static const float stored[] = { 5, 6, 7 };
	struct small_graph g = {
		.tensors = { F32(2, { 3, 4 }),
			     { TFLITE_FLOAT32, 2, { 3, 4 }, stored, sizeof(stored), .sparse = lists,
			       .range_count = 4, .index_count = 3 },
			     F32(2, { 3, 4 }), F32(2, { 3, 4 }) },
		.tensor_count = 4,
		.inputs = { 0, -1 },
		.outputs = { 3, -1 },
		.operators = { { .code = TFLITE_DENSIFY, .inputs = { 1, -1 },
				 .outputs = { 2, -1 } },
			       { .code = TFLITE_ADD, .inputs = { 0, 2, -1 },
				 .outputs = { 3, -1 } } },
		.operator_count = 2,
	};

	return g;
}

static void test_writes_out(void **state)
{
	uint8_t lists[] = { 0, 2, 2, 3, 1, 3, 0 };
	const struct small_graph g = sparse_graph(lists);
	const float in[12] = { [11] = 1 }, want[12] = { [1] = 5, [3] = 6, [8] = 7, [11] = 1 };
	float out[12];

	run_graphs(&g, 1, (const void *[]){ in }, (void *[]){ out }, 1);
	check_floats(out, want, 12);
}

/* Zeros alone: converters write no data then. */
static void test_without_elements(void **state)
{
	uint8_t lists[] = { 0, 0, 0, 0 };
	struct small_graph g = sparse_graph(lists);
	const float in[12] = { [4] = 1, [11] = -2 };
	float out[12];

	g.tensors[1].data = NULL;
	g.tensors[1].size = 0;
	g.tensors[1].index_count = 0;
	run_graphs(&g, 1, (const void *[]){ in }, (void *[]){ out }, 1);
	check_floats(out, in, 12);
}

static void test_refuses_wrong_ranges(void **state)
{
	uint8_t wrong[][7] = {
		{ 0, 2, 2, 4, 1, 3, 0 }, /* a range behind the list */
		{ 2, 0, 2, 3, 1, 3, 0 }, /* one that runs backwards */
		{ 0, 2, 2, 3, 1, 4, 0 }, /* an index outside */
		{ 0, 2, 2, 3, 1, 1, 0 }, /* one twice */
		{ 0, 2, 0, 2, 1, 3, 0 }, /* more places than elements */
	};

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		const struct small_graph g = sparse_graph(wrong[i]);
		struct writer *w = write_graphs(&g, 1);
		char error[TFLITE_ERROR_SIZE];
		struct tflite_model *model;

		assert_int_equal(tflite_parse(w->bytes, w->size, &model, error), -EINVAL);
		assert_non_null(strstr(error, "sparse data"));
		free(w);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_writes_out),
		cmocka_unit_test(test_without_elements),
		cmocka_unit_test(test_refuses_wrong_ranges),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
