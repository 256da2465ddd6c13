// SPDX-License-Identifier: MIT
/* Buffer objects: creation, mapping, labels. */

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "ksft.h"
#include "nna_test.h"

static int create(int fd, struct drm_nna_bo_create args)
{
	return xioctl(fd, DRM_IOCTL_NNA_BO_CREATE, &args);
}

TEST(create_rounds_up)
{
	struct drm_nna_bo_create args = { .size = cpu_page() + 904 };
	int fd = nna_open();

	EQ(xioctl(fd, DRM_IOCTL_NNA_BO_CREATE, &args), 0);
	EQ(args.size, 2 * cpu_page());
	CHECK(args.handle);
}

TEST(create_size_zero)
{
	EQ(create(nna_open(), (struct drm_nna_bo_create){ .size = 0 }), -EINVAL);
}

TEST(create_size_over_limit)
{
	int fd = nna_open();

	EQ(create(fd, (struct drm_nna_bo_create){ .size = hw_info(fd).max_bo_size + 1 }), -EINVAL);
	EQ(create(fd, (struct drm_nna_bo_create){ .size = UINT64_MAX }), -EINVAL);
}

TEST(create_bad_flags)
{
	EQ(create(nna_open(), (struct drm_nna_bo_create){ .size = 4096, .flags = 1u << 31 }),
	   -EINVAL);
}

TEST(create_pad)
{
	EQ(create(nna_open(), (struct drm_nna_bo_create){ .size = 4096, .pad = 1 }), -EINVAL);
}

TEST(create_handle_not_zero)
{
	EQ(create(nna_open(), (struct drm_nna_bo_create){ .size = 4096, .handle = 1 }), -EINVAL);
}

TEST(create_unknown_vm)
{
	EQ(create(nna_open(), (struct drm_nna_bo_create){ .size = 4096, .vm_id = 5 }), -ENOENT);
}

TEST(memory_is_zero_and_keeps)
{
	int fd = nna_open();
	uint32_t bo = bo_create(fd, 1 << 20, 0, 0);
	uint8_t *p = bo_map(fd, bo, 1 << 20), *q;

	for (int i = 0; i < 1 << 20; i++)
		EQ(p[i], 0);
	memset(p, 0x5a, 1 << 20);
	q = bo_map(fd, bo, 1 << 20);
	EQ(memcmp(p, q, 1 << 20), 0);
}

TEST(mapping_outlives_handle_and_fd)
{
	int fd = nna_open();
	uint32_t bo = bo_create(fd, 65536, 0, 0);
	uint8_t *p = bo_map(fd, bo, 65536);

	bo_close(fd, bo);
	close(fd);
	memset(p, 1, 65536);
	EQ(p[65535], 1);
}

TEST(mmap_offset_pad)
{
	int fd = nna_open();
	struct drm_nna_bo_mmap_offset args = { .handle = bo_create(fd, 4096, 0, 0), .pad = 1 };

	EQ(xioctl(fd, DRM_IOCTL_NNA_BO_MMAP_OFFSET, &args), -EINVAL);
}

TEST(mmap_offset_unknown)
{
	struct drm_nna_bo_mmap_offset args = { .handle = 9 };

	EQ(xioctl(nna_open(), DRM_IOCTL_NNA_BO_MMAP_OFFSET, &args), -ENOENT);
}

TEST(no_mmap)
{
	int fd = nna_open();
	struct drm_nna_bo_mmap_offset args = { .handle = bo_create(fd, 4096, 0,
								   DRM_NNA_BO_NO_MMAP) };

	EQ(xioctl(fd, DRM_IOCTL_NNA_BO_MMAP_OFFSET, &args), -EPERM);
}

TEST(mmap_beyond_the_object)
{
	int fd = nna_open();
	struct drm_nna_bo_mmap_offset args = { .handle = bo_create(fd, 4096, 0, 0) };

	EQ(xioctl(fd, DRM_IOCTL_NNA_BO_MMAP_OFFSET, &args), 0);
	CHECK(mmap(NULL, 2 * cpu_page(), PROT_READ, MAP_SHARED, fd, (off_t)args.offset) ==
	      MAP_FAILED);
}

TEST(mmap_of_another_file)
{
	int fd = nna_open(), other = nna_open();
	struct drm_nna_bo_mmap_offset args = { .handle = bo_create(fd, 4096, 0, 0) };

	EQ(xioctl(fd, DRM_IOCTL_NNA_BO_MMAP_OFFSET, &args), 0);
	CHECK(mmap(NULL, 4096, PROT_READ, MAP_SHARED, other, (off_t)args.offset) == MAP_FAILED);
	EQ(errno, EACCES);
}

static int set_label(int fd, uint32_t bo, const char *label, uint32_t pad)
{
	struct drm_nna_bo_set_label args = { .handle = bo, .label = (uintptr_t)label, .pad = pad };

	return xioctl(fd, DRM_IOCTL_NNA_BO_SET_LABEL, &args);
}

TEST(label)
{
	int fd = nna_open();
	uint32_t bo = bo_create(fd, 4096, 0, 0);
	char text[200];

	EQ(set_label(fd, bo, "weights", 0), 0);
	EQ(set_label(fd, bo, "", 0), 0);
	EQ(set_label(fd, bo, NULL, 0), 0);
	memset(text, 'x', sizeof(text));
	text[hw_info(fd).max_label - 1] = 0;
	EQ(set_label(fd, bo, text, 0), 0);
}

