/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The shrinker: purges buffer objects that user space has marked as not needed.
 *
 * Reclaim calls it from within any allocation: with any lock of the driver held, and between the
 * arming of a job and the signal of its fence. Therefore it takes locks by trylock only, allocates
 * nothing, and neither waits for the device nor resets it. It skips an object that it cannot purge
 * at once: the CPU maps its pages, another device may use them, or an address space that maps it is
 * being changed or has jobs. An address space without jobs uses no old translation, so no
 * invalidation is needed now (nna_vm_unmap_idle()).
 *
 * Clients decide how many objects there are. So a call looks at a bounded number of objects, and
 * only at those that had pages to free when they were put on the list (nna_gem.h). A skipped object
 * goes to the end of the list: the next call looks at others.
 *
 * An object is purged as a whole, and for good: see struct drm_nna_bo_madvise.
 */
#ifndef NNA_SHRINKER_H
#define NNA_SHRINKER_H

#include <linux/types.h>

struct nna_device;

/**
 * struct nna_shrinker_counts - What a shrinker has done.
 * @calls: calls that have looked at objects.
 * @seen: objects that it has looked at.
 * @purged: objects that it has purged.
 */
struct nna_shrinker_counts {
	u64 calls;
	u64 seen;
	u64 purged;
};

/** nna_shrinker_init() - Register the shrinker; unbind removes it. 0 or -ENOMEM. */
int nna_shrinker_init(struct nna_device *nna);

/** nna_shrinker_count() - Number of pages of the objects on the list; any context. */
unsigned long nna_shrinker_count(struct nna_device *nna);

/**
 * nna_shrinker_scan() - Purge objects; from reclaim.
 * @nna: the device.
 * @pages: number of pages to free; the last object may exceed it.
 *
 * Return: number of pages freed, or SHRINK_STOP if there are none.
 */
unsigned long nna_shrinker_scan(struct nna_device *nna, unsigned long pages);

/** nna_shrinker_read() - Read what the shrinker has done since the driver was bound; may sleep. */
void nna_shrinker_read(struct nna_device *nna, struct nna_shrinker_counts *counts);

#endif
