// SPDX-License-Identifier: MIT
#include "hal-bridge/nnapi/nnapi.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* ----------------------------------------------------------------------------------------- life */

static void nnapi_waited_drop(ANeuralNetworksExecution *execution)
{
	while (execution->waited_count)
		close(execution->waited[--execution->waited_count]);
	free(execution->waited);
	execution->waited = NULL;
}

void nnapi_execution_unref(ANeuralNetworksExecution *execution)
{
	if (!execution || atomic_fetch_sub(&execution->refs, 1) > 1)
		return;
	nnapi_waited_drop(execution);
	nna_execution_destroy(execution->execution);
	for (uint32_t i = 0; execution->inputs && i < execution->input_count; i++)
		nnapi_memory_unref(execution->inputs[i].memory);
	for (uint32_t i = 0; execution->outputs && i < execution->output_count; i++)
		nnapi_memory_unref(execution->outputs[i].memory);
	free(execution->inputs);
	free(execution->outputs);
	nnapi_compilation_unref(execution->compilation);
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
	if (!compilation->program)
		return nnapi_error(BAD_STATE, "%s: the compilation is not finished, or failed",
				   __func__);
	self = calloc(1, sizeof(*self));
	if (!self)
		return ANEURALNETWORKS_OUT_OF_MEMORY;
	atomic_init(&self->refs, 1);
	pthread_mutex_init(&self->lock, NULL);
	self->compilation = nnapi_compilation_ref(compilation);
	self->input_count = compilation->model->model.input_count;
	self->output_count = compilation->model->model.output_count;
	self->inputs = calloc(self->input_count + 1, sizeof(*self->inputs));
	self->outputs = calloc(self->output_count + 1, sizeof(*self->outputs));
	if (self->inputs && self->outputs)
		ret = nna_execution_create(compilation->program, &self->execution);
	if (ret) {
		self->execution = NULL;
		nnapi_execution_unref(self);
		return nnb_result_of_call(ret);
	}
	*execution = self;
	return ANEURALNETWORKS_NO_ERROR;
}

NNAPI_EXPORT void ANeuralNetworksExecution_free(ANeuralNetworksExecution *execution)
{
	nnapi_execution_unref(execution);
}

static enum nnapi_state nnapi_execution_state(ANeuralNetworksExecution *execution)
{
	enum nnapi_state state;

	pthread_mutex_lock(&execution->lock);
	state = execution->state;
	pthread_mutex_unlock(&execution->lock);
	return state;
}

/* NO_ERROR while the execution can be changed. */
static int nnapi_execution_open(ANeuralNetworksExecution *execution, const char *function)
{
	if (!execution)
		return nnapi_null(function);
	if (nnapi_execution_state(execution) != NNAPI_PREPARATION)
		return nnapi_error(BAD_STATE, "%s: the execution has been started", function);
	return ANEURALNETWORKS_NO_ERROR;
}

/* ------------------------------------------------------------------------------------ arguments */

/**
 * struct nnapi_shape - what an argument will have
 * @dims: for the library: NULL when the model says all
 * @known: all dimensions
 * @size: bytes, when known
 */
struct nnapi_shape {
	uint32_t rank;
	uint32_t values[NNACCEL_MAX_RANK];
	const uint32_t *dims;
	bool known;
	size_t size;
};

static struct nnapi_argument *nnapi_argument(const ANeuralNetworksExecution *execution,
					     bool output, uint32_t index)
{
	return output ? &execution->outputs[index] : &execution->inputs[index];
}

/*
 * Combines what the model says of an argument, which has not been set yet, with the type that the
 * caller gives, or NULL.
 */
static int nnapi_argument_shape(const ANeuralNetworksExecution *execution, bool output,
				int32_t index, const ANeuralNetworksOperandType *type, bool omitted,
				struct nnapi_shape *shape, const char *function)
{
	const struct nnb_operand *operand;
	const char *what = output ? "output" : "input";
	bool model_says_all;

