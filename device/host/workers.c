// SPDX-License-Identifier: MIT
/*
 * A pool of threads that run the tiles of one round at a time.
 *
 * A round begins when the caller writes tiles into the shares. A worker sets @inside before it
 * looks for tiles. When all shares are empty, the caller waits until @inside is clear for every
 * worker: so it waits for each worker that has taken a tile, and not for one that has come too
 * late. The round is written before its tiles, so a worker that has taken a tile sees its round.
 *
 * A worker and the caller communicate through the worker's own cache line: the call, its share of
 * the tiles, and @inside. The only other memory that changes from round to round is the context,
 * which the worker prefetches as a whole.
 */
#include "device/host/workers.h"

#include <errno.h>
#include <fenv.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "device/host/sync.h"
#include "device/host/thread.h"

#define CACHE_LINE 64u

/**
 * struct worker - a thread of the pool
 * @share: its tiles that have not been started: the first in the low half, one past the last in
 *	the high half; other threads take tiles from the end
 * @call: changes when there is a round to join, and when the thread is to end
 * @inside: it may look for tiles, or run one
 * @left: @share at the time the round was closed
 * @context: see struct nnadev_round
 * @context_size: likewise
 * @busy: ns spent on tiles; changes during rounds only
 * @pool: its pool
 * @index: its number
 * @thread: not valid for number 0
 * @clock: the thread's CPU time
 */
struct worker {
	_Alignas(CACHE_LINE) _Atomic uint64_t share;
	_Atomic uint32_t call;
	_Atomic bool inside;
	uint64_t left;
	_Atomic(void *) context;
	_Atomic uint32_t context_size;
	_Alignas(CACHE_LINE) uint64_t busy;
	struct nnadev_workers *pool;
	uint32_t index;
	pthread_t thread;
	clockid_t clock;
};

/**
 * struct nnadev_round_state - the current round; only members that change are written
 * @run: see struct nnadev_round
 * @stop: likewise
 * @status: the first status other than 0
 */
struct nnadev_round_state {
	uint32_t (*run)(void *context, uint32_t tile, uint32_t thread);
	bool (*stop)(void *context, uint64_t now);
	_Atomic uint32_t status;
};

/**
 * struct nnadev_workers - the pool; members that change in each round have their own cache lines
 * @threads: number of threads, the caller included
 * @started: number of threads, without the caller
 * @spin_ns: how long to spin before sleeping
 * @quit: workers are to end
 * @longest: duration of the longest tile, in ns
 * @waiting: the caller sleeps, or is about to
 * @left: raised when a worker has left a round while @waiting
 * @sleepers: workers that sleep, or are about to
 * @awake: raised when @sleepers are to look at @call
 * @round: the current round
 * @workers: the threads; number 0 is the caller
 */
struct nnadev_workers {
	uint32_t threads;
	uint32_t started;
	uint64_t spin_ns;
	_Atomic bool quit;
	_Atomic uint64_t longest;
	_Atomic bool waiting;
	struct nnadev_event left;
	_Alignas(CACHE_LINE) _Atomic uint32_t sleepers;
	struct nnadev_event awake;
	_Alignas(CACHE_LINE) struct nnadev_round_state round;
	struct worker workers[];
};

void nnadev_shares_deal(struct nnadev_shares *shares, uint32_t threads, uint32_t tiles)
{
	/* The first threads get the tiles that are left over: the caller, as thread 0, is awake. */
	const uint32_t each = tiles / threads, more = tiles % threads;
	uint32_t next = 0;

	shares->threads = threads;
	for (uint32_t i = 0; i < threads; i++) {
		shares->next[i] = next;
		next += each + (i < more);
		shares->end[i] = next;
	}
}

uint32_t nnadev_shares_left(const struct nnadev_shares *shares)
{
	uint32_t left = 0;

	for (uint32_t i = 0; i < shares->threads; i++)
		left += shares->end[i] - shares->next[i];
	return left;
}

static uint64_t share_pack(uint32_t next, uint32_t end)
{
	return (uint64_t)end << 32 | next;
}

static uint32_t share_next(uint64_t share)
{
	return (uint32_t)share;
}

static uint32_t share_end(uint64_t share)
{
	return (uint32_t)(share >> 32);
}

/* Take a tile from a share: the owner takes the first, others take the last. */
static bool share_take(_Atomic uint64_t *from, bool owner, uint32_t *tile)
{
	uint64_t share = atomic_load(from), rest;

	do {
		const uint32_t next = share_next(share), end = share_end(share);

		if (next >= end)
			return false;
		*tile = owner ? next : end - 1;
		rest = owner ? share_pack(next + 1, end) : share_pack(next, end - 1);
	} while (!atomic_compare_exchange_weak(from, &share, rest));
	return true;
}

