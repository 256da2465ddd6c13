// SPDX-License-Identifier: MIT
/*
 * What every backend of the winsys promises, from several threads at a time.
 *
 *   test_winsys [--device NAME]
 */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "tests/unit/libnnaccel/winsys/fill_job.h"

#define THREADS 4
#define ROUNDS 20
/* More jobs than any list of the backends lets grow before it looks which have ended. */
#define UNWAITED 200
#define SHARED_SIZE (THREADS * 4096)
/* More than the driver gives to a file. */
#define MANY_QUEUES 300

static const char *device_name = "loopback";

static int open_named(void **state)
{
	struct nna_device_options options = { .threads = 2 };
	struct nna_winsys *ws;

	if (nna_winsys_open(device_name, &options, &ws))
		return -1;
	*state = ws;
	return 0;
}

/**
 * struct user - a thread
 * @fd: memory that all threads import
 * @number: its page there, and what it writes
 * @failures: counted in the thread, for cmocka fails in the first one only
 */
struct user {
	struct nna_winsys *ws;
	int fd;
	uint32_t number;
	int failures;
};

static bool all_are(const void *map, uint64_t words, uint32_t value)
{
	const uint32_t *at = map;

	for (uint64_t i = 0; i < words; i++)
		if (at[i] != value)
			return false;
	return true;
}

/* The same handle comes and goes in several threads, and nobody's mapping with it. */
static void *import_and_run(void *arg)
{
	struct user *u = arg;
	struct nna_winsys *ws = u->ws;
	struct nna_winsys_queue *q;

	u->failures += ws->ops->queue_create(ws, u->number % 3, &q) != 0;
	for (uint32_t i = 0; i < ROUNDS; i++) {
		uint32_t value = u->number * ROUNDS + i;
		uint64_t page = u->number * 4096;
		struct nna_winsys_bo *shared, *own;
		struct nna_fence *fence;
		struct fill_job f, g;

		u->failures += ws->ops->bo_import(ws, u->fd, SHARED_SIZE, &shared) != 0;
		u->failures += ws->ops->bo_create(ws, i % 5 ? 8192 : 3 << 20, 0, &own) != 0;
		fill_job_make(&f, ws, shared->va + page, 1024, value);
		fill_job_make(&g, ws, own->va, own->size / 4, value);
		u->failures += run(ws, q, &f) != 0;
		u->failures += !all_are((char *)shared->map + page, 1024, value);
		u->failures += submit(ws, q, &g, NULL, 0, &fence) != 0;
		/* While the job runs, or has run. */
		ws->ops->bo_destroy(ws, own);
		ws->ops->bo_destroy(ws, g.bo);
		ws->ops->bo_destroy(ws, shared);
		ws->ops->bo_destroy(ws, f.bo);
		u->failures += ws->ops->fence_wait(ws, fence, INT64_MAX) != 0;
		u->failures += ws->ops->fence_status(ws, fence) != 0;
		nna_fence_put(fence);
	}
	ws->ops->queue_destroy(ws, q);
	return NULL;
}

static void test_imports(void **state)
{
	struct nna_winsys *ws = *state;
	struct user users[THREADS];
	pthread_t threads[THREADS];
	struct nna_winsys_bo *bo;
	int fd;

	assert_int_equal(ws->ops->bo_create(ws, SHARED_SIZE, NNA_WINSYS_BO_SHAREABLE, &bo), 0);
	fd = ws->ops->bo_export(ws, bo);
	assert_true(fd >= 0);
	for (uint32_t i = 0; i < THREADS; i++) {
		users[i] = (struct user){ ws, fd, i, 0 };
		assert_int_equal(pthread_create(&threads[i], NULL, import_and_run, &users[i]), 0);
	}
	for (uint32_t i = 0; i < THREADS; i++) {
		pthread_join(threads[i], NULL);
		assert_int_equal(users[i].failures, 0);
		check_words((char *)bo->map + i * 4096, 1024, i * ROUNDS + ROUNDS - 1);
	}
	close(fd);
	ws->ops->bo_destroy(ws, bo);
}

