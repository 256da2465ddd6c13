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

#include "device/core/cp.h"
#include "tests/fuzz/work.h"

/*
 * Blocks. test_work.c has the bound of a tile, for what the ordinary build makes of it: here each
 * check of a sanitizer is a block or two more. What is done between two tiles is less than a tile.
 */
#define TILES_MOST 10000000ull
#define TILES_THREADS 3u /* of the devices that are watched, at most */
#define TILES_ANSWER ((TILES_THREADS + 5) * TILES_MOST)

/**
 * struct tiles - the command that a ring's job runs
 * @run: of the engine's plan
 * @late: tiles that began when the job's run time was over
 */
struct tiles {
	nnadev_engine_tile_fn run;
	_Atomic uint32_t late;
};

static struct nnadev *tiles_device;
static struct tiles tiles_of[NNAHW_JOB_RINGS];

static uint32_t tiles_ring(const struct nnadev_engine_command *cmd)
{
	uint32_t ring = 0;

	while (cmd != &tiles_device->jobs[ring].at.command)
		if (++ring == NNAHW_JOB_RINGS)
			abort();
	return ring;
}

static uint32_t tiles_run(const struct nnadev_engine_command *cmd,
			  const struct nnadev_engine_plan *plan, uint32_t phase, uint32_t tile,
			  void *scratch, void *shared)
{
	uint32_t ring = tiles_ring(cmd), status;
	const struct nnadev_job *job = &tiles_device->jobs[ring];
	uint64_t before = work_here(), took;

	/* The job does not change while its tiles run. */
	if (job->run_time + (nnadev_clock_now() - job->resumed) > job->budget &&
	    atomic_fetch_add(&tiles_of[ring].late, 1) >= TILES_THREADS) {
		fprintf(stderr, "tiles of opcode %u begin after the job's time\n",
			cmd->raw->opcode);
		abort();
	}
	status = tiles_of[ring].run(cmd, plan, phase, tile, scratch, shared);
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
	uint32_t ring = tiles_ring(cmd), status = nnadev_engine_prepare(isa, threads, cmd, plan);

	tiles_of[ring].run = plan->run;
	atomic_store(&tiles_of[ring].late, 0);
	plan->run = tiles_run;
	return status;
}

/* Watch the tiles of a device, one at a time, that runs nothing yet. */
static inline void tiles_watch(struct nnadev *dev)
{
	tiles_device = dev;
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
