// SPDX-License-Identifier: MIT
/* Blocks to and from the batch, of three dimensions and of any type, on the loopback. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/frontend/tflite/one_operator.h"

/* [1, 3, 2] with a row of zeros in front becomes [2, 2, 2], and back. */
static void test_three_dimensions(void **state)
{
	static const int32_t block = 2, edges[] = { 1, 0 }, in[] = { 1, 2, 3, 4, 5, 6 },
			     want[] = { 0, 0, 3, 4, 1, 2, 5, 6 };
	struct one_operator m = {
		.code = TFLITE_SPACE_TO_BATCH_ND,
		.tensors = { S32(3, { 1, 3, 2 }), S32(1, { 1 }, &block, 4),
			     S32(2, { 1, 2 }, edges, 8), S32(3, { 2, 2, 2 }) },
		.tensor_count = 4,
		.inputs = { 0, 1, 2, -1 },
		.outputs = { 3, -1 },
	};
	int32_t out[8], back[6];

	run(&m, (const void *[]){ in }, (void *[]){ out });
	assert_memory_equal(out, want, sizeof(want));
	m.code = TFLITE_BATCH_TO_SPACE_ND;
	m.inputs[0] = 3;
	m.outputs[0] = 0;
	run(&m, (const void *[]){ out }, (void *[]){ back });
	assert_memory_equal(back, in, sizeof(in));
}

/* [1, 2, 2, 1] to [1, 1, 1, 4] and to [4, 1, 1, 1] keeps the order of its elements. */
static void test_types(void **state)
{
	static const int32_t blocks[] = { 2, 2 }, edges[4];
	static const int64_t wide[] = { 1ll << 40, -1, 2, 3 };
	static const uint8_t truths[] = { 1, 0, 0, 1 };
	static const int16_t narrow[] = { -7, 5, 300, 0 };
	static const struct {
		uint8_t type;
		const void *in;
		size_t size;
	} rows[] = { { TFLITE_INT64, wide, sizeof(wide) },
		     { TFLITE_BOOL, truths, sizeof(truths) },
		     { TFLITE_INT16, narrow, sizeof(narrow) } };

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct one_operator depth = {
			.code = TFLITE_SPACE_TO_DEPTH,
			.tensors = { { rows[i].type, 4, { 1, 2, 2, 1 } },
				     { rows[i].type, 4, { 1, 1, 1, 4 } } },
			.tensor_count = 2,
			.inputs = { 0, -1 },
			.outputs = { 1, -1 },
			.options = 19,
			.fields = { 2 },
			.field_count = 1,
		};
		const struct one_operator batch = {
			.code = TFLITE_SPACE_TO_BATCH_ND,
			.tensors = { { rows[i].type, 4, { 1, 2, 2, 1 } },
				     S32(1, { 2 }, blocks, 8), S32(2, { 2, 2 }, edges, 16),
				     { rows[i].type, 4, { 4, 1, 1, 1 } } },
			.tensor_count = 4,
			.inputs = { 0, 1, 2, -1 },
			.outputs = { 3, -1 },
		};
		uint8_t out[32];

		run(&depth, (const void *[]){ rows[i].in }, (void *[]){ out });
		assert_memory_equal(out, rows[i].in, rows[i].size);
		run(&batch, (const void *[]){ rows[i].in }, (void *[]){ out });
		assert_memory_equal(out, rows[i].in, rows[i].size);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_three_dimensions),
		cmocka_unit_test(test_types),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