/* Jobs that nobody waits for, but for the last one of each queue. */
static void *submit_and_forget(void *arg)
{
	struct user *u = arg;
	struct nna_winsys *ws = u->ws;
	struct nna_winsys_queue *q;
	struct nna_winsys_bo *bo;
	struct fill_job f;

	u->failures += ws->ops->queue_create(ws, u->number % 3, &q) != 0;
	u->failures += ws->ops->bo_create(ws, 4096, 0, &bo) != 0;
	fill_job_make(&f, ws, bo->va, 1024, u->number + 1);
	for (int i = 0; i < UNWAITED; i++) {
		struct nna_fence *fence;
		int ret = submit(ws, q, &f, NULL, 0, &fence);

		/* The driver bounds how many jobs a context may have. */
		if (ret == -EAGAIN || ret == -EBUSY)
			ret = run(ws, q, &f);
		else if (!ret)
			nna_fence_put(fence);
		u->failures += ret != 0;
	}
	u->failures += run(ws, q, &f) != 0;
	u->failures += !all_are(bo->map, 1024, u->number + 1);
	ws->ops->bo_destroy(ws, f.bo);
	ws->ops->bo_destroy(ws, bo);
	ws->ops->queue_destroy(ws, q);
	return NULL;
}

static void test_unwaited(void **state)
{
	struct user users[THREADS];
	pthread_t threads[THREADS];

	for (uint32_t i = 0; i < THREADS; i++) {
		users[i] = (struct user){ *state, -1, i, 0 };
		assert_int_equal(pthread_create(&threads[i], NULL, submit_and_forget, &users[i]),
				 0);
	}
	for (uint32_t i = 0; i < THREADS; i++) {
		pthread_join(threads[i], NULL);
		assert_int_equal(users[i].failures, 0);
	}
}

/* A fault is what the fence says, and bans the queue, and no other. */
static void test_status(void **state)
{
	struct nna_winsys *ws = *state;
	struct nna_winsys_queue *bad, *good;
	struct nna_winsys_bo *bo;
	struct fill_job f, g;

	assert_int_equal(ws->ops->queue_create(ws, NNA_PRIORITY_MEDIUM, &bad), 0);
	assert_int_equal(ws->ops->queue_create(ws, NNA_PRIORITY_MEDIUM, &good), 0);
	assert_int_equal(ws->ops->bo_create(ws, 4096, 0, &bo), 0);
	fill_job_make(&f, ws, bo->va, 1024, 5);
	fill_job_make(&g, ws, 0x700000000000, 1024, 1);
	assert_int_equal(run(ws, bad, &g), -EFAULT);
	assert_int_equal(run(ws, bad, &f), -ECANCELED);
	assert_int_equal(run(ws, good, &f), 0);
	check_words(bo->map, 1024, 5);
	ws->ops->bo_destroy(ws, f.bo);
	ws->ops->bo_destroy(ws, g.bo);
	ws->ops->bo_destroy(ws, bo);
	ws->ops->queue_destroy(ws, bad);
	ws->ops->queue_destroy(ws, good);
}

/* There may be an end to the number of queues, which is no matter of memory or of room. */
static void test_many_queues(void **state)
{
	struct nna_winsys_queue *queues[MANY_QUEUES];
	struct nna_winsys *ws = *state;
	uint32_t count = 0;
	int ret = 0;

	while (!ret && count < MANY_QUEUES) {
		ret = ws->ops->queue_create(ws, NNA_PRIORITY_LOW, &queues[count]);
		count += !ret;
	}
	assert_true(!ret || ret == -EMFILE);
	ws->ops->queue_destroy(ws, queues[--count]);
	assert_int_equal(ws->ops->queue_create(ws, NNA_PRIORITY_LOW, &queues[count++]), 0);
	while (count)
		ws->ops->queue_destroy(ws, queues[--count]);
}

int main(int argc, char **argv)
{
#define NAMED(name) cmocka_unit_test_setup_teardown(name, open_named, close_winsys)
	const struct CMUnitTest tests[] = {
		NAMED(test_imports),
		NAMED(test_unwaited),
		NAMED(test_status),
		NAMED(test_many_queues),
	};

	if (argc == 3 && !strcmp(argv[1], "--device"))
		device_name = argv[2];
	return cmocka_run_group_tests(tests, NULL, NULL);
}
