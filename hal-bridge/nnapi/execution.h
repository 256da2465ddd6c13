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
 * @execution: libnnaccel's, owned; NULL if no device computes the whole model
 * @steps: of a compilation with a plan: computes the plan, owned; otherwise NULL
 * @fallback: computes the model on the reference, owned; NULL until it is needed
 * @fell_back: @fallback computed the last run
 * @fenced: the last run has dependencies (startComputeWithDependencies())
 * @mode: the function that started the last run, for diagnostics
 * @reusable: it can run again
 * @padding: an argument's memory may be larger than the argument
 * @measure: durations will be asked for
 * @any_bound: an argument has been set
 * @timeout_ns: of a run, 0 for none
 * @loop_limit_ns: of each loop, 0 for the library's own
 * @lock: of @state, @result and the results of a run
 * @result: of the last run: a result code
 * @deadline: of the last run
 * @began_ns: when the last run was started, CLOCK_MONOTONIC
 * @driver_ns: from @began_ns to the end of the last run
 * @ready_ns: when the library had waited for the last run's dependencies; 0 if it had none to wait
 *	for
 * @waited: with @measure: @waited_count fences, owned, that the device waited for before the last
 *	run; they have the times of their signals
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

/* The reference count is the first member (object.h). */
_Static_assert(!offsetof(struct ANeuralNetworksExecution, object),
	       "the count of an execution is first");

/* Return: its @state, read with @lock. */
enum nnapi_state nnapi_execution_state(ANeuralNetworksExecution *execution);
/* Return: NO_ERROR while the execution can be changed. */
int nnapi_execution_open(ANeuralNetworksExecution *execution, const char *function);

/*
 * Checks that all arguments are set, and starts the clock. After NO_ERROR, nnapi_execution_end()
 * must follow.
 */
int nnapi_execution_begin(ANeuralNetworksExecution *execution, const char *function);
/* Logs why a run must fail: the model is not supported, or an output has another shape. */
bool nnapi_execution_cannot_run(const ANeuralNetworksExecution *execution, const char *function);
/*
 * Checks a run that has begun, and takes its inputs. Return: -EINVAL, logged, if the model or an
 * output cannot be computed, or the error of nnapi_execution_take_inputs().
 */
int nnapi_execution_check(ANeuralNetworksExecution *execution, const char *function);
/*
 * Checks the inputs in memories, and reads those in files that can shrink. A dependency may fill
 * the memory, so this has to follow its end. Return: 0, -ENODATA, logged, if an input is device
 * memory without a value or its file has been truncated, or the error of a file.
 */
int nnapi_execution_take_inputs(ANeuralNetworksExecution *execution);
/*
 * Submits a run that has begun, behind the fences @fds, which stay the caller's. Takes over the
 * caller's reference to @event, and returns it in *@out with NO_ERROR. If the run cannot be
 * submitted, the event gets the error; for a fenced run the error is returned.
 */
int nnapi_execution_submit(ANeuralNetworksExecution *execution, const int *fds, uint32_t count,
			   ANeuralNetworksEvent *event, ANeuralNetworksEvent **out);
/*
 * Creates an event for the end of a run, with one reference. The event holds the execution. Return:
 * NULL without memory.
 */
ANeuralNetworksEvent *nnapi_execution_create_event(ANeuralNetworksExecution *execution);
/* Return: the time that a run may take after the end of its dependencies in ns; 0 for no limit. */
int nnapi_execution_limit(ANeuralNetworksExecution *execution, uint64_t duration);
/* Ends a run with @error of the library, or 0. Return: the result code. */
int nnapi_execution_end(ANeuralNetworksExecution *execution, int error);
/*
 * Computes a run that has begun; on the reference if the devices fail and the reference is allowed.
 * Return: an error of the library or 0.
 */
int nnapi_execution_compute(ANeuralNetworksExecution *execution);
/* As nna_execution_get_output_dims(), of the last run. */
int nnapi_execution_get_output_dims(const ANeuralNetworksExecution *execution, uint32_t index,
				    uint32_t *rank, uint32_t dims[NNACCEL_MAX_RANK]);
/* Begins a run, computes and ends it. Return: the result code. */
int nnapi_execution_run(ANeuralNetworksExecution *execution,
			ANeuralNetworksDiagnosticExecutionMode mode, const char *function);

#endif
