// SPDX-License-Identifier: GPL-2.0-only
/* Jobs: see nna_job.h for their path, their fences and who owns them. */

#include <linux/dma-fence.h>
#include <linux/dma-fence-chain.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/jiffies.h>
#include <linux/ktime.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <drm/drm_file.h>
#include <drm/drm_managed.h>
#include <drm/nna_accel.h>

#include "nna_control.h"
#include "nna_core.h"
#include "nna_ctx.h"
#include "nna_gate.h"
#include "nna_job.h"
#include "nna_pm.h"
#include "nna_ring.h"
#include "nna_sched.h"
#include "nna_sync.h"
#include "nna_trace.h"
#include "nna_vm.h"

/**
 * struct nna_jobs - State that the jobs of a device share.
 * @watched_jiffies: for each job ring the last time at which a job began or ended, or the timeout
 *	ran.
 * @freed_waitq: woken when nna_device.job_count becomes 0.
 * @ops: operations of higher layers.
 */
struct nna_jobs {
	unsigned long watched_jiffies[NNA_JOB_RINGS];
	wait_queue_head_t freed_waitq;
	const struct nna_job_ops *ops;
};

static struct nna_job *to_nna_job(struct drm_sched_job *job)
{
	return container_of(job, struct nna_job, base);
}

static struct nna_job *nna_job_of_gate(struct nna_gate *gate)
{
	return container_of(gate, struct nna_job, gate);
}

static const char *nna_fence_get_driver_name(struct dma_fence *fence)
{
	return NNA_DRIVER_NAME;
}

static const char *nna_fence_get_timeline_name(struct dma_fence *fence)
{
	return nna_sched_name(container_of(fence, struct nna_fence, base)->ring);
}

static struct nna_fence *to_nna_fence(struct dma_fence *fence)
{
	return container_of(fence, struct nna_fence, base);
}

static void nna_fence_boost_work(struct work_struct *work)
{
	struct nna_fence *fence = container_of(work, struct nna_fence, boost_work.work);

	/*
	 * The device is valid: its workqueue is destroyed before it is freed. Ignore errors of a
	 * hint.
	 */
	if (!dma_fence_is_signaled(&fence->base))
		nna_control_boost(fence->nna, fence->ring);
	dma_fence_put(&fence->base);
}

static void nna_fence_boost_locked(struct nna_fence *fence)
{
	s64 ms = ktime_ms_delta(fence->deadline, ktime_get()) - NNA_BOOST_MS;

	lockdep_assert_held(&fence->lock);
	dma_fence_get(&fence->base);
	if (mod_delayed_work(fence->nna->cleanup_wq, &fence->boost_work,
			     msecs_to_jiffies(clamp_t(s64, ms, 0, MSEC_PER_SEC * 60))))
		dma_fence_put(&fence->base);
}

/*
 * A ring is a queue, so a deadline cannot reorder its jobs; the boost makes the ring wait less. It
 * does nothing for a job that is not on the ring yet.
 */
static void nna_fence_set_deadline(struct dma_fence *base, ktime_t deadline)
{
	struct nna_fence *fence = to_nna_fence(base);
	unsigned long flags;

	spin_lock_irqsave(&fence->lock, flags);
	if (!test_bit(DMA_FENCE_FLAG_SIGNALED_BIT, &base->flags) &&
	    (!fence->has_deadline || ktime_before(deadline, fence->deadline))) {
		fence->has_deadline = true;
		fence->deadline = deadline;
		if (fence->begun)
			nna_fence_boost_locked(fence);
	}
	spin_unlock_irqrestore(&fence->lock, flags);
}

/* The job is about to be put on its ring. */
static void nna_fence_begin(struct nna_fence *fence)
{
	unsigned long flags;

	spin_lock_irqsave(&fence->lock, flags);
	fence->begun = true;
	if (fence->has_deadline)
		nna_fence_boost_locked(fence);
	spin_unlock_irqrestore(&fence->lock, flags);
}

static void nna_fence_release(struct dma_fence *base)
{
	struct file *keepalive = to_nna_fence(base)->keepalive;

	dma_fence_free(base);
	fput(keepalive);
}

