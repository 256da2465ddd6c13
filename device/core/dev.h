/* SPDX-License-Identifier: MIT */
/*
 * The device, inside: what its parts share.
 *
 * Threads: the transport's (registers, DMA mappings), one command processor, the pool's workers
 * (tiles only). Locks: @lock guards registers, is held for moments, never while anything is called
 * out. @gate guards the rest of the mutable state (memory, MMU, jobs): the command processor is
 * inside whenever it is awake, and lets those in who change DMA mappings, between tiles. @lock may
 * be taken inside the gate.
 */
#ifndef NNADEV_DEV_H
#define NNADEV_DEV_H

#include <pthread.h>

#include "device/host/workers.h"
#include "device/host/sync.h"
#include "device/core/ring.h"
#include "device/include/nnadev.h"

#define NNADEV_DEV_VECTORS NNAHW_RINGS /* MSI-X vectors */
#define NNADEV_DEV_THREADS NNADEV_WORKERS_MAX
#define NNADEV_DEV_AGE_NS 100000000u /* a ring that waits for longer gets a slice */
#define NNADEV_DEV_SLICE_NS 25000000u

struct nnadev_dev_counters {
	_Atomic uint64_t jobs;
	_Atomic uint64_t commands;
	_Atomic uint64_t irqs;
	_Atomic uint64_t mmio_reads;
	_Atomic uint64_t mmio_writes;
	_Atomic uint64_t preemptions;
	_Atomic uint64_t faults;
	_Atomic uint64_t busy;
};

/* Scratch memory of a thread; grown by the command processor between rounds. */
struct nnadev_scratch {
	void *data;
	uint32_t size;
};

typedef uint32_t (*nnadev_dev_prepare_fn)(enum nnadev_engine_isa isa, uint32_t threads,
					  const struct nnadev_engine_command *cmd,
					  struct nnadev_engine_plan *plan);

/**
 * struct nnadev - the device
 * @params: as given, threads resolved
 * @prepare: nnadev_engine_prepare(); tests put an engine there whose tiles they control
 * @age_ns: NNADEV_DEV_AGE_NS, for tests to lower
 * @slice_ns: NNADEV_DEV_SLICE_NS, likewise
 * @job_limit: NNAHW_JOB_LIMIT_NS, likewise
 * @event: raised when there may be something to do
 * @seen: @event as the command processor read it before it looked
 * @lock: see above
 * @gate: see above
 * @quit: the command processor is to end
 * @enabled: CONTROL.ENABLE
 * @reset: a reset is to be done; the command processor clears it
 * @status: STATUS
 * @latch: high half of TIMESTAMP, for its 32-bit readers
 * @inject: pending injections, by enum nnadev_inject
 * @reset_done: raised after a reset
 * @last: job that ran last
 * @slice: ring that has a slice, and until when
 */
struct nnadev {
	struct nnadev_params params;
	enum nnadev_engine_isa isa;
	nnadev_dev_prepare_fn prepare;
	uint64_t age_ns;
	uint64_t slice_ns;
	uint64_t job_limit;

	struct nnadev_event event;
	uint32_t seen;
	pthread_mutex_t lock;
	struct nnadev_gate gate;
	_Atomic bool quit;
	_Atomic bool enabled;
	_Atomic bool reset;
	_Atomic uint32_t status;
	_Atomic uint32_t latch;
	_Atomic uint64_t inject[NNADEV_INJECT_DEAD + 1];
	struct nnadev_event reset_done;
	struct nnadev_dev_counters counters;

	pthread_t processor;
	struct nnadev_workers *workers;
	struct nnadev_scratch scratch[NNADEV_DEV_THREADS];
	struct nnadev_memory memory;
	struct nnadev_mmu mmu;
	struct nnadev_ring rings[NNAHW_RINGS];
	struct nnadev_job jobs[NNAHW_JOB_RINGS];
	struct nnadev_job *last;
	uint32_t slice;
	uint64_t slice_end;
	_Atomic bool bus_error; /* a page of a file was lost (nnadev_sigbus()) */
};

/* The command processor's thread; @arg is the device. */
void *nnadev_cp_main(void *arg);

/* Take one of the pending injections. */
bool nnadev_dev_injected(struct nnadev *dev, enum nnadev_inject what);

/* Raise an interrupt. */
void nnadev_dev_interrupt(struct nnadev *dev, uint32_t vector);

/* A line for people. */
void nnadev_dev_log(struct nnadev *dev, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* The device that the calling thread works for, set by its threads. */
void nnadev_dev_enter_thread(struct nnadev *dev);

static inline void nnadev_count(_Atomic uint64_t *counter, uint64_t n)
{
	atomic_fetch_add_explicit(counter, n, memory_order_relaxed);
}

#endif
