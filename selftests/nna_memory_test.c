// SPDX-License-Identifier: MIT
/*
 * The memory that a client may have: the limits of an address space, of the device, and of a memory
 * control group, beside another client that notices nothing.
 */

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* Reclaim within a control group is slow on a busy machine. */
#define KSFT_TIMEOUT_S 240
#include "ksft.h"
#include "nna_test.h"

#define PAGE 4096ull
#define BATCH 128
#define PAGES_LIMIT "/sys/module/nna/parameters/pages_limit"
#define MAX_MAPPINGS "/sys/module/nna/parameters/max_mappings"

/*
 * An environment whose VM has a low limit of mappings, as it takes long to make 16384 on a kernel
 * with all checks. Returns the limit, which is the usual one where only root may change it.
 */
static uint32_t env_init_few(struct env *env)
{
	bool may = !access(MAX_MAPPINGS, W_OK);
	char *before = NULL;
	uint32_t max;

	if (may) {
		before = read_file(MAX_MAPPINGS);
		write_file(MAX_MAPPINGS, "1024");
	}
	env_init(env);
	max = hw_info(env->fd).max_mappings;
	if (may)
		write_file(MAX_MAPPINGS, before);
	CHECK(!may || max == 1024);
	return max;
}

/* Maps a page of bo at the addresses of numbers first and on, 1 GiB apart: each needs tables. */
static int map_batch(int fd, uint32_t vm, uint32_t bo, uint32_t first)
{
	struct drm_nna_vm_bind_op ops[BATCH];

	for (uint32_t i = 0; i < BATCH; i++)
		ops[i] = (struct drm_nna_vm_bind_op){
			.type = DRM_NNA_VM_BIND_OP_MAP, .bo_handle = bo,
			.va = (uint64_t)(first + i + 1) << 30, .size = PAGE,
		};
	return vm_bind_ops(fd, vm, ops, BATCH);
}

TEST(one_object_at_many_addresses)
{
	uint32_t max, bo, count = 0;
	struct env env;
	int ret;

	max = env_init_few(&env);
	bo = bo_create(env.fd, PAGE, 0, 0);
	do {
		ret = map_batch(env.fd, env.vm, bo, count);
		if (!ret)
			count += BATCH;
	} while (!ret && count < 20000);
	EQ(ret, -ENOSPC);
	CHECK(count <= max);
	CHECK(count >= max - 3 * BATCH);
	/* What is mapped works; and what is unmapped makes room. */
	expect_result(&env);
	for (uint32_t i = 0; i < count; i++)
		EQ(vm_unmap(env.fd, env.vm, (uint64_t)(i + 1) << 30, PAGE), 0);
	EQ(map_batch(env.fd, env.vm, bo, 0), 0);
	expect_result(&env);
}

/* Unmapping a page in the middle divides a mapping. */
TEST(mappings_by_unmapping)
{
	const uint64_t va = 0x40000000;
	struct env env;
	uint64_t size;
	uint32_t max, bo, count = 0;
	int ret = 0;

	max = env_init_few(&env);
	size = 2 * PAGE * (max + 8ull);
	bo = bo_create(env.fd, size, env.vm, 0);
	EQ(vm_map(env.fd, env.vm, bo, 0, va, size, 0), 0);
	for (uint64_t at = PAGE; at + PAGE < size && !ret; at += 2 * PAGE, count++)
		ret = vm_unmap(env.fd, env.vm, va + at, PAGE);
	EQ(ret, -ENOSPC);
	CHECK(count <= max);
	EQ(vm_unmap(env.fd, env.vm, va, PAGE), 0);
}

/* At the device's limit there are no pages for an object that has none; the others keep theirs. */
TEST(pages_of_the_device)
{
	struct drm_nna_vm_bind_op op;
	struct drm_nna_bo_mmap_offset arg = {};
	int ret_bind, ret_vm, ret_old;
	struct env env;
	uint32_t bo;
	void *map;

	env_init(&env);
	if (access(PAGES_LIMIT, W_OK))
		SKIP("no " PAGES_LIMIT);
	bo = bo_create(env.fd, 16 * PAGE, 0, 0);
	arg.handle = bo;
	EQ(xioctl(env.fd, DRM_IOCTL_NNA_BO_MMAP_OFFSET, &arg), 0);
	op = (struct drm_nna_vm_bind_op){
		.type = DRM_NNA_VM_BIND_OP_MAP, .bo_handle = bo, .va = 0x40000000, .size = PAGE,
	};
	/* Fewer than the environment has. Nothing below ends the process before this is undone. */
	write_file(PAGES_LIMIT, "1");
	ret_bind = vm_bind_ops(env.fd, env.vm, &op, 1);
	ret_vm = xioctl(env.fd, DRM_IOCTL_NNA_VM_CREATE, &(struct drm_nna_vm_create){});
	op.bo_handle = env.bo;
	ret_old = vm_bind_ops(env.fd, env.vm, &op, 1);
	map = mmap(NULL, 16 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, env.fd, (off_t)arg.offset);
	write_file(PAGES_LIMIT, "0");
	EQ(ret_bind, -ENOMEM);
	EQ(ret_vm, -ENOMEM);
	CHECK(map == MAP_FAILED);
	/* It may need a page table; so either. */
	CHECK(!ret_old || ret_old == -ENOMEM);
	op.bo_handle = bo;
	EQ(vm_bind_ops(env.fd, env.vm, &op, 1), 0);
	memset(bo_map(env.fd, bo, 16 * PAGE), 1, 16 * PAGE);
	expect_result(&env);
}

