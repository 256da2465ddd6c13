// SPDX-License-Identifier: MIT
/*
 * A job runs in steps. It opens the stream, then fetches and runs each command, until the stream
 * ends or the job exceeds a limit. Control flow commands are executed here. For any other command
 * the operands are resolved, the engine makes a plan, and the workers run its tiles. The job can be
 * left between any two steps and any two tiles. No step takes longer than a tile: page table walks
 * and gathers of large operands are split into several steps. It yields only between two commands,
 * since a command that has begun may have overwritten its own inputs.
 *
 * A small network consists of short commands, which are the same in each run. So the plan of a
 * command is kept for the next job: see find_known(). With several threads, the command processor
 * prepares the next command while others run the last tiles of the current one: see look_ahead().
 */
#include "device/nna/core/job.h"

#include <stdlib.h>
#include <string.h>

#include "device/nna/core/clock.h"
#include "device/nna/core/profile.h"
#include "hw/gen/nnahw_decode.h"
#include "device/nna/core/stream.h"

#define VA_END (1ull << NNAHW_VA_BITS)

/* The result of a step: continue with the next one, leave the job for now, or the job has ended. */
enum step { STEP_ON, STEP_LEAVE, STEP_ENDED };

static bool range_fits(uint64_t va, uint64_t size, uint64_t align)
{
	return !(va & (align - 1)) && va < VA_END && size <= VA_END - va;
}

static bool entry_fits(const struct nnahw_ring_entry *e)
{
	return !(e->flags & ~(NNAHW_ENTRY_FLAG_NO_IRQ | NNAHW_ENTRY_FLAG_SLICE)) &&
	       !(e->root & ~NNAHW_PTE_ADDRESS) &&
	       e->stream_size >= sizeof(struct nnahw_stream_header) &&
	       e->stream_size <= NNAHW_MAX_STREAM_SIZE &&
	       range_fits(e->stream, e->stream_size, NNAHW_COMMAND_ALIGN) &&
	       e->slot_count <= NNAHW_MAX_SLOTS &&
	       range_fits(e->base_table, e->slot_count * sizeof(struct nnahw_base), 16) &&
	       range_fits(e->report, sizeof(struct nnahw_report), 64) &&
	       !(e->start % NNAHW_COMMAND_ALIGN) && e->start <= e->stream_size && !e->target &&
	       !e->address && !e->length && !e->reserved &&
	       (e->profile ? e->profile_size >= sizeof(struct nnahw_profile_header) &&
				     range_fits(e->profile, e->profile_size, 64) :
			     !e->profile_size);
}

static uint64_t limit(const struct nnadev_exec *exec, uint64_t ticks)
{
	uint64_t ns = nnadev_clock_to_ns(exec->base->params.tick_hz, ticks);

	return ticks && ns < exec->job_limit ? ns : exec->job_limit;
}

void nnadev_job_pause(struct nnadev_exec *exec, struct nnadev_job *job)
{
	nnadev_count(&exec->base->counters.busy,
		     nnadev_stopwatch_pause(exec, &job->watch, job->ring));
}

static void release(struct nnadev_exec *exec, struct nnadev_job *job)
{
	for (uint32_t i = 0; i < job->at->command.operand_count; i++)
		nnadev_range_release(&job->at->ranges[i]);
	nnadev_mmu_put(&exec->mmu, job->space);
	job->space = NULL;
	job->state = NNADEV_JOB_IDLE;
	atomic_store(&job->ring->ran, 0);
}

void nnadev_job_drop(struct nnadev_exec *exec, struct nnadev_job *job)
{
	if (!nnadev_job_active(job))
		return;
	nnadev_job_pause(exec, job);
	release(exec, job);
}

void nnadev_job_fini(struct nnadev_job *job)
{
	free(job->shared);
	job->shared = NULL;
	job->shared_size = 0;
}

/* Return: the rest of a limit in ns, in ticks; at least 1, because 0 means the job limit. */
static uint64_t left(const struct nnadev_exec *exec, uint64_t limit, uint64_t used)
{
	uint64_t ticks = 0;

	if (limit > used)
		ticks = nnadev_clock_to_ticks(exec->base->params.tick_hz, limit - used);
	return ticks ? ticks : 1;
}

static bool is_sliced(const struct nnadev_job *job)
{
	return job->entry.flags & NNAHW_ENTRY_FLAG_SLICE;
}

