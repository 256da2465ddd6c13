// SPDX-License-Identifier: MIT
/* GEM handles, each with the number of BOs that have it. */
#include <stdlib.h>

#include <xf86drm.h>

#include "libnnaccel/winsys/drm/drm.h"

struct nna_drm_gem *nna_drm_gem_get(struct nna_drm *drm, uint32_t handle)
{
	struct nna_drm_gem *gem;

	for (gem = drm->gems; gem; gem = gem->next)
		if (gem->handle == handle) {
			gem->references++;
			return gem;
		}
	gem = malloc(sizeof(*gem));
	if (!gem) {
		drmCloseBufferHandle(drm->fd, handle);
		return NULL;
	}
	gem->handle = handle;
	gem->references = 1;
	gem->next = drm->gems;
	drm->gems = gem;
	return gem;
}

void nna_drm_gem_put(struct nna_drm *drm, struct nna_drm_gem *gem)
{
	struct nna_drm_gem **link = &drm->gems;

	if (--gem->references)
		return;
	while (*link != gem)
		link = &(*link)->next;
	*link = gem->next;
	drmCloseBufferHandle(drm->fd, gem->handle);
	free(gem);
}
