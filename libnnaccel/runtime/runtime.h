/* SPDX-License-Identifier: MIT */
/*
 * The objects behind nnaccel.h.
 *
 *	device.c	an open device
 *	buffer.c	device memory of the caller's
 *	program.c	a graph for a device
 *	variant.c	the program compiled for one set of shapes
 *	blob.c		programs as bytes that can be kept (blob.h)
 *	fold.c		a job that computes constants while a variant is compiled
 *	context.c	what one run at a time needs of the device
 *	execution.c	an execution: life, settings, running
 *	cancel.c	ends a run that nobody wants any more
 *	binding.c	its inputs and outputs, and how they get to the device
 *	result.c	what a run has left behind
 *	profile.c	what each of its commands took
 *	parts.c		runs whose shapes depend on data (parts.h), with frame.c and control.c
 *	fence.c		the end of a run, and in-fences
 *	waiter.c	one thread for all that has to be waited for (waiter.h)
 *	idle.c		frees contexts that nobody uses (idle.h)
 *	dependent.c	submitting, and runs that wait here before the device gets them
 *
 * Data and ownership
 *
 *	program		holds its graph and a list of variants; borrows its device
 *	variant		the graph compiled for one signature: dims of the inputs, and the values
 *			of those that decide about shapes. It owns a read-only BO with stream and
 *			constants. The list and the executions that use it have references
 *	context		a queue, a BO with base table, report and scratch memory, and staging
 *			memory for what is copied. A variant owns its spare ones; executions
 *			borrow them, so that those that live for one run cost no BOs and queues
 *	execution	owns bindings and state variables; has a reference to its variant, and
 *			to the fence of the run under way
 *	fence		outlives its execution, and points to it until the end of the run has
 *			been taken
 *	part		operations of the graph as a program of its own, owned by the program. A
 *			variant without code says that shapes depend on data: such a run goes
 *			through parts, which are made when they are first needed, and kept
 *
 * The route of an argument
 *
 * Every bound input and output takes one of three routes (enum nna_route in nnaccel.h), which
 * binding.c: route_of() decides when it is bound, and which is kept in its nna_binding:
 *
 *	direct	the device works on the caller's buffer itself
 *	staged	it has no slot of its own in the base table, but shares the staging slot
 *	copied	it has a slot, which leads to staging memory: the device cannot use what is bound
 *
 * Everybody else asks for the route, and decides nothing:
 *
 *	- what is not direct is copied: an input before its run, an output after it;
 *	- an input that is copied out of a buffer is read when all in-fences have signalled without
 *	  an error, for which the waiter waits (dependent.c), as it does for one in a buffer whose
 *	  value the compiler needs. What is in the caller's own memory is read at the submission;
 *	- a run has a fence to export only if all its outputs are direct: the device's fence knows
 *	  nothing of a copy that comes after it.
 *
 * The end of a run
 *
 * Whoever looks first (nna_execution_compute(), a wait for the fence, the next call to the
 * execution) takes the end with nna_execution_finish(). That resumes a job that has yielded, reads
 * the device's report, and copies the outputs that are not direct. Only the end of a run that had
 * to wait here is taken in the background, by the waiter: others may wait for it in turn.
 *
 * Locks, in the order in which they are taken
 *
 *	idle @lock		the list of programs of the device, and their watchdog
 *	program @compiling	compiling, which may take long
 *	program @lock		the list of variants, their spare contexts, the list of parts
 *
 *	fence @lock		the end of its run
 *	execution @lock		@run, @error, @timing and the outputs, while a fence may end the run
 *	waiter @lock		what is waited for
 */
#ifndef NNA_RUNTIME_H
#define NNA_RUNTIME_H

#include <pthread.h>
#include <stdatomic.h>

#include "libnnaccel/backend/backend.h"
#include "libnnaccel/support/clock.h"
#include "libnnaccel/compiler/compile.h"
#include "libnnaccel/graph/graph.h"
#include "libnnaccel/runtime/idle.h"
#include "libnnaccel/runtime/waiter.h"
#include "libnnaccel/winsys/fence.h"
#include "libnnaccel/winsys/job.h"
#include "libnnaccel/winsys/winsys.h"

struct nna_part;
struct nna_variant;