TEST(label_too_long)
{
	int fd = nna_open();
	char text[200];

	memset(text, 'x', sizeof(text));
	text[hw_info(fd).max_label] = 0;
	EQ(set_label(fd, bo_create(fd, 4096, 0, 0), text, 0), -E2BIG);
}

TEST(label_bad_pointer)
{
	int fd = nna_open();

	EQ(set_label(fd, bo_create(fd, 4096, 0, 0), (const char *)8, 0), -EFAULT);
}

TEST(label_pad)
{
	int fd = nna_open();

	EQ(set_label(fd, bo_create(fd, 4096, 0, 0), "a", 1), -EINVAL);
}

TEST(label_unknown)
{
	EQ(set_label(nna_open(), 9, "a", 0), -ENOENT);
}

static int bo_sync(int fd, struct drm_nna_bo_sync_op op)
{
	struct drm_nna_bo_sync args = { .ops = DRM_NNA_OBJ_ARRAY(1, &op) };

	return xioctl(fd, DRM_IOCTL_NNA_BO_SYNC, &args);
}

TEST(sync_both_ways)
{
	int fd = nna_open();
	uint32_t bo = bo_create(fd, 65536, 0, DRM_NNA_BO_CACHED);

	EQ(bo_sync(fd, (struct drm_nna_bo_sync_op){ .handle = bo, .size = 65536 }), 0);
	EQ(bo_sync(fd, (struct drm_nna_bo_sync_op){
		.handle = bo, .type = DRM_NNA_BO_SYNC_TO_CPU, .offset = 100, .size = 5000 }), 0);
}

TEST(sync_bad_type)
{
	int fd = nna_open();
	uint32_t bo = bo_create(fd, 65536, 0, 0);

	EQ(bo_sync(fd, (struct drm_nna_bo_sync_op){ .handle = bo, .type = 2, .size = 4096 }),
	   -EINVAL);
}

TEST(sync_out_of_range)
{
	int fd = nna_open();
	uint32_t bo = bo_create(fd, 65536, 0, 0);

	EQ(bo_sync(fd, (struct drm_nna_bo_sync_op){ .handle = bo, .offset = 65536, .size = 1 }),
	   -EINVAL);
	EQ(bo_sync(fd,
		   (struct drm_nna_bo_sync_op){ .handle = bo, .offset = UINT64_MAX, .size = 2 }),
	   -EINVAL);
}

TEST(sync_unknown)
{
	EQ(bo_sync(nna_open(), (struct drm_nna_bo_sync_op){ .handle = 3, .size = 1 }), -ENOENT);
}

TEST(sync_too_many)
{
	int fd = nna_open();
	struct drm_nna_bo_sync_op op = { 0 };
	struct drm_nna_bo_sync args = {
		.ops = DRM_NNA_OBJ_ARRAY(hw_info(fd).max_bo_sync_ops + 1, &op),
	};

	EQ(xioctl(fd, DRM_IOCTL_NNA_BO_SYNC, &args), -E2BIG);
}

/* Calls that are valid but for one value, and their errors. */
TEST(mmap_offset_not_zero)
{
	int fd = nna_open();
	struct drm_nna_bo_mmap_offset args = { .handle = bo_create(fd, 4096, 0, 0),
					       .offset = 4096 };

	EQ(xioctl(fd, DRM_IOCTL_NNA_BO_MMAP_OFFSET, &args), -EINVAL);
}

TEST(sync_bad_pointer)
{
	struct drm_nna_bo_sync args = {
		.ops = { .stride = sizeof(struct drm_nna_bo_sync_op), .count = 1, .array = 8 }
	};

	EQ(xioctl(nna_open(), DRM_IOCTL_NNA_BO_SYNC, &args), -EFAULT);
}

TEST(sync_short_stride)
{
	int fd = nna_open();
	struct drm_nna_bo_sync_op op = { .handle = bo_create(fd, 4096, 0, 0), .size = 4096 };
	struct drm_nna_bo_sync args = { .ops = DRM_NNA_OBJ_ARRAY(1, &op) };

	args.ops.stride -= 8;
	EQ(xioctl(fd, DRM_IOCTL_NNA_BO_SYNC, &args), -EINVAL);
}

TEST(sync_nothing)
{
	struct drm_nna_bo_sync args = { 0 };

	EQ(xioctl(nna_open(), DRM_IOCTL_NNA_BO_SYNC, &args), 0);
}

TEST(private_object_outlives_its_vm)
{
	int fd = nna_open();
	uint32_t vm = vm_create(fd), bo = bo_create(fd, 65536, vm, 0);
	uint8_t *p = bo_map(fd, bo, 65536);

	EQ(vm_map(fd, vm, bo, 0, ENV_VA, 65536, 0), 0);
	EQ(vm_destroy(fd, vm), 0);
	memset(p, 1, 65536);
	EQ(p[65535], 1);
	EQ(vm_map(fd, vm_create(fd), bo, 0, ENV_VA, 65536, 0), -EINVAL);
}
