// SPDX-License-Identifier: MIT
/*
 * Executions: their life, the properties that are set before a run, and running.
 *
 * An execution is in preparation until its first run; after that, arguments (argument.c) and
 * properties are fixed. While it is in computation, a second run is refused. It is completed when
 * the end of the run is noticed: by the call that computes, by a wait for its event, or by the
 * library if that waited for dependencies (fenced.c). result.c returns the results of a run.
 */
#include "hal-bridge/nnapi/execution.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "hal-bridge/nnapi/device.h"
#include "hal-bridge/nnapi/nnapi.h"
#include "libnnaccel/support/clock.h"
#include "libnnaccel/support/trace.h"

/* ----------------------------------------------------------------------------------------- life */

/* Closes the fences of the last run's dependencies. */
static void nnapi_execution_drop_waited(ANeuralNetworksExecution *execution)
{
	while (execution->waited_count)
		close(execution->waited[--execution->waited_count]);
	free(execution->waited);
	execution->waited = NULL;
}

static void nnapi_execution_free_arguments(struct nnapi_argument *arguments, uint32_t count)
{
	for (uint32_t i = 0; arguments && i < count; i++) {
		nnapi_object_unref(arguments[i].memory);
		free(arguments[i].copy);
	}
	free(arguments);
}

static void nnapi_execution_destroy(void *object)
{
	ANeuralNetworksExecution *execution = object;

	nnapi_execution_drop_waited(execution);
	nna_execution_destroy(execution->execution);
	nnapi_steps_destroy(execution->steps);
	nnapi_steps_destroy(execution->fallback);
	nnapi_execution_free_arguments(execution->inputs, execution->input_count);
	nnapi_execution_free_arguments(execution->outputs, execution->output_count);
	nnapi_object_unref(execution->compilation);
	pthread_mutex_destroy(&execution->lock);
	free(execution);
}

NNAPI_EXPORT int ANeuralNetworksExecution_create(ANeuralNetworksCompilation *compilation,
						 ANeuralNetworksExecution **execution)
{
	ANeuralNetworksExecution *self;
	int ret = -ENOMEM;

	if (!compilation || !execution)
		return nnapi_null(__func__);
	*execution = NULL;
	if (!nnapi_compilation_is_ready(compilation))
		return nnapi_error(BAD_STATE, "%s: the compilation is not finished, or failed",
				   __func__);
	self = calloc(1, sizeof(*self));
	if (!self)
		return ANEURALNETWORKS_OUT_OF_MEMORY;
	nnapi_object_init(&self->object, nnapi_execution_destroy);
	pthread_mutex_init(&self->lock, NULL);
	self->compilation = nnapi_object_ref(compilation);
	self->input_count = compilation->model->model.input_count;
	self->output_count = compilation->model->model.output_count;
	self->inputs = calloc(self->input_count + 1, sizeof(*self->inputs));
	self->outputs = calloc(self->output_count + 1, sizeof(*self->outputs));
	if (self->inputs && self->outputs && compilation->cannot_compute)
		ret = 0;
	else if (self->inputs && self->outputs && compilation->plan)
		ret = nnapi_steps_create(compilation->plan, &self->steps);
	else if (self->inputs && self->outputs)
		ret = nna_execution_create(compilation->program, &self->execution);
	if (ret) {
		self->execution = NULL;
		self->steps = NULL;
		nnapi_object_unref(self);
		return nnb_result_of_call(ret);
	}
	*execution = self;
	return ANEURALNETWORKS_NO_ERROR;
}

NNAPI_EXPORT void ANeuralNetworksExecution_free(ANeuralNetworksExecution *execution)
{
	nnapi_object_unref(execution);
}

enum nnapi_state nnapi_execution_state(ANeuralNetworksExecution *execution)
{
	enum nnapi_state state;

	pthread_mutex_lock(&execution->lock);
	state = execution->state;
	pthread_mutex_unlock(&execution->lock);
	return state;
}