static const struct dma_fence_ops nna_fence_ops = {
	.get_driver_name = nna_fence_get_driver_name,
	.get_timeline_name = nna_fence_get_timeline_name,
	.set_deadline = nna_fence_set_deadline,
	.release = nna_fence_release,
};

/* Any context. Once the fence has signalled, the scheduler may free the job. */
static void nna_fence_signal(struct nna_fence *fence)
{
	dma_fence_get(&fence->base);
	dma_fence_signal(&fence->base);
	/* nna_fence_set_deadline() queues no more work for a signalled fence. */
	if (fence->has_deadline && cancel_delayed_work(&fence->boost_work))
		dma_fence_put(&fence->base);
	dma_fence_put(&fence->base);
}

void nna_job_record(struct nna_job *job, u32 status, u64 detail)
{
	struct drm_nna_coredump *head = &job->nna->fault.head;
	const struct nna_usage *usage = job->ctx->usage;

	head->ring = job->ctx->ring;
	head->status = status;
	head->detail = detail;
	head->pid = usage->pid;
	memcpy(head->comm, usage->comm, sizeof(head->comm));
	memcpy(head->entry, &job->entry, sizeof(head->entry));
	job->nna->fault.vm = nna_vm_get(job->ctx->vm);
}

static void nna_job_count(struct nna_job *job, u16 status, u64 detail, int error)
{
	struct nna_usage *usage = job->ctx->usage;
	atomic64_t *ticks = &usage->ticks[job->ctx->ring];

	if (error) {
		atomic64_inc(&usage->lost);
		return;
	}
	atomic64_inc(&usage->jobs);
	if (status == NNA_STATUS_OK || status == NNA_STATUS_YIELDED) {
		atomic64_add(detail, ticks);
	} else {
		atomic64_inc(&usage->faults);
		if (status == NNA_STATUS_BUDGET)
			atomic64_add(le64_to_cpu(job->entry.budget) ?: job->nna->hw.job_limit,
				     ticks);
	}
}

/*
 * Estimates for how long a job on the ring has run, in ns: the time since the last end of a job or
 * since this job was pushed, whichever was later.
 */
static u64 nna_job_estimate(const struct nna_job *job)
{
	unsigned long since = READ_ONCE(job->nna->last_end_jiffies);

	if (!time_in_range(since, job->pushed_jiffies, jiffies))
		since = job->pushed_jiffies;
	return (u64)jiffies_to_msecs(jiffies - since) * NSEC_PER_MSEC;
}

/* Returns the run time of a job in ns. A completion with an error does not report it. */
static u64 nna_job_run_time(const struct nna_job *job, u16 status, u64 detail, int error)
{
	if (!error && (status == NNA_STATUS_OK || status == NNA_STATUS_YIELDED))
		return job->ran_ns + nna_clock_ticks_to_ns(&job->nna->hw,
							   min(detail, job->nna->hw.job_limit));
	return job->ran_ns + nna_job_estimate(job);
}

u64 nna_job_running_ns(struct nna_device *nna, const struct nna_usage *usage, unsigned int *index)
{
	unsigned int i;
	u64 ns = 0;

	for (i = NNA_JOB_RINGS; i-- > 0;) {
		struct nna_ring *ring = &nna->rings[i];
		struct nna_ring_request *req;

		spin_lock_irq(&ring->lock);
		req = nna_ring_oldest(ring);
		if (req) {
			const struct nna_job *job = container_of(req, struct nna_job, req);

			if (job->ctx->usage == usage)
				ns = nna_job_estimate(job);
		}
		spin_unlock_irq(&ring->lock);
		if (req) {
			*index = i;
			return ns;
		}
	}
	return 0;
}

/*
 * Releases the job's ring entry and quota, before its fence signals. @ran: its run time, or NULL if
 * it was not put on the ring. Any context.
 */
static void nna_job_end(struct nna_job *job, const u64 *ran)
{
	nna_gate_leave(&job->gate, ran);
	nna_ctx_give_quota(job->ctx);
}

/* Notes that the device has given a job back. */
static void nna_job_note_end(struct nna_job *job)
{
	WRITE_ONCE(job->nna->last_end_jiffies, jiffies);
	WRITE_ONCE(job->nna->jobs->watched_jiffies[job->ctx->ring], jiffies);
}

