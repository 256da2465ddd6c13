// SPDX-License-Identifier: GPL-2.0-only
/* Gates: see nna_gate.h. */

#include <linux/dma-fence.h>
#include <linux/lockdep.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>
#include <drm/drm_managed.h>

#include "nna_core.h"
#include "nna_gate.h"
#include "nna_ring.h"

/**
 * struct nna_gates - The gates of a job ring.
 * @nna: the device.
 * @ops: operations of jobs.
 * @push_lock: held from the choice of an admitted job until it has been pushed, so that jobs are
 *	pushed in the order in which they were admitted.
 * @push_work: pushes the jobs of @admitted.
 * @end_work: ends the jobs of @ended.
 * @lock: protects the fields below, and the queues and gates of the ring.
 * @limit: entries of the ring.
 * @entries: how many of them are reserved.
 * @doomed: the device is lost: all queues are doomed.
 * @queues: queues with waiting jobs, by nna_gate_queue.node.
 * @admitted: jobs to push, by nna_gate.node.
 * @ended: jobs of doomed queues, by nna_gate.node.
 * @shares: the users of the ring.
 */
struct nna_gates {
	struct nna_device *nna;
	const struct nna_gate_ops *ops;
	spinlock_t push_lock;
	struct work_struct push_work;
	struct work_struct end_work;
	spinlock_t lock;
	u32 limit;
	u32 entries;
	bool doomed;
	struct list_head queues;
	struct list_head admitted;
	struct list_head ended;
	struct nna_shares shares;
};

/* Takes the first job off a list of these; NULL if there is none. */
static struct nna_gate *nna_gates_take(struct nna_gates *gates, struct list_head *list)
{
	struct nna_gate *gate;

	spin_lock_irq(&gates->lock);
	gate = list_first_entry_or_null(list, struct nna_gate, node);
	if (gate)
		list_del_init(&gate->node);
	spin_unlock_irq(&gates->lock);
	return gate;
}

static void nna_gates_push(struct nna_gates *gates)
{
	struct nna_gate *gate;

	spin_lock(&gates->push_lock);
	while ((gate = nna_gates_take(gates, &gates->admitted)))
		gates->ops->push(gate);
	spin_unlock(&gates->push_lock);
}

static void nna_gates_push_work(struct work_struct *work)
{
	bool cookie = dma_fence_begin_signalling();

	nna_gates_push(container_of(work, struct nna_gates, push_work));
	dma_fence_end_signalling(cookie);
}

static void nna_gates_end_work(struct work_struct *work)
{
	struct nna_gates *gates = container_of(work, struct nna_gates, end_work);
	struct nna_gate *gate;
	unsigned int i;

	for (i = 0; i < NNA_GATES_BATCH; i++) {
		gate = nna_gates_take(gates, &gates->ended);
		if (!gate)
			return;
		gates->ops->end(gate);
	}
	/* Behind the schedulers' work, which is on the same queue. */
	queue_work(gates->nna->submit_wq, &gates->end_work);
}

static void nna_gates_fini(struct drm_device *drm, void *res)
{
	struct nna_device *nna = to_nna_device(drm);
	unsigned int i;

	/* No job is left, but the work that pushed or ended the last one may be running. */
	for (i = 0; i < NNA_JOB_RINGS; i++) {
		cancel_work_sync(&nna->gates[i].push_work);
		cancel_work_sync(&nna->gates[i].end_work);
	}
}

int nna_gates_init(struct nna_device *nna, const struct nna_gate_ops *ops)
{
	unsigned int i;

	nna->gates = drmm_kcalloc(&nna->drm, NNA_JOB_RINGS, sizeof(*nna->gates), GFP_KERNEL);
	if (!nna->gates)
		return -ENOMEM;
	for (i = 0; i < NNA_JOB_RINGS; i++) {
		struct nna_gates *gates = &nna->gates[i];

		gates->nna = nna;
		gates->ops = ops;
		spin_lock_init(&gates->push_lock);
		INIT_WORK(&gates->push_work, nna_gates_push_work);
		INIT_WORK(&gates->end_work, nna_gates_end_work);
		spin_lock_init(&gates->lock);
		gates->limit = nna->rings[i].size;
		INIT_LIST_HEAD(&gates->queues);
		INIT_LIST_HEAD(&gates->admitted);
		INIT_LIST_HEAD(&gates->ended);
		nna_shares_init(&gates->shares);
	}
	return drmm_add_action_or_reset(&nna->drm, nna_gates_fini, NULL);
}

void nna_gate_queue_init(struct nna_gate_queue *queue, struct nna_device *nna, unsigned int ring,
			 struct nna_share *share)
{
	queue->gates = &nna->gates[ring];
	queue->share = share;
	INIT_LIST_HEAD(&queue->waiting);
	INIT_LIST_HEAD(&queue->node);
	INIT_LIST_HEAD(&queue->runnable);
}

void nna_gate_init(struct nna_gate *gate, struct nna_gate_queue *queue, u64 budget)
{
	gate->queue = queue;
	INIT_LIST_HEAD(&gate->node);
	gate->budget = budget;
}

static bool nna_gate_queue_is_doomed(struct nna_gate_queue *queue)
{
	return queue->doomed || queue->gates->doomed;
}

static struct nna_gate *nna_gate_queue_first(struct nna_gate_queue *queue)
{
	return list_first_entry_or_null(&queue->waiting, struct nna_gate, node);
}

