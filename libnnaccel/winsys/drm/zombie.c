// SPDX-License-Identifier: MIT
/* BOs and queues that were destroyed while jobs used them: drm.h says why they are kept. */
#include <stdlib.h>

#include <xf86drm.h>

#include "libnnaccel/winsys/drm/drm.h"

void nna_drm_zombie_free(struct nna_drm *drm, struct nna_drm_zombie *zombie)
{
	for (uint32_t i = 0; i < zombie->count; i++)
		nna_drm_sync_put(drm, zombie->syncs[i]);
	if (zombie->bo)
		nna_drm_bo_free(drm, zombie->bo, true);
	if (zombie->queue)
		nna_drm_queue_free(drm, zombie->queue);
	free(zombie);
}

void nna_drm_zombie_reap(struct nna_drm *drm)
{
	struct nna_drm_zombie **link = &drm->zombies, *zombie;

	while ((zombie = *link)) {
		while (zombie->count &&
		       nna_drm_sync_has_signalled(drm, zombie->syncs[zombie->count - 1]))
			nna_drm_sync_put(drm, zombie->syncs[--zombie->count]);
		if (zombie->count) {
			link = &zombie->next;
		} else {
			*link = zombie->next;
			nna_drm_zombie_free(drm, zombie);
		}
	}
}

void nna_drm_zombie_retire(struct nna_drm *drm, struct nna_drm_bo *bo, struct nna_drm_queue *queue)
{
	struct nna_drm_zombie *zombie;
	struct nna_drm_sync *sync;

	nna_drm_outstanding_prune(drm);
	zombie = calloc(1, sizeof(*zombie) + drm->outstanding_count * sizeof(zombie->syncs[0]));
	for (sync = drm->outstanding; sync; sync = sync->next) {
		if (zombie) {
			sync->references++;
			zombie->syncs[zombie->count++] = sync;
		} else {
			/* Without memory for the list: wait now. Jobs end in bounded time. */
			drmSyncobjWait(drm->fd, &sync->handle, 1, INT64_MAX, 0, NULL);
		}
	}
	if (!zombie) {
		if (bo)
			nna_drm_bo_free(drm, bo, true);
		else
			nna_drm_queue_free(drm, queue);
		return;
	}
	zombie->bo = bo;
	zombie->queue = queue;
	zombie->next = drm->zombies;
	drm->zombies = zombie;
	nna_drm_zombie_reap(drm);
}
