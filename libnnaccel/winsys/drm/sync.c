// SPDX-License-Identifier: MIT
/*
 * Syncobjs. Making one costs an ioctl, so they are kept for the next job; a submission replaces
 * whatever fence a syncobj has had before.
 */
#include <stdlib.h>

#include <xf86drm.h>

#include "libnnaccel/winsys/drm/drm.h"

struct nna_drm_sync *nna_drm_sync_get(struct nna_drm *drm)
{
	struct nna_drm_sync *sync = drm->spare;

	if (sync) {
		drm->spare = sync->next;
	} else {
		sync = calloc(1, sizeof(*sync));
		if (!sync)
			return NULL;
		if (drmSyncobjCreate(drm->fd, 0, &sync->handle)) {
			free(sync);
			return NULL;
		}
	}
	sync->next = NULL;
	sync->references = 1;
	sync->signalled = false;
	return sync;
}

void nna_drm_sync_put(struct nna_drm *drm, struct nna_drm_sync *sync)
{
	if (--sync->references)
		return;
	sync->next = drm->spare;
	drm->spare = sync;
}

bool nna_drm_sync_has_signalled(struct nna_drm *drm, struct nna_drm_sync *sync)
{
	if (!sync->signalled)
		sync->signalled = !drmSyncobjWait(drm->fd, &sync->handle, 1, 0, 0, NULL);
	return sync->signalled;
}

void nna_drm_outstanding_prune(struct nna_drm *drm)
{
	struct nna_drm_sync **link = &drm->outstanding, *sync;

	while ((sync = *link)) {
		if (nna_drm_sync_has_signalled(drm, sync)) {
			*link = sync->next;
			drm->outstanding_count--;
			nna_drm_sync_put(drm, sync);
		} else {
			link = &sync->next;
		}
	}
	drm->outstanding_end = link;
}

void nna_drm_outstanding_add(struct nna_drm *drm, struct nna_drm_sync *sync)
{
	sync->references++;
	sync->next = NULL;
	*drm->outstanding_end = sync;
	drm->outstanding_end = &sync->next;
	drm->outstanding_count++;
}
