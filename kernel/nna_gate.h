/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Gates: where a job waits before it goes to the scheduler.
 *
 * The DRM scheduler looks at each entity that has a job until it finds one whose job may run, and
 * again for each job: thousands of contexts with jobs that wait would cost every client time. So a
 * job that waits is not in the scheduler. It waits in the queue of its context until its in-fences
 * have signalled and a ring entry is reserved for it; then it is armed and pushed. So the
 * schedulers never have more jobs than the rings have entries, and each of them may run.
 *
 * A queue is runnable when the in-fences of its first job have signalled. nna_share.h chooses the
 * client whose job is admitted next: it gets a ring entry. The queues of a client come in the order
 * in which they became runnable. A queue that is not runnable costs nobody time but its owner.
 *
 * Jobs are armed and pushed in the order in which they were admitted, whatever policy the scheduler
 * has: a job is armed and pushed in one step under one lock. If SUBMIT itself admits the job, it
 * also does this step. Else the signal of an in-fence or the end of another job admits the job, in
 * any context, and a work item does this step; the work item allocates nothing.
 *
 * A queue is doomed when its context has been banned or closed, or the device is lost. Its jobs
 * then do not wait for anything but the jobs of the queue that are on the ring, and end in their
 * order. They end without the scheduler, by a work item that ends a few of them at a time.
 *
 * Locking: the lock of a ring's gates protects everything but what is constant. It is a leaf, and
 * taken in interrupts and with locks of rings and of foreign fences held. The lock of pushes is
 * taken outside of it, and outside of the scheduler's.
 */
#ifndef NNA_GATE_H
#define NNA_GATE_H

#include <linux/list.h>
#include <linux/types.h>

#include "nna_share.h"

struct nna_device;
struct nna_gate;
struct nna_gates;

/** NNA_GATES_BATCH - Jobs of doomed queues that a work item ends at a time. */
#define NNA_GATES_BATCH	16u

/** struct nna_gate_ops - Operations of jobs. */
struct nna_gate_ops {
	/** @push: arm and push an admitted job; with the lock of pushes held, a spinlock. */
	void (*push)(struct nna_gate *gate);
	/** @end: end a job of a doomed queue, and free it; may sleep. */
	void (*end)(struct nna_gate *gate);
};

/**
 * struct nna_gate_queue - The jobs of a context.
 * @gates: the gates of the context's ring.
 * @share: the client's share of that ring.
 * @waiting: its jobs that have not been admitted, by nna_gate.node, in the order of submission.
 * @entries: ring entries that are reserved for its jobs.
 * @doomed: its jobs do not run any more; stays set.
 * @node: in the list of queues with waiting jobs.
 * @runnable: in nna_share.runnable.
 */
struct nna_gate_queue {
	struct nna_gates *gates;
	struct nna_share *share;
	struct list_head waiting;
	u32 entries;
	bool doomed;
	struct list_head node;
	struct list_head runnable;
};

/**
 * struct nna_gate - The gate of a job.
 * @queue: the job's queue.
 * @node: in nna_gate_queue.waiting, or in the list of jobs to push, or of those to end.
 * @budget: maximum run time of the job, in ns.
 * @charged: expected run time that its client has been charged with; valid while @entered is set.
 * @ready: the job's in-fences have signalled.
 * @entered: a ring entry is reserved for the job.
 */
struct nna_gate {
	struct nna_gate_queue *queue;
	struct list_head node;
	u64 budget;
	u64 charged;
	bool ready;
	bool entered;
};

/**
 * nna_gates_init() - Allocate the gates of all job rings, freed with @nna.
 * @nna: the device, with its rings and workqueues.
 * @ops: operations of jobs; must stay valid as long as the module is loaded.
 *
 * Return: 0 or -ENOMEM.
 */
int nna_gates_init(struct nna_device *nna, const struct nna_gate_ops *ops);

/** nna_gates_doom() - End all waiting jobs of all job rings: @nna is lost. Any context. */
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

/** nna_gates_entries() - Jobs of a job ring that the scheduler has: their entries are reserved. */
u32 nna_gates_entries(struct nna_device *nna, unsigned int ring);

/** nna_gate_queue_doom() - End all waiting jobs of a queue, and all that come; any context. */
void nna_gate_queue_doom(struct nna_gate_queue *queue);

/**
 * nna_gate_init() - Initialise the gate of a job.
 * @gate: the gate.
 * @queue: the queue of the job's context; must stay valid as long as the job.
 * @budget: maximum run time of the job, in ns.
 */
void nna_gate_init(struct nna_gate *gate, struct nna_gate_queue *queue, u64 budget);

/**
 * nna_gate_push() - Put a job at the end of its queue; it is pushed, if it can be admitted now.
 * @gate: its gate. The job may have ended and been freed when this returns.
 *
 * The caller serialises the jobs of a queue. May not be called in interrupts.
 */
void nna_gate_push(struct nna_gate *gate);

/** nna_gate_ready() - Note that the job's in-fences have signalled; any context. */
void nna_gate_ready(struct nna_gate *gate);

/**
 * nna_gate_leave() - Release the ring entry that is reserved for the job, if any; any context.
 * @gate: its gate.
 * @ran: its run time in ns; NULL if it was not put on the ring.
 */
void nna_gate_leave(struct nna_gate *gate, const u64 *ran);

#endif
