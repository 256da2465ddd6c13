/* SPDX-License-Identifier: MIT */
/*
 * A job: the entry that was fetched from a job ring, and how far its stream has run.
 *
 * There is one per job ring, at the ring's head; it stays until it ends, also while jobs of other
 * rings run. All of its state is here, so that it can be set aside between any two tiles. Only the
 * command processor touches it.
 */
#ifndef NNADEV_JOB_H
#define NNADEV_JOB_H

#include "device/core/operand.h"

struct nnadev;
struct nnahw_command_info;

/**
 * struct nnadev_instruction - the command that runs
 * @info: its description
 * @command: what the engine is given; raw points to @bytes
 * @plan: what the engine made of it
 * @ranges: memory of the operands
 * @generation: of the MMU when the operands were resolved
 * @phase: of the plan
 * @repeat: how often that phase has been run, if it is one that is repeated
 * @tile: first tile of the phase that has not run
 * @bytes: the command as fetched
 */
struct nnadev_instruction {
	const struct nnahw_command_info *info;
	struct nnadev_engine_command command;
	struct nnadev_engine_plan plan;
	struct nnadev_range ranges[NNAHW_MAX_OPERANDS];
	uint64_t generation;
	uint32_t phase;
	uint32_t repeat;
	uint32_t tile;
	_Alignas(64) uint8_t bytes[NNAHW_MAX_COMMAND_SIZE];
};

/* NNADEV_JOB_HANG: injected; NNADEV_JOB_LINGER: made slower on purpose. */
enum nnadev_job_state {
	NNADEV_JOB_IDLE,
	NNADEV_JOB_OPEN,
	NNADEV_JOB_FETCH,
	NNADEV_JOB_TILES,
	NNADEV_JOB_LINGER,
	NNADEV_JOB_HANG
};

/**
 * struct nnadev_job - a job
 * @state: what comes next; NNADEV_JOB_IDLE when there is none
 * @ring: its ring, for good
 * @entry: as fetched
 * @space: in use
 * @stream_end: bytes of the stream, by its header
 * @offset: of the command that runs or comes next
 * @stuck: injected: does not react to budget and ABORT
 * @operand: at fault, or all ones
 * @fault: last fault
 * @begin: tick of the start
 * @run_time: ticks, without the time since @resumed
 * @resumed: tick since when it runs, or 0
 * @budget: ticks
 * @loop_limit: ticks
 * @loop_time: ticks in loops
 * @loop_mark: run time at the last jump of a loop
 * @loop_first: target of that jump
 * @loop_last: offset of that jump; 0 is none yet
 * @linger: run time to end at
 * @commands: that ended
 * @shared: memory that the tiles of a command share
 * @shared_size: bytes
 * @slots: the base table
 * @at: the current command
 */
struct nnadev_job {
	enum nnadev_job_state state;
	uint32_t ring;
	struct nnahw_ring_entry entry;
	struct nnadev_space *space;
	uint32_t stream_end;
	uint32_t offset;
	bool stuck;
	uint32_t operand;
	struct nnadev_fault fault;
	uint64_t begin;
	uint64_t run_time;
	uint64_t resumed;
	uint64_t budget;
	uint64_t loop_limit;
	uint64_t loop_time;
	uint64_t loop_mark;
	uint32_t loop_first;
	uint32_t loop_last;
	uint64_t linger;
	uint32_t commands;
	void *shared;
	uint32_t shared_size;
	struct nnahw_base slots[NNAHW_MAX_SLOTS];
	struct nnadev_instruction at;
};

static inline bool nnadev_job_active(const struct nnadev_job *job)
{
	return job->state != NNADEV_JOB_IDLE;
}

/* Take up the entry in job->entry; @aborted: it is to end at once. May end the job. */
void nnadev_job_start(struct nnadev *dev, struct nnadev_job *job, bool aborted);

/**
 * nnadev_job_run() - go on with a job
 * @until: tick at which to return
 *
 * Returns when the job has ended, or between tiles when @until has come or the device's event has
 * been raised.
 *
 * Return: 0, or the tick until which there is nothing to do for the job (it hangs, on purpose).
 */
uint64_t nnadev_job_run(struct nnadev *dev, struct nnadev_job *job, uint64_t until);

/* The job does not run any more, after nnadev_job_run() left it hanging. */
void nnadev_job_pause(struct nnadev *dev, struct nnadev_job *job);

/* End a job: report, completion, interrupt. */
void nnadev_job_end(struct nnadev *dev, struct nnadev_job *job, uint32_t status);

/* Forget a job without a word. */
void nnadev_job_drop(struct nnadev *dev, struct nnadev_job *job);

/* Free what an idle job keeps. */
void nnadev_job_fini(struct nnadev_job *job);

#endif
