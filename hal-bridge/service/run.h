/* SPDX-License-Identifier: MIT */
/*
 * A run: a client's request, bound to an execution of its model. Synchronous and fenced executions,
 * bursts and reusable executions all use runs; they differ in the life time of a run.
 *
 * Creating a run decides how each argument is passed:
 *
 *	shared memory, device buffers	the execution works on them
 *	files				inputs are read into memory of the run when it begins,
 *					outputs are written from such memory when it has ended
 *
 * Pools that no argument uses are not opened. A run belongs to one thread at a time.
 */
#ifndef NNB_RUN_H
#define NNB_RUN_H

#include "hal-bridge/aidl/call.h"
#include "hal-bridge/aidl/gen/nn.h"
#include "hal-bridge/common/deadline.h"
#include "hal-bridge/service/buffer.h"
#include "hal-bridge/service/memory.h"
#include "hal-bridge/service/prepared_model.h"

/**
 * struct nnb_run_options - the options of a run
 * @measure: durations are requested
 * @loop_timeout_ns: for all loops together, the client's value: -1 for the default
 * @brief: the run ends before the call that brings the request, and borrows its descriptors and
 *	its arena
 */
struct nnb_run_options {
	bool measure;
	int64_t loop_timeout_ns;
	bool brief;
};

/**
 * struct nnb_run_pool - the memory of arguments: @memory or @buffer is set, or the pool is not used
 * @used: an argument lies in it
 * @memory: memory of the client, a reference
 * @buffer: a device buffer, a reference to its object
 */
struct nnb_run_pool {
	bool used;
	struct nnb_memory *memory;
	struct nnb_buffer *buffer;
};

/**
 * struct nnb_run_argument - an input or output
 * @pool: its memory; NULL if it is omitted
 * @offset: in the pool
 * @size: bytes in the pool
 * @copy: of a file: memory of the run, @size bytes, owned
 * @stated: model and request state all dimensions
 */
struct nnb_run_argument {
	const struct nnb_run_pool *pool;
	size_t offset, size;
	void *copy;
	bool stated;
};

/**
 * struct nnb_run - a bound request
 * @model: a reference to its object
 * @execution: of the model's program, owned; NULL before it is made
 * @under_way: the client's entry from nnb_run_begin() to nnb_run_end()
 * @deadline: of the present or last run
 * @options: the options
 * @charged: the charge of the client's user for the tables below, and those of @execution
 * @tables: the memory of the tables below, owned; NULL: they are the arena's of the call
 * @pools: @pool_count of them
 * @pool_count: entries of @pools
 * @inputs: as many as the model has
 * @outputs: as many as the model has
 */
struct nnb_run {
	struct nnb_prepared_model *model;
	struct nna_execution *execution;
	struct nnb_client_run under_way;
	struct nnb_deadline deadline;
	struct nnb_run_options options;
	struct nnb_quota charged;
	void *tables;
	struct nnb_run_pool *pools;
	uint32_t pool_count;
	struct nnb_run_argument *inputs, *outputs;
};

/**
 * nnb_run_init() - check and bind a request
 * @run: nnb_run_fini() must follow, also after an error
 * @model: the model
 * @call: gets messages
 * @request: the client's
 * @memories: of a burst: kept memories, one for each pool; NULL entries, and NULL, are opened here
 * @options: the options
 *
 * Return: 0 or an ErrorStatus.
 */
int nnb_run_init(struct nnb_run *run, struct nnb_prepared_model *model, struct nnb_aidl_call *call,
		 const struct nnb_aidl_request *request, struct nnb_memory *const *memories,
		 const struct nnb_run_options *options);
void nnb_run_fini(struct nnb_run *run);

/*
 * Runs a request and waits. @result lies in the call's arena; an output that did not fit is no
 * error. Return: 0 or an ErrorStatus.
 */
int nnb_run_execute(struct nnb_run *run, struct nnb_aidl_call *call, int64_t deadline_ns,
		    struct nnb_aidl_execution_result *result);

/*
 * The parts before and after a run, for fenced executions. @deadline: CLOCK_MONOTONIC ns, 0 for
 * none. nnb_run_end() must follow nnb_run_begin(), also after its error. Return: 0 or a negative
 * errno, -ECANCELED if the client is dead; nnb_run_end() returns @error, or an error of the
 * outputs.
 */
int nnb_run_begin(struct nnb_run *run, uint64_t deadline_ns, uint64_t duration_ns);
int nnb_run_end(struct nnb_run *run, int error);

/* Return: true if the device writes all outputs itself. */
bool nnb_run_is_direct(const struct nnb_run *run);
/* Return: true if the library is known to read the value of an input before it submits a run. */
bool nnb_run_has_parameters(const struct nnb_run *run);
/*
 * Return: true if model and request state all dimensions of all outputs. What can be inferred from
 * the inputs does not count.
 */
bool nnb_run_is_stated(const struct nnb_run *run);

/*
 * Return: the ErrorStatus of a run's error. Bad data is no bad argument here, and a missed deadline
 * is persistent if the run itself needs more time.
 */
int nnb_run_status(const struct nnb_run *run, int error);

/* Checks hints and extensions of a configuration. Return: 0 or INVALID_ARGUMENT. */
int nnb_run_check_config(struct nnb_aidl_call *call,
			 const struct nnb_aidl_execution_config *config);

#endif