/* Bytes rounded up to what a base in the table is aligned to. */
static inline uint64_t nna_align_up(uint64_t size)
{
	return (size + 63) & ~63ull;
}

/* ------------------------------------------------------------------------------ device, buffers */

struct nna_device {
	struct nna_winsys *ws;
	const struct nna_backend *backend;
	struct nna_log log;
	struct nna_device_info info;
	struct nna_waiter waiter;
	struct nna_idle idle;
};

struct nna_buffer {
	struct nna_device *device;
	struct nna_winsys_bo *bo;
	size_t size;
};

/* ------------------------------------------------------------------------------------- contexts */

/* Where things lie in @memory of a context, in bytes. */
#define NNA_CONTEXT_TABLE 0u
#define NNA_CONTEXT_REPORT (NNA_CONTEXT_TABLE + NNA_BACKEND_TABLE_SIZE)
#define NNA_CONTEXT_SCRATCH (NNA_CONTEXT_REPORT + NNA_BACKEND_REPORT_SIZE)

/**
 * struct nna_context - what one run at a time needs
 * @next: of the variant's spare contexts
 * @spare_since_ns: of a spare one: when it became one
 * @queue: NULL after a run that failed, which may have banned it
 * @memory: base table, report and scratch memory
 * @staging: inputs and outputs that are copied, each where @places of the variant says; NULL until
 *	needed
 */
struct nna_context {
	struct nna_context *next;
	uint64_t spare_since_ns;
	struct nna_winsys_queue *queue;
	struct nna_winsys_bo *memory;
	struct nna_winsys_bo *staging;
};

int nna_context_create(struct nna_device *device, enum nna_priority priority,
		       const struct nna_code *code, struct nna_context **out);
void nna_context_destroy(struct nna_device *device, struct nna_context *context);

/*
 * Where inputs and outputs of @code lie in staging memory: *places, for the caller to free also
 * after a failure, with an offset for each input and then each output, in *size bytes. Return: 0 or
 * -ENOMEM.
 */
int nna_context_place_io(const struct nna_code *code, uint64_t **places, uint64_t *size);

/*
 * The report that the device writes of a job in @context, by way of the device's backend. @code is
 * what the job ran, for the origin of a failure.
 */
void nna_context_read_report(const struct nna_device *device, const struct nna_context *context,
			     const struct nna_code *code, struct nna_report *out);
/* Says which operation the device could not do, and why: a report of a job that has failed. */
void nna_context_log_failure(const struct nna_device *device, const struct nna_graph *graph,
			     const struct nna_report *report);
/* Before a job: it has not been reported. */
void nna_context_clear_report(const struct nna_device *device, struct nna_context *context);
/*
 * How the job that has ended and has @fence went: 0 or a negative errno. The report tells; without
 * one (an in-fence failed, the job was lost) the fence is asked.
 */
int nna_context_job_error(struct nna_device *device, const struct nna_context *context,
			  struct nna_fence *fence);

/* A spare one of the variant's, or a new one. The caller gives it back. */
int nna_context_get(struct nna_program *program, struct nna_variant *variant,
		    struct nna_context **out);
void nna_context_put(struct nna_program *program, struct nna_variant *variant,
		     struct nna_context *context);

/* ------------------------------------------------------------------------------------- variants */

/**
 * struct nna_variant - the graph compiled for one signature
 * @next: of the program's list
 * @references: the list's, and those of executions
 * @key: the signature, @key_size bytes
 * @code: what the compiler made; NULL when the graph cannot be compiled as a whole
 * @stop: without @code: the operation that needs to know what only a run tells
 * @bo: @code's stream and constants, read-only for the device
 * @places: bytes from the start of staging memory of every input and then every output
 * @staging_size: bytes of staging memory in a context
 * @spare: @spare_count contexts that nobody uses
 */
struct nna_variant {
	struct nna_variant *next;
	atomic_uint references;
	uint8_t *key;
	size_t key_size;
	struct nna_code *code;
	uint32_t stop;
	struct nna_winsys_bo *bo;
	uint64_t *places;
	uint64_t staging_size;
	struct nna_context *spare;
	uint32_t spare_count;
};

