// SPDX-License-Identifier: MIT
/* Files behind memory: which ones can shrink; reading and writing them. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "hal-bridge/common/backing.h"

static bool is_fixed(int fd)
{
	const int seals = fcntl(fd, F_GET_SEALS);
	struct stat st;

	assert_int_equal(fstat(fd, &st), 0);
	return nnb_backing_is_fixed(fd, seals, &st, true);
}

static void fixed(void **state)
{
	int fd = memfd_create("backing", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	char path[] = "/tmp/backing.XXXXXX";
	int file = mkstemp(path);

	assert_true(fd >= 0 && file >= 0);
	unlink(path);
	assert_int_equal(ftruncate(fd, 4096), 0);
	assert_false(is_fixed(file));
	assert_false(is_fixed(fd));
	assert_int_equal(fcntl(fd, F_ADD_SEALS, F_SEAL_GROW), 0);
	assert_false(is_fixed(fd));
	assert_int_equal(fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK), 0);
	assert_true(is_fixed(fd));
	close(file);
	close(fd);
}

static void read_and_write(void **state)
{
	int fd = memfd_create("backing", MFD_CLOEXEC), full = open("/dev/full", O_RDWR | O_CLOEXEC);
	char text[8] = "";
	struct stat st;

	assert_int_equal(ftruncate(fd, 8), 0);
	assert_int_equal(nnb_backing_replace(fd, 2, "abcdef", 6), 0);
	assert_int_equal(nnb_backing_read(fd, 1, text, 7), 0);
	assert_memory_equal(text, "\0abcdef", 7);
	assert_int_equal(nnb_backing_read(fd, 8, text, 0), 0);
	assert_int_equal(nnb_backing_read(fd, 3, text, 6), -ENODATA);
	assert_int_equal(nnb_backing_replace(fd, 3, text, 6), -ENODATA);
	assert_int_equal(nnb_backing_replace(fd, 9, text, 0), -ENODATA);
	assert_int_equal(fstat(fd, &st), 0);
	assert_int_equal(st.st_size, 8);
	assert_int_equal(nnb_backing_write(fd, 3, text, 6), 0);
	assert_int_equal(fstat(fd, &st), 0);
	assert_int_equal(st.st_size, 9);
	assert_int_equal(nnb_backing_read(-1, 0, text, 1), -EBADF);
	assert_int_equal(nnb_backing_write(full, 0, text, 1), -ENOSPC);
	assert_int_equal(nnb_backing_replace(-1, 0, text, 1), -EBADF);
	close(full);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fixed),
		cmocka_unit_test(read_and_write),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
