/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Rings: entries that the driver writes and completions that the device writes, both in coherent
 * memory.
 *
 * A command is whatever waits for a completion (a job, or one of the driver's own commands). The
 * ring holds a pointer to it from nna_ring_push() until it has called the command's complete(), or
 * until nna_ring_detach(). Completions come in ring order, so the n-th one belongs to the n-th
 * entry.
 *
 * Over a reset a ring keeps the entries that the device had not begun, so that a hang costs nobody
 * a job but those whose jobs were under way.
 *
 * Locking: nna_ring.lock protects all fields; taken in interrupts. complete() runs under it and
 * must not push to the same ring.
 */
#ifndef NNA_RING_H
#define NNA_RING_H

#include <linux/spinlock.h>
#include <linux/types.h>

#include "nna_regs.h"

struct nna_device;

/**
 * struct nna_ring_request - What waits for a completion.
 * @complete: called once, with the ring's lock held, when the entry has been completed or lost.
 *	@status is an &enum nna_status, @error 0; for a lost entry @error is a negative errno and
 *	the others are 0.
 * @may_resubmit: whether an entry that the device has not begun may go to it again after a reset; called
 *	with the ring's lock held. NULL: it may not.
 * @nna: the device.
 * @entry: what nna_ring_push() was given.
 * @seqno: of the entry, set by nna_ring_push(); another one after a reset.
 */
struct nna_ring_request {
	void (*complete)(struct nna_ring_request *req, u16 status, u64 detail, int error);
	bool (*may_resubmit)(struct nna_ring_request *req);
	struct nna_device *nna;
	struct nna_ring_entry *entry;
	u32 seqno;
};

/**
 * struct nna_ring - One ring.
 * @nna: the device.
 * @index: which ring.
 * @size: entries, a power of two.
 * @vector: interrupt vector.
 * @entries: the entries.
 * @entries_dma: their bus address.
 * @cq: the completion queue.
 * @cq_dma: its bus address.
 * @lock: protects what follows.
 * @tail: entries written since the ring was enabled.
 * @done: completions read since then.
 * @seqno: of the next entry; goes on over resets, so that ABORT never meets a namesake.
 * @running: whether the device serves the ring.
 * @epoch: times it has been taken from the device, which had been reset or cut off.
 * @requests: who waits for which entry.
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

/** nna_ring_init() - Allocate a ring's memory, managed by the device; 0 or -ENOMEM. */
int nna_ring_init(struct nna_ring *ring, struct nna_device *nna, unsigned int index, u32 size,
		  u32 vector);

/** nna_ring_enable() - Hand a ring, with what it has kept in a reset, to the device; 0 or -EIO. */
int nna_ring_enable(struct nna_ring *ring);

/** nna_ring_disable() - Take no more entries and complete all that wait with @error. */
void nna_ring_disable(struct nna_ring *ring, int error);

/**
 * nna_ring_rewind() - Take no more entries, after a reset of the device.
 * @ring: the ring.
 * @head: entries that the device had fetched since the ring was enabled; anything, from a device
 *	out of order.
 * @error: how those end that it had begun, and those that cannot be kept.
 */
void nna_ring_rewind(struct nna_ring *ring, u32 head, int error);

/**
 * nna_ring_push() - Write an entry and ring the doorbell; any context.
 * @ring: the ring.
 * @entry: the entry; its seqno is filled in. To be kept as long as @req.
 * @req: what waits for the completion.
 *
 * Return: 0, -ENOSPC (the ring is full), -EIO (the device does not serve it).
 */
int nna_ring_push(struct nna_ring *ring, struct nna_ring_entry *entry, struct nna_ring_request *req);

/**
 * nna_ring_detach() - Stop waiting for an entry.
 * @ring: the ring.
 * @req: what waited.
 *
 * Return: whether @req was waiting; if not, its complete() has returned.
 */
bool nna_ring_detach(struct nna_ring *ring, struct nna_ring_request *req);

/**
 * nna_ring_process() - Read new completions; any context.
 * @ring: the ring.
 *
 * Return: how many there were, or -EIO when the queue makes no sense.
 */
int nna_ring_process(struct nna_ring *ring);

#endif
