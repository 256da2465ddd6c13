/* SPDX-License-Identifier: MIT */
/*
 * The end of a run. All layers use this one object: nnaccel.h gives it to the caller, the runtime
 * stores the error of the run in it, and a winsys embeds it in a struct that can wait for the job.
 *
 * A winsys makes a fence for each job (queue_submit) and reuses fences without references, so a run
 * allocates nothing. The runtime makes the fences of two kinds of runs itself, without a winsys: a
 * run that ended during its submission, and a dependent run, which waits for its dependencies
 * before the device gets its job.
 */
#ifndef NNA_WINSYS_FENCE_H
#define NNA_WINSYS_FENCE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <unistd.h>

#include "libnnaccel/support/thread.h"

struct nna_execution;
struct nna_winsys;

/**
 * struct nna_fence - the end of a run
 * @ws: whose job it is; NULL: the fence is the runtime's own
 * @references: of its owners, and of the winsys until the winsys knows that the job has ended
 * @lock: guards @execution and @error until @done, and @event
 * @ended: signalled under @lock at @done of a fence without @ws; its clock is CLOCK_MONOTONIC
 * @event: an fd that polls readable when the job has ended, or at @done for a fence without @ws;
 *	owned, and open while there is a reference; -1 until nna_fence_poll() is called
 * @execution: the runtime's: whose run it is; NULL when its end has been taken
 * @exportable: the runtime's: all outputs are direct, so the fence may be exported; constant
 * @done: the runtime's: the run has ended with @error
 * @error: 0 or a negative errno
 *
 * Backends of the winsys embed it as their first member, and touch @ws, @references and @event
 * only.
 */
struct nna_fence {
	struct nna_winsys *ws;
	atomic_uint references;
	pthread_mutex_t lock;
	pthread_cond_t ended;
	int event;
	struct nna_execution *execution;
	bool exportable;
	atomic_bool done;
	int error;
};

/* Initialises a new fence. nna_fence_fini() must be called before it is freed. */
static inline void nna_fence_init(struct nna_fence *fence, struct nna_winsys *ws)
{
	fence->ws = ws;
	fence->event = -1;
	pthread_mutex_init(&fence->lock, NULL);
	nna_cond_init(&fence->ended);
}

/* Closes @event of a fence without references. */
static inline void nna_fence_close_event(struct nna_fence *fence)
{
	if (fence->event >= 0)
		close(fence->event);
	fence->event = -1;
}

static inline void nna_fence_fini(struct nna_fence *fence)
{
	nna_fence_close_event(fence);
	pthread_cond_destroy(&fence->ended);
	pthread_mutex_destroy(&fence->lock);
}

/* Prepares a fence for its next job or run: one reference, no error. */
static inline void nna_fence_reset(struct nna_fence *fence)
{
	atomic_store_explicit(&fence->references, 1, memory_order_relaxed);
	fence->execution = NULL;
	fence->exportable = false;
	fence->error = 0;
	atomic_store_explicit(&fence->done, false, memory_order_relaxed);
}

static inline void nna_fence_get(struct nna_fence *fence)
{
	atomic_fetch_add_explicit(&fence->references, 1, memory_order_relaxed);
}

/* Drops a reference; NULL is allowed. */
void nna_fence_put(struct nna_fence *fence);

#endif
