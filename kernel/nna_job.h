/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Jobs: from SUBMIT to the fence's signal.
 *
 *  SUBMIT -> scheduler queue of the context -> gate -> ring -> device -> completion -> fence
 *
 * Ownership: everything that a job needs is allocated before it is armed. From the push on the
 * scheduler owns the job, and frees it through free_job. The ring points to it only while its entry
 * is on the ring. A job holds references on its context (and with that on the address space), on
 * its fences and syncobjs, and on runtime PM.
 *
 * A job has two fences. The device's fence, struct nna_fence, is signalled by the completion, in
 * the interrupt. The scheduler's finished fence, whose parent it is, is what user space gets.
 *
 * The finished fence is put into the syncobjs of SUBMIT and into no reservation object, so that a
 * submission costs the same however many buffers its address space has. Memory needs no such
 * protection: what is mapped is pinned, and unmapping waits until the device has no translation of
 * it. Clients that share memory with drivers that rely on implicit synchronisation use the
 * dma-buf's sync_file ioctls.
 *
 * From the syncobjs the fence may go to sync_files, reservation objects and jobs of other drivers,
 * which may hold it for as long as they like. It refers to the scheduler, for its name, and to its
 * parent. Therefore every job that has been armed gets a parent before it is freed, and the parent
 * holds a reference on the device and the module (see &struct nna_usage) until it is freed.
 *
 * The scheduler waits for a job's gate only, see nna_gate.h. The gate waits for the in-fences. They
 * are kept in the job, as run_job looks at their errors. A job whose in-fences have not signalled
 * ends all the same when its context is closed or banned, or when the device is lost.
 */
#ifndef NNA_JOB_H
#define NNA_JOB_H

#include <linux/dma-fence.h>
#include <linux/ktime.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/workqueue.h>
#include <drm/gpu_scheduler.h>

#include "nna_gate.h"
#include "nna_regs.h"
#include "nna_ring.h"
#include "nna_sync.h"

struct drm_file;
struct drm_nna_submit;
struct drm_nna_sync;
struct file;
struct nna_ctx;
struct nna_device;

/*
 * How long before a waiter's deadline the job's ring is boosted: as long as a ring may have to wait
 * for its turn.
 */
#define NNA_BOOST_MS		100

/**
 * struct nna_fence - The device's fence of a job: it signals when the device has ended the job.
 * @base: the fence; first, as dma_fence_free() frees all of this by it.
 * @lock: the fence's lock.
 * @nna: the device.
 * @keepalive: holds the device and the module; a reference, dropped after the fence is freed.
 * @ring: index of the job's ring.
 * @boost_work: boosts the ring before the earliest deadline that a waiter has set; holds a
 *	reference on the fence while it is queued.
 * @has_deadline: a waiter has set a deadline; protected by @lock.
 * @deadline: the earliest of them, CLOCK_MONOTONIC; protected by @lock.
 */
struct nna_fence {
	struct dma_fence base;
	spinlock_t lock;
	struct nna_device *nna;
	struct file *keepalive;
	unsigned int ring;
	struct delayed_work boost_work;
	bool has_deadline;
	ktime_t deadline;
};

/**
 * struct nna_job - One job.
 * @gate: what it waits for before it goes on the ring; first, as its release frees all of this.
 * @base: the scheduler's part.
 * @req: the ring's part.
 * @nna: the device.
 * @ctx: its context; a reference.
 * @entry: its ring entry; run_job fills in the deadline, the ring the sequence number.
 * @fence: the device's fence, allocated with the job. A reference if @fence_initialized; else plain
 *	memory, of which only the keepalive reference must be dropped.
 * @fence_initialized: @fence has been initialised, by run_job or by free_job.
 * @guilty: the device hung on it; protected by the ring's lock.
 * @resubmitted: it has been put on the ring again, after a reset; protected by the ring's lock.
 * @syncs: in-fences to wait for, syncobjs to signal.
 * @submitted_ns: when it was submitted, CLOCK_MONOTONIC.
 * @deadline_ns: as in SUBMIT: CLOCK_MONOTONIC, or 0.
 * @duration_ns: as in SUBMIT: counted from when the last in-fence signalled, or 0.
 * @pushed_jiffies: when it was put on the ring.
 */
struct nna_job {
	struct nna_gate gate;
	struct drm_sched_job base;
	struct nna_ring_request req;
	struct nna_device *nna;
	struct nna_ctx *ctx;
	struct nna_ring_entry entry;
	struct nna_fence *fence;
	bool fence_initialized;
	bool guilty;
	bool resubmitted;
	struct nna_syncs syncs;
	u64 submitted_ns;
	u64 deadline_ns;
	u64 duration_ns;
	unsigned long pushed_jiffies;
};

/** struct nna_job_ops - What jobs need of the parts above them. */
struct nna_job_ops {
	/** @timeout: a job has not ended within the schedulers' timeout; on the reset workqueue. */
	void (*timeout)(struct nna_job *job);
};

/**
 * nna_job_init() - Initialise the schedulers, which run the jobs.
 * @nna: the device, with its rings.
 * @ops: must stay valid as long as the module is loaded.
 *
 * Return: 0 or a negative errno.
 */
int nna_job_init(struct nna_device *nna, const struct nna_job_ops *ops);

/**
 * nna_job_reserve() - Check a submission, and take job quota for it; may sleep.
 * @ctx: the context.
 * @args: the ioctl's argument.
 *
 * Not inside drm_dev_enter(): waits until there is room. Before anything else is done for the job,
 * so that what waits here costs nothing.
 *
 * Return: 0, -EINVAL (malformed), -EOPNOTSUPP (a profile, and the device has none), or an error of
 * nna_ctx_take_quota().
 */
int nna_job_reserve(struct nna_ctx *ctx, const struct drm_nna_submit *args);

/**
 * nna_job_submit() - Submit one job; may sleep.
 * @file: the file that the syncobj handles belong to.
 * @ctx: the context, with the quota from nna_job_reserve(), which the job takes over or which is
 *	given back; the job takes a reference of its own.
 * @args: the ioctl's argument, as nna_job_reserve() has checked it.
 * @syncs: what to wait for and what to signal; checked here.
 * @sync_count: how many elements @syncs has.
 *
 * Either the job has been pushed and all syncobjs have its fence, or nothing has changed.
 *
 * Return: 0, -EINVAL (malformed @syncs), -ENOENT (no such syncobj, or the context has been closed),
 * -ECANCELED (the context is banned), -ENOMEM, -EINTR, -ENODEV (the device is lost).
 */
int nna_job_submit(struct drm_file *file, struct nna_ctx *ctx, const struct drm_nna_submit *args,
		   const struct drm_nna_sync *syncs, u32 sync_count);

/**
 * nna_job_record() - Record the job that a fault is about; any context.
 * @job: the job.
 * @status: status of its completion, an &enum nna_status; 0 if it has not ended.
 * @detail: detail of its completion.
 *
 * Between nna_fault_begin() and nna_fault_end().
 */
void nna_job_record(struct nna_job *job, u32 status, u64 detail);

/** nna_job_drain() - Wait until all jobs have been freed; the device must be lost. May sleep. */
void nna_job_drain(struct nna_device *nna);

#endif
