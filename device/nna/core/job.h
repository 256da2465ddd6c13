/* SPDX-License-Identifier: MIT */
/*
 * A job: an entry that was fetched from a job ring, and the progress of its stream.
 *
 * Each job ring has one, for the entry at its head. It keeps its state until the job ends, also
 * while jobs of other rings run, so it can be preempted between any two tiles. Only the command
 * processor accesses it.
 */
#ifndef NNADEV_JOB_H
#define NNADEV_JOB_H

#include "device/nna/core/exec.h"
#include "device/nna/core/operand.h"
#include "device/nna/core/ring.h"
#include "device/nna/core/stopwatch.h"
#include "device/host/pages.h"

struct nnadev_job;
struct nnahw_command_info;

/**
 * struct nnadev_profile - the profile of a job, and the record of the current command
 * @open: the entry has a profile, and its header has been read. Otherwise no other member is used,
 *	and the clock is not read for it.
 * @header: as it will be written when the job ends
 * @record: the record, whose times are in ns; its end is filled in last
 * @run_begin: time for which the job had been running when the command was fetched, in ns
 * @left: tiles of the round that were left when it was started or resumed
 * @busy: per worker: ns spent on tiles by that time
 */
struct nnadev_profile {
	bool open;
	struct nnahw_profile_header header;
	struct nnahw_profile_record record;
	uint64_t run_begin;
	uint32_t left;
	uint64_t busy[NNAHW_PROFILE_WORKERS];
};

/* Commands of more bytes are not kept. */
#define NNADEV_JOB_KNOWN_BYTES 1088u

/**
 * struct nnadev_instruction - a command that is current, ready to run, or kept for the next job
 * @exec: the resources that its tiles run with
 * @job: its job, or NULL
 * @shared: memory that the tiles share
 * @stop: time from which on no tile is started
 * @phase: the current phase of the plan
 * @plan: made by the engine
 * @command: input of the engine; its raw points to @bytes
 * @info: its description
 * @ranges: memory of the operands
 * @generation: of the MMU when the operands were resolved; 0 to resolve them again
 * @space: address space in which they were resolved
 * @slots_stamp: stamp of the base table that they were checked against
 * @bytes: the command as fetched
 * @room: size of the buffer at @bytes
 * @is_known: it has a plan that the next job can use
 */
struct nnadev_instruction {
	_Alignas(64) struct nnadev_exec *exec;
	struct nnadev_job *job;
	void *shared;
	uint64_t stop;
	uint32_t phase;
	struct nnadev_engine_plan plan;
	struct nnadev_engine_command command;
	const struct nnahw_command_info *info;
	struct nnadev_range ranges[NNAHW_MAX_OPERANDS];
	uint64_t generation;
	const struct nnadev_space *space;
	uint64_t slots_stamp;
	uint8_t *bytes;
	uint32_t room;
	bool is_known;
};

/**
 * struct nnadev_known - a command that is kept, since the same job is usually submitted again
 * @at: the command and its plan
 * @bytes: its bytes
 */
struct nnadev_known {
	struct nnadev_instruction at;
	_Alignas(64) uint8_t bytes[NNADEV_JOB_KNOWN_BYTES];
};

/* The number of commands that are kept of each job, the first ones: what fits a page of 2 MiB. */
#define NNADEV_JOB_KNOWN_SIZE ((uint32_t)NNADEV_PAGES_LARGE)
#define NNADEV_JOB_KNOWN (NNADEV_JOB_KNOWN_SIZE / (uint32_t)sizeof(struct nnadev_known))

/**
 * enum nnadev_job_state - the next step of a job
 * @NNADEV_JOB_IDLE: there is no job
 * @NNADEV_JOB_OPEN: the stream's header and the base table are to be fetched
 * @NNADEV_JOB_FETCH: the next command is to be fetched
 * @NNADEV_JOB_OPERANDS: memory for the operands of the current command is to be found
 * @NNADEV_JOB_TILES: tiles of the current command are to be run
 * @NNADEV_JOB_RESULTS: gathered outputs of the current command are to be written back
 * @NNADEV_JOB_LINGER: the job is done, but NNADEV_INJECT_SLOW_NS delays its end
 * @NNADEV_JOB_HANG: NNADEV_INJECT_HANG or _STUCK: the job makes no progress
 */
