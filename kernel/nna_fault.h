/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The record of a fault: what whoever finds one writes down for the core dump, without allocating.
 *
 * A device has one record. While it is in use, until user space or a timeout has removed the core
 * dump, no other fault is recorded, so that faults in a loop cost nothing.
 *
 *  nna_fault_begin()	takes the record, or says that it is in use
 *  nna_fault_end()	queues the work that makes a core dump of it (nna_coredump.h)
 *
 * Between the two its owner fills in what it knows, in any context: nna_job_record() the job,
 * nna_coredump_begin() registers and rings.
 */
#ifndef NNA_FAULT_H
#define NNA_FAULT_H

#include <linux/atomic.h>
#include <linux/types.h>
#include <linux/workqueue.h>
#include <drm/nna_accel.h>

struct nna_device;
struct nna_vm;

/**
 * struct nna_fault - The record.
 * @busy: it is in use; who has set it owns the other fields.
 * @head: beginning of the core dump. Its sizes and offsets, and what is read from the client's
 *	memory, are filled in by @work.
 * @rings: registers and rings have been recorded.
 * @vm: address space of the job; a reference. NULL without a job.
 * @work: makes the core dump; on nna_device.cleanup_wq.
 */
struct nna_fault {
	atomic_t busy;
	struct drm_nna_coredump head;
	bool rings;
	struct nna_vm *vm;
	struct work_struct work;
};

/**
 * nna_fault_begin() - Begin a record; any context.
 * @nna: the device.
 * @reason: why.
 *
 * Return: whether it has begun, so that nna_fault_end() must follow; false if there is one.
 */
bool nna_fault_begin(struct nna_device *nna, enum drm_nna_coredump_reason reason);

/** nna_fault_end() - Have a core dump made of the record; any context. */
void nna_fault_end(struct nna_device *nna);

#endif