/* &nna_ring_request.complete: any context, with the ring's lock held. */
static void nna_job_complete(struct nna_ring_request *req, u16 status, u64 detail, int error)
{
	struct nna_job *job = container_of(req, struct nna_job, req);
	const u64 ran = nna_job_run_time(job, status, detail, error);
	struct nna_ctx *ctx = job->ctx;
	bool ban = false;

	nna_job_note_end(job);
	nna_job_count(job, status, detail, error);
	if (job->guilty && (error || status == NNA_STATUS_ABORTED)) {
		nna_ctx_mark_guilty(ctx);
		error = -ETIME;
	} else if (error) {
		nna_ctx_mark_innocent(ctx);
		/* The job would have ended without a result even if the device had not failed. */
		if (error == -EIO && (nna_ctx_is_banned(ctx) || READ_ONCE(ctx->closed)))
			error = -ECANCELED;
	} else {
		error = nna_status_errno(status, &ban);
		if (ban && nna_ctx_ban(ctx, status, detail) &&
		    nna_fault_begin(job->nna, DRM_NNA_COREDUMP_FAULT)) {
			nna_job_record(job, status, detail);
			nna_fault_end(job->nna);
		}
	}

	trace_nna_job_done(ctx->ring, req->seqno, ctx->vm->asid, status, detail, error);
	if (error)
		dma_fence_set_error(&job->fence->base, error);
	nna_job_end(job, &ran);
	nna_fence_signal(job->fence);
}

/* &nna_ring_request.may_resubmit: during a reset, with the ring's lock held. */
static bool nna_job_may_resubmit(struct nna_ring_request *req)
{
	struct nna_job *job = container_of(req, struct nna_job, req);

	/* Only once, so that every job ends even if resets repeat for ever. */
	if (job->resubmitted || nna_ctx_is_over(job->ctx))
		return false;
	job->resubmitted = true;
	job->guilty = false;
	return true;
}

/* &nna_ring_request.yielded: any context, with the ring's lock held. */
static bool nna_job_yielded(struct nna_ring_request *req, const struct nna_ring_entry *rest,
			    u64 detail)
{
	struct nna_job *job = container_of(req, struct nna_job, req);

	nna_job_note_end(job);
	atomic64_add(detail, &job->ctx->usage->ticks[job->ctx->ring]);
	job->ran_ns = nna_job_run_time(job, NNA_STATUS_YIELDED, detail, 0);
	job->entry.start = rest->start;
	job->entry.budget = rest->budget;
	job->entry.loop_limit = rest->loop_limit;
	trace_nna_job_yield(job->ctx->ring, req->seqno, job->ctx->vm->asid,
			    job->fence->base.context, job->fence->base.seqno);
	return true;
}

/* Returns the error of a signalled fence, or 0. A timeline point contains the fence that has it. */
static int nna_job_fence_error(struct dma_fence *fence)
{
	int status = dma_fence_get_status(dma_fence_chain_contained(fence));

	return status < 0 ? status : 0;
}

/* &nna_syncs.done: any context, with the lock of an in-fence held. */
static void nna_job_in_fences_done(struct nna_syncs *syncs)
{
	nna_gate_ready(&container_of(syncs, struct nna_job, syncs)->gate);
}

static int nna_job_check_in_fences(struct nna_job *job, u64 *ready_ns)
{
	u32 i;

	*ready_ns = job->submitted_ns;
	for (i = 0; i < job->syncs.in_count; i++) {
		struct dma_fence *fence = job->syncs.in[i].fence;
		int ret = nna_job_fence_error(fence);

		if (ret)
			return ret;
		/* In-fences of a doomed job may not have signalled. */
		if (dma_fence_is_signaled(fence))
			*ready_ns = max_t(u64, *ready_ns, ktime_to_ns(dma_fence_timestamp(fence)));
	}
	return 0;
}

/* Returns why the job may not run, or 0; @ready_ns: when its last in-fence has signalled. */
static int nna_job_check_start(struct nna_job *job, u64 *ready_ns)
{
	int ret = nna_job_check_in_fences(job, ready_ns);

	if (ret)
		return ret;
	if (nna_core_is_lost(job->nna))
		return -ENODEV;
	if (nna_ctx_is_banned(job->ctx))
		return -ECANCELED;
	return READ_ONCE(job->ctx->closed) ? -ESRCH : 0;
}

