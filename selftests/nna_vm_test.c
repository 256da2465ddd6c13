// SPDX-License-Identifier: MIT
/* Address spaces and binds. */

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xf86drm.h>

#include "ksft.h"
#include "nna_test.h"

#define PAGE 4096ull
#define LARGE (2ull << 20)

struct fixture {
	int fd;
	uint32_t vm, bo;
	struct drm_nna_vm_bind_op map; /* a map that is in order */
};

static struct fixture set_up(void)
{
	struct fixture f = { .fd = nna_open() };

	f.vm = vm_create(f.fd);
	f.bo = bo_create(f.fd, 16 * PAGE, 0, 0);
	f.map = (struct drm_nna_vm_bind_op){
		.type = DRM_NNA_VM_BIND_OP_MAP, .bo_handle = f.bo, .va = ENV_VA, .size = 16 * PAGE,
	};
	return f;
}

static int bind_one(struct fixture *f, struct drm_nna_vm_bind_op op)
{
	return vm_bind_ops(f->fd, f->vm, &op, 1);
}

/* Maps that are valid but for one value, and their errors. */
#define BAD_MAP(test_name, change, error) \
	TEST(test_name) \
	{ \
		struct fixture f = set_up(); \
		struct drm_nna_vm_bind_op op = f.map; \
		change; \
		EQ(bind_one(&f, op), error); \
		EQ(bind_one(&f, f.map), 0); \
	}

BAD_MAP(map_va_misaligned, op.va += 1, -EINVAL)
BAD_MAP(map_size_misaligned, op.size -= 1, -EINVAL)
BAD_MAP(map_offset_misaligned, op.bo_offset = 8, -EINVAL)
BAD_MAP(map_size_zero, op.size = 0, -EINVAL)
BAD_MAP(map_va_zero, op.va = 0, -EINVAL)
BAD_MAP(map_below_start, op.va = hw_info(f.fd).va_start - PAGE, -EINVAL)
BAD_MAP(map_beyond_end, op.va = hw_info(f.fd).va_end - 15 * PAGE, -EINVAL)
BAD_MAP(map_va_wraps, op.va = 0ull - 8 * PAGE, -EINVAL)
BAD_MAP(map_beyond_object, op.bo_offset = PAGE, -EINVAL)
BAD_MAP(map_offset_wraps, op.bo_offset = 0ull - PAGE, -EINVAL)
BAD_MAP(map_size_beyond_object, op.size = 17 * PAGE, -EINVAL)
BAD_MAP(map_unknown_flag, op.flags = 2, -EINVAL)
BAD_MAP(map_pad, op.pad = 1, -EINVAL)
BAD_MAP(map_unknown_object, op.bo_handle = 77, -ENOENT)
BAD_MAP(map_handle_zero, op.bo_handle = 0, -ENOENT)
BAD_MAP(unknown_operation, op.type = 2, -EINVAL)
BAD_MAP(unmap_with_flags,
	op = ((struct drm_nna_vm_bind_op){ .type = 1, .va = ENV_VA, .size = PAGE, .flags = 1 }),
	-EINVAL)
BAD_MAP(unmap_with_object, op = ((struct drm_nna_vm_bind_op){ .type = 1, .va = ENV_VA, .size = PAGE,
							       .bo_handle = f.bo }), -EINVAL)
BAD_MAP(unmap_with_offset, op = ((struct drm_nna_vm_bind_op){ .type = 1, .va = ENV_VA, .size = PAGE,
							       .bo_offset = PAGE }), -EINVAL)

TEST(map_last_page)
{
	struct fixture f = set_up();

	f.map.va = hw_info(f.fd).va_end - f.map.size;
	EQ(bind_one(&f, f.map), 0);
}

TEST(create_flags)
{
	struct drm_nna_vm_create args = { .flags = 1 };

	EQ(xioctl(nna_open(), DRM_IOCTL_NNA_VM_CREATE, &args), -EINVAL);
}

TEST(create_id_not_zero)
{
	struct drm_nna_vm_create args = { .id = 1 };

	EQ(xioctl(nna_open(), DRM_IOCTL_NNA_VM_CREATE, &args), -EINVAL);
}