	memset(shape, 0, sizeof(*shape));
	operand = nnapi_compilation_io(execution->compilation, output, index);
	if (!operand)
		return nnapi_error(BAD_DATA, "%s: there is no %s %d", function, what, index);
	if (nnapi_argument(execution, output, index)->bound)
		return nnapi_error(BAD_STATE, "%s: %s %d has been set", function, what, index);
	model_says_all = nnb_type_bytes(operand->type, operand->rank, operand->dims, &shape->size);
	shape->rank = operand->rank;
	for (uint32_t i = 0; i < operand->rank; i++)
		shape->values[i] = operand->dims[i];
	if (type) {
		if ((uint32_t)type->type != operand->type || type->scale != operand->scale ||
		    type->zeroPoint != operand->zero_point)
			return nnapi_error(BAD_DATA, "%s: %s %d: another type than the model's",
					   function, what, index);
		if (type->dimensionCount && !type->dimensions)
			return nnapi_null(function);
		if (type->dimensionCount > NNACCEL_MAX_RANK ||
		    (type->dimensionCount && !nnb_type_is_tensor(operand->type)) ||
		    (operand->rank && type->dimensionCount != operand->rank))
			return nnapi_error(BAD_DATA, "%s: %s %d has rank %u, not %u", function,
					   what, index, operand->rank, type->dimensionCount);
		for (uint32_t i = 0; i < type->dimensionCount; i++) {
			uint32_t wanted = type->dimensions[i];

			if (operand->rank && operand->dims[i] && wanted != operand->dims[i])
				return nnapi_error(
					BAD_DATA, "%s: %s %d: dimension %u is %u, not %u", function,
					what, index, i, operand->dims[i], wanted);
			shape->values[i] = wanted;
		}
		if (type->dimensionCount)
			shape->rank = type->dimensionCount;
		if (!model_says_all && type->dimensionCount)
			shape->dims = shape->values;
	}
	shape->known = nnb_type_bytes(operand->type, shape->rank, shape->values, &shape->size);
	if (!shape->known && !output && !omitted)
		return nnapi_error(BAD_DATA, "%s: input %d has unknown dimensions", function,
				   index);
	return ANEURALNETWORKS_NO_ERROR;
}

static int nnapi_check_length(const ANeuralNetworksExecution *execution,
			      const struct nnapi_shape *shape, int32_t index, size_t length,
			      const char *function)
{
	if (!shape->known || length == shape->size || (execution->padding && length > shape->size))
		return ANEURALNETWORKS_NO_ERROR;
	return nnapi_error(BAD_DATA, "%s: argument %d has %zu bytes, not %zu", function, index,
			   shape->size, length);
}

/* Records what is bound; takes a reference to @memory. */
static void nnapi_argument_bind(ANeuralNetworksExecution *execution, bool output, uint32_t index,
				bool known, ANeuralNetworksMemory *memory)
{
	struct nnapi_argument *argument = nnapi_argument(execution, output, index);

	argument->memory = memory ? nnapi_memory_ref(memory) : NULL;
	argument->known = known;
	argument->bound = true;
	execution->any_bound = true;
}

static int nnapi_set_pointer(ANeuralNetworksExecution *execution, bool output, int32_t index,
			     const ANeuralNetworksOperandType *type, void *buffer, size_t length,
			     const char *function)
{
	struct nnapi_shape shape = { 0 };
	int ret;

	if (!execution || (!buffer && length))
		return nnapi_null(function);
	ret = nnapi_execution_open(execution, function);
	if (ret)
		return ret;
	ret = nnapi_argument_shape(execution, output, index, type, !buffer, &shape, function);
	if (!ret && buffer)
		ret = nnapi_check_length(execution, &shape, index, length, function);
	if (ret)
		return ret;
	if (!buffer)
		shape = (struct nnapi_shape){ .known = true };
	else if (!output) /* Padding is the caller's business; an output may always be larger. */
		length = shape.size;
	if (output)
		ret = nna_execution_set_output(execution->execution, index,
					       shape.dims ? shape.rank : 0, shape.dims, buffer,
					       length);
	else
		ret = nna_execution_set_input(execution->execution, index,
					      shape.dims ? shape.rank : 0, shape.dims, buffer,
					      length);
	if (!ret)
		nnapi_argument_bind(execution, output, index, shape.known, NULL);
	return nnb_result_of_call(ret);
}

