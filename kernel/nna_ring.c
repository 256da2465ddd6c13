// SPDX-License-Identifier: GPL-2.0-only
/* Rings: see nna_ring.h for their data, its owner and the locking. */

#include <linux/device.h>
#include <linux/dma-mapping.h>
#include <linux/lockdep.h>
#include <linux/slab.h>
#include <asm/barrier.h>

#include "nna_core.h"
#include "nna_hw.h"
#include "nna_ring.h"

int nna_ring_init(struct nna_ring *ring, struct nna_device *nna, unsigned int index, u32 size,
		  u32 vector)
{
	struct device *dev = nna->bus->dev;

	ring->nna = nna;
	ring->index = index;
	ring->size = size;
	ring->vector = vector;
	spin_lock_init(&ring->lock);
	ring->seqno = 1;

	ring->requests = devm_kcalloc(dev, size, sizeof(*ring->requests), GFP_KERNEL);
	ring->yielded = devm_kcalloc(dev, size, sizeof(*ring->yielded), GFP_KERNEL);
	ring->entries = dmam_alloc_coherent(dev, size * sizeof(*ring->entries),
					    &ring->entries_dma, GFP_KERNEL);
	ring->cq = dmam_alloc_coherent(dev, size * sizeof(*ring->cq), &ring->cq_dma, GFP_KERNEL);
	return ring->requests && ring->yielded && ring->entries && ring->cq ? 0 : -ENOMEM;
}

static void nna_ring_write_locked(struct nna_ring *ring, struct nna_ring_request *req)
{
	u32 slot = ring->tail++ & (ring->size - 1);

	lockdep_assert_held(&ring->lock);
	req->seqno = ring->seqno;
	WRITE_ONCE(ring->seqno, req->seqno + 1);
	req->entry->seqno = cpu_to_le32(req->seqno);
	ring->entries[slot] = *req->entry;
	ring->requests[slot] = req;
}

static void nna_ring_rewrite_locked(struct nna_ring *ring)
{
	u32 kept = ring->tail, i;

	lockdep_assert_held(&ring->lock);
	for (i = 0, ring->tail = 0; i < kept; i++) {
		struct nna_ring_request *req = ring->requests[i];

		ring->requests[i] = NULL;
		if (!req->rewrite || req->rewrite(req))
			nna_ring_write_locked(ring, req);
		else
			req->complete(req, 0, 0, -ECANCELED);
	}
}

int nna_ring_enable(struct nna_ring *ring)
{
	unsigned long flags;
	u32 resubmitted;
	int ret;

	spin_lock_irqsave(&ring->lock, flags);
	WARN_ON(ring->running || ring->done);
	memset(ring->cq, 0, ring->size * sizeof(*ring->cq));
	nna_ring_rewrite_locked(ring);
	resubmitted = ring->tail;
	spin_unlock_irqrestore(&ring->lock, flags);

	/* All phase bits must be 0 in memory before the device writes records of the first lap. */
	dma_wmb();
	ret = nna_hw_ring_enable(&ring->nna->hw, ring->index, ring->entries_dma, ring->cq_dma,
				 ring->size, ring->vector);
	if (ret)
		return ret;

	spin_lock_irqsave(&ring->lock, flags);
	WRITE_ONCE(ring->running, true);
	if (resubmitted)
		nna_hw_doorbell(&ring->nna->hw, ring->index, ring->tail);
	spin_unlock_irqrestore(&ring->lock, flags);
	return 0;
}

static struct nna_ring_request *nna_ring_pop_locked(struct nna_ring *ring)
{
	u32 slot = ring->done++ & (ring->size - 1);
	struct nna_ring_request *req = ring->requests[slot];

	lockdep_assert_held(&ring->lock);
	ring->requests[slot] = NULL;
	return req;
}

/* @keep: keep the requests that have yielded, and those beyond @begun that may be resubmitted. */
static void nna_ring_rewind_locked(struct nna_ring *ring, bool keep, u32 begun, int error)
{
	struct nna_ring_request *resubmitted[NNA_RING_SIZE];
	u32 count = 0, i;

	lockdep_assert_held(&ring->lock);
	WRITE_ONCE(ring->running, false);
	WRITE_ONCE(ring->epoch, ring->epoch + 1);
	for (i = 0; i < ring->yielded_count; i++) {
		if (keep)
			resubmitted[count++] = ring->yielded[i];
		else
			ring->yielded[i]->complete(ring->yielded[i], 0, 0, error);
	}
	ring->yielding = false;
	ring->yielded_count = 0;
	for (i = 0; ring->done != ring->tail; i++) {
		struct nna_ring_request *req = nna_ring_pop_locked(ring);

		if (!req)
			continue;
		if (keep && i >= begun && req->may_resubmit && req->may_resubmit(req))
			resubmitted[count++] = req;
		else
			req->complete(req, 0, 0, error);
	}
	ring->done = 0;
	ring->tail = count;
	memcpy(ring->requests, resubmitted, count * sizeof(*resubmitted));
}

void nna_ring_disable(struct nna_ring *ring, int error)
{
	unsigned long flags;

	spin_lock_irqsave(&ring->lock, flags);
	nna_ring_rewind_locked(ring, false, 0, error);
	spin_unlock_irqrestore(&ring->lock, flags);
}

