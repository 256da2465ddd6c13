/* SPDX-License-Identifier: MIT */
/*
 * What jobs are run with: the MMU, the engine, the threads. All jobs of a device share it, one at a
 * time; the command processor lends it to the job that it runs.
 */
#ifndef NNADEV_EXEC_H
#define NNADEV_EXEC_H

#include "device/nna/core/base.h"
#include "device/nna/core/mmu.h"
#include "device/nna/engine/engine.h"
#include "device/host/sync.h"
#include "device/host/workers.h"

#define NNADEV_EXEC_THREADS NNADEV_WORKERS_MAX

struct nnadev_known;

/* Scratch memory of a thread; the command processor makes it larger between rounds. */
struct nnadev_scratch {
	void *data;
	uint32_t size;
};

/* The type of nnadev_engine_prepare(). */
typedef uint32_t (*nnadev_exec_prepare_fn)(enum nnadev_engine_isa isa, uint32_t threads,
					   const struct nnadev_engine_command *cmd,
					   struct nnadev_engine_plan *plan);

/**
 * struct nnadev_exec - what jobs are run with
 * @base: the device's
 * @bus: of @base
 * @isa: kernels in use
 * @threads: threads that run tiles
 * @prepare: nnadev_engine_prepare(); tests put an engine there whose tiles they control
 * @job_limit: ns; NNAHW_JOB_LIMIT_NS or what the parameters say
 * @operand_bytes: of a gathered operand that are copied at a time; NNADEV_OPERAND_BYTES or, in
 *	tests, less
 * @event: raised when the command processor may have something to do: the job is to make way
 * @seen: @event as the command processor read it before it looked
 * @enabled: register CONTROL.ENABLE; without it no command is begun
 * @workers: the pool
 * @scratch: of each thread of the pool
 * @mmu: cached translations
 * @known: NNADEV_JOB_KNOWN commands that are kept from job to job; NULL without memory. It is there
 *	from the start: in a first job its pages would take longer than many a network.
 */
struct nnadev_exec {
	struct nnadev_base *base;
	struct nnadev_bus *bus;
	enum nnadev_engine_isa isa;
	uint32_t threads;
	nnadev_exec_prepare_fn prepare;
	uint64_t job_limit;
	uint64_t operand_bytes;
	struct nnadev_event event;
	uint32_t seen;
	_Atomic bool enabled;
	struct nnadev_workers *workers;
	struct nnadev_scratch scratch[NNADEV_EXEC_THREADS];
	struct nnadev_mmu mmu;
	struct nnadev_known *known;
};

#endif
