// SPDX-License-Identifier: MIT
/* Queues, which are contexts of the kernel, and the submission of jobs to them. */
#include <errno.h>
#include <stdlib.h>

#include <xf86drm.h>

#include "libnnaccel/winsys/drm/drm.h"

/* With so many outstanding jobs a submission looks which ones have ended. */
#define OUTSTANDING_SOFT_LIMIT 64u

int nna_drm_queue_create(struct nna_winsys *ws, enum nna_priority priority,
			 struct nna_winsys_queue **out)
{
	static const uint32_t priorities[] = {
		[NNA_PRIORITY_LOW] = DRM_NNA_CTX_PRIORITY_LOW,
		[NNA_PRIORITY_MEDIUM] = DRM_NNA_CTX_PRIORITY_MEDIUM,
		[NNA_PRIORITY_HIGH] = DRM_NNA_CTX_PRIORITY_HIGH,
	};
	struct nna_drm *drm = to_nna_drm(ws);
	struct drm_nna_ctx_create create = { .vm_id = drm->vm_id };
	struct nna_drm_queue *queue;
	int ret;

	if ((unsigned int)priority >= sizeof(priorities) / sizeof(priorities[0]))
		return -EINVAL;
	create.priority = priorities[priority];
	queue = calloc(1, sizeof(*queue));
	if (!queue)
		return -ENOMEM;
	ret = nna_drm_ioctl(drm->fd, DRM_IOCTL_NNA_CTX_CREATE, &create);
	if (ret) {
		free(queue);
		return ret;
	}
	queue->ctx_id = create.id;
	*out = (struct nna_winsys_queue *)queue;
	return 0;
}

void nna_drm_queue_free(struct nna_drm *drm, struct nna_drm_queue *queue)
{
	struct drm_nna_ctx_destroy destroy = { .id = queue->ctx_id };

	nna_drm_ioctl(drm->fd, DRM_IOCTL_NNA_CTX_DESTROY, &destroy);
	free(queue);
}

void nna_drm_queue_destroy(struct nna_winsys *ws, struct nna_winsys_queue *queue)
{
	struct nna_drm *drm = to_nna_drm(ws);

	if (!queue)
		return;
	pthread_mutex_lock(&drm->lock);
	nna_drm_zombie_retire(drm, NULL, (struct nna_drm_queue *)queue);
	pthread_mutex_unlock(&drm->lock);
}

/*
 * Takes syncobjs for a job and its in-fences: syncs[0] is what the job signals, the others get the
 * fences of the caller's sync_files. Also after a failure those that are not NULL are references.
 */
static int syncs_get(struct nna_drm *drm, const struct nna_winsys_job *job,
		     struct nna_drm_sync **syncs)
{
	int ret = 0;

	pthread_mutex_lock(&drm->lock);
	if (drm->outstanding_count >= OUTSTANDING_SOFT_LIMIT)
		nna_drm_outstanding_prune(drm);
	for (uint32_t i = 0; i <= job->fence_count && !ret; i++) {
		syncs[i] = nna_drm_sync_get(drm);
		if (!syncs[i])
			ret = -ENOMEM;
	}
	pthread_mutex_unlock(&drm->lock);

	for (uint32_t i = 0; i < job->fence_count && !ret; i++)
		if (drmSyncobjImportSyncFile(drm->fd, syncs[i + 1]->handle, job->fence_fds[i]))
			ret = -errno;
	return ret;
}

int nna_drm_queue_submit(struct nna_winsys *ws, struct nna_winsys_queue *base,
			 const struct nna_winsys_job *job, struct nna_winsys_fence **out)
{
	struct nna_drm *drm = to_nna_drm(ws);
	struct nna_drm_queue *queue = (struct nna_drm_queue *)base;
	struct drm_nna_submit submit = {
		.ctx_id = queue->ctx_id,
		.stream_va = job->stream_va,
		.stream_size = job->stream_size,
		.start = job->start,
		.base_table_va = job->base_table_va,
		.slot_count = job->slot_count,
		.report_va = job->report_va,
		.deadline_ns = job->deadline_ns,
		.duration_ns = job->duration_ns,
		.budget_ns = job->budget_ns,
		.loop_limit_ns = job->loop_limit_ns,
	};
	/* A submission with few in-fences, which is the usual one, allocates its fence only. */
	struct drm_nna_sync few_args[9] = { 0 }, *args = few_args;
	struct nna_drm_sync *few[9] = { 0 }, **syncs = few;
	uint32_t count = job->fence_count;
	struct nna_drm_fence *fence;
	int ret = -ENOMEM;

	if (count >= drm->hw.max_syncs)
		return -E2BIG;
	fence = calloc(1, sizeof(*fence));
	if (count >= 9) {
		args = calloc(count + 1, sizeof(*args));
		syncs = calloc(count + 1, sizeof(*syncs));
	}
	if (!fence || !args || !syncs)
		goto out;
	ret = syncs_get(drm, job, syncs);
	if (ret)
		goto out;
	for (uint32_t i = 0; i <= count; i++) {
		args[i].handle = syncs[i]->handle;
		args[i].flags = DRM_NNA_SYNC_TYPE_SYNCOBJ | (i ? 0 : DRM_NNA_SYNC_SIGNAL);
	}
	submit.syncs.stride = sizeof(*args);
	submit.syncs.count = count + 1;
	submit.syncs.array = (uintptr_t)args;

	/*
	 * Under the lock, so that a BO or queue that is destroyed after this submission finds the
	 * job outstanding, and that a queue's jobs are in the order of the calls.
	 */
	pthread_mutex_lock(&drm->lock);
	ret = nna_drm_ioctl(drm->fd, DRM_IOCTL_NNA_SUBMIT, &submit);
	if (!ret) {
		syncs[0]->references++;
		nna_drm_outstanding_add(drm, syncs[0]);
	}
	pthread_mutex_unlock(&drm->lock);
	if (!ret) {
		fence->sync = syncs[0];
		pthread_mutex_init(&fence->lock, NULL);
		*out = (struct nna_winsys_fence *)fence;
		fence = NULL;
	}
out:
	if (syncs) {
		pthread_mutex_lock(&drm->lock);
		for (uint32_t i = 0; i <= count; i++)
			if (syncs[i])
				nna_drm_sync_put(drm, syncs[i]);
		pthread_mutex_unlock(&drm->lock);
	}
	if (syncs != few)
		free(syncs);
	if (args != few_args)
		free(args);
	free(fence);
	return ret;
}