TEST(destroy_zero)
{
	EQ(vm_destroy(nna_open(), 0), -ENOENT);
}

TEST(create_too_many)
{
	struct drm_nna_vm_create args = { 0 };
	int fd = nna_open();
	uint32_t max = hw_info(fd).max_vms;

	for (uint32_t i = 0; i < max; i++)
		vm_create(fd);
	EQ(xioctl(fd, DRM_IOCTL_NNA_VM_CREATE, &args), -ENOSPC);
	EQ(vm_destroy(fd, 1), 0);
	EQ(xioctl(fd, DRM_IOCTL_NNA_VM_CREATE, &args), 0);
}

TEST(destroy_unknown)
{
	EQ(vm_destroy(nna_open(), 1), -ENOENT);
}

TEST(destroy_twice)
{
	struct fixture f = set_up();

	EQ(vm_destroy(f.fd, f.vm), 0);
	EQ(vm_destroy(f.fd, f.vm), -ENOENT);
}

TEST(destroy_pad)
{
	struct fixture f = set_up();
	struct drm_nna_vm_destroy args = { .id = f.vm, .pad = 1 };

	EQ(xioctl(f.fd, DRM_IOCTL_NNA_VM_DESTROY, &args), -EINVAL);
}

TEST(bind_unknown_vm)
{
	struct fixture f = set_up();

	EQ(vm_bind_ops(f.fd, 50, &f.map, 1), -ENOENT);
}

TEST(bind_vm_of_another_file)
{
	struct fixture f = set_up();
	int other = nna_open();

	EQ(vm_bind_ops(other, f.vm, &f.map, 1), -ENOENT);
}

TEST(bind_nothing)
{
	struct fixture f = set_up();

	EQ(vm_bind_ops(f.fd, f.vm, NULL, 0), 0);
}

TEST(bind_flags)
{
	struct fixture f = set_up();
	struct drm_nna_vm_bind args = { .vm_id = f.vm,
					.flags = 1,
					.ops = DRM_NNA_OBJ_ARRAY(1, &f.map) };

	EQ(xioctl(f.fd, DRM_IOCTL_NNA_VM_BIND, &args), -EINVAL);
}

TEST(bind_syncs_reserved)
{
	struct fixture f = set_up();
	struct drm_nna_sync sync = { 0 };
	struct drm_nna_vm_bind args = {
		.vm_id = f.vm,
		.ops = DRM_NNA_OBJ_ARRAY(1, &f.map),
		.syncs = DRM_NNA_OBJ_ARRAY(1, &sync),
	};

	EQ(xioctl(f.fd, DRM_IOCTL_NNA_VM_BIND, &args), -EINVAL);
}

TEST(bind_too_many)
{
	struct fixture f = set_up();

	EQ(vm_bind_ops(f.fd, f.vm, &f.map, hw_info(f.fd).max_bind_ops + 1), -E2BIG);
}

TEST(bind_bad_pointer)
{
	struct fixture f = set_up();

	EQ(vm_bind_ops(f.fd, f.vm, (void *)8, 1), -EFAULT);
}

TEST(bind_short_stride)
{
	struct fixture f = set_up();
	struct drm_nna_vm_bind args = { .vm_id = f.vm, .ops = DRM_NNA_OBJ_ARRAY(1, &f.map) };

	args.ops.stride -= 8;
	EQ(xioctl(f.fd, DRM_IOCTL_NNA_VM_BIND, &args), -EINVAL);
}

TEST(bind_long_stride)
{
	struct {
		struct drm_nna_vm_bind_op op;
		uint64_t more;
	} big = { 0 };
	struct fixture f = set_up();
	struct drm_nna_vm_bind args = { .vm_id = f.vm,
					.ops = { .stride = sizeof(big), .count = 1 } };

	big.op = f.map;
	args.ops.array = (uintptr_t)&big;
	EQ(xioctl(f.fd, DRM_IOCTL_NNA_VM_BIND, &args), 0);
	big.more = 1;
	EQ(xioctl(f.fd, DRM_IOCTL_NNA_VM_BIND, &args), -E2BIG);
}

