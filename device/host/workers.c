// SPDX-License-Identifier: MIT
/*
 * A pool of threads that run the tiles of one round at a time.
 *
 * A round is published by storing it in @current. A worker counts itself into @inside before it
 * reads @current, and the caller clears @current before it reads @inside: so the caller waits for
 * every worker that may have seen the round.
 */
#include "device/host/workers.h"

#include <errno.h>
#include <fenv.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "device/host/sync.h"
#include "device/host/thread.h"

#define CLOSED (1ull << 40) /* more than any tile */
#define CACHE_LINE 64u

/**
 * struct worker - a thread of the pool
 * @pool: its pool
 * @index: its number
 * @thread: valid but for number 0
 * @busy: ns that it has spent on tiles; changes within rounds
 */
struct worker {
	_Alignas(CACHE_LINE) struct nnadev_workers *pool;
	uint32_t index;
	pthread_t thread;
	uint64_t busy;
};

/**
 * struct nnadev_round_state - the round under way
 * @work: what to do
 * @end: number of tiles
 * @next: the next tile to start, or CLOSED and more
 * @left: the first tile that was not started, once the round is closed
 * @status: the first status other than 0
 */
struct nnadev_round_state {
	struct nnadev_round work;
	uint64_t end;
	_Atomic uint64_t next;
	_Atomic uint64_t left;
	_Atomic uint32_t status;
};

/**
 * struct nnadev_workers - the pool. What waiting threads look at has cache lines of its own.
 * @threads: with the caller
 * @started: without the caller
 * @spin_ns: how long to look for what to do before sleeping
 * @quit: workers are to end
 * @longest: the longest tile so far, in ns
 * @call: raised when there is a round, and to end
 * @current: the round to take part in, or NULL
 * @left: raised when the last worker has left a round
 * @inside: workers that may hold @current
 * @round: what @current points to
 * @workers: the threads; number 0 is the caller
 */
struct nnadev_workers {
	uint32_t threads;
	uint32_t started;
	uint64_t spin_ns;
	_Atomic bool quit;
	_Atomic uint64_t longest;
	_Alignas(CACHE_LINE) struct nnadev_event call;
	_Atomic(struct nnadev_round_state *) current;
	_Alignas(CACHE_LINE) struct nnadev_event left;
	_Atomic uint32_t inside;
	_Alignas(CACHE_LINE) struct nnadev_round_state round;
	struct worker workers[];
};

static void note_tile(struct nnadev_workers *pool, uint64_t ns)
{
	uint64_t old = atomic_load_explicit(&pool->longest, memory_order_relaxed);

	while (ns > old &&
	       !atomic_compare_exchange_weak_explicit(&pool->longest, &old, ns,
						      memory_order_relaxed, memory_order_relaxed))
		;
}

/* Let no more tiles begin. Those that have begun run to their end. */
static void close_round(struct nnadev_round_state *round)
{
	uint64_t left = atomic_exchange(&round->next, CLOSED);

	if (left < CLOSED)
		atomic_store(&round->left, left);
}

/* Run tiles of a round until none is left; @now as in nnadev_workers_run(). */
static void run_tiles(struct nnadev_workers *pool, struct nnadev_round_state *round,
		      uint32_t thread, uint64_t *now)
{
	uint64_t *busy = &pool->workers[thread].busy;

	for (;;) {
		uint64_t tile = atomic_fetch_add(&round->next, 1), begin = *now;
		uint32_t status;

		if (tile >= round->end)
			return;
		status = round->work.run(round->work.context, (uint32_t)tile, thread);
		*now = nnadev_clock_now();
		note_tile(pool, *now - begin);
		*busy += *now - begin;
		if (status) {
			uint32_t none = 0;

			atomic_compare_exchange_strong(&round->status, &none, status);
			close_round(round);
			return;
		}
		if (round->work.stop && round->work.stop(round->work.context, *now)) {
			close_round(round);
			return;
		}
	}
}