/* Ends a job that is not on the ring. */
static void nna_job_refuse(struct nna_job *job, int error)
{
	dma_fence_set_error(&job->fence->base, error);
	nna_job_end(job, NULL);
	nna_fence_signal(job->fence);
}

/* Writes the job's deadline to its entry, by the device's clock. */
static void nna_job_fill_deadline(struct nna_job *job)
{
	struct nna_device *nna = job->nna;

	if (job->deadline_ns)
		job->entry.deadline = cpu_to_le64(nna_clock_to_tick(&nna->clock, &nna->hw,
								    job->deadline_ns));
}

/* The job is about to be put on the ring. */
static void nna_job_begin(struct nna_job *job)
{
	struct nna_ring *ring = &job->nna->rings[job->ctx->ring];
	struct dma_fence *fence = &job->fence->base;

	nna_job_fill_deadline(job);
	job->pushed_jiffies = jiffies;
	nna_fence_begin(job->fence);
	trace_nna_job_run(ring->index, READ_ONCE(ring->seqno), job->ctx->vm->asid, fence->context,
			  fence->seqno);
}

/* &nna_ring_request.rewrite: after a reset or a suspend, with the ring's lock held. */
static bool nna_job_rewrite(struct nna_ring_request *req)
{
	struct nna_job *job = container_of(req, struct nna_job, req);

	/* Its abort has been missed while it was not on the ring. */
	if (nna_ctx_is_over(job->ctx))
		return false;
	WRITE_ONCE(job->nna->jobs->watched_jiffies[job->ctx->ring], jiffies);
	nna_job_begin(job);
	return true;
}

/* Puts a job on its ring, or returns why it may not run. */
static int nna_job_start(struct nna_job *job)
{
	struct nna_device *nna = job->nna;
	struct nna_ring *ring = &nna->rings[job->ctx->ring];
	u64 ready, late;
	int ret;

	ret = nna_job_check_start(job, &ready);
	if (ret)
		return ret;
	if (job->duration_ns) {
		if (check_add_overflow(ready, job->duration_ns, &late))
			late = U64_MAX;
		job->deadline_ns = job->deadline_ns ? min(job->deadline_ns, late) : late;
	}
	if (job->deadline_ns && ktime_get_ns() >= job->deadline_ns)
		return -ETIMEDOUT;

	nna_job_begin(job);
	/* Pairs with nna_recovery_timeout(), which reads these at any time. */
	smp_store_release(&job->begun, true);

	nna_vm_mark_used(job->ctx->vm);
	ret = nna_ring_push(ring, &job->entry, &job->req);
	/* After the checks above the device was lost, or a reset began. */
	if (ret)
		return nna_core_is_lost(nna) ? -ENODEV : -ECANCELED;
	/* The context ended after the checks above, and its abort may have missed this job. */
	if (nna_ctx_is_over(job->ctx))
		nna_ctx_abort(job->ctx);
	return 0;
}

/*
 * The scheduler restarts its timeout with each job that it runs, even one that ends at once and
 * never reaches the device. A client that submits such jobs would hide a hang. So this runs the
 * timeout when it is due.
 */
static void nna_job_watch(struct nna_device *nna, unsigned int ring)
{
	unsigned long *watched = &nna->jobs->watched_jiffies[ring];

	if (nna_ring_is_empty(&nna->rings[ring]))
		WRITE_ONCE(*watched, jiffies);
	else if (time_after_eq(jiffies, READ_ONCE(*watched) + msecs_to_jiffies(nna->timeout_ms)))
		drm_sched_fault(nna_sched_of_ring(nna, ring));
}

static struct dma_fence *nna_job_run(struct drm_sched_job *sched_job)
{
	bool cookie = dma_fence_begin_signalling();
	struct nna_job *job = to_nna_job(sched_job);
	struct dma_fence *fence = dma_fence_get(&job->fence->base);
	int ret;

	nna_job_watch(job->nna, job->ctx->ring);
	ret = nna_job_start(job);
	if (ret)
		nna_job_refuse(job, ret);
	dma_fence_end_signalling(cookie);
	return fence;
}

