// SPDX-License-Identifier: MIT
/* Queues of the loopback: jobs, faults that stay with one queue, in-fences, many threads. */
#include <errno.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "tests/unit/libnnaccel/winsys/fill_job.h"

/* A fault bans its queue only; the neighbour runs on. */
static void test_faults(void **state)
{
	struct nna_winsys *ws = *state;
	struct nna_winsys_queue *bad, *good;
	struct nna_winsys_bo *bo, *constant;
	struct fill_job f, g;

	assert_int_equal(ws->ops->queue_create(ws, NNA_PRIORITY_MEDIUM, &bad), 0);
	assert_int_equal(ws->ops->queue_create(ws, NNA_PRIORITY_MEDIUM, &good), 0);
	assert_int_equal(ws->ops->bo_create(ws, 4096, 0, &bo), 0);
	assert_int_equal(ws->ops->bo_create(ws, 4096, NNA_WINSYS_BO_DEVICE_READ_ONLY, &constant),
			 0);
	fill_job_make(&f, ws, bo->va, 1024, 5);
	/* No such page. */
	fill_job_make(&g, ws, 0x700000000000, 1024, 1);
	assert_int_equal(run(ws, bad, &g), -EFAULT);
	assert_int_equal(g.report->status, NNAHW_STATUS_FAULT_MMU);
	assert_int_equal(g.report->fault, NNAHW_FAULT_KIND_UNMAPPED);
	assert_int_equal(run(ws, bad, &f), -ECANCELED);
	assert_int_equal(run(ws, good, &f), 0);
	check_words(bo->map, 1024, 5);
	ws->ops->bo_destroy(ws, g.bo);
	ws->ops->queue_destroy(ws, bad);
	/* A page that the device may only read. */
	assert_int_equal(ws->ops->queue_create(ws, NNA_PRIORITY_MEDIUM, &bad), 0);
	fill_job_make(&g, ws, constant->va, 1024, 1);
	assert_int_equal(run(ws, bad, &g), -EFAULT);
	assert_int_equal(g.report->fault, NNAHW_FAULT_KIND_READ_ONLY);
	check_words(constant->map, 1024, 0);
	ws->ops->queue_destroy(ws, bad);
	ws->ops->bo_destroy(ws, g.bo);
	/* Memory that is gone. */
	assert_int_equal(ws->ops->queue_create(ws, NNA_PRIORITY_MEDIUM, &bad), 0);
	fill_job_make(&g, ws, bo->va, 1024, 9);
	ws->ops->bo_destroy(ws, bo);
	assert_int_equal(run(ws, bad, &g), -EFAULT);
	ws->ops->queue_destroy(ws, bad);
	/* A stream that is none. */
	assert_int_equal(ws->ops->queue_create(ws, NNA_PRIORITY_MEDIUM, &bad), 0);
	memset(g.bo->map, 0, 64);
	assert_int_equal(run(ws, bad, &g), -EINVAL);
	ws->ops->queue_destroy(ws, bad);
	ws->ops->bo_destroy(ws, g.bo);
	ws->ops->bo_destroy(ws, f.bo);
	ws->ops->bo_destroy(ws, constant);
	ws->ops->queue_destroy(ws, good);
}

/* In-fences hold back their queue, in order, and no other. */
static void test_in_fences(void **state)
{
	struct nna_winsys *ws = *state;
	struct nna_winsys_queue *q, *free_queue;
	struct nna_fence *fences[3];
	struct nna_winsys_bo *bo;
	struct fill_job jobs[3];
	int fd = eventfd(0, EFD_CLOEXEC);

	assert_int_equal(ws->ops->queue_create(ws, NNA_PRIORITY_HIGH, &q), 0);
	assert_int_equal(ws->ops->queue_create(ws, NNA_PRIORITY_HIGH, &free_queue), 0);
	assert_int_equal(ws->ops->bo_create(ws, 4096, 0, &bo), 0);
	for (int i = 0; i < 3; i++) {
		fill_job_make(&jobs[i], ws, bo->va, 16, i + 1);
		assert_int_equal(submit(ws, q, &jobs[i], &fd, i == 0, &fences[i]), 0);
	}
	/* The fd is ours again. */
	assert_int_equal(ws->ops->fence_wait(ws, fences[0], 0), -ETIME);
	assert_int_equal(ws->ops->fence_wait(ws, fences[2], 0), -ETIME);
	{
		struct fill_job other;

		fill_job_make(&other, ws, bo->va + 1024, 16, 77);
		assert_int_equal(run(ws, free_queue, &other), 0);
		ws->ops->bo_destroy(ws, other.bo);
	}
	check_words(bo->map, 16, 0);
	assert_int_equal(eventfd_write(fd, 1), 0);
	for (int i = 2; i >= 0; i--) {
		assert_int_equal(ws->ops->fence_wait(ws, fences[i], INT64_MAX), 0);
		assert_int_equal(ws->ops->fence_status(ws, fences[i]), 0);
	}
	/* The last one wrote last. */
	check_words(bo->map, 16, 3);
	for (int i = 0; i < 3; i++) {
		nna_fence_put(fences[i]);
		ws->ops->bo_destroy(ws, jobs[i].bo);
	}
	fd = (close(fd), -1);
	assert_int_equal(submit(ws, q, &jobs[0], &fd, 1, &fences[0]), -EBADF);
	ws->ops->bo_destroy(ws, bo);
	ws->ops->queue_destroy(ws, q);
	ws->ops->queue_destroy(ws, free_queue);
}

