/* SPDX-License-Identifier: MIT */
/* Events: the ends of runs, and sync fences. */
#ifndef NNAPI_EVENT_H
#define NNAPI_EVENT_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hal-bridge/nnapi/NeuralNetworks.h"
#include "hal-bridge/nnapi/object.h"
#include "nnaccel.h"

/**
 * struct ANeuralNetworksEvent - the end of a run, or a sync fence of the caller's
 * @fd: of the sync fence that it was made from, owned; else -1
 * @run: the counted object that runs, a reference; NULL when it was made from a sync fence
 * @end: called with @run, and the library's error or 0, by whoever has waited for @fence. Return:
 *	the result code
 * @lock: of what follows. Whoever waits for the run holds it, so that one of them does and the
 *	others wait for that one
 * @changed: a thread of fenced.c has set @done
 * @fence: of the run; NULL when a thread runs it, or it could not be submitted
 * @done: the run has ended with @result
 * @fenced: of a fenced execution: the caller may have the fence
 * @thread_runs: a thread waits for dependencies, runs it and signals @changed
 * @result: a result code
 */
struct ANeuralNetworksEvent {
	struct nnapi_object object;
	int fd;
	void *run;
	int (*end)(void *run, int error);
	pthread_mutex_t lock;
	pthread_cond_t changed;
	struct nna_fence *fence;
	bool done, fenced, thread_runs;
	int result;
};

/* A pointer to it is a pointer to its count. */
_Static_assert(!offsetof(struct ANeuralNetworksEvent, object), "the count of an event is first");

/*
 * An event with one reference. It takes one to @run, whose end it is and which @end tells of it;
 * both are NULL for a sync fence. Return: NULL without memory.
 */
ANeuralNetworksEvent *nnapi_event_create(void *run, int (*end)(void *run, int error));

/* When a sync_file signalled, CLOCK_MONOTONIC ns; 0 when it has not, or cannot tell. */
uint64_t nnapi_fence_fd_get_time(int fd);

/*
 * Waits for a fence's fd. Return: NO_ERROR, or OP_FAILED when it is in error. @timeout_ms as for
 * poll(); @signalled: it did not time out.
 */
int nnapi_fence_fd_wait(int fd, int timeout_ms, bool *signalled);

#endif
