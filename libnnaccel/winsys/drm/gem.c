// SPDX-License-Identifier: MIT
/*
 * GEM handles, each with the number of BOs that use it.
 *
 * An import may return a handle that other BOs use. The lock is not held during an import, so the
 * handle must not be closed before the import has counted it: handles without BOs stay open while
 * imports are under way, and the last import closes them.
 */
#include <errno.h>
#include <stdlib.h>

#include <xf86drm.h>

#include "libnnaccel/winsys/drm/drm.h"

/*
 * Takes a reference to @handle, also if no BO uses it yet. Under @lock. Return: NULL without
 * memory.
 */
static struct nna_drm_gem *gem_find(struct nna_drm *drm, uint32_t handle)
{
	struct nna_drm_gem *gem;

	for (gem = drm->gems; gem && gem->handle != handle; gem = gem->next)
		;
	if (!gem) {
		gem = calloc(1, sizeof(*gem));
		if (!gem)
			return NULL;
		gem->handle = handle;
		gem->next = drm->gems;
		drm->gems = gem;
	}
	gem->references++;
	return gem;
}

/*
 * Closes the handles that no BO uses. Under @lock, because a new import could return one of them.
 */
static void gem_close_unused(struct nna_drm *drm)
{
	struct nna_drm_gem **link = &drm->gems, *gem;

	if (drm->imports)
		return;
	while ((gem = *link)) {
		if (gem->references) {
			link = &gem->next;
			continue;
		}
		*link = gem->next;
		drmCloseBufferHandle(drm->fd, gem->handle);
		free(gem);
	}
}

int nna_drm_gem_get(struct nna_drm *drm, uint32_t handle, struct nna_drm_gem **out)
{
	pthread_mutex_lock(&drm->lock);
	*out = gem_find(drm, handle);
	if (!*out)
		drmCloseBufferHandle(drm->fd, handle);
	pthread_mutex_unlock(&drm->lock);
	return *out ? 0 : -ENOMEM;
}

int nna_drm_gem_import(struct nna_drm *drm, int fd, struct nna_drm_gem **out)
{
	uint32_t handle;
	int ret;

	pthread_mutex_lock(&drm->lock);
	drm->imports++;
	pthread_mutex_unlock(&drm->lock);
	ret = drmPrimeFDToHandle(drm->fd, fd, &handle) ? -errno : 0;
	pthread_mutex_lock(&drm->lock);
	if (!ret) {
		*out = gem_find(drm, handle);
		/*
		 * The handle cannot be counted, so it stays open: another import may have returned
		 * it, too.
		 */
		if (!*out)
			ret = -ENOMEM;
	}
	drm->imports--;
	gem_close_unused(drm);
	pthread_mutex_unlock(&drm->lock);
	return ret;
}

void nna_drm_gem_put(struct nna_drm *drm, struct nna_drm_gem *gem)
{
	if (!gem)
		return;
	pthread_mutex_lock(&drm->lock);
	if (!--gem->references)
		gem_close_unused(drm);
	pthread_mutex_unlock(&drm->lock);
}
