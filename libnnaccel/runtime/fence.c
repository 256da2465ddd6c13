// SPDX-License-Identifier: MIT
#include <errno.h>
#include <stdlib.h>

#include "libnnaccel/runtime/runtime.h"

void nna_fence_put(struct nna_fence *fence)
{
	if (!fence || atomic_fetch_sub(&fence->references, 1) != 1)
		return;
	if (fence->ws_fence)
		fence->device->ws->ops->fence_destroy(fence->device->ws, fence->ws_fence);
	pthread_mutex_destroy(&fence->lock);
	free(fence);
}

int nna_fence_wait(struct nna_fence *fence, int64_t timeout_ns)
{
	struct nna_winsys *ws = fence->device->ws;
	int64_t deadline = INT64_MAX;
	int ret;

	if (atomic_load_explicit(&fence->done, memory_order_acquire))
		return fence->error;
	if (timeout_ns >= 0 &&
	    __builtin_add_overflow((int64_t)nna_now_ns(), timeout_ns, &deadline))
		deadline = INT64_MAX;
	ret = ws->ops->fence_wait(ws, fence->ws_fence, deadline);
	pthread_mutex_lock(&fence->lock);
	if (!atomic_load_explicit(&fence->done, memory_order_relaxed)) {
		struct nna_execution *e = fence->execution;

		pthread_mutex_lock(&e->lock);
		/*
		 * A job over its budget ends with this error too: then there is a report, or there
		 * is time left.
		 */
		if (ret == -ETIME && timeout_ns >= 0 && !nna_execution_reported(e) &&
		    (int64_t)nna_now_ns() >= deadline) {
			pthread_mutex_unlock(&e->lock);
			pthread_mutex_unlock(&fence->lock);
			return -ETIME;
		}
		nna_execution_finish(e, ret);
		fence->error = e->error;
		pthread_mutex_unlock(&e->lock);
		fence->execution = NULL;
		atomic_store_explicit(&fence->done, true, memory_order_release);
	}
	pthread_mutex_unlock(&fence->lock);
	return fence->error;
}

int nna_fence_export(struct nna_fence *fence)
{
	if (!fence->ws_fence)
		return -ENOTSUP;
	return fence->device->ws->ops->fence_export(fence->device->ws, fence->ws_fence);
}

void nna_fence_destroy(struct nna_fence *fence)
{
	nna_fence_put(fence);
}