static void note_tile(struct nnadev_workers *pool, uint64_t ns)
{
	uint64_t old = atomic_load_explicit(&pool->longest, memory_order_relaxed);

	while (ns > old &&
	       !atomic_compare_exchange_weak_explicit(&pool->longest, &old, ns,
						      memory_order_relaxed, memory_order_relaxed))
		;
}

/* Prevent further tiles from starting. Those that have started run to their end. */
static void close_round(struct nnadev_workers *pool)
{
	for (uint32_t i = 0; i < pool->threads; i++) {
		const uint64_t left = atomic_exchange(&pool->workers[i].share, 0);

		/* If another thread closes the round as well, it finds the share empty. */
		if (share_next(left) < share_end(left))
			pool->workers[i].left = left;
	}
}

/* The next tile for a thread: from its own share, or from the next share that has tiles. */
static bool take_tile(struct nnadev_workers *pool, uint32_t thread, uint32_t *tile)
{
	for (uint32_t i = thread; i < pool->threads; i++)
		if (share_take(&pool->workers[i].share, i == thread, tile))
			return true;
	for (uint32_t i = 0; i < thread; i++)
		if (share_take(&pool->workers[i].share, false, tile))
			return true;
	return false;
}

/* Run tiles until none is left; @now as in nnadev_workers_run(). */
static void run_tiles(struct nnadev_workers *pool, uint32_t thread, uint64_t *now)
{
	struct nnadev_round_state *round = &pool->round;
	struct worker *w = &pool->workers[thread];
	uint32_t tile;

	while (take_tile(pool, thread, &tile)) {
		void *context = atomic_load_explicit(&w->context, memory_order_relaxed);
		const uint64_t begin = *now;
		const uint32_t status = round->run(context, tile, thread);

		*now = nnadev_clock_now();
		note_tile(pool, *now - begin);
		w->busy += *now - begin;
		if (status) {
			uint32_t none = 0;

			atomic_compare_exchange_strong(&round->status, &none, status);
			close_round(pool);
			return;
		}
		if (round->stop && round->stop(context, *now)) {
			close_round(pool);
			return;
		}
	}
}

/* A worker, and the value that it read from its @call. */
struct call {
	const struct worker *worker;
	uint32_t seen;
};

static bool is_called(const void *context)
{
	const struct call *call = context;

	return atomic_load_explicit(&call->worker->call, memory_order_acquire) != call->seen;
}

/* Wait until the worker is called: spin first, then sleep. */
static void wait_for_call(struct nnadev_workers *pool, const struct call *call)
{
	if (nnadev_spin(is_called, call, pool->spin_ns))
		return;
	atomic_fetch_add(&pool->sleepers, 1);
	for (;;) {
		const uint32_t seq = nnadev_event_read(&pool->awake);

		if (is_called(call))
			break;
		nnadev_event_wait(&pool->awake, seq, NNADEV_FOREVER);
	}
	atomic_fetch_sub(&pool->sleepers, 1);
}

/* Call the workers. They see everything that was written before. */
static void call_workers(struct nnadev_workers *pool)
{
	for (uint32_t i = 1; i <= pool->started; i++) {
		struct worker *w = &pool->workers[i];
		const uint32_t call = atomic_load_explicit(&w->call, memory_order_relaxed);

		atomic_store_explicit(&w->call, call + 1, memory_order_release);
	}
	/*
	 * A worker that goes to sleep increments @sleepers first and reads @call then, and here
	 * the order is the reverse: so at least one of both sees the other's write.
	 */
	if (atomic_fetch_add(&pool->sleepers, 0))
		nnadev_event_raise(&pool->awake);
}

/* Prefetch the context into this CPU's cache. */
static void fetch_context(const struct worker *w)
{
	const uint8_t *context = atomic_load_explicit(&w->context, memory_order_relaxed);
	const uint32_t size = atomic_load_explicit(&w->context_size, memory_order_relaxed);

	for (uint32_t at = 0; at < size; at += CACHE_LINE)
		__builtin_prefetch(context + at);
}

