/* SPDX-License-Identifier: MIT */
/*
 * A run: a request of a client, bound to an execution of its model. Synchronous and fenced
 * executions, bursts and reusable executions all are runs; they differ in how long one lives.
 *
 * How an argument travels is decided when the run is made:
 *
 *	shared memory, device buffers	the execution works on them
 *	files				inputs are read into memory of the run when it begins,
 *					outputs written from there when it has ended
 *
 * A run belongs to one thread at a time.
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
 * struct nnb_run_options - how to run
 * @measure: durations are wanted
 * @loop_timeout_ns: for all loops together, as the client says it: -1 for the default
 * @brief: the run ends before the call does that brings the request, whose descriptors it borrows
 */
struct nnb_run_options {
	bool measure;
	int64_t loop_timeout_ns;
	bool brief;
};

/**
 * struct nnb_run_pool - where arguments lie: one of both is set
 * @memory: memory of the client, a reference
 * @buffer: a device buffer, a reference to its object
 */
struct nnb_run_pool {
	struct nnb_memory *memory;
	struct nnb_buffer *buffer;
};

/**
 * struct nnb_run_argument - an input or output
 * @pool: where it lies; NULL when it is omitted
 * @offset: in the pool
 * @size: bytes there
 * @copy: of a file: memory of the run, @size bytes, owned
 * @known: all dimensions are known before the run
 */
struct nnb_run_argument {
	const struct nnb_run_pool *pool;
	size_t offset, size;
	void *copy;
	bool known;
};

/**
 * struct nnb_run - a request that is bound
 * @model: a reference to its object
 * @execution: of the model's program, owned; NULL before it is made
 * @under_way: for the client, from nnb_run_begin() to nnb_run_end()
 * @deadline: of the run that is under way or was the last
 * @options: how to run
 * @pools: @pool_count of them, owned
 * @pool_count: entries of @pools
 * @inputs: as many as the model has, owned
 * @outputs: as many as the model has, owned
 */
struct nnb_run {
	struct nnb_prepared_model *model;
	struct nna_execution *execution;
	struct nnb_client_run under_way;
	struct nnb_deadline deadline;
	struct nnb_run_options options;
	struct nnb_run_pool *pools;
	uint32_t pool_count;
	struct nnb_run_argument *inputs, *outputs;
};

/**
 * nnb_run_init() - check and bind a request
 * @run: to be ended by nnb_run_fini(), also after an error
 * @model: whose run it is
 * @call: takes messages
 * @request: as the client sent it
 * @memories: a burst's, one for each pool; NULL entries, and NULL, are opened here
 * @options: how to run
 *
 * Return: 0 or an ErrorStatus.
 */
int nnb_run_init(struct nnb_run *run, struct nnb_prepared_model *model, struct nnb_aidl_call *call,
		 const struct nnb_aidl_request *request, struct nnb_memory *const *memories,
		 const struct nnb_run_options *options);
void nnb_run_fini(struct nnb_run *run);

/*
 * Runs and waits. @result lies in the call's arena; an output that did not fit is no error. Return:
 * 0 or an ErrorStatus.
 */
int nnb_run_execute(struct nnb_run *run, struct nnb_aidl_call *call, int64_t deadline_ns,
		    struct nnb_aidl_execution_result *result);

/*
 * For fenced executions, which need all of this one by one: what comes before a run (deadline in
 * CLOCK_MONOTONIC ns, 0 for none) and after it, which comes after an error of nnb_run_begin(), too.
 * Return: 0 or a negative errno, -ECANCELED when the client is dead; nnb_run_end() returns @error,
 * or what went wrong with the outputs.
 */
int nnb_run_begin(struct nnb_run *run, uint64_t deadline_ns, uint64_t duration_ns);
int nnb_run_end(struct nnb_run *run, int error);

/* Whether all outputs are where the device writes them, and all their dimensions are known. */
bool nnb_run_is_direct(const struct nnb_run *run);
bool nnb_run_is_known(const struct nnb_run *run);

/*
 * The ErrorStatus of an error of a run, where bad data is no bad argument, and a miss is persistent
 * when the run itself needs too long.
 */
int nnb_run_status(const struct nnb_run *run, int error);

/* Hints and extensions of a configuration. Return: 0 or INVALID_ARGUMENT. */
int nnb_run_check_config(struct nnb_aidl_call *call,
			 const struct nnb_aidl_execution_config *config);

#endif
