// SPDX-License-Identifier: MIT
/* Devices that cannot be opened, and whose file the caller is shown. */
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

static int refuse(void *account, int fd)
{
	++*(int *)account;
	return -EPERM;
}

/* Only a device node's file is shown to the caller; the loopback has none. */
static void test_opened(void **state)
{
	int calls = 0;
	const struct nna_device_options options = { .threads = 1, .account = &calls,
						    .opened = refuse };
	struct nna_device *device;

	assert_int_equal(nna_device_open("loopback", &options, &device), 0);
	assert_int_equal(calls, 0);
	nna_device_close(device);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_no_device),
		cmocka_unit_test(test_opened),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
