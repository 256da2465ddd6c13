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
 * An object is purged as a whole, and for good: see struct drm_nna_bo_madvise.
 */
#ifndef NNA_SHRINKER_H
#define NNA_SHRINKER_H

struct nna_device;

/** nna_shrinker_init() - Register the shrinker; unbind removes it. 0 or -ENOMEM. */
int nna_shrinker_init(struct nna_device *nna);

/** nna_shrinker_count() - Pages of objects that are not needed; 0 while the list is locked. */
unsigned long nna_shrinker_count(struct nna_device *nna);

/**
 * nna_shrinker_scan() - Purge objects; from reclaim.
 * @nna: the device.
 * @pages: number of pages to free; the last object may exceed it.
 *
 * Return: number of pages freed, or SHRINK_STOP if the list is locked.
 */
unsigned long nna_shrinker_scan(struct nna_device *nna, unsigned long pages);

#endif
