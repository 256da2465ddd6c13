/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Jobs: from SUBMIT to the fence's signal.
 *
 *  SUBMIT -> scheduler queue of the context -> (in-fences) -> ring -> device -> completion -> fence
 *
 * Everything a job needs exists before it is armed. The scheduler owns it from the push on and
 * frees it through free_job; the ring points to it only while the device has it.
 *
 * The job's fence goes nowhere but into the syncobjs: no reservation object learns of it, so a
 * submission costs the same however many buffers its address space has. Memory needs no such
 * protection: what is mapped is pinned, and unmapping waits until the device has forgotten it.
 * Implicit synchronisation is left to the clients, who have the dma-buf's sync_file ioctls for it.
 *
 * From there it goes anywhere: sync_files, other syncobjs, reservation objects and jobs of other
 * drivers, for as long as they like. All they ever have is the scheduler's fence. It reaches the
 * scheduler, for its name, and the device's fence, its parent. So every job that has been armed
 * gets a parent before it is freed, and a parent holds the device and the module, and with it the
 * scheduler's module, until the last one has let go.
 *
 * In-fences are kept in the job: the scheduler waits for them but forgets their errors, and for
 * fences of its own ring it would wait only until the other job has been put on the ring.
 */
#ifndef NNA_JOB_H
#define NNA_JOB_H

#include <linux/bits.h>
#include <linux/types.h>

struct drm_file;
struct drm_nna_submit;
struct drm_nna_sync;
struct nna_ctx;
struct nna_device;

/** nna_job_init() - Set up the schedulers; 0 or a negative errno. */
int nna_job_init(struct nna_device *nna);

/**
 * nna_job_submit() - Submit one job.
 * @file: whose handles the syncs are.
 * @ctx: the context.
 * @args: what to do; checked here.
 * @syncs: what to wait for and to signal.
 * @sync_count: how many.
 *
 * Return: 0, -EINVAL, -ENOENT, -ECANCELED (banned), -ENOMEM, -EINTR, -ENODEV.
 */
int nna_job_submit(struct drm_file *file, struct nna_ctx *ctx, const struct drm_nna_submit *args,
		   const struct drm_nna_sync *syncs, u32 sync_count);

/** NNA_STOPPED_BY_RESET - Jobs are held while the device is being reset. */
#define NNA_STOPPED_BY_RESET	BIT(0)
/** NNA_STOPPED_BY_SUSPEND - Jobs are held while the system sleeps. */
#define NNA_STOPPED_BY_SUSPEND	BIT(1)

/**
 * nna_sched_stop() - Put no more jobs on the rings and free none.
 * @nna: the device.
 * @by: NNA_STOPPED_BY_*.
 *
 * When it returns no scheduler is about to.
 */
void nna_sched_stop(struct nna_device *nna, u32 by);

/** nna_sched_start() - Go on, unless somebody but those in @by holds the jobs as well. */
void nna_sched_start(struct nna_device *nna, u32 by);

/**
 * nna_job_kill_ctx() - End the jobs of @ctx that are not on the ring, with their in-fences.
 * @ctx: a closed context; its entity is of no more use.
 *
 * The ring's scheduler stands still meanwhile: one that has just taken a job would sort the entity
 * in again for the next one, after it has been taken out, and both would take jobs from the queue.
 */
void nna_job_kill_ctx(struct nna_ctx *ctx);

/** nna_job_abort_ctx() - Have the device end the jobs of @ctx that it has taken on. May sleep. */
void nna_job_abort_ctx(struct nna_ctx *ctx);

/** nna_job_drain() - Wait until no job exists; the rings must not be served any more. */
void nna_job_drain(struct nna_device *nna);

#endif
