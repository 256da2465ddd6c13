/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Core dumps: what the device was doing when a job got its context banned, or when the device was
 * reset. The layout is struct drm_nna_coredump's; nnactl dump --coredump prints it.
 *
 * A dump is made of the device's record of a fault (nna_fault.h), by the record's work, which reads
 * the client's memory and gives the dump to devcoredump. Its memory is allocated at probe, since a
 * device that has failed is no place for allocations.
 */
#ifndef NNA_COREDUMP_H
#define NNA_COREDUMP_H

#include <linux/types.h>
#include <drm/nna_accel.h>

struct nna_device;

/** nna_coredump_init() - Allocate the dump's memory, freed with the DRM device; 0 or -ENOMEM. */
int nna_coredump_init(struct nna_device *nna);

/** nna_coredump_drop() - Remove the dump, at unbind; no other may begin any more. May sleep. */
void nna_coredump_drop(struct nna_device *nna);

/**
 * nna_coredump_begin() - Begin a record as nna_fault_begin() does, with registers and rings.
 * @nna: the device, resumed.
 * @reason: why.
 *
 * Not in interrupts; nothing is allocated, so it may be called before a reset.
 *
 * Return: as nna_fault_begin().
 */
bool nna_coredump_begin(struct nna_device *nna, enum drm_nna_coredump_reason reason);

#endif