#ifndef nna_job_no_hang
/* Tells the scheduler to put the job back on its pending list and to do nothing else. */
static enum drm_gpu_sched_stat nna_job_no_hang(struct drm_sched_job *job)
{
	return DRM_GPU_SCHED_STAT_NO_HANG;
}
#endif

static enum drm_gpu_sched_stat nna_job_timedout(struct drm_sched_job *sched_job)
{
	struct nna_job *job = to_nna_job(sched_job);

	WRITE_ONCE(job->nna->jobs->watched_jiffies[job->ctx->ring], jiffies);
	job->nna->jobs->ops->timeout(job);
	return nna_job_no_hang(sched_job);
}

static void nna_job_destroy(struct nna_job *job)
{
	struct nna_device *nna = job->nna;

	nna_syncs_fini(&job->syncs);
	nna_vm_end_job(job->ctx->vm);
	if (job->published) {
		dma_fence_put(&job->fence->base);
	} else {
		fput(job->fence->keepalive);
		kfree(job->fence);
	}
	nna_ctx_put(job->ctx);
	kfree(job);
	nna_pm_put(nna);
	/* Pairs with synchronize_rcu() in nna_job_drain(): after that the device may be freed. */
	rcu_read_lock();
	if (atomic_dec_and_test(&nna->job_count) && wq_has_sleeper(&nna->jobs->freed_waitq))
		wake_up_all(&nna->jobs->freed_waitq);
	rcu_read_unlock();
}

static void nna_job_free(struct drm_sched_job *sched_job)
{
	drm_sched_job_cleanup(sched_job);
	nna_job_destroy(to_nna_job(sched_job));
}

/* &nna_gate_ops.push: with a spinlock held, so arm and push of two jobs do not interleave. */
static void nna_job_push(struct nna_gate *gate)
{
	struct nna_job *job = nna_job_of_gate(gate);

	drm_sched_job_arm(&job->base);
	drm_sched_entity_push_job(&job->base);
}

/* &nna_gate_ops.end: a job that has waited in a context that is over, or for a lost device. */
static void nna_job_end_waiting(struct nna_gate *gate)
{
	struct nna_job *job = nna_job_of_gate(gate);
	bool cookie = dma_fence_begin_signalling();
	u64 ready;

	nna_job_refuse(job, nna_job_check_start(job, &ready));
	dma_fence_end_signalling(cookie);
	drm_sched_job_cleanup(&job->base);
	nna_job_destroy(job);
}

static const struct nna_gate_ops nna_job_gate_ops = {
	.push = nna_job_push,
	.end = nna_job_end_waiting,
};

static const struct drm_sched_backend_ops nna_sched_ops = {
	.run_job = nna_job_run,
	.timedout_job = nna_job_timedout,
	.free_job = nna_job_free,
};

int nna_job_init(struct nna_device *nna, const struct nna_job_ops *ops)
{
	struct nna_jobs *jobs = drmm_kzalloc(&nna->drm, sizeof(*jobs), GFP_KERNEL);
	int ret;

	if (!jobs)
		return -ENOMEM;
	ret = nna_gates_init(nna, &nna_job_gate_ops);
	if (ret)
		return ret;
	init_waitqueue_head(&jobs->freed_waitq);
	jobs->ops = ops;
	nna->jobs = jobs;
	return nna_sched_init(nna, &nna_sched_ops);
}

void nna_job_drain(struct nna_device *nna)
{
	/* All queues are doomed and the rings are empty: only work items have to free the jobs. */
	wait_event(nna->jobs->freed_waitq, !atomic_read(&nna->job_count));
	/*
	 * Wait for nna_job_destroy() of the last job, and for readers of a signalled fence's names.
	 */
	synchronize_rcu();
}

static bool nna_job_range_ok(u64 va, u64 size, u64 align)
{
	u64 end;

	return IS_ALIGNED(va, align) && va >= NNA_VA_START &&
	       !check_add_overflow(va, size, &end) && end <= NNA_VA_END;
}

