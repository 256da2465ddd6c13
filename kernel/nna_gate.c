// SPDX-License-Identifier: GPL-2.0-only
/* Gates: see nna_gate.h. */

#include <linux/lockdep.h>
#include <linux/slab.h>
#include <drm/drm_managed.h>

#include "nna_core.h"
#include "nna_gate.h"
#include "nna_ring.h"

/**
 * struct nna_gates - The gates of a job ring.
 * @lock: protects these and the queues and gates of the ring.
 * @limit: entries of the ring.
 * @entries: how many of them are reserved.
 * @doomed: the device is lost: all gates are open.
 * @shut: queues with a shut gate, by nna_gate_queue.node.
 * @shares: the clients of the ring.
 */
struct nna_gates {
	spinlock_t lock;
	u32 limit;
	u32 entries;
	bool doomed;
	struct list_head shut;
	struct nna_shares shares;
};

static const char *nna_gate_get_driver_name(struct dma_fence *fence)
{
	return NNA_DRIVER_NAME;
}

static const char *nna_gate_get_timeline_name(struct dma_fence *fence)
{
	return "nna-gate";
}

static void nna_gate_release(struct dma_fence *fence)
{
	kfree(container_of(fence, struct nna_gate, fence));
}

static const struct dma_fence_ops nna_gate_fence_ops = {
	.get_driver_name = nna_gate_get_driver_name,
	.get_timeline_name = nna_gate_get_timeline_name,
	.release = nna_gate_release,
};

int nna_gates_init(struct nna_device *nna)
{
	unsigned int i;

	nna->gates = drmm_kcalloc(&nna->drm, NNA_JOB_RINGS, sizeof(*nna->gates), GFP_KERNEL);
	if (!nna->gates)
		return -ENOMEM;
	for (i = 0; i < NNA_JOB_RINGS; i++) {
		struct nna_gates *gates = &nna->gates[i];

		spin_lock_init(&gates->lock);
		gates->limit = nna->rings[i].size;
		INIT_LIST_HEAD(&gates->shut);
		nna_shares_init(&gates->shares);
	}
	return 0;
}

void nna_gate_queue_init(struct nna_gate_queue *queue, struct nna_device *nna, unsigned int ring,
			 struct nna_share *share)
{
	queue->gates = &nna->gates[ring];
	queue->share = share;
	INIT_LIST_HEAD(&queue->node);
	INIT_LIST_HEAD(&queue->runnable);
}

void nna_gate_init(struct nna_gate *gate, struct nna_gate_queue *queue, u64 budget)
{
	spin_lock_init(&gate->fence_lock);
	/* Each gate has its own fence context, since gates open in any order. */
	dma_fence_init(&gate->fence, &nna_gate_fence_ops, &gate->fence_lock,
		       dma_fence_context_alloc(1), 1);
	gate->queue = queue;
	gate->budget = budget;
}

void nna_gate_put(struct nna_gate *gate)
{
	dma_fence_put(&gate->fence);
}

static bool nna_gate_queue_is_doomed(struct nna_gate_queue *queue)
{
	return queue->doomed || queue->gates->doomed;
}

/* Recomputes whether the queue is active; called after a change of its inputs. */
static void nna_gate_queue_update_locked(struct nna_gate_queue *queue)
{
	bool active = !nna_gate_queue_is_doomed(queue) &&
		      (queue->shut ? !list_empty(&queue->runnable) : queue->pushed);

	lockdep_assert_held(&queue->gates->lock);
	if (active == queue->active)
		return;
	queue->active = active;
	if (active)
		nna_share_wake(&queue->gates->shares, queue->share);
	else
		nna_share_sleep(&queue->gates->shares, queue->share);
}

static void nna_gate_open_locked(struct nna_gate *gate)
{
	struct nna_gate_queue *queue = gate->queue;

	queue->shut = NULL;
	list_del_init(&queue->node);
	nna_share_remove_runnable(&queue->gates->shares, queue->share, &queue->runnable);
	nna_gate_queue_update_locked(queue);
	/* Hold a reference: once the fence has signalled, the scheduler may free the job. */
	dma_fence_get(&gate->fence);
	dma_fence_signal(&gate->fence);
	dma_fence_put(&gate->fence);
}

static void nna_gate_enter_locked(struct nna_gate *gate)
{
	struct nna_gate_queue *queue = gate->queue;

	gate->entered = true;
	gate->charged = nna_share_enter(&queue->gates->shares, queue->share, gate->budget);
	queue->entries++;
	queue->gates->entries++;
}

/* Opens the gates of runnable queues, as nna_share.h chooses, as long as entries are left. */
static void nna_gates_admit_locked(struct nna_gates *gates)
{
	struct nna_share *share;

	while (gates->entries < gates->limit) {
		struct nna_gate *gate;

		share = nna_share_next(&gates->shares);
		if (!share)
			break;
		gate = list_first_entry(&share->runnable, struct nna_gate_queue, runnable)->shut;
		nna_gate_enter_locked(gate);
		nna_gate_open_locked(gate);
	}
}

