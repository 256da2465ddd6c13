/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Gates: the fence for which a job waits before it goes on its ring.
 *
 * The scheduler does not wait for a job's in-fences. Instead each job has a gate: a fence within
 * the job, which prepare_job returns as long as it is shut. The gate opens when the job's in-fences
 * have signalled and a ring entry is reserved for it, or when the job is doomed: its context has
 * been banned or closed, or the device is lost. So a job that will not run ends at once, whatever
 * it waits for, and no scheduler has to be stopped to take jobs out of it.
 *
 * The jobs of a context form a queue. The scheduler asks for the first job of a queue only, so it
 * waits for at most one gate of a queue. Dooming a queue opens that gate; the next jobs find their
 * gates open when the scheduler asks for them. A doomed job waits until the jobs of its queue that
 * are on the ring have ended, so that the fences of a context signal in order.
 *
 * A ring entry is reserved when the gate opens, and released by nna_gate_leave(). No more entries
 * are reserved than the ring has, so gates open in the order in which jobs come on the ring,
 * whatever policy the scheduler has. nna_share.h chooses the client; the queues of a client come in
 * the order in which they became runnable.
 *
 * A queue is runnable when the in-fences of its first job have signalled and the scheduler has
 * asked for that job: it waits for nothing but the choice of its client. A queue is active when it
 * is runnable, or when the scheduler is about to ask for its first job. So a client is not idle
 * between two jobs.
 *
 * Locking: the lock of a ring's gates protects everything but what is constant. It is a leaf, but
 * for the locks of gates, and taken in interrupts and with locks of rings and of foreign fences
 * held.
 */
#ifndef NNA_GATE_H
#define NNA_GATE_H

#include <linux/dma-fence.h>
#include <linux/list.h>
#include <linux/spinlock.h>
#include <linux/types.h>

#include "nna_share.h"

struct nna_device;
struct nna_gate;
struct nna_gates;

/**
 * struct nna_gate_queue - The jobs of a context.
 * @gates: the gates of the context's ring.
 * @share: the client's share of that ring.
 * @shut: the gate for which the scheduler waits, or NULL.
 * @entries: ring entries that are reserved for its jobs.
 * @pushed: jobs that have been pushed and for which the scheduler has not asked.
 * @active: it counts in nna_share.queues.
 * @doomed: its jobs do not run any more; stays set.
 * @node: in the list of queues with a shut gate.
 * @runnable: in nna_share.runnable.
 */
struct nna_gate_queue {
	struct nna_gates *gates;
	struct nna_share *share;
	struct nna_gate *shut;
	u32 entries;
	u32 pushed;
	bool active;
	bool doomed;
	struct list_head node;
	struct list_head runnable;
};

/**
 * struct nna_gate - The gate of a job.
 * @fence: signals when the gate opens, if it was shut; its last reference frees the job's memory.
 * @fence_lock: the fence's lock.
 * @queue: the job's queue.
 * @budget: maximum run time of the job, in ns.
 * @charged: run time that is charged to its client while @entered is set.
 * @asked: the scheduler has asked for the job.
 * @ready: the job's in-fences have signalled.
 * @entered: a ring entry is reserved for the job.
 */
struct nna_gate {
	struct dma_fence fence;
	spinlock_t fence_lock;
	struct nna_gate_queue *queue;
	u64 budget;
	u64 charged;
	bool asked;
	bool ready;
	bool entered;
};

/** nna_gates_init() - Allocate the gates of all job rings, freed with @nna; 0 or -ENOMEM. */
int nna_gates_init(struct nna_device *nna);

/** nna_gates_doom() - Open all gates of all job rings for good: @nna is lost. Any context. */
void nna_gates_doom(struct nna_device *nna);

/**
 * nna_gate_queue_init() - Initialise the queue of a context.
 * @queue: the queue.
 * @nna: the device.
 * @ring: index of its ring.
 * @share: its client's share of that ring; must stay valid as long as @queue.
 */
void nna_gate_queue_init(struct nna_gate_queue *queue, struct nna_device *nna, unsigned int ring,
			 struct nna_share *share);

/** nna_gate_queue_doom() - Open all gates of a queue for good: its jobs end. Any context. */
void nna_gate_queue_doom(struct nna_gate_queue *queue);

/**
 * nna_gate_init() - Initialise the gate of a job.
 * @gate: the first member of the job. The last reference on the gate frees the job with kfree():
 *	the scheduler may hold one after the job has ended.
 * @queue: the queue of the job's context; must stay valid as long as the job.
 * @budget: maximum run time of the job, in ns.
 */
void nna_gate_init(struct nna_gate *gate, struct nna_gate_queue *queue, u64 budget);

/** nna_gate_put() - Drop the job's reference on its gate; any context. */
void nna_gate_put(struct nna_gate *gate);

/** nna_gate_push() - Note that the job is about to be pushed, in the order of the queue. */
void nna_gate_push(struct nna_gate *gate);

/** nna_gate_ready() - Note that the job's in-fences have signalled; any context. */
void nna_gate_ready(struct nna_gate *gate);

/**
 * nna_gate_wait() - Ask whether the job may run; for the first job of a queue only.
 * @gate: its gate.
 *
 * Return: NULL if a ring entry is reserved for the job or it is doomed, or a reference on the fence
 * to wait for.
 */
struct dma_fence *nna_gate_wait(struct nna_gate *gate);

/**
 * nna_gate_leave() - Release the ring entry that is reserved for the job, if any; any context.
 * @gate: its gate.
 * @ran: its run time in ns; NULL if it was not put on the ring.
 */
void nna_gate_leave(struct nna_gate *gate, const u64 *ran);

#endif
