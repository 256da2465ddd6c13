/* SPDX-License-Identifier: MIT */
/*
 * The objects behind nnaccel.h.
 *
 * The route of an argument
 *
 * Every bound input and output takes one of three routes (enum nna_route in nnaccel.h), which
 * execution.c: route_of() decides when it is bound, and which is kept in its nna_binding:
 *
 *	direct	the device works on the caller's buffer itself
 *	staged	it has no slot of its own in the base table, but shares the staging slot
 *	copied	it has a slot, which leads to staging memory: the device cannot use what is bound
 *
 * Everybody else asks for the route, and decides nothing:
 *
 *	- what is not direct is copied: an input before its run, an output after it;
 *	- an input that is copied out of a buffer is read when all in-fences have signalled without
 *	  an error, for which the submission waits on the CPU, as it does for one in a buffer whose
 *	  value the compiler needs. What is in the caller's own memory is read at the submission;
 *	- a run has a fence to export only if all its outputs are direct: the device's fence knows
 *	  nothing of a copy that comes after it.
 *
 * Data and ownership
 *
 * A program holds its graph and a list of variants: the graph compiled for one shape signature
 * (dims of the inputs, and values of those that decide about shapes). A variant owns a read-only BO
 * with its stream and constants; it is reference-counted by the program's cache and by the
 * executions that use it. A context is what one run at a time needs: a queue and a BO with base
 * table, report and scratch memory, and staging memory for what is copied. Executions borrow
 * contexts from their variant and give them back, so that short-lived executions cost no BOs and no
 * queues. State variables belong to the execution.
 *
 * A variant without code says that shapes depend on data: such a run goes through parts of the
 * graph, each a program of its own, which the program makes when they are first needed and keeps
 * (parts.c).
 *
 * Locks: a program's @lock guards the list of variants and their spare contexts; compiling happens
 * under @compiling, without @lock. An execution's @lock guards the end of its run, which its owner
 * or a waiter on its fence may notice first.
 */
#ifndef NNA_RUNTIME_H
#define NNA_RUNTIME_H

#include <pthread.h>
#include <stdatomic.h>

#include "libnnaccel/clock.h"
#include "libnnaccel/compiler/compile.h"
#include "libnnaccel/graph/graph.h"
#include "hw/gen/nnahw.h"
#include "libnnaccel/winsys/status.h"
#include "libnnaccel/winsys/winsys.h"

struct nna_device {
	struct nna_winsys *ws;
	struct nna_log log;
	struct nna_device_info info;
};

struct nna_buffer {
	struct nna_device *device;
	struct nna_winsys_bo *bo;
	size_t size;
};

/* Places in a context's memory. */
#define NNA_CONTEXT_TABLE 0u
#define NNA_CONTEXT_REPORT 1024u
#define NNA_CONTEXT_SCRATCH 2048u

/**
 * struct nna_context - what one run at a time needs
 * @staging: inputs and outputs that are copied, each at @places[input or input count + output];
 *	NULL until needed
 */
struct nna_context {
	struct nna_context *next;
	struct nna_winsys_queue *queue;
	struct nna_winsys_bo *memory;
	struct nna_winsys_bo *staging;
};

struct nna_variant {
	struct nna_variant *next;
	atomic_uint references;
	uint8_t *key;
	size_t key_size;
	/* NULL: cannot be compiled as a whole, operation @stop needs to know what a run tells */
	struct nna_code *code;
	uint32_t stop;
	struct nna_winsys_bo *bo;
	uint64_t *places; /* of inputs and outputs in staging memory */
	uint64_t staging_size;
	struct nna_context *spare;
	uint32_t spare_count;
};

struct nna_program {
	struct nna_device *device;
	struct nna_graph *graph;
	enum nna_priority priority;
	pthread_mutex_t lock;
	pthread_mutex_t compiling;
	struct nna_variant *variants; /* most recently used first */
	uint32_t variant_count;
	/*
	 * inputs whose values are part of the signature; only ever set, under @compiling and @lock
	 */
	bool *parameters;
	atomic_bool has_parameters; /* any of them */
	uint32_t own_slots; /* that many inputs and then outputs have slots of their own */
	/* for the shapes that the model states, if they are complete; holds no reference */
	struct nna_variant *stated;
	struct nna_part *parts; /* never shrinks; what is found first counts */
};

/**
 * struct nna_part - operations [@from, @to) of the execution order of @subgraph as a program of its
 * own
 */
struct nna_part {
	struct nna_part *next;
	uint32_t subgraph, from, to;
	struct nna_graph *graph;
	struct nna_program *program;
};

