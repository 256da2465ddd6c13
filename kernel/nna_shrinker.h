/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The shrinker: takes memory of buffer objects away that user space does not need.
 *
 * Reclaim calls it from within any allocation, so with any lock of the driver held and in the midst
 * of a fence's signalling. It therefore only tries locks, allocates nothing, and neither waits for
 * the device nor resets it. What it cannot have at once it leaves alone: an object whose pages the
 * CPU maps or another device may use, or one mapped in an address space that is being changed or
 * has jobs. Such an address space cannot use old translations either, so that no invalidation is
 * needed now: see nna_vm_unmap_idle().
 *
 * An object is taken as a whole, and for good: see struct drm_nna_bo_madvise.
 */
#ifndef NNA_SHRINKER_H
#define NNA_SHRINKER_H

struct nna_device;

/** nna_shrinker_init() - Register the shrinker until the driver is unbound; 0 or -ENOMEM. */
int nna_shrinker_init(struct nna_device *nna);

/** nna_shrinker_count() - Pages of objects that are not needed; 0 while others change the list. */
unsigned long nna_shrinker_count(struct nna_device *nna);

/**
 * nna_shrinker_scan() - Purge objects; from reclaim.
 * @nna: the device.
 * @pages: how many pages are asked for; the last object may bring more.
 *
 * Return: pages that have been freed, or SHRINK_STOP if others change the list.
 */
unsigned long nna_shrinker_scan(struct nna_device *nna, unsigned long pages);

#endif
