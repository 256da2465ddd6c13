/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Gates: what a job waits for before it may go on its ring.
 *
 * The scheduler knows nothing of a job's in-fences. Each job has a gate instead, a fence within the
 * job that prepare_job returns as long as it is shut. The gate opens when the job's in-fences have
 * signalled and a ring entry is reserved for it, or when the job is doomed: its context has been
 * banned or closed, or the device is lost. So a job that will not run ends at once, whatever it
 * waits for, and no scheduler has to be stopped to take jobs out of it.
 *
 * The jobs of a context form a queue. The scheduler asks for the first job of a queue only, so at
 * most one gate of a queue is waited for, and to doom a queue opens just that one: the others are
 * let through when they are asked for. A doomed job lets the jobs of its queue that are on the ring
 * end before it, so that the fences of a context signal in order.
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
 * @gates: those of the context's ring.
 * @share: the client's share of that ring.
 * @shut: the gate that is waited for, or NULL.
 * @entries: ring entries that are reserved for its jobs.
 * @pushed: jobs that the scheduler has and has not asked for.
 * @active: it counts in nna_share.queues.
 * @doomed: its jobs do not run any more; stays set.
 * @node: in nna_gates.shut.
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
 * @fence: signals when the gate opens, if it was shut; its reference count is the job's memory's.
 * @fence_lock: the fence's lock.
 * @queue: the job's queue.
 * @budget: the longest time that the job may take, in ns.
 * @charged: what its client has been charged with, while @entered.
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

/** nna_gates_doom() - Open the gates of all job rings, for good: @nna is lost. Any context. */
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

/** nna_gate_queue_doom() - Open the queue's gates, for good: its jobs must not run. Any context. */
void nna_gate_queue_doom(struct nna_gate_queue *queue);

/**
 * nna_gate_init() - Initialise the gate of a job.
 * @gate: the first member of the job, whose memory is freed with kfree() after the last reference
 *	on the gate has been dropped: the scheduler may have one for longer than the job lives.
 * @queue: the queue of the job's context; must stay valid as long as the job.
 * @budget: the longest time that the job may take, in ns.
 */
void nna_gate_init(struct nna_gate *gate, struct nna_gate_queue *queue, u64 budget);

/** nna_gate_put() - Drop the job's reference; any context. */
void nna_gate_put(struct nna_gate *gate);

/** nna_gate_push() - The scheduler is about to get the job, in the order of the queue. */
void nna_gate_push(struct nna_gate *gate);

/** nna_gate_ready() - The job's in-fences have signalled; any context. */
void nna_gate_ready(struct nna_gate *gate);

/**
 * nna_gate_wait() - Whether the job may go on; for the first job of a queue only.
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