void nna_ring_rewind(struct nna_ring *ring, u32 head, int error)
{
	unsigned long flags;
	u32 begun;

	spin_lock_irqsave(&ring->lock, flags);
	begun = head - ring->done;
	nna_ring_rewind_locked(ring, true, begun <= ring->tail - ring->done ? begun : U32_MAX,
			       error);
	spin_unlock_irqrestore(&ring->lock, flags);
}

int nna_ring_push(struct nna_ring *ring, struct nna_ring_entry *entry,
		  struct nna_ring_request *req)
{
	unsigned long flags;
	int ret = 0;

	req->entry = entry;
	spin_lock_irqsave(&ring->lock, flags);
	if (!ring->running) {
		ret = -EIO;
	} else if (ring->tail - ring->done + ring->yielded_count >= ring->size) {
		ret = -ENOSPC;
	} else {
		nna_ring_write_locked(ring, req);
		nna_hw_doorbell(&ring->nna->hw, ring->index, ring->tail);
	}
	spin_unlock_irqrestore(&ring->lock, flags);
	return ret;
}

bool nna_ring_detach(struct nna_ring *ring, struct nna_ring_request *req)
{
	unsigned long flags;
	bool found = false;
	u32 i;

	spin_lock_irqsave(&ring->lock, flags);
	for (i = ring->done; i != ring->tail && !found; i++) {
		if (ring->requests[i & (ring->size - 1)] == req) {
			ring->requests[i & (ring->size - 1)] = NULL;
			found = true;
		}
	}
	spin_unlock_irqrestore(&ring->lock, flags);
	return found;
}

u32 nna_ring_find(struct nna_ring *ring, const void *owner, u32 *seqnos)
{
	u32 count = 0, i;

	spin_lock_irq(&ring->lock);
	for (i = ring->done; i != ring->tail; i++) {
		struct nna_ring_request *req = ring->requests[i & (ring->size - 1)];

		if (req && req->owner == owner)
			seqnos[count++] = req->seqno;
	}
	spin_unlock_irq(&ring->lock);
	return count;
}

bool nna_ring_yield(struct nna_ring *ring, u32 *seqno)
{
	bool tell;

	spin_lock_irq(&ring->lock);
	tell = ring->running && ring->tail != ring->done && !ring->yielding;
	if (tell) {
		ring->yielding = true;
		*seqno = ring->seqno - 1;
	}
	spin_unlock_irq(&ring->lock);
	return tell;
}

void nna_ring_cancel_yield(struct nna_ring *ring)
{
	spin_lock_irq(&ring->lock);
	ring->yielding = false;
	spin_unlock_irq(&ring->lock);
}

struct nna_ring_request *nna_ring_oldest(struct nna_ring *ring)
{
	lockdep_assert_held(&ring->lock);
	if (!ring->running || ring->tail == ring->done)
		return NULL;
	return ring->requests[ring->done & (ring->size - 1)];
}

bool nna_ring_is_empty(struct nna_ring *ring)
{
	unsigned long flags;
	bool empty;

	/* Under the lock, since a reset removes all entries before it writes some of them again. */
	spin_lock_irqsave(&ring->lock, flags);
	empty = ring->tail == ring->done;
	spin_unlock_irqrestore(&ring->lock, flags);
	return empty;
}

/* Keeps the request of an entry that has completed in @slot, if it has yielded on demand. */
static bool nna_ring_keep_locked(struct nna_ring *ring, struct nna_ring_request *req, u32 slot,
				 u16 status, u64 detail)
{
	lockdep_assert_held(&ring->lock);
	if (status != NNA_STATUS_YIELDED || !ring->yielding || !req->yielded ||
	    !req->yielded(req, &ring->entries[slot], detail))
		return false;
	ring->yielded[ring->yielded_count++] = req;
	return true;
}

int nna_ring_process(struct nna_ring *ring)
{
	unsigned long irqflags;
	int n = 0;

	spin_lock_irqsave(&ring->lock, irqflags);
	while (ring->running && ring->done != ring->tail) {
		u32 slot = ring->done & (ring->size - 1);
		struct nna_completion *c = &ring->cq[slot];
		u16 flags = le16_to_cpu(READ_ONCE(c->flags));
		u16 phase = ring->done & ring->size ? 0 : NNA_COMPLETION_PHASE;
		struct nna_ring_request *req;
		u16 status;
		u64 detail;
		u32 seqno;

		if ((flags & NNA_COMPLETION_PHASE) != phase)
			break;
		/*
		 * The device writes the phase bit last, so the rest of the record is read after it.
		 */
		dma_rmb();

		seqno = ring->seqno - (ring->tail - ring->done);
		if (le32_to_cpu(c->seqno) != seqno) {
			n = -EIO;
			break;
		}
		req = nna_ring_pop_locked(ring);
		ring->completions++;
		status = le16_to_cpu(c->status);
		detail = le64_to_cpu(c->detail);
		if (req && !nna_ring_keep_locked(ring, req, slot, status, detail))
			req->complete(req, status, detail, 0);
		n++;
	}
	spin_unlock_irqrestore(&ring->lock, irqflags);
	return n;
}
