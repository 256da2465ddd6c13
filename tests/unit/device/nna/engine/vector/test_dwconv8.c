// SPDX-License-Identifier: MIT
/* DWCONV on 8-bit types with vectors. MATMUL and operands that are not dense are in ref/. */
#define LEAST_VECTOR FIRST_NATIVE
#include "tests/unit/device/nna/engine/vector/conv.h"

static void test_sums(void **state)
{
	compare_convs(true, (const uint8_t[]){ NNAHW_TYPE_U8, NNAHW_TYPE_S8 });
}

static void test_roundings(void **state)
{
	compare_all_roundings(true);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sums),
		cmocka_unit_test(test_roundings),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