/* Change the entry of a job that yields to what is left of the job. */
static void leave_rest(struct nnadev_exec *exec, struct nnadev_job *job)
{
	struct nnahw_ring_entry *e = &job->entry;

	/* The job has not begun. */
	if (job->state == NNADEV_JOB_OPEN)
		return;
	e->start = job->offset;
	e->budget = left(exec, is_sliced(job) ? job->slice : job->budget, job->watch.ran);
	e->loop_limit = left(exec, job->loop_limit, job->loop_time);
	nnadev_ring_write_rest(exec->base, job->ring, e);
}

void nnadev_job_end(struct nnadev_exec *exec, struct nnadev_job *job, uint32_t status)
{
	const struct nnahw_ring_entry *e = &job->entry;
	struct nnadev_fault fault = { 0 };
	struct nnahw_report report;
	uint64_t detail, hz = exec->base->params.tick_hz;
	bool faulted = status == NNAHW_STATUS_FAULT_MMU || status == NNAHW_STATUS_FAULT_BUS;
	const bool yields = status == NNAHW_STATUS_YIELDED;

	nnadev_job_pause(exec, job);
	if (faulted)
		fault = job->fault;
	nnadev_profile_close(exec, job);
	if (yields)
		leave_rest(exec, job);
	if (job->space && e->report) {
		memset(&report, 0, sizeof(report));
		report.status = status;
		report.command = job->offset;
		report.operand = job->operand;
		report.fault = fault.kind;
		report.fault_address = fault.address;
		report.begin = nnadev_clock_to_ticks(hz, job->begin);
		report.end = nnadev_clock_to_ticks(hz, nnadev_clock_now());
		report.run_time = nnadev_clock_to_ticks(hz, job->watch.ran);
		report.commands = job->commands;
		report.resume = yields ? e->start : 0;
		report.loop_time = nnadev_clock_to_ticks(hz, job->loop_time);
		if (!nnadev_mmu_write(&exec->mmu, job->space, e->report, &report, sizeof(report),
				      &job->fault) &&
		    !status) {
			status = job->fault.status;
			faulted = status != NNAHW_STATUS_NO_MEMORY;
			fault = job->fault;
		}
	}
	if (status == NNAHW_STATUS_OK || yields)
		detail = nnadev_clock_to_ticks(hz, job->watch.ran);
	else
		detail = faulted ? fault.address : job->offset;
	if (!yields)
		nnadev_count(&exec->base->counters.jobs, 1);
	if (status && !yields) {
		nnadev_count(&exec->base->counters.faults, 1);
		nnadev_bus_log(
			exec->bus,
			"ring %u seqno %u asid %u: status %u at command %#x operand %d, fault "
			"%u at %#llx",
			job->ring->index, e->seqno, e->asid, status, job->offset, (int)job->operand,
			fault.kind, (unsigned long long)fault.address);
	}
	release(exec, job);
	nnadev_ring_complete(exec->base, job->ring, e, status, detail);
}

/* A buffer for command number @n if it is not kept. Two neighbouring commands never share one. */
static struct nnadev_instruction *spare(struct nnadev_job *job, uint32_t n)
{
	struct nnadev_instruction *at = &job->instructions[n & 1];

	at->bytes = job->bytes[n & 1];
	at->room = NNAHW_MAX_COMMAND_SIZE;
	return at;
}

