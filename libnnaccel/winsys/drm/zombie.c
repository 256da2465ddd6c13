// SPDX-License-Identifier: MIT
/* BOs and queues that were destroyed while jobs used them (drm.h says why they are kept). */
#include <stddef.h>

#include "libnnaccel/winsys/drm/drm.h"

struct nna_drm_zombie *nna_drm_zombie_take(struct nna_drm *drm)
{
	struct nna_drm_zombie **link = &drm->zombies, *ready = NULL, *zombie;

	while ((zombie = *link)) {
		if (drm->oldest && drm->oldest->ticket < zombie->ticket) {
			link = &zombie->next;
			continue;
		}
		*link = zombie->next;
		zombie->next = ready;
		ready = zombie;
	}
	return ready;
}

void nna_drm_zombie_free(struct nna_drm *drm, struct nna_drm_zombie *list)
{
	while (list) {
		struct nna_drm_zombie *next = list->next;

		list->free(drm, list);
		list = next;
	}
}

void nna_drm_zombie_retire(struct nna_drm *drm, struct nna_drm_zombie *zombie)
{
	bool busy;

	pthread_mutex_lock(&drm->lock);
	busy = drm->oldest;
	zombie->ticket = drm->next_ticket;
	zombie->next = NULL;
	if (busy) {
		zombie->next = drm->zombies;
		drm->zombies = zombie;
	}
	pthread_mutex_unlock(&drm->lock);
	if (busy)
		nna_drm_zombie_reap(drm);
	else
		zombie->free(drm, zombie);
}

void nna_drm_zombie_reap(struct nna_drm *drm)
{
	struct nna_drm_zombie *ready;
	bool any;

	pthread_mutex_lock(&drm->lock);
	any = drm->zombies;
	pthread_mutex_unlock(&drm->lock);
	if (!any)
		return;
	nna_drm_outstanding_poll(drm, false);
	pthread_mutex_lock(&drm->lock);
	ready = nna_drm_zombie_take(drm);
	pthread_mutex_unlock(&drm->lock);
	nna_drm_zombie_free(drm, ready);
}
