// SPDX-License-Identifier: MIT
/*
 * Files, processes and objects that end while they are in use; races of threads on one file; calls
 * that signals interrupt.
 */

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <unistd.h>
#include <xf86drm.h>

#include "ksft.h"
#include "nna_test.h"

TEST(duplicated_file)
{
	struct env env;
	int copy;

	env_init(&env);
	copy = dup(env.fd);
	close(env.fd);
	env.fd = copy;
	expect_result(&env);
}

TEST(inherited_by_a_child)
{
	struct env env;
	int status, ready[2];
	pid_t pid;
	char c;

	env_init(&env);
	CHECK(!pipe(ready));
	pid = fork();
	if (!pid) {
		EQ(read(ready[0], &c, 1), 1);
		expect_result(&env);
		_exit(0);
	}
	env_fini(&env);
	EQ(write(ready[1], "", 1), 1);
	EQ(waitpid(pid, &status, 0), pid);
	EQ(status, 0);
}

/* The same, after the parent has died while its job ran. */
TEST(inherited_from_a_killed_parent)
{
	int status, done[2];
	char c = 1;
	pid_t pid;

	CHECK(!pipe(done));
	pid = fork();
	if (!pid) {
		struct env env;

		env_init(&env);
		stream_endless(&env);
		EQ(submit(&env, 0, 0), 0);
		if (!fork()) {
			usleep(200000);
			EQ(ctx_destroy(env.fd, env.ctx), 0);
			EQ(ctx_create(env.fd, env.vm, DRM_NNA_CTX_PRIORITY_MEDIUM, &env.ctx), 0);
			expect_result(&env);
			_exit(write(done[1], "", 1) != 1);
		}
		kill(getpid(), SIGKILL);
	}
	EQ(waitpid(pid, &status, 0), pid);
	close(done[1]);
	EQ(read(done[0], &c, 1), 1);
	EQ(c, 0);
}

TEST(killed_again_and_again)
{
	struct drm_nna_counters before, after;
	struct env env;

	env_init(&env);
	before = counters(env.fd);
	for (int i = 0; i < 30; i++) {
		pid_t pid = fork();

		if (!pid) {
			struct env own;

			env_init(&own);
			stream_endless(&own);
			for (;;)
				if (submit(&own, 0, 0))
					_exit(1);
		}
		usleep(5000 * (useconds_t)(i % 8));
		kill(pid, SIGKILL);
		EQ(waitpid(pid, NULL, 0), pid);
	}
	expect_result(&env);
	after = counters(env.fd);
	EQ(after.driver_resets, before.driver_resets);
}

TEST(killed_while_binding)
{
	struct env env;

	env_init(&env);
	for (int i = 0; i < 20; i++) {
		pid_t pid = fork();

		if (!pid) {
			struct env own;
			uint32_t bo;

			env_init(&own);
			bo = bo_create(own.fd, 8 << 20, own.vm, 0);
			for (;;) {
				vm_map(own.fd, own.vm, bo, 0, 0x40000000, 8 << 20, 0);
				vm_unmap(own.fd, own.vm, 0x40100000, 4 << 20);
			}
		}
		usleep(10000 + 3000 * (useconds_t)(i % 5));
		kill(pid, SIGKILL);
		EQ(waitpid(pid, NULL, 0), pid);
	}
	expect_result(&env);
}

/* More jobs than fit on the ring, so that most of them wait in the scheduler. */
TEST(closed_with_a_long_queue)
{
	struct env env, other;
	uint64_t begin;
	uint32_t max;

	env_init(&env);
	env_init(&other);
	max = hw_info(env.fd).max_ctx_jobs;
	stream_endless(&env);
	/* Many, but not until the first one has run for as long as any may. */
	begin = now_ns();
	for (uint32_t i = 0; i < max && now_ns() - begin < 3 * SECOND; i++)
		EQ(submit(&env, 0, 0), 0);
	begin = now_ns();
	env_fini(&env);
	expect_result(&other);
	CHECK(in_time(begin, 10 * SECOND));
}

/* The fence of a job outlives the file that it was submitted through. */
TEST(fence_outlives_the_file)
{
	struct env env;
	int sync_file;
	uint32_t out;

	env_init(&env);
	out = syncobj_create(env.fd);
	stream_endless(&env);
	EQ(submit(&env, 0, out), 0);
	EQ(drmSyncobjExportSyncFile(env.fd, out, &sync_file), 0);
	env_fini(&env);
	while (!sync_file_status(sync_file))
		usleep(10000);
	CHECK(sync_file_status(sync_file) < 0);
}

TEST(mapping_outlives_the_file)
{
	struct env env;

	env_init(&env);
	expect_result(&env);
	close(env.fd);
	EQ(env.map[ENV_DATA + 0x3fff], 0x6b);
	memset(env.map, 1, ENV_SIZE);
}

