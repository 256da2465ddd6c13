// SPDX-License-Identifier: GPL-2.0-only
/* The shrinker: see nna_shrinker.h. */

#include <linux/device.h>
#include <linux/dma-resv.h>
#include <linux/lockdep.h>
#include <linux/sched/mm.h>
#include <linux/shrinker.h>
#include <drm/drm_drv.h>

#include "nna_core.h"
#include "nna_gem.h"
#include "nna_shrinker.h"
#include "nna_vm.h"

unsigned long nna_shrinker_count(struct nna_device *nna)
{
	struct drm_gem_shmem_object *shmem;
	unsigned long pages = 0;

	if (!mutex_trylock(&nna->unneeded_lock))
		return 0;
	list_for_each_entry(shmem, &nna->unneeded, madv_list)
		if (drm_gem_shmem_is_purgeable(shmem))
			pages += shmem->base.size >> PAGE_SHIFT;
	mutex_unlock(&nna->unneeded_lock);
	return pages;
}

static bool nna_shrinker_try_purge(struct nna_bo *bo)
{
	struct drm_gem_object *obj = &bo->base.base;
	bool purge;

	if (!dma_resv_trylock(obj->resv))
		return false;
	purge = nna_bo_is_purgeable(bo) && nna_vm_unmap_idle(obj);
	if (purge)
		nna_bo_purge(bo);
	dma_resv_unlock(obj->resv);
	return purge;
}

unsigned long nna_shrinker_scan(struct nna_device *nna, unsigned long pages)
{
	struct drm_gem_shmem_object *shmem, *next;
	unsigned long freed = 0;
	int idx;

	/* Unbind frees page tables and removes mappings. */
	if (!drm_dev_enter(&nna->drm, &idx))
		return SHRINK_STOP;
	if (mutex_trylock(&nna->unneeded_lock)) {
		/* nna_gem_free() waits for the lock, so objects on the list are valid. */
		list_for_each_entry_safe(shmem, next, &nna->unneeded, madv_list) {
			if (freed >= pages)
				break;
			if (nna_shrinker_try_purge(to_nna_bo(&shmem->base)))
				freed += shmem->base.size >> PAGE_SHIFT;
		}
		mutex_unlock(&nna->unneeded_lock);
	} else {
		freed = SHRINK_STOP;
	}
	drm_dev_exit(idx);
	return freed;
}

static unsigned long nna_shrinker_count_objects(struct shrinker *shrinker,
						struct shrink_control *control)
{
	return nna_shrinker_count(shrinker->private_data);
}

static unsigned long nna_shrinker_scan_objects(struct shrinker *shrinker,
					       struct shrink_control *control)
{
	return nna_shrinker_scan(shrinker->private_data, control->nr_to_scan);
}

static void nna_shrinker_fini(void *shrinker)
{
	shrinker_free(shrinker);
}

int nna_shrinker_init(struct nna_device *nna)
{
	struct device *dev = nna->drm.dev;
	struct shrinker *shrinker;

	/* Teach lockdep that no memory may be allocated with this lock held. */
	fs_reclaim_acquire(GFP_KERNEL);
	might_lock(&nna->unneeded_lock);
	fs_reclaim_release(GFP_KERNEL);

	shrinker = shrinker_alloc(0, "drm-%s:%s", NNA_DRIVER_NAME, dev_name(dev));
	if (!shrinker)
		return -ENOMEM;
	shrinker->count_objects = nna_shrinker_count_objects;
	shrinker->scan_objects = nna_shrinker_scan_objects;
	shrinker->private_data = nna;
	shrinker_register(shrinker);
	return devm_add_action_or_reset(dev, nna_shrinker_fini, shrinker);
}
