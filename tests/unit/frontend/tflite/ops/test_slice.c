// SPDX-License-Identifier: MIT
/* Forms of STRIDED_SLICE that NNAPI does not have. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/frontend/tflite/one_operator.h"

static const int32_t in[] = { 0, 1, 2, 10, 11, 12, 20, 21, 22 };

/* A slice of [3, 3]; @masks: begin, end, ellipsis, new axis, shrink, whether ends are offsets. */
static void check_slice(const int32_t *begin, const int32_t *end, const int32_t *step,
			uint32_t count, const int32_t *masks, uint32_t rank, const int32_t *dims,
			const int32_t *want)
{
	struct one_operator m = {
		.code = TFLITE_STRIDED_SLICE,
		.tensors = { S32(2, { 3, 3 }), S32(1, { (int32_t)count }, begin, 4 * count),
			     S32(1, { (int32_t)count }, end, 4 * count),
			     S32(1, { (int32_t)count }, step, 4 * count), S32(rank, { 0 }) },
		.tensor_count = 5,
		.inputs = { 0, 1, 2, 3, -1 },
		.outputs = { 4, -1 },
		.options = 32,
		.field_count = 6,
	};
	int32_t out[9], elements = 1;

	memcpy(m.fields, masks, 6 * sizeof(*masks));
	for (uint32_t i = 0; i < rank; i++) {
		m.tensors[4].dims[i] = dims[i];
		elements *= dims[i];
	}
	run(&m, (const void *[]){ in }, (void *[]){ out });
	assert_memory_equal(out, want, (size_t)elements * 4);
}

#define LIST(...) (const int32_t[]){ __VA_ARGS__ }

static void test_strided_slice(void **state)
{
	/* x[-1]: the end, 0, says nothing of a dimension that shrinks */
	check_slice(LIST(-1), LIST(0), LIST(1), 1, LIST(0, 0, 0, 0, 1, 0), 1, LIST(3),
		    LIST(20, 21, 22));
	/* x[..., -1] */
	check_slice(LIST(0, -1), LIST(0, 0), LIST(1, 1), 2, LIST(0, 0, 1, 0, 2, 0), 1, LIST(3),
		    LIST(2, 12, 22));
	/* x[:, new, 1:] */
	check_slice(LIST(0, 0, 1), LIST(0, 0, 0), LIST(1, 1, 1), 3, LIST(1, 5, 0, 2, 0, 0), 3,
		    LIST(3, 1, 2), LIST(1, 2, 11, 12, 21, 22));
	/* x[::-1, ::-2] */
	check_slice(LIST(0, 0), LIST(0, 0), LIST(-1, -2), 2, LIST(3, 3, 0, 0, 0, 0), 2, LIST(3, 2),
		    LIST(22, 20, 12, 10, 2, 0));
	/* x[1, 1] */
	check_slice(LIST(1, 1), LIST(2, 2), LIST(1, 1), 2, LIST(0, 0, 0, 0, 3, 0), 0, LIST(0),
		    LIST(11));
	/* x[:2, 1:3]: ends count from where the slice begins, which a mask or a sign may say */
	check_slice(LIST(1, -2), LIST(2, 2), LIST(1, 1), 2, LIST(1, 0, 0, 0, 0, 1), 2, LIST(2, 2),
		    LIST(1, 2, 11, 12));
	/* x[0], x[..., -1] by a begin mask and the sign of the step, not by the begins */
	check_slice(LIST(2), LIST(3), LIST(1), 1, LIST(1, 0, 0, 0, 1, 0), 1, LIST(3),
		    LIST(0, 1, 2));
	check_slice(LIST(0, 0), LIST(3, 3), LIST(1, -1), 2, LIST(2, 0, 0, 0, 2, 0), 1, LIST(3),
		    LIST(2, 12, 22));
	/* x[1:, :2]: an end mask counts more than an offset */
	check_slice(LIST(1, 0), LIST(1, 2), LIST(1, 1), 2, LIST(0, 1, 0, 0, 0, 1), 2, LIST(2, 2),
		    LIST(10, 11, 20, 21));
}

/* The begin is an input of the model; @last is the size of columns, -1 for "to the end". */
static void check_placed(uint8_t type, int32_t last, const void *from, const void *want)
{
	static const int32_t begin[] = { 1, 0 };
	const int32_t size[] = { 2, last };
	const struct one_operator m = {
		.code = TFLITE_SLICE,
		.tensors = { { type, 2, { 3, 3 } }, S32(1, { 2 }), S32(1, { 2 }, size, 8),
			     { type, 2, { 2, 3 } } },
		.tensor_count = 4,
		.inputs = { 0, 1, 2, -1 },
		.outputs = { 3, -1 },
	};
	int32_t out[6];

	run(&m, (const void *[]){ from, begin }, (void *[]){ out });
	assert_memory_equal(out, want, type == TFLITE_INT32 ? 24 : 6);
}

static void test_slice_where_the_data_says(void **state)
{
	static const int8_t bytes[] = { 0, 1, 2, 10, 11, 12, 20, 21, 22 };

	check_placed(TFLITE_INT32, 3, in, in + 3);
	check_placed(TFLITE_INT32, -1, in, in + 3);
	check_placed(TFLITE_INT8, 3, bytes, bytes + 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_strided_slice),
		cmocka_unit_test(test_slice_where_the_data_says),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