/* A job's memory stays until it has ended, though the handle, the VM and the context are gone. */
TEST(all_let_go_while_running)
{
	struct drm_nna_submit args;
	struct env env;
	uint32_t out;

	env_init(&env);
	out = syncobj_create(env.fd);
	stream_endless(&env);
	args = env_submit(&env);
	args.duration_ns = SECOND / 5;
	EQ(submit_args(&env, &args, 0, out), 0);
	bo_close(env.fd, env.bo);
	munmap(env.map, ENV_SIZE);
	EQ(vm_destroy(env.fd, env.vm), 0);
	EQ(syncobj_wait(env.fd, out, LONG_WAIT), 0);
	EQ(syncobj_status(env.fd, out), -ETIMEDOUT);
	EQ(ctx_destroy(env.fd, env.ctx), 0);
}

TEST(syncobj_destroyed_before_its_job)
{
	struct env env;
	uint32_t out, second;

	env_init(&env);
	out = syncobj_create(env.fd);
	second = syncobj_create(env.fd);
	stream_null(&env);
	for (int i = 0; i < 100; i++)
		EQ(submit(&env, i ? out : 0, out), 0);
	EQ(submit(&env, out, second), 0);
	EQ(drmSyncobjDestroy(env.fd, out), 0);
	EQ(syncobj_wait(env.fd, second, LONG_WAIT), 0);
	EQ(syncobj_status(env.fd, second), 1);
}

/* ---- races of threads on one file ------------------------------------------------------------ */

struct race {
	struct env env;
	atomic_bool stop;
	atomic_uint submitted;
};

static void *race_submit(void *arg)
{
	struct race *race = arg;
	struct drm_nna_submit args = env_submit(&race->env);

	while (!atomic_load(&race->stop)) {
		int ret;

		args.ctx_id = 1 + (unsigned int)rand() % 4;
		ret = submit_args(&race->env, &args, 0, 0);
		if (ret && ret != -ENOENT)
			FAIL("submit: %s", strerror(-ret));
		atomic_fetch_add(&race->submitted, !ret);
	}
	return NULL;
}

static void *race_contexts(void *arg)
{
	struct race *race = arg;
	uint32_t ctx;

	while (!atomic_load(&race->stop)) {
		int ret = ctx_create(race->env.fd, race->env.vm, (uint32_t)rand() % 3, &ctx);

		if (ret && ret != -ENOSPC)
			FAIL("create: %s", strerror(-ret));
		ret = ctx_destroy(race->env.fd, 1 + (uint32_t)rand() % 4);
		if (ret && ret != -ENOENT)
			FAIL("destroy: %s", strerror(-ret));
	}
	return NULL;
}

static void *race_binds(void *arg)
{
	struct race *race = arg;
	struct env *env = &race->env;

	while (!atomic_load(&race->stop)) {
		uint32_t bo = bo_create(env->fd, 0x8000, 0, 0);
		uint64_t va = 0x40000000 + 0x1000ull * ((unsigned int)rand() % 16);

		EQ(vm_map(env->fd, env->vm, bo, 0, va, 0x8000, 0), 0);
		bo_close(env->fd, bo);
		EQ(vm_unmap(env->fd, env->vm, va + 0x2000, 0x3000), 0);
	}
	return NULL;
}

/* Handles and ids are small numbers: a thread that guesses them uses what another just creates. */
static void *race_guess(void *arg)
{
	struct race *race = arg;
	struct env *env = &race->env;

	while (!atomic_load(&race->stop)) {
		uint32_t guess = 2 + (uint32_t)rand() % 4;
		struct drm_nna_bo_set_label label = { .handle = guess,
						      .label = (uintptr_t)"guessed" };
		struct drm_nna_bo_mmap_offset offset = { .handle = guess };
		struct drm_gem_close gem = { .handle = guess };
		int ret, dmabuf;

		ret = xioctl(env->fd, DRM_IOCTL_NNA_BO_SET_LABEL, &label);
		if (ret && ret != -ENOENT)
			FAIL("label: %s", strerror(-ret));
		ret = xioctl(env->fd, DRM_IOCTL_NNA_BO_MMAP_OFFSET, &offset);
		if (ret && ret != -ENOENT)
			FAIL("offset: %s", strerror(-ret));
		ret = vm_map(env->fd, guess, guess, 0, 0x40000000, 0x1000, 0);
		if (ret && ret != -ENOENT)
			FAIL("map: %s", strerror(-ret));
		if (!drmPrimeHandleToFD(env->fd, guess, DRM_CLOEXEC, &dmabuf))
			close(dmabuf);
		xioctl(env->fd, DRM_IOCTL_GEM_CLOSE, &gem);
		ret = vm_destroy(env->fd, guess);
		if (ret && ret != -ENOENT)
			FAIL("destroy: %s", strerror(-ret));
	}
	return NULL;
}