/* A huge stride is refused, as checking all of it for zeros would take for ever. */
TEST(bind_absurd_stride)
{
	enum { STRIDE = 1 << 20, COUNT = 8 };
	struct fixture f = set_up();
	struct drm_nna_vm_bind args = { .vm_id = f.vm,
					.ops = { .stride = STRIDE, .count = COUNT } };
	uint8_t *ops = calloc(COUNT, STRIDE);

	for (int i = 0; i < COUNT; i++)
		memcpy(ops + i * STRIDE, &f.map, sizeof(f.map));
	args.ops.array = (uintptr_t)ops;
	EQ(xioctl(f.fd, DRM_IOCTL_NNA_VM_BIND, &args), -E2BIG);
	args.ops.count = 1;
	EQ(xioctl(f.fd, DRM_IOCTL_NNA_VM_BIND, &args), -E2BIG);
	args.ops.stride = 4096;
	EQ(xioctl(f.fd, DRM_IOCTL_NNA_VM_BIND, &args), 0);
}

/* At the limit of committed memory shmem reports -ENOSPC; the ioctl returns -ENOMEM. */
TEST(bind_without_memory)
{
	int mode = open("/proc/sys/vm/overcommit_memory", O_RDWR | O_CLOEXEC), ret;
	char *ratio = read_file("/proc/sys/vm/overcommit_ratio"), before;
	struct fixture f = set_up();

	if (mode < 0 || pread(mode, &before, 1, 0) != 1)
		SKIP("cannot change /proc/sys/vm/overcommit_memory");
	write_file("/proc/sys/vm/overcommit_ratio", "0");
	EQ(pwrite(mode, "2", 1, 0), 1);
	ret = bind_one(&f, f.map);
	EQ(pwrite(mode, &before, 1, 0), 1);
	write_file("/proc/sys/vm/overcommit_ratio", ratio);
	EQ(ret, -ENOMEM);
	EQ(bind_one(&f, f.map), 0);
}

/* Binds a page at many addresses, each of which needs page tables of its own. */
static void bind_and_bind(uint32_t count)
{
	struct fixture f = set_up();
	uint32_t n = 128;
	struct drm_nna_vm_bind_op ops[128];

	for (uint32_t i = 0; i < count; i += n) {
		for (uint32_t k = 0; k < n; k++) {
			ops[k] = f.map;
			ops[k].size = PAGE;
			ops[k].va = (uint64_t)(i + k + 1) << 30;
		}
		if (vm_bind_ops(f.fd, f.vm, ops, n))
			_exit(2);
	}
	_exit(0);
}

/* Page tables are charged to the client's memory control group, which limits them. */
TEST(page_tables_are_charged)
{
	struct control_group group;
	int status;
	pid_t pid;

	if (!control_group_make(&group, "32M"))
		SKIP("no control groups of memory");
	pid = fork();
	if (!pid) {
		control_group_join(&group);
		bind_and_bind(8192);
	}
	EQ(waitpid(pid, &status, 0), pid);
	control_group_remove(&group);
	CHECK(WIFSIGNALED(status) || WEXITSTATUS(status) == 2);
}

TEST(private_object_in_another_vm)
{
	struct fixture f = set_up();
	uint32_t vm2 = vm_create(f.fd), bo = bo_create(f.fd, PAGE, vm2, 0);

	EQ(vm_map(f.fd, f.vm, bo, 0, ENV_VA, PAGE, 0), -EINVAL);
	EQ(vm_map(f.fd, vm2, bo, 0, ENV_VA, PAGE, 0), 0);
}

/* Runs a job that fills the data slot; expected names the pages that must have changed. */
static void expect_fill(struct env *env, uint8_t value, int expected)
{
	stream_begin(env);
	stream_fill(env, 0, ENV_SIZE - ENV_DATA, value);
	stream_end(env);
	stream_finish(env);
	EQ(submit_and_wait(env), expected);
}

