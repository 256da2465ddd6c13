// SPDX-License-Identifier: MIT
/*
 * Fenced executions: runs that begin when other events have ended.
 *
 * The device waits for a dependency that has a sync fence. A thread waits for the others, and for
 * all of them when an input has to be copied, and then computes; the event of such a run has no
 * fence (nnapi.h says when one has).
 */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "hal-bridge/nnapi/event.h"
#include "hal-bridge/nnapi/execution.h"
#include "hal-bridge/nnapi/nnapi.h"

/*
 * The most dependencies of a run. The API sets no bound; this one is far above what a client needs,
 * and keeps a wild number from becoming the size of an array.
 */
#define NNAPI_MAX_DEPENDENCIES 65536u

/**
 * struct nnapi_waiter - what a thread waits for before it runs an execution
 * @execution: what it runs; @event holds it
 * @event: the end of the run, a reference
 * @dependencies: @count events, references
 * @duration: of the run, ns from when the last dependency has ended; 0 is none
 */
struct nnapi_waiter {
	ANeuralNetworksExecution *execution;
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
		nnapi_object_unref(waiter->dependencies[i]);
	nnapi_object_unref(waiter->event);
	free(waiter->dependencies);
	free(waiter);
}

static void *nnapi_waiter_run(void *arg)
{
	struct nnapi_waiter *waiter = arg;
	ANeuralNetworksExecution *execution = waiter->execution;
	ANeuralNetworksEvent *event = waiter->event;
	int ret = 0;

	for (uint32_t i = 0; i < waiter->count; i++) {
		if (ANeuralNetworksEvent_wait(waiter->dependencies[i]) && !ret) {
			nnb_log("dependency %u of an execution failed", i);
			ret = -ECANCELED;
		}
	}
	if (!ret)
		ret = nnapi_execution_check_inputs(execution);
	if (!ret)
		ret = nna_execution_set_duration(execution->execution, waiter->duration);
	if (!ret)
		ret = nna_execution_compute(execution->execution);
	pthread_mutex_lock(&event->lock);
	event->result = nnapi_execution_end(execution, ret);
	event->done = true;
	pthread_cond_broadcast(&event->changed);
	pthread_mutex_unlock(&event->lock);
	nnapi_waiter_free(waiter);
	return NULL;
}

/*
 * Starts a thread that waits for @count events, at least one, and does the run of @execution that
 * has begun and ends with @event. Return: 0 or a negative errno.
 */
static int nnapi_waiter_start(ANeuralNetworksExecution *execution, ANeuralNetworksEvent *event,
			      const ANeuralNetworksEvent *const *dependencies, uint32_t count,
			      uint64_t duration)
{
	struct nnapi_waiter *waiter = calloc(1, sizeof(*waiter));
	pthread_attr_t attr;
	pthread_t thread;
	int ret;

	if (waiter)
		waiter->dependencies = calloc(count, sizeof(*waiter->dependencies));
	if (!waiter || !waiter->dependencies) {
		free(waiter);
		return -ENOMEM;
	}
	waiter->execution = execution;
	waiter->event = nnapi_object_ref(event);
	waiter->duration = duration;
	for (uint32_t i = 0; i < count; i++)
		waiter->dependencies[waiter->count++] = nnapi_object_ref(dependencies[i]);
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
 * What has to be waited for because of a dependency:
 *
 *	nothing		it has ended: @fd is -1, @wait is false
 *	a fence		the device can wait for @fd, which is the caller's
 *	the CPU		@wait is true: a thread has to call ANeuralNetworksEvent_wait()
 *
 * Return: NO_ERROR, or the code of a dependency that has failed already.
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
	if (num_dependencies > NNAPI_MAX_DEPENDENCIES)
		return nnapi_error(BAD_DATA, "%s: %u dependencies, the most is %u", __func__,
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
			nnb_log("%s: dependency %u has failed", __func__, i);
			goto fail;
		}
		must_wait |= wait;
		count += fds[count] >= 0;
	}
	ret = nnapi_execution_begin(execution, __func__);
	if (ret)
		goto fail;
	/* A dependency may still write what the library would copy when this is submitted. */
	for (uint32_t i = 0; i < execution->input_count; i++)
		copies |= execution->inputs[i].memory &&
			  nna_execution_get_input_route(execution->execution, i) !=
				  NNA_ROUTE_DIRECT;
	if (must_wait || (copies && count)) {
		ret = nnapi_waiter_start(execution, self, dependencies, num_dependencies,
					 duration);
		if (ret) {
			ret = nnapi_execution_end(execution, ret);
			goto fail;
		}
		*event = self;
	} else {
		ret = nna_execution_set_duration(execution->execution, duration);
		if (!ret && !count)
			ret = nnapi_execution_check_inputs(execution);
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
