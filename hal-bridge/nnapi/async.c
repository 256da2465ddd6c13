// SPDX-License-Identifier: MIT
/*
 * Asynchronous runs: startCompute().
 *
 * A program for one device is submitted to the device and needs no thread. A plan has several
 * steps, and the CPU starts each of them. So the run of a plan has a thread from its start to its
 * end, and so has a run that depends on the run of a plan (fenced.c).
 */
#include "hal-bridge/nnapi/async.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

#include "hal-bridge/nnapi/nnapi.h"
#include "libnnaccel/support/clock.h"
#include "libnnaccel/support/thread.h"
#include "libnnaccel/support/trace.h"

/**
 * struct nnapi_async - a run with a thread
 * @execution: the execution that runs; @event holds it
 * @event: the end of the run, a reference
 * @dependencies: @count events, references
 * @duration: the time limit of the run in ns
 */
struct nnapi_async {
	ANeuralNetworksExecution *execution;
	ANeuralNetworksEvent *event;
	ANeuralNetworksEvent **dependencies;
	uint32_t count;
	uint64_t duration;
};

static void nnapi_async_free(struct nnapi_async *async)
{
	while (async->count)
		nnapi_object_unref(async->dependencies[--async->count]);
	nnapi_object_unref(async->event);
	free(async->dependencies);
	free(async);
}

static int nnapi_async_run(struct nnapi_async *async)
{
	ANeuralNetworksExecution *execution = async->execution;
	int ret;

	for (uint32_t i = 0; i < async->count; i++) {
		if (ANeuralNetworksEvent_wait(async->dependencies[i])) {
			nna_message(EXECUTION, "dependency %u of an execution failed", i);
			return -ECANCELED;
		}
	}
	if (async->count)
		execution->ready_ns = nna_now_ns();
	ret = nnapi_execution_take_inputs(execution);
	if (!ret)
		ret = nnapi_execution_limit(execution, async->duration);
	return ret ? ret : nnapi_execution_compute(execution);
}

static void *nnapi_async_thread(void *user)
{
	struct nnapi_async *async = user;

	nnapi_event_end(async->event, nnapi_async_run(async));
	nnapi_async_free(async);
	return NULL;
}

int nnapi_async_start(ANeuralNetworksExecution *execution, ANeuralNetworksEvent *event,
		      const ANeuralNetworksEvent *const *dependencies, uint32_t count,
		      uint64_t duration)
{
	struct nnapi_async *self = calloc(1, sizeof(*self));
	int ret;

	if (self)
		self->dependencies = calloc((size_t)count + 1, sizeof(*self->dependencies));
	if (!self || !self->dependencies) {
		free(self);
		return -ENOMEM;
	}
	self->execution = execution;
	self->event = nnapi_object_ref(event);
	self->duration = duration;
	for (uint32_t i = 0; i < count; i++)
		self->dependencies[self->count++] = nnapi_object_ref(dependencies[i]);
	event->threaded = true;
	ret = nna_thread_start(NULL, NULL, nnapi_async_thread, self);
	if (!ret)
		return 0;
	event->threaded = false;
	nnapi_async_free(self);
	return ret;
}

NNAPI_EXPORT int ANeuralNetworksExecution_startCompute(ANeuralNetworksExecution *execution,
						       ANeuralNetworksEvent **event)
{
	NNA_TRACE(RUNTIME, EXECUTION, __func__);
	ANeuralNetworksEvent *self;
	int ret;

	if (event)
		*event = NULL;
	if (!execution || !event)
		return nnapi_null(__func__);
	self = nnapi_execution_create_event(execution);
	if (!self)
		return ANEURALNETWORKS_OUT_OF_MEMORY;
	ret = nnapi_execution_begin(execution, __func__);
	if (ret) {
		self->done = true;
		nnapi_object_unref(self);
		return ret;
	}
	execution->mode = ANNDIAG_EXECUTION_MODE_ASYNC;
	/* The run has been started, so the event reports any error from here on. */
	ret = nnapi_execution_check(execution, __func__);
	if (!ret && execution->steps)
		ret = nnapi_async_start(execution, self, NULL, 0, 0);
	else if (!ret)
		return nnapi_execution_submit(execution, NULL, 0, self, event);
	if (ret)
		nnapi_event_end(self, ret);
	*event = self;
	return ANEURALNETWORKS_NO_ERROR;
}
