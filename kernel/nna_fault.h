/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The fault record: facts about a fault that go into the core dump. It is filled in without
 * allocating, in any context.
 *
 * A device has one record. It is in use until user space or a timeout removes the core dump; until
 * then no other fault is recorded, so repeated faults cost nothing.
 *
 *  nna_fault_begin()	takes the record, or fails if it is in use
 *  nna_fault_end()	queues the work that makes the core dump (nna_coredump.h)
 *
 * Between the two its owner fills it in: nna_job_record() records the job, nna_coredump_begin()
 * registers and rings.
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
 * struct nna_fault - The fault record.
 * @busy: it is in use; the caller that has set this owns the other fields.
 * @head: header of the core dump. @work fills in its sizes and offsets and the parts that it reads
 *	from the client's memory.
 * @rings: registers and rings have been recorded.
 * @vm: address space of the job; a reference. NULL if the fault is about no job.
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
 * nna_fault_begin() - Take the fault record; any context.
 * @nna: the device.
 * @reason: why the record is made.
 *
 * Return: true if the record was free: nna_fault_end() must follow. Else false.
 */
bool nna_fault_begin(struct nna_device *nna, enum drm_nna_coredump_reason reason);

/** nna_fault_end() - Queue the work that makes the core dump; any context. */
void nna_fault_end(struct nna_device *nna);

#endif
