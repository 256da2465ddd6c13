// SPDX-License-Identifier: MIT
/*
 * Job rings. The model writes a completion for each entry, in order, and flips the phase bit each
 * time it wraps around: a completion with the other phase bit is an old one.
 */
#include <errno.h>

#include "libnnaccel/support/clock.h"
#include "libnnaccel/winsys/loopback/loopback.h"

/* Both arrays lie in one range of memory, each in pages of its own, the entries first. */
int nna_loopback_ring_setup(struct nna_loopback *lb, uint32_t number,
			    struct nnahw_ring_entry **entries,
			    struct nnahw_completion **completions)
{
	uint64_t at = NNAHW_RING_REGS + (uint64_t)number * NNAHW_RING_STRIDE;
	uint64_t entry_bytes =
		(NNA_LOOPBACK_RING_SIZE * sizeof(**entries) + NNA_VA_PAGE - 1) & ~(NNA_VA_PAGE - 1);
	uint64_t bytes =
		entry_bytes + ((NNA_LOOPBACK_RING_SIZE * sizeof(**completions) + NNA_VA_PAGE - 1) &
			       ~(NNA_VA_PAGE - 1));
	struct nna_loopback_chunk *c;
	uint64_t offset;
	int ret = nna_loopback_memory_take(lb, bytes, NNA_VA_PAGE, &c, &offset);

	if (ret)
		return ret;
	*entries = (void *)(c->map + offset);
	*completions = (void *)(c->map + offset + entry_bytes);
	nnadev_reg_write(lb->dev, at + NNAHW_RING_REG_BASE, 8, c->iova + offset);
	nnadev_reg_write(lb->dev, at + NNAHW_RING_REG_CQ_BASE, 8, c->iova + offset + entry_bytes);
	nnadev_reg_write(lb->dev, at + NNAHW_RING_REG_SIZE, 4, NNA_LOOPBACK_RING_SIZE);
	nnadev_reg_write(lb->dev, at + NNAHW_RING_REG_VECTOR, 4, number);
	nnadev_reg_write(lb->dev, at + NNAHW_RING_REG_CONTROL, 4, NNAHW_RING_REG_CONTROL_ENABLE);
	if (nnadev_reg_read(lb->dev, at + NNAHW_RING_REG_STATUS, 4) & NNAHW_RING_REG_STATUS_ERROR)
		return -EIO;
	return 0;
}

bool nna_loopback_ring_full(const struct nna_loopback_ring *ring)
{
	return ring->tail - ring->head == NNA_LOOPBACK_RING_SIZE;
}

void nna_loopback_ring_push(struct nna_loopback *lb, struct nna_loopback_job *job)
{
	uint32_t number = job->queue->ring;
	struct nna_loopback_ring *ring = &lb->rings[number];
	uint32_t slot = ring->tail & (NNA_LOOPBACK_RING_SIZE - 1);
	uint64_t deadline = job->deadline_ns;

	if (job->duration_ns) {
		uint64_t end = nna_now_ns();

		if (__builtin_add_overflow(end, job->duration_ns, &end))
			end = INT64_MAX;
		if (!deadline || end < deadline)
			deadline = end;
	}
	if (deadline) {
		int64_t tick;

		if (deadline > INT64_MAX ||
		    __builtin_add_overflow((int64_t)deadline, lb->tick_offset, &tick))
			tick = INT64_MAX;
		job->entry.deadline = tick > 0 ? tick : 1;
	}
	job->entry.seqno = ring->tail + 1;
	ring->jobs[slot] = job;
	ring->entries[slot] = job->entry;
	ring->tail++;
	atomic_thread_fence(memory_order_release);
	nnadev_reg_write(lb->dev, NNAHW_DOORBELLS + 4 * number, 4, ring->tail);
}

void nna_loopback_ring_irq(void *user, uint32_t vector)
{
	struct nna_loopback *lb = user;
	struct nna_loopback_ring *ring;
	bool more;

	if (vector == NNAHW_CONTROL_RING) {
		nna_loopback_control_irq(lb);
		return;
	}
	if (vector >= NNAHW_JOB_RINGS)
		return;
	pthread_mutex_lock(&lb->jobs);
	ring = &lb->rings[vector];
	while (ring->head != ring->tail) {
		struct nnahw_completion *c =
			&ring->completions[ring->head & (NNA_LOOPBACK_RING_SIZE - 1)];
		uint16_t flags = __atomic_load_n(&c->flags, __ATOMIC_ACQUIRE);
		struct nna_loopback_job *job =
			ring->jobs[ring->head & (NNA_LOOPBACK_RING_SIZE - 1)];
		bool ban;
		int error;

		if ((flags & NNAHW_COMPLETION_PHASE) != !(ring->head / NNA_LOOPBACK_RING_SIZE & 1))
			break;
		error = nnahw_status_errno(c->status, &ban);
		if (c->seqno != job->entry.seqno)
			error = -EIO;
		ring->head++;
		job->queue->banned |= ban;
		nna_loopback_job_end(lb, job, error);
	}
	more = lb->waiting ||
	       (lb->zombies && (!lb->oldest || lb->oldest->ticket >= lb->zombies->ticket));
	pthread_mutex_unlock(&lb->jobs);
	if (more)
		nna_loopback_worker_wake(lb);
}