/**
 * nna_variant_get() - the variant for a signature, compiled if need be
 * @inputs: final shapes of all inputs
 * @data: bytes of each input where this process can read them, else NULL
 * @limit: when compiling gives up; NULL is never
 * @stop: with -EAGAIN: the operation that needs to know what only a run tells
 *
 * Return: 0 and a reference, or a negative errno.
 */
int nna_variant_get(struct nna_program *program, const struct nna_shape *inputs,
		    const void *const *data, const struct nna_compile_limit *limit, uint32_t *stop,
		    struct nna_variant **out);
/* The same under @compiling, which the caller holds; what comes without code is no error here. */
int nna_variant_make(struct nna_program *program, const struct nna_shape *inputs,
		     const void *const *data, const struct nna_compile_limit *limit,
		     struct nna_variant **out);
/*
 * A variant of @code, which lies in @bo, for @inputs whose values do not matter: 0 and a reference,
 * or -ENOMEM. Only then are @code and @bo the variant's.
 */
int nna_variant_adopt(struct nna_program *program, const struct nna_shape *inputs,
		      struct nna_code *code, struct nna_winsys_bo *bo, struct nna_variant **out);
void nna_variant_put(struct nna_program *program, struct nna_variant *variant);

/* Takes all but the first @keep out of the program's list, and returns them with its references. */
struct nna_variant *nna_variant_trim(struct nna_program *program, uint32_t keep);
/* Gives back a reference to each of a list. */
void nna_variant_put_list(struct nna_program *program, struct nna_variant *variants);

/* Bytes of a final shape, UINT64_MAX when there are more than that. */
uint64_t nna_shape_bytes_saturated(const struct nna_shape *shape);

/* Runs code without inputs on the device and copies its outputs; for constant folding. */
int nna_fold_run(struct nna_program *program, const struct nna_code *code, void *const *outputs);

/* ------------------------------------------------------------------------------ programs, parts */

/**
 * struct nna_program - a graph for a device
 * @graph: a reference
 * @priority: of all runs
 * @preference: the caller's, of enum nna_preference where the library looks at it
 * @next_of_device: in the list of the device's programs, under its watchdog's lock
 * @fixed: it was loaded without its graph, of which @graph has the interface only: nothing more can
 *	be compiled
 * @lock: of what follows, and of the spare contexts of variants
 * @compiling: held while a variant is compiled, outside of @lock
 * @variants: @variant_count of them, most recently used first
 * @parameters: for each input whether its value is part of the signature; only ever set, under both
 *	locks
 * @has_parameters: any of @parameters is set
 * @own_slots: that many of the inputs and then the outputs have slots of their own; constant
 * @stated: the variant for the shapes that the graph states, if they are complete and it has code;
 *	no reference
 * @parts: never shrinks, so that parts can be used without the lock; of two that are the same the
 *	first in the list counts
 */
struct nna_program {
	struct nna_device *device;
	struct nna_graph *graph;
	enum nna_priority priority;
	uint32_t preference;
	struct nna_program *next_of_device;
	bool fixed;
	pthread_mutex_t lock;
	pthread_mutex_t compiling;
	struct nna_variant *variants;
	uint32_t variant_count;
	bool *parameters;
	atomic_bool has_parameters;
	uint32_t own_slots;
	struct nna_variant *stated;
	struct nna_part *parts;
};

/*
 * A program that nothing has been compiled for; it takes a reference to @graph. NULL without
 * memory.
 */
struct nna_program *nna_program_begin(struct nna_device *device, struct nna_graph *graph,
				      const struct nna_program_options *options);

/* When compiling it gives up, by options that may be NULL. */
struct nna_compile_limit nna_program_limit(const struct nna_program_options *options);

/**
 * struct nna_part - a range of a graph's operations as a program of its own
 * @next: of the program's list
 * @subgraph: whose operations they are
 * @from: the first, as a place in the execution order of @subgraph
 * @to: the place after the last
 * @graph: the part, a reference
 */
struct nna_part {
	struct nna_part *next;
	uint32_t subgraph, from, to;
	struct nna_graph *graph;
	struct nna_program *program;
};

/**
 * nna_parts_run() - run the program's graph in parts, to the end, in this thread
 * @stop: the operation before which the first part ends
 * @deadline_ns: absolute, 0 is none
 *
 * Fills in @results and the timing of the execution, and copies the outputs.
 *
 * Return: 0, -ENOSPC when at least one output did not fit, or the error of a part.
 */