void nnadev_job_start(struct nnadev_exec *exec, struct nnadev_job *job, bool aborted)
{
	const struct nnahw_ring_entry *e = &job->entry;
	uint64_t now = nnadev_clock_now();

	/* The file of a report or a ring was truncated after the last job. */
	if (atomic_exchange(&exec->bus->lost, false))
		nnadev_mmu_reset(&exec->mmu);
	job->space = NULL;
	job->offset = 0;
	job->stuck = false;
	job->operand = UINT32_MAX;
	memset(&job->fault, 0, sizeof(job->fault));
	job->begin = now;
	nnadev_stopwatch_reset(&job->watch, job->ring);
	job->deadline = nnadev_clock_at(exec->base->params.tick_hz, e->deadline);
	job->slice = is_sliced(job) ? limit(exec, e->budget) : UINT64_MAX;
	job->budget = is_sliced(job) ? exec->job_limit : limit(exec, e->budget);
	job->loop_limit = limit(exec, e->loop_limit);
	job->loop_time = 0;
	job->loop_last = 0;
	job->commands = 0;
	job->profile.open = false;
	job->at = spare(job, 0);
	job->next = NULL;
	if (e->type == NNAHW_ENTRY_NOP) {
		nnadev_ring_complete(exec->base, job->ring, e,
				     nnadev_ring_entry_is_plain(e) ? NNAHW_STATUS_OK :
								     NNAHW_STATUS_BAD_ENTRY,
				     0);
		return;
	}
	job->state = NNADEV_JOB_OPEN;
	if (e->type != NNAHW_ENTRY_JOB || !entry_fits(e)) {
		nnadev_job_end(exec, job, NNAHW_STATUS_BAD_ENTRY);
		return;
	}
	job->space = nnadev_mmu_get(&exec->mmu, e->asid, e->root);
	if (!job->space)
		nnadev_job_end(exec, job, NNAHW_STATUS_NO_MEMORY);
	else if (aborted)
		nnadev_job_end(exec, job, NNAHW_STATUS_ABORTED);
	else if (job->deadline && now >= job->deadline)
		nnadev_job_end(exec, job, NNAHW_STATUS_DEADLINE);
	else if (nnadev_base_injected(exec->base, NNADEV_INJECT_STUCK))
		job->stuck = true;
	else if (nnadev_base_injected(exec->base, NNADEV_INJECT_HANG))
		job->state = NNADEV_JOB_HANG;
	if (job->stuck)
		job->state = NNADEV_JOB_HANG;
	if (job->state == NNADEV_JOB_HANG)
		nnadev_stopwatch_wait(&job->watch, job->ring);
}

/* End a job whose last command is done, or delay its end by NNADEV_INJECT_SLOW_NS. */
static enum step finish(struct nnadev_exec *exec, struct nnadev_job *job)
{
	uint64_t slow = atomic_load_explicit(&exec->base->inject[NNADEV_INJECT_SLOW_NS],
					     memory_order_relaxed);

	if (slow && job->state != NNADEV_JOB_LINGER) {
		const uint64_t ran = nnadev_stopwatch_read(&job->watch, nnadev_clock_now());

		if (__builtin_add_overflow(ran, slow, &job->linger))
			job->linger = UINT64_MAX;
		job->state = NNADEV_JOB_LINGER;
		nnadev_stopwatch_wait(&job->watch, job->ring);
		return STEP_ON;
	}
	nnadev_job_end(exec, job, NNAHW_STATUS_OK);
	return STEP_ENDED;
}

static enum step end(struct nnadev_exec *exec, struct nnadev_job *job, uint32_t status)
{
	nnadev_job_end(exec, job, status);
	return STEP_ENDED;
}

/* Resolve all operands of a command. Return: a status, or NNADEV_MMU_AGAIN. */
static uint32_t resolve(struct nnadev_exec *exec, struct nnadev_job *job,
			struct nnadev_instruction *at)
{
	uint64_t room = NNADEV_ENGINE_MAX_SCRATCH;

	nnadev_mmu_begin(&exec->mmu);
	for (uint32_t i = 0; i < at->command.operand_count; i++)
		room -= at->ranges[i].gather ? at->ranges[i].size : 0;
	for (uint32_t i = 0; i < at->command.operand_count; i++) {
		if (!nnadev_operand_resolve(&exec->mmu, job->space, &at->command.operands[i],
					    &at->ranges[i], &room, &job->fault)) {
			if (job->fault.status != NNADEV_MMU_AGAIN)
				job->operand = i;
			return job->fault.status;
		}
	}
	at->generation = exec->mmu.generation;
	at->space = job->space;
	at->slots_stamp = job->slots_stamp;
	return NNAHW_STATUS_OK;
}

/* Gather operands, a piece at a time. Return: a status; NNADEV_MMU_AGAIN if more is left. */
static uint32_t gather(struct nnadev_exec *exec, struct nnadev_job *job,
		       struct nnadev_instruction *at)
{
	for (uint32_t i = 0; i < at->command.operand_count; i++) {
		if (nnadev_operand_is_gathered(&at->ranges[i]))
			continue;
		if (nnadev_operand_gather(&exec->mmu, job->space, &at->ranges[i],
					  exec->operand_bytes, &job->fault))
			return NNADEV_MMU_AGAIN;
		job->operand = i;
		return job->fault.status;
	}
	return NNAHW_STATUS_OK;
}

