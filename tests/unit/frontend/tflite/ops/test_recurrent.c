// SPDX-License-Identifier: MIT
/* The state of a recurrent layer, on the loopback, against values computed by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/frontend/tflite/one_operator.h"

/* A variable tensor: RNN h' = relu(x * 1 + h * 1 + 0), so the output is the sum over all runs. */
static void test_variable(void **state)
{
	static const float one = 1, zero = 0, in[] = { 2.5f };
	const struct one_operator m = {
		.code = TFLITE_RNN,
		.tensors = { F32(2, { 1, 1 }), F32(2, { 1, 1 }, &one, 4), F32(2, { 1, 1 }, &one, 4),
			     F32(1, { 1 }, &zero, 4), F32(2, { 1, 1 }, .variable = true),
			     F32(2, { 1, 1 }) },
		.tensor_count = 6,
		.inputs = { 0, 1, 2, 3, 4, -1 },
		.outputs = { 5, -1 },
		.options = 7,
		.fields = { TFLITE_ACT_RELU },
		.field_count = 1,
	};
	float out[1];

	run_times(&m, (const void *[]){ in }, (void *[]){ out }, 3);
	check_floats(out, (float[]){ 7.5f }, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_variable),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
