/* SPDX-License-Identifier: MIT */
/*
 * The end of a run, the one object for it in all layers: nnaccel.h gives it out, the runtime keeps
 * in it how the run ended, and a winsys puts what it needs to wait for the job behind it.
 *
 * A winsys makes a fence for each job (queue_submit) and uses it again when nobody has a reference,
 * so that a run allocates nothing. Two kinds of runs have a fence without a winsys, which the
 * runtime makes: one that had ended when it was submitted, and one that waits for what it depends
 * on before it is given to the device.
 */
#ifndef NNA_WINSYS_FENCE_H
#define NNA_WINSYS_FENCE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>
#include <unistd.h>

struct nna_execution;
struct nna_winsys;

/**
 * struct nna_fence - the end of a run
 * @ws: whose job it is; NULL: the fence is the runtime's own
 * @references: of its owners; and of the winsys, until it knows that the job has ended
 * @lock: guards @execution and @error until @done, and @event
 * @ended: signalled under @lock at @done of a fence without @ws; its clock is CLOCK_MONOTONIC
 * @event: an fd that polls readable when the job has ended, of a fence without @ws at @done; owned,
 *	and open while there is a reference; -1 until somebody wants to poll (nna_fence_poll())
 * @execution: the runtime's: whose run it is; NULL when its end has been taken
 * @exportable: the runtime's: all outputs are direct; constant
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

/* For a new one; nna_fence_fini() comes before it is freed. */
static inline void nna_fence_init(struct nna_fence *fence, struct nna_winsys *ws)
{
	pthread_condattr_t attr;

	fence->ws = ws;
	fence->event = -1;
	pthread_mutex_init(&fence->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&fence->ended, &attr);
	pthread_condattr_destroy(&attr);
}

/* Nobody has a reference. */
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

/* For a job or run to come: one reference, and nothing of the last one. */
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