/* Enlarge *@data to at least @size bytes. Its contents are lost. */
static uint32_t provide(void **data, uint32_t *have, uint32_t size)
{
	void *p;

	if (size <= *have)
		return NNAHW_STATUS_OK;
	if (size > NNADEV_ENGINE_MAX_SCRATCH)
		return NNAHW_STATUS_NO_MEMORY;
	size = (size + 4095) & ~4095u;
	p = aligned_alloc(64, size);
	if (!p)
		return NNAHW_STATUS_NO_MEMORY;
	free(*data);
	*data = p;
	*have = size;
	return NNAHW_STATUS_OK;
}

/* The slot of @known for command number @n. Different streams start at different slots. */
static uint32_t known_index(const struct nnadev_job *job, uint32_t n)
{
	return ((uint32_t)(job->entry.stream >> 12) * 0x9e3779b1u + n) % NNADEV_JOB_KNOWN;
}

/* Whether a job other than @job is running the command, or has prepared it. */
static bool is_held(const struct nnadev_instruction *at, const struct nnadev_job *job)
{
	const struct nnadev_job *other = at->job;

	return other && other != job && nnadev_job_active(other) &&
	       (other->at == at || other->next == at);
}

/* A buffer for command number @n: a slot of @known if it is among the first ones. */
static struct nnadev_instruction *room_for(struct nnadev_exec *exec, struct nnadev_job *job,
					   uint32_t n)
{
	struct nnadev_known *known;

	if (!exec->known || n >= NNADEV_JOB_KNOWN)
		return spare(job, n);
	known = &exec->known[known_index(job, n)];
	if (is_held(&known->at, job))
		return spare(job, n);
	known->at.is_known = false;
	known->at.job = job;
	known->at.bytes = known->bytes;
	known->at.room = NNADEV_JOB_KNOWN_BYTES;
	return &known->at;
}

/* Keep a planned command, unless operands were gathered for it. */
static void keep(struct nnadev_instruction *at)
{
	bool direct = true;

	if (at->room != NNADEV_JOB_KNOWN_BYTES)
		return;
	for (uint32_t i = 0; i < at->command.operand_count; i++)
		direct = direct && !at->ranges[i].gather;
	at->is_known = direct;
}

/* Whether the bytes of the command at @offset equal those that @at was planned from. */
static bool is_same(struct nnadev_exec *exec, struct nnadev_job *job,
		    const struct nnadev_instruction *at, uint32_t offset)
{
	const uint32_t size = at->info->size;
	const void *bytes;

	if (at->generation != exec->mmu.generation || size > job->stream_end - offset)
		return false;
	bytes = nnadev_mmu_peek(&exec->mmu, job->space, job->entry.stream + offset, size);
	return bytes && !memcmp(bytes, at->bytes, size);
}

/*
 * Command number @n, at @offset, if it is kept and its plan is still valid: the bytes of the
 * command, the base table and the cached translations have not changed. The bytes are compared
 * while they are fetched.
 */
static struct nnadev_instruction *find_known(struct nnadev_exec *exec, struct nnadev_job *job,
					     uint32_t n, uint32_t offset)
{
	struct nnadev_instruction *at;

	if (!exec->known || n >= NNADEV_JOB_KNOWN)
		return NULL;
	at = &exec->known[known_index(job, n)].at;
	if (!at->is_known || at->job != job || at->space != job->space ||
	    at->slots_stamp != job->slots_stamp)
		return NULL;
	return is_same(exec, job, at, offset) ? at : NULL;
}

/* Start a round of tiles for the command's phase. */
static void start_round(const struct nnadev_exec *exec, struct nnadev_job *job)
{
	nnadev_shares_deal(&job->shares, exec->threads, job->at->plan.phase_tiles[job->at->phase]);
}

/* Start running a planned command, from its first tile. */
static void begin_tiles(struct nnadev_exec *exec, struct nnadev_job *job,
			struct nnadev_instruction *at)
{
	job->at = at;
	job->state = NNADEV_JOB_TILES;
	at->command.entropy = job->now;
	at->phase = 0;
	at->plan.round = 0;
	if (at->plan.phases)
		start_round(exec, job);
}

