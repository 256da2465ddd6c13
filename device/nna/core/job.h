/* SPDX-License-Identifier: MIT */
/*
 * A job: the entry that was fetched from a job ring, and how far its stream has run.
 *
 * There is one per job ring, for the entry at the ring's head; it stays until that job ends, also
 * while jobs of other rings run. All of its state is here, so that it can be preempted between any
 * two tiles. Only the command processor touches it.
 */
#ifndef NNADEV_JOB_H
#define NNADEV_JOB_H

#include "device/nna/core/exec.h"
#include "device/nna/core/operand.h"
#include "device/nna/core/ring.h"
#include "device/host/pages.h"

struct nnadev_job;
struct nnahw_command_info;

/**
 * struct nnadev_profile - of a job: what is counted for the record of the command that runs
 * @open: the entry has a profile, whose counts have been read; without it nothing here is touched,
 *	and no clock read for it
 * @header: as it will be written when the job ends
 * @record: of the command, but for its end; its times are in ns
 * @run_begin: ns that the job had run when the command was fetched
 * @left: tiles of the round when it began, or was gone on with
 * @busy: what workers had spent on tiles by then, in ns
 */
struct nnadev_profile {
	bool open;
	struct nnahw_profile_header header;
	struct nnahw_profile_record record;
	uint64_t run_begin;
	uint32_t left;
	uint64_t busy[NNAHW_PROFILE_WORKERS];
};

/* The most bytes that a command may have which is kept. */
#define NNADEV_JOB_KNOWN_BYTES 1024u

/**
 * struct nnadev_instruction - a command that runs, is ready to, or is kept
 * @exec: what its tiles run with
 * @job: its job; NULL where there has been none
 * @shared: memory that the tiles share
 * @stop: when no more tiles are to begin
 * @phase: of the plan
 * @plan: what the engine made of it
 * @command: what the engine is given; raw points to @bytes
 * @info: its description
 * @ranges: memory of the operands
 * @generation: of the MMU when the operands were resolved; 0 if they are to be again
 * @space: in which they were
 * @slots_stamp: of the base table that they were checked against
 * @bytes: the command as fetched
 * @room: bytes that there is room for
 * @is_known: there is a plan, for the next job to use
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
 * struct nnadev_known - a command that is kept, as the same job comes again and again
 * @at: what was made of it
 * @bytes: its bytes
 */
struct nnadev_known {
	struct nnadev_instruction at;
	_Alignas(64) uint8_t bytes[NNADEV_JOB_KNOWN_BYTES];
};

/* Of the first commands of each job so many are kept as lie in one large page. */
#define NNADEV_JOB_KNOWN_SIZE ((uint32_t)NNADEV_PAGES_LARGE)
#define NNADEV_JOB_KNOWN (NNADEV_JOB_KNOWN_SIZE / (uint32_t)sizeof(struct nnadev_known))

/**
 * enum nnadev_job_state - what comes next
 * @NNADEV_JOB_IDLE: nothing: there is no job
 * @NNADEV_JOB_OPEN: the stream's header and the base table are to be fetched
 * @NNADEV_JOB_FETCH: the next command is to be fetched
 * @NNADEV_JOB_OPERANDS: memory for the operands of the current command is to be found
 * @NNADEV_JOB_TILES: tiles of the current command are to be run
 * @NNADEV_JOB_RESULTS: gathered outputs of the current command are to be written back
 * @NNADEV_JOB_LINGER: the job is done, but NNADEV_INJECT_SLOW_NS lets it run on for a time
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
 * @state: what comes next; NNADEV_JOB_IDLE when there is no job
 * @ring: its ring; does not change
 * @entry: as fetched
 * @space: its address space; the job holds a use of it
 * @stream_end: bytes of the stream, by its header
 * @offset: bytes from the start of the stream to the command that runs or comes next
 * @stuck: injected: the job does not even react to budget and ABORT
 * @operand: index of the operand at fault, or all ones
 * @fault: the last fault
 * @begin: when it started, by nnadev_clock_now(), as all times here
 * @run_time: ns, without the time since @resumed
 * @resumed: since when it has been running, or 0 while it is not
 * @now: the clock as it was last read while the job ran: a step begins when the one before ends
 * @deadline: when it must have ended, or 0
 * @budget: ns
 * @loop_limit: ns
 * @loop_time: ns spent in loops
 * @loop_mark: run time at the last jump that closed a loop
 * @loop_first: target of that jump
 * @loop_last: offset of that jump; 0 when there was none yet
 * @linger: NNADEV_JOB_LINGER: run time at which the job ends
 * @commands: how many have ended
 * @shared: memory that the tiles of a command share; kept from job to job
 * @shared_size: bytes of @shared
 * @slots: the base table
 * @slot_count: entries of it
 * @slots_stamp: changes when these do, also from job to job
 * @profile: see above
 * @at: the current command
 * @next: the one behind it, planned, or NULL
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
	uint64_t run_time;
	uint64_t resumed;
	uint64_t now;
	uint64_t deadline;
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

/* How long a job has run, in ns. */
static inline uint64_t nnadev_job_run_time(const struct nnadev_job *job, uint64_t now)
{
	return job->run_time + (job->resumed ? now - job->resumed : 0);
}

/* Whether a command has begun and not ended. */
static inline bool nnadev_job_in_command(const struct nnadev_job *job)
{
	return job->state >= NNADEV_JOB_OPERANDS && job->state <= NNADEV_JOB_RESULTS;
}

/* Start the job of the entry in job->entry; @aborted: end it at once. May end the job. */
void nnadev_job_start(struct nnadev_exec *exec, struct nnadev_job *job, bool aborted);

/**
 * nnadev_job_run() - go on with a job
 * @until: tick at which to return
 *
 * Returns when the job has ended, or between two steps when @until has come or the device's event
 * has been raised.
 *
 * Return: 0, or the tick until which there is nothing to do for the job (it hangs, on purpose).
 */
uint64_t nnadev_job_run(struct nnadev_exec *exec, struct nnadev_job *job, uint64_t until);

/* Stop the clock of a job that nnadev_job_run() has left waiting. */
void nnadev_job_pause(struct nnadev_exec *exec, struct nnadev_job *job);

/* End a job: write its report and its completion, raise its interrupt. */
void nnadev_job_end(struct nnadev_exec *exec, struct nnadev_job *job, uint32_t status);

/* End a job without report, completion and interrupt, because its ring is gone. */
void nnadev_job_drop(struct nnadev_exec *exec, struct nnadev_job *job);

/* Free the memory that is kept from job to job. The job is idle. */
void nnadev_job_fini(struct nnadev_job *job);

#endif
