/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Core dumps: the state of the device when a job's context was banned or the device was reset. The
 * layout is that of struct drm_nna_coredump; nnactl dump --coredump prints it.
 *
 * The work of the fault record (nna_fault.h) makes the dump: it reads the client's memory and hands
 * the dump to devcoredump. The memory of the dump is allocated at probe, since a reset must not
 * wait for an allocation.
 */
#ifndef NNA_COREDUMP_H
#define NNA_COREDUMP_H

#include <linux/types.h>
#include <drm/nna_accel.h>

struct nna_device;

/** nna_coredump_init() - Allocate the dump's memory, freed with the DRM device; 0 or -ENOMEM. */
int nna_coredump_init(struct nna_device *nna);

/** nna_coredump_drop() - Remove the dump at unbind, when no new record can begin. May sleep. */
void nna_coredump_drop(struct nna_device *nna);

/**
 * nna_coredump_begin() - Begin a fault record, and record registers and rings.
 * @nna: the device, not suspended.
 * @reason: why the record is made.
 *
 * Must not be called in interrupts. It allocates nothing, so a reset may call it.
 *
 * Return: as nna_fault_begin().
 */
bool nna_coredump_begin(struct nna_device *nna, enum drm_nna_coredump_reason reason);

#endif