/* Let the engine plan a command. All of its operands are resolved and gathered. */
static uint32_t plan(struct nnadev_exec *exec, struct nnadev_job *job,
		     struct nnadev_instruction *at)
{
	uint32_t status;

	status = exec->prepare(exec->isa, exec->threads, &at->command, &at->plan);
	if (status) {
		if (status == NNAHW_STATUS_BAD_OPERAND)
			job->operand = at->plan.bad_operand;
		return status;
	}
	if (at->plan.phases > NNADEV_ENGINE_MAX_PHASES)
		return NNAHW_STATUS_INTERNAL;
	keep(at);
	return NNAHW_STATUS_OK;
}

/*
 * Resolve the operands, gather those that need it, and plan the command. One call does a part that
 * is short enough for other jobs to wait for.
 */
static enum step find_operands(struct nnadev_exec *exec, struct nnadev_job *job)
{
	struct nnadev_instruction *at = job->at;
	uint32_t status = resolve(exec, job, at);

	job->state = NNADEV_JOB_OPERANDS;
	if (!status)
		status = gather(exec, job, at);
	if (status == NNADEV_MMU_AGAIN)
		return STEP_ON;
	if (!status)
		status = plan(exec, job, at);
	if (status)
		return end(exec, job, status);
	begin_tiles(exec, job, at);
	return STEP_ON;
}

static enum step end_command(struct nnadev_exec *exec, struct nnadev_job *job)
{
	uint32_t status = nnadev_profile_end(exec, job);

	if (status)
		return end(exec, job, status);
	nnadev_count(&exec->base->counters.commands, 1);
	job->commands++;
	job->offset += job->at->info->size;
	job->state = NNADEV_JOB_FETCH;
	return STEP_ON;
}

/* Write gathered outputs back, a part in each call. The last one ends the command. */
static enum step write_results(struct nnadev_exec *exec, struct nnadev_job *job)
{
	struct nnadev_instruction *at = job->at;

	for (uint32_t i = 0; i < at->command.operand_count; i++) {
		struct nnadev_range *range = &at->ranges[i];

		if (!range->gather || !range->write || range->done == UINT64_MAX)
			continue;
		if (nnadev_operand_scatter(&exec->mmu, job->space, &at->command.operands[i], range,
					   exec->operand_bytes, &job->fault))
			return STEP_ON;
		job->operand = i;
		return end(exec, job, job->fault.status);
	}
	for (uint32_t i = 0; i < at->command.operand_count; i++)
		nnadev_range_release(&at->ranges[i]);
	return end_command(exec, job);
}

static uint32_t run_tile(void *context, uint32_t tile, uint32_t thread)
{
	const struct nnadev_instruction *at = context;

	if (thread)
		nnadev_bus_enter_thread(at->exec->bus);
	return at->plan.run(&at->command, &at->plan, at->phase, tile,
			    at->exec->scratch[thread].data, at->shared);
}

/* Whether at @now the job is to be left, or has reached a limit. */
static bool stop_round(void *context, uint64_t now)
{
	const struct nnadev_instruction *at = context;

	return nnadev_event_read(&at->exec->event) != at->exec->seen || now >= at->stop;
}

/* The time at which a job stops that runs until @until: the earliest of all of its limits. */
static uint64_t stop_at(const struct nnadev_job *job, uint64_t until)
{
	uint64_t spent = job->watch.resumed + 1, due = nnadev_stopwatch_due(&job->watch);

	if (job->budget > job->watch.ran)
		spent += job->budget - job->watch.ran;
	until = spent < until ? spent : until;
	until = due < until ? due : until;
	return job->deadline && job->deadline < until ? job->deadline : until;
}

static bool is_control_flow(uint32_t opcode)
{
	return opcode == NNAHW_OP_END || opcode == NNAHW_OP_JUMP || opcode == NNAHW_OP_BRANCH;
}

/*
 * Prepare the next command while the command processor waits for the workers. This uses cached
 * translations only. If some are missing, or the command has an error, it is prepared in its turn.
 */
