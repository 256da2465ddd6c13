// SPDX-License-Identifier: MIT
/*
 * Memory of clients: what says that it is ashmem. There is none on this machine's kernel, so what
 * is seen here is that other descriptors are not taken for it, and that Android's successor of it,
 * a memfd in its place, works.
 */
#include "hal-bridge/service/memory.h"

#include <errno.h>
#include <sys/stat.h>

#include "tests/unit/hal-bridge/service/fixture.h"

static int open_memory(struct nnb_client *client, const struct nnb_aidl_memory *from, bool borrow,
		       struct nnb_memory **out)
{
	struct nnb_aidl_call call = {.caller = &hal_me};
	struct nnb_memory_range range;
	int ret = nnb_memory_find_range(&call, from, &range);

	*out = NULL;
	return ret ? ret : nnb_memory_open(client, &call, &range, borrow, out);
}

static int open_ashmem(struct nnb_client *client, int fd, int64_t size, struct nnb_memory **out)
{
	const struct nnb_aidl_memory from = {
		.tag = NNB_AIDL_MEMORY_ASHMEM,
		.ashmem = {.fd = fd, .size = size},
	};

	return open_memory(client, &from, false, out);
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

static unsigned int count_files(void)
{
	unsigned int count = 0;

	for (int fd = 0; fd < 1024; fd++)
		count += fcntl(fd, F_GETFD) >= 0;
	return count;
}

/*
 * One descriptor for each memory that is kept as a file, and none for one that is borrowed or
 * mapped, as sealed memory is that the device does not take: here, since it may not be written.
 */
static void descriptors(void **state)
{
	const unsigned int before = count_files();
	struct nnb_aidl_memory from;
	struct nnb_memory *memory;
	char bytes[8] = "1234567", back[8];

	for (int kind = 0; kind < 4; kind++) {
		const bool sealed = kind & 1, borrow = kind & 2;
		int fd = hal_memfd(64, sealed);

		hal_memory(&from, fd, 64);
		if (sealed)
			from.mappable_file.prot = PROT_READ;
		assert_int_equal(pwrite(fd, bytes, 8, 32), 8);
		assert_int_equal(open_memory(*state, &from, borrow, &memory), 0);
		assert_null(memory->buffer);
		assert_int_equal(count_files() - before, 1 + (!sealed && !borrow));
		assert_int_equal(!!memory->map, sealed && !borrow);
		if (!borrow)
			close(fd);
		assert_int_equal(nnb_memory_write(memory, 32, bytes, 8), sealed ? -EACCES : 0);
		assert_int_equal(nnb_memory_read(memory, 32, back, 8), 0);
		assert_string_equal(back, bytes);
		nnb_memory_unref(memory);
		if (borrow)
			close(fd);
		assert_int_equal(count_files(), before);
	}
}

/* What can be cut is looked at before each write, borrowed or kept; what is sealed stays. */
static void cut(void **state)
{
	struct nnb_aidl_memory from;
	struct nnb_memory *memory;
	char bytes[8] = {0};
	struct stat st;

	for (int borrow = 0; borrow < 2; borrow++) {
		int fd = hal_memfd(64, false);

		hal_memory(&from, fd, 64);
		assert_int_equal(open_memory(*state, &from, borrow, &memory), 0);
		assert_false(memory->fixed);
		assert_int_equal(ftruncate(fd, 36), 0);
		assert_int_equal(nnb_memory_write(memory, 32, bytes, 8), -ENODATA);
		assert_int_equal(nnb_memory_write(memory, 28, bytes, 8), 0);
		assert_int_equal(fstat(fd, &st), 0);
		assert_int_equal(st.st_size, 36);
		nnb_memory_unref(memory);
		close(fd);
	}
}

/* A hole in huge pages may not be filled again, so they are read and written as a file. */
static void huge_pages(void **state)
{
	struct nnb_aidl_memory from;
	struct nnb_memory *memory;
	int fd = memfd_create("huge", MFD_CLOEXEC | MFD_ALLOW_SEALING | MFD_HUGETLB);
	struct stat st;

	if (fd < 0)
		skip();
	assert_int_equal(fstat(fd, &st), 0);
	assert_int_equal(ftruncate(fd, st.st_blksize), 0);
	assert_int_equal(fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK), 0);
	hal_memory(&from, fd, (size_t)st.st_blksize);
	assert_int_equal(open_memory(*state, &from, false, &memory), 0);
	assert_false(memory->fixed);
	assert_null(memory->buffer);
	assert_null(memory->map);
	nnb_memory_unref(memory);
	close(fd);
}

static int open_client(void **state)
{
	return nnb_client_get(hal_service(NNB_AIDL_VERSION, NULL)->devices, &hal_me,
			      (struct nnb_client **)state);
}

/* All memory has been discharged. */
static int close_client(void **state)
{
	struct nnb_client *client = *state;
	struct nnb_service *service = client->service;
	const uint64_t bytes = client->user->used.bytes;

	nnb_client_put(client);
	nnb_service_destroy(service);
	return bytes ? -1 : 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(other_devices),
		cmocka_unit_test(memfd),
		cmocka_unit_test(descriptors),
		cmocka_unit_test(cut),
		cmocka_unit_test(huge_pages),
	};

	return cmocka_run_group_tests(tests, open_client, close_client);
}
