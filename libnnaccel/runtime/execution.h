/* SPDX-License-Identifier: MIT */
/*
 * Executions, and the objects behind nnaccel.h that they use.
 *
 * Object graph: an arrow is "holds"; all but those marked "borrows" own, or have a reference
 *
 *	device ──> winsys, waiter, watchdog over spare contexts
 *	buffer ──> BO; borrows its device
 *	program ──> graph, variants, parts; borrows its device
 *	part ──> a range of the graph's operations as a program of its own
 *	variant ──> code, BO with stream and constants, spare contexts
 *	context ──> queue, BO with base table, report and scratch memory, BO for staging
 *	execution ──> bindings, state, variant, fence of its run; borrows its program and a context
 *	binding ──> borrows the caller's memory or buffer
 *	submission: the struct nna_winsys_job in the execution ──> the struct nna_job in it
 *	fence: outlives its execution, and points to it until the end of the run has been taken
 *	dependent run ──> two waits, its fence, the fences that it waits for; borrows its execution
 *	wait ──> borrows fds; it is the waiter's from nna_waiter_add() until it is done or cancelled
 *
 * Files, in layers: each calls only those above it, and those of its own line from left to right
 * (tests/layers). Each noun has a header of its name.
 *
 *	fence.c waiter.c buffer.c context.c device.c
 *	spare.c fold.c variant.c program.c blob.c load.c
 *	binding.c	routes, shapes, base table, and the copies before and after a run
 *	submit.c	the job of a run: its submission, its resumption when it yields, and its end
 *	cancel.c	ends a run that was cancelled
 *	prepare.c	variant, context, state and base table of a run
 *	execution.c	life and settings
 *	argument.c	bindings of the caller
 *	profile.c	memory for profiles, and the profile of the last run
 *	result.c	dimensions and times of the last run
 *	frame.c part.c parts.c
 *			runs whose shapes depend on data (parts.h)
 *	dependent.c	runs that wait in this process before the device gets their job
 *	run.c		nna_execution_compute() and nna_execution_submit(), which choose between one
 *			job, parts and a dependent run
 *
 * The end of a run
 *
 * The first thread that looks (nna_execution_compute(), a wait for the fence, the next call to the
 * execution) takes the end with nna_execution_finish(): it resumes a job that has yielded, reads
 * the device's report, and copies the outputs that are not direct. The waiter takes the end of a
 * dependent run in the background, because other runs may wait for it.
 *
 * Locks, in the order in which they are taken
 *
 *	the watchdog's lock	the list of programs of the device (spare.h)
 *	program @compiling	compiling, which may take long
 *	program @lock		the list of variants, their spare contexts, the list of parts
 *
 *	fence @lock		the end of its run
 *	execution @lock		@run, @error, @timing and the outputs, while a fence may end the run
 *	execution @queue_lock	@queue and @cancelled
 *	waiter @lock		the list of waits
 */
#ifndef NNA_RUNTIME_EXECUTION_H
#define NNA_RUNTIME_EXECUTION_H

#include <pthread.h>
#include <stdatomic.h>

#include "libnnaccel/compiler/compile.h"
#include "libnnaccel/runtime/binding.h"
#include "libnnaccel/runtime/program.h"
#include "libnnaccel/winsys/job.h"
#include "libnnaccel/winsys/winsys.h"

struct nna_context;
struct nna_variant;
struct nna_wait;

/**
 * enum nna_run_state - the run of an execution
 * @NNA_RUN_IDLE: no run has ended since the last change
 * @NNA_RUN_ACTIVE: submitted, and its end has not been taken
 * @NNA_RUN_ENDED: its end has been taken
 */
enum nna_run_state { NNA_RUN_IDLE, NNA_RUN_ACTIVE, NNA_RUN_ENDED };

/**
 * struct nna_execution - one run of a program at a time
 * @program: the program; borrowed
 * @variant: the variant for the bindings, a reference; NULL before the first run
 * @context: borrowed from @variant
 * @state: state variables, owned unless there is a @parent; NULL until needed
 * @parent: the execution of the whole graph, if this one runs a part; it owns @state
 * @results: outputs of a run in parts, owned; NULL: those of @variant's code count
 * @inputs: bindings of the program's inputs, in @bindings
 * @outputs: bindings of the program's outputs, in @bindings
 * @dirty: bindings have changed since the base table was written
 * @deadline_ns: absolute CLOCK_MONOTONIC, 0 is none
 * @duration_ns: from when all in-fences have signalled, 0 is none
 * @loop_limit_ns: of each WHILE
 * @lock: guards @run, @waiting, @error, @timing and the outputs while a fence may end the run
 * @run: whether a run is under way
 * @fence: of the last run, a reference, until the next run
 * @waiting: of a dependent run: its wait in the waiter; under @lock, NULL when the run has ended
 * @queue_lock: guards @queue and, for writing, @cancelled; taken within @lock
 * @queue: the queue that has the job of the run; NULL without one, and in an execution with a
 *	@parent
 * @cancelled: no run can begin any more
 * @profile: memory for profiles; NULL: none are recorded
 * @profile_size: bytes of @profile that the device may use, 0 without it
 * @job: of the run under way
 * @submission: of @job
 * @error: of the last run
 * @timing: of the last run; @begin and @end are set only for a run in parts
 * @begin_tick: when the last run that had a job began, in device ticks
 * @end_tick: when it ended, in device ticks
 * @bindings: all bindings: a front end may create an execution for each run, which is one
 *	allocation
 */
struct nna_execution {
	struct nna_program *program;
	struct nna_variant *variant;
	struct nna_context *context;
	struct nna_winsys_bo *state;
	struct nna_execution *parent;
	struct nna_code_io *results;
	struct nna_binding *inputs, *outputs;
	bool dirty;
	uint64_t deadline_ns, duration_ns, loop_limit_ns;
	pthread_mutex_t lock;
	enum nna_run_state run;
	struct nna_fence *fence;
	struct nna_wait *waiting;
	pthread_mutex_t queue_lock;
	struct nna_winsys_queue *queue;
	atomic_bool cancelled;
	struct nna_winsys_bo *profile;
	size_t profile_size;
	struct nna_job job;
	struct nna_winsys_job submission;
	int error;
	struct nna_timing timing;
	uint64_t begin_tick, end_tick;
	struct nna_binding bindings[];
};

/*
 * True if the values of some inputs are part of the signature. They can change in the caller's
 * memory without a call to the library.
 */
static inline bool nna_execution_has_parameters(const struct nna_execution *execution)
{
	return atomic_load_explicit(&execution->program->has_parameters, memory_order_relaxed);
}

/* The execution that the user of the library has: that of the whole graph. */
static inline struct nna_execution *nna_execution_root(struct nna_execution *execution)
{
	while (execution->parent)
		execution = execution->parent;
	return execution;
}

/* True if nna_execution_cancel() was called for the execution, or its parent. */
static inline bool nna_execution_is_cancelled(struct nna_execution *execution)
{
	return atomic_load(&nna_execution_root(execution)->cancelled);
}

#endif
