/* SPDX-License-Identifier: MIT */
/*
 * The end of a run, the one object for it in all layers: nnaccel.h gives it out, the runtime keeps
 * in it how the run ended, and a winsys puts what it needs to wait for the job behind it.
 *
 * A winsys makes a fence for each job (queue_submit) and uses it again when nobody has a reference,
 * so that a run allocates nothing. A run that had ended when it was submitted has a fence without a
 * winsys.
 */
#ifndef NNA_WINSYS_FENCE_H
#define NNA_WINSYS_FENCE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct nna_execution;
struct nna_winsys;

/**
 * struct nna_fence - the end of a run
 * @ws: whose job it is; NULL: the run had ended when it was submitted
 * @references: of its owners; and of the winsys, until it knows that the job has ended
 * @lock: guards @execution and @error until @done
 * @execution: the runtime's: whose run it is; NULL when its end has been taken
 * @exportable: the runtime's: all outputs are direct; constant
 * @done: the runtime's: the run has ended with @error
 * @error: 0 or a negative errno
 *
 * Backends of the winsys embed it as their first member, and touch @ws and @references only.
 */
struct nna_fence {
	struct nna_winsys *ws;
	atomic_uint references;
	pthread_mutex_t lock;
	struct nna_execution *execution;
	bool exportable;
	atomic_bool done;
	int error;
};

/* For a new one; @lock is destroyed by whoever frees it. */
static inline void nna_fence_init(struct nna_fence *fence, struct nna_winsys *ws)
{
	fence->ws = ws;
	pthread_mutex_init(&fence->lock, NULL);
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
