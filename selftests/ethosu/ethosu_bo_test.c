// SPDX-License-Identifier: MIT
/* Buffers: sizes, memory, mappings, handles. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <xf86drm.h>

#include "selftests/ksft.h"
#include "selftests/ethosu/ethosu_test.h"

#define LARGE (16u << 20)

static int create(int fd, uint64_t size, uint32_t flags, struct ethosu_bo_create *args)
{
	*args = (struct ethosu_bo_create){ .size = size, .flags = flags };
	return xioctl(fd, ETHOSU_BO_CREATE, args);
}

static int offset_of(int fd, uint32_t handle, uint32_t pad, uint64_t *offset)
{
	struct ethosu_bo_offset args = { .handle = handle, .pad = pad };
	int ret = xioctl(fd, ETHOSU_BO_OFFSET, &args);

	*offset = args.offset;
	return ret;
}

TEST(sizes_are_whole_pages)
{
	struct ethosu_bo_create args;
	int fd = npu_open();

	EQ(create(fd, 1, 0, &args), 0);
	EQ(args.size, getpagesize());
	CHECK(args.handle);
	EQ(create(fd, (uint64_t)getpagesize() + 1, 0, &args), 0);
	EQ(args.size, 2 * getpagesize());
}

TEST(refuses_sizes_and_flags)
{
	struct ethosu_bo_create args;
	unsigned long taint = npu_taint();
	int fd = npu_open();

	EQ(create(fd, 0, 0, &args), -EINVAL);
	EQ(create(fd, 4096, 2, &args), -EINVAL);
	CHECK(create(fd, 1ull << 40, 0, &args) < 0);
	EQ(npu_taint(), taint);
}

/* More than there can be: rounded up to whole pages the size is 0. */
TEST(refuses_a_size_that_wraps)
{
	struct ethosu_bo_create args;

	CHECK(create(npu_open(), ~0ull, 0, &args) < 0);
}

/* Buffers are contiguous: one of a network's size exists, and the NPU reaches its end. */
TEST(large_buffers)
{
	struct npu_script s = { .count = 0 };
	struct ethosu_submit_job job;
	struct npu npu;
	uint32_t stream, large;
	uint8_t *map;

	npu_init(&npu);
	large = npu_bo(&npu, LARGE);
	map = npu_map(&npu, large, LARGE);
	map[LARGE - 1] = 0x77;
	npu_copy_settings(&s, 16);
	npu_long(&s, ETHOSU_SET_DMA_SOURCE, LARGE - 16);
	npu_op(&s, ETHOSU_OP_DMA_START, 0);
	npu_op(&s, ETHOSU_OP_STOP, 0);
	EQ(npu_stream(&npu, &s, &stream), 0);
	job = npu_job(&npu, stream);
	job.regions[0] = large;
	EQ(npu_submit(&npu, &job), 0);
	EQ(npu_bo_wait(&npu, npu.out, LONG_WAIT), 0);
	EQ(npu.out_map[15], 0x77);
}

TEST(begins_as_zeros)
{
	struct npu npu;
	uint8_t *map;

	npu_init(&npu);
	for (int i = 0; i < 8; i++) {
		uint32_t bo = npu_bo(&npu, 65536);

		map = npu_map(&npu, bo, 65536);
		for (int k = 0; k < 65536; k++)
			EQ(map[k], 0);
		memset(map, 0xff, 65536);
		munmap(map, 65536);
		EQ(drmCloseBufferHandle(npu.fd, bo), 0);
	}
}

TEST(without_a_mapping)
{
	struct ethosu_bo_create args;
	uint64_t offset;
	int fd = npu_open();

	EQ(create(fd, 4096, 1, &args), 0);
	EQ(offset_of(fd, args.handle, 0, &offset), 0);
	CHECK(mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, (off_t)offset) == MAP_FAILED);
	EQ(errno, EINVAL);
}

/* Neither directly nor as a dma-buf: what has been validated stays. */
TEST(streams_are_not_mapped)
{
	struct npu_script s = npu_copy(16);
	struct npu npu;
	uint32_t stream;
	uint64_t offset;
	int buf;

	npu_init(&npu);
	EQ(npu_stream(&npu, &s, &stream), 0);
	EQ(offset_of(npu.fd, stream, 0, &offset), 0);
	CHECK(mmap(NULL, 4096, PROT_WRITE, MAP_SHARED, npu.fd, (off_t)offset) == MAP_FAILED);
	EQ(drmPrimeHandleToFD(npu.fd, stream, DRM_CLOEXEC | DRM_RDWR, &buf), 0);
	CHECK(mmap(NULL, 4096, PROT_WRITE, MAP_SHARED, buf, 0) == MAP_FAILED);
}

TEST(maps_no_more_than_it_has)
{
	struct npu npu;
	uint64_t offset;

	npu_init(&npu);
	EQ(offset_of(npu.fd, npu.in, 0, &offset), 0);
	CHECK(mmap(NULL, NPU_SIZE + 4096, PROT_READ, MAP_SHARED, npu.fd, (off_t)offset) ==
	      MAP_FAILED);
}

TEST(handles_are_the_files_own)
{
	struct npu npu, other;
	uint64_t offset;

	npu_init(&npu);
	npu_init_beside(&other);
	EQ(offset_of(npu.fd, npu.in, 1, &offset), -EINVAL);
	EQ(offset_of(npu.fd, 1000, 0, &offset), -ENOENT);
	EQ(drmCloseBufferHandle(other.fd, other.in), 0);
	EQ(offset_of(other.fd, other.in, 0, &offset), -ENOENT);
}

TEST(waits_for_nothing)
{
	struct npu npu;
	struct ethosu_bo_wait args;

	npu_init(&npu);
	EQ(npu_bo_wait(&npu, npu.in, 0), 0);
	args = (struct ethosu_bo_wait){ .handle = npu.in, .pad = 1 };
	EQ(xioctl(npu.fd, ETHOSU_BO_WAIT, &args), -EINVAL);
	args = (struct ethosu_bo_wait){ .handle = 1000 };
	EQ(xioctl(npu.fd, ETHOSU_BO_WAIT, &args), -EINVAL);
}

/* A mapping outlives its handle and its file. */
TEST(mapping_outlives_the_file)
{
	struct npu npu;

	npu_init(&npu);
	EQ(drmCloseBufferHandle(npu.fd, npu.in), 0);
	close(npu.fd);
	EQ(npu.in_map[NPU_SIZE - 1], NPU_INPUT);
	npu.in_map[0] = 1;
}
