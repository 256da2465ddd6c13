/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Core dumps: what the device was doing when a job was found guilty or the device was reset, for
 * nnactl dump --coredump. The layout is struct drm_nna_coredump's. There is one at a time; while it
 * has not been read or dropped, nothing else is recorded, so that faults in a loop cost nothing.
 *
 * Recording is in steps, as none of them can do what the others do: the job in an interrupt, the
 * rings before a reset and without allocating, the client's memory in a worker.
 */
#ifndef NNA_COREDUMP_H
#define NNA_COREDUMP_H

#include <linux/atomic.h>
#include <linux/types.h>
#include <linux/workqueue.h>
#include <drm/nna_accel.h>

struct nna_ctx;
struct nna_device;
struct nna_ring_entry;
struct nna_vm;

/**
 * struct nna_coredump - The one dump of a device.
 * @busy: it is being made, or waits to be read.
 * @data: the dump itself.
 * @rings: the state of the rings is in it.
 * @vm: address space of the job; a user. NULL without a job.
 * @work: completes it and hands it over.
 */
struct nna_coredump {
	atomic_t busy;
	struct nna_coredump_data *data;
	bool rings;
	struct nna_vm *vm;
	struct work_struct work;
};

/** nna_coredump_init() - Allocate what a dump needs; 0 or a negative errno. */
int nna_coredump_init(struct nna_device *nna);

/** nna_coredump_drop() - Take back what waits to be read; nothing must be recorded any more. */
void nna_coredump_drop(struct nna_device *nna);

/** nna_coredump_begin() - Begin a dump; any context. Return: false when there is one already. */
bool nna_coredump_begin(struct nna_device *nna, enum drm_nna_coredump_reason reason);

/** nna_coredump_job() - Record the job in question; any context, after nna_coredump_begin(). */
void nna_coredump_job(struct nna_ctx *ctx, const struct nna_ring_entry *entry, u32 status,
		      u64 detail);

/** nna_coredump_rings() - Record registers and rings; the device is awake. Not in interrupts. */
void nna_coredump_rings(struct nna_device *nna);

/** nna_coredump_end() - Have the dump completed and published; any context. */
void nna_coredump_end(struct nna_device *nna);

#endif
