// SPDX-License-Identifier: MIT
/* Objects in parcels: where one may lie, and that no two share bytes. */
#include "hal-bridge/binder/flat.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#define SIZE 128
#define NNB_FLAT_OBJECT 24 /* bytes of an object, as flat.c has them */

static void places(void **state)
{
	static const unsigned char zeros[SIZE];
	int fd = memfd_create("test", MFD_CLOEXEC);
	struct nnb_flat flat;

	assert_true(fd >= 0);
	nnb_flat_init(&flat);
	flat.lent = true;
	assert_int_equal(nnb_flat_place(&flat, 0, fd, NULL), -EINVAL); /* it has no bytes */
	assert_int_equal(nnb_flat_set(&flat, zeros, SIZE), 0);
	flat.lent = true;
	/* Outside, partly outside, and on no word. */
	assert_int_equal(nnb_flat_place(&flat, SIZE, fd, NULL), -EINVAL);
	assert_int_equal(nnb_flat_place(&flat, SIZE - NNB_FLAT_OBJECT + 4, fd, NULL), -EINVAL);
	assert_int_equal(nnb_flat_place(&flat, SIZE_MAX - 3, fd, NULL), -EINVAL);
	assert_int_equal(nnb_flat_place(&flat, 34, fd, NULL), -EINVAL);
	assert_int_equal(nnb_flat_place(&flat, 32, fd, NULL), 0);
	/* On the first one, within it, before it, and last behind it. */
	for (size_t at = 0; at < 32 + NNB_FLAT_OBJECT; at += 4)
		assert_int_equal(nnb_flat_place(&flat, at, fd, NULL), -EINVAL);
	assert_int_equal(flat.entry_count, 1);
	assert_int_equal(nnb_flat_place(&flat, 32 + NNB_FLAT_OBJECT, fd, NULL), 0);
	assert_int_equal(nnb_flat_place(&flat, SIZE - NNB_FLAT_OBJECT, fd, NULL), 0);
	assert_int_equal(flat.entry_count, 3);
	flat.entry_count = 0; /* all of them are one descriptor */
	nnb_flat_fini(&flat);
	assert_int_equal(close(fd), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(places),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