static void *worker_main(void *arg)
{
	struct worker *w = arg;
	struct nnadev_workers *pool = w->pool;
	struct call call = { .worker = w };

	/* The thread has inherited its creator's rounding mode and flush-to-zero. */
	fesetenv(FE_DFL_ENV);
	for (;;) {
		uint64_t now;

		wait_for_call(pool, &call);
		call.seen = atomic_load_explicit(&w->call, memory_order_acquire);
		if (atomic_load(&pool->quit))
			return NULL;
		fetch_context(w);
		atomic_store(&w->inside, true);
		now = nnadev_clock_now();
		run_tiles(pool, w->index, &now);
		atomic_store(&w->inside, false);
		if (atomic_load(&pool->waiting))
			nnadev_event_raise(&pool->left);
	}
}

/* Whether no worker is inside the round. */
static bool is_left(const void *context)
{
	const struct nnadev_workers *pool = context;

	for (uint32_t i = 1; i <= pool->started; i++)
		if (atomic_load(&pool->workers[i].inside))
			return false;
	return true;
}

/* Wait until no worker is inside the round. All tiles have been started. */
static void wait_for_workers(struct nnadev_workers *pool)
{
	if (nnadev_spin(is_left, pool, pool->spin_ns))
		return;
	atomic_store(&pool->waiting, true);
	for (;;) {
		const uint32_t seq = nnadev_event_read(&pool->left);

		if (is_left(pool))
			break;
		nnadev_event_wait(&pool->left, seq, NNADEV_FOREVER);
	}
	atomic_store(&pool->waiting, false);
}

/* Write a round. Members that have not changed are not written: they stay in workers' caches. */
static void open_round(struct nnadev_workers *pool, const struct nnadev_round *work,
		       const struct nnadev_shares *shares)
{
	struct nnadev_round_state *round = &pool->round;

	if (round->run != work->run)
		round->run = work->run;
	if (round->stop != work->stop)
		round->stop = work->stop;
	if (atomic_load_explicit(&round->status, memory_order_relaxed))
		atomic_store_explicit(&round->status, 0, memory_order_relaxed);
	for (uint32_t i = 0; i < pool->threads; i++) {
		struct worker *w = &pool->workers[i];

		w->left = 0;
		atomic_store_explicit(&w->context, work->context, memory_order_relaxed);
		atomic_store_explicit(&w->context_size, work->context_size, memory_order_relaxed);
	}
	/* From here on workers may take tiles. */
	for (uint32_t i = 0; i < pool->threads; i++)
		atomic_store_explicit(&pool->workers[i].share,
				      share_pack(shares->next[i], shares->end[i]),
				      memory_order_release);
}

uint32_t nnadev_workers_run(struct nnadev_workers *pool, const struct nnadev_round *work,
			    struct nnadev_shares *shares, uint64_t *now)
{
	const uint32_t tiles = nnadev_shares_left(shares);
	const bool shared = pool->started && tiles > 1;

	if (!tiles)
		return 0;
	open_round(pool, work, shares);
	if (shared)
		call_workers(pool);
	run_tiles(pool, 0, now);
	if (!is_left(pool)) {
		if (work->meanwhile)
			work->meanwhile(work->context);
		wait_for_workers(pool);
		*now = nnadev_clock_now();
	}
	for (uint32_t i = 0; i < pool->threads; i++) {
		shares->next[i] = share_next(pool->workers[i].left);
		shares->end[i] = share_end(pool->workers[i].left);
	}
	return atomic_load(&pool->round.status);
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
	pool->workers[0].clock = CLOCK_THREAD_CPUTIME_ID;
	for (uint32_t i = 1; i < threads; i++) {
		struct worker *w = &pool->workers[i];

		w->pool = pool;
		w->index = i;
		r = nnadev_thread_create(&w->thread, worker_main, w);
		if (r)
			break;
		pool->started++;
		r = -pthread_getcpuclockid(w->thread, &w->clock);
		if (r)
			break;
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
	call_workers(pool);
	for (uint32_t i = 1; i <= pool->started; i++)
		pthread_join(pool->workers[i].thread, NULL);
	free(pool);
}

uint64_t nnadev_workers_busy(const struct nnadev_workers *pool, uint32_t thread)
{
	return pool->workers[thread].busy;
}

uint64_t nnadev_workers_cpu_since(const struct nnadev_workers *pool, struct nnadev_cpu_times *times)
{
	uint64_t longest = 0;

	for (uint32_t i = 0; i < pool->threads; i++) {
		struct timespec t = { 0 };
		uint64_t ns;

		clock_gettime(pool->workers[i].clock, &t);
		ns = (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
		if (ns > times->ns[i] && ns - times->ns[i] > longest)
			longest = ns - times->ns[i];
		times->ns[i] = ns;
	}
	return longest;
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