static void *worker_main(void *arg)
{
	struct worker *w = arg;
	struct nnadev_workers *pool = w->pool;

	/* What rounds and is flushed to zero is not whoever started the thread's to say. */
	fesetenv(FE_DFL_ENV);
	for (;;) {
		uint32_t seq = nnadev_event_read(&pool->call);
		struct nnadev_round_state *round;

		if (atomic_load(&pool->quit))
			return NULL;
		atomic_fetch_add(&pool->inside, 1);
		round = atomic_load(&pool->current);
		if (round) {
			uint64_t now = nnadev_clock_now();

			run_tiles(pool, round, w->index, &now);
		}
		if (atomic_fetch_sub(&pool->inside, 1) == 1)
			nnadev_event_raise(&pool->left);
		if (!nnadev_event_spin(&pool->call, seq, pool->spin_ns))
			nnadev_event_wait(&pool->call, seq, NNADEV_FOREVER);
	}
}

/* Wait until no worker holds the round, which has been withdrawn. Return: whether it had to. */
static bool wait_for_workers(struct nnadev_workers *pool)
{
	bool waited = false;

	for (;; waited = true) {
		uint32_t seq = nnadev_event_read(&pool->left);

		if (!atomic_load(&pool->inside))
			return waited;
		if (!nnadev_event_spin(&pool->left, seq, pool->spin_ns))
			nnadev_event_wait(&pool->left, seq, NNADEV_FOREVER);
	}
}

uint32_t nnadev_workers_run(struct nnadev_workers *pool, const struct nnadev_round *work,
			    uint32_t *next, uint32_t end, uint64_t *now)
{
	struct nnadev_round_state *round = &pool->round;
	bool shared;
	uint64_t left;

	if (*next >= end)
		return 0;
	shared = pool->started && end - *next > 1;
	round->work = *work;
	round->end = end;
	atomic_store(&round->next, *next);
	atomic_store(&round->status, 0);
	if (shared) {
		atomic_store(&pool->current, round);
		nnadev_event_raise(&pool->call);
	}
	run_tiles(pool, round, 0, now);
	close_round(round);
	if (shared) {
		atomic_store(&pool->current, NULL);
		if (wait_for_workers(pool))
			*now = nnadev_clock_now();
	}
	left = atomic_load(&round->left);
	*next = left < end ? (uint32_t)left : end;
	return atomic_load(&round->status);
}

int nnadev_workers_create(uint32_t threads, uint64_t spin_ns, struct nnadev_workers **out)
{
	struct nnadev_workers *pool;
	size_t size;
	int r = 0;

	if (!threads || threads > NNADEV_WORKERS_MAX)
		return -EINVAL;
	size = sizeof(*pool) + threads * sizeof(pool->workers[0]);
	pool = aligned_alloc(CACHE_LINE, size);
	if (!pool)
		return -ENOMEM;
	memset(pool, 0, size);
	pool->threads = threads;
	pool->spin_ns = threads <= nnadev_workers_cpus() ? spin_ns : 0;
	for (uint32_t i = 1; i < threads; i++) {
		struct worker *w = &pool->workers[i];

		w->pool = pool;
		w->index = i;
		r = nnadev_thread_create(&w->thread, worker_main, w);
		if (r)
			break;
		pool->started++;
	}
	if (r) {
		nnadev_workers_destroy(pool);
		return r;
	}
	*out = pool;
	return 0;
}

void nnadev_workers_destroy(struct nnadev_workers *pool)
{
	if (!pool)
		return;
	atomic_store(&pool->quit, true);
	nnadev_event_raise(&pool->call);
	for (uint32_t i = 1; i <= pool->started; i++)
		pthread_join(pool->workers[i].thread, NULL);
	free(pool);
}

uint64_t nnadev_workers_busy(const struct nnadev_workers *pool, uint32_t thread)
{
	return pool->workers[thread].busy;
}

uint64_t nnadev_workers_longest(const struct nnadev_workers *pool)
{
	return atomic_load_explicit(&pool->longest, memory_order_relaxed);
}

void nnadev_workers_forget(struct nnadev_workers *pool)
{
	atomic_store(&pool->longest, 0);
}

uint32_t nnadev_workers_cpus(void)
{
	cpu_set_t set;
	int n;

	if (sched_getaffinity(0, sizeof(set), &set))
		return 1;
	n = CPU_COUNT(&set);
	if (n < 1)
		return 1;
	return (uint32_t)n < NNADEV_WORKERS_MAX ? (uint32_t)n : NNADEV_WORKERS_MAX;
}
