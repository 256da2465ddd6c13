// SPDX-License-Identifier: MIT
/* What a convolution becomes in NNAPI's terms. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <nnaccel.h>

#include "tests/unit/frontend/tflite/conv_model.h"

static void test_translates_a_convolution(void **state)
{
	struct writer *w = conv_model(0);
	struct record *r;
	int ret;

	r = record_of(w->bytes, w->size, &ret);
	free(w);
	assert_int_equal(ret, 0);
	assert_int_equal(r->operations, 2);
	assert_int_equal(r->types[0], NNA_OPERATION_CONV_2D);
	assert_int_equal(r->types[1], NNA_OPERATION_RESHAPE);
	/* input, filter, bias, padding, strides, activation, layout, dilations */
	assert_int_equal(r->input_counts[0], 10);
	assert_int_equal(r->operand_types[r->inputs[0][2]], NNA_OPERAND_TENSOR_INT32);
	assert_true(r->scales[r->inputs[0][2]] == 0.125f);
	assert_int_equal(r->values[r->inputs[0][3]], 1);
	assert_int_equal(r->values[r->inputs[0][4]], 2);
	assert_int_equal(r->values[r->inputs[0][6]], 3);
	assert_int_equal(r->operand_types[r->inputs[0][7]], NNA_OPERAND_BOOL);
	free(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_translates_a_convolution),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