static int nnapi_set_memory(ANeuralNetworksExecution *execution, bool output, int32_t index,
			    const ANeuralNetworksOperandType *type,
			    const ANeuralNetworksMemory *const_memory, size_t offset, size_t length,
			    const char *function)
{
	ANeuralNetworksMemory *memory = (ANeuralNetworksMemory *)const_memory;
	struct nna_buffer *buffer;
	struct nnapi_shape shape;
	size_t base = 0;
	uint32_t rank;
	int ret;

	if (!execution || !memory)
		return nnapi_null(function);
	ret = nnapi_execution_open(execution, function);
	if (!ret)
		ret = nnapi_argument_shape(execution, output, index, type, false, &shape, function);
	if (ret)
		return ret;
	if (memory->device_memory) {
		if (offset || length)
			return nnapi_error(BAD_DATA, "%s: device memory is used as a whole",
					   function);
		if (!nnapi_memory_has_role(memory, execution->compilation, output, index))
			return nnapi_error(BAD_DATA, "%s: the memory was not made for argument %d",
					   function, index);
		length = memory->size;
		if (shape.known && shape.size != length)
			return nnapi_error(BAD_DATA,
					   "%s: argument %d has %zu bytes, the memory %zu",
					   function, index, shape.size, length);
	} else {
		if (offset > memory->size || length > memory->size - offset)
			return nnapi_error(BAD_DATA, "%s: %zu bytes at %zu leave the memory of %zu",
					   function, length, offset, memory->size);
		ret = nnapi_check_length(execution, &shape, index, length, function);
		if (ret)
			return ret;
		if (!(memory->protect & (output ? PROT_WRITE : PROT_READ)))
			return nnapi_error(BAD_DATA, "%s: the memory is not %s", function,
					   output ? "writable" : "readable");
	}
	if (!output)
		length = shape.size;
	rank = shape.dims ? shape.rank : 0;
	buffer = nnapi_memory_buffer(memory, &base);
	if (buffer && output)
		ret = nna_execution_set_output_buffer(execution->execution, index, rank, shape.dims,
						      buffer, base + offset, length);
	else if (buffer)
		ret = nna_execution_set_input_buffer(execution->execution, index, rank, shape.dims,
						     buffer, base + offset, length);
	else if (output)
		ret = nna_execution_set_output(execution->execution, index, rank, shape.dims,
					       memory->map + offset, length);
	else
		ret = nna_execution_set_input(execution->execution, index, rank, shape.dims,
					      memory->map + offset, length);
	if (!ret)
		nnapi_argument_bind(execution, output, index, shape.known, memory);
	return nnb_result_of_call(ret);
}

NNAPI_EXPORT int ANeuralNetworksExecution_setInput(ANeuralNetworksExecution *execution,
						   int32_t index,
						   const ANeuralNetworksOperandType *type,
						   const void *buffer, size_t length)
{
	return nnapi_set_pointer(execution, false, index, type, (void *)buffer, length, __func__);
}

NNAPI_EXPORT int ANeuralNetworksExecution_setInputFromMemory(ANeuralNetworksExecution *execution,
							     int32_t index,
							     const ANeuralNetworksOperandType *type,
							     const ANeuralNetworksMemory *memory,
							     size_t offset, size_t length)
{
	return nnapi_set_memory(execution, false, index, type, memory, offset, length, __func__);
}

