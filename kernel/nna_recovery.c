// SPDX-License-Identifier: GPL-2.0-only
/* Recovery from hangs: see nna_recovery.h. */

#include <linux/delay.h>
#include <linux/dma-fence.h>
#include <linux/jiffies.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <drm/drm_drv.h>
#include <drm/nna_accel.h>

#include "nna_control.h"
#include "nna_core.h"
#include "nna_coredump.h"
#include "nna_ctx.h"
#include "nna_job.h"
#include "nna_recovery.h"
#include "nna_reset.h"
#include "nna_ring.h"

/*
 * The device must end a job within a second after an ABORT, and come forward with one within two.
 * Before each poll it must answer: so the time for which its process stands still does not count.
 */
#define NNA_ABORT_POLLS		1000
#define NNA_ABORT_POLL_US	1000
#define NNA_STILL_POLLS		200
#define NNA_STILL_POLL_US	10000

/*
 * Whether no job has ended for too long. The device always runs a job if it has one, and ends each
 * job when its run time reaches the job limit. So while n rings have jobs, one job ends within n
 * job limits, even though a single job may wait for longer.
 */
static bool nna_recovery_device_hangs(const struct nna_job *job)
{
	struct nna_device *nna = job->nna;
	unsigned long since = READ_ONCE(nna->last_end_jiffies);
	unsigned int i, busy = 0;

	for (i = 0; i < NNA_JOB_RINGS; i++)
		busy += !nna_ring_is_empty(&nna->rings[i]);
	/* A time in the future is one long ago: jiffies has wrapped since. */
	if (!time_in_range(since, job->pushed_jiffies, jiffies))
		since = job->pushed_jiffies;
	return time_after_eq(jiffies, since + msecs_to_jiffies(busy * nna->job_limit_ms));
}

/* Returns a number that changes with each count of the progress. */
static u64 nna_recovery_progress(struct nna_device *nna)
{
	u64 sum = 0;
	unsigned int i;

	for (i = 0; i < NNA_JOB_RINGS; i++)
		sum += le64_to_cpu(READ_ONCE(nna->progress->counts[i]));
	return sum;
}

/*
 * Whether no job comes forward while the device answers. The job may only be slow, because it is
 * large, or because the device is a program to which the machine gives little time. A device that
 * does not count its progress is not waited for.
 */
static bool nna_recovery_stands_still(const struct nna_job *job)
{
	struct nna_device *nna = job->nna;
	unsigned long end = READ_ONCE(nna->last_end_jiffies);
	unsigned int i;
	u64 before;

	if (!nna->progress)
		return true;
	before = nna_recovery_progress(nna);
	for (i = 0; i < NNA_STILL_POLLS && nna_hw_is_alive(&nna->hw); i++) {
		usleep_range(NNA_STILL_POLL_US, NNA_STILL_POLL_US + NNA_STILL_POLL_US / 4);
		nna_ring_process(&nna->rings[job->ctx->ring]);
		if (nna_recovery_progress(nna) != before ||
		    READ_ONCE(nna->last_end_jiffies) != end)
			return false;
	}
	return true;
}

/*
 * Whether a ring's job has run for longer than the job limit: the device may serve other rings, but
 * does not end this job as it must.
 */
static bool nna_recovery_ring_hangs(struct nna_device *nna, struct nna_ring *ring)
{
	u64 ms = nna_hw_ring_run_ms(&nna->hw, ring->index);

	return ms > nna->job_limit_ms + (nna->timeout_ms - nna->job_limit_ms) / 2;
}

/* What becomes of the job that nna_recovery_find() finds. */
enum nna_recovery_how {
	NNA_RECOVERY_INNOCENT,
	NNA_RECOVERY_GUILTY,		/* it is marked as guilty of a hang */
	NNA_RECOVERY_GUILTY_DUMP,	/* and recorded for the core dump */
};

/**
 * struct nna_suspect - A job that the device has begun.
 * @ring: its ring; NULL if there is none.
 * @fence: its fence; a reference.
 * @seqno: sequence number of its entry.
 * @pid: its client's process.
 * @comm: the name of that.
 */
struct nna_suspect {
	struct nna_ring *ring;
	struct dma_fence *fence;
	u32 seqno;
	pid_t pid;
	char comm[TASK_COMM_LEN];
};

/* Finds the job that the device has begun on a ring. */
static bool nna_recovery_find(struct nna_device *nna, struct nna_ring *ring,
			      enum nna_recovery_how how, struct nna_suspect *suspect)
{
	u32 head = nna_hw_ring_head(&nna->hw, ring->index);
	struct nna_ring_request *req = NULL;

	spin_lock_irq(&ring->lock);
	if (head != ring->done && head - ring->done <= ring->tail - ring->done)
		req = ring->requests[ring->done & (ring->size - 1)];
	if (req) {
		struct nna_job *job = container_of(req, struct nna_job, req);

		suspect->ring = ring;
		suspect->fence = dma_fence_get(&job->fence->base);
		suspect->seqno = req->seqno;
		suspect->pid = job->ctx->usage->pid;
		memcpy(suspect->comm, job->ctx->usage->comm, sizeof(suspect->comm));
		job->guilty = job->guilty || how != NNA_RECOVERY_INNOCENT;
		if (how == NNA_RECOVERY_GUILTY_DUMP)
			nna_job_record(job, 0, 0);
	}
	spin_unlock_irq(&ring->lock);
	return req;
}

