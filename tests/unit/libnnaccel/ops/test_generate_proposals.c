// SPDX-License-Identifier: MIT
/* GENERATE_PROPOSALS: its rules. */
#include "tests/unit/libnnaccel/ops/box.h"

static const struct model proposals = {
	NNA_OPERATION_GENERATE_PROPOSALS, 11, 3,
	{ F32(2, 3, 4, 5), F32(2, 3, 4, 20), F32(5, 4), F32(2, 2), REAL(4), REAL(4), INT(-1),
	  INT(-1), REAL(0.3), REAL(1), BOOLEAN(0) },
	{ F32(0), F32(0, 4), S32(0) },
};

static const struct model proposals_8 = {
	NNA_OPERATION_GENERATE_PROPOSALS, 11, 3,
	{ QUANT8(2, 5, 3, 4), QUANT8(2, 20, 3, 4), BOXES16(NNA_OPERAND_TENSOR_QUANT16_SYMM, 5, 4),
	  BOXES16(NNA_OPERAND_TENSOR_QUANT16_ASYMM, 2, 2), REAL(4), REAL(4), INT(10), INT(5),
	  REAL(0.3), REAL(1), BOOLEAN(1) },
	{ QUANT8(0), BOXES16(NNA_OPERAND_TENSOR_QUANT16_ASYMM, 0, 4), S32(0) },
};

static const struct replaced broken[] = {
	{ &proposals, false, 0, S32(2, 3, 4, 5) },
	{ &proposals, false, 0, F32(2, 3, 20) },
	{ &proposals, false, 1, F32(2, 3, 4, 5) },
	{ &proposals, false, 1, F32(2, 4, 3, 20) },
	{ &proposals, false, 2, F32(4, 4) },
	{ &proposals, false, 2, F32(5, 5) },
	{ &proposals, false, 2, S32(5, 4) },
	{ &proposals, false, 3, F32(1, 2) },
	{ &proposals, false, 3, F32(2, 3) },
	{ &proposals, false, 4, INT(4) },
	{ &proposals, false, 5, INT(4) },
	{ &proposals, false, 6, REAL(4) },
	{ &proposals, false, 7, REAL(4) },
	{ &proposals, false, 8, INT(1) },
	{ &proposals, false, 9, INT(1) },
	{ &proposals, false, 10, INT(1) },
	{ &proposals, true, 0, S32(0) },
	{ &proposals, true, 1, F32(0, 5) },
	{ &proposals, true, 2, F32(0) },
	{ &proposals_8, false, 1,
	  QUANTISED(NNA_OPERAND_TENSOR_QUANT8_ASYMM_SIGNED, 1, 0, 2, 20, 3, 4) },
	{ &proposals_8, false, 2, QUANTISED(NNA_OPERAND_TENSOR_QUANT16_SYMM, 0.25f, 0, 5, 4) },
	{ &proposals_8, false, 2, BOXES16(NNA_OPERAND_TENSOR_QUANT16_ASYMM, 5, 4) },
	{ &proposals_8, false, 3, QUANTISED(NNA_OPERAND_TENSOR_QUANT16_ASYMM, 1, 0, 2, 2) },
	{ &proposals_8, true, 0, QUANTISED(NNA_OPERAND_TENSOR_QUANT8_ASYMM, 0.5f, 1, 0) },
};

static void test_good(void **state)
{
	box_check_good(&proposals);
	box_check_good(&proposals_8);
}

static void test_broken(void **state)
{
	for (size_t i = 0; i < sizeof(broken) / sizeof(broken[0]); i++)
		box_check_replaced(&broken[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_good),
		cmocka_unit_test(test_broken),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
