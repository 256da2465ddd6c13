// SPDX-License-Identifier: MIT
/* Who runs the loopback's model: those who wait, one at a time, and a thread when nobody does. */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "libnnaccel/winsys/loopback/loopback.h"
#include "tests/unit/libnnaccel/winsys/fill_job.h"

static uint32_t standby_leads(struct nna_winsys *ws)
{
	return atomic_load(&((struct nna_loopback *)ws)->standby_leads);
}

/* submit() for who waits next. */
static int submit_waited(struct nna_winsys *ws, struct nna_winsys_queue *q,
			 const struct fill_job *f, const int *fds, uint32_t count,
			 struct nna_fence **fence)
{
	struct nna_winsys_job job = {
		.job = &f->job, .fence_fds = fds, .fence_count = count, .waited = true,
	};

	return ws->ops->queue_submit(ws, q, &job, fence);
}

static int wait_and_put(struct nna_winsys *ws, struct nna_fence *fence)
{
	int ret = ws->ops->fence_wait(ws, fence, INT64_MAX) ?: ws->ops->fence_status(ws, fence);

	nna_fence_put(fence);
	return ret;
}

/* Jobs that are waited for run in the thread that waits, and so do invalidations. */
static void test_own_thread(void **state)
{
	struct nna_winsys *ws = *state;
	struct nna_winsys_queue *q;
	struct nna_winsys_bo *bo;
	struct fill_job f;

	assert_int_equal(ws->ops->queue_create(ws, NNA_PRIORITY_MEDIUM, &q), 0);
	for (uint32_t i = 0; i < 100; i++) {
		struct nna_fence *fence;

		assert_int_equal(ws->ops->bo_create(ws, 4096, 0, &bo), 0);
		fill_job_make(&f, ws, bo->va, 1024, i);
		assert_int_equal(submit_waited(ws, q, &f, NULL, 0, &fence), 0);
		assert_int_equal(wait_and_put(ws, fence), 0);
		check_words(bo->map, 1024, i);
		ws->ops->bo_destroy(ws, f.bo);
		ws->ops->bo_destroy(ws, bo);
	}
	assert_int_equal(standby_leads(ws), 0);
	ws->ops->queue_destroy(ws, q);
}

/* A job for which nobody waits. */
static void test_nobody(void **state)
{
	struct nna_winsys *ws = *state;
	struct nna_winsys_queue *q;
	struct nna_winsys_bo *bo;
	struct fill_job f;

	assert_int_equal(ws->ops->queue_create(ws, NNA_PRIORITY_LOW, &q), 0);
	assert_int_equal(ws->ops->bo_create(ws, 4096, 0, &bo), 0);
	fill_job_make(&f, ws, bo->va, 1024, 7);
	for (uint32_t i = 0; i < 20; i++) {
		struct nna_fence *fence;
		struct pollfd p = { .events = POLLIN };

		assert_int_equal(submit(ws, q, &f, NULL, 0, &fence), 0);
		assert_int_equal(ws->ops->fence_poll(ws, fence), 0);
		p.fd = fence->event;
		assert_int_equal(poll(&p, 1, -1), 1);
		assert_int_equal(wait_and_put(ws, fence), 0);
	}
	/* It may have taken several of them before it left. */
	assert_true(standby_leads(ws) > 0);
	check_words(bo->map, 1024, 7);
	ws->ops->bo_destroy(ws, f.bo);
	ws->ops->bo_destroy(ws, bo);
	ws->ops->queue_destroy(ws, q);
}

struct waiter {
	struct nna_winsys *ws;
	struct nna_fence *fence;
	int ret;
};

static void *wait_for_fence(void *arg)
{
	struct waiter *w = arg;

	w->ret = wait_and_put(w->ws, w->fence);
	return NULL;
}

/* Returns when @count threads wait and nobody leads. */
static void wait_for_followers(struct nna_winsys *ws, uint32_t count)
{
	struct nna_loopback *lb = (struct nna_loopback *)ws;
	uint32_t waiting = 0;
	bool led = true;

	while (led || waiting < count) {
		sched_yield();
		waiting = 0;
		pthread_mutex_lock(&lb->turn);
		for (struct nna_loopback_follower *f = lb->first_follower; f; f = f->next)
			waiting++;
		led = lb->led;
		pthread_mutex_unlock(&lb->turn);
	}
}

