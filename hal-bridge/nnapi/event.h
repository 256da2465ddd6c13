/* SPDX-License-Identifier: MIT */
/* Events: the ends of runs, and sync fences. */
#ifndef NNAPI_EVENT_H
#define NNAPI_EVENT_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hal-bridge/include/NeuralNetworks.h"
#include "hal-bridge/nnapi/object.h"
#include "nnaccel.h"

/**
 * struct ANeuralNetworksEvent - the end of a run, or a sync fence of the caller's
 * @fd: of the sync fence that it was made from, owned; else -1
 * @run: the counted object that runs, a reference; NULL when it was made from a sync fence
 * @end: called once with @run, and the library's error or 0, by the first to know. Return: the
 *	result code
 * @fence: of the run; NULL when it could not be submitted. It does not change after the event has
 *	been given to the caller.
 * @fenced: of a fenced execution: the caller may have the fence
 * @threaded: a thread computes the run and tells @ended: it has no @fence
 * @lock: of what follows; not held while a run is waited for
 * @ended: signalled when @done is set
 * @done: the run has ended with @result
 * @result: a result code
 */
struct ANeuralNetworksEvent {
	struct nnapi_object object;
	int fd;
	void *run;
	int (*end)(void *run, int error);
	struct nna_fence *fence;
	bool fenced, threaded;
	pthread_mutex_t lock;
	pthread_cond_t ended;
	bool done;
	int result;
};

/* A pointer to it is a pointer to its count. */
_Static_assert(!offsetof(struct ANeuralNetworksEvent, object), "the count of an event is first");

/*
 * An event with one reference. It takes one to @run, whose end it is and which @end tells of it;
 * both are NULL for a sync fence. Return: NULL without memory.
 */
ANeuralNetworksEvent *nnapi_event_create(void *run, int (*end)(void *run, int error));

/*
 * The run has ended with @error of the library, or 0: the first to say so tells the object that
 * runs. Return: the result code.
 */
int nnapi_event_end(ANeuralNetworksEvent *event, int error);

/* When a sync_file signalled, CLOCK_MONOTONIC ns; 0 when it has not, or cannot tell. */
uint64_t nnapi_fence_fd_get_time(int fd);

/*
 * Waits for a fence's fd. Return: NO_ERROR, or OP_FAILED when it is in error. @timeout_ms as for
 * poll(); @signalled: it did not time out.
 */
int nnapi_fence_fd_wait(int fd, int timeout_ms, bool *signalled);

#endif