static void look_ahead(void *context)
{
	const struct nnadev_instruction *at = context;
	struct nnadev_exec *exec = at->exec;
	struct nnadev_job *job = at->job;
	const uint32_t offset = job->offset + at->info->size, n = job->commands + 1;
	const struct nnadev_fault fault = job->fault;
	struct nnadev_instruction *next;

	if (job->next || offset >= job->stream_end)
		return;
	job->next = find_known(exec, job, n, offset);
	if (job->next)
		return;
	next = room_for(exec, job, n);
	nnadev_mmu_freeze(&exec->mmu, true);
	if (!nnadev_stream_fetch(exec, job, next, offset) &&
	    !is_control_flow(next->info->opcode) && !resolve(exec, job, next) &&
	    !plan(exec, job, next))
		job->next = next;
	nnadev_mmu_freeze(&exec->mmu, false);
	job->operand = UINT32_MAX;
	job->fault = fault;
}

/* Start the next command, if it is prepared or kept. Return: whether it is. */
static bool take_next(struct nnadev_exec *exec, struct nnadev_job *job)
{
	struct nnadev_instruction *next = job->next;

	job->next = NULL;
	/* The command before may have overwritten it, or translations may have changed. */
	if (next && !is_same(exec, job, next, job->offset))
		next = NULL;
	if (!next && job->offset < job->stream_end)
		next = find_known(exec, job, job->commands, job->offset);
	if (!next)
		return false;
	nnadev_profile_begin(job);
	/* The clock was read behind the last tile, which is short ago unless that is recorded. */
	if (job->profile.open)
		job->now = nnadev_clock_now();
	begin_tiles(exec, job, next);
	return true;
}

static enum step run_tiles(struct nnadev_exec *exec, struct nnadev_job *job, uint64_t until)
{
	struct nnadev_instruction *at = job->at;
	const struct nnadev_round work = {
		.run = run_tile,
		.stop = stop_round,
		.meanwhile = look_ahead,
		.context = at,
		.context_size = offsetof(struct nnadev_instruction, command.operands) +
				at->command.operand_count * sizeof(at->command.operands[0]),
	};
	uint32_t status = provide(&job->shared, &job->shared_size, at->plan.shared_size);

	if (status)
		return end(exec, job, status);
	/* Scratch memory belongs to the threads, and another job may have run meanwhile. */
	for (uint32_t i = 0; i < exec->threads; i++) {
		status = provide(&exec->scratch[i].data, &exec->scratch[i].size,
				 at->plan.scratch_size);
		if (status)
			return end(exec, job, status);
	}
	if (at->generation != exec->mmu.generation) {
		status = resolve(exec, job, at);
		/* An operand that was contiguous may not be any more. */
		if (!status)
			status = gather(exec, job, at);
		keep(at);
		job->now = nnadev_clock_now();
		if (status == NNADEV_MMU_AGAIN) {
			at->generation = 0;
			return STEP_ON;
		}
		if (status)
			return end(exec, job, status);
	}
	at->exec = exec;
	at->job = job;
	at->shared = job->shared;
	at->stop = stop_at(job, until);
	while (at->phase < at->plan.phases) {
		nnadev_profile_enter(exec, job);
		status = nnadev_workers_run(exec->workers, &work, &job->shares, &job->now);
		nnadev_profile_leave(exec, job);
		if (atomic_load_explicit(&exec->bus->lost, memory_order_relaxed))
			return STEP_ON;
		if (status)
			return end(exec, job, status);
		/* Whether the job is to be left, or at a limit, is asked before the next step. */
		if (nnadev_shares_left(&job->shares))
			return STEP_ON;
		if (nnadev_engine_round_is_last(&at->plan, at->phase, job->shared)) {
			at->plan.round = 0;
			at->phase++;
		} else {
			at->plan.round++;
		}
		if (at->phase >= at->plan.phases)
			break;
		start_round(exec, job);
		/* After a round of a single tile nothing has checked the limits. */
		if (stop_round(at, job->now))
			return STEP_ON;
	}
	for (uint32_t i = 0; i < at->command.operand_count; i++) {
		if (!at->ranges[i].gather)
			continue;
		at->ranges[i].done = 0;
		job->state = NNADEV_JOB_RESULTS;
	}
	return job->state == NNADEV_JOB_RESULTS ? STEP_ON : end_command(exec, job);
}

static enum step jump(struct nnadev_exec *exec, struct nnadev_job *job, uint32_t target)
{
	if (target % NNAHW_COMMAND_ALIGN || target < sizeof(struct nnahw_stream_header) ||
	    target > job->stream_end)
		return end(exec, job, NNAHW_STATUS_BAD_COMMAND);
	nnadev_count(&exec->base->counters.commands, 1);
	job->commands++;
	job->offset = target;
	return STEP_ON;
}

