// SPDX-License-Identifier: GPL-2.0-only
/* Entries of the control ring: see nna_control.h. */

#include <linux/completion.h>
#include <linux/container_of.h>
#include <linux/jiffies.h>
#include <linux/ktime.h>
#include <linux/wait.h>
#include <linux/workqueue.h>
#include <drm/drm_drv.h>

#include "nna_control.h"
#include "nna_core.h"
#include "nna_ring.h"

/*
 * The device has a second for an entry, in parts. Before each but the first part it must answer: so
 * the time for which the device's process stands still does not count.
 */
#define NNA_CONTROL_PARTS	10
#define NNA_CONTROL_PART	msecs_to_jiffies(100)
/* A reset that a suspend has cancelled is queued again after this time. */
#define NNA_RESET_RETRY		msecs_to_jiffies(1000)

/**
 * struct nna_control_op - A pending entry of the control ring; on the stack of its waiter.
 * @req: the ring's part.
 * @nna: the device.
 * @done: completed with the request.
 * @error: its result, 0 or a negative errno; valid after @done.
 * @dropped: a reset completed it, not the device; valid after @done.
 */
struct nna_control_op {
	struct nna_ring_request req;
	struct nna_device *nna;
	struct completion done;
	int error;
	bool dropped;
};

static void nna_control_complete(struct nna_ring_request *req, u16 status, u64 detail, int error)
{
	struct nna_control_op *op = container_of(req, struct nna_control_op, req);
	struct nna_device *nna = op->nna;

	op->dropped = error;
	op->error = error ?: (status == NNA_STATUS_OK ? 0 : -EIO);
	/* The waiter owns @op and may free it from here on. */
	complete(&op->done);
	wake_up(&nna->control_waitq);
}

static void nna_control_init(struct nna_control_op *op, struct nna_device *nna)
{
	*op = (struct nna_control_op){
		.req.complete = nna_control_complete,
		.nna = nna,
	};
	init_completion(&op->done);
}

static int nna_control_push(struct nna_device *nna, struct nna_ring_entry *entry,
			    struct nna_control_op *op)
{
	struct nna_ring *ring = &nna->rings[NNA_CONTROL_RING];
	int ret;

	nna_control_init(op, nna);
	wait_event(nna->control_waitq, (ret = nna_ring_push(ring, entry, &op->req)) != -ENOSPC);
	return ret;
}

/* Waits for the device to complete an entry. Returns whether it has done so in time. */
static bool nna_control_wait_done(struct nna_device *nna, struct nna_control_op *op)
{
	unsigned int i;

	for (i = 0; i < NNA_CONTROL_PARTS; i++) {
		if (i)
			nna_hw_is_alive(&nna->hw);
		if (wait_for_completion_timeout(&op->done, NNA_CONTROL_PART))
			return true;
	}
	return false;
}

/*
 * Waits with a time limit: for the reset path, and for entries on which correctness does not
 * depend.
 */
static int nna_control_wait(struct nna_ring *ring, struct nna_control_op *op)
{
	if (!nna_control_wait_done(op->nna, op)) {
		/* The interrupt may have been lost. */
		nna_ring_process(ring);
		if (nna_ring_detach(ring, &op->req))
			return -ETIMEDOUT;
		wait_for_completion(&op->done);
	}
	return op->error;
}

static int nna_control_run(struct nna_device *nna, struct nna_ring_entry *entry)
{
	struct nna_ring *ring = &nna->rings[NNA_CONTROL_RING];
	struct nna_control_op op;
	int ret;

	nna_control_init(&op, nna);
	ret = nna_ring_push(ring, entry, &op.req);
	if (ret)
		return ret == -ENOSPC ? -ETIMEDOUT : ret;
	return nna_control_wait(ring, &op);
}

void nna_control_reset_and_wait(struct nna_device *nna, const char *reason)
{
	struct nna_ring *ring = &nna->rings[NNA_CONTROL_RING];
	u32 epoch = READ_ONCE(ring->epoch);

	/*
	 * A suspend resets the device itself and cancels the work queued here: wait until the
	 * device has been reset either way.
	 */
	do {
		nna_core_schedule_reset(nna, reason);
		nna_core_flush_reset(nna);
		/*
		 * Unbind waits until this section of drm_dev_enter() ends, and no reset runs
		 * before: do not wait for one.
		 */
		if (drm_dev_is_unplugged(&nna->drm)) {
			nna_bus_disable_master(nna->bus);
			return;
		}
	} while (!wait_event_timeout(nna->control_waitq,
				     !READ_ONCE(ring->running) || READ_ONCE(ring->epoch) != epoch,
				     NNA_RESET_RETRY));
}

