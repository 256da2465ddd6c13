/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * DOC: Lifetimes and locks
 *
 * The device is what there is once per accelerator. It is allocated with the DRM device, and freed
 * when the last file, the last exported buffer and the last fence are gone; until then the module
 * stays as well. Registers, interrupts and ring memory go when the driver is unbound; from then on
 * the rings are not served.
 *
 * Locking, outer to inner:
 *
 *  1. drm_dev_enter() around what touches registers;
 *  2. nna_ctx.lock: arm and push of one context's jobs;
 *  3. nna_vm.lock: binds of one address space;
 *  4. nna_device.bos_lock;
 *  5. dma_resv, through one drm_exec loop or one object at a time;
 *  6. nna_ring.lock (interrupts off), nna_ctx.state_lock, fence locks: leaves.
 *
 * From drm_sched_job_arm() to the fence's signal nothing allocates: a job's fence exists before it
 * is armed. Reset, timeouts and device failures run on one ordered workqueue, so they never
 * overlap. They take no lock but nna_device.sched_lock and leaves.
 */
#ifndef NNA_DEVICE_H
#define NNA_DEVICE_H

#include <linux/atomic.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/wait.h>
#include <linux/workqueue.h>
#include <linux/xarray.h>
#include <drm/drm_device.h>
#include <drm/drm_print.h>
#include <drm/gpu_scheduler.h>

#include "nna_clock.h"
#include "nna_coredump.h"
#include "nna_hw.h"
#include "nna_regs.h"
#include "nna_ring.h"

/** NNA_RING_SIZE - Entries of a ring: enough to keep the device busy, few to lose in a reset. */
#define NNA_RING_SIZE		64u

/** NNA_VA_START - First address that may be mapped: keeps 0 and its neighbours unmapped. */
#define NNA_VA_START		0x10000ull

/** struct nna_vector - One interrupt vector. */
struct nna_vector {
	/** @nna: the device. */
	struct nna_device *nna;
	/** @rings: bit n: ring n raises it. */
	unsigned long rings;
};

/** struct nna_bus_ops - What the device needs of the bus it sits on. */
struct nna_bus_ops {
	/** @enable_bus_master: allow the device DMA; to be called after it has been reset. */
	void (*enable_bus_master)(struct device *dev);
	/** @disable_bus_master: forbid the device DMA, for good; may be called again. */
	void (*disable_bus_master)(struct device *dev);
};

/**
 * struct nna_device - One accelerator.
 * @drm: the DRM device.
 * @hw: registers and properties.
 * @bus: the bus it sits on.
 * @clock: device clock against CLOCK_MONOTONIC.
 * @rings: job rings by priority, then the control ring.
 * @scheds: one scheduler per job ring.
 * @scheds_ready: how many of them have been initialised.
 * @stopped_by: NNA_STOPPED_BY_*: why the schedulers are stopped; protected by @sched_lock.
 * @sched_lock: protects @stopped_by and whether the schedulers are stopped. Fences depend on it, so
 *	nothing is allocated under it.
 * @vectors: interrupt vectors.
 * @vector_count: how many are in use.
 * @control_waitq: woken when the control ring has room.
 * @bos: buffer objects, protected by @bos_lock.
 * @bos_lock: protects @bos.
 * @asids: ASID -> address space; an ASID is freed only after its invalidation.
 * @asid_next: where to look for the next one.
 * @submit_wq: the schedulers' work: it puts jobs on the rings and frees them.
 * @reset_wq: ordered: timeouts and resets.
 * @cleanup_wq: release of address spaces, aborts.
 * @reset_work: resets the device.
 * @reset_reason: what for, to say so.
 * @wedged_work: tells user space of the last reset.
 * @resets: resets done.
 * @coredump: what is left behind for people who debug.
 * @irqs: interrupts handled.
 * @fence_contexts: the fence context of job ring 0; those of the others follow.
 * @fence_seqnos: of the last fence of each job ring; run_job of one ring is never concurrent with
 *	itself.
 * @job_count: jobs that exist.
 * @jobs_waitq: woken when @job_count becomes 0.
 * @lost: the device is unbound or could not be reset; nothing runs any more.
 * @suspended: the rings are not served, and the device has no translations.
 * @last_end_jiffies: when a job last ended, in jiffies.
 * @coherent: the device snoops the CPU's caches.
 * @job_limit_ms: run time after which the device ends a job.
 * @timeout_ms: scheduler timeout.
 */
struct nna_device {
	struct drm_device drm;
	struct nna_hw hw;
	const struct nna_bus_ops *bus;
	struct nna_clock clock;
	struct nna_ring rings[NNA_RINGS];
	struct drm_gpu_scheduler scheds[NNA_JOB_RINGS];
	unsigned int scheds_ready;
	u32 stopped_by;
	struct mutex sched_lock;
	struct nna_vector vectors[NNA_RINGS];
	unsigned int vector_count;
	wait_queue_head_t control_waitq;
	struct list_head bos;
	struct mutex bos_lock;
	struct xarray asids;
	u32 asid_next;
	struct workqueue_struct *submit_wq;
	struct workqueue_struct *reset_wq;
	struct workqueue_struct *cleanup_wq;
	struct work_struct reset_work;
	const char *reset_reason;
	struct work_struct wedged_work;
	atomic_t resets;
	struct nna_coredump coredump;
	atomic64_t irqs;
	u64 fence_contexts;
	u64 fence_seqnos[NNA_JOB_RINGS];
	atomic_t job_count;
	wait_queue_head_t jobs_waitq;
	bool lost;
	bool suspended;
	unsigned long last_end_jiffies;
	bool coherent;
	unsigned int job_limit_ms;
	unsigned int timeout_ms;
};

static inline struct nna_device *to_nna_device(struct drm_device *drm)
{
	return container_of(drm, struct nna_device, drm);
}

/**
 * nna_device_probe() - Bring up an accelerator and register it.
 * @dev: the device on its bus, with DMA masks set.
 * @bus: what the bus can do for it.
 * @regs: mapped registers.
 * @irqs: Linux interrupt numbers of the vectors.
 * @irq_count: how many, at least 1.
 *
 * Everything is released with @dev.
 *
 * Return: 0 or a negative errno.
 */
int nna_device_probe(struct device *dev, const struct nna_bus_ops *bus, void __iomem *regs,
		     const int *irqs, unsigned int irq_count);

/**
 * nna_device_remove() - Unregister, fail all jobs with -ENODEV and wait until they are gone.
 * @dev: the device that was probed.
 */
void nna_device_remove(struct device *dev);

/** nna_device_flush_cleanup() - Wait for all work on @cleanup_wq, and for what that work queues. */
void nna_device_flush_cleanup(struct nna_device *nna);

/** nna_device_start() - Enable all rings of a device that has just been reset; 0 or -EIO. */
int nna_device_start(struct nna_device *nna);

/** nna_device_is_lost() - Whether nothing runs any more. */
static inline bool nna_device_is_lost(struct nna_device *nna)
{
	return READ_ONCE(nna->lost);
}

#endif