/* Binds objects of the size until that fails, or max of them. Returns how many it has bound. */
static unsigned int bind_objects(int fd, uint32_t vm, uint64_t size, unsigned int max)
{
	unsigned int n = 0;

	while (n < max &&
	       !vm_map(fd, vm, bo_create(fd, size, 0, 0), 0, (n + 1) * 0x40000000ull, size, 0))
		n++;
	return n;
}

/* A file of another user. */
static int open_as(uint64_t key)
{
	struct drm_nna_file_set_user user = { .type = DRM_NNA_USER_KEY, .id = key };
	int fd = nna_open();

	EQ(xioctl(fd, DRM_IOCTL_NNA_FILE_SET_USER, &user), 0);
	return fd;
}

/* A user that takes all pages it can get leaves some for the next, whatever files it opens. */
TEST(pages_of_a_user)
{
	const unsigned int limit = 64;
	const uint64_t size = 1 << 20;
	unsigned int taken = 0, next;
	int fds[8], fd;
	char pages[32];

	if (access(PAGES_LIMIT, W_OK))
		SKIP("no " PAGES_LIMIT);
	for (unsigned int i = 0; i < 8; i++)
		fds[i] = open_as(1);
	fd = open_as(2);
	/* Nothing below ends the process before this is undone, but what fails on any machine. */
	snprintf(pages, sizeof(pages), "%llu", (limit << 20) / (unsigned long long)cpu_page());
	write_file(PAGES_LIMIT, pages);
	for (unsigned int i = 0; i < 8; i++)
		taken += bind_objects(fds[i], vm_create(fds[i]), size, limit);
	next = bind_objects(fd, vm_create(fd), size, 4);
	write_file(PAGES_LIMIT, "0");
	printf("# one user took %u of %u MiB, the next %u of 4\n", taken, limit, next);
	CHECK(taken >= limit / 2);
	CHECK(taken <= limit * 3 / 4);
	EQ(next, 4);
}

/* ---- memory that is not needed --------------------------------------------------------------- */

#define DROP_CACHES "/proc/sys/vm/drop_caches"

static bool bo_madvise(const struct env *env, uint32_t madv)
{
	struct drm_nna_bo_madvise arg = { .handle = env->bo, .madv = madv };

	EQ(xioctl(env->fd, DRM_IOCTL_NNA_BO_MADVISE, &arg), 0);
	return arg.retained;
}

/* Has all shrinkers called while the object is not needed. Returns whether it still has memory. */
static bool survives(const struct env *env)
{
	bo_madvise(env, DRM_NNA_MADV_DONTNEED);
	write_file(DROP_CACHES, "2");
	return bo_madvise(env, DRM_NNA_MADV_WILLNEED);
}

/* An object that is not needed goes; who uses it all the same has a fault, and nobody else. */
TEST(purged_object)
{
	struct drm_nna_bo_mmap_offset arg = {};
	struct env env, bystander;
	int tries = 1000;

	if (access(DROP_CACHES, W_OK))
		SKIP("no " DROP_CACHES);
	env_init(&env);
	env_init(&bystander);
	stream_null(&env);
	EQ(submit_and_wait(&env), 0);
	/* Mapped by the CPU it stays. */
	CHECK(survives(&env));
	EQ(submit_and_wait(&env), 0);
	munmap(env.map, ENV_SIZE);
	/* The job has ended, but the driver may still be about to free it. */
	while (survives(&env) && --tries)
		usleep(10000);
	CHECK(tries);
	EQ(vm_map(env.fd, env.vm, env.bo, 0, 0x40000000, PAGE, 0), -EFAULT);
	arg.handle = env.bo;
	EQ(xioctl(env.fd, DRM_IOCTL_NNA_BO_MMAP_OFFSET, &arg), 0);
	CHECK(mmap(NULL, PAGE, PROT_READ, MAP_SHARED, env.fd, (off_t)arg.offset) == MAP_FAILED);
	EQ(errno, EFAULT);
	EQ(submit_and_wait(&env), -EFAULT);
	CHECK(ctx_state(env.fd, env.ctx).state & DRM_NNA_CTX_STATE_FAULTED);
	expect_result(&bystander);
	/* Its place can be used again. */
	EQ(vm_unmap(env.fd, env.vm, ENV_VA, ENV_SIZE), 0);
	expect_result(&bystander);
}