static int nna_job_check_profile(struct nna_device *nna, const struct drm_nna_submit *args)
{
	if (!args->profile_va && !args->profile_size)
		return 0;
	if (NNA_IOCTL_DBG(&nna->drm, args->profile_size < sizeof(struct nna_profile_header) ||
			  !nna_job_range_ok(args->profile_va, args->profile_size, 64)))
		return -EINVAL;
	/* An older device ends a job with these words of the entry set, which bans the context. */
	return NNA_IOCTL_DBG(&nna->drm, !nna_hw_has_profiles(&nna->hw)) ? -EOPNOTSUPP : 0;
}

/* The device makes these checks, too, but reports a failure as a fault, which bans the context. */
static int nna_job_check(struct nna_device *nna, const struct drm_nna_submit *args)
{
	struct drm_device *drm = &nna->drm;

	if (NNA_IOCTL_DBG(drm, args->flags & ~DRM_NNA_SUBMIT_FLAGS))
		return -EINVAL;
	if (NNA_IOCTL_DBG(drm, !args->stream_size || args->stream_size > NNA_MAX_STREAM_SIZE) ||
	    NNA_IOCTL_DBG(drm, !IS_ALIGNED(args->stream_size | args->start, NNA_COMMAND_ALIGN)) ||
	    NNA_IOCTL_DBG(drm, args->start >= args->stream_size) ||
	    NNA_IOCTL_DBG(drm, !nna_job_range_ok(args->stream_va, args->stream_size,
						 NNA_COMMAND_ALIGN)))
		return -EINVAL;
	if (NNA_IOCTL_DBG(drm, args->slot_count > NNA_MAX_SLOTS))
		return -EINVAL;
	if (NNA_IOCTL_DBG(drm, args->slot_count ?
			  !nna_job_range_ok(args->base_table_va, 16ull * args->slot_count, 16) :
			  args->base_table_va))
		return -EINVAL;
	if (NNA_IOCTL_DBG(drm, args->report_va && !nna_job_range_ok(args->report_va, 128, 64)))
		return -EINVAL;
	if (args->flags & DRM_NNA_SUBMIT_SLICE && NNA_IOCTL_DBG(drm, !nna_hw_has_slices(&nna->hw)))
		return -EOPNOTSUPP;
	return nna_job_check_profile(nna, args);
}

static void nna_job_fill(struct nna_job *job, const struct drm_nna_submit *args)
{
	const struct nna_hw *hw = &job->nna->hw;
	struct nna_vm *vm = job->ctx->vm;

	job->entry = (struct nna_ring_entry) {
		.type = cpu_to_le32(NNA_ENTRY_JOB),
		.asid = cpu_to_le32(vm->asid),
		.flags = cpu_to_le32(args->flags & DRM_NNA_SUBMIT_SLICE ? NNA_ENTRY_FLAG_SLICE : 0),
		.root = cpu_to_le64(nna_vm_root_dma(vm)),
		.stream = cpu_to_le64(args->stream_va),
		.base_table = cpu_to_le64(args->base_table_va),
		.report = cpu_to_le64(args->report_va),
		.stream_size = cpu_to_le32(args->stream_size),
		.slot_count = cpu_to_le32(args->slot_count),
		.budget = cpu_to_le64(min(nna_clock_ns_to_ticks(hw, args->budget_ns),
					  hw->job_limit)),
		.loop_limit = cpu_to_le64(min(nna_clock_ns_to_ticks(hw, args->loop_limit_ns),
					      hw->job_limit)),
		.start = cpu_to_le32(args->start),
		.profile = cpu_to_le64(args->profile_va),
		.profile_size = cpu_to_le64(args->profile_size),
	};
	job->deadline_ns = args->deadline_ns;
	job->duration_ns = args->duration_ns;
	job->submitted_ns = ktime_get_ns();
}