enum nnadev_job_state {
	NNADEV_JOB_IDLE,
	NNADEV_JOB_OPEN,
	NNADEV_JOB_FETCH,
	NNADEV_JOB_OPERANDS,
	NNADEV_JOB_TILES,
	NNADEV_JOB_RESULTS,
	NNADEV_JOB_LINGER,
	NNADEV_JOB_HANG,
};

/**
 * struct nnadev_job - a job
 * @state: the next step
 * @ring: its ring; does not change
 * @entry: as fetched
 * @space: its address space; the job holds a reference
 * @stream_end: bytes of the stream, by its header
 * @offset: offset in the stream of the current or next command, in bytes
 * @stuck: NNADEV_INJECT_STUCK: the job does not react to its budget or ABORT either
 * @operand: index of the operand at fault, or all ones
 * @fault: the last fault
 * @begin: time of its start; all times are of nnadev_clock_now()
 * @watch: its run time
 * @now: the last reading of the clock while the job ran: a step begins when the one before ends
 * @deadline: time by which it must have ended, or 0
 * @budget: ns
 * @slice: run time from which on it yields between two commands, in ns
 * @loop_limit: ns
 * @loop_time: ns spent in loops
 * @loop_mark: run time at the last jump that closed a loop
 * @loop_first: target of that jump
 * @loop_last: offset of that jump; 0 when there was none yet
 * @linger: NNADEV_JOB_LINGER: run time at which the job ends
 * @commands: number of commands that have ended
 * @shared: memory that the tiles of a command share; kept from job to job
 * @shared_size: bytes of @shared
 * @slots: the base table
 * @slot_count: entries of it
 * @slots_stamp: changes whenever @slots changes, also from job to job
 * @profile: see above
 * @at: the current command
 * @next: the command after it, if it is planned already, or NULL
 * @shares: tiles of the round that have not run
 * @instructions: room for commands that are not kept
 * @bytes: for their bytes
 */
struct nnadev_job {
	enum nnadev_job_state state;
	struct nnadev_ring *ring;
	struct nnahw_ring_entry entry;
	struct nnadev_space *space;
	uint32_t stream_end;
	uint32_t offset;
	bool stuck;
	uint32_t operand;
	struct nnadev_fault fault;
	uint64_t begin;
	struct nnadev_stopwatch watch;
	uint64_t now;
	uint64_t deadline;
	uint64_t budget;
	uint64_t slice;
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
	uint32_t slot_count;
	uint64_t slots_stamp;
	struct nnadev_profile profile;
	struct nnadev_instruction *at;
	struct nnadev_instruction *next;
	struct nnadev_shares shares;
	struct nnadev_instruction instructions[2];
	_Alignas(64) uint8_t bytes[2][NNAHW_MAX_COMMAND_SIZE];
};

static inline bool nnadev_job_active(const struct nnadev_job *job)
{
	return job->state != NNADEV_JOB_IDLE;
}

/* Whether a command has been started and has not ended. */
static inline bool nnadev_job_in_command(const struct nnadev_job *job)
{
	return job->state >= NNADEV_JOB_OPERANDS && job->state <= NNADEV_JOB_RESULTS;
}

/* Start the job of job->entry. It may end at once, and does so if @aborted. */
void nnadev_job_start(struct nnadev_exec *exec, struct nnadev_job *job, bool aborted);

/**
 * nnadev_job_run() - continue a job
 * @until: tick at which to return
 *
 * Returns when the job has ended, or between two steps when @until has come or the device's event
 * has been raised.
 *
 * Return: 0, or the time until which the job has nothing to do, because a fault is injected.
 */
uint64_t nnadev_job_run(struct nnadev_exec *exec, struct nnadev_job *job, uint64_t until);

/* Stop the clock of a job that nnadev_job_run() has left waiting. */
void nnadev_job_pause(struct nnadev_exec *exec, struct nnadev_job *job);

/* End a job: write its report and its completion, raise its interrupt. */
void nnadev_job_end(struct nnadev_exec *exec, struct nnadev_job *job, uint32_t status);

/* End a job without report, completion and interrupt: its ring was reset. */
void nnadev_job_drop(struct nnadev_exec *exec, struct nnadev_job *job);

/* Free the memory that is kept from job to job. The job is idle. */
void nnadev_job_fini(struct nnadev_job *job);

#endif