TEST(all_or_nothing)
{
	struct env env;
	struct drm_nna_vm_bind_op ops[2] = {
		{ .type = DRM_NNA_VM_BIND_OP_UNMAP, .va = ENV_VA + ENV_DATA, .size = PAGE },
		{ .type = DRM_NNA_VM_BIND_OP_MAP, .bo_handle = 99, .va = ENV_VA, .size = PAGE },
	};

	env_init(&env);
	EQ(vm_bind_ops(env.fd, env.vm, ops, 2), -ENOENT);
	expect_fill(&env, 3, 0);
	EQ(env.map[ENV_DATA], 3);
}

TEST(unmapped_page_faults)
{
	struct env env;

	env_init(&env);
	expect_fill(&env, 1, 0);
	EQ(vm_unmap(env.fd, env.vm, ENV_VA + ENV_DATA + 5 * PAGE, PAGE), 0);
	expect_fill(&env, 2, -EFAULT);
	EQ(ctx_state(env.fd, env.ctx).fault_address & ~(PAGE - 1), ENV_VA + ENV_DATA + 5 * PAGE);
}

TEST(unmap_nothing)
{
	struct fixture f = set_up();

	EQ(vm_unmap(f.fd, f.vm, 0x40000000, 1ull << 30), 0);
	EQ(vm_unmap(f.fd, f.vm, hw_info(f.fd).va_start,
		    hw_info(f.fd).va_end - hw_info(f.fd).va_start),
	   0);
}

TEST(unmap_everything)
{
	struct env env;

	env_init(&env);
	EQ(vm_unmap(env.fd, env.vm, hw_info(env.fd).va_start,
		    hw_info(env.fd).va_end - hw_info(env.fd).va_start), 0);
	stream_null(&env);
	EQ(submit_and_wait(&env), -EFAULT);
}

TEST(partial_unmap_keeps_the_rest)
{
	struct env env;

	env_init(&env);
	/* In the middle of a mapping, but not of what the job uses. */
	EQ(vm_unmap(env.fd, env.vm, ENV_VA + ENV_REPORT + PAGE, 2 * PAGE), 0);
	expect_fill(&env, 9, 0);
	EQ(env.map[ENV_SIZE - 1], 9);
}

TEST(remap_replaces)
{
	struct env env;
	uint32_t bo;
	uint8_t *p;

	env_init(&env);
	expect_fill(&env, 1, 0);
	bo = bo_create(env.fd, ENV_SIZE - ENV_DATA, env.vm, 0);
	p = bo_map(env.fd, bo, ENV_SIZE - ENV_DATA);
	EQ(vm_map(env.fd, env.vm, bo, 0, ENV_VA + ENV_DATA, ENV_SIZE - ENV_DATA, 0), 0);
	expect_fill(&env, 2, 0);
	EQ(env.map[ENV_DATA], 1);
	EQ(p[0], 2);
	EQ(p[ENV_SIZE - ENV_DATA - 1], 2);
}

TEST(map_and_unmap_in_one_call)
{
	struct env env;
	struct drm_nna_vm_bind_op ops[3];

	env_init(&env);
	ops[0] = (struct drm_nna_vm_bind_op){ .type = DRM_NNA_VM_BIND_OP_UNMAP,
					      .va = ENV_VA,
					      .size = ENV_SIZE };
	ops[1] = (struct drm_nna_vm_bind_op){
		.type = DRM_NNA_VM_BIND_OP_MAP, .bo_handle = env.bo, .va = ENV_VA, .size = ENV_SIZE
	};
	ops[2] = (struct drm_nna_vm_bind_op){
		.type = DRM_NNA_VM_BIND_OP_UNMAP, .va = ENV_VA + ENV_REPORT + PAGE, .size = PAGE };
	for (int i = 0; i < 10; i++) {
		EQ(vm_bind_ops(env.fd, env.vm, ops, 3), 0);
		expect_fill(&env, (uint8_t)i, 0);
		EQ(env.map[ENV_DATA], i);
	}
}

