/* SPDX-License-Identifier: MIT */
/*
 * The resources that jobs run with: the MMU, the engine, the threads. All jobs of a device share
 * them. The command processor runs one job at a time, which uses them meanwhile.
 */
#ifndef NNADEV_EXEC_H
#define NNADEV_EXEC_H

#include "device/nna/core/base.h"
#include "device/nna/core/mmu.h"
#include "device/nna/core/progress.h"
#include "device/nna/engine/engine.h"
#include "device/host/sync.h"
#include "device/host/workers.h"

#define NNADEV_EXEC_THREADS NNADEV_WORKERS_MAX

struct nnadev_known;

/* Scratch memory of a thread. The command processor enlarges it between rounds. */
struct nnadev_scratch {
	void *data;
	uint32_t size;
};

/* The type of nnadev_engine_prepare(). */
typedef uint32_t (*nnadev_exec_prepare_fn)(enum nnadev_engine_isa isa, uint32_t threads,
					   const struct nnadev_engine_command *cmd,
					   struct nnadev_engine_plan *plan);

/* The type of nnadev_workers_cpu_since(). */
typedef uint64_t (*nnadev_exec_cpu_since_fn)(const struct nnadev_workers *pool,
					     struct nnadev_cpu_times *times);

/**
 * struct nnadev_exec - the resources that jobs run with
 * @base: state that all parts share
 * @bus: equal to @base->bus
 * @isa: kernels in use
 * @threads: threads that run tiles
 * @prepare: nnadev_engine_prepare(); tests replace it to control the tiles
 * @cpu_since: nnadev_workers_cpu_since(); tests replace it to control the time
 * @job_limit: ns; NNAHW_JOB_LIMIT_NS, or less by the parameters
 * @operand_bytes: bytes of a gathered operand that are copied in one step; NNADEV_OPERAND_BYTES,
 *	or less in tests
 * @event: raised when the command processor is to schedule again; the current job is left then
 * @seen: the value of @event that the command processor read before it scheduled
 * @enabled: register CONTROL.ENABLE; without it no command is started
 * @progress: how far the jobs have come
 * @workers: the pool
 * @scratch: of each thread of the pool
 * @mmu: cached translations
 * @known: NNADEV_JOB_KNOWN commands that are kept from job to job; NULL if there is no memory. It
 *	is allocated at creation: its page faults would take longer than a small network.
 */
struct nnadev_exec {
	struct nnadev_base *base;
	struct nnadev_bus *bus;
	enum nnadev_engine_isa isa;
	uint32_t threads;
	nnadev_exec_prepare_fn prepare;
	nnadev_exec_cpu_since_fn cpu_since;
	uint64_t job_limit;
	uint64_t operand_bytes;
	struct nnadev_event event;
	uint32_t seen;
	_Atomic bool enabled;
	struct nnadev_progress progress;
	struct nnadev_workers *workers;
	struct nnadev_scratch scratch[NNADEV_EXEC_THREADS];
	struct nnadev_mmu mmu;
	struct nnadev_known *known;
};

#endif
