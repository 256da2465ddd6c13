// SPDX-License-Identifier: MIT
/*
 * Memory of clients: what says that it is ashmem. There is none on this machine's kernel, so what
 * is seen here is that other descriptors are not taken for it, and that Android's successor of it,
 * a memfd in its place, works.
 */
#include "hal-bridge/service/memory.h"

#include <errno.h>

#include "tests/unit/hal-bridge/service/fixture.h"

static int open_ashmem(struct nna_device *device, int fd, int64_t size, struct nnb_memory **out)
{
	const struct nnb_aidl_memory from = {
		.tag = NNB_AIDL_MEMORY_ASHMEM,
		.ashmem = {.fd = fd, .size = size},
	};
	struct nnb_aidl_call call = {.caller = &hal_me};

	return nnb_memory_open(device, &call, &from, out);
}

static void other_devices(void **state)
{
	static const char *const paths[] = {"/dev/null", "/dev/zero", "/dev/full"};
	struct nnb_memory *memory;

	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		int fd = open(paths[i], O_RDWR | O_CLOEXEC);

		assert_true(fd >= 0);
		assert_int_equal(open_ashmem(*state, fd, 16, &memory), HAL_INVALID);
		assert_null(memory);
		close(fd);
	}
}

static void memfd(void **state)
{
	struct nnb_memory *memory;
	char bytes[8] = "1234567", back[8];

	for (int sealed = 0; sealed < 2; sealed++) {
		int fd = hal_memfd(64, sealed);

		assert_int_equal(open_ashmem(*state, fd, 65, &memory), HAL_INVALID);
		assert_int_equal(open_ashmem(*state, fd, 0, &memory), HAL_INVALID);
		assert_int_equal(open_ashmem(*state, fd, 64, &memory), 0);
		assert_int_equal(nnb_memory_write(memory, 56, bytes, 8), 0);
		assert_int_equal(nnb_memory_write(memory, 57, bytes, 8), -EINVAL);
		assert_int_equal(nnb_memory_read(memory, 56, back, 8), 0);
		assert_string_equal(back, bytes);
		assert_int_equal(pread(fd, back, 8, 56), 8);
		assert_string_equal(back, bytes);
		nnb_memory_unref(memory);
		close(fd);
	}
}

static int open_device(void **state)
{
	struct nna_device *device;
	int ret = nna_device_open("loopback", NULL, &device);

	*state = device;
	return ret;
}

static int close_device(void **state)
{
	nna_device_close(*state);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(other_devices),
		cmocka_unit_test(memfd),
	};

	return cmocka_run_group_tests(tests, open_device, close_device);
}
