/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Jobs: from SUBMIT to the fence's signal.
 *
 *  SUBMIT -> gate (queue of the context) -> scheduler -> ring -> device -> completion -> fence
 *
 * Ownership: all memory of a job is allocated by SUBMIT. At first its gate owns the job
 * (nna_gate.h). When it is admitted it is armed and pushed, and the scheduler owns it and frees it
 * through free_job. The ring points to it only while its entry is on the ring. A job holds
 * references on its context (and so on the address space), on its fences and syncobjs, and on
 * runtime PM.
 *
 * A job has one fence that leaves the driver, struct nna_fence. SUBMIT makes it, long before the
 * scheduler may get the job, and the completion signals it in the interrupt. The scheduler gets it
 * from run_job; its own two fences stay within the scheduler. Each job has a fence context of its
 * own: a job that is refused, such as one whose deadline has passed, ends before an earlier one of
 * its context that runs.
 *
 * At a system suspend the job may yield: it leaves the device and goes on after the resume, as the
 * same request of its ring (nna_suspend.h).
 *
 * SUBMIT puts the fence into its syncobjs and into no reservation object, so the cost of a
 * submission does not depend on the number of buffers in its address space. Memory needs no such
 * protection: mapped objects are pinned, and unmapping waits until the device has no translation.
 * Clients that share memory with a driver of implicit synchronisation use the dma-buf's sync_file
 * ioctls.
 *
 * From the syncobjs the fence may go to sync_files, reservation objects and jobs of other drivers,
 * which may hold it for any time. It holds a reference on the device and the module (see &struct
 * nna_usage) until it is freed.
 *
 * The gate waits for the in-fences, and the scheduler for nothing. The job keeps the in-fences,
 * since run_job checks their errors. When its context is closed or banned, or the device is lost, a
 * job ends even if its in-fences have not signalled.
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
struct nna_usage;

/*
 * A job's ring is boosted this long before a waiter's deadline: the longest wait for a time slice.
 */
#define NNA_BOOST_MS		100

/**
 * struct nna_fence - The fence of a job: it signals when the job has ended.
 * @base: the fence; first, since dma_fence_free() frees the whole structure.
 * @lock: the fence's lock.
 * @nna: the device.
 * @keepalive: holds the device and the module; a reference, dropped after the fence is freed.
 * @ring: index of the job's ring.
 * @boost_work: boosts the ring before the earliest deadline that a waiter has set; holds a
 *	reference on the fence while it is queued.
 * @begun: the job has been put on its ring; protected by @lock.
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
	bool begun;
	bool has_deadline;
	ktime_t deadline;
};

/**
 * struct nna_job - One job.
 * @gate: its gate.
 * @base: the scheduler's part.
 * @req: the ring's part.
 * @nna: the device.
 * @ctx: its context; a reference.
 * @entry: its ring entry; run_job fills in the deadline, nna_ring.c the sequence number. What is
 *	left of the job, when it has yielded.
 * @fence: its fence. A reference if @published; else plain memory with a reference on the
 *	keepalive.
 * @published: SUBMIT has initialised @fence, and put it into the syncobjs.
 * @begun: run_job has put it on its ring, or is about to; the timeout reads it at any time.
 * @guilty: the device hung on this job; protected by the ring's lock.
 * @resubmitted: a reset has put it on the ring again; protected by the ring's lock.
 * @syncs: in-fences to wait for, syncobjs to signal.
 * @submitted_ns: time of its submission, CLOCK_MONOTONIC.
 * @deadline_ns: as in SUBMIT: CLOCK_MONOTONIC, or 0. run_job lowers it by @duration_ns.
 * @duration_ns: as in SUBMIT: time after the signal of the last in-fence, or 0.
 * @pushed_jiffies: time at which it was last put on the ring.
 * @ran_ns: its run time up to when it last yielded; protected by the ring's lock.
 */
struct nna_job {
	struct nna_gate gate;
	struct drm_sched_job base;
	struct nna_ring_request req;
	struct nna_device *nna;
	struct nna_ctx *ctx;
	struct nna_ring_entry entry;
	struct nna_fence *fence;
	bool published;
	bool begun;
	bool guilty;
	bool resubmitted;
	struct nna_syncs syncs;
	u64 submitted_ns;
	u64 deadline_ns;
	u64 duration_ns;
	unsigned long pushed_jiffies;
	u64 ran_ns;
};

/** struct nna_job_ops - Operations of higher layers that jobs need. */
struct nna_job_ops {
	/** @timeout: a job has not ended within the schedulers' timeout; on the reset workqueue. */
	void (*timeout)(struct nna_job *job);
};

/**
 * nna_job_init() - Initialise the gates and the schedulers, which run the jobs.
 * @nna: the device, with its rings.
 * @ops: operations of higher layers; must stay valid as long as the module is loaded.
 *
 * Return: 0 or a negative errno.
 */
int nna_job_init(struct nna_device *nna, const struct nna_job_ops *ops);

/**
 * nna_job_reserve() - Check a submission, and take job quota for it; may sleep.
 * @ctx: the context.
 * @args: the ioctl's argument.
 *
 * Must not be called inside drm_dev_enter(), since it waits for quota. It comes before any other
 * step of a submission, so that a waiting submission holds no resources.
 *
 * Return: 0, -EINVAL (malformed), -EOPNOTSUPP (a profile, which the device does not support), or an
 * error of nna_ctx_take_quota().
 */
int nna_job_reserve(struct nna_ctx *ctx, const struct drm_nna_submit *args);

/**
 * nna_job_submit() - Submit one job; may sleep.
 * @file: the file that the syncobj handles belong to.
 * @ctx: the context, with the quota from nna_job_reserve(): the job takes it over, or it is given
 *	back. The job takes a reference of its own.
 * @args: the ioctl's argument, which nna_job_reserve() has checked.
 * @syncs: syncobjs to wait for and to signal; checked here.
 * @sync_count: number of elements of @syncs.
 *
 * On success the job is in the queue of its context and all syncobjs have its fence. On failure
 * nothing has changed.
 *
 * Return: 0, -EINVAL (malformed @syncs), -ENOENT (no such syncobj, or the context has been closed),
 * -ECANCELED (the context is banned), -ENOMEM, -EINTR, -ENODEV (the device is lost).
 */
int nna_job_submit(struct drm_file *file, struct nna_ctx *ctx, const struct drm_nna_submit *args,
		   const struct drm_nna_sync *syncs, u32 sync_count);

/**
 * nna_job_record() - Record the job of a fault in the fault record; any context.
 * @job: the job.
 * @status: status of its completion, an &enum nna_status; 0 if it has not ended.
 * @detail: detail of its completion.
 *
 * Must be called between nna_fault_begin() and nna_fault_end().
 */
void nna_job_record(struct nna_job *job, u32 status, u64 detail);

/**
 * nna_job_running_ns() - Estimate for how long a file's job has been running; not in interrupts.
 * @nna: the device.
 * @usage: the file's usage.
 * @index: out: index of the job's ring.
 *
 * Reads no registers. The oldest job of the highest ring that has one counts as running.
 *
 * Return: the time, without what it had run when it last yielded; 0 if no job of the file runs.
 */
u64 nna_job_running_ns(struct nna_device *nna, const struct nna_usage *usage, unsigned int *index);

/** nna_job_drain() - Wait until all jobs of a lost device have been freed; may sleep. */
void nna_job_drain(struct nna_device *nna);

#endif
