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
#include "hal-bridge/include/NeuralNetworks.h"
#include "hal-bridge/nnapi/object.h"
#include "hal-bridge/nnapi/steps.h"
#include "nnaccel.h"

enum nnapi_state { NNAPI_PREPARATION, NNAPI_COMPUTATION, NNAPI_COMPLETED };

/**
 * struct ANeuralNetworksExecution - an execution
 * @compilation: a reference
 * @execution: libnnaccel's, owned; NULL when no device computes the model alone
 * @steps: of a compilation with a plan: that computes it, owned; else NULL
 * @fallback: computes the model on the reference, owned; NULL until it is needed
 * @fell_back: the last run has been computed by @fallback
 * @fenced: the last run is one with dependencies (startComputeWithDependencies())
 * @mode: how the last run was asked for, for diagnostics
 * @reusable: it can run again
 * @padding: an argument's memory may be larger than the argument
 * @measure: durations will be asked for
 * @any_bound: an argument has been set
 * @timeout_ns: of a run, 0 is none
 * @loop_limit_ns: of each loop, 0 for the library's own
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
	struct nnapi_steps *steps, *fallback;
	bool fell_back, fenced;
	ANeuralNetworksDiagnosticExecutionMode mode;
	struct nnapi_argument *inputs, *outputs;
	uint32_t input_count, output_count;
	bool reusable, padding, measure, any_bound;
	uint64_t timeout_ns, loop_limit_ns;
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
/* Logs it when a run has to fail: its model is not supported, or an output has another shape. */
bool nnapi_execution_cannot_run(const ANeuralNetworksExecution *execution, const char *function);
/*
 * What makes a run that has begun fail before it is computed: -EINVAL for a model or an output that
 * cannot be computed, logged, or what nnapi_execution_check_inputs() returns.
 */
int nnapi_execution_check(ANeuralNetworksExecution *execution, const char *function);
/*
 * -ENODATA while an input is in device memory that holds nothing. What a dependency fills is to be
 * checked when that has ended.
 */
int nnapi_execution_check_inputs(ANeuralNetworksExecution *execution);
/*
 * Submits a run that has begun, behind the fences @fds, which stay the caller's. Takes over the
 * caller's reference to @event, and returns it in *@out after NO_ERROR. The error of a run that
 * cannot be submitted is the event's, but of a fenced run it is returned.
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
/*
 * Computes a run that has begun, on the reference if the devices fail and that is allowed. Return:
 * an error of the library or 0.
 */
int nnapi_execution_compute(ANeuralNetworksExecution *execution);
/* As nna_execution_get_output_dims(), of the last run. */
int nnapi_execution_get_output_dims(const ANeuralNetworksExecution *execution, uint32_t index,
				    uint32_t *rank, uint32_t dims[NNACCEL_MAX_RANK]);
/* Begins a run, computes and ends it. Return: the result code. */
int nnapi_execution_run(ANeuralNetworksExecution *execution,
			ANeuralNetworksDiagnosticExecutionMode mode, const char *function);

#endif
