/* SPDX-License-Identifier: MIT */
/*
 * Threads that run tiles. The thread that calls nnadev_workers_run() takes part; with one thread in
 * all there are no others.
 *
 * Each thread has a share of neighbouring tiles, the first of them the first thread, and those that
 * have done theirs help the others out. So commands that are cut alike, one after the other, find
 * in a thread's caches what it has computed before, and hardly any two threads write next to each
 * other: on machines where a cache line takes long from one CPU to another nothing counts as much.
 */
#ifndef NNADEV_WORKERS_H
#define NNADEV_WORKERS_H

#include <stdbool.h>
#include <stdint.h>

#define NNADEV_WORKERS_MAX 64u /* threads of a pool */

struct nnadev_workers;

/**
 * struct nnadev_shares - tiles of a round that have not been started
 * @threads: how many shares there are
 * @next: of each thread: the first of its tiles
 * @end: likewise, the tile behind its last one; @next where it has none
 */
struct nnadev_shares {
	uint32_t threads;
	uint32_t next[NNADEV_WORKERS_MAX];
	uint32_t end[NNADEV_WORKERS_MAX];
};

/* Deals tiles [0, @tiles) to @threads threads, 1 to NNADEV_WORKERS_MAX. */
void nnadev_shares_deal(struct nnadev_shares *shares, uint32_t threads, uint32_t tiles);

/* How many tiles there are. */
uint32_t nnadev_shares_left(const struct nnadev_shares *shares);

/**
 * struct nnadev_round - a round of tiles
 * @run: run @tile as thread @thread (0 is the caller); a status other than 0 ends the round
 * @stop: asked by each thread after each of its tiles, @now: whether to leave the rest for later;
 *	may be NULL
 * @meanwhile: called by the caller, when it has run its last tile and others have not; once at
 *	most; may be NULL
 * @context: handed to all
 * @context_size: bytes of @context that tiles need and that have changed since the round before
 */
struct nnadev_round {
	uint32_t (*run)(void *context, uint32_t tile, uint32_t thread);
	bool (*stop)(void *context, uint64_t now);
	void (*meanwhile)(void *context);
	void *context;
	uint32_t context_size;
};

/**
 * nnadev_workers_create() - start threads
 * @threads: the caller of nnadev_workers_run() included, 1 to NNADEV_WORKERS_MAX
 * @spin_ns: how long a thread looks for the next round, or for the end of this one, before it
 *	sleeps; taken as 0 where there are more threads than CPUs
 *
 * The threads take no signals. Return: 0 or a negative errno.
 */
int nnadev_workers_create(uint32_t threads, uint64_t spin_ns, struct nnadev_workers **out);

void nnadev_workers_destroy(struct nnadev_workers *pool);

/**
 * nnadev_workers_run() - run tiles, each at most once
 * @shares: in: the tiles, dealt to as many threads as the pool has; out: those that were not
 *	started, none when all ran
 * @now: in: nnadev_clock_now(), not long ago; out: likewise, when it returns
 *
 * Returns when no thread runs a tile of this round. One caller at a time.
 *
 * Return: 0, or the first status other than 0 that a tile returned.
 */
uint32_t nnadev_workers_run(struct nnadev_workers *pool, const struct nnadev_round *work,
			    struct nnadev_shares *shares, uint64_t *now);

/*
 * How long thread @thread (0 is the caller) has run tiles since the pool was made, in ns. For who
 * calls nnadev_workers_run(), while that does not run.
 */
uint64_t nnadev_workers_busy(const struct nnadev_workers *pool, uint32_t thread);

/* The longest tile so far, in ns, and to start again from 0. */
uint64_t nnadev_workers_longest(const struct nnadev_workers *pool);
void nnadev_workers_forget(struct nnadev_workers *pool);

/* CPUs that this process may use, at most NNADEV_WORKERS_MAX. */
uint32_t nnadev_workers_cpus(void);

#endif
