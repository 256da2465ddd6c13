/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Rings: the driver writes entries, the device completion records, both to coherent memory. There
 * is a ring for each priority of jobs, and the control ring for the driver's own entries.
 *
 * A request is what waits for the completion of an entry: a job or a control entry. Its owner
 * embeds a struct nna_ring_request. The ring points to it from nna_ring_push() until it has called
 * the request's complete(), or until nna_ring_detach(). Completions come in the order of the
 * entries.
 *
 * The ring's counts only grow; their lower bits are the slot. Entries from @done to @tail have been
 * written and not been completed.
 *
 * After a reset of the device the entries that it had not begun can be written again, so that a
 * hang ends only the jobs that were running.
 *
 * Locking: nna_ring.lock protects all that changes, and is taken in interrupts. complete() and
 * may_resubmit() are called with it held and must not push to the same ring. @seqno, @running and
 * @epoch are also read without it, where a value that is about to change does no harm.
 */
#ifndef NNA_RING_H
#define NNA_RING_H

#include <linux/spinlock.h>
#include <linux/types.h>

#include "nna_regs.h"

struct nna_device;

/**
 * struct nna_ring_request - What waits for the completion of an entry.
 * @complete: called once, with the ring's lock held, any context. When the device has completed
 *	the entry, @status is an &enum nna_status, @detail comes with it and @error is 0. When the
 *	ring was taken from the device before, @error is a negative errno and the others are 0.
 * @may_resubmit: whether an entry that the device had not begun may be written again after a
 *	reset; called with the ring's lock held. NULL: it may not.
 * @owner: whom the entry belongs to, for nna_ring_find(); NULL: nobody asks.
 * @entry: the entry, as nna_ring_push() was given it; owned by the request's owner.
 * @seqno: sequence number of the entry, set when it is written; a new one after a reset.
 */
struct nna_ring_request {
	void (*complete)(struct nna_ring_request *req, u16 status, u64 detail, int error);
	bool (*may_resubmit)(struct nna_ring_request *req);
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
 * @seqno: sequence number of the next entry. Resets do not change it, so an ABORT that comes too
 *	late never names another job.
 * @running: whether the device serves the ring: entries are taken.
 * @epoch: times the ring has stopped running; tells a waiter that the device has been reset, or
 *	has been kept from memory, in the meantime.
 * @requests: the request of each slot; NULL for one that has been detached.
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
	u64 completions;
};

/** nna_ring_init() - Allocate a ring, freed with the device on its bus; 0 or -ENOMEM. */
int nna_ring_init(struct nna_ring *ring, struct nna_device *nna, unsigned int index, u32 size,
		  u32 vector);

/**
 * nna_ring_enable() - Have the device serve a ring.
 * @ring: the ring; what nna_ring_rewind() has kept is written to it again.
 *
 * Return: 0, -EIO (the device refuses the ring).
 */
int nna_ring_enable(struct nna_ring *ring);

/** nna_ring_disable() - Take no more entries, and complete all requests with @error. */
void nna_ring_disable(struct nna_ring *ring, int error);

/**
 * nna_ring_rewind() - Take no more entries until the next nna_ring_enable(), after a reset.
 * @ring: the ring; requests of entries that the device had not begun, and which may be resubmitted,
 *	stay with it.
 * @head: entries that the device says it had fetched since the ring was enabled. If that cannot be,
 *	all are taken as begun.
 * @error: what the other requests are completed with.
 */
void nna_ring_rewind(struct nna_ring *ring, u32 head, int error);

/**
 * nna_ring_push() - Write an entry and ring the doorbell; any context.
 * @ring: the ring.
 * @entry: the entry; its seqno is filled in. Must stay valid as long as @req.
 * @req: what waits for the completion. Must stay valid until complete() or nna_ring_detach().
 *
 * Return: 0, -ENOSPC (the ring is full), -EIO (the ring is not running).
 */
int nna_ring_push(struct nna_ring *ring, struct nna_ring_entry *entry,
		  struct nna_ring_request *req);

/**
 * nna_ring_detach() - Stop waiting for an entry, which stays on the ring; any context.
 * @ring: the ring.
 * @req: what waited; its complete() will not be called any more.
 *
 * Return: whether @req was waiting; if not, its complete() has returned.
 */
bool nna_ring_detach(struct nna_ring *ring, struct nna_ring_request *req);

/**
 * nna_ring_find() - Find the entries of one owner that have not been completed; not in interrupts.
 * @ring: the ring.
 * @owner: nna_ring_request.owner of their requests.
 * @seqnos: out: their sequence numbers, in the order of the ring; NNA_RING_SIZE elements.
 *
 * Return: how many there are.
 */
u32 nna_ring_find(struct nna_ring *ring, const void *owner, u32 *seqnos);

/** nna_ring_is_empty() - Whether all entries have been completed; any context. */
bool nna_ring_is_empty(struct nna_ring *ring);

/**
 * nna_ring_process() - Read new completions and complete their requests; any context.
 * @ring: the ring.
 *
 * Return: how many there were, or -EIO when a record has the wrong sequence number: the device or
 * its memory is corrupt and a reset is due.
 */
int nna_ring_process(struct nna_ring *ring);

#endif
