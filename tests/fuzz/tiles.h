/* SPDX-License-Identifier: MIT */
/*
 * Oracles of time for fuzzers that have a device model, in work (work.h): no tile takes more than
 * TILES_MOST, no thread begins more than one tile of a job whose run time is over, and what asks
 * the device for an answer gets it within TILES_ANSWER. Who breaks one ends the process.
 */
#ifndef TEST_FUZZ_TILES_H
#define TEST_FUZZ_TILES_H

#include <stdio.h>
#include <stdlib.h>

#include "device/nna/core/cp.h"
#include "tests/fuzz/work.h"

/*
 * Blocks. test_work.c has the bound of a tile, for what the ordinary build makes of it: here each
 * check of a sanitizer is a block or two more. What is done between two tiles is less than a tile.
 */
#define TILES_MOST 10000000ull
#define TILES_THREADS 3u /* of the devices that are watched, at most */
#define TILES_ANSWER ((TILES_THREADS + 5) * TILES_MOST)

/* Plans whose tiles are watched: more than all jobs keep and have under way. */
#define TILES_PLANS (2u * NNAHW_JOB_RINGS * (NNADEV_JOB_KNOWN + 2))

/**
 * struct tiles - a plan
 * @plan: which
 * @run: of the engine's plan
 */
struct tiles {
	_Atomic(const struct nnadev_engine_plan *) plan;
	_Atomic(nnadev_engine_tile_fn) run;
};

static struct tiles tiles_of[TILES_PLANS];

/* Tiles that began when the time of a ring's job was over, and when that job began. */
static struct {
	_Atomic uint64_t begin;
	_Atomic uint32_t count;
} tiles_late[NNAHW_JOB_RINGS];

/* Where a plan is noted down, or is to be. */
static struct tiles *tiles_find(const struct nnadev_engine_plan *plan)
{
	uint32_t i = (uint32_t)((uintptr_t)plan / 64 % TILES_PLANS);

	for (uint32_t k = 0; k < TILES_PLANS; k++, i = (i + 1) % TILES_PLANS) {
		const struct nnadev_engine_plan *there = atomic_load(&tiles_of[i].plan);

		if (!there || there == plan)
			return &tiles_of[i];
	}
	abort();
}

/* Whether a job has had a tile too many that began when its time was over. */
static bool tiles_too_late(const struct nnadev_job *job)
{
	const uint32_t ring = job->ring->index;

	/* The job does not change while its tiles run. */
	if (nnadev_stopwatch_read(&job->watch, nnadev_clock_now()) <= job->budget) {
		/* What it had too many began at a time that has been corrected since. */
		if (atomic_load(&tiles_late[ring].begin) == job->begin)
			atomic_store(&tiles_late[ring].count, 0);
		return false;
	}
	if (atomic_exchange(&tiles_late[ring].begin, job->begin) != job->begin)
		atomic_store(&tiles_late[ring].count, 0);
	return atomic_fetch_add(&tiles_late[ring].count, 1) >= TILES_THREADS;
}

static uint32_t tiles_run(const struct nnadev_engine_command *cmd,
			  const struct nnadev_engine_plan *plan, uint32_t phase, uint32_t tile,
			  void *scratch, void *shared)
{
	const struct nnadev_instruction *at =
		(const void *)((const uint8_t *)plan - offsetof(struct nnadev_instruction, plan));
	uint64_t before = work_here(), took;
	uint32_t status;

	if (tiles_too_late(at->job)) {
		fprintf(stderr, "tiles of opcode %u begin after the job's time\n",
			cmd->raw->opcode);
		abort();
	}
	status = atomic_load(&tiles_find(plan)->run)(cmd, plan, phase, tile, scratch, shared);
	took = work_here() - before;
	if (took > TILES_MOST) {
		fprintf(stderr, "a tile of opcode %u, phase %u, took %llu blocks\n",
			cmd->raw->opcode, phase, (unsigned long long)took);
		abort();
	}
	return status;
}

static uint32_t tiles_prepare(enum nnadev_engine_isa isa, uint32_t threads,
			      const struct nnadev_engine_command *cmd,
			      struct nnadev_engine_plan *plan)
{
	uint32_t status = nnadev_engine_prepare(isa, threads, cmd, plan);
	struct tiles *tiles = tiles_find(plan);

	atomic_store(&tiles->run, plan->run);
	atomic_store(&tiles->plan, plan);
	plan->run = tiles_run;
	return status;
}

/* Watch the tiles of a device, one at a time, that runs nothing yet. */
static inline void tiles_watch(struct nnadev *dev)
{
	for (uint32_t i = 0; i < TILES_PLANS; i++)
		atomic_store(&tiles_of[i].plan, NULL);
	dev->exec.prepare = tiles_prepare;
}

/* What was asked when all had done the work @from, and answered at @to. */
static inline void tiles_check_answer(const char *what, uint64_t from, uint64_t to)
{
	if (to <= from || to - from <= TILES_ANSWER)
		return;
	fprintf(stderr, "%s took %llu blocks\n", what, (unsigned long long)(to - from));
	abort();
}

#endif