NNAPI_EXPORT int ANeuralNetworksExecution_setOutput(ANeuralNetworksExecution *execution,
						    int32_t index,
						    const ANeuralNetworksOperandType *type,
						    void *buffer, size_t length)
{
	return nnapi_set_pointer(execution, true, index, type, buffer, length, __func__);
}

NNAPI_EXPORT int ANeuralNetworksExecution_setOutputFromMemory(
	ANeuralNetworksExecution *execution, int32_t index, const ANeuralNetworksOperandType *type,
	const ANeuralNetworksMemory *memory, size_t offset, size_t length)
{
	return nnapi_set_memory(execution, true, index, type, memory, offset, length, __func__);
}

/* ----------------------------------------------------------------------------------- properties */

/* NO_ERROR while what only a compilation for one device has can be changed. */
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
	/* No time at all, which is not the library's "no limit of its own". */
	if (!duration)
		duration = 1;
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
		return nnapi_error(BAD_STATE, "%s: an argument has been set", __func__);
	execution->padding = enable;
	return ANEURALNETWORKS_NO_ERROR;
}

/* -------------------------------------------------------------------------------------- running */

/* Checks that all is set and starts the clock. */
static int nnapi_execution_begin(ANeuralNetworksExecution *execution, const char *function)
{
	uint64_t now = nnapi_now(), deadline = 0;

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
				   "%s: the execution runs, or has run and is not reusable",
				   function);
	}
	execution->state = NNAPI_COMPUTATION;
	execution->began_ns = now;
	pthread_mutex_unlock(&execution->lock);
	nnapi_waited_drop(execution);
	if (execution->timeout_ns && execution->timeout_ns < UINT64_MAX - now)
		deadline = now + execution->timeout_ns;
	nna_execution_set_deadline(execution->execution, deadline);
	nna_execution_set_duration(execution->execution, 0);
	return ANEURALNETWORKS_NO_ERROR;
}

int nnapi_execution_end(ANeuralNetworksExecution *execution, int error)
{
	int result = nnb_result_of_run(error);

	/* What the library refuses before it runs is the caller's argument. */
	if (error)
		nnb_log("an execution ended with: %s", strerror(-error));
	for (uint32_t i = 0; i < execution->output_count; i++) {
		ANeuralNetworksMemory *memory = execution->outputs[i].memory;

		if (memory && memory->device_memory)
			nnapi_memory_set_initialized(memory, !error);
	}
	pthread_mutex_lock(&execution->lock);
	execution->result = result;
	execution->driver_ns = nnapi_now() - execution->began_ns;
	execution->state = NNAPI_COMPLETED;
	pthread_mutex_unlock(&execution->lock);
	return result;
}

/* Input memories must hold something; those that a dependency fills are checked when it is done. */
static int nnapi_check_inputs(ANeuralNetworksExecution *execution)
{
	for (uint32_t i = 0; i < execution->input_count; i++) {
		ANeuralNetworksMemory *memory = execution->inputs[i].memory;
		bool ready = true;

		if (memory && memory->device_memory) {
			pthread_mutex_lock(&memory->lock);
			ready = memory->initialized;
			pthread_mutex_unlock(&memory->lock);
		}
		if (!ready) {
			nnb_log("input %u is device memory that has not been written yet", i);
			return -ENODATA;
		}
	}
	return 0;
}

static int nnapi_execution_run(ANeuralNetworksExecution *execution, const char *function)
{
	int ret = nnapi_execution_begin(execution, function);

	if (ret)
		return ret;
	ret = nnapi_check_inputs(execution);
	if (!ret)
		ret = nna_execution_compute(execution->execution);
	return nnapi_execution_end(execution, ret);
}

NNAPI_EXPORT int ANeuralNetworksExecution_compute(ANeuralNetworksExecution *execution)
{
	if (!execution)
		return nnapi_null(__func__);
	return nnapi_execution_run(execution, __func__);
}