/* Threads whose jobs wait for something run what others submit, and then their own. */
static void test_followers(void **state)
{
	enum { THREADS = 3 };
	struct nna_winsys *ws = *state;
	struct nna_winsys_queue *held[THREADS], *q;
	struct fill_job late[THREADS], now;
	struct nna_winsys_bo *bo;
	struct waiter waiters[THREADS];
	pthread_t threads[THREADS];
	int fd = eventfd(0, EFD_CLOEXEC);

	assert_int_equal(ws->ops->bo_create(ws, 4096, 0, &bo), 0);
	assert_int_equal(ws->ops->queue_create(ws, NNA_PRIORITY_LOW, &q), 0);
	fill_job_make(&now, ws, bo->va, 16, 99);
	for (uint32_t i = 0; i < THREADS; i++) {
		assert_int_equal(ws->ops->queue_create(ws, i % 3, &held[i]), 0);
		fill_job_make(&late[i], ws, bo->va + 1024 * (i + 1), 16, i);
		waiters[i] = (struct waiter){ .ws = ws };
		assert_int_equal(submit_waited(ws, held[i], &late[i], &fd, 1, &waiters[i].fence),
				 0);
		assert_int_equal(pthread_create(&threads[i], NULL, wait_for_fence, &waiters[i]),
				 0);
	}
	wait_for_followers(ws, THREADS);
	for (uint32_t i = 0; i < 50; i++) {
		struct nna_fence *fence;
		struct pollfd p = { .events = POLLIN };

		assert_int_equal(submit(ws, q, &now, NULL, 0, &fence), 0);
		assert_int_equal(ws->ops->fence_poll(ws, fence), 0);
		p.fd = fence->event;
		assert_int_equal(poll(&p, 1, -1), 1);
		nna_fence_put(fence);
		/* Whoever has run it waits again. */
		wait_for_followers(ws, THREADS);
	}
	assert_int_equal(eventfd_write(fd, 1), 0);
	for (uint32_t i = 0; i < THREADS; i++) {
		pthread_join(threads[i], NULL);
		assert_int_equal(waiters[i].ret, 0);
		check_words((char *)bo->map + 1024 * (i + 1), 16, i);
		ws->ops->bo_destroy(ws, late[i].bo);
		ws->ops->queue_destroy(ws, held[i]);
	}
	assert_int_equal(standby_leads(ws), 0);
	ws->ops->bo_destroy(ws, now.bo);
	ws->ops->bo_destroy(ws, bo);
	ws->ops->queue_destroy(ws, q);
	close(fd);
}

/* A wait ends when its time has come, and the job goes on without it. */
static void test_time(void **state)
{
	struct nna_winsys *ws = *state;
	struct nna_winsys_queue *q;
	struct nna_winsys_bo *bo;
	struct nna_fence *fence;
	struct fill_job f;
	struct timespec t;
	int64_t now;
	int fd = eventfd(0, EFD_CLOEXEC);

	assert_int_equal(ws->ops->queue_create(ws, NNA_PRIORITY_MEDIUM, &q), 0);
	assert_int_equal(ws->ops->bo_create(ws, 4096, 0, &bo), 0);
	fill_job_make(&f, ws, bo->va, 1024, 3);
	assert_int_equal(submit_waited(ws, q, &f, &fd, 1, &fence), 0);
	assert_int_equal(ws->ops->fence_wait(ws, fence, 0), -ETIME);
	clock_gettime(CLOCK_MONOTONIC, &t);
	now = t.tv_sec * 1000000000 + t.tv_nsec;
	assert_int_equal(ws->ops->fence_wait(ws, fence, now + 1), -ETIME);
	assert_int_equal(ws->ops->fence_wait(ws, fence, now + 3000000), -ETIME);
	assert_int_equal(eventfd_write(fd, 1), 0);
	assert_int_equal(wait_and_put(ws, fence), 0);
	check_words(bo->map, 1024, 3);
	ws->ops->bo_destroy(ws, f.bo);
	ws->ops->bo_destroy(ws, bo);
	ws->ops->queue_destroy(ws, q);
	close(fd);
}

/**
 * struct scene - a wait for what happens while the waiting thread is on its way into the list
 * @lb: the loopback
 * @leads: the other thread, which waits for @done, is the leader
 * @happened: what is waited for
 * @returned: the wait for it has ended
 * @done: the leader need not wait any longer
 */
struct scene {
	struct nna_loopback *lb;
	atomic_bool leads, happened, returned, done;
};