/* More jobs than a ring holds, from several queues, without anyone waiting. */
static void test_many_jobs(void **state)
{
	enum { COUNT = 1000, QUEUES = 5 };
	struct nna_winsys *ws = *state;
	struct nna_winsys_queue *q[QUEUES];
	struct nna_fence *fences[COUNT];
	struct nna_winsys_bo *bo;
	struct fill_job jobs[QUEUES];

	assert_int_equal(ws->ops->bo_create(ws, 4096, 0, &bo), 0);
	for (int i = 0; i < QUEUES; i++) {
		assert_int_equal(ws->ops->queue_create(ws, i % 3, &q[i]), 0);
		fill_job_make(&jobs[i], ws, bo->va + 512 * i, 64, i + 1);
	}
	for (int i = 0; i < COUNT; i++)
		assert_int_equal(
			submit(ws, q[i % QUEUES], &jobs[i % QUEUES], NULL, 0, &fences[i]), 0);
	for (int i = 0; i < COUNT; i++) {
		assert_int_equal(ws->ops->fence_wait(ws, fences[i], INT64_MAX), 0);
		assert_int_equal(ws->ops->fence_status(ws, fences[i]), 0);
		nna_fence_put(fences[i]);
	}
	for (int i = 0; i < QUEUES; i++) {
		check_words((char *)bo->map + 512 * i, 64, i + 1);
		ws->ops->queue_destroy(ws, q[i]);
		ws->ops->bo_destroy(ws, jobs[i].bo);
	}
	ws->ops->bo_destroy(ws, bo);
}

static void test_close_with_waiting_jobs(void **state)
{
	struct nna_winsys *ws = *state;
	struct nna_winsys_queue *q;
	struct nna_fence *fence;
	struct fill_job f;
	int fd = eventfd(0, EFD_CLOEXEC);

	assert_int_equal(ws->ops->queue_create(ws, NNA_PRIORITY_MEDIUM, &q), 0);
	fill_job_make(&f, ws, 0x1000, 16, 1);
	assert_int_equal(submit(ws, q, &f, &fd, 1, &fence), 0);
	nna_fence_put(fence);
	ws->ops->bo_destroy(ws, f.bo);
	ws->ops->queue_destroy(ws, q);
	close(fd);
}

struct user {
	struct nna_winsys *ws;
	uint32_t value;
	int failures;
};

static void *use_everything(void *arg)
{
	struct user *u = arg;
	struct nna_winsys *ws = u->ws;

	for (int i = 0; i < 50; i++) {
		struct nna_winsys_queue *q;
		struct nna_winsys_bo *bo;
		struct fill_job f;

		u->failures += ws->ops->queue_create(ws, i % 3, &q) != 0;
		u->failures += ws->ops->bo_create(ws, i % 5 ? 8192 : 3 << 20, 0, &bo) != 0;
		fill_job_make(&f, ws, bo->va, bo->size / 4, u->value + i);
		u->failures += run(ws, q, &f) != 0;
		for (uint64_t k = 0; k < bo->size / 4; k++)
			u->failures += ((uint32_t *)bo->map)[k] != u->value + i;
		ws->ops->bo_destroy(ws, f.bo);
		ws->ops->bo_destroy(ws, bo);
		ws->ops->queue_destroy(ws, q);
	}
	return NULL;
}

static void test_threads(void **state)
{
	pthread_t threads[4];
	struct user users[4];

	for (int i = 0; i < 4; i++) {
		users[i] = (struct user){ *state, 1000 * (i + 1), 0 };
		assert_int_equal(pthread_create(&threads[i], NULL, use_everything, &users[i]), 0);
	}
	for (int i = 0; i < 4; i++) {
		pthread_join(threads[i], NULL);
		assert_int_equal(users[i].failures, 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_faults),
		TEST(test_in_fences),
		TEST(test_many_jobs),
		TEST(test_threads),
		TEST(test_close_with_waiting_jobs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
