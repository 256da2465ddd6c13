// SPDX-License-Identifier: MIT
/* The pool: every tile once, in rounds that end early or not, by one thread and by several. */
#include "device/host/workers.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "device/host/sync.h"

#define MOST 1000u
#define THREADS 4u

/**
 * struct work - what tiles note
 * @runs: how often each tile has run
 * @by: the thread that ran it
 * @threads: bit set of the threads that ran tiles
 * @errors: what was not as it should be
 * @bad_tile: it returns 7
 * @last_tile: after it the round is to stop
 * @meeting: tiles that wait for each other: how many have come; @wanted of them go on together
 */
struct work {
	_Atomic uint32_t runs[MOST];
	_Atomic uint32_t by[MOST];
	_Atomic uint32_t threads, errors;
	uint32_t bad_tile, last_tile;
	_Atomic bool stop;
	_Atomic uint32_t meeting;
	uint32_t wanted;
	struct nnadev_event met;
};

static struct work w;

static uint32_t run(void *context, uint32_t tile, uint32_t thread)
{
	if (context != &w || tile >= MOST || thread >= THREADS) {
		atomic_fetch_add(&w.errors, 1);
		return 0;
	}
	atomic_fetch_add(&w.runs[tile], 1);
	atomic_store(&w.by[tile], thread);
	atomic_fetch_or(&w.threads, 1u << thread);
	if (w.wanted) {
		atomic_fetch_add(&w.meeting, 1);
		nnadev_event_raise(&w.met);
		for (;;) {
			uint32_t seq = nnadev_event_read(&w.met);

			if (atomic_load(&w.meeting) >= w.wanted)
				break;
			nnadev_event_wait(&w.met, seq, NNADEV_FOREVER);
		}
	}
	if (tile == w.last_tile)
		atomic_store(&w.stop, true);
	return tile == w.bad_tile ? 7 : 0;
}

static bool stop(void *context, uint64_t now)
{
	if (context != &w || now > nnadev_clock_now())
		atomic_fetch_add(&w.errors, 1);
	return atomic_load(&w.stop);
}

/* A round. Return: its status; @shares: the tiles that were left. */
static uint32_t round_of(struct nnadev_workers *pool, struct nnadev_shares *shares)
{
	const struct nnadev_round work = { run, stop, NULL, &w, sizeof(w) };
	uint64_t before = nnadev_clock_now(), now = before;
	uint32_t status;

	status = nnadev_workers_run(pool, &work, shares, &now);
	assert_true(now >= before && now <= nnadev_clock_now());
	assert_int_equal(atomic_load(&w.errors), 0);
	return status;
}

static void begin(uint32_t bad_tile, uint32_t last_tile, uint32_t wanted)
{
	memset(&w, 0, sizeof(w));
	w.bad_tile = bad_tile;
	w.last_tile = last_tile;
	w.wanted = wanted;
}

/* Of tiles [0, tiles) those have run once that are not left, and no others have run. */
static void assert_ran(uint32_t tiles, const struct nnadev_shares *left)
{
	bool is_left[MOST] = { false };

	for (uint32_t i = 0; i < left->threads; i++)
		for (uint32_t k = left->next[i]; k < left->end[i]; k++)
			is_left[k] = true;
	for (uint32_t i = 0; i < MOST; i++)
		assert_int_equal(atomic_load(&w.runs[i]), i < tiles && !is_left[i]);
}

static void each(void (*test)(struct nnadev_workers *pool, uint32_t threads))
{
	for (uint32_t threads = 1; threads <= THREADS; threads++) {
		for (uint64_t spin = 0; spin <= 20000; spin += 20000) {
			struct nnadev_workers *pool;

			assert_int_equal(nnadev_workers_create(threads, spin, &pool), 0);
			test(pool, threads);
			nnadev_workers_destroy(pool);
		}
	}
}

/* Shares are neighbouring tiles, in the order of threads, of as even a number as there can be. */
static void test_deal(void **state)
{
	for (uint32_t threads = 1; threads <= NNADEV_WORKERS_MAX; threads++) {
		for (uint32_t i = 0; i < 300; i++) {
			const uint32_t tiles = i < 299 ? i : UINT32_MAX;
			struct nnadev_shares shares;
			uint32_t next = 0;

			nnadev_shares_deal(&shares, threads, tiles);
			assert_int_equal(shares.threads, threads);
			assert_int_equal(nnadev_shares_left(&shares), tiles);
			for (uint32_t t = 0; t < threads; t++) {
				const uint32_t count = shares.end[t] - shares.next[t];

				assert_int_equal(shares.next[t], next);
				assert_true(count == tiles / threads ||
					    count == tiles / threads + !!(tiles % threads));
				next = shares.end[t];
			}
			assert_int_equal(next, tiles);
			/* A tile that is alone is the caller's. */
			assert_true(!tiles || shares.end[0]);
		}
	}
}

static void rounds_once(struct nnadev_workers *pool, uint32_t threads)
{
	struct nnadev_shares shares;

	for (uint32_t i = 0; i < 300; i++) {
		begin(MOST, MOST, 0);
		nnadev_shares_deal(&shares, threads, i % 60);
		assert_int_equal(round_of(pool, &shares), 0);
		assert_int_equal(nnadev_shares_left(&shares), 0);
		assert_ran(i % 60, &shares);
	}
}

static void test_once(void **state)
{
	each(rounds_once);
}

