// SPDX-License-Identifier: MIT
/* Joining and splitting tensors, on the loopback, against values computed by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/frontend/tflite/model_text.h"
#include "tests/unit/frontend/tflite/one_operator.h"

static void test_unpack(void **state)
{
	static const int32_t in[] = { 1, 2, 3, 4, 5, 6 },
			     columns[3][2] = { { 1, 4 }, { 2, 5 }, { 3, 6 } };
	const struct one_operator m = {
		.code = TFLITE_UNPACK,
		.tensors = { S32(2, { 2, 3 }), S32(1, { 2 }), S32(1, { 2 }), S32(1, { 2 }) },
		.tensor_count = 4,
		.inputs = { 0, -1 },
		.outputs = { 1, 2, 3, -1 },
		.options = 64,
		.fields = { 3, -1 },
		.field_count = 2,
	};
	int32_t out[3][2];

	run(&m, (const void *[]){ in }, (void *[]){ out[0], out[1], out[2] });
	assert_memory_equal(out, columns, sizeof(out));
}

/* Along dimension 3 of 5: [1, 2, 1, 1, 2] and [1, 2, 1, 2, 2]. */
static void test_concatenation_of_rank_5(void **state)
{
	static const int32_t a[] = { 1, 2, 3, 4 }, b[] = { 5, 6, 7, 8, 9, 10, 11, 12 },
			     want[] = { 1, 2, 5, 6, 7, 8, 3, 4, 9, 10, 11, 12 };
	const struct one_operator m = {
		.code = TFLITE_CONCATENATION,
		.tensors = { S32(5, { 1, 2, 1, 1, 2 }), S32(5, { 1, 2, 1, 2, 2 }),
			     S32(5, { 1, 2, 1, 3, 2 }) },
		.tensor_count = 3,
		.inputs = { 0, 1, -1 },
		.outputs = { 2, -1 },
		.options = 10,
		.fields = { -2 },
		.field_count = 1,
	};
	int32_t out[12];

	run(&m, (const void *[]){ a, b }, (void *[]){ out });
	assert_memory_equal(out, want, sizeof(want));
}

/* A tensor of the file without elements and without data is a constant. */
static void test_nothing(void **state)
{
	static const float in[] = { 3, 5 };
	struct writer *w = calloc(1, sizeof(*w));
	float out[2];

	assert_non_null(w);
	write_text(w, "CONCATENATION@10:0 f[2] f[0]? -> f[2]");
	run_written(w, 0, (const void *[]){ in }, (void *[]){ out }, 1);
	free(w);
	check_floats(out, in, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_unpack),
		cmocka_unit_test(test_concatenation_of_rank_5),
		cmocka_unit_test(test_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