/* Correct the run time by the CPU times, if that is due at @now. Return: the run time. */
static uint64_t settle(struct nnadev_exec *exec, struct nnadev_job *job, uint64_t now)
{
	const uint64_t ran = nnadev_stopwatch_read(&job->watch, now);

	if (job->watch.waits || (ran <= job->budget && now < nnadev_stopwatch_due(&job->watch)))
		return ran;
	nnadev_stopwatch_settle(exec, &job->watch, job->ring, now);
	return nnadev_stopwatch_read(&job->watch, now);
}

/* Return: by how much the time of loops is ahead of the CPU times, if it has reached the limit. */
static uint64_t ahead_of(struct nnadev_exec *exec, struct nnadev_job *job)
{
	const uint64_t now = nnadev_clock_now();
	uint64_t ran;

	if (job->loop_time <= job->loop_limit || job->watch.waits)
		return 0;
	nnadev_stopwatch_settle(exec, &job->watch, job->ring, now);
	ran = nnadev_stopwatch_read(&job->watch, now);
	return job->loop_mark > ran ? job->loop_mark - ran : 0;
}

/*
 * A backward jump. The time since the last backward jump counts as loop time if both belong to one
 * loop, or one of the loops contains the other. So time before a loop does not count, nor time
 * between two loops.
 */
static enum step loop(struct nnadev_exec *exec, struct nnadev_job *job, uint32_t target)
{
	uint64_t now = settle(exec, job, nnadev_clock_now());

	if (job->loop_last && ((job->loop_first >= target && job->loop_first <= job->offset) ||
			       (target >= job->loop_first && target <= job->loop_last)))
		job->loop_time += now > job->loop_mark ? now - job->loop_mark : 0;
	/* What the stopwatch has taken back since is not counted twice. */
	job->loop_mark = now > job->loop_mark || !job->loop_last ? now : job->loop_mark;
	job->loop_first = target;
	job->loop_last = job->offset;
	if (job->loop_time > job->loop_limit + ahead_of(exec, job))
		return end(exec, job, NNAHW_STATUS_LOOP_LIMIT);
	return jump(exec, job, target);
}

static enum step branch(struct nnadev_exec *exec, struct nnadev_job *job, uint32_t target)
{
	const struct nnadev_engine_operand *o = &job->at->command.operands[0];
	const struct nnadev_range *range = &job->at->ranges[0];
	uint8_t condition;

	job->operand = 0;
	if (o->count != 1)
		return end(exec, job, NNAHW_STATUS_BAD_OPERAND);
	if (!nnadev_mmu_read(&exec->mmu, job->space, range->va + range->lead, &condition, 1,
			     &job->fault))
		return end(exec, job, job->fault.status);
	job->operand = UINT32_MAX;
	return jump(exec, job, condition ? job->offset + job->at->info->size : target);
}

static enum step fetch(struct nnadev_exec *exec, struct nnadev_job *job)
{
	uint32_t status;

	if (job->offset >= job->stream_end)
		return finish(exec, job);
	nnadev_profile_begin(job);
	job->at = room_for(exec, job, job->commands);
	status = nnadev_stream_fetch(exec, job, job->at, job->offset);
	if (status == NNADEV_STREAM_LONG) {
		job->at = spare(job, job->commands);
		status = nnadev_stream_fetch(exec, job, job->at, job->offset);
	}
	if (status)
		return end(exec, job, status);
	switch (job->at->info->opcode) {
	case NNAHW_OP_END:
		nnadev_count(&exec->base->counters.commands, 1);
		job->commands++;
		return finish(exec, job);
	case NNAHW_OP_JUMP: {
		const struct nnahw_cmd_jump *cmd = (const void *)job->at->bytes;

		if (cmd->loop > 1)
			return end(exec, job, NNAHW_STATUS_BAD_COMMAND);
		return cmd->loop ? loop(exec, job, cmd->target) : jump(exec, job, cmd->target);
	}
	case NNAHW_OP_BRANCH:
		return branch(
			exec, job,
			((const struct nnahw_cmd_branch *)(const void *)job->at->bytes)->target);
	default:
		return find_operands(exec, job);
	}
}