void nna_control_invalidate(struct nna_device *nna, u32 asid, u64 va, u64 size)
{
	struct nna_ring_entry entry = {
		.type = cpu_to_le32(NNA_ENTRY_INVALIDATE),
		.asid = cpu_to_le32(asid),
		.target = cpu_to_le32(size ? 0 : NNA_ENTRY_ALL),
		.address = cpu_to_le64(size ? va : 0),
		.length = cpu_to_le64(size),
	};
	struct nna_control_op op;
	bool done;

	/*
	 * The ring is stopped while the device is suspended, being reset, or has no bus mastering.
	 * Then the device holds no translations.
	 */
	if (nna_control_push(nna, &entry, &op))
		return;
	done = nna_control_wait_done(nna, &op);
	if (!done) {
		/* The interrupt may have been lost. */
		nna_ring_process(&nna->rings[NNA_CONTROL_RING]);
		done = try_wait_for_completion(&op.done);
	}
	/* A reset that dropped the entry has also dropped all translations. */
	if (done && (op.dropped || !op.error))
		return;
	nna_control_reset_and_wait(nna, "an invalidation was not acknowledged");
	/*
	 * A reset or a suspend has completed @op; where only bus mastering was disabled, detach it.
	 */
	nna_ring_detach(&nna->rings[NNA_CONTROL_RING], &op.req);
}

/* Runs an entry that names a ring and a job on it. */
static int nna_control_job(struct nna_device *nna, u32 type, unsigned int ring, u32 seqno)
{
	struct nna_ring_entry entry = {
		.type = cpu_to_le32(type),
		.target = cpu_to_le32(ring),
		.address = cpu_to_le64(seqno),
	};

	return nna_control_run(nna, &entry);
}

int nna_control_abort(struct nna_device *nna, unsigned int ring, u32 seqno)
{
	return nna_control_job(nna, NNA_ENTRY_ABORT, ring, seqno);
}

int nna_control_boost(struct nna_device *nna, unsigned int ring)
{
	return nna_control_job(nna, NNA_ENTRY_BOOST, ring, READ_ONCE(nna->rings[ring].seqno) - 1);
}

int nna_control_yield(struct nna_device *nna, unsigned int ring, u32 seqno)
{
	return nna_control_job(nna, NNA_ENTRY_YIELD, ring, seqno);
}

int nna_control_ping(struct nna_device *nna)
{
	struct nna_ring_entry entry = { .type = cpu_to_le32(NNA_ENTRY_NOP) };

	return nna_control_run(nna, &entry);
}

/**
 * struct nna_latency_op - A measurement of the time from doorbell to wake-up.
 * @work: writes the entry, as the scheduler's work does for a job.
 * @ring: the control ring.
 * @entry: an entry that does nothing.
 * @op: waits for its completion.
 * @start_ns: CLOCK_MONOTONIC just before the doorbell.
 */
struct nna_latency_op {
	struct work_struct work;
	struct nna_ring *ring;
	struct nna_ring_entry entry;
	struct nna_control_op op;
	u64 start_ns;
};

static void nna_latency_work(struct work_struct *work)
{
	struct nna_latency_op *latency = container_of(work, struct nna_latency_op, work);
	int ret;

	latency->start_ns = ktime_get_ns();
	ret = nna_ring_push(latency->ring, &latency->entry, &latency->op.req);
	if (ret) {
		latency->op.error = ret;
		complete(&latency->op.done);
	}
}

int nna_control_latency(struct nna_device *nna, u64 *ns)
{
	struct nna_latency_op latency = {
		.ring = &nna->rings[NNA_CONTROL_RING],
		.entry.type = cpu_to_le32(NNA_ENTRY_NOP),
	};
	bool done;
	u64 end;

	nna_control_init(&latency.op, nna);
	INIT_WORK_ONSTACK(&latency.work, nna_latency_work);
	queue_work(nna->submit_wq, &latency.work);
	done = nna_control_wait_done(nna, &latency.op);
	end = ktime_get_ns();
	/* When the wait has timed out, the work may not have run yet. */
	flush_work(&latency.work);
	destroy_work_on_stack(&latency.work);
	*ns = end > latency.start_ns ? end - latency.start_ns : 0;
	return done ? latency.op.error : nna_control_wait(latency.ring, &latency.op);
}
