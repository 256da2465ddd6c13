// SPDX-License-Identifier: MIT
/*
 * The syncobjs that jobs signal, one in each fence, and the list of jobs that may still run.
 * Creating a syncobj costs an ioctl, so they are kept for the next job; a submission replaces the
 * fence that a syncobj had before.
 *
 * They are binary, because a timeline does not keep the errors of its points.
 */
#include <stdlib.h>

#include <xf86drm.h>

#include "libnnaccel/winsys/drm/drm.h"

struct nna_drm_fence *nna_drm_fence_make(struct nna_drm *drm)
{
	struct nna_drm_fence *fence = drm->spare;

	if (fence) {
		drm->spare = fence->newer;
	} else {
		fence = calloc(1, sizeof(*fence));
		if (!fence)
			return NULL;
		if (drmSyncobjCreate(drm->fd, 0, &fence->handle)) {
			free(fence);
			return NULL;
		}
		nna_fence_init(&fence->base, &drm->base);
	}
	nna_fence_reset(&fence->base);
	return fence;
}

void nna_drm_fence_drop(struct nna_drm *drm, struct nna_drm_fence *fence)
{
	if (atomic_fetch_sub_explicit(&fence->base.references, 1, memory_order_acq_rel) != 1)
		return;
	nna_fence_close_event(&fence->base);
	fence->newer = drm->spare;
	drm->spare = fence;
}

void nna_drm_fence_destroy_spare(struct nna_drm *drm)
{
	struct nna_drm_fence *fence;

	while ((fence = drm->spare)) {
		drm->spare = fence->newer;
		drmSyncobjDestroy(drm->fd, fence->handle);
		nna_fence_fini(&fence->base);
		free(fence);
	}
}

void nna_drm_outstanding_add(struct nna_drm *drm, struct nna_drm_fence *fence)
{
	nna_fence_get(&fence->base);
	fence->ticket = drm->next_ticket++;
	fence->submitted = false;
	fence->outstanding = true;
	fence->newer = NULL;
	fence->older = drm->newest;
	if (drm->newest)
		drm->newest->newer = fence;
	else
		drm->oldest = fence;
	drm->newest = fence;
	drm->outstanding_count++;
}

void nna_drm_outstanding_remove(struct nna_drm *drm, struct nna_drm_fence *fence)
{
	if (!fence->outstanding)
		return;
	fence->outstanding = false;
	if (fence->older)
		fence->older->newer = fence->newer;
	else
		drm->oldest = fence->newer;
	if (fence->newer)
		fence->newer->older = fence->older;
	else
		drm->newest = fence->older;
	drm->outstanding_count--;
	nna_drm_fence_drop(drm, fence);
}

/*
 * Return: the oldest outstanding job from @ticket on that has been submitted, a reference. The
 * syncobj of a job that has not been submitted yet still has the fence of an earlier job.
 */
static struct nna_drm_fence *outstanding_next(struct nna_drm *drm, uint64_t ticket)
{
	struct nna_drm_fence *fence;

	pthread_mutex_lock(&drm->lock);
	for (fence = drm->oldest; fence; fence = fence->newer)
		if (fence->ticket >= ticket && fence->submitted)
			break;
	if (fence)
		nna_fence_get(&fence->base);
	pthread_mutex_unlock(&drm->lock);
	return fence;
}

void nna_drm_outstanding_poll(struct nna_drm *drm, bool all)
{
	struct nna_drm_fence *fence = outstanding_next(drm, 0);

	while (fence) {
		bool ended = !drmSyncobjWait(drm->fd, &fence->handle, 1, 0, 0, NULL);
		uint64_t next = fence->ticket + 1;

		pthread_mutex_lock(&drm->lock);
		if (ended)
			nna_drm_outstanding_remove(drm, fence);
		nna_drm_fence_drop(drm, fence);
		pthread_mutex_unlock(&drm->lock);
		fence = ended || all ? outstanding_next(drm, next) : NULL;
	}
}
