// SPDX-License-Identifier: MIT
/*
 * Fault injection: each allocation and each user copy of an ioctl fails once. The call returns an
 * error and has changed nothing, or succeeds without the allocation. Needs a kernel with fault
 * injection, and root.
 */
#define KSFT_TIMEOUT_S 300

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <linux/udmabuf.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xf86drm.h>

#include "ksft.h"
#include "nna_test.h"

#define DEBUGFS "/sys/kernel/debug/"
/* More allocations and copies than any call makes. */
#define MOST 2000

static int fail_nth = -1;

static void set_up(void)
{
	static const char *const files[][2] = {
		{ DEBUGFS "failslab/ignore-gfp-wait", "N" },
		{ DEBUGFS "failslab/verbose", "0" },
		{ DEBUGFS "fail_page_alloc/ignore-gfp-wait", "N" },
		{ DEBUGFS "fail_page_alloc/min-order", "0" },
		{ DEBUGFS "fail_page_alloc/verbose", "0" },
		{ DEBUGFS "fail_usercopy/verbose", "0" },
	};

	fail_nth = open("/proc/thread-self/fail-nth", O_RDWR | O_CLOEXEC);
	if (fail_nth < 0)
		SKIP("no fault injection in this kernel");
	for (unsigned int i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		write_file(files[i][0], files[i][1]);
}

static void arm(int n)
{
	char text[16];
	int size = snprintf(text, sizeof(text), "%d", n);

	EQ(write(fail_nth, text, (size_t)size), size);
}

/* Whether something has failed since arm(). */
static bool disarm(void)
{
	char text[16] = "";
	/* If only one more call was to fail, it may be this read. */
	bool failed = pread(fail_nth, text, sizeof(text) - 1, 0) > 0 && atoi(text) == 0;

	/* Or this write: then it is disarmed by that. */
	if (write(fail_nth, "0", 1) != 1)
		EQ(write(fail_nth, "0", 1), 1);
	return failed;
}

/*
 * Makes the call with its first, second, ... allocation or copy failing, until it makes no more of
 * them, which must be a success. undo follows each success.
 */
#define EACH_FAILURE(call, undo) do { \
	int ef_n, ef_ret, ef_failures = 0; \
	for (ef_n = 1; ef_n < MOST; ef_n++) { \
		arm(ef_n); \
		ef_ret = (call); \
		bool ef_hit = disarm(); \
		if (ef_ret && ef_ret != -ENOMEM && ef_ret != -EFAULT) \
			FAIL("failure %d of %s: %s", ef_n, #call, strerror(-ef_ret)); \
		if (ef_ret) \
			ef_failures++; \
		else \
			undo; \
		if (!ef_hit) { \
			EQ(ef_ret, 0); \
			break; \
		} \
	} \
	CHECK(ef_n < MOST); \
	printf("# %d chances, %d errors: %s\n", ef_n - 1, ef_failures, #call); \
} while (0)

static int try_open(const char *path, int *fd)
{
	*fd = open(path, O_RDWR | O_CLOEXEC);
	return *fd < 0 ? -errno : 0;
}

TEST(fail_open)
{
	const char *node;
	struct env env;
	int fd;

	set_up();
	env_init(&env);
	/* The name is asked for before calls fail. */
	node = nna_node(env.fd);
	EACH_FAILURE(try_open(node, &fd), close(fd));
	expect_result(&env);
}

TEST(fail_dev_query)
{
	struct drm_nna_counters counters;
	struct env env;

	set_up();
	env_init(&env);
	for (uint32_t type = 0; type <= DRM_NNA_DEV_QUERY_FILE_COUNTERS; type++)
		EACH_FAILURE(query(env.fd, type, &counters, sizeof(counters)), (void)0);
}

static int try_bo(int fd, uint32_t vm, uint32_t *handle)
{
	struct drm_nna_bo_create create = { .size = 1 << 20, .vm_id = vm };
	int ret = xioctl(fd, DRM_IOCTL_NNA_BO_CREATE, &create);

	*handle = create.handle;
	return ret;
}

TEST(fail_bo_create)
{
	struct env env;
	uint32_t bo;

	set_up();
	env_init(&env);
	EACH_FAILURE(try_bo(env.fd, 0, &bo), bo_close(env.fd, bo));
	EACH_FAILURE(try_bo(env.fd, env.vm, &bo), bo_close(env.fd, bo));
	expect_result(&env);
}

TEST(fail_bo_mmap_offset)
{
	struct drm_nna_bo_mmap_offset args = { 0 };
	struct env env;

	set_up();
	env_init(&env);
	args.handle = bo_create(env.fd, 4096, 0, 0);
	EACH_FAILURE(xioctl(env.fd, DRM_IOCTL_NNA_BO_MMAP_OFFSET, &args), args.offset = 0);
}

TEST(fail_bo_sync)
{
	struct drm_nna_bo_sync_op ops[2] = { { .size = 4096 },
					     { .size = 4096, .type = DRM_NNA_BO_SYNC_TO_CPU } };
	struct drm_nna_bo_sync args = { .ops = DRM_NNA_OBJ_ARRAY(2, ops) };
	struct env env;

	set_up();
	env_init(&env);
	ops[0].handle = bo_create(env.fd, 4096, 0, DRM_NNA_BO_CACHED);
	ops[1].handle = ops[0].handle;
	EACH_FAILURE(xioctl(env.fd, DRM_IOCTL_NNA_BO_SYNC, &args), (void)0);
}

TEST(fail_bo_set_label)
{
	struct drm_nna_bo_set_label args = { .label = (uintptr_t)"weights" };
	struct env env;

	set_up();
	env_init(&env);
	args.handle = env.bo;
	EACH_FAILURE(xioctl(env.fd, DRM_IOCTL_NNA_BO_SET_LABEL, &args), (void)0);
}

static int try_vm(int fd, uint32_t *vm)
{
	struct drm_nna_vm_create create = { 0 };
	int ret = xioctl(fd, DRM_IOCTL_NNA_VM_CREATE, &create);

	*vm = create.id;
	return ret;
}

TEST(fail_vm_create)
{
	struct env env;
	uint32_t vm;

	set_up();
	env_init(&env);
	EACH_FAILURE(try_vm(env.fd, &vm), vm_destroy(env.fd, vm));
	expect_result(&env);
}

TEST(fail_vm_destroy)
{
	struct env env;
	uint32_t vm;

	set_up();
	env_init(&env);
	vm = vm_create(env.fd);
	EACH_FAILURE(vm_destroy(env.fd, vm), vm = vm_create(env.fd));
}

/* A map that allocates the object's pages and new page tables. */
TEST(fail_vm_bind_map)
{
	struct env env;
	uint64_t va = 1ull << 40;
	uint32_t bo;

	set_up();
	env_init(&env);
	bo = bo_create(env.fd, 1 << 20, 0, 0);
	EACH_FAILURE(vm_map(env.fd, env.vm, bo, 0, va, 1 << 20, 0), (void)0);
	for (int i = 0; i < 3; i++) {
		uint32_t fresh = bo_create(env.fd, 64 << 10, env.vm, 0);

		va += 1ull << 32;
		EACH_FAILURE(vm_map(env.fd, env.vm, fresh, 0, va, 64 << 10, 0),
			     vm_unmap(env.fd, env.vm, va, 64 << 10));
		bo_close(env.fd, fresh);
	}
	expect_result(&env);
}

/* Binds; after a failure checks that the device still finds all mappings as they were. */
static int try_split(struct env *env, const struct drm_nna_vm_bind_op *ops, uint32_t count)
{
	int ret = vm_bind_ops(env->fd, env->vm, ops, count);

	if (ret)
		EQ(submit_and_wait(env), 0);
	return ret;
}

/* Unmaps that split mappings, and a map that replaces several; all operations or none. */
TEST(fail_vm_bind_split)
{
	const uint64_t va = 1ull << 40, size = 4 << 20;
	struct drm_nna_vm_bind_op hole, ops[3];
	struct nnahw_base *table;
	struct env env;
	uint32_t bo;

	set_up();
	env_init(&env);
	bo = bo_create(env.fd, size, env.vm, 0);
	EQ(vm_map(env.fd, env.vm, bo, 0, va, size, 0), 0);
	table = (struct nnahw_base *)(env.map + ENV_TABLE);
	table->address = va;
	table->size = size;
	stream_begin(&env);
	stream_fill(&env, 0, size, 0x6b);
	stream_end(&env);
	stream_finish(&env);
	EQ(submit_and_wait(&env), 0);

	hole = (struct drm_nna_vm_bind_op){ .type = 1, .va = va + 0x5000, .size = 0x2000 };
	EACH_FAILURE(try_split(&env, &hole, 1),
		     EQ(vm_map(env.fd, env.vm, bo, 0, va, size, 0), 0));
	ops[0] = (struct drm_nna_vm_bind_op){ .type = 1, .va = va + 0x10000, .size = 0x10000 };
	ops[1] = (struct drm_nna_vm_bind_op){ .bo_handle = bo,
					      .va = va + 0x100000,
					      .size = 0x40000 };
	ops[2] = (struct drm_nna_vm_bind_op){ .type = 1, .va = va, .size = 0x1000 };
	EACH_FAILURE(try_split(&env, ops, 3), EQ(vm_map(env.fd, env.vm, bo, 0, va, size, 0), 0));
	EQ(submit_and_wait(&env), 0);
}

TEST(fail_ctx_create)
{
	struct env env;
	uint32_t ctx;

	set_up();
	env_init(&env);
	for (uint32_t p = 0; p < 4; p++)
		EACH_FAILURE(ctx_create(env.fd, env.vm, p, &ctx), ctx_destroy(env.fd, ctx));
	expect_result(&env);
}

TEST(fail_ctx_destroy)
{
	struct env env;

	set_up();
	env_init(&env);
	EACH_FAILURE(ctx_destroy(env.fd, env.ctx), EQ(ctx_create(env.fd, env.vm, 1, &env.ctx), 0));
	expect_result(&env);
}

TEST(fail_ctx_get_state)
{
	struct drm_nna_ctx_get_state args = { 0 };
	struct env env;

	set_up();
	env_init(&env);
	args.id = env.ctx;
	EACH_FAILURE(xioctl(env.fd, DRM_IOCTL_NNA_CTX_GET_STATE, &args), (void)0);
}

/* With in-fences and out-fences of both kinds, more than a job has room for without allocating. */
TEST(fail_submit)
{
	struct drm_nna_sync syncs[24];
	struct drm_nna_submit args;
	struct env env;
	uint64_t point = 1;

	set_up();
	env_init(&env);
	stream_null(&env);
	args = env_submit(&env);
	args.deadline_ns = now_ns() + 1000 * SECOND;
	for (int i = 0; i < 24; i++) {
		syncs[i] = (struct drm_nna_sync){ .handle = syncobj_create(env.fd) };
		if (i < 8)
			EQ(submit(&env, 0, syncs[i].handle), 0);
		else
			syncs[i].flags = DRM_NNA_SYNC_SIGNAL |
					 (i % 2 ? DRM_NNA_SYNC_TYPE_TIMELINE : 0);
		if (i >= 8 && i % 2)
			syncs[i].point = point;
	}
	for (uint32_t n = 0; n <= 24; n += 8) {
		args.syncs = (struct drm_nna_obj_array)DRM_NNA_OBJ_ARRAY(n, syncs);
		EACH_FAILURE(xioctl(env.fd, DRM_IOCTL_NNA_SUBMIT, &args), (void)0);
	}
	EQ(syncobj_wait(env.fd, syncs[8].handle, LONG_WAIT), 0);
	EQ(syncobj_status(env.fd, syncs[8].handle), 1);
	expect_result(&env);
}

static int try_export(int fd, uint32_t bo, int *dmabuf)
{
	struct drm_prime_handle args = { .handle = bo, .flags = DRM_CLOEXEC | DRM_RDWR };
	int ret = xioctl(fd, DRM_IOCTL_PRIME_HANDLE_TO_FD, &args);

	*dmabuf = args.fd;
	return ret;
}

static int try_import(int fd, int dmabuf, uint32_t *bo)
{
	struct drm_prime_handle args = { .fd = dmabuf };
	int ret = xioctl(fd, DRM_IOCTL_PRIME_FD_TO_HANDLE, &args);

	*bo = args.handle;
	return ret;
}

TEST(fail_export)
{
	struct env env;
	uint32_t bo;
	int dmabuf;

	set_up();
	env_init(&env);
	bo = bo_create(env.fd, 65536, 0, 0);
	EACH_FAILURE(try_export(env.fd, bo, &dmabuf), close(dmabuf));
}

TEST(fail_import)
{
	struct udmabuf_create args = { .flags = UDMABUF_FLAGS_CLOEXEC, .size = 65536 };
	int memfd = memfd_create("nna", MFD_CLOEXEC | MFD_ALLOW_SEALING), udmabuf, dmabuf;
	struct env env;
	uint32_t bo;

	set_up();
	env_init(&env);
	udmabuf = open("/dev/udmabuf", O_RDWR | O_CLOEXEC);
	if (udmabuf < 0)
		SKIP("no /dev/udmabuf");
	CHECK(!ftruncate(memfd, 65536) && !fcntl(memfd, F_ADD_SEALS, F_SEAL_SHRINK));
	args.memfd = (uint32_t)memfd;
	dmabuf = ioctl(udmabuf, UDMABUF_CREATE, &args);
	CHECK(dmabuf >= 0);
	EACH_FAILURE(try_import(env.fd, dmabuf, &bo), bo_close(env.fd, bo));
	expect_result(&env);
}

static int try_bind(void)
{
	char path[128];
	struct stat st;
	int fd, ret;

	driver_path(path, sizeof(path), "bind");
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return -ENOMEM;
	ret = write(fd, device_name(-1), strlen(device_name(-1))) < 0 ? -errno : 0;
	close(fd);
	/* Some errors of probe do not make the write fail: look whether the driver is bound. */
	driver_path(path, sizeof(path), device_name(-1));
	return !ret && stat(path, &st) ? -ENOMEM : ret == -ENODEV || ret == -ENOSPC ? -ENOMEM : ret;
}

/* Excludes allocations that are made below a function of the kernel. */
static void spare(const char *function)
{
	char *symbols = read_file("/proc/kallsyms"), pattern[64], value[32];
	unsigned long long start, end;
	const char *line;

	snprintf(pattern, sizeof(pattern), " T %s\n", function);
	line = strstr(symbols, pattern);
	CHECK(line);
	/* Symbols are sorted by address: the function ends where the next one begins. */
	end = strtoull(line + strlen(pattern), NULL, 16);
	while (line > symbols && line[-1] != '\n')
		line--;
	start = strtoull(line, NULL, 16);
	CHECK(start && start < end);
	free(symbols);
	snprintf(value, sizeof(value), "%#llx", start);
	write_file(DEBUGFS "failslab/reject-start", value);
	write_file(DEBUGFS "fail_page_alloc/reject-start", value);
	snprintf(value, sizeof(value), "%#llx", end);
	write_file(DEBUGFS "failslab/reject-end", value);
	write_file(DEBUGFS "fail_page_alloc/reject-end", value);
}

/*
 * Whether the bound device can be opened. If the kernel fails to create the node, or creates it
 * with another name, it reports no error.
 */
static bool has_node(void)
{
	char path[128], nodes[96];
	glob_t found;
	int fd;

	snprintf(nodes, sizeof(nodes), "%s/{accel/accel,drm/renderD}*", device_name(-1));
	driver_path(path, sizeof(path), nodes);
	EQ(glob(path, GLOB_BRACE, NULL, &found), 0);
	snprintf(path, sizeof(path), "/dev/%s%s", strstr(found.gl_pathv[0], "/drm/") ? "dri" : "accel",
		 strrchr(found.gl_pathv[0], '/'));
	globfree(&found);
	fd = open(path, O_RDWR | O_CLOEXEC);
	CHECK(fd >= 0 || errno == ENOENT);
	if (fd >= 0)
		close(fd);
	else
		printf("# no %s\n", path);
	return fd >= 0;
}

/* Each allocation of probe fails once. Probe leaks nothing, so that the next one can succeed. */
TEST(fail_probe)
{
	int n, errors = 0, nodeless = 0;
	struct env env;

	set_up();
	/* Linux 6.12 crashes if this fails: it releases a minor that has no device. */
	spare("drm_sysfs_minor_alloc");
	env_init(&env);
	device_unbind(env.fd);
	env_fini(&env);
	/* There are many, and a probe takes a while: each of the first, then fewer and fewer. */
	for (n = 1; n < MOST; n += 1 + n / 16) {
		int ret;
		bool hit;

		arm(n);
		ret = try_bind();
		hit = disarm();
		if (ret)
			errors++;
		if (!hit)
			break;
		if (ret)
			continue;
		if (has_node()) {
			env_init(&env);
			device_unbind(env.fd);
			env_fini(&env);
		} else {
			device_unbind(-1);
			nodeless++;
		}
	}
	CHECK(n < MOST);
	printf("# %d chances, %d errors, %d without a node\n", n - 1, errors, nodeless);
	CHECK(has_node());
	env_init(&env);
	expect_result(&env);
}