struct nna_binding {
	bool bound;
	bool omitted;
	void *data; /* the caller's, or NULL */
	struct nna_buffer *buffer;
	size_t offset, size;
	bool has_dims;
	uint32_t rank;
	uint32_t dims[NNACCEL_MAX_RANK];
	uint64_t va; /* of what is bound in @buffer, else 0 */
	enum nna_route route;
	/* In the variant that is in use: */
	bool short_of; /* an output that is too small */
	uint32_t rows; /* dims[0] of a counted output after a run, 0 before */
};

enum nna_run_state { NNA_RUN_IDLE, NNA_RUN_ACTIVE, NNA_RUN_ENDED };

struct nna_execution {
	struct nna_program *program;
	struct nna_variant *variant;
	struct nna_context *context;
	struct nna_winsys_bo *state; /* variables; NULL until needed */
	struct nna_execution *parent; /* this one runs a part of it and uses its state */
	/* outputs of a run in parts; else those of the variant's code count */
	struct nna_code_io *results;
	struct nna_binding *inputs, *outputs;
	bool dirty; /* bindings changed since the base table was written */
	uint64_t deadline_ns, duration_ns, loop_limit_ns;
	pthread_mutex_t lock;
	enum nna_run_state run;
	struct nna_fence *fence; /* of the run under way, with a reference */
	struct nna_winsys_fence *ws_fence;
	struct nna_winsys_job job; /* of the run under way */
	int error; /* of the last run */
	struct nna_timing timing;
};

struct nna_fence {
	atomic_uint references;
	struct nna_device *device;
	pthread_mutex_t lock;
	struct nna_execution *execution; /* until the run has been finished */
	struct nna_winsys_fence *ws_fence;
	bool exportable; /* all outputs are direct; constant */
	atomic_bool done;
	int error;
};

/*
 * Runs the program's graph in parts, the first of which ends before operation @stop; to the end, in
 * this thread. Fills in @results and the timing, and copies the outputs. @deadline_ns: absolute, 0
 * is none. -ENOSPC: at least one did not fit.
 */
int nna_parts_run(struct nna_execution *execution, uint32_t stop, uint64_t deadline_ns);
void nna_parts_destroy(struct nna_part *parts);

/*
 * Takes the variant for what is bound. -EAGAIN: there is none as a whole, operation @stop needs to
 * know what a run tells. Without @readable, inputs are not there yet: then -EAGAIN may also mean
 * that their values are needed, and leaves @stop alone.
 */
int nna_execution_choose_variant(struct nna_execution *execution, bool readable, uint32_t *stop);
/*
 * Outputs as they are bound against what a run writes. -ENOSPC: some are too small and marked so.
 */
int nna_execution_check_outputs(struct nna_execution *execution, const struct nna_code_io *wanted);
/* Bytes of a binding that this process can read. */
const void *nna_binding_data(const struct nna_binding *b);
/*
 * Waits until @count fences have signalled, up to @deadline_ns (absolute, 0 is for ever).
 * -ECANCELED: one of them has failed. -ETIMEDOUT; -EBADF: not an open fd.
 */
int nna_fence_fds_wait(const int *fds, uint32_t count, uint64_t deadline_ns);

/* Runs code without inputs and copies its outputs; for constant folding. */
int nna_program_run_once(struct nna_program *program, const struct nna_code *code,
			 void *const *outputs);

/**
 * nna_program_get_variant() - the program for a signature, compiled if need be
 * @inputs: final shapes of all inputs
 * @data: bytes of each input where this process can read them, else NULL
 *
 * @stop: with -EAGAIN: the operation that needs to know what only a run tells
 *
 * Return: 0 and a reference, or a negative errno.
 */
int nna_program_get_variant(struct nna_program *program, const struct nna_shape *inputs,
			    const void *const *data, uint64_t deadline_ns, uint32_t *stop,
			    struct nna_variant **out);
void nna_variant_put(struct nna_program *program, struct nna_variant *variant);

int nna_context_get(struct nna_program *program, struct nna_variant *variant,
		    struct nna_context **out);
void nna_context_put(struct nna_program *program, struct nna_variant *variant,
		     struct nna_context *context);

/* The end of a run has been seen: takes results, wakes nobody. @lock of the execution is held. */
void nna_execution_finish(struct nna_execution *execution, int error);
/* The device has written its report of the run under way. */
bool nna_execution_reported(const struct nna_execution *execution);
void nna_fence_put(struct nna_fence *fence);

#endif
