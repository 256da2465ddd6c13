// SPDX-License-Identifier: GPL-2.0-only
/* The shrinker: see nna_shrinker.h. */

#include <linux/device.h>
#include <linux/dma-resv.h>
#include <linux/lockdep.h>
#include <linux/sched/mm.h>
#include <linux/shrinker.h>
#include <drm/drm_drv.h>
#include <drm/drm_managed.h>

#include "nna_core.h"
#include "nna_gem.h"
#include "nna_shrinker.h"
#include "nna_vm.h"

/* Number of objects that one call looks at: as many as a batch of reclaim has pages. */
#define NNA_SHRINKER_BATCH	128u

/**
 * struct nna_shrinker - The shrinker of a device.
 * @counts: what it has done; protected by nna_device.unneeded_lock.
 */
struct nna_shrinker {
	struct nna_shrinker_counts counts;
};

unsigned long nna_shrinker_count(struct nna_device *nna)
{
	return READ_ONCE(nna->unneeded_pages);
}

/*
 * Purges the object and returns true. An object that cannot be locked or unmapped now moves to the
 * end of the list, for a later call. An object that is no longer purgeable leaves the list.
 */
static bool nna_shrinker_try_purge(struct nna_device *nna, struct nna_bo *bo)
{
	struct drm_gem_object *obj = &bo->base.base;
	bool purge = false;

	if (!dma_resv_trylock(obj->resv)) {
		list_move_tail(&bo->base.madv_list, &nna->unneeded);
		return false;
	}
	if (!nna_bo_is_purgeable(bo)) {
		nna_bo_unlist(bo);
	} else if (!nna_vm_unmap_idle(obj)) {
		list_move_tail(&bo->base.madv_list, &nna->unneeded);
	} else {
		nna_bo_purge(bo);
		purge = true;
	}
	dma_resv_unlock(obj->resv);
	return purge;
}

/* nna_gem_free() waits for the lock, so objects on the list are valid. */
static unsigned long nna_shrinker_scan_locked(struct nna_device *nna, unsigned long pages)
{
	struct list_head *last = nna->unneeded.prev, *at = &nna->unneeded;
	unsigned long freed = 0;
	unsigned int seen = 0;

	lockdep_assert_held(&nna->unneeded_lock);
	/* Behind @last are objects that have been moved there. */
	for (; at != last && seen < NNA_SHRINKER_BATCH && freed < pages; seen++) {
		struct drm_gem_shmem_object *shmem;

		at = nna->unneeded.next;
		shmem = list_entry(at, struct drm_gem_shmem_object, madv_list);
		if (nna_shrinker_try_purge(nna, to_nna_bo(&shmem->base))) {
			freed += shmem->base.size >> PAGE_SHIFT;
			nna->shrinker->counts.purged++;
		}
	}
	nna->shrinker->counts.calls++;
	nna->shrinker->counts.seen += seen;
	return freed;
}

unsigned long nna_shrinker_scan(struct nna_device *nna, unsigned long pages)
{
	unsigned long freed = 0;
	int idx;

	/* A purge changes page tables and mappings, so it must not run while unbind frees them. */
	if (!drm_dev_enter(&nna->drm, &idx))
		return SHRINK_STOP;
	if (mutex_trylock(&nna->unneeded_lock)) {
		freed = nna_shrinker_scan_locked(nna, pages);
		mutex_unlock(&nna->unneeded_lock);
	}
	drm_dev_exit(idx);
	/* Reclaim repeats a call that returns a number, even 0. */
	return freed ?: SHRINK_STOP;
}

void nna_shrinker_read(struct nna_device *nna, struct nna_shrinker_counts *counts)
{
	mutex_lock(&nna->unneeded_lock);
	*counts = nna->shrinker->counts;
	mutex_unlock(&nna->unneeded_lock);
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

	nna->shrinker = drmm_kzalloc(&nna->drm, sizeof(*nna->shrinker), GFP_KERNEL);
	if (!nna->shrinker)
		return -ENOMEM;
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
