// SPDX-License-Identifier: MIT
/* Names of operations and operand types. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "nnaccel.h"

static void names_are_complete(void **state)
{
	for (uint32_t type = 0; type <= 105; type++)
		assert_non_null(nna_operation_name(type));
	assert_null(nna_operation_name(106));
	assert_string_equal(nna_operation_name(NNA_OPERATION_CONV_2D), "CONV_2D");
	assert_string_equal(nna_operation_name(NNA_OPERATION_UNPACK), "UNPACK");
	assert_string_equal(nna_operation_name(NNA_OPERATION_GATHER_ND), "GATHER_ND");
	assert_string_equal(nna_operand_type_name(NNA_OPERAND_TENSOR_INT64), "TENSOR_INT64");
	assert_null(nna_operand_type_name(40));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_are_complete),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