/*
 * Errors of a run that a synchronous program reports at once; all others are errors of the
 * submission.
 */
static bool nnapi_is_run_error(int error)
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

/* Submits a run that has begun. Takes over @event. */
static int nnapi_submit(ANeuralNetworksExecution *execution, const int *fds, uint32_t count,
			ANeuralNetworksEvent *event, ANeuralNetworksEvent **out)
{
	int result, ret;

	ret = nna_execution_submit(execution->execution, fds, count, &event->fence);
	if (ret) {
		event->fence = NULL;
		event->done = true;
		event->result = result = nnapi_execution_end(execution, ret);
		if (!nnapi_is_run_error(ret)) {
			nnapi_event_unref(event);
			return result;
		}
	}
	*out = event;
	return ANEURALNETWORKS_NO_ERROR;
}

NNAPI_EXPORT int ANeuralNetworksExecution_startCompute(ANeuralNetworksExecution *execution,
						       ANeuralNetworksEvent **event)
{
	ANeuralNetworksEvent *self;
	int ret;

	if (event)
		*event = NULL;
	if (!execution || !event)
		return nnapi_null(__func__);
	self = nnapi_event_create(execution);
	if (!self)
		return ANEURALNETWORKS_OUT_OF_MEMORY;
	ret = nnapi_execution_begin(execution, __func__);
	if (ret) {
		self->done = true;
		nnapi_event_unref(self);
		return ret;
	}
	ret = nnapi_check_inputs(execution);
	if (ret) {
		self->done = true;
		nnapi_event_unref(self);
		return nnapi_execution_end(execution, ret);
	}
	return nnapi_submit(execution, NULL, 0, self, event);
}

/**
 * struct nnapi_waiter - dependencies that a thread waits for before it runs an execution
 * @event: of the execution, a reference
 * @dependencies: references
 */
struct nnapi_waiter {
	ANeuralNetworksEvent *event;
	ANeuralNetworksEvent **dependencies;
	uint32_t count;
	uint64_t duration;
};

static void nnapi_waiter_free(struct nnapi_waiter *waiter)
{
	if (!waiter)
		return;
	for (uint32_t i = 0; i < waiter->count; i++)
		nnapi_event_unref(waiter->dependencies[i]);
	nnapi_event_unref(waiter->event);
	free(waiter->dependencies);
	free(waiter);
}

static void *nnapi_waiter_run(void *arg)
{
	struct nnapi_waiter *waiter = arg;
	ANeuralNetworksEvent *event = waiter->event;
	int ret = 0;

	for (uint32_t i = 0; i < waiter->count; i++) {
		if (ANeuralNetworksEvent_wait(waiter->dependencies[i]) && !ret) {
			nnb_log("dependency %u of an execution failed", i);
			ret = -ECANCELED;
		}
	}
	if (!ret)
		ret = nnapi_check_inputs(event->execution);
	if (!ret)
		ret = nna_execution_set_duration(event->execution->execution, waiter->duration);
	if (!ret)
		ret = nna_execution_compute(event->execution->execution);
	pthread_mutex_lock(&event->lock);
	event->result = nnapi_execution_end(event->execution, ret);
	event->done = true;
	pthread_cond_broadcast(&event->changed);
	pthread_mutex_unlock(&event->lock);
	nnapi_waiter_free(waiter);
	return NULL;
}