int nna_parts_run(struct nna_execution *execution, uint32_t stop, uint64_t deadline_ns);
/*
 * Compiles what runs will begin with: the part before operation @stop, whose shapes depend on no
 * data. @limit: when compiling gives up. Return: 0 or a negative errno.
 */
int nna_parts_prepare(struct nna_program *program, uint32_t stop,
		      const struct nna_compile_limit *limit);
void nna_parts_destroy(struct nna_part *parts);

/* ------------------------------------------------------------------------------------- bindings */

/**
 * struct nna_binding - what an input or output is bound to
 * @omitted: an input that is left out
 * @data: the caller's memory, or NULL
 * @buffer: the caller's buffer, or NULL; not owned
 * @offset: in @buffer
 * @size: bytes at @data, or in @buffer from @offset on
 * @has_dims: the caller has given dimensions: @rank of them, 0 is what the graph states
 * @va: of what is bound in @buffer, else 0
 * @route: how it gets to the device (above)
 * @short_of: an output that was too small in the last run
 * @rows: @dims[0] of an output whose rows the last run has counted; 0 before
 */
struct nna_binding {
	bool bound;
	bool omitted;
	void *data;
	struct nna_buffer *buffer;
	size_t offset, size;
	bool has_dims;
	uint32_t rank;
	uint32_t dims[NNACCEL_MAX_RANK];
	uint64_t va;
	enum nna_route route;
	bool short_of;
	uint32_t rows;
};

/* Bytes of a binding that this process can read. */
const void *nna_binding_data(const struct nna_binding *b);

/* Shapes of all inputs as they are bound, and where their bytes are. -EINVAL is logged. */
int nna_bindings_get_shapes(struct nna_execution *execution, struct nna_shape *shapes,
			    const void **data);
/*
 * Outputs as they are bound against what a run writes. -ENOSPC: some are too small and marked so.
 */
int nna_bindings_check_outputs(struct nna_execution *execution, const struct nna_code_io *wanted);
/*
 * Whether an input is in a buffer, so that in-fences may stand for its bytes; with @read only if
 * this process is known to read one of those.
 */
bool nna_bindings_have_buffers(const struct nna_execution *execution, bool read);
bool nna_bindings_outputs_are_direct(const struct nna_execution *execution);
/* Writes the base table of the execution's context, for which staging memory may be needed. */
int nna_bindings_write_table(struct nna_execution *execution);
/**
 * enum nna_inputs - inputs by where they are bound
 * @NNA_INPUTS_OWN: in the caller's own memory
 * @NNA_INPUTS_BUFFERS: in buffers
 */
enum nna_inputs { NNA_INPUTS_OWN = 1, NNA_INPUTS_BUFFERS = 2 };

/* Copies inputs that are not direct to staging memory. @which is of enum nna_inputs, or both. */
void nna_bindings_copy_inputs(struct nna_execution *execution, uint32_t which);

/* ----------------------------------------------------------------------------------- executions */

enum nna_run_state { NNA_RUN_IDLE, NNA_RUN_ACTIVE, NNA_RUN_ENDED };

/**
 * struct nna_execution - one run of a program at a time
 * @variant: for what is bound, a reference; NULL before the first run
 * @context: borrowed from @variant
 * @state: variables, owned unless there is a @parent; NULL until needed
 * @parent: this execution runs a part of @parent's graph and uses its state
 * @results: outputs of a run in parts, owned; otherwise those of @variant's code count
 * @dirty: bindings have changed since the base table was written
 * @deadline_ns: absolute, 0 is none
 * @duration_ns: from when all in-fences have signalled, 0 is none
 * @loop_limit_ns: of each WHILE
 * @fence: of the run under way, a reference; it stays until the next run
 * @waiting: of a run that waits here for what it depends on: what the waiter has; under @lock, NULL
 *	when the run has ended
 * @queue_lock: of @queue and, to write it, of @cancelled; within @lock
 * @queue: has the job of the run under way, or of its part that is; NULL without one, and of an
 *	execution with a @parent
 * @cancelled: there are no more runs
 * @profile: memory of profiles; NULL: none are wanted
 * @profile_size: bytes of it that the device is told of, 0 without it
 * @job: of the run under way
 * @submission: of @job
 * @error: of the last run
 * @timing: of the last run; without @begin and @end of one that had a job of its own
 * @begin_tick: of the last run that had a job: when it began, as the device counts
 * @end_tick: likewise when it ended
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
};

/* Whether a run is under way; takes the end of one that has ended without anyone looking. */
bool nna_execution_is_running(struct nna_execution *execution);
/*
 * Whether the values of some inputs are part of the signature. They can change in the caller's
 * memory without our knowledge.
 */