/* Opens the gate of a doomed queue once its earlier jobs have left the ring. */
static void nna_gate_queue_end_locked(struct nna_gate_queue *queue)
{
	if (queue->shut && !queue->entries && nna_gate_queue_is_doomed(queue))
		nna_gate_open_locked(queue->shut);
}

static void nna_gate_queue_doom_locked(struct nna_gate_queue *queue)
{
	nna_share_remove_runnable(&queue->gates->shares, queue->share, &queue->runnable);
	nna_gate_queue_update_locked(queue);
	nna_gate_queue_end_locked(queue);
}

static void nna_gates_doom_ring(struct nna_gates *gates)
{
	struct nna_gate_queue *queue, *next;
	unsigned long flags;

	spin_lock_irqsave(&gates->lock, flags);
	gates->doomed = true;
	list_for_each_entry_safe(queue, next, &gates->shut, node)
		nna_gate_queue_doom_locked(queue);
	spin_unlock_irqrestore(&gates->lock, flags);
}

void nna_gates_doom(struct nna_device *nna)
{
	unsigned int i;

	for (i = 0; i < NNA_JOB_RINGS; i++)
		nna_gates_doom_ring(&nna->gates[i]);
}

void nna_gate_queue_doom(struct nna_gate_queue *queue)
{
	unsigned long flags;

	spin_lock_irqsave(&queue->gates->lock, flags);
	queue->doomed = true;
	nna_gate_queue_doom_locked(queue);
	/* Clients that were ahead of this one may go now. */
	nna_gates_admit_locked(queue->gates);
	spin_unlock_irqrestore(&queue->gates->lock, flags);
}

static void nna_gate_ask_locked(struct nna_gate *gate)
{
	struct nna_gate_queue *queue = gate->queue;

	if (queue->shut == gate && gate->ready && !nna_gate_queue_is_doomed(queue))
		nna_share_add_runnable(&queue->gates->shares, queue->share, &queue->runnable);
	nna_gate_queue_update_locked(queue);
	nna_gates_admit_locked(queue->gates);
}

void nna_gate_push(struct nna_gate *gate)
{
	struct nna_gate_queue *queue = gate->queue;
	unsigned long flags;

	spin_lock_irqsave(&queue->gates->lock, flags);
	queue->pushed++;
	nna_gate_queue_update_locked(queue);
	spin_unlock_irqrestore(&queue->gates->lock, flags);
}

void nna_gate_ready(struct nna_gate *gate)
{
	struct nna_gates *gates = gate->queue->gates;
	unsigned long flags;

	spin_lock_irqsave(&gates->lock, flags);
	gate->ready = true;
	if (gate->queue->shut == gate)
		nna_gate_ask_locked(gate);
	spin_unlock_irqrestore(&gates->lock, flags);
}

struct dma_fence *nna_gate_wait(struct nna_gate *gate)
{
	struct nna_gate_queue *queue = gate->queue;
	struct nna_gates *gates = queue->gates;
	struct dma_fence *fence = NULL;
	unsigned long flags;

	spin_lock_irqsave(&gates->lock, flags);
	if (gate->entered)
		goto out;
	if (!gate->asked) {
		gate->asked = true;
		queue->pushed--;
	}
	if (nna_gate_queue_is_doomed(queue) && !queue->entries) {
		nna_gate_queue_update_locked(queue);
		goto out;
	}
	queue->shut = gate;
	list_add_tail(&queue->node, &gates->shut);
	nna_gate_ask_locked(gate);
	/* Its client may have been chosen at once. */
	if (!gate->entered)
		fence = dma_fence_get(&gate->fence);
out:
	spin_unlock_irqrestore(&gates->lock, flags);
	return fence;
}

void nna_gate_leave(struct nna_gate *gate, const u64 *ran)
{
	struct nna_gate_queue *queue = gate->queue;
	struct nna_gates *gates = queue->gates;
	unsigned long flags;

	spin_lock_irqsave(&gates->lock, flags);
	if (gate->entered) {
		gate->entered = false;
		queue->entries--;
		gates->entries--;
		nna_share_leave(&gates->shares, queue->share, gate->charged, ran);
		nna_gate_queue_end_locked(queue);
		/*
		 * Not for each entry: while half of them are reserved the device has enough to do,
		 * and the scheduler is woken once for many jobs. But a client that wakes when the
		 * ring is full shall wait for nothing but what is on it.
		 */
		if (gates->entries <= gates->limit / 2 || gates->shares.woken)
			nna_gates_admit_locked(gates);
	}
	spin_unlock_irqrestore(&gates->lock, flags);
}
