// SPDX-License-Identifier: MIT
/* DETECTION_POSTPROCESSING: its rules. */
#include "tests/unit/libnnaccel/ops/box.h"

#include <math.h>

static const struct model detection = {
	NNA_OPERATION_DETECTION_POSTPROCESSING, 14, 4,
	{ F32(2, 6, 3), F32(2, 6, 7), F32(6, 4), REAL(10), REAL(10), REAL(5), REAL(5), BOOLEAN(1),
	  INT(3), INT(1), INT(2), REAL(0), REAL(0.5), BOOLEAN(0) },
	{ F32(2, 3), F32(2, 3, 4), S32(2, 3), S32(2) },
};

static const struct model detection_fast = {
	NNA_OPERATION_DETECTION_POSTPROCESSING, 14, 4,
	{ F32(2, 6, 3), F32(2, 6, 4), F32(6, 4), REAL(10), REAL(10), REAL(5), REAL(5), BOOLEAN(0),
	  INT(3), INT(2), INT(1), REAL(0), REAL(0.5), BOOLEAN(1) },
	{ F32(2, 6), F32(2, 6, 4), S32(2, 6), S32(2) },
};

static const struct replaced broken[] = {
	{ &detection, false, 0, QUANT8(2, 6, 3) },
	{ &detection, false, 0, F32(2, 6, 1) },
	{ &detection, false, 0, F32(12, 3) },
	{ &detection, false, 1, F32(2, 6, 3) },
	{ &detection, false, 1, F32(2, 5, 7) },
	{ &detection, false, 1, TENSOR(NNA_OPERAND_TENSOR_FLOAT16, 2, 6, 7) },
	{ &detection, false, 2, F32(5, 4) },
	{ &detection, false, 2, F32(6, 3) },
	{ &detection, false, 3, REAL(0) },
	{ &detection, false, 4, REAL(-1) },
	{ &detection, false, 5, REAL(NAN) },
	{ &detection, false, 6, INT(1) },
	{ &detection, false, 7, INT(1) },
	{ &detection, false, 8, INT(0) },
	{ &detection, false, 10, INT(0) },
	{ &detection, false, 11, REAL(-0.5) },
	{ &detection, false, 12, REAL(-0.5) },
	{ &detection, false, 13, INT(0) },
	{ &detection, true, 0, F32(2, 4) },
	{ &detection, true, 1, S32(2, 3, 4) },
	{ &detection, true, 2, F32(2, 3) },
	{ &detection, true, 3, S32(3) },
	{ &detection_fast, false, 9, INT(0) },
	{ &detection_fast, true, 0, F32(2, 3) },
};

static void test_good(void **state)
{
	box_check_good(&detection);
	box_check_good(&detection_fast);
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
