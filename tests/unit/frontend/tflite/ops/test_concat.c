// SPDX-License-Identifier: MIT
/* Splitting a tensor, on the loopback, against values computed by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_unpack),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