static int nnapi_waiter_start(ANeuralNetworksEvent *event,
			      const ANeuralNetworksEvent *const *dependencies, uint32_t count,
			      uint64_t duration)
{
	struct nnapi_waiter *waiter = calloc(1, sizeof(*waiter));
	pthread_attr_t attr;
	pthread_t thread;
	int ret;

	if (waiter)
		waiter->dependencies = calloc(count + 1, sizeof(*waiter->dependencies));
	if (!waiter || !waiter->dependencies) {
		free(waiter);
		return -ENOMEM;
	}
	waiter->event = nnapi_event_ref(event);
	waiter->duration = duration;
	for (uint32_t i = 0; i < count; i++)
		waiter->dependencies[waiter->count++] = nnapi_event_ref(dependencies[i]);
	event->thread_runs = true;
	pthread_attr_init(&attr);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	ret = pthread_create(&thread, &attr, nnapi_waiter_run, waiter);
	pthread_attr_destroy(&attr);
	if (ret) {
		event->thread_runs = false;
		nnapi_waiter_free(waiter);
	}
	return -ret;
}

/*
 * What to do about a dependency: a fence for the device (@fd), nothing, or waiting on the CPU
 * (@wait). Return: NO_ERROR, or the code of one that has failed already.
 */
static int nnapi_dependency(const ANeuralNetworksEvent *dependency, int *fd, bool *wait)
{
	ANeuralNetworksEvent *event = (ANeuralNetworksEvent *)dependency;
	bool done = false, signalled;
	int result = ANEURALNETWORKS_NO_ERROR;

	*fd = -1;
	*wait = false;
	if (event->fd >= 0) {
		result = nnapi_fence_fd_wait(event->fd, 0, &signalled);
		if (!result && !signalled)
			*fd = dup(event->fd);
		if (!result && !signalled && *fd < 0)
			*wait = true;
		return result;
	}
	if (!pthread_mutex_trylock(&event->lock)) {
		done = event->done;
		result = event->result;
		pthread_mutex_unlock(&event->lock);
	}
	if (done)
		return result;
	if (event->fence)
		*fd = nna_fence_export(event->fence);
	if (*fd < 0) {
		*fd = -1;
		*wait = true;
	}
	return ANEURALNETWORKS_NO_ERROR;
}

NNAPI_EXPORT int ANeuralNetworksExecution_startComputeWithDependencies(
	ANeuralNetworksExecution *execution, const ANeuralNetworksEvent *const *dependencies,
	uint32_t num_dependencies, uint64_t duration, ANeuralNetworksEvent **event)
{
	ANeuralNetworksEvent *self = NULL;
	bool must_wait = false, copies = false;
	uint32_t count = 0;
	int *fds = NULL;
	int ret;

	if (event)
		*event = NULL;
	if (!execution || !event || (num_dependencies && !dependencies))
		return nnapi_null(__func__);
	for (uint32_t i = 0; i < num_dependencies; i++) {
		if (!dependencies[i])
			return nnapi_null(__func__);
	}
	if (duration && !execution->compilation->explicit_device)
		return nnapi_error(BAD_DATA, "%s: a duration needs a compilation for one device",
				   __func__);
	for (uint32_t i = 0; i < execution->output_count; i++) {
		if (execution->outputs[i].bound && !execution->outputs[i].known)
			return nnapi_error(BAD_DATA, "%s: output %u has unknown dimensions",
					   __func__, i);
	}
	fds = calloc((size_t)num_dependencies + 1, sizeof(*fds));
	self = nnapi_event_create(execution);
	if (!fds || !self) {
		ret = ANEURALNETWORKS_OUT_OF_MEMORY;
		goto fail;
	}
	self->fenced = true;
	for (uint32_t i = 0; i < num_dependencies; i++) {
		bool wait;

		ret = nnapi_dependency(dependencies[i], &fds[count], &wait);
		if (ret) {
			nnb_log("%s: dependency %u has failed", __func__, i);
			goto fail;
		}
		must_wait |= wait;
		count += fds[count] >= 0;
	}
	ret = nnapi_execution_begin(execution, __func__);
	if (ret)
		goto fail;
	/* Memory that the library has to copy may be what a dependency still writes. */
	for (uint32_t i = 0; i < execution->input_count; i++)
		copies |= execution->inputs[i].memory &&
			  nna_execution_get_input_route(execution->execution, i) !=
				  NNA_ROUTE_DIRECT;
	if (must_wait || (copies && count)) {
		ret = nnapi_waiter_start(self, dependencies, num_dependencies, duration);
		if (ret) {
			ret = nnapi_execution_end(execution, ret);
			goto fail;
		}
		*event = self;
	} else {
		ret = nna_execution_set_duration(execution->execution, duration);
		if (!ret && !count)
			ret = nnapi_check_inputs(execution);
		if (ret) {
			ret = nnapi_execution_end(execution, ret);
			goto fail;
		}
		ret = nnapi_submit(execution, fds, count, self, event);
		if (!ret && execution->measure) {
			execution->waited = fds;
			execution->waited_count = count;
			fds = NULL;
			count = 0;
		}
	}
	self = NULL;
fail:
	while (count)
		close(fds[--count]);
	free(fds);
	nnapi_event_unref(self);
	return ret;
}