/* As long as a job of its address space has not ended, nothing there goes. */
TEST(unneeded_object_with_a_job)
{
	struct env head, env;
	uint32_t in, out;

	if (access(DROP_CACHES, W_OK))
		SKIP("no " DROP_CACHES);
	env_init(&head);
	env_init_sibling(&env, &head);
	in = syncobj_create(env.fd);
	out = syncobj_create(env.fd);
	stream_held(&head);
	EQ(submit(&head, 0, in), 0);
	stream_begin(&env);
	stream_fill(&env, 0, 0x4000, 0x6b);
	stream_end(&env);
	stream_finish(&env);
	EQ(submit(&env, in, out), 0);
	munmap(env.map, ENV_SIZE);
	for (int i = 0; i < 3; i++)
		CHECK(survives(&env));
	stream_release(&head);
	EQ(syncobj_wait(env.fd, out, LONG_WAIT), 0);
	EQ(syncobj_status(env.fd, out), 1);
	env.map = bo_map(env.fd, env.bo, ENV_SIZE);
	CHECK(env.map[ENV_DATA] == 0x6b && env.map[ENV_DATA + 0x3fff] == 0x6b);
}

/* As many objects as reclaim must not look at one by one, or fewer on a slower kernel. */
static unsigned int many_objects(void)
{
	return 20000 / test_slowness();
}

/* Objects that one call of the shrinker may look at: as many as a batch of reclaim has pages. */
#define SHRINKER_BATCH 128

/* Has reclaim call the shrinkers. Returns how many objects each call has looked at, on average. */
static long long reclaim(const struct env *env, const char *what, unsigned int count)
{
	char *before = debugfs_read(env->fd, "shrinker"), *after;
	long long calls, seen;
	uint64_t begin = now_ns();

	write_file(DROP_CACHES, "2");
	begin = now_ns() - begin;
	after = debugfs_read(env->fd, "shrinker");
	calls = text_value(after, "calls ") - text_value(before, "calls ");
	seen = text_value(after, "seen ") - text_value(before, "seen ");
	printf("# drop_caches beside %u %s: %.3f s, %lld calls, %lld objects looked at\n", count,
	       what, (double)begin / SECOND, calls, seen);
	free(before);
	free(after);
	return calls ? seen / calls : 0;
}

/* A client that has many objects costs reclaim nothing as long as they have no memory. */
TEST(unneeded_objects_without_memory)
{
	const unsigned int count = many_objects();
	struct env env, own;

	if (access(DROP_CACHES, W_OK))
		SKIP("no " DROP_CACHES);
	env_init(&own);
	env = own;
	for (unsigned int i = 0; i < count; i++) {
		own.bo = bo_create(env.fd, PAGE, 0, 0);
		CHECK(bo_madvise(&own, DRM_NNA_MADV_DONTNEED));
	}
	EQ(reclaim(&env, "objects without memory", count), 0);
	expect_result(&env);
}

/* Nor does one whose objects have memory, but are in use, make a call of the shrinker long. */
TEST(unneeded_objects_in_use)
{
	const unsigned int count = many_objects() / 4;
	struct env head, env, own;
	uint32_t in, out;

	if (access(DROP_CACHES, W_OK))
		SKIP("no " DROP_CACHES);
	env_init(&head);
	env_init_sibling(&env, &head);
	in = syncobj_create(env.fd);
	out = syncobj_create(env.fd);
	own = env;
	for (unsigned int i = 0; i < count; i++) {
		own.bo = bo_create(env.fd, PAGE, 0, 0);
		EQ(vm_map(env.fd, env.vm, own.bo, 0, 0x40000000 + i * PAGE, PAGE, 0), 0);
		CHECK(bo_madvise(&own, DRM_NNA_MADV_DONTNEED));
	}
	stream_held(&head);
	EQ(submit(&head, 0, in), 0);
	stream_null(&env);
	EQ(submit(&env, in, out), 0);
	CHECK(reclaim(&env, "objects in use", count) <= SHRINKER_BATCH);
	CHECK(bo_madvise(&own, DRM_NNA_MADV_WILLNEED));
	stream_release(&head);
	EQ(syncobj_wait(env.fd, out, LONG_WAIT), 0);
	EQ(syncobj_status(env.fd, out), 1);
}

