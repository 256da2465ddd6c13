// SPDX-License-Identifier: MIT
/*
 * Fenced executions: runs that begin after the ends of other events.
 *
 * The device waits for a dependency that has a sync fence. The library waits for the other
 * dependencies, and for all of them if an input is copied; then it submits the run
 * (nna_execution_submit_after()). The event of such a run has no sync fence (nnapi.h says which
 * events have one). The run of a plan waits in a thread of its own (async.c), and so does a run
 * that depends on the unfinished run of a plan.
 */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "hal-bridge/nnapi/async.h"
#include "hal-bridge/nnapi/event.h"
#include "hal-bridge/nnapi/execution.h"
#include "hal-bridge/nnapi/nnapi.h"
#include "libnnaccel/support/clock.h"
#include "libnnaccel/support/trace.h"

/*
 * The most dependencies of a run. The API has no limit. This one is far above the needs of clients,
 * and bounds the size of an array.
 */
#define NNAPI_MAX_DEPENDENCIES 65536u

/**
 * struct nnapi_dependent - a run that waits in the library, until it has ended
 * @execution: the execution that runs; @event holds it
 * @event: the end of the run, a reference
 * @dependencies: @count events, references
 */
struct nnapi_dependent {
	ANeuralNetworksExecution *execution;
	ANeuralNetworksEvent *event;
	ANeuralNetworksEvent **dependencies;
	uint32_t count;
};

static void nnapi_dependent_free(struct nnapi_dependent *dependent)
{
	while (dependent->count)
		nnapi_object_unref(dependent->dependencies[--dependent->count]);
	nnapi_object_unref(dependent->event);
	free(dependent->dependencies);
	free(dependent);
}

/* All dependencies have ended, so this does not block. It ends each of their runs. */
static int nnapi_dependent_ready(void *user)
{
	struct nnapi_dependent *dependent = user;

	for (uint32_t i = 0; i < dependent->count; i++) {
		if (ANeuralNetworksEvent_wait(dependent->dependencies[i])) {
			nna_message(EXECUTION, "dependency %u of an execution failed", i);
			return -ECANCELED;
		}
	}
	dependent->execution->ready_ns = nna_now_ns();
	return nnapi_execution_take_inputs(dependent->execution);
}

static void nnapi_dependent_ended(void *user, int error)
{
	struct nnapi_dependent *dependent = user;

	nnapi_event_end(dependent->event, error);
	nnapi_dependent_free(dependent);
}

/*
 * Passes the run of @execution, which has begun and ends with @event, to the library, which waits
 * for
 * @count events, at least one. Return: 0 or a negative errno.
 */
static int nnapi_dependent_start(ANeuralNetworksExecution *execution, ANeuralNetworksEvent *event,
				 const ANeuralNetworksEvent *const *dependencies, uint32_t count)
{
	struct nnapi_dependent *self = calloc(1, sizeof(*self));
	int *fds = calloc(count, sizeof(*fds));
	struct nna_fence **fences = calloc(count, sizeof(struct nna_fence *));
	struct nna_dependencies what = {
		.fds = fds,
		.fences = fences,
		.read_late = true,
		.ready = nnapi_dependent_ready,
		.ended = nnapi_dependent_ended,
		.user = self,
	};
	int ret = -ENOMEM;

	if (self)
		self->dependencies = calloc(count, sizeof(*self->dependencies));
	if (!self || !self->dependencies || !fds || !fences) {
		free(self);
		goto out;
	}
	self->execution = execution;
	self->event = nnapi_object_ref(event);
	for (uint32_t i = 0; i < count; i++) {
		self->dependencies[self->count++] = nnapi_object_ref(dependencies[i]);
		if (dependencies[i]->fd >= 0)
			fds[what.fd_count++] = dependencies[i]->fd;
		else if (dependencies[i]->fence)
			fences[what.fence_count++] = dependencies[i]->fence;
	}
	ret = nna_execution_submit_after(execution->execution, &what, &event->fence);
	if (ret) {
		event->fence = NULL;
		nnapi_dependent_free(self);
	}
out:
	free(fds);
	free(fences);
	return ret;
}

/*
 * Finds the way to wait for a dependency:
 *
 *	nothing		it has ended: @fd is -1, @wait is false
 *	a fence		the device can wait for @fd, which is the caller's
 *	a run		@wait is true: the library waits for it, or the run's thread if it has one
 *
 * Return: NO_ERROR, or the result code of a dependency that has failed already.
 */
static int nnapi_dependency_examine(const ANeuralNetworksEvent *dependency, int *fd, bool *wait)
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
	pthread_mutex_lock(&event->lock);
	done = event->done;
	result = event->result;
	pthread_mutex_unlock(&event->lock);
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
	NNA_TRACE(RUNTIME, EXECUTION, __func__);
	ANeuralNetworksEvent *self = NULL;
	bool must_wait = false, copies = false, thread = execution && execution->steps;
	uint32_t count = 0;
	int *fds = NULL;
	int ret;

	if (event)
		*event = NULL;
	if (!execution || !event || (num_dependencies && !dependencies))
		return nnapi_null(__func__);
	if (num_dependencies > NNAPI_MAX_DEPENDENCIES)
		return nnapi_error(BAD_DATA, "%s: %u dependencies exceed the limit of %u", __func__,
				   num_dependencies, NNAPI_MAX_DEPENDENCIES);
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
	self = nnapi_execution_create_event(execution);
	if (!fds || !self) {
		ret = ANEURALNETWORKS_OUT_OF_MEMORY;
		goto fail;
	}
	self->fenced = true;
	for (uint32_t i = 0; i < num_dependencies; i++) {
		bool wait;

		ret = nnapi_dependency_examine(dependencies[i], &fds[count], &wait);
		if (ret) {
			nna_message(EXECUTION, "%s: dependency %u has failed", __func__, i);
			goto fail;
		}
		must_wait |= wait;
		thread |= wait && dependencies[i]->threaded;
		count += fds[count] >= 0;
	}
	ret = nnapi_execution_begin(execution, __func__);
	if (ret)
		goto fail;
	execution->fenced = true;
	if (nnapi_execution_cannot_run(execution, __func__)) {
		ret = nnapi_execution_end(execution, -EINVAL);
		goto fail;
	}
	if (thread) {
		ret = nnapi_async_start(execution, self, dependencies, num_dependencies, duration);
		if (ret) {
			ret = nnapi_execution_end(execution, ret);
			goto fail;
		}
		*event = self;
		self = NULL;
		goto fail;
	}
	/*
	 * The library copies such inputs when it submits, and a dependency may still write them
	 * then.
	 */
	for (uint32_t i = 0; i < execution->input_count; i++)
		copies |= execution->inputs[i].memory &&
			  nna_execution_get_input_route(execution->execution, i) !=
				  NNA_ROUTE_DIRECT;
	if (must_wait || (copies && count)) {
		ret = nnapi_execution_limit(execution, duration);
		if (!ret)
			ret = nnapi_dependent_start(execution, self, dependencies,
						    num_dependencies);
		if (ret) {
			ret = nnapi_execution_end(execution, ret);
			goto fail;
		}
		*event = self;
	} else {
		ret = nnapi_execution_limit(execution, duration);
		if (!ret && !count)
			ret = nnapi_execution_take_inputs(execution);
		if (ret) {
			ret = nnapi_execution_end(execution, ret);
			goto fail;
		}
		ret = nnapi_execution_submit(execution, fds, count, self, event);
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
	nnapi_object_unref(self);
	return ret;
}