static inline bool nna_execution_has_parameters(const struct nna_execution *execution)
{
	return atomic_load_explicit(&execution->program->has_parameters, memory_order_relaxed);
}
/*
 * Takes the variant for what is bound. -EAGAIN: there is none as a whole, operation @stop needs to
 * know what a run tells. Without @readable, inputs are not there yet: then -EAGAIN may also mean
 * that their values are needed, and leaves @stop alone.
 */
int nna_execution_choose_variant(struct nna_execution *execution, bool readable, uint32_t *stop);

/* Whether nna_execution_cancel() was called for the execution, or its parent. */
bool nna_execution_is_cancelled(struct nna_execution *execution);
/*
 * Ends a run that waits here for what it depends on, unless the waiter is about to go on with it or
 * has done so.
 */
void nna_execution_stop_waiting(struct nna_execution *execution);
/* Submits @submission to @queue. -ECANCELED: the queue is banned, or the execution cancelled. */
int nna_execution_queue_job(struct nna_execution *execution, struct nna_winsys_queue *queue,
			    struct nna_fence **out);
/* That job has ended, and its queue may go. */
void nna_execution_forget_job(struct nna_execution *execution);

/* Forgets what the last run has recorded. */
void nna_profile_clear(struct nna_execution *execution);

/* The steps of a run, each by one thread at a time: */

/* Forgets the last run. -EBUSY: it has not ended. */
int nna_execution_begin(struct nna_execution *execution);
/*
 * Prepares what can stay as it is until bindings change: variant, context, state, base table.
 * @readable, @stop and -EAGAIN: as above.
 */
int nna_execution_prepare(struct nna_execution *execution, bool readable, uint32_t *stop);
/*
 * Submits the job of a run that has been prepared and whose inputs have been copied, behind the
 * in-fences @fds. @deadline_ns: of the run, 0 is none. @waited: this thread waits for its end next.
 * *out: a reference. Also the error of a failure is the execution's.
 */
int nna_execution_launch(struct nna_execution *execution, uint64_t deadline_ns, const int *fds,
			 uint32_t count, bool waited, struct nna_fence **out);
/* The deadline of a run all of whose in-fences have signalled now. */
uint64_t nna_execution_deadline_from_now(const struct nna_execution *execution);
/* The run has ended with @error without a job of its own. */
void nna_execution_end(struct nna_execution *execution, int error);
/*
 * Takes the end of a run whose job has @fence. @error: 0 when it has ended, or why that cannot be
 * known. @lock is held.
 */
void nna_execution_finish(struct nna_execution *execution, struct nna_fence *fence, int error);
/* Waits for the job with @fence of a run that nobody else waits for, and takes the run's end. */
int nna_execution_wait(struct nna_execution *execution, struct nna_fence *fence);
/* Takes the dimensions that depended on data, and copies the outputs that are not direct. */
int nna_execution_take_outputs(struct nna_execution *execution);

/* --------------------------------------------------------------------------------------- fences */

/* Return: the fence of a run that this library ends, a reference; NULL without memory. */
struct nna_fence *nna_fence_create(void);
/* The run of such a fence has ended with @error. */
void nna_fence_end(struct nna_fence *fence, int error);
/*
 * An fd that polls readable when the run of a fence has ended, or the job of one that has one. It
 * is the fence's. Return: it, or a negative errno.
 */
int nna_fence_poll(struct nna_fence *fence);
/*
 * How an in-fence has ended that polls as @revents says: 0, -ECANCELED (it has failed) or -EBADF
 * (not an open fd). Does not wait.
 */
int nna_fence_fd_status(int fd, short revents);

#endif