/* ---- a memory control group ------------------------------------------------------------------ */

static void take_objects(void)
{
	int fd = nna_open();
	uint32_t vm = vm_create(fd);

	for (uint64_t i = 1;; i++)
		if (vm_map(fd, vm, bo_create(fd, 1 << 20, 0, 0), 0, i << 30, 1 << 20, 0))
			break;
}

static void take_tables(void)
{
	int fd = nna_open();
	uint32_t vm = vm_create(fd), bo = bo_create(fd, PAGE, 0, 0);

	for (uint32_t i = 0; !map_batch(fd, vm, bo, i); i += BATCH)
		;
}

/*
 * Jobs that wait for endless ones, of which there are more than the rest can take: each of these
 * runs for five seconds. In as many files as there can be.
 */
static void take_jobs(void)
{
	const unsigned int heads = 12;

	for (;;) {
		struct env env;
		uint32_t out;

		env_init(&env);
		stream_endless(&env);
		out = syncobj_create(env.fd);
		for (unsigned int n = 0;; n++) {
			struct drm_nna_submit args = env_submit(&env);
			int ret;

			ret = ctx_create(env.fd, env.vm, DRM_NNA_CTX_PRIORITY_LOW, &args.ctx_id);
			if (ret == -ENOSPC)
				break;
			if (!ret && n < heads)
				ret = submit_args(&env, &args, 0, n == heads - 1 ? out : 0);
			for (unsigned int i = 0; i < 15 && !ret && n >= heads; i++)
				ret = submit_args(&env, &args, out, 0);
			if (ret)
				return;
		}
	}
}

/* Runs a client that takes all it can get in a control group, and one outside of it. */
static void beside(void (*take)(void))
{
	struct control_group group;
	char path[64];
	struct env env;
	long long hits;
	int status;
	pid_t pid;

	env_init(&env);
	if (!control_group_make(&group, "32M"))
		SKIP("no control groups of memory");
	pid = fork();
	CHECK(pid >= 0);
	if (!pid) {
		control_group_join(&group);
		take();
		_exit(0);
	}
	/* It ends by itself when it gets no more memory, or is killed; here nothing goes wrong. */
	while (!waitpid(pid, &status, WNOHANG))
		expect_result(&env);
	snprintf(path, sizeof(path), "%s/nna/memory.events", group.dir);
	hits = text_value(read_file(path), "max ");
	printf("# %s after %lld times at the limit\n",
	       WIFSIGNALED(status) ? "killed" : "got an error", hits);
	CHECK(hits > 0);
	CHECK(WIFSIGNALED(status) ? WTERMSIG(status) == SIGKILL : WIFEXITED(status));
	control_group_remove(&group);
	expect_result(&env);
}

/* Binds that fail since the group is full, of all sizes that the device's limit could have left. */
static void fail_binds(int done)
{
	int fd = nna_open();
	uint32_t vm = vm_create(fd);
	unsigned int failed = 0;

	for (uint64_t size = 1ull << 30; size >= 1 << 20; size >>= 1)
		for (unsigned int i = 0; i < 2; i++)
			failed += vm_map(fd, vm, bo_create(fd, size, 0, 0), 0, 0x40000000, size,
					 0) == -ENOMEM;
	printf("# %u binds failed\n", failed);
	fflush(stdout);
	CHECK(write(done, "", 1) == 1);
	pause();
}

/* Pages that a client could not get do not count: another one gets them, while the first lives. */
TEST(pages_that_failed)
{
	struct control_group group;
	uint32_t bo, vm;
	int pipes[2], fd;
	char byte;
	pid_t pid;

	fd = nna_open();
	vm = vm_create(fd);
	bo = bo_create(fd, PAGE, 0, 0);
	if (!control_group_make(&group, "32M"))
		SKIP("no control groups of memory");
	CHECK(!pipe(pipes));
	pid = fork();
	CHECK(pid >= 0);
	if (!pid) {
		control_group_join(&group);
		close(pipes[0]);
		fail_binds(pipes[1]);
		_exit(0);
	}
	close(pipes[1]);
	EQ(read(pipes[0], &byte, 1), 1);
	EQ(vm_map(fd, vm, bo, 0, 0x40000000, PAGE, 0), 0);
	kill(pid, SIGKILL);
	EQ(waitpid(pid, NULL, 0), pid);
	control_group_remove(&group);
}

TEST(objects_beside_a_bystander)
{
	beside(take_objects);
}

TEST(tables_beside_a_bystander)
{
	beside(take_tables);
}

TEST(jobs_beside_a_bystander)
{
	beside(take_jobs);
}
