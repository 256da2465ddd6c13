// SPDX-License-Identifier: MIT
/* Copies along new dimensions, on the loopback, against values computed by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/frontend/tflite/one_operator.h"

static void test_broadcast_to(void **state)
{
	static const int32_t in[] = { 1, 2 }, dims[] = { 2, 2, 2 },
			     want[] = { 1, 1, 2, 2, 1, 1, 2, 2 };
	const struct one_operator m = {
		.code = TFLITE_BROADCAST_TO,
		.tensors = { S32(2, { 2, 1 }), S32(1, { 3 }, dims, sizeof(dims)),
			     S32(3, { 2, 2, 2 }) },
		.tensor_count = 3,
		.inputs = { 0, 1, -1 },
		.outputs = { 2, -1 },
	};
	int32_t out[8];

	run(&m, (const void *[]){ in }, (void *[]){ out });
	assert_memory_equal(out, want, sizeof(out));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_broadcast_to),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