static void rounds_end(struct nnadev_workers *pool, uint32_t threads)
{
	struct nnadev_shares shares, rest;

	for (uint32_t i = 0; i < 200; i++) {
		begin(i % 50, MOST, 0);
		nnadev_shares_deal(&shares, threads, MOST);
		assert_int_equal(round_of(pool, &shares), 7);
		assert_int_equal(atomic_load(&w.runs[i % 50]), 1);
		assert_ran(MOST, &shares);
		begin(MOST, i % 50, 0);
		nnadev_shares_deal(&shares, threads, MOST);
		assert_int_equal(round_of(pool, &shares), 0);
		assert_int_equal(atomic_load(&w.runs[i % 50]), 1);
		assert_ran(MOST, &shares);
		/* The rest, later. */
		rest = shares;
		w.last_tile = MOST;
		atomic_store(&w.stop, false);
		assert_int_equal(round_of(pool, &rest), 0);
		assert_int_equal(nnadev_shares_left(&rest), 0);
		assert_ran(MOST, &rest);
	}
}

/* A tile that fails, and one after which others are to be left, end a round early. */
static void test_end(void **state)
{
	each(rounds_end);
}

/* Each thread begins with its own share; and if it has none, it helps. */
static void test_together(void **state)
{
	struct nnadev_workers *pool;
	struct nnadev_shares shares;

	for (uint64_t spin = 0; spin <= 20000; spin += 20000) {
		assert_int_equal(nnadev_workers_create(THREADS, spin, &pool), 0);
		for (uint32_t i = 0; i < 50; i++) {
			begin(MOST, MOST, THREADS);
			nnadev_shares_deal(&shares, THREADS, THREADS);
			assert_int_equal(round_of(pool, &shares), 0);
			assert_ran(THREADS, &shares);
			for (uint32_t t = 0; t < THREADS; t++)
				assert_int_equal(atomic_load(&w.by[t]), t);
			begin(MOST, MOST, THREADS);
			nnadev_shares_deal(&shares, THREADS, 0);
			shares.end[i % THREADS] = THREADS;
			assert_int_equal(round_of(pool, &shares), 0);
			assert_ran(THREADS, &shares);
			assert_int_equal(atomic_load(&w.threads), (1u << THREADS) - 1);
		}
		nnadev_workers_destroy(pool);
	}
}

/* Nobody is called for a single tile, whosever it is. */
static void test_alone(void **state)
{
	struct nnadev_workers *pool;
	struct nnadev_shares shares;

	assert_int_equal(nnadev_workers_create(THREADS, 20000, &pool), 0);
	for (uint32_t i = 0; i < 1000; i++) {
		begin(MOST, MOST, 0);
		nnadev_shares_deal(&shares, THREADS, 0);
		shares.next[i % THREADS] = i;
		shares.end[i % THREADS] = i + 1;
		assert_int_equal(round_of(pool, &shares), 0);
		assert_int_equal(atomic_load(&w.runs[i]), 1);
		assert_int_equal(atomic_load(&w.threads), 1);
	}
	nnadev_workers_destroy(pool);
}

/* Time on tiles is counted by thread, and the longest tile is known. */
static void test_times(void **state)
{
	struct nnadev_workers *pool;
	struct nnadev_shares shares;
	uint64_t longest;

	assert_int_equal(nnadev_workers_create(1, 0, &pool), 0);
	assert_int_equal(nnadev_workers_busy(pool, 0), 0);
	begin(MOST, MOST, 0);
	nnadev_shares_deal(&shares, 1, MOST);
	assert_int_equal(round_of(pool, &shares), 0);
	longest = nnadev_workers_longest(pool);
	assert_true(longest > 0 && nnadev_workers_busy(pool, 0) >= longest);
	nnadev_workers_forget(pool);
	assert_int_equal(nnadev_workers_longest(pool), 0);
	nnadev_workers_destroy(pool);
	assert_int_equal(nnadev_workers_create(0, 0, &pool), -EINVAL);
	assert_int_equal(nnadev_workers_create(NNADEV_WORKERS_MAX + 1, 0, &pool), -EINVAL);
}

static uint64_t own_cpu_time(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* Has the CPU for the time at @context, in ns. */
static uint32_t burn(void *context, uint32_t tile, uint32_t thread)
{
	const uint64_t until = own_cpu_time() + *(const uint64_t *)context;

	while (own_cpu_time() < until)
		;
	return 0;
}

/* The longest of the threads' CPU times: not their sum, nor the time in which they sleep. */
static void test_cpu_times(void **state)
{
	uint64_t each = 20000000, begin, now, cpu;
	const struct nnadev_round work = { .run = burn, .context = &each };
	struct nnadev_cpu_times times = { 0 };
	struct nnadev_workers *pool;
	struct nnadev_shares shares;

	assert_int_equal(nnadev_workers_create(2, 0, &pool), 0);
	nnadev_workers_cpu_since(pool, &times);
	begin = now = nnadev_clock_now();
	nnadev_shares_deal(&shares, 2, 4);
	assert_int_equal(nnadev_workers_run(pool, &work, &shares, &now), 0);
	cpu = nnadev_workers_cpu_since(pool, &times);
	/* One of the two threads has had at least half of the tiles. */
	assert_true(cpu >= 2 * each);
	assert_true(cpu <= nnadev_clock_now() - begin);
	begin = nnadev_clock_now();
	usleep(50000);
	cpu = nnadev_workers_cpu_since(pool, &times);
	assert_true(cpu < (nnadev_clock_now() - begin) / 2);
	nnadev_workers_destroy(pool);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_deal),
		cmocka_unit_test(test_once),
		cmocka_unit_test(test_end),
		cmocka_unit_test(test_together),
		cmocka_unit_test(test_alone),
		cmocka_unit_test(test_times),
		cmocka_unit_test(test_cpu_times),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
