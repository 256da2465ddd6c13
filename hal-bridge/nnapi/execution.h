/* SPDX-License-Identifier: MIT */
/* Executions, and the steps of a run. */
#ifndef NNAPI_EXECUTION_H
#define NNAPI_EXECUTION_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hal-bridge/common/deadline.h"
#include "hal-bridge/nnapi/compilation.h"
#include "hal-bridge/nnapi/event.h"
#include "hal-bridge/nnapi/memory.h"
#include "hal-bridge/nnapi/NeuralNetworks.h"
#include "hal-bridge/nnapi/object.h"
#include "nnaccel.h"

enum nnapi_state { NNAPI_PREPARATION, NNAPI_COMPUTATION, NNAPI_COMPLETED };

/**
 * struct nnapi_argument - an input or output of an execution
 * @bound: it has been set
 * @known: its dimensions are known before the execution runs
 * @contradicts: an output: the caller gave it another shape than the operations do, so that the run
 *	fails
 * @memory: a reference; NULL for a user pointer
 */
struct nnapi_argument {
	bool bound, known, contradicts;
	ANeuralNetworksMemory *memory;
};

/**
 * struct ANeuralNetworksExecution - an execution
 * @compilation: a reference
 * @execution: libnnaccel's, owned; NULL when the device does not support the model
 * @reusable: it can run again
 * @padding: an argument's memory may be larger than the argument
 * @measure: durations will be asked for
 * @any_bound: an argument has been set
 * @timeout_ns: of a run, 0 is none
 * @lock: of @state, @result and what a run leaves behind
 * @result: of the last run: a result code
 * @deadline: of the last run
 * @began_ns: when the last run was asked for, CLOCK_MONOTONIC
 * @driver_ns: from then to its end
 * @ready_ns: when the library had waited for dependencies of the last run; 0: it had not
 * @waited: when @measure: @waited_count fences, owned, that the device waited for before the last
 *	run; they tell when they signalled
 */
struct ANeuralNetworksExecution {
	struct nnapi_object object;
	ANeuralNetworksCompilation *compilation;
	struct nna_execution *execution;
	struct nnapi_argument *inputs, *outputs;
	uint32_t input_count, output_count;
	bool reusable, padding, measure, any_bound;
	uint64_t timeout_ns;
	struct nnb_deadline deadline;

	pthread_mutex_t lock;
	enum nnapi_state state;
	int result;
	uint64_t began_ns, driver_ns, ready_ns;
	int *waited;
	uint32_t waited_count;
};

/* A pointer to it is a pointer to its count. */
_Static_assert(!offsetof(struct ANeuralNetworksExecution, object),
	       "the count of an execution is first");

/* Its @state, for which @lock is taken. */
enum nnapi_state nnapi_execution_state(ANeuralNetworksExecution *execution);
/* NO_ERROR while the execution can be changed. */
int nnapi_execution_open(ANeuralNetworksExecution *execution, const char *function);

/* Checks that all is set and starts the clock. After NO_ERROR nnapi_execution_end() has to come. */
int nnapi_execution_begin(ANeuralNetworksExecution *execution, const char *function);
/*
 * -ENODATA while an input is in device memory that holds nothing. What a dependency fills is to be
 * checked when that has ended.
 */
int nnapi_execution_check_inputs(ANeuralNetworksExecution *execution);
/*
 * Submits a run that has begun, behind the fences @fds, which stay the caller's. Takes over the
 * caller's reference to @event, and returns it in *@out after NO_ERROR.
 */
int nnapi_execution_submit(ANeuralNetworksExecution *execution, const int *fds, uint32_t count,
			   ANeuralNetworksEvent *event, ANeuralNetworksEvent **out);
/*
 * An event for the end of a run, with one reference; NULL without memory. It holds the execution.
 */
ANeuralNetworksEvent *nnapi_execution_create_event(ANeuralNetworksExecution *execution);
/* How long a run that has begun may take from when its dependencies have ended; 0 is no limit. */
int nnapi_execution_limit(ANeuralNetworksExecution *execution, uint64_t duration);
/* The end of a run: @error of the library or 0. Return: the result code. */
int nnapi_execution_end(ANeuralNetworksExecution *execution, int error);
/* Begins a run, computes and ends it. Return: the result code. */
int nnapi_execution_run(ANeuralNetworksExecution *execution, const char *function);

#endif