static void *race_make(void *arg)
{
	struct race *race = arg;
	int fd = race->env.fd;

	while (!atomic_load(&race->stop)) {
		struct drm_nna_bo_create bo = { .size = 0x2000 };
		struct drm_nna_vm_create vm = { 0 };
		struct drm_gem_close close = { 0 };
		int ret;

		ret = xioctl(fd, DRM_IOCTL_NNA_VM_CREATE, &vm);
		if (ret && ret != -ENOSPC)
			FAIL("vm: %s", strerror(-ret));
		EQ(xioctl(fd, DRM_IOCTL_NNA_BO_CREATE, &bo), 0);
		vm_map(fd, vm.id, bo.handle, 0, 0x40000000, 0x2000, 0);
		close.handle = bo.handle;
		xioctl(fd, DRM_IOCTL_GEM_CLOSE, &close);
		vm_destroy(fd, vm.id);
		atomic_fetch_add(&race->submitted, !ret);
	}
	return NULL;
}

#define MOST_THREADS 5

/* Runs all threads for a while, and until one of their jobs has been taken. */
static void race_run(struct race *race, void *(*const *mains)(void *), unsigned int count)
{
	pthread_t threads[MOST_THREADS];

	for (unsigned int i = 0; i < count; i++)
		CHECK(!pthread_create(&threads[i], NULL, mains[i], race));
	do
		sleep(3);
	while (!atomic_load(&race->submitted));
	atomic_store(&race->stop, true);
	for (unsigned int i = 0; i < count; i++)
		pthread_join(threads[i], NULL);
}

TEST(handles_that_are_guessed)
{
	void *(*const mains[])(void *) = { race_guess, race_guess, race_make, race_make };
	static struct race race;

	env_init(&race.env);
	race_run(&race, mains, 4);
	expect_result(&race.env);
}

TEST(threads_that_race)
{
	void *(*const mains[])(void *) = { race_submit, race_submit, race_contexts, race_binds,
					   race_binds };
	static struct race race;

	env_init(&race.env);
	stream_null(&race.env);
	race_run(&race, mains, 5);
	EQ(ctx_create(race.env.fd, race.env.vm, DRM_NNA_CTX_PRIORITY_MEDIUM, &race.env.ctx), 0);
	expect_result(&race.env);
}

/* ---- signals --------------------------------------------------------------------------------- */

static atomic_uint alarms;

static void on_alarm(int signal)
{
	atomic_fetch_add(&alarms, 1);
}

/* Calls that wait, and calls that a signal can interrupt. */
static void calls(struct env *env)
{
	uint32_t bo = bo_create(env->fd, 1 << 20, env->vm, 0);

	EQ(vm_map(env->fd, env->vm, bo, 0, 0x40000000, 1 << 20, 0), 0);
	expect_result(env);
	EQ(vm_unmap(env->fd, env->vm, 0x40000000, 1 << 19), 0);
	EQ(ctx_destroy(env->fd, env->ctx), 0);
	EQ(ctx_create(env->fd, env->vm, DRM_NNA_CTX_PRIORITY_MEDIUM, &env->ctx), 0);
	EQ(vm_unmap(env->fd, env->vm, 0x40000000, 1 << 20), 0);
	bo_close(env->fd, bo);
}

/* A call that a signal interrupts at any point can be called again with the same argument. */
TEST(interrupted_calls)
{
	struct sigaction action = { .sa_handler = on_alarm }; /* without SA_RESTART */
	uint64_t begin = now_ns(), slowest = 0;
	struct itimerval every = { 0 };
	struct env env;
	int rounds = 0;

	env_init(&env);
	/* A call must come to its end between two signals, however slow this machine is. */
	for (int i = 0; i < 5; i++) {
		uint64_t start = now_ns();

		calls(&env);
		if (now_ns() - start > slowest)
			slowest = now_ns() - start;
	}
	slowest /= 8000;
	every.it_interval.tv_usec = slowest < 700 ? 700 : slowest < 500000 ? slowest : 500000;
	every.it_value = every.it_interval;
	alarm(0);
	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &every, NULL);
	while (now_ns() - begin < PATIENCE(4 * SECOND) || rounds <= 10 ||
	       atomic_load(&alarms) <= 100) {
		if (now_ns() - begin > LONG_WAIT)
			FAIL("%d rounds, %u signals", rounds, atomic_load(&alarms));
		calls(&env);
		rounds++;
	}
	memset(&every, 0, sizeof(every));
	setitimer(ITIMER_REAL, &every, NULL);
	EQ(ctx_state(env.fd, env.ctx).state, 0);
}
