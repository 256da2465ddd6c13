/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Jobs: from SUBMIT to the fence's signal.
 *
 *  SUBMIT -> scheduler queue of the context -> (in-fences) -> ring -> device -> completion -> fence
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
 * In-fences are kept in the job, for two reasons: the scheduler waits for them but drops their
 * errors; and for a fence of the same scheduler it waits only until that job has been put on the
 * ring, while its error is known only when it has ended.
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

/** nna_job_init() - Initialise the schedulers, one per ring; freed with the DRM device. */
int nna_job_init(struct nna_device *nna);

/**
 * nna_job_submit() - Submit one job; may sleep.
 * @file: the file that the syncobj handles belong to.
 * @ctx: the context; the job takes a reference of its own.
 * @args: the ioctl's argument; checked here.
 * @syncs: what to wait for and what to signal; checked here.
 * @sync_count: how many elements @syncs has.
 *
 * Either the job has been pushed and all syncobjs have its fence, or nothing has changed.
 *
 * Return: 0, -EINVAL (malformed), -ENOENT (no such syncobj, or the context has been closed),
 * -ECANCELED (the context is banned), -ENOMEM, -EINTR, -ENODEV (the device is lost).
 */
int nna_job_submit(struct drm_file *file, struct nna_ctx *ctx, const struct drm_nna_submit *args,
		   const struct drm_nna_sync *syncs, u32 sync_count);

/** NNA_STOPPED_BY_RESET - The schedulers are stopped while the device is being reset. */
#define NNA_STOPPED_BY_RESET	BIT(0)
/** NNA_STOPPED_BY_SUSPEND - The schedulers are stopped while the system sleeps. */
#define NNA_STOPPED_BY_SUSPEND	BIT(1)

/**
 * nna_sched_stop() - Stop all schedulers: they put no jobs on the rings and free none.
 * @nna: the device.
 * @by: NNA_STOPPED_BY_*: for whom.
 *
 * May sleep: when it returns, none of their work is running. Takes nna_device.sched_lock.
 */
void nna_sched_stop(struct nna_device *nna, u32 by);

/**
 * nna_sched_start() - Start the schedulers again, once nobody has them stopped any more.
 * @nna: the device.
 * @by: NNA_STOPPED_BY_*: for whom they need not be stopped any more.
 *
 * Takes nna_device.sched_lock.
 */
void nna_sched_start(struct nna_device *nna, u32 by);

/**
 * nna_job_kill_ctx() - End the jobs of a context that are not on the ring; may sleep.
 * @ctx: a closed context; its scheduler entity cannot be used any more.
 *
 * Their fences signal with -ESRCH, at the latest when their in-fences have. The ring's scheduler is
 * stopped meanwhile: if it has just taken a job from the entity it would otherwise queue the entity
 * again for the next job, after this function has removed it, and both would take jobs from it.
 */
void nna_job_kill_ctx(struct nna_ctx *ctx);

/** nna_job_abort_ctx() - Have the device abort the jobs of @ctx that are on its ring. May sleep. */
void nna_job_abort_ctx(struct nna_ctx *ctx);

/** nna_job_drain() - Wait until all jobs have been freed; the device must be lost. May sleep. */
void nna_job_drain(struct nna_device *nna);

#endif
