// SPDX-License-Identifier: MIT
/* The winsys's functions on fences. syncobj.c manages their syncobjs. */
#include <errno.h>
#include <linux/sync_file.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <xf86drm.h>

#include "libnnaccel/winsys/drm/drm.h"

static struct nna_drm_fence *to_drm_fence(struct nna_fence *base)
{
	return (struct nna_drm_fence *)base;
}

int nna_drm_fence_wait(struct nna_winsys *ws, struct nna_fence *base, int64_t deadline_ns)
{
	struct nna_drm_fence *fence = to_drm_fence(base);
	struct nna_drm *drm = to_nna_drm(ws);
	struct nna_drm_zombie *ready;
	int ret;

	ret = drmSyncobjWait(drm->fd, &fence->handle, 1, deadline_ns, 0, NULL);
	if (ret)
		return ret;
	pthread_mutex_lock(&drm->lock);
	nna_drm_outstanding_remove(drm, fence);
	ready = nna_drm_zombie_take(drm);
	pthread_mutex_unlock(&drm->lock);
	nna_drm_zombie_free(drm, ready);
	return 0;
}

/* A syncobj tells only that its fence has signalled; a sync_file also tells its error. */
int nna_drm_fence_status(struct nna_winsys *ws, struct nna_fence *base)
{
	struct sync_file_info info = { 0 };
	int fd, ret;

	if (drmSyncobjExportSyncFile(to_nna_drm(ws)->fd, to_drm_fence(base)->handle, &fd))
		return -errno;
	ret = ioctl(fd, SYNC_IOC_FILE_INFO, &info) ? -errno : info.status;
	close(fd);
	return ret < 0 ? ret : 0;
}

int nna_drm_fence_poll(struct nna_winsys *ws, struct nna_fence *base)
{
	int fd = nna_drm_fence_export(ws, base);

	if (fd < 0)
		return fd;
	base->event = fd;
	return 0;
}

int nna_drm_fence_export(struct nna_winsys *ws, struct nna_fence *base)
{
	int fd;

	if (drmSyncobjExportSyncFile(to_nna_drm(ws)->fd, to_drm_fence(base)->handle, &fd))
		return -errno;
	return fd;
}

void nna_drm_fence_release(struct nna_winsys *ws, struct nna_fence *base)
{
	struct nna_drm_fence *fence = to_drm_fence(base);
	struct nna_drm *drm = to_nna_drm(ws);

	nna_fence_close_event(base);
	pthread_mutex_lock(&drm->lock);
	fence->newer = drm->spare;
	drm->spare = fence;
	pthread_mutex_unlock(&drm->lock);
}
