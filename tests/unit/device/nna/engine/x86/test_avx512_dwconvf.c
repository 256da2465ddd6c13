// SPDX-License-Identifier: MIT
/*
 * DWCONV on floats with AVX-512: the sums are AVX2's to the bit. Operands that are not dense are in
 * ref/.
 */
#include "tests/unit/device/nna/engine/vector/conv.h"

static void test_sums(void **state)
{
	if (nnadev_engine_isa_detect() < NNADEV_ENGINE_AVX512)
		skip();
	compare_float_convs(true, NNADEV_ENGINE_AVX512, NNADEV_ENGINE_AVX2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sums),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
