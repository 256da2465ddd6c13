/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Rings: the driver writes entries and the device writes completion records, both to coherent
 * memory. There is a ring for each priority of jobs, and the control ring for the driver's own
 * entries.
 *
 * A request waits for the completion of an entry. The caller, a job or a control entry, embeds a
 * struct nna_ring_request. The ring points to it from nna_ring_push() until it has called the
 * request's complete(), or until nna_ring_detach(). Entries complete in their order.
 *
 * The counts of a ring are free-running; their lower bits are the index of a slot. Entries from
 * @done to @tail have been written and have not completed.
 *
 * After a reset of the device the entries that it had not begun can be written again, so a hang
 * ends only the jobs that were running.
 *
 * A ring can also be told to yield. nna_ring_yield() says up to which entry, and the caller puts a
 * YIELD on the control ring. The device then completes entries as YIELDED, after it has written
 * what is left of their jobs to the entries in memory. Their requests take this over, and the ring
 * keeps them. When it is enabled after the next reset, it writes them again before those that the
 * device had not begun, so the order is the same.
 *
 * Locking: nna_ring.lock protects all fields that change, and is taken in interrupts. The functions
 * of requests are called with it held and must not push to the same ring. Code that
 * tolerates an old value also reads seqno, running and epoch without it.
 */
#ifndef NNA_RING_H
#define NNA_RING_H

#include <linux/spinlock.h>
#include <linux/types.h>

#include "nna_regs.h"

struct nna_device;

/**
 * struct nna_ring_request - A pending entry of a ring.
 * @complete: called once, in any context, with the ring's lock held. If the device has completed
 *	the entry, @status is an &enum nna_status, @detail is its detail and @error is 0. If the
 *	ring was disabled before, @error is a negative errno and the others are 0.
 * @may_resubmit: returns whether an entry that the device had not begun may be written again after
 *	a reset; called with the ring's lock held. NULL: it may not.
 * @yielded: the device has completed the entry as YIELDED on demand. Takes over what is left of the
 *	job from @rest, the entry in the ring's memory; @detail is that of the completion. Returns
 *	whether the ring shall keep the request; else, or if NULL, complete() is called.
 * @rewrite: called before an entry that the ring has kept is written again. Returns whether it may
 *	be; else complete() is called with -ECANCELED. NULL: it may.
 * @owner: a tag by which nna_ring_find() finds the entry, or NULL.
 * @entry: the entry that was passed to nna_ring_push(); the caller owns it.
 * @seqno: sequence number of the entry, set when it is written; a new one after a reset.
 */
struct nna_ring_request {
	void (*complete)(struct nna_ring_request *req, u16 status, u64 detail, int error);
	bool (*may_resubmit)(struct nna_ring_request *req);
	bool (*yielded)(struct nna_ring_request *req, const struct nna_ring_entry *rest,
			u64 detail);
	bool (*rewrite)(struct nna_ring_request *req);
	const void *owner;
	struct nna_ring_entry *entry;
	u32 seqno;
};

/**
 * struct nna_ring - One ring.
 * @nna: the device.
 * @index: of the ring: a priority, or NNA_CONTROL_RING.
 * @size: number of slots, a power of two.
 * @vector: the interrupt vector that its completions raise.
 * @entries: the entries, one per slot.
 * @entries_dma: their bus address.
 * @cq: the completion queue, one record per slot.
 * @cq_dma: its bus address.
 * @lock: protects the fields below; taken in interrupts.
 * @tail: entries written since the ring was enabled.
 * @done: completions read since the ring was enabled.
 * @seqno: sequence number of the next entry. Resets do not change it, so a late ABORT never names
 *	another job.
 * @running: the device serves the ring, and it takes entries.
 * @epoch: number of times that the ring has stopped running. A change tells a waiter that the
 *	device has been reset, or that bus mastering has been disabled.
 * @requests: the request of each slot; NULL for a detached one. While the ring does not run, those
 *	from 0 to @tail are kept for the next nna_ring_enable().
 * @yielding: it has been told to yield since it was enabled.
 * @yielded: requests that have yielded since then, in their order; @size elements.
 * @yielded_count: number of elements in use.
 * @completions: completions read since the driver was bound.
 */
