/* SPDX-License-Identifier: MIT */
/*
 * A pool of threads that run tiles. The thread that calls nnadev_workers_run() is one of them; a
 * pool of one thread starts no others.
 *
 * Each thread gets a share of neighbouring tiles: thread 0 the first ones, and so on. A thread that
 * has finished its share takes tiles of others. So when two commands in a row are cut alike, a
 * thread finds its own results of the first one in its cache, and two threads seldom write to the
 * same cache line. Moving a cache line between CPUs is the most expensive part of a round on many
 * machines.
 */
#ifndef NNADEV_WORKERS_H
#define NNADEV_WORKERS_H

#include <stdbool.h>
#include <stdint.h>

#define NNADEV_WORKERS_MAX 64u /* threads of a pool */

struct nnadev_workers;

/**
 * struct nnadev_shares - tiles of a round that have not been started
 * @threads: number of shares
 * @next: per thread: the first tile of its share
 * @end: per thread: one past the last tile of its share; equal to @next for an empty share
 */
struct nnadev_shares {
	uint32_t threads;
	uint32_t next[NNADEV_WORKERS_MAX];
	uint32_t end[NNADEV_WORKERS_MAX];
};

/* Deals tiles [0, @tiles) to @threads threads, 1 to NNADEV_WORKERS_MAX. */
void nnadev_shares_deal(struct nnadev_shares *shares, uint32_t threads, uint32_t tiles);

/* The number of tiles in all shares. */
uint32_t nnadev_shares_left(const struct nnadev_shares *shares);

/**
 * struct nnadev_round - a round of tiles
 * @run: runs @tile as thread @thread (0 is the caller); a status other than 0 ends the round
 * @stop: called by each thread after each tile, at time @now. Return: whether to leave the tiles
 *	that have not been started for later. May be NULL.
 * @meanwhile: called at most once, by the caller, when it has run its last tile and waits for
 *	others; may be NULL
 * @context: handed to all three
 * @context_size: bytes of @context that tiles read and that have changed since the last round
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
 * @spin_ns: how long a thread spins for the next round, or for the end of this one, before it
 *	sleeps; taken as 0 when there are more threads than CPUs
 *
 * All signals are blocked in the threads. Return: 0 or a negative errno.
 */
int nnadev_workers_create(uint32_t threads, uint64_t spin_ns, struct nnadev_workers **out);

void nnadev_workers_destroy(struct nnadev_workers *pool);

/**
 * nnadev_workers_run() - run tiles, each at most once
 * @shares: in: the tiles, dealt to as many threads as the pool has; out: the tiles that were not
 *	started
 * @now: in: a recent nnadev_clock_now(); out: the same, as of the return
 *
 * Returns when no thread runs a tile of this round any more. One caller at a time.
 *
 * Return: 0, or the first status other than 0 that a tile returned.
 */
uint32_t nnadev_workers_run(struct nnadev_workers *pool, const struct nnadev_round *work,
			    struct nnadev_shares *shares, uint64_t *now);

/*
 * Time that thread @thread (0 is the caller) has run tiles since the pool was created, in ns. To be
 * called by the thread that calls nnadev_workers_run(), between two rounds.
 */
uint64_t nnadev_workers_busy(const struct nnadev_workers *pool, uint32_t thread);

/**
 * struct nnadev_cpu_times - for how long each thread of a pool has had a CPU, in ns
 */
struct nnadev_cpu_times {
	uint64_t ns[NNADEV_WORKERS_MAX];
};

/**
 * nnadev_workers_cpu_since() - the time for which a thread of the pool had a CPU
 * @times: in: what an earlier call has read, or anything; out: the times now
 *
 * One system call for each thread. To be called by the thread that calls nnadev_workers_run(), by
 * which thread 0 is meant; so was the earlier call.
 *
 * Return: the longest time of a thread since the earlier call, in ns.
 */
uint64_t nnadev_workers_cpu_since(const struct nnadev_workers *pool,
				  struct nnadev_cpu_times *times);

/* The duration of the longest tile in ns, and a function that resets it to 0. */
uint64_t nnadev_workers_longest(const struct nnadev_workers *pool);
void nnadev_workers_forget(struct nnadev_workers *pool);

/* CPUs that this process may use, at most NNADEV_WORKERS_MAX. */
uint32_t nnadev_workers_cpus(void);

#endif
