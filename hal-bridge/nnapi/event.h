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
 * struct ANeuralNetworksEvent - the end of a run, or a sync fence of the caller
 * @fd: of the sync fence that it was created from, owned; otherwise -1
 * @run: the counted object that runs, a reference; NULL for a sync fence
 * @end: called once, by the first waiter, with @run and the library's error or 0. Return: the
 *	result code
 * @fence: of the run; NULL if it could not be submitted. Constant after the caller got the event
 * @fenced: of a fenced execution: the caller may have the fence
 * @threaded: the run has a thread, which signals @ended: there is no @fence
 * @lock: guards the fields below; not held during a wait for the run
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

/* The reference count is the first member (object.h). */
_Static_assert(!offsetof(struct ANeuralNetworksEvent, object), "the count of an event is first");

/*
 * Creates an event with one reference. It takes a reference to @run, and calls @end with @run when
 * the run has ended; both are NULL for a sync fence. Return: NULL without memory.
 */
ANeuralNetworksEvent *nnapi_event_create(void *run, int (*end)(void *run, int error));

/*
 * Reports that the run has ended with @error of the library, or 0. The first call passes it to the
 * object that runs. Return: the result code.
 */
int nnapi_event_end(ANeuralNetworksEvent *event, int error);

/*
 * Return: the time when a sync_file signalled, CLOCK_MONOTONIC ns; 0 if it has not, or is unknown.
 */
uint64_t nnapi_fence_fd_get_time(int fd);

/*
 * Waits for the fd of a fence. @timeout_ms: as for poll(); @signalled: set to false after a
 * timeout. Return: NO_ERROR, or OP_FAILED if the fence is in error.
 */
int nnapi_fence_fd_wait(int fd, int timeout_ms, bool *signalled);

#endif
