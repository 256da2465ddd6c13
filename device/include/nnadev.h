/* SPDX-License-Identifier: MIT */
/*
 * libnnadev: the functional model of the NNA in the calling process. nna-device serves the same
 * model to a guest, as one of several, through device/model.h.
 *
 * Data and ownership
 *
 * A struct nnadev is one accelerator: its registers, rings, MMU, command processor and engine. One
 * that nnadev_create() makes has a bus and a pool of threads of its own. Its user plays the host:
 * it reads and writes registers, says which bus addresses reach memory (DMA mappings, each a range
 * of a file), and takes interrupts.
 *
 * Threads
 *
 * The model starts one command processor thread and threads - 1 workers. Registers never compute: a
 * write to a doorbell wakes the command processor and returns. Or the user's threads take turns at
 * being the command processor (@lent of the parameters, nnadev_run()).
 *
 * Hostile input
 *
 * Everything that a guest can write (ring entries, page tables, streams, data) is hostile. The
 * model answers with a status. It never crashes, stalls, or reaches memory that is not mapped.
 *
 * Thread-safety: all functions may be called from any thread, except that nnadev_destroy() must be
 * last.
 */
#ifndef NNADEV_H
#define NNADEV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "device/host/memory.h"

struct nnadev;

/**
 * enum nnadev_isa - kernels that can be asked for
 * @NNADEV_ISA_AUTO: the fastest that the machine has
 * @NNADEV_ISA_SCALAR: only those that define the commands
 * @NNADEV_ISA_AVX2: also those with AVX2, FMA and F16C
 * @NNADEV_ISA_AVX512: also those with AVX-512 F, BW, DQ, VL and VNNI
 * @NNADEV_ISA_NEON: also those with NEON, on 64-bit Arm
 * @NNADEV_ISA_DOTPROD: also those with the dot products of Armv8.2
 * @NNADEV_ISA_AVXVNNI: those with AVX2, and those with AVX-VNNI
 * @NNADEV_ISA_I8MM: also those with the products of 8-bit matrices of Armv8.6
 * @NNADEV_ISA_VECTOR: also the vector kernels in plain C, for tests on any CPU
 */
enum nnadev_isa {
	NNADEV_ISA_AUTO = 0,
	NNADEV_ISA_SCALAR = 1,
	NNADEV_ISA_AVX2 = 2,
	NNADEV_ISA_AVX512 = 3,
	NNADEV_ISA_NEON = 4,
	NNADEV_ISA_DOTPROD = 5,
	NNADEV_ISA_AVXVNNI = 6,
	NNADEV_ISA_I8MM = 7,
	NNADEV_ISA_VECTOR = 8,
};

/* With a lower frequency a unit of RUN_TIME would be longer than the job limit. */
#define NNADEV_TICK_HZ_MIN 1000000u
#define NNADEV_TICK_HZ_MAX 4000000000u

/**
 * struct nnadev_params - parameters of a device
 * @threads: threads that run tiles, the command processor among them; 0 is one per online CPU, at
 *	most 64
 * @isa: kernels to use
 * @job_limit_ns: run time after which any job ends, at most NNAHW_JOB_LIMIT_NS; 0 is that limit
 * @spin_ns: how long threads that run tiles spin before they sleep. Between two commands of a job
 *	that is shorter than a wake-up. 0 if others need the CPUs, such as a guest.
 * @tick_hz: frequency of the clock that the device shows, NNADEV_TICK_HZ_MIN to
 *	NNADEV_TICK_HZ_MAX; 0 is NNAHW_TICK_HZ
 * @lent: the model has no thread for its command processor, which runs in nnadev_run()
 * @raise_irq: MSI-X vector @vector is raised. Called from any thread of the model, without locks
 *	held. Must not block. Of the model it may call nnadev_reg_read() only.
 * @log: takes a line about a fault or a bad set-up, without a newline; may be NULL. It is not
 *	rate-limited.
 * @user: handed to the callbacks
 */
struct nnadev_params {
	uint32_t threads;
	enum nnadev_isa isa;
	uint64_t job_limit_ns;
	uint64_t spin_ns;
	uint64_t tick_hz;
	bool lent;
	void (*raise_irq)(void *user, uint32_t vector);
	void (*log)(void *user, const char *line);
	void *user;
};

/**
 * nnadev_create() - create a device, out of reset, without DMA mappings
 * @params: copied
 * @out: the device, to be given to nnadev_destroy()
 *
 * Return: 0, or a negative errno (-EINVAL, -ENOMEM, -ENOTSUP for an ISA that the machine lacks).
 */
int nnadev_create(const struct nnadev_params *params, struct nnadev **out);

/* Ends all jobs, stops all threads, drops all mappings. NULL is fine. */
void nnadev_destroy(struct nnadev *dev);

/**
 * nnadev_reg_read() - read a register of BAR 0
 * @offset: bytes, naturally aligned
 * @size: 4 or 8
 *
 * Return: the value; offsets without a register read as 0.
 */
uint64_t nnadev_reg_read(struct nnadev *dev, uint64_t offset, uint32_t size);

/*
 * Write a register of BAR 0; offsets without a register and read-only ones are ignored. Never
 * blocks on a job.
 */
void nnadev_reg_write(struct nnadev *dev, uint64_t offset, uint32_t size, uint64_t value);

/*
 * Full reset, as by writing RESET but returning only when done. DMA mappings stay. Of a lent
 * device, some thread has to be in nnadev_run(), or come there.
 */