/* Called after a change of the queue's first job, or of whether that is ready. */
static void nna_gate_queue_update_locked(struct nna_gate_queue *queue)
{
	struct nna_shares *shares = &queue->gates->shares;
	struct nna_gate *first = nna_gate_queue_first(queue);
	bool was = !list_empty(&queue->runnable);
	bool is = first && first->ready && !nna_gate_queue_is_doomed(queue);

	lockdep_assert_held(&queue->gates->lock);
	if (is && was)
		nna_share_next_turn(queue->share, &queue->runnable);
	else if (is)
		nna_share_add(shares, queue->share, &queue->runnable);
	else if (was)
		nna_share_remove(shares, queue->share, &queue->runnable);
	if (!first)
		list_del_init(&queue->node);
	else if (list_empty(&queue->node))
		list_add_tail(&queue->node, &queue->gates->queues);
}

/* Admits jobs, as nna_share.h chooses, as long as entries are left: @admitted has them then. */
static void nna_gates_admit_locked(struct nna_gates *gates)
{
	struct nna_gate_queue *queue;
	struct nna_share *share;
	struct nna_gate *gate;

	while (gates->entries < gates->limit) {
		share = nna_share_next(&gates->shares);
		if (!share)
			break;
		queue = list_first_entry(&share->runnable, struct nna_gate_queue, runnable);
		gate = nna_gate_queue_first(queue);
		gate->entered = true;
		gate->charged = nna_share_enter(&gates->shares, share, gate->budget);
		queue->entries++;
		gates->entries++;
		list_move_tail(&gate->node, &gates->admitted);
		nna_gate_queue_update_locked(queue);
	}
}

/* Queues the work for the jobs that have been admitted or are to be ended. */
static void nna_gates_queue_work_locked(struct nna_gates *gates)
{
	if (!list_empty(&gates->admitted))
		queue_work(gates->nna->submit_wq, &gates->push_work);
	if (!list_empty(&gates->ended))
		queue_work(gates->nna->submit_wq, &gates->end_work);
}

/* Ends the jobs of a queue, if it is doomed and its earlier jobs have left the ring. */
static void nna_gate_queue_end_locked(struct nna_gate_queue *queue)
{
	if (!nna_gate_queue_is_doomed(queue) || queue->entries)
		return;
	list_splice_tail_init(&queue->waiting, &queue->gates->ended);
	nna_gate_queue_update_locked(queue);
}

static void nna_gate_queue_doom_locked(struct nna_gate_queue *queue)
{
	nna_gate_queue_update_locked(queue);
	nna_gate_queue_end_locked(queue);
}

static void nna_gates_doom_ring(struct nna_gates *gates)
{
	struct nna_gate_queue *queue, *next;
	unsigned long flags;

	spin_lock_irqsave(&gates->lock, flags);
	gates->doomed = true;
	list_for_each_entry_safe(queue, next, &gates->queues, node)
		nna_gate_queue_doom_locked(queue);
	nna_gates_queue_work_locked(gates);
	spin_unlock_irqrestore(&gates->lock, flags);
}

void nna_gates_doom(struct nna_device *nna)
{
	unsigned int i;

	for (i = 0; i < NNA_JOB_RINGS; i++)
		nna_gates_doom_ring(&nna->gates[i]);
}

u32 nna_gates_entries(struct nna_device *nna, unsigned int ring)
{
	struct nna_gates *gates = &nna->gates[ring];
	u32 entries;

	spin_lock_irq(&gates->lock);
	entries = gates->entries;
	spin_unlock_irq(&gates->lock);
	return entries;
}

void nna_gate_queue_doom(struct nna_gate_queue *queue)
{
	struct nna_gates *gates = queue->gates;
	unsigned long flags;

	spin_lock_irqsave(&gates->lock, flags);
	queue->doomed = true;
	nna_gate_queue_doom_locked(queue);
	/* Users that were ahead of this one may go now. */
	nna_gates_admit_locked(gates);
	nna_gates_queue_work_locked(gates);
	spin_unlock_irqrestore(&gates->lock, flags);
}

void nna_gate_push(struct nna_gate *gate)
{
	struct nna_gate_queue *queue = gate->queue;
	struct nna_gates *gates = queue->gates;
	bool push;

	spin_lock_irq(&gates->lock);
	list_add_tail(&gate->node, &queue->waiting);
	if (nna_gate_queue_first(queue) == gate)
		nna_gate_queue_update_locked(queue);
	nna_gate_queue_end_locked(queue);
	nna_gates_admit_locked(gates);
	/* Here, without the way over the work item. */
	push = !list_empty(&gates->admitted);
	if (!push)
		nna_gates_queue_work_locked(gates);
	spin_unlock_irq(&gates->lock);
	if (push)
		nna_gates_push(gates);
}

void nna_gate_ready(struct nna_gate *gate)
{
	struct nna_gate_queue *queue = gate->queue;
	struct nna_gates *gates = queue->gates;
	unsigned long flags;

	spin_lock_irqsave(&gates->lock, flags);
	gate->ready = true;
	if (nna_gate_queue_first(queue) == gate) {
		nna_gate_queue_update_locked(queue);
		nna_gates_admit_locked(gates);
		nna_gates_queue_work_locked(gates);
	}
	spin_unlock_irqrestore(&gates->lock, flags);
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
		 * and the scheduler is woken once for many jobs. But a user that wakes when the
		 * ring is full shall wait for nothing but what is on it.
		 */
		if (gates->entries <= gates->limit / 2 || gates->shares.woken)
			nna_gates_admit_locked(gates);
		nna_gates_queue_work_locked(gates);
	}
	spin_unlock_irqrestore(&gates->lock, flags);
}
