// SPDX-License-Identifier: MIT
/* Devices that cannot be opened. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "nnaccel.h"

static void test_no_device(void **state)
{
	struct nna_device *device;

	assert_int_equal(nna_device_open("/dev/accel/none", NULL, &device), -ENOENT);
	assert_true(nna_device_open("/dev/null", NULL, &device) < 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_no_device),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