int nnapi_execution_open(ANeuralNetworksExecution *execution, const char *function)
{
	if (!execution)
		return nnapi_null(function);
	if (nnapi_execution_state(execution) != NNAPI_PREPARATION)
		return nnapi_error(BAD_STATE, "%s: the execution has been started", function);
	return ANEURALNETWORKS_NO_ERROR;
}

/* ----------------------------------------------------------------------------------- properties */

/* Return: NO_ERROR while a property can be changed that requires a compilation for one device. */
static int nnapi_execution_explicit(ANeuralNetworksExecution *execution, const char *function)
{
	if (execution && !execution->compilation->explicit_device)
		return nnapi_error(BAD_DATA, "%s: needs a compilation for one device", function);
	return nnapi_execution_open(execution, function);
}

NNAPI_EXPORT int ANeuralNetworksExecution_setTimeout(ANeuralNetworksExecution *execution,
						     uint64_t duration)
{
	int ret = nnapi_execution_explicit(execution, __func__);

	if (ret)
		return ret;
	execution->timeout_ns = duration;
	return ANEURALNETWORKS_NO_ERROR;
}

NNAPI_EXPORT int ANeuralNetworksExecution_setLoopTimeout(ANeuralNetworksExecution *execution,
							 uint64_t duration)
{
	int ret = nnapi_execution_open(execution, __func__);

	if (ret)
		return ret;
	if (duration > NNAPI_LOOP_MAXIMUM_NS)
		duration = NNAPI_LOOP_MAXIMUM_NS;
	/* A caller's 0 is a limit of no time; the library's 0 is no limit. */
	if (!duration)
		duration = 1;
	execution->loop_limit_ns = duration;
	if (!execution->execution)
		return ANEURALNETWORKS_NO_ERROR;
	return nnb_result_of_call(nna_execution_set_loop_limit(execution->execution, duration));
}

NNAPI_EXPORT int ANeuralNetworksExecution_setMeasureTiming(ANeuralNetworksExecution *execution,
							   bool measure)
{
	int ret = nnapi_execution_explicit(execution, __func__);

	if (ret)
		return ret;
	execution->measure = measure;
	return ANEURALNETWORKS_NO_ERROR;
}

NNAPI_EXPORT int ANeuralNetworksExecution_setReusable(ANeuralNetworksExecution *execution,
						      bool reusable)
{
	int ret = nnapi_execution_open(execution, __func__);

	if (!ret)
		execution->reusable = reusable;
	return ret;
}

NNAPI_EXPORT int
ANeuralNetworksExecution_enableInputAndOutputPadding(ANeuralNetworksExecution *execution,
						     bool enable)
{
	int ret = nnapi_execution_open(execution, __func__);

	if (ret)
		return ret;
	if (execution->any_bound)
		return nnapi_error(BAD_STATE, "%s: must be called before the first argument is set",
				   __func__);
	execution->padding = enable;
	return ANEURALNETWORKS_NO_ERROR;
}

NNAPI_EXPORT int
ANeuralNetworksExecution_addExtensionAttribute(ANeuralNetworksExecution *execution,
					       const char *extensionName,
					       uint16_t attributeCodeWithinExtension,
					       const void *data, size_t length)
{
	int ret;

	if (!execution || !extensionName || (!data && length))
		return nnapi_null(__func__);
	ret = nnapi_execution_open(execution, __func__);
	if (ret)
		return ret;
	return nnapi_error(BAD_DATA, "%s: %s has no attribute %u", __func__, extensionName,
			   attributeCodeWithinExtension);
}

/* -------------------------------------------------------------------------------------- running */

bool nnapi_execution_cannot_run(const ANeuralNetworksExecution *execution, const char *function)
{
	if (!execution->execution && !execution->steps) {
		nna_message(EXECUTION, "%s: the device does not support the model", function);
		return true;
	}
	for (uint32_t i = 0; i < execution->output_count; i++) {
		if (execution->outputs[i].contradicts) {
			nna_message(EXECUTION, "%s: output %u: the dimensions that were set differ "
				    "from the model's", function, i);
			return true;
		}
	}
	return false;
}

