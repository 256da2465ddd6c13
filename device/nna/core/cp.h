/* SPDX-License-Identifier: MIT */
/*
 * The NNA as its command processor sees it.
 *
 * Threads
 *
 *   transport          registers and DMA mappings, by the functions of nnadev.h (dev.c)
 *   command processor  everything else (cp.c): a thread of the model or, for a lent device, the
 *                      thread that is in nnadev_run()
 *   workers            tiles only (host/workers.h); the command processor runs tiles, too
 *
 * Locks
 *
 *   base.lock  registers; held for moments, and never while a callback runs
 *   gate       the gate of the bus (host/bus.h): the rest of the mutable state, which is DMA
 *              mappings, MMU and jobs. The command processor is inside whenever it is awake, and
 *              lets those who change DMA mappings in between two tiles.
 *
 * The lock may be taken inside the gate, not the reverse.
 *
 * Who calls whom in core: dev -> cp -> job -> ring, stream; stream -> operand -> mmu; ring -> base
 * -> host/bus. Only the bus calls back, through its table of callbacks (dev.c).
 */
#ifndef NNADEV_CP_H
#define NNADEV_CP_H

#include "device/nna/core/job.h"

#define NNADEV_CP_AGE_NS 100000000u /* a ring that has waited this long gets a slice */
#define NNADEV_CP_SLICE_NS 25000000u
#define NNADEV_CP_NO_SLICE UINT32_MAX

/**
 * struct nnadev - the device
 * @base: state that all parts share
 * @exec: the resources that jobs run with
 * @age_ns: NNADEV_CP_AGE_NS; tests lower it
 * @slice_ns: NNADEV_CP_SLICE_NS; tests lower it
 * @work_rate: register WORK_RATE, measured at creation
 * @owner: the device owns its bus and its pool of threads (nnadev_create())
 * @quit: the command processor is to end
 * @reset: a reset is requested; set under @base.lock, cleared by the command processor
 * @status: register STATUS
 * @latch: high half of TIMESTAMP, for readers of 32 bits
 * @reset_done: raised after a reset
 * @processor: the command processor's thread; a lent device has none
 * @rings: job rings, then the control ring
 * @jobs: one per job ring
 * @last: the job that ran last, or NULL
 * @slice: the ring that has a slice, or NNADEV_CP_NO_SLICE
 * @slice_end: tick at which the slice ends
 */
struct nnadev {
	struct nnadev_base base;
	struct nnadev_exec exec;
	uint64_t age_ns;
	uint64_t slice_ns;
	uint64_t work_rate;
	bool owner;

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

/**
 * nnadev_dev_create() - create a device on a bus and a pool of threads that the caller owns
 * @bus: must outlive the device
 * @workers: likewise
 * @threads: of @workers
 * @params: @threads, @spin_ns and the callbacks are ignored
 * @out: to be given to nnadev_destroy()
 *
 * Return: as nnadev_create().
 */
int nnadev_dev_create(struct nnadev_bus *bus, struct nnadev_workers *workers, uint32_t threads,
		      const struct nnadev_params *params, struct nnadev **out);

/* The command processor's thread; @arg is the device. */
void *nnadev_cp_main(void *arg);

/* End all jobs without completions. No thread runs the command processor any more. */
void nnadev_cp_fini(struct nnadev *dev);

#endif