/* --------------------------------------------------------------------------------------- bursts */

/* A burst saves the set-up of one submission after another, of which there is none here. */
struct ANeuralNetworksBurst {
	ANeuralNetworksCompilation *compilation;
	atomic_bool busy;
};

NNAPI_EXPORT int ANeuralNetworksBurst_create(ANeuralNetworksCompilation *compilation,
					     ANeuralNetworksBurst **burst)
{
	if (!compilation || !burst)
		return nnapi_null(__func__);
	*burst = NULL;
	if (!compilation->program)
		return nnapi_error(BAD_STATE, "%s: the compilation is not finished, or failed",
				   __func__);
	*burst = calloc(1, sizeof(**burst));
	if (!*burst)
		return ANEURALNETWORKS_OUT_OF_MEMORY;
	(*burst)->compilation = nnapi_compilation_ref(compilation);
	atomic_init(&(*burst)->busy, false);
	return ANEURALNETWORKS_NO_ERROR;
}

NNAPI_EXPORT void ANeuralNetworksBurst_free(ANeuralNetworksBurst *burst)
{
	if (!burst)
		return;
	nnapi_compilation_unref(burst->compilation);
	free(burst);
}

NNAPI_EXPORT int ANeuralNetworksExecution_burstCompute(ANeuralNetworksExecution *execution,
						       ANeuralNetworksBurst *burst)
{
	int ret;

	if (!execution || !burst)
		return nnapi_null(__func__);
	if (execution->compilation != burst->compilation)
		return nnapi_error(BAD_DATA, "%s: the burst is of another compilation", __func__);
	if (atomic_exchange(&burst->busy, true))
		return nnapi_error(BAD_STATE, "%s: the burst has an execution under way", __func__);
	ret = nnapi_execution_run(execution, __func__);
	atomic_store(&burst->busy, false);
	return ret;
}

/* -------------------------------------------------------------------------------------- results */

/* NO_ERROR when a run has ended in a way that left dimensions. */
static int nnapi_execution_ended(ANeuralNetworksExecution *execution, const char *function)
{
	enum nnapi_state state;
	int result;

	pthread_mutex_lock(&execution->lock);
	state = execution->state;
	result = execution->result;
	pthread_mutex_unlock(&execution->lock);
	if (state != NNAPI_COMPLETED)
		return nnapi_error(BAD_STATE, "%s: the execution has not completed", function);
	if (result != ANEURALNETWORKS_NO_ERROR &&
	    result != ANEURALNETWORKS_OUTPUT_INSUFFICIENT_SIZE)
		return nnapi_error(BAD_STATE, "%s: the execution failed", function);
	return ANEURALNETWORKS_NO_ERROR;
}

