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

#include <cmocka.h>

#include "device/host/sync.h"

#define MOST 1000u
#define THREADS 4u

/**
 * struct work - what tiles note
 * @runs: how often each tile has run
 * @threads: bit set of the threads that ran tiles
 * @errors: what was not as it should be
 * @bad_tile: it returns 7
 * @last_tile: after it the round is to stop
 * @meeting: tiles that wait for each other: how many have come; @wanted of them go on together
 */
struct work {
	_Atomic uint32_t runs[MOST];
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

/* A round of tiles [first, end). Return: its status; @next: the first tile that was left. */
static uint32_t round_of(struct nnadev_workers *pool, uint32_t first, uint32_t end, uint32_t *next)
{
	const struct nnadev_round work = { run, stop, &w };
	uint64_t before = nnadev_clock_now(), now = before;
	uint32_t status;

	*next = first;
	status = nnadev_workers_run(pool, &work, next, end, &now);
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

/* Tiles [first, end) have run once, and no others. */
static void assert_ran(uint32_t first, uint32_t end)
{
	for (uint32_t i = 0; i < MOST; i++)
		assert_int_equal(atomic_load(&w.runs[i]), i >= first && i < end);
}

static void each(void (*test)(struct nnadev_workers *pool))
{
	for (uint32_t threads = 1; threads <= THREADS; threads++) {
		for (uint64_t spin = 0; spin <= 20000; spin += 20000) {
			struct nnadev_workers *pool;

			assert_int_equal(nnadev_workers_create(threads, spin, &pool), 0);
			test(pool);
			nnadev_workers_destroy(pool);
		}
	}
}

static void rounds_once(struct nnadev_workers *pool)
{
	uint32_t next;

	for (uint32_t i = 0; i < 300; i++) {
		uint32_t first = i % 7, end = first + 1 + i % 60;

		begin(MOST, MOST, 0);
		assert_int_equal(round_of(pool, first, end, &next), 0);
		assert_int_equal(next, end);
		assert_ran(first, end);
	}
	begin(MOST, MOST, 0);
	assert_int_equal(round_of(pool, 5, 5, &next), 0);
	assert_int_equal(next, 5);
	assert_ran(0, 0);
}

static void test_once(void **state)
{
	each(rounds_once);
}

static void rounds_end(struct nnadev_workers *pool)
{
	uint32_t next;

	for (uint32_t i = 0; i < 200; i++) {
		begin(i % 50, MOST, 0);
		assert_int_equal(round_of(pool, 0, MOST, &next), 7);
		assert_true(next > i % 50 && next <= MOST);
		assert_ran(0, next);
		begin(MOST, i % 50, 0);
		assert_int_equal(round_of(pool, 0, MOST, &next), 0);
		assert_true(next > i % 50 && next <= MOST);
		assert_ran(0, next);
		/* The rest, later. */
		begin(MOST, MOST, 0);
		assert_int_equal(round_of(pool, next, MOST, &next), 0);
		assert_int_equal(next, MOST);
	}
}

/* A tile that fails, and one after which others are to be left, end a round early. */
static void test_end(void **state)
{
	each(rounds_end);
}

/* Tiles that wait for each other are on different threads. */
static void test_together(void **state)
{
	struct nnadev_workers *pool;
	uint32_t next;

	for (uint64_t spin = 0; spin <= 20000; spin += 20000) {
		assert_int_equal(nnadev_workers_create(THREADS, spin, &pool), 0);
		for (uint32_t i = 0; i < 50; i++) {
			begin(MOST, MOST, THREADS);
			assert_int_equal(round_of(pool, 0, THREADS, &next), 0);
			assert_ran(0, THREADS);
			assert_int_equal(atomic_load(&w.threads), (1u << THREADS) - 1);
		}
		nnadev_workers_destroy(pool);
	}
}

/* Nobody is called for a single tile. */
static void test_alone(void **state)
{
	struct nnadev_workers *pool;
	uint32_t next;

	assert_int_equal(nnadev_workers_create(THREADS, 20000, &pool), 0);
	for (uint32_t i = 0; i < 1000; i++) {
		begin(MOST, MOST, 0);
		assert_int_equal(round_of(pool, i % MOST, i % MOST + 1, &next), 0);
		assert_int_equal(atomic_load(&w.threads), 1);
	}
	nnadev_workers_destroy(pool);
}

/* Time on tiles is counted by thread, and the longest tile is known. */
static void test_times(void **state)
{
	struct nnadev_workers *pool;
	uint64_t longest;
	uint32_t next;

	assert_int_equal(nnadev_workers_create(1, 0, &pool), 0);
	assert_int_equal(nnadev_workers_busy(pool, 0), 0);
	begin(MOST, MOST, 0);
	assert_int_equal(round_of(pool, 0, MOST, &next), 0);
	longest = nnadev_workers_longest(pool);
	assert_true(longest > 0 && nnadev_workers_busy(pool, 0) >= longest);
	nnadev_workers_forget(pool);
	assert_int_equal(nnadev_workers_longest(pool), 0);
	nnadev_workers_destroy(pool);
	assert_int_equal(nnadev_workers_create(0, 0, &pool), -EINVAL);
	assert_int_equal(nnadev_workers_create(NNADEV_WORKERS_MAX + 1, 0, &pool), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_once),
		cmocka_unit_test(test_end),
		cmocka_unit_test(test_together),
		cmocka_unit_test(test_alone),
		cmocka_unit_test(test_times),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