int nnapi_execution_begin(ANeuralNetworksExecution *execution, const char *function)
{
	for (uint32_t i = 0; i < execution->input_count; i++) {
		if (!execution->inputs[i].bound)
			return nnapi_error(BAD_DATA, "%s: input %u is not set", function, i);
	}
	for (uint32_t i = 0; i < execution->output_count; i++) {
		if (!execution->outputs[i].bound)
			return nnapi_error(BAD_DATA, "%s: output %u is not set", function, i);
	}
	pthread_mutex_lock(&execution->lock);
	if (execution->state == NNAPI_COMPUTATION ||
	    (execution->state == NNAPI_COMPLETED && !execution->reusable)) {
		pthread_mutex_unlock(&execution->lock);
		return nnapi_error(BAD_STATE,
				   "%s: the execution is running, or has run and is not reusable",
				   function);
	}
	execution->state = NNAPI_COMPUTATION;
	execution->began_ns = nna_now_ns();
	execution->ready_ns = 0;
	execution->fell_back = false;
	execution->fenced = false;
	pthread_mutex_unlock(&execution->lock);
	nnapi_execution_drop_waited(execution);
	/* Only compilations for one device have deadlines. */
	if (!execution->execution)
		return ANEURALNETWORKS_NO_ERROR;
	nna_execution_set_deadline(execution->execution,
				   nnb_deadline_begin(&execution->deadline, execution->timeout_ns));
	nna_execution_set_duration(execution->execution, 0);
	return ANEURALNETWORKS_NO_ERROR;
}

int nnapi_execution_limit(ANeuralNetworksExecution *execution, uint64_t duration)
{
	if (!execution->execution)
		return 0;
	nnb_deadline_limit(&execution->deadline, duration);
	return nna_execution_set_duration(execution->execution, duration);
}

/* Return: the result code of a run that missed its deadline. */
static int nnapi_execution_missed(const ANeuralNetworksExecution *execution)
{
	struct nna_timing timing;

	if (!execution->execution || nna_execution_get_timing(execution->execution, &timing))
		timing.run = 0;
	return nnb_deadline_result(&execution->deadline, timing.run);
}

/*
 * Reports the end of a run to the registered diagnostics, with the times that Android's runtime
 * gives.
 */
static void nnapi_execution_tell(const ANeuralNetworksExecution *execution, int result)
{
	ANeuralNetworksDiagnosticExecutionInfo info = {
		.mode = execution->fenced ? ANNDIAG_EXECUTION_MODE_ASYNC_WITH_DEPS :
					    execution->mode,
		.error = result,
		.runtime_ns = execution->fenced ? UINT64_MAX : execution->driver_ns,
		.driver_ns = UINT64_MAX,
		.hardware_ns = UINT64_MAX,
	};
	struct nna_timing timing;

	/* Only a compilation for one device measures times, and it has no fallback. */
	if (!result && execution->measure &&
	    !nna_execution_get_timing(execution->execution, &timing)) {
		info.driver_ns = execution->driver_ns;
		if (timing.begin)
			info.hardware_ns = timing.span;
	}
	nnapi_compilation_describe(execution->compilation, &info.model);
	nnapi_diagnostic_executed(&info);
}

/* Checks that the computed outputs have the dimensions of the device memory that they went to. */
static bool nnapi_execution_fits_memory(const ANeuralNetworksExecution *execution)
{
	for (uint32_t i = 0; i < execution->output_count; i++) {
		const ANeuralNetworksMemory *memory = execution->outputs[i].memory;
		uint32_t rank = 0, dims[NNACCEL_MAX_RANK];

		if (!memory || !memory->device_memory ||
		    nnapi_execution_get_output_dims(execution, i, &rank, dims) ||
		    nnapi_memory_fits_shape(memory, rank, dims))
			continue;
		nna_message(EXECUTION,
			    "output %u must have the dimensions of its device memory", i);
		return false;
	}
	return true;
}

