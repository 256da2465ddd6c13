/* SPDX-License-Identifier: MIT */
/*
 * The device as its command processor sees it.
 *
 * Threads
 *
 *   transport          registers and DMA mappings, by the functions of nnadev.h (dev.c)
 *   command processor  everything else (cp.c): a thread of the model, or of a lent device the one
 *                      that is in nnadev_run()
 *   workers            tiles only (host/workers.h); the command processor runs tiles, too
 *
 * Locks
 *
 *   bus.lock  registers; held for moments, and never while a callback runs
 *   gate      the rest of the mutable state: memory, MMU, jobs. The command processor owns it
 *             whenever it is awake, and lets those who change DMA mappings pass between tiles.
 *
 * The lock may be taken inside the gate, not the reverse.
 *
 * Who calls whom in core: dev -> cp -> job -> ring, stream, exec; stream -> operand -> mmu; ring,
 * exec -> bus; exec, bus -> memory. Nothing calls back.
 */
#ifndef NNADEV_CP_H
#define NNADEV_CP_H

#include "device/nna/core/job.h"

#define NNADEV_CP_AGE_NS 100000000u /* after such a wait a ring gets a slice */
#define NNADEV_CP_SLICE_NS 25000000u
#define NNADEV_CP_NO_SLICE UINT32_MAX

/**
 * struct nnadev - the device
 * @bus: the outside
 * @exec: what jobs are run with
 * @age_ns: NNADEV_CP_AGE_NS; tests lower it
 * @slice_ns: NNADEV_CP_SLICE_NS; tests lower it
 * @gate: see above
 * @quit: the command processor is to end
 * @reset: a reset is to be done; set under @bus.lock, cleared by the command processor
 * @status: register STATUS
 * @latch: high half of TIMESTAMP, for readers of 32 bits
 * @reset_done: raised after a reset
 * @processor: the command processor's thread; of a lent device there is none
 * @rings: job rings, then the control ring
 * @jobs: one per job ring
 * @last: the job that ran last, or NULL
 * @slice: the ring that has a slice, or NNADEV_CP_NO_SLICE
 * @slice_end: tick at which the slice ends
 */
struct nnadev {
	struct nnadev_bus bus;
	struct nnadev_exec exec;
	uint64_t age_ns;
	uint64_t slice_ns;

	struct nnadev_gate gate;
	_Atomic bool quit;
	_Atomic bool reset;
	_Atomic uint32_t status;
	_Atomic uint32_t latch;
	struct nnadev_event reset_done;

	pthread_t processor;
	struct nnadev_ring rings[NNAHW_RINGS];
	struct nnadev_job jobs[NNAHW_JOB_RINGS];
	struct nnadev_job *last;
	uint32_t slice;
	uint64_t slice_end;
};

/* The command processor's thread; @arg is the device. */
void *nnadev_cp_main(void *arg);

/* Ends all jobs without a word to anybody, when no thread runs the command processor any more. */
void nnadev_cp_fini(struct nnadev *dev);

#endif
