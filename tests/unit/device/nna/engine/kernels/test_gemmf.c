// SPDX-License-Identifier: MIT
/* CONV on floats with vectors. MATMUL and operands that are not dense are in ref/. */
#include "tests/unit/device/nna/engine/vector/conv.h"

static void test_sums(void **state)
{
	compare_convs(false, (const uint8_t[]){ NNAHW_TYPE_F16, NNAHW_TYPE_F32 });
}

static void test_bits(void **state)
{
	compare_float_convs(false);
}

static void test_whole_numbers(void **state)
{
	compare_whole_convs(false);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sums),
		cmocka_unit_test(test_bits),
		cmocka_unit_test(test_whole_numbers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