/*
 * Returns the ring whose current job has the longest run time: it may have preempted the jobs of
 * the other rings. NULL if the device reports no run time.
 */
static struct nna_ring *nna_recovery_longest(struct nna_device *nna)
{
	struct nna_ring *longest_ring = NULL;
	u64 ms, longest = 0;
	unsigned int i;

	for (i = NNA_JOB_RINGS; i-- > 0;) {
		ms = nna_hw_ring_run_ms(&nna->hw, i);
		if (ms > longest) {
			longest = ms;
			longest_ring = &nna->rings[i];
		}
	}
	return longest_ring;
}

/* Finds the job that has run longest; @ring: the ring of that job, or NULL if it is not known. */
static bool nna_recovery_find_longest(struct nna_device *nna, struct nna_ring *ring,
				      enum nna_recovery_how how, struct nna_suspect *suspect)
{
	unsigned int i;

	if (!ring)
		ring = nna_recovery_longest(nna);
	if (ring && nna_recovery_find(nna, ring, how, suspect))
		return true;
	/* If no ring reports a run time, suspect the highest one, which the device prefers. */
	for (i = NNA_JOB_RINGS; i-- > 0;)
		if (nna_recovery_find(nna, &nna->rings[i], how, suspect))
			return true;
	return false;
}

static bool nna_recovery_has_ended(struct nna_ring *ring, struct dma_fence *fence)
{
	nna_ring_process(ring);
	return dma_fence_is_signaled(fence);
}

/* Aborts a job. Returns whether it has ended; drops the reference on its fence. */
static bool nna_recovery_abort(struct nna_device *nna, const struct nna_suspect *suspect)
{
	bool taken = !nna_control_abort(nna, suspect->ring->index, suspect->seqno);
	bool ended = nna_recovery_has_ended(suspect->ring, suspect->fence);
	unsigned int i;

	/* Poll, since a timeout handler signals fences and so must not wait for one. */
	for (i = 0; taken && !ended && i < NNA_ABORT_POLLS && nna_hw_is_alive(&nna->hw); i++) {
		usleep_range(NNA_ABORT_POLL_US, NNA_ABORT_POLL_US + NNA_ABORT_POLL_US / 4);
		ended = nna_recovery_has_ended(suspect->ring, suspect->fence);
	}
	dma_fence_put(suspect->fence);
	return ended;
}

/*
 * Aborts the job that hangs, and resets the device if the job does not end. @ring is the ring of
 * that job, or NULL if it is not known.
 */
static void nna_recovery_end_hang(struct nna_device *nna, struct nna_ring *ring)
{
	const char *reason = "the device has begun no job in time";
	struct nna_suspect suspect;
	int error = -EIO;
	bool ended = false, dump;

	dump = nna_coredump_begin(nna, DRM_NNA_COREDUMP_HANG);
	if (nna_recovery_find_longest(nna, ring, dump ? NNA_RECOVERY_GUILTY_DUMP :
				      NNA_RECOVERY_GUILTY, &suspect)) {
		ended = nna_recovery_abort(nna, &suspect);
		reason = "a job did not end after an abort";
		error = -ECANCELED;
	}
	if (ended)
		drm_err(&nna->drm, "ring %u: job %u exceeded the time limit and was aborted\n",
			suspect.ring->index, suspect.seqno);
	else
		nna_reset_now(nna, reason, error);
	if (dump)
		nna_fault_end(nna);
}

bool nna_recovery_abort_longest(struct nna_device *nna, unsigned int ms)
{
	struct nna_suspect suspect;

	if (!nna_recovery_find_longest(nna, NULL, NNA_RECOVERY_INNOCENT, &suspect))
		return false;
	drm_warn(&nna->drm, "suspend: ring %u: job %u of %s[%d] has not yielded for %u ms and is aborted\n",
		 suspect.ring->index, suspect.seqno, suspect.comm, suspect.pid, ms);
	return nna_recovery_abort(nna, &suspect);
}

void nna_recovery_timeout(struct nna_job *job)
{
	struct nna_device *nna = job->nna;
	struct nna_ring *ring = &nna->rings[job->ctx->ring];
	struct dma_fence *fence = &job->fence->base;
	bool begun;
	int ret, idx;

	/* Pairs with the release in nna_job_start(). */
	begun = smp_load_acquire(&job->begun);
	/*
	 * Return if the job has ended, before it was put on the ring or while its scheduler was
	 * stopped; or if run_job is only about to put it on the ring.
	 */
	if (!begun || dma_fence_is_signaled(fence))
		return;

	ret = nna_ring_process(ring);
	/* The bus is resetting the device, and no job ends meanwhile. */
	if (READ_ONCE(nna->suspended))
		return;
	if (dma_fence_is_signaled(fence)) {
		drm_notice(&nna->drm, "ring %u: the interrupt of a completion was lost\n",
			   ring->index);
	} else if (ret < 0) {
		nna_reset_now(nna, "a completion has a wrong sequence number", -EIO);
	} else if (drm_dev_enter(&nna->drm, &idx)) {
		if (nna_recovery_device_hangs(job) && nna_recovery_stands_still(job))
			nna_recovery_end_hang(nna, NULL);
		else if (nna_recovery_ring_hangs(nna, ring))
			nna_recovery_end_hang(nna, ring);
		drm_dev_exit(idx);
	}
}
