// SPDX-License-Identifier: MIT
/* Fences: the end of one job, and how it ended. */
#include <errno.h>
#include <linux/sync_file.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <xf86drm.h>

#include "libnnaccel/winsys/drm/drm.h"

/* A syncobj says only whether its fence has signalled; whether with an error, a sync_file says. */
static int sync_status(struct nna_drm *drm, struct nna_drm_sync *sync)
{
	struct sync_file_info info = { 0 };
	int fd, ret;

	if (drmSyncobjExportSyncFile(drm->fd, sync->handle, &fd))
		return -errno;
	ret = ioctl(fd, SYNC_IOC_FILE_INFO, &info) ? -errno : info.status;
	close(fd);
	return ret < 0 ? ret : 0;
}

int nna_drm_fence_wait(struct nna_winsys *ws, struct nna_winsys_fence *base, int64_t deadline_ns)
{
	struct nna_drm_fence *fence = (struct nna_drm_fence *)base;
	struct nna_drm *drm = to_nna_drm(ws);
	int ret;

	ret = drmSyncobjWait(drm->fd, &fence->sync->handle, 1, deadline_ns, 0, NULL);
	if (ret)
		return ret;
	pthread_mutex_lock(&fence->lock);
	if (!fence->done) {
		fence->status = sync_status(drm, fence->sync);
		fence->done = true;
	}
	ret = fence->status;
	pthread_mutex_unlock(&fence->lock);

	pthread_mutex_lock(&drm->lock);
	fence->sync->signalled = true;
	/* Jobs are usually waited for in order, so the list is kept short without asking. */
	while (drm->outstanding && drm->outstanding->signalled) {
		struct nna_drm_sync *sync = drm->outstanding;

		drm->outstanding = sync->next;
		if (!drm->outstanding)
			drm->outstanding_end = &drm->outstanding;
		drm->outstanding_count--;
		nna_drm_sync_put(drm, sync);
	}
	if (drm->zombies)
		nna_drm_zombie_reap(drm);
	pthread_mutex_unlock(&drm->lock);
	return ret;
}

int nna_drm_fence_export(struct nna_winsys *ws, struct nna_winsys_fence *base)
{
	int fd;

	if (drmSyncobjExportSyncFile(to_nna_drm(ws)->fd,
				     ((struct nna_drm_fence *)base)->sync->handle, &fd))
		return -errno;
	return fd;
}

void nna_drm_fence_destroy(struct nna_winsys *ws, struct nna_winsys_fence *base)
{
	struct nna_drm_fence *fence = (struct nna_drm_fence *)base;
	struct nna_drm *drm = to_nna_drm(ws);

	if (!fence)
		return;
	pthread_mutex_lock(&drm->lock);
	nna_drm_sync_put(drm, fence->sync);
	pthread_mutex_unlock(&drm->lock);
	pthread_mutex_destroy(&fence->lock);
	free(fence);
}