/* Whether the job is to yield at run time @used and can do so now: it is between two commands. */
static bool may_yield(const struct nnadev_job *job, uint64_t used)
{
	if (job->state == NNADEV_JOB_FETCH && job->offset < job->stream_end &&
	    used >= job->slice && job->commands)
		return true;
	return nnadev_ring_yields(job->ring, job->entry.seqno) &&
	       (job->state == NNADEV_JOB_OPEN ||
		(job->state == NNADEV_JOB_FETCH && job->offset < job->stream_end));
}

/* A file was truncated while the job used it. Cached translations and data it read are invalid. */
static void lost_pages(struct nnadev_exec *exec, struct nnadev_job *job)
{
	atomic_store(&exec->bus->lost, false);
	nnadev_mmu_reset(&exec->mmu);
	job->fault = (struct nnadev_fault){ NNAHW_STATUS_FAULT_BUS, NNAHW_FAULT_KIND_BUS, 0 };
	nnadev_job_end(exec, job, NNAHW_STATUS_FAULT_BUS);
}

uint64_t nnadev_job_run(struct nnadev_exec *exec, struct nnadev_job *job, uint64_t until)
{
	enum step step = STEP_ON;

	job->now = nnadev_clock_now();
	if (!job->watch.resumed)
		nnadev_stopwatch_resume(&job->watch, job->ring, job->now);
	while (step == STEP_ON) {
		uint64_t now = job->now, used = settle(exec, job, now), wake;
		const enum nnadev_job_state before = job->state;

		if (atomic_load_explicit(&exec->bus->lost, memory_order_relaxed)) {
			lost_pages(exec, job);
			return 0;
		}
		if (!job->stuck) {
			if (job->deadline && now >= job->deadline) {
				nnadev_job_end(exec, job, NNAHW_STATUS_DEADLINE);
				return 0;
			}
			if (used > job->budget) {
				nnadev_job_end(exec, job, NNAHW_STATUS_BUDGET);
				return 0;
			}
		}
		if (!job->watch.waits)
			nnadev_progress_note(exec->base, &exec->progress, job->ring->index, now);
		if (may_yield(job, used)) {
			nnadev_job_end(exec, job, NNAHW_STATUS_YIELDED);
			return 0;
		}
		switch (job->state) {
		case NNADEV_JOB_OPEN: {
			uint32_t status = nnadev_stream_open(exec, job);

			if (!status)
				status = nnadev_profile_open(exec, job);
			job->state = NNADEV_JOB_FETCH;
			if (status)
				step = end(exec, job, status);
			break;
		}
		case NNADEV_JOB_FETCH:
			/* While CONTROL.ENABLE is off, a job stops before its next command. */
			if (!atomic_load(&exec->enabled))
				step = STEP_LEAVE;
			else if (take_next(exec, job))
				continue;
			else
				step = fetch(exec, job);
			break;
		case NNADEV_JOB_OPERANDS:
			step = find_operands(exec, job);
			break;
		case NNADEV_JOB_TILES:
			step = run_tiles(exec, job, until);
			break;
		case NNADEV_JOB_RESULTS:
			step = write_results(exec, job);
			break;
		case NNADEV_JOB_LINGER:
		case NNADEV_JOB_HANG:
			if (job->state == NNADEV_JOB_LINGER && used >= job->linger) {
				step = finish(exec, job);
				break;
			}
			/* @resumed stays: the time until it continues counts as run time. */
			wake = until;
			if (!job->stuck) {
				uint64_t next = now + (job->budget - used) + 1;

				wake = next < wake ? next : wake;
				if (job->deadline && job->deadline < wake)
					wake = job->deadline;
				if (job->state == NNADEV_JOB_LINGER &&
				    job->linger - used < wake - now)
					wake = now + (job->linger - used);
			}
			return wake;
		case NNADEV_JOB_IDLE:
			return 0;
		}
		/*
		 * The clock was read behind the last tile; and to fetch a command with operands is
		 * short, so that it is read once they have been looked for.
		 */
		if (before != NNADEV_JOB_TILES &&
		    (before != NNADEV_JOB_FETCH || job->state != NNADEV_JOB_OPERANDS))
			job->now = nnadev_clock_now();
		if (step == STEP_ON && nnadev_job_active(job) &&
		    (nnadev_event_read(&exec->event) != exec->seen || job->now >= until))
			step = STEP_LEAVE;
	}
	if (step == STEP_LEAVE)
		nnadev_job_pause(exec, job);
	return 0;
}
