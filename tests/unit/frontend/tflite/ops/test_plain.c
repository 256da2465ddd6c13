// SPDX-License-Identifier: MIT
/* Operators without parameters, on the loopback, against values computed by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/frontend/tflite/one_operator.h"

static void test_cosine(void **state)
{
	check_unary(TFLITE_COS, (float[]){ 0, 1, -2, 3 },
		    (float[]){ 1, 0.540302306f, -0.416146837f, -0.989992497f });
}

static void test_gather_nd(void **state)
{
	static const float in[] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 };
	static const int32_t index[] = { 1, 2, 0, 1 };
	static const float points[] = { 10, 11, 2, 3 };
	const struct one_operator m = {
		.code = TFLITE_GATHER_ND,
		/* Rows (1, 2) and (0, 1) of [2, 3, 2]. */
		.tensors = { F32(3, { 2, 3, 2 }), S32(2, { 2, 2 }), F32(2, { 2, 2 }) },
		.tensor_count = 3,
		.inputs = { 0, 1, -1 },
		.outputs = { 2, -1 },
	};
	float out[4];

	run(&m, (const void *[]){ in, index }, (void *[]){ out });
	check_floats(out, points, 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cosine),
		cmocka_unit_test(test_gather_nd),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