/* Logs that a file of an argument cannot be read or written. Return: @error. */
static int nnapi_execution_refuse_file(const char *what, uint32_t index, int error)
{
	nna_message(EXECUTION, "%s %u: its file %s", what, index,
		    error == -ENODATA ? "has been truncated" : strerror(-error));
	return error;
}

/* Writes the outputs that lie in files that can shrink. Return: 0, or the error of a file. */
static int nnapi_execution_write_files(const ANeuralNetworksExecution *execution)
{
	for (uint32_t i = 0; i < execution->output_count; i++) {
		const struct nnapi_argument *output = &execution->outputs[i];
		uint32_t rank = 0, dims[NNACCEL_MAX_RANK];
		size_t size;
		int ret;

		if (!output->copy)
			continue;
		ret = nnapi_execution_get_output_dims(execution, i, &rank, dims);
		if (!ret && (!nnb_value_bytes(nnapi_compilation_operand(execution->compilation,
									 true, i)->type,
					      rank, dims, &size) || size > output->length))
			ret = -EIO;
		if (!ret)
			ret = nnapi_memory_write(output->memory, output->offset, output->copy,
						 size);
		if (ret)
			return nnapi_execution_refuse_file("output", i, ret);
	}
	return 0;
}

int nnapi_execution_end(ANeuralNetworksExecution *execution, int error)
{
	int result;

	if (!error && !nnapi_execution_fits_memory(execution))
		error = -EINVAL;
	if (!error)
		error = nnapi_execution_write_files(execution);
	result = error == -ETIMEDOUT ? nnapi_execution_missed(execution) : nnb_result_of_run(error);

	if (error)
		nna_message(EXECUTION, "an execution ended with: %s", strerror(-error));
	for (uint32_t i = 0; i < execution->output_count; i++) {
		ANeuralNetworksMemory *memory = execution->outputs[i].memory;

		if (memory && memory->device_memory)
			nnapi_memory_set_initialized(memory, !error);
	}
	pthread_mutex_lock(&execution->lock);
	execution->result = result;
	execution->driver_ns = nna_now_ns() - execution->began_ns;
	execution->state = NNAPI_COMPLETED;
	pthread_mutex_unlock(&execution->lock);
	if (execution->compilation->diagnosed && nnapi_diagnostic_is_wanted())
		nnapi_execution_tell(execution, result);
	return result;
}

/*
 * Return: true if a failed run may be repeated on the reference. Errors of the model, the arguments
 * or the dependencies would only repeat.
 */
static bool nnapi_execution_may_fall_back(const ANeuralNetworksExecution *execution, int error)
{
	if (execution->compilation->listed_count || execution->fell_back ||
	    !(execution->execution || execution->steps))
		return false;
	return error && error != -ENOSPC && error != -ENODATA && error != -ETIMEDOUT;
}

/* Computes a run that failed with @error on the reference. Return: 0 or the library's error. */
static int nnapi_execution_fall_back(ANeuralNetworksExecution *execution, int error)
{
	const struct nnapi_plan *plan = nnapi_compilation_fall_back(execution->compilation);
	int ret = 0;

	if (!plan)
		return error;
	if (!execution->fallback)
		ret = nnapi_steps_create(plan, &execution->fallback);
	if (ret) {
		execution->fallback = NULL;
		return error;
	}
	nna_message(CPUEXE, "the execution failed: %s; repeating it on %s",
		    strerror(-error), plan->steps[0].device->name);
	execution->fell_back = true;
	return nnapi_steps_run(execution->fallback, execution->inputs, execution->outputs,
			       execution->loop_limit_ns);
}

int nnapi_execution_compute(ANeuralNetworksExecution *execution)
{
	int ret;

	if (execution->steps)
		ret = nnapi_steps_run(execution->steps, execution->inputs, execution->outputs,
				      execution->loop_limit_ns);
	else
		ret = nna_execution_compute(execution->execution);
	if (nnapi_execution_may_fall_back(execution, ret))
		ret = nnapi_execution_fall_back(execution, ret);
	return ret;
}