void nnadev_reset(struct nnadev *dev);

/**
 * nnadev_run() - run the command processor of a lent device in this thread
 * @stop: asked before each job, and after nnadev_knock(): whether to return
 * @context: handed to it
 * @until: CLOCK_MONOTONIC time in ns at which to return; UINT64_MAX is never
 *
 * Runs what is in the rings, of all clients, and calls @raise_irq in this thread. One thread at a
 * time. The work of a doorbell that is rung while a thread is about to return may be left: who
 * rings it sees to it that somebody comes here. Floating point is in its default mode meanwhile,
 * and the thread is not cancelled.
 *
 * Return: whether there is work left; false: until a doorbell is rung there is nothing to do.
 */
bool nnadev_run(struct nnadev *dev, bool (*stop)(const void *context), const void *context,
		uint64_t until);

/* Has the thread in nnadev_run(), if there is one, ask again, at the latest behind its tile. */
void nnadev_knock(struct nnadev *dev);

/**
 * nnadev_dma_map() - let a range of bus addresses reach a range of a file
 * @iova: first bus address, page aligned
 * @size: bytes, page aligned, not 0; must not overlap a mapping
 * @fd: the file (memfd or similar); duplicated. Mappings of one file (by device and inode) share
 *	one mmap
 * @offset: bytes into the file, page aligned
 * @prot: NNADEV_PROT_*
 *
 * The file may be shorter than it claims: accesses beyond its end end the job with FAULT_BUS. One
 * that is made shorter later, while it is mapped, raises SIGBUS: seal it (F_SEAL_SHRINK) or see
 * nnadev_sigbus().
 *
 * Return: 0, -EINVAL, -EEXIST (overlap), -ENOSPC (65,536 mappings exist), or an errno of mmap.
 */
int nnadev_dma_map(struct nnadev *dev, uint64_t iova, uint64_t size, int fd, uint64_t offset,
		   uint32_t prot);

/**
 * nnadev_dma_map_memory() - let a range of bus addresses reach memory of this process
 * @iova: as above
 * @size: as above
 * @data: page aligned and writable, and so until it is unmapped here
 *
 * The model then has no mapping of its own, which would bring page faults of its own.
 *
 * Return: as above.
 */
int nnadev_dma_map_memory(struct nnadev *dev, uint64_t iova, uint64_t size, void *data);

/**
 * nnadev_dma_unmap() - take a range away
 * @iova: first bus address
 * @size: bytes; every mapping that lies wholly inside goes
 *
 * Blocks until no tile uses the range; jobs that touch it afterwards end with FAULT_BUS.
 *
 * Return: 0; -ENOENT when a mapping is only partly covered (nothing changes) or none is.
 */
int nnadev_dma_unmap(struct nnadev *dev, uint64_t iova, uint64_t size);

/**
 * nnadev_bus_master() - enable or disable bus mastering
 * @on: whether the device may reach memory, which a new one may
 *
 * While it is disabled the device reads and writes no memory and raises no interrupt; DMA mappings
 * stay. Blocks until no tile uses memory.
 */
void nnadev_bus_master(struct nnadev *dev, bool on);

/**
 * nnadev_sigbus() - take a SIGBUS of the model's threads
 * @address: si_addr
 *
 * A library takes no signals of its process, so this is for the process's own handler, installed
 * with SA_SIGINFO by those who map files that others may truncate: return from the handler when
 * this returns true, else do what there is to do about other errors. The lost page reads as zeros
 * in this process, the job ends with FAULT_BUS, and so do all that touch the file afterwards, until
 * it is unmapped and mapped again. Async-signal-safe.
 *
 * Return: whether the calling thread is the model's and the address lies in a mapped file.
 */
bool nnadev_sigbus(void *address);

/* Name of the kernels in use, e.g. "avx2"; lives as long as the device. */
const char *nnadev_isa_name(const struct nnadev *dev);

/**
 * enum nnadev_inject - faults to inject, so that drivers can be tested without hooks in them
 * @NNADEV_INJECT_HANG: the next @value jobs run until they are aborted, reset or out of budget
 * @NNADEV_INJECT_STUCK: the next @value jobs do not even react to budget and ABORT; RESET helps
 * @NNADEV_INJECT_DROP_IRQ: the next @value interrupts are not raised
 * @NNADEV_INJECT_SPURIOUS_IRQ: raise @value interrupts on every vector, now
 * @NNADEV_INJECT_CORRUPT: the next @value completions carry a seqno that was never submitted
 * @NNADEV_INJECT_REFUSE_RESET: the next @value resets do not become READY
 * @NNADEV_INJECT_SLOW_NS: every job takes @value ns longer; 0 ends it
 * @NNADEV_INJECT_DEAD: registers read as all ones and writes are lost while @value is not 0
 *
 * nna-device's control socket arms them.
 */
enum nnadev_inject {
	NNADEV_INJECT_HANG = 1,
	NNADEV_INJECT_STUCK = 2,
	NNADEV_INJECT_DROP_IRQ = 3,
	NNADEV_INJECT_SPURIOUS_IRQ = 4,
	NNADEV_INJECT_CORRUPT = 5,
	NNADEV_INJECT_REFUSE_RESET = 6,
	NNADEV_INJECT_SLOW_NS = 7,
	NNADEV_INJECT_DEAD = 8,
};

/* Arm a fault, or with 0 disarm it. Return: 0 or -EINVAL. */
int nnadev_inject(struct nnadev *dev, enum nnadev_inject what, uint64_t value);

#endif
