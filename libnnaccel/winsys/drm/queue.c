// SPDX-License-Identifier: MIT
/* Queues, which are contexts of the kernel, and the submission of jobs to them. */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include <xf86drm.h>

#include "libnnaccel/winsys/drm/drm.h"

static void context_destroy(struct nna_drm *drm, const struct nna_drm_queue *queue)
{
	struct drm_nna_ctx_destroy destroy = { .id = queue->ctx_id };

	nna_drm_ioctl(drm->fd, DRM_IOCTL_NNA_CTX_DESTROY, &destroy);
}

static void queue_free(struct nna_drm *drm, struct nna_drm_zombie *zombie)
{
	struct nna_drm_queue *queue = nna_drm_zombie_owner(zombie, struct nna_drm_queue);

	if (!queue->cancelled)
		context_destroy(drm, queue);
	free(queue);
}

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
		/*
		 * The file's limit of contexts is reached. -ENOSPC is taken: for a run it means an
		 * output that is too small.
		 */
		return ret == -ENOSPC ? -EMFILE : ret;
	}
	queue->ctx_id = create.id;
	queue->zombie.free = queue_free;
	*out = (struct nna_winsys_queue *)queue;
	return 0;
}

void nna_drm_queue_destroy(struct nna_winsys *ws, struct nna_winsys_queue *base)
{
	struct nna_drm_queue *queue = (struct nna_drm_queue *)base;

	if (queue)
		nna_drm_zombie_retire(to_nna_drm(ws), &queue->zombie);
}

/* The kernel ends the jobs of a context that is destroyed. Their fences stay valid. */
void nna_drm_queue_cancel(struct nna_winsys *ws, struct nna_winsys_queue *base)
{
	struct nna_drm_queue *queue = (struct nna_drm_queue *)base;

	if (!queue->cancelled)
		context_destroy(to_nna_drm(ws), queue);
	queue->cancelled = true;
}

/*
 * Takes syncobjs for a job and its in-fences. fences[0] is the job's; it is outstanding from here
 * on, so that the job is submitted without a lock. The others are for in-fences. After a failure
 * the caller gives back those that are not NULL.
 */
static int fences_take(struct nna_drm *drm, uint32_t count, struct nna_drm_fence **fences)
{
	bool many;

	pthread_mutex_lock(&drm->lock);
	many = drm->outstanding_count >= drm->poll_at;
	pthread_mutex_unlock(&drm->lock);
	if (many)
		nna_drm_outstanding_poll(drm, true);

	pthread_mutex_lock(&drm->lock);
	if (many)
		drm->poll_at = 2 * drm->outstanding_count + NNA_DRM_POLL_MIN;
	for (uint32_t i = 0; i <= count; i++) {
		fences[i] = nna_drm_fence_make(drm);
		if (!fences[i])
			break;
		if (!i)
			nna_drm_outstanding_add(drm, fences[0]);
	}
	pthread_mutex_unlock(&drm->lock);
	return fences[count] ? 0 : -ENOMEM;
}

/*
 * Gives back the syncobjs of in-fences. fences[0] is kept if the job was @submitted; else it is
 * removed from the list and given back, too.
 */
static void fences_give(struct nna_drm *drm, uint32_t count, struct nna_drm_fence **fences,
			bool submitted)
{
	pthread_mutex_lock(&drm->lock);
	if (fences[0] && submitted) {
		fences[0]->submitted = true;
	} else if (fences[0]) {
		nna_drm_outstanding_remove(drm, fences[0]);
		nna_drm_fence_drop(drm, fences[0]);
	}
	for (uint32_t i = 1; i <= count && fences[i]; i++)
		nna_drm_fence_drop(drm, fences[i]);
	pthread_mutex_unlock(&drm->lock);
}

/*
 * Submits @what behind the @count in-fences @fds, which must be fewer than the driver's limit of
 * syncs.
 */
static int submit_behind(struct nna_drm *drm, struct nna_drm_queue *queue,
			 const struct nna_winsys_job *what, const int *fds, uint32_t count,
			 struct nna_fence **out)
{
	struct drm_nna_submit submit = {
		.ctx_id = queue->ctx_id,
		.stream_va = what->job->stream_va,
		.stream_size = what->job->stream_size,
		.start = what->job->start,
		.base_table_va = what->job->base_table_va,
		.slot_count = what->job->slot_count,
		.report_va = what->job->report_va,
		.profile_va = what->job->profile_va,
		.profile_size = what->job->profile_size,
		.deadline_ns = what->deadline_ns,
		.duration_ns = what->duration_ns,
		.budget_ns = what->job->budget_ns,
		.loop_limit_ns = what->job->loop_limit_ns,
		.flags = what->job->slice ? DRM_NNA_SUBMIT_SLICE : 0,
	};
	/* The usual submission has few in-fences, and allocates nothing. */
	struct drm_nna_sync few_args[9] = { 0 }, *args = few_args;
	struct nna_drm_fence *few[9] = { 0 }, **fences = few;
	int ret = -ENOMEM;

	if (count >= 9) {
		args = calloc(count + 1, sizeof(*args));
		fences = calloc(count + 1, sizeof(*fences));
	}
	if (!args || !fences)
		goto out;
	ret = fences_take(drm, count, fences);
	for (uint32_t i = 0; i < count && !ret; i++)
		if (drmSyncobjImportSyncFile(drm->fd, fences[i + 1]->handle, fds[i]))
			ret = -errno;
	if (!ret) {
		for (uint32_t i = 0; i <= count; i++) {
			args[i].handle = fences[i]->handle;
			args[i].flags = DRM_NNA_SYNC_TYPE_SYNCOBJ | (i ? 0 : DRM_NNA_SYNC_SIGNAL);
		}
		submit.syncs.stride = sizeof(*args);
		submit.syncs.count = count + 1;
		submit.syncs.array = (uintptr_t)args;
		ret = nna_drm_ioctl(drm->fd, DRM_IOCTL_NNA_SUBMIT, &submit);
	}
	if (!ret)
		*out = &fences[0]->base;
	fences_give(drm, count, fences, !ret);
out:
	if (fences != few)
		free(fences);
	if (args != few_args)
		free(args);
	return ret;
}

/* The same behind any number of in-fences. */
static int submit_behind_many(struct nna_drm *drm, struct nna_drm_queue *queue,
			      const struct nna_winsys_job *what, struct nna_fence **out)
{
	uint32_t room = drm->hw.max_syncs - 1;
	int *merged, ret;

	if (room < 2)
		return -E2BIG;
	merged = calloc(room, sizeof(*merged));
	if (!merged)
		return -ENOMEM;
	ret = nna_drm_sync_file_merge(what->fence_fds, what->fence_count, merged, room);
	if (ret > 0) {
		uint32_t count = ret;

		ret = submit_behind(drm, queue, what, merged, count, out);
		while (count)
			close(merged[--count]);
	}
	free(merged);
	return ret;
}

int nna_drm_queue_submit(struct nna_winsys *ws, struct nna_winsys_queue *base,
			 const struct nna_winsys_job *what, struct nna_fence **out)
{
	struct nna_drm *drm = to_nna_drm(ws);
	struct nna_drm_queue *queue = (struct nna_drm_queue *)base;

	/* The kernel may have reused the context's id. */
	if (queue->cancelled)
		return -ECANCELED;
	if (what->fence_count >= drm->hw.max_syncs)
		return submit_behind_many(drm, queue, what, out);
	return submit_behind(drm, queue, what, what->fence_fds, what->fence_count, out);
}