int nnapi_execution_get_output_dims(const ANeuralNetworksExecution *execution, uint32_t index,
				    uint32_t *rank, uint32_t dims[NNACCEL_MAX_RANK])
{
	const struct nnapi_steps *steps = execution->fell_back ? execution->fallback :
								 execution->steps;

	return steps ? nnapi_steps_get_output_dims(steps, index, rank, dims) :
		       nna_execution_get_output_dims(execution->execution, index, rank, dims);
}

/*
 * Ends a run through its event. A fenced run is not repeated on the reference, because its fence
 * has already failed for others.
 */
static int nnapi_execution_end_event(void *run, int error)
{
	ANeuralNetworksExecution *execution = run;

	if (!execution->fenced && nnapi_execution_may_fall_back(execution, error))
		error = nnapi_execution_fall_back(execution, error);
	return nnapi_execution_end(execution, error);
}

ANeuralNetworksEvent *nnapi_execution_create_event(ANeuralNetworksExecution *execution)
{
	return nnapi_event_create(execution, nnapi_execution_end_event);
}

int nnapi_execution_check(ANeuralNetworksExecution *execution, const char *function)
{
	if (nnapi_execution_cannot_run(execution, function))
		return -EINVAL;
	return nnapi_execution_take_inputs(execution);
}

int nnapi_execution_take_inputs(ANeuralNetworksExecution *execution)
{
	for (uint32_t i = 0; i < execution->input_count; i++) {
		const struct nnapi_argument *input = &execution->inputs[i];
		int ret;

		if (input->memory && !nnapi_memory_is_initialized(input->memory)) {
			nna_message(EXECUTION,
				    "input %u: nothing has written its device memory yet", i);
			return -ENODATA;
		}
		if (!input->copy)
			continue;
		ret = nnapi_memory_read(input->memory, input->offset, input->copy, input->length);
		if (ret)
			return nnapi_execution_refuse_file("input", i, ret);
	}
	return 0;
}

int nnapi_execution_run(ANeuralNetworksExecution *execution,
			ANeuralNetworksDiagnosticExecutionMode mode, const char *function)
{
	NNA_TRACE(RUNTIME, EXECUTION, function);
	int ret = nnapi_execution_begin(execution, function);

	if (ret)
		return ret;
	execution->mode = mode;
	ret = nnapi_execution_check(execution, function);
	if (!ret)
		ret = nnapi_execution_compute(execution);
	return nnapi_execution_end(execution, ret);
}

NNAPI_EXPORT int ANeuralNetworksExecution_compute(ANeuralNetworksExecution *execution)
{
	if (!execution)
		return nnapi_null(__func__);
	return nnapi_execution_run(execution, ANNDIAG_EXECUTION_MODE_SYNC, __func__);
}

/*
 * Return: true if an error of submitting is the error of a run: a program that runs synchronously
 * has ended when nna_execution_submit() returns. Other errors mean that it was not submitted.
 */
static bool nnapi_execution_has_run(int error)
{
	switch (-error) {
	case ENOSPC:
	case ETIMEDOUT:
	case ETIME:
	case EFAULT:
	case EIO:
	case ECANCELED:
		return true;
	default:
		return false;
	}
}

int nnapi_execution_submit(ANeuralNetworksExecution *execution, const int *fds, uint32_t count,
			   ANeuralNetworksEvent *event, ANeuralNetworksEvent **out)
{
	int result, ret;

	ret = nna_execution_submit(execution->execution, fds, count, &event->fence);
	if (ret) {
		event->fence = NULL;
		event->done = true;
		if (!count && nnapi_execution_may_fall_back(execution, ret))
			ret = nnapi_execution_fall_back(execution, ret);
		event->result = result = nnapi_execution_end(execution, ret);
		if (event->fenced && ret && !nnapi_execution_has_run(ret)) {
			nnapi_object_unref(event);
			return result;
		}
	}
	*out = event;
	return ANEURALNETWORKS_NO_ERROR;
}
