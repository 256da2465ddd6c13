/* SPDX-License-Identifier: MIT */
/*
 * Threads that run tiles. The thread that calls nna_workers_run() takes part; with one thread in
 * all there are no others.
 */
#ifndef NNA_WORKERS_H
#define NNA_WORKERS_H

#include <stdbool.h>
#include <stdint.h>

struct nna_workers;

/**
 * struct nna_round - a round of tiles
 * @run: run @tile as thread @thread (0 is the caller); a status other than 0 ends the round
 * @stop: asked by each thread after each of its tiles: whether to leave the rest for later; may be
 * NULL
 * @context: for both
 */
struct nna_round {
	uint32_t (*run)(void *context, uint32_t tile, uint32_t thread);
	bool (*stop)(void *context);
	void *context;
};

/**
 * nna_workers_create() - start threads
 * @threads: the caller of nna_workers_run() included, 1 to 64
 *
 * The threads take no signals. Return: 0 or a negative errno.
 */
int nna_workers_create(uint32_t threads, struct nna_workers **out);

void nna_workers_destroy(struct nna_workers *pool);

/**
 * nna_workers_run() - run tiles, each at most once
 * @next: in: first tile to run; out: first tile that was not started (equal to @end when all ran)
 * @end: number of tiles
 *
 * Returns when no thread runs a tile of this round. One caller at a time.
 *
 * Return: 0, or the first status other than 0 that a tile returned.
 */
uint32_t nna_workers_run(struct nna_workers *pool, const struct nna_round *work, uint32_t *next,
			 uint32_t end);

/* Longest tile since the last nna_workers_forget(), in ns. */
uint64_t nna_workers_longest(const struct nna_workers *pool);
void nna_workers_forget(struct nna_workers *pool);

/* CPUs that this process may use, at most 64. */
uint32_t nna_workers_cpus(void);

#endif
