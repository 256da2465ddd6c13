/* SPDX-License-Identifier: MIT */
/*
 * The objects behind nnaccel.h.
 *
 * Data and ownership
 *
 * A program holds its graph and a list of variants: the graph compiled for one shape signature (dims of the inputs, and
 * values of those that decide about shapes). A variant owns a read-only BO with its stream and constants; it is reference-counted
 * by the program's cache and by the executions that use it. A context is what one run at a time needs: a queue and a BO with
 * base table, report, variables and scratch memory, and staging memory for what is copied. Executions borrow contexts
 * from their variant and give them back, so that short-lived executions cost no BOs and no queues.
 *
 * Locks: a program's @lock guards the list of variants and their spare contexts; compiling happens under @compiling, without
 * @lock. An execution's @lock guards the end of its run, which its owner or a waiter on its fence may notice first.
 */
#ifndef NNA_RUNTIME_H
#define NNA_RUNTIME_H

#include <pthread.h>
#include <stdatomic.h>

#include "compiler/nna_compile.h"
#include "graph/nna_graph.h"
#include "nna_hw.h"
#include "winsys/nna_winsys.h"

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
#define NNA_CONTEXT_DATA 2048u

/**
 * struct nna_context - what one run at a time needs
 * @variables, @scratch: offsets in @memory
 * @staging: inputs and outputs that are copied, each at @places[input or input count + output]; NULL until needed
 * @clean: variables are zero
 */
struct nna_context {
	struct nna_context *next;
	struct nna_winsys_queue *queue;
	struct nna_winsys_bo *memory;
	struct nna_winsys_bo *staging;
	uint64_t variables, scratch;
	bool clean;
};

struct nna_variant {
	struct nna_variant *next;
	atomic_uint references;
	uint8_t *key;
	size_t key_size;
	struct nna_code *code;
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
	bool *parameters; /* inputs whose values are part of the signature; only ever set, under @compiling and @lock */
	atomic_bool has_parameters; /* any of them */
	struct nna_variant *stated; /* for the shapes that the model states, if they are complete; holds no reference */
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
	/* In the variant that is in use: */
	bool copied; /* by way of staging memory */
	bool short_of; /* an output that is too small */
};

enum nna_run_state { NNA_RUN_IDLE, NNA_RUN_ACTIVE, NNA_RUN_ENDED };

struct nna_execution {
	struct nna_program *program;
	struct nna_variant *variant;
	struct nna_context *context;
	struct nna_binding *inputs, *outputs;
	bool dirty; /* bindings changed since the base table was written */
	uint64_t deadline_ns, duration_ns, loop_limit_ns;
	pthread_mutex_t lock;
	enum nna_run_state state;
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
	atomic_bool done;
	int error;
};

/* Runs code without inputs and copies its outputs; for constant folding. */
int nna_program_run_once(struct nna_program *program, const struct nna_code *code, void *const *outputs);

/**
 * nna_program_get_variant() - the program for a signature, compiled if need be
 * @inputs: final shapes of all inputs
 * @data: bytes of each input where this process can read them, else NULL
 *
 * Return: 0 and a reference, or a negative errno.
 */
int nna_program_get_variant(struct nna_program *program, const struct nna_shape *inputs,
			    const void *const *data, uint64_t deadline_ns, struct nna_variant **out);
void nna_variant_put(struct nna_program *program, struct nna_variant *variant);

int nna_context_get(struct nna_program *program, struct nna_variant *variant, struct nna_context **out);
void nna_context_put(struct nna_program *program, struct nna_variant *variant,
		     struct nna_context *context);

/* The end of a run has been seen: takes results, wakes nobody. @lock of the execution is held. */
void nna_execution_finish(struct nna_execution *execution, int error);
/* The device has written its report of the run under way. */
bool nna_execution_reported(const struct nna_execution *execution);
void nna_fence_put(struct nna_fence *fence);

uint64_t nna_now_ns(void);
/* Negative errno of a status of the hardware. */
int nna_status_error(uint32_t status);

#endif
