// SPDX-License-Identifier: GPL-2.0-only
/* Gates: see nna_gate.h. */

#include <linux/lockdep.h>
#include <linux/slab.h>
#include <drm/drm_managed.h>

#include "nna_core.h"
#include "nna_gate.h"
#include "nna_ring.h"

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
		INIT_LIST_HEAD(&gates->turns);
	}
	return 0;
}

void nna_gate_queue_init(struct nna_gate_queue *queue, struct nna_gates *gates)
{
	queue->gates = gates;
	INIT_LIST_HEAD(&queue->node);
	INIT_LIST_HEAD(&queue->turn);
}

void nna_gate_init(struct nna_gate *gate, struct nna_gate_queue *queue)
{
	spin_lock_init(&gate->fence_lock);
	/* A context of its own, as gates open in any order. */
	dma_fence_init(&gate->fence, &nna_gate_fence_ops, &gate->fence_lock,
		       dma_fence_context_alloc(1), 1);
	gate->queue = queue;
}

void nna_gate_put(struct nna_gate *gate)
{
	dma_fence_put(&gate->fence);
}

static void nna_gate_open_locked(struct nna_gate *gate)
{
	struct nna_gate_queue *queue = gate->queue;

	lockdep_assert_held(&queue->gates->lock);
	queue->shut = NULL;
	list_del_init(&queue->node);
	list_del_init(&queue->turn);
	/* Once it has signalled the scheduler may end the job at any time. */
	dma_fence_get(&gate->fence);
	dma_fence_signal(&gate->fence);
	dma_fence_put(&gate->fence);
}

static void nna_gate_enter_locked(struct nna_gate *gate)
{
	gate->entered = true;
	gate->queue->entries++;
	gate->queue->gates->entries++;
}

/*
 * Opens gates in turn as long as there are places. Not for each place: while half of them are held
 * the device has enough to do, and then the scheduler is woken once for many jobs.
 */
static void nna_gates_turn_locked(struct nna_gates *gates)
{
	if (gates->entries > gates->limit / 2)
		return;
	while (gates->entries < gates->limit && !list_empty(&gates->turns)) {
		struct nna_gate *gate = list_first_entry(&gates->turns, struct nna_gate_queue,
							 turn)->shut;

		nna_gate_enter_locked(gate);
		nna_gate_open_locked(gate);
	}
}

static bool nna_gate_queue_is_doomed(struct nna_gate_queue *queue)
{
	return queue->doomed || queue->gates->doomed;
}

/* Lets the first job of a doomed queue go once those before it have left the ring. */
static void nna_gate_queue_end_locked(struct nna_gate_queue *queue)
{
	if (queue->shut && !queue->entries && nna_gate_queue_is_doomed(queue))
		nna_gate_open_locked(queue->shut);
}

void nna_gates_doom(struct nna_gates *gates)
{
	struct nna_gate_queue *queue, *next;
	unsigned long flags;

	spin_lock_irqsave(&gates->lock, flags);
	gates->doomed = true;
	list_for_each_entry_safe(queue, next, &gates->shut, node) {
		list_del_init(&queue->turn);
		nna_gate_queue_end_locked(queue);
	}
	spin_unlock_irqrestore(&gates->lock, flags);
}

void nna_gate_queue_doom(struct nna_gate_queue *queue)
{
	unsigned long flags;

	spin_lock_irqsave(&queue->gates->lock, flags);
	queue->doomed = true;
	list_del_init(&queue->turn);
	nna_gate_queue_end_locked(queue);
	spin_unlock_irqrestore(&queue->gates->lock, flags);
}

static void nna_gate_ask_locked(struct nna_gate *gate)
{
	struct nna_gate_queue *queue = gate->queue;

	lockdep_assert_held(&queue->gates->lock);
	if (queue->shut != gate || !gate->ready || nna_gate_queue_is_doomed(queue))
		return;
	list_add_tail(&queue->turn, &queue->gates->turns);
	nna_gates_turn_locked(queue->gates);
}

void nna_gate_ready(struct nna_gate *gate)
{
	struct nna_gates *gates = gate->queue->gates;
	unsigned long flags;

	spin_lock_irqsave(&gates->lock, flags);
	gate->ready = true;
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
	if (nna_gate_queue_is_doomed(queue) ? !queue->entries :
	    gate->ready && gates->entries < gates->limit && list_empty(&gates->turns)) {
		if (!nna_gate_queue_is_doomed(queue))
			nna_gate_enter_locked(gate);
		goto out;
	}
	queue->shut = gate;
	list_add_tail(&queue->node, &gates->shut);
	fence = dma_fence_get(&gate->fence);
	nna_gate_ask_locked(gate);
out:
	spin_unlock_irqrestore(&gates->lock, flags);
	return fence;
}

void nna_gate_leave(struct nna_gate *gate)
{
	struct nna_gate_queue *queue = gate->queue;
	struct nna_gates *gates = queue->gates;
	unsigned long flags;

	spin_lock_irqsave(&gates->lock, flags);
	if (gate->entered) {
		gate->entered = false;
		queue->entries--;
		gates->entries--;
		nna_gate_queue_end_locked(queue);
		nna_gates_turn_locked(gates);
	}
	spin_unlock_irqrestore(&gates->lock, flags);
}