static bool has_follower(struct nna_loopback *lb)
{
	bool has;

	pthread_mutex_lock(&lb->turn);
	has = lb->first_follower;
	pthread_mutex_unlock(&lb->turn);
	return has;
}

/* The leader is asked, and stays until the other one waits or has gone. */
static bool is_done(const void *what)
{
	struct scene *s = (struct scene *)what;

	if (s->lb->led && !atomic_exchange(&s->leads, true))
		while (!has_follower(s->lb) && !atomic_load(&s->returned))
			sched_yield();
	return atomic_load(&s->done);
}

/* It happens, and is told, when the thread has seen that it has not happened. */
static bool has_happened(const void *what)
{
	struct scene *s = (struct scene *)what;

	if (atomic_exchange(&s->happened, true))
		return true;
	nna_loopback_leader_tell(s->lb);
	return false;
}

static void *wait_until_done(void *arg)
{
	struct scene *s = arg;

	nna_loopback_leader_wait(s->lb, is_done, s, INT64_MAX);
	return NULL;
}

static void *wait_until_happened(void *arg)
{
	struct scene *s = arg;

	nna_loopback_leader_wait(s->lb, has_happened, s, INT64_MAX);
	atomic_store(&s->returned, true);
	return NULL;
}

/* Nobody waits for what has been told before he was in the list. */
static void test_late_follower(void **state)
{
	struct scene s = { .lb = *state };
	pthread_t leader, follower;
	bool stuck = false;

	wait_for_followers(*state, 0);
	assert_int_equal(pthread_create(&leader, NULL, wait_until_done, &s), 0);
	while (!atomic_load(&s.leads))
		sched_yield();
	assert_int_equal(pthread_create(&follower, NULL, wait_until_happened, &s), 0);
	while (!stuck && !atomic_load(&s.returned)) {
		sched_yield();
		pthread_mutex_lock(&s.lb->turn);
		stuck = !s.lb->led && s.lb->first_follower != s.lb->last_follower;
		pthread_mutex_unlock(&s.lb->turn);
	}
	atomic_store(&s.done, true);
	nna_loopback_leader_tell(s.lb);
	pthread_join(leader, NULL);
	pthread_join(follower, NULL);
	assert_false(stuck);
}

struct member {
	struct nna_winsys *ws;
	uint32_t number;
	int failures;
};

/* Submits jobs of all kinds, each after the one before. */
static void *join_crowd(void *arg)
{
	struct member *m = arg;
	struct nna_winsys *ws = m->ws;
	struct nna_winsys_queue *q;
	struct nna_winsys_bo *bo;
	struct fill_job f;

	m->failures += ws->ops->queue_create(ws, m->number % 3, &q) != 0;
	m->failures += ws->ops->bo_create(ws, 1 << 16, 0, &bo) != 0;
	for (uint32_t i = 0; i < 200; i++) {
		struct nna_fence *fence;
		int fd = eventfd(0, EFD_CLOEXEC);
		uint32_t count = i % 7 == 0;

		fill_job_make(&f, ws, bo->va, (uint32_t)(bo->size / 4), m->number + i);
		m->failures += (i & 1 ? submit : submit_waited)(ws, q, &f, &fd, count, &fence) != 0;
		if (count)
			m->failures += eventfd_write(fd, 1) != 0;
		while (i % 5 == 0 && ws->ops->fence_wait(ws, fence, 1) == -ETIME)
			sched_yield();
		m->failures += wait_and_put(ws, fence) != 0;
		for (uint64_t k = 0; k < bo->size / 4; k++)
			m->failures += ((uint32_t *)bo->map)[k] != m->number + i;
		ws->ops->bo_destroy(ws, f.bo);
		close(fd);
	}
	ws->ops->bo_destroy(ws, bo);
	ws->ops->queue_destroy(ws, q);
	return NULL;
}

static void test_crowd(void **state)
{
	enum { THREADS = 6 };
	struct member members[THREADS];
	pthread_t threads[THREADS];

	for (uint32_t i = 0; i < THREADS; i++) {
		members[i] = (struct member){ *state, 1000 * i, 0 };
		assert_int_equal(pthread_create(&threads[i], NULL, join_crowd, &members[i]), 0);
	}
	for (uint32_t i = 0; i < THREADS; i++) {
		pthread_join(threads[i], NULL);
		assert_int_equal(members[i].failures, 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_own_thread), TEST(test_nobody), TEST(test_followers),
		TEST(test_time),       TEST(test_crowd),  TEST(test_late_follower),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
