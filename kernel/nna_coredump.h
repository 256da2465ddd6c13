/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Core dumps: what the device was doing when a job got its context banned, or when the device was
 * reset. The layout is struct drm_nna_coredump's; nnactl dump --coredump prints it.
 *
 * A device has memory for one dump, allocated at probe. While a dump exists no other is made, so
 * that faults in a loop cost nothing; it ends when user space or a timeout of devcoredump removes
 * it.
 *
 * A dump is made in steps, in different contexts:
 *
 *  nna_coredump_begin()	takes the dump, or says that there is one
 *  nna_coredump_job()		copies the job's ring entry and status, in the interrupt
 *  nna_coredump_rings()	reads registers and rings, before a reset, without allocating
 *  nna_coredump_end()		queues work: reads the client's memory, and publishes the dump
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
 * struct nna_coredump - The dump of a device.
 * @busy: a dump is being made or exists; who has set it owns the other fields.
 * @data: the dump's memory, allocated at probe.
 * @rings: nna_coredump_rings() has been called for this dump.
 * @vm: address space of the job; a reference. NULL without a job.
 * @work: completes the dump and publishes it.
 */
struct nna_coredump {
	atomic_t busy;
	struct nna_coredump_data *data;
	bool rings;
	struct nna_vm *vm;
	struct work_struct work;
};

/** nna_coredump_init() - Allocate the dump's memory, freed with the DRM device; 0 or -ENOMEM. */
int nna_coredump_init(struct nna_device *nna);

/** nna_coredump_drop() - Remove the dump, at unbind; no other may begin any more. May sleep. */
void nna_coredump_drop(struct nna_device *nna);

/**
 * nna_coredump_begin() - Begin a dump; any context.
 * @nna: the device.
 * @reason: why.
 *
 * Return: whether it has begun, so that nna_coredump_end() must follow; false if a dump exists.
 */
bool nna_coredump_begin(struct nna_device *nna, enum drm_nna_coredump_reason reason);

/**
 * nna_coredump_job() - Record the job that the dump is about; any context.
 * @ctx: its context.
 * @entry: its ring entry.
 * @status: status of its completion, an &enum nna_status; 0 if it has not ended.
 * @detail: detail of its completion.
 */
void nna_coredump_job(struct nna_ctx *ctx, const struct nna_ring_entry *entry, u32 status,
		      u64 detail);

/** nna_coredump_rings() - Record registers and rings of a resumed device; not in interrupts. */
void nna_coredump_rings(struct nna_device *nna);

/** nna_coredump_end() - Queue the work that completes and publishes the dump; any context. */
void nna_coredump_end(struct nna_device *nna);

#endif