static struct nna_job *nna_job_create(struct drm_file *file, struct nna_ctx *ctx,
				      const struct drm_nna_submit *args)
{
	const u64 limit = (u64)ctx->nna->job_limit_ms * NSEC_PER_MSEC;
	struct nna_job *job;
	int ret = -ENOMEM;

	job = kzalloc(sizeof(*job), GFP_KERNEL_ACCOUNT);
	if (!job)
		return ERR_PTR(ret);
	job->fence = kzalloc(sizeof(*job->fence), GFP_KERNEL_ACCOUNT);
	if (!job->fence)
		goto err_free;
	/* Resume here and not in run_job: it sleeps and allocates, and run_job signals fences. */
	ret = nna_pm_get(ctx->nna);
	if (ret)
		goto err_free;
	ret = nna_vm_begin_job(ctx->vm);
	if (ret)
		goto err_pm;
	spin_lock_init(&job->fence->lock);
	INIT_DELAYED_WORK(&job->fence->boost_work, nna_fence_boost_work);
	job->fence->nna = ctx->nna;
	job->fence->keepalive = get_file(ctx->usage->keepalive);
	job->fence->ring = ctx->ring;
	job->nna = ctx->nna;
	job->ctx = nna_ctx_get(ctx);
	nna_gate_init(&job->gate, &ctx->gates,
		      args->budget_ns ? min(args->budget_ns, limit) : limit);
	job->req.complete = nna_job_complete;
	job->req.may_resubmit = nna_job_may_resubmit;
	job->req.yielded = nna_job_yielded;
	job->req.rewrite = nna_job_rewrite;
	job->req.owner = ctx;
	atomic_inc(&ctx->nna->job_count);
	nna_job_fill(job, args);
	return job;

err_pm:
	nna_pm_put(ctx->nna);
err_free:
	kfree(job->fence);
	kfree(job);
	return ERR_PTR(ret);
}

/*
 * Publishes a job's fence and puts the job into the queue of its context, which cannot fail. The
 * context's lock is held, since jobs start in the order in which their fences were published.
 */
static void nna_job_queue(struct nna_job *job)
{
	struct dma_fence *fence = &job->fence->base;

	lockdep_assert_held(&job->ctx->lock);

	dma_fence_init(fence, &nna_fence_ops, &job->fence->lock, dma_fence_context_alloc(1), 1);
	job->published = true;
	trace_nna_job_submit(job->ctx->ring, 0, job->ctx->vm->asid, fence->context, fence->seqno);
	nna_syncs_signal(&job->syncs, fence);
	nna_syncs_wait(&job->syncs, nna_job_in_fences_done);
	/* The job may have ended and been freed when this returns. */
	nna_gate_push(&job->gate);
}

int nna_job_reserve(struct nna_ctx *ctx, const struct drm_nna_submit *args)
{
	int ret = nna_job_check(ctx->nna, args);

	return ret ?: nna_ctx_take_quota(ctx, args->flags & DRM_NNA_SUBMIT_NONBLOCK);
}

int nna_job_submit(struct drm_file *file, struct nna_ctx *ctx, const struct drm_nna_submit *args,
		   const struct drm_nna_sync *syncs, u32 sync_count)
{
	struct nna_job *job;
	int ret;
	u32 i;

	ret = nna_ctx_is_banned(ctx) ? -ECANCELED : nna_core_is_lost(ctx->nna) ? -ENODEV : 0;
	if (ret)
		goto err_quota;

	job = nna_job_create(file, ctx, args);
	if (IS_ERR(job)) {
		ret = PTR_ERR(job);
		goto err_quota;
	}
	ret = nna_syncs_init(&job->syncs, file, syncs, sync_count);
	if (ret)
		goto err_destroy;
	if (args->deadline_ns || args->duration_ns)
		nna_clock_refresh(&ctx->nna->clock, &ctx->nna->hw);

	ret = drm_sched_job_init(&job->base, &ctx->entity, 1, NULL, file->client_id);
	if (ret)
		goto err_destroy;
	/* Pass the job's deadline on to its in-fences. */
	for (i = 0; i < job->syncs.in_count && args->deadline_ns; i++)
		dma_fence_set_deadline(job->syncs.in[i].fence,
				       min_t(u64, args->deadline_ns, KTIME_MAX));

	ret = mutex_lock_interruptible(&ctx->lock);
	if (ret)
		goto err_cleanup;
	if (ctx->closed) {
		ret = -ENOENT;
		goto err_unlock;
	}
	nna_job_queue(job);
	mutex_unlock(&ctx->lock);
	return 0;

err_unlock:
	mutex_unlock(&ctx->lock);
err_cleanup:
	drm_sched_job_cleanup(&job->base);
err_destroy:
	nna_job_destroy(job);
err_quota:
	nna_ctx_give_quota(ctx);
	return ret;
}