TEST(readonly)
{
	struct env env;

	env_init(&env);
	EQ(vm_map(env.fd, env.vm, env.bo, ENV_DATA, ENV_VA + ENV_DATA, ENV_SIZE - ENV_DATA,
		  DRM_NNA_VM_BIND_OP_READONLY), 0);
	expect_fill(&env, 1, -EFAULT);
	EQ(env.map[ENV_DATA], 0);
}

TEST(handle_closed_while_bound)
{
	struct env env;

	env_init(&env);
	bo_close(env.fd, env.bo);
	expect_fill(&env, 4, 0);
	EQ(env.map[ENV_DATA], 4);
}

TEST(same_object_twice)
{
	struct env env;

	env_init(&env);
	EQ(vm_map(env.fd, env.vm, env.bo, ENV_DATA, ENV_VA + ENV_SIZE, ENV_SIZE - ENV_DATA, 0), 0);
	((struct nnahw_base *)(env.map + ENV_TABLE))->address = ENV_VA + ENV_SIZE;
	expect_fill(&env, 6, 0);
	EQ(env.map[ENV_DATA], 6);
}

/* Large pages, where offset and address are congruent modulo 2 MiB; holes split them. */
TEST(large_object_with_a_hole)
{
	struct env env;
	struct nnahw_base *table;
	uint64_t va = 64 * LARGE;
	uint32_t bo;
	uint8_t *p;

	env_init(&env);
	bo = bo_create(env.fd, 3 * LARGE, env.vm, 0);
	p = bo_map(env.fd, bo, 3 * LARGE);
	memset(p, 0, 3 * LARGE);
	EQ(vm_map(env.fd, env.vm, bo, 0, va, 3 * LARGE, 0), 0);
	table = (struct nnahw_base *)(env.map + ENV_TABLE);
	table->address = va;
	table->size = 3 * LARGE;
	stream_begin(&env);
	stream_fill(&env, 0, 3 * LARGE, 0x21);
	stream_end(&env);
	stream_finish(&env);
	EQ(submit_and_wait(&env), 0);
	EQ(p[0], 0x21);
	EQ(p[3 * LARGE - 1], 0x21);

	EQ(vm_unmap(env.fd, env.vm, va + LARGE + 7 * PAGE, PAGE), 0);
	stream_begin(&env);
	stream_fill(&env, 0, LARGE + 7 * PAGE, 0x22);
	stream_fill(&env, LARGE + 8 * PAGE, LARGE, 0x23);
	stream_end(&env);
	stream_finish(&env);
	EQ(submit_and_wait(&env), 0);
	EQ(p[LARGE + 7 * PAGE - 1], 0x22);
	EQ(p[LARGE + 7 * PAGE], 0x21);
	EQ(p[LARGE + 8 * PAGE], 0x23);

	stream_begin(&env);
	stream_fill(&env, LARGE + 7 * PAGE, 1, 0x24);
	stream_end(&env);
	stream_finish(&env);
	EQ(submit_and_wait(&env), -EFAULT);
	EQ(p[LARGE + 7 * PAGE], 0x21);
}

/* After an unmap no job accesses the pages, which may belong to another process by then. */
TEST(unmap_is_in_force_on_return)
{
	struct env env;

	env_init(&env);
	for (int i = 0; i < 20; i++) {
		EQ(vm_map(env.fd, env.vm, env.bo, 0, ENV_VA, ENV_SIZE, 0), 0);
		expect_fill(&env, 1, 0);
		EQ(vm_unmap(env.fd, env.vm, ENV_VA + ENV_DATA, ENV_SIZE - ENV_DATA), 0);
		expect_fill(&env, 2, -EFAULT);
		EQ(env.map[ENV_DATA], 1);
		EQ(ctx_destroy(env.fd, env.ctx), 0);
		EQ(ctx_create(env.fd, env.vm, DRM_NNA_CTX_PRIORITY_MEDIUM, &env.ctx), 0);
	}
}

TEST(vm_destroyed_while_context_lives)
{
	struct env env;

	env_init(&env);
	EQ(vm_destroy(env.fd, env.vm), 0);
	expect_fill(&env, 8, 0);
	EQ(env.map[ENV_DATA], 8);
}