static int nnapi_output_dims(ANeuralNetworksExecution *execution, int32_t index, uint32_t *rank,
			     uint32_t dims[NNACCEL_MAX_RANK], const char *function)
{
	int ret = nnapi_execution_ended(execution, function);

	if (ret)
		return ret;
	if (index < 0 || (uint32_t)index >= execution->output_count)
		return nnapi_error(BAD_DATA, "%s: there is no output %d", function, index);
	return nnb_result_of_call(
		nna_execution_get_output_dims(execution->execution, index, rank, dims));
}

NNAPI_EXPORT int ANeuralNetworksExecution_getOutputOperandRank(ANeuralNetworksExecution *execution,
							       int32_t index, uint32_t *rank)
{
	uint32_t dims[NNACCEL_MAX_RANK];

	if (!execution || !rank)
		return nnapi_null(__func__);
	*rank = 0;
	return nnapi_output_dims(execution, index, rank, dims, __func__);
}

NNAPI_EXPORT int
ANeuralNetworksExecution_getOutputOperandDimensions(ANeuralNetworksExecution *execution,
						    int32_t index, uint32_t *dimensions)
{
	uint32_t dims[NNACCEL_MAX_RANK] = { 0 }, rank = 0;
	int ret;

	if (!execution || !dimensions)
		return nnapi_null(__func__);
	ret = nnapi_output_dims(execution, index, &rank, dims, __func__);
	if (ret && ret != ANEURALNETWORKS_OUTPUT_INSUFFICIENT_SIZE)
		return ret;
	if (!rank)
		return nnapi_error(BAD_DATA, "%s: output %d is a scalar", __func__, index);
	memcpy(dimensions, dims, rank * sizeof(*dims));
	return ret;
}

/* When nothing was left to wait for; when that is not known, when the device began. */
static uint64_t nnapi_free_to_run(const ANeuralNetworksExecution *execution,
				  const struct nna_timing *timing)
{
	uint64_t from = execution->began_ns;

	if (!execution->waited_count)
		return timing->begin;
	for (uint32_t i = 0; i < execution->waited_count; i++) {
		uint64_t time = nnapi_fence_fd_time(execution->waited[i]);

		if (!time)
			return timing->begin;
		from = time > from ? time : from;
	}
	return from < timing->begin ? from : timing->begin;
}

NNAPI_EXPORT int ANeuralNetworksExecution_getDuration(const ANeuralNetworksExecution *execution,
						      int32_t durationCode, uint64_t *duration)
{
	ANeuralNetworksExecution *self = (ANeuralNetworksExecution *)execution;
	struct nna_timing timing;

	if (!execution || !duration)
		return nnapi_null(__func__);
	*duration = UINT64_MAX;
	if (durationCode < ANEURALNETWORKS_DURATION_ON_HARDWARE ||
	    durationCode > ANEURALNETWORKS_FENCED_DURATION_IN_DRIVER)
		return nnapi_error(BAD_DATA, "%s: there is no duration %d", __func__, durationCode);
	if (nnapi_execution_state(self) != NNAPI_COMPLETED)
		return nnapi_error(BAD_STATE, "%s: the execution has not completed", __func__);
	if (execution->result != ANEURALNETWORKS_NO_ERROR)
		return nnapi_error(BAD_STATE, "%s: the execution failed", __func__);
	if (!execution->measure)
		return nnapi_error(BAD_STATE, "%s: timing was not asked for", __func__);
	if (nna_execution_get_timing(execution->execution, &timing))
		return ANEURALNETWORKS_NO_ERROR;
	switch (durationCode) {
	case ANEURALNETWORKS_DURATION_ON_HARDWARE:
	case ANEURALNETWORKS_FENCED_DURATION_ON_HARDWARE:
		*duration = timing.run;
		break;
	case ANEURALNETWORKS_DURATION_IN_DRIVER:
		*duration = execution->driver_ns;
		break;
	default:
		*duration = timing.end - nnapi_free_to_run(execution, &timing);
		break;
	}
	return ANEURALNETWORKS_NO_ERROR;
}
