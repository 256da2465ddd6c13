/* SPDX-License-Identifier: MIT */
/*
 * The device, inside: what its parts share.
 *
 * Threads
 *
 *   transport          registers and DMA mappings, by the functions of nnadev.h
 *   command processor  everything else (cp.c)
 *   workers            tiles only (host/workers.h); the command processor runs tiles, too
 *
 * Locks
 *
 *   lock  registers; held for moments, and never while a callback runs
 *   gate  the rest of the mutable state: memory, MMU, jobs. The command processor owns it whenever
 *         it is awake, and lets those who change DMA mappings pass between tiles.
 *
 * The lock may be taken inside the gate, not the reverse.
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
#define NNADEV_DEV_AGE_NS 100000000u /* after such a wait a ring gets a slice */
#define NNADEV_DEV_SLICE_NS 25000000u

/* What the registers COUNT_* show. */
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

/* Scratch memory of a thread; the command processor makes it larger between rounds. */
struct nnadev_scratch {
	void *data;
	uint32_t size;
};

/* The type of nnadev_engine_prepare(). */
typedef uint32_t (*nnadev_dev_prepare_fn)(enum nnadev_engine_isa isa, uint32_t threads,
					  const struct nnadev_engine_command *cmd,
					  struct nnadev_engine_plan *plan);

/**
 * struct nnadev - the device
 * @params: as given, with the number of threads filled in
 * @isa: kernels in use
 * @prepare: nnadev_engine_prepare(); tests put an engine there whose tiles they control
 * @age_ns: NNADEV_DEV_AGE_NS; tests lower it
 * @slice_ns: NNADEV_DEV_SLICE_NS; tests lower it
 * @job_limit: ticks; NNAHW_JOB_LIMIT_NS or what the parameters say
 * @event: raised when the command processor may have something to do
 * @seen: @event as the command processor read it before it looked
 * @lock: see above
 * @gate: see above
 * @quit: the command processor is to end
 * @enabled: register CONTROL.ENABLE
 * @reset: a reset is to be done; set under @lock, cleared by the command processor
 * @status: register STATUS
 * @latch: high half of TIMESTAMP, for readers of 32 bits
 * @inject: pending injections, by enum nnadev_inject
 * @reset_done: raised after a reset
 * @counters: registers COUNT_*
 * @processor: the command processor's thread
 * @workers: the pool
 * @scratch: of each thread of the pool
 * @memory: DMA mappings
 * @mmu: cached translations
 * @rings: job rings, then the control ring
 * @jobs: one per job ring
 * @last: the job that ran last, or NULL
 * @slice: the ring that has a slice
 * @slice_end: tick at which the slice ends
 * @bus_error: a file became shorter under a thread of the model (nnadev_sigbus())
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
	_Atomic bool bus_error;
};

/* The command processor's thread; @arg is the device. */
void *nnadev_cp_main(void *arg);

/* Use up one of the pending injections. Return: whether there was one. */
bool nnadev_dev_injected(struct nnadev *dev, enum nnadev_inject what);

/* Raise an interrupt. */
void nnadev_dev_interrupt(struct nnadev *dev, uint32_t vector);

/* Say something to the log that the parameters name, if they do. */
void nnadev_dev_log(struct nnadev *dev, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Says for which device the calling thread works; nnadev_sigbus() asks. */
void nnadev_dev_enter_thread(struct nnadev *dev);

static inline void nnadev_count(_Atomic uint64_t *counter, uint64_t n)
{
	atomic_fetch_add_explicit(counter, n, memory_order_relaxed);
}

#endif