struct nna_ring {
	struct nna_device *nna;
	unsigned int index;
	u32 size;
	u32 vector;
	struct nna_ring_entry *entries;
	dma_addr_t entries_dma;
	struct nna_completion *cq;
	dma_addr_t cq_dma;
	spinlock_t lock;
	u32 tail;
	u32 done;
	u32 seqno;
	bool running;
	u32 epoch;
	struct nna_ring_request **requests;
	bool yielding;
	struct nna_ring_request **yielded;
	u32 yielded_count;
	u64 completions;
};

/** nna_ring_init() - Allocate a ring, freed with the device on its bus; 0 or -ENOMEM. */
int nna_ring_init(struct nna_ring *ring, struct nna_device *nna, unsigned int index, u32 size,
		  u32 vector);

/**
 * nna_ring_enable() - Make the device serve a ring.
 * @ring: the ring; entries that nna_ring_rewind() has kept are written again, if they may be.
 *
 * Return: 0, -EIO (the device refuses the ring).
 */
int nna_ring_enable(struct nna_ring *ring);

/** nna_ring_disable() - Take no more entries; complete all requests with @error. */
void nna_ring_disable(struct nna_ring *ring, int error);

/**
 * nna_ring_rewind() - After a reset, take no more entries until the next nna_ring_enable().
 * @ring: the ring. It keeps the requests of entries that have yielded, and of those that the device
 *	had not begun, if they may be resubmitted.
 * @head: number of entries that the device reports to have fetched since the ring was enabled. If
 *	this number is impossible, all entries count as begun.
 * @error: result of the other requests.
 */
void nna_ring_rewind(struct nna_ring *ring, u32 head, int error);

/**
 * nna_ring_push() - Write an entry and ring the doorbell; any context.
 * @ring: the ring.
 * @entry: the entry; its seqno is filled in. Must stay valid as long as @req.
 * @req: the request. Must stay valid until complete() is called or nna_ring_detach() returns.
 *
 * Return: 0, -ENOSPC (the ring is full), -EIO (the ring is not running).
 */
int nna_ring_push(struct nna_ring *ring, struct nna_ring_entry *entry,
		  struct nna_ring_request *req);

/**
 * nna_ring_detach() - Forget the request of an entry, which stays on the ring; any context.
 * @ring: the ring.
 * @req: the request; its complete() is not called after this returns.
 *
 * Return: true if @req was pending. Else its complete() has returned.
 */
bool nna_ring_detach(struct nna_ring *ring, struct nna_ring_request *req);

/**
 * nna_ring_find() - Find the pending entries of one owner; not in interrupts.
 * @ring: the ring.
 * @owner: nna_ring_request.owner of their requests.
 * @seqnos: out: their sequence numbers, in the order of the ring; NNA_RING_SIZE elements.
 *
 * Return: the number of entries found.
 */
u32 nna_ring_find(struct nna_ring *ring, const void *owner, u32 *seqnos);

/**
 * nna_ring_yield() - Keep the requests of entries that the device completes as YIELDED.
 * @ring: the ring. No entries may be pushed until it has been disabled.
 * @seqno: out: sequence number of its last entry, for YIELD.
 *
 * Return: true if the device has to be told. Else the ring has no entries, does not run, or this
 * function has returned true since it was enabled.
 */
bool nna_ring_yield(struct nna_ring *ring, u32 *seqno);

/** nna_ring_cancel_yield() - Undo nna_ring_yield(): the device has not been told. */
void nna_ring_cancel_yield(struct nna_ring *ring);

/**
 * nna_ring_oldest() - The request of the oldest entry that has not completed; with the ring's lock.
 * @ring: the ring.
 *
 * Return: the request, valid under the lock; NULL if there is none or the ring does not run.
 */
struct nna_ring_request *nna_ring_oldest(struct nna_ring *ring);

/** nna_ring_is_empty() - Whether all entries have completed; any context. */
bool nna_ring_is_empty(struct nna_ring *ring);

/**
 * nna_ring_process() - Read new completion records and complete their requests; any context.
 * @ring: the ring.
 *
 * Return: the number of records, or -EIO if a record has a wrong sequence number: the device or the
 * ring's memory is corrupt, and the caller must queue a reset.
 */
int nna_ring_process(struct nna_ring *ring);

#endif
