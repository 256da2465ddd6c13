/* SPDX-License-Identifier: MIT */
/*
 * A ring: entries that the driver writes, completions that the device writes, both in bus memory.
 *
 * Registers change under the device's register lock, from any thread; the command processor works
 * on a copy (struct nnadev_ring_work) that it takes anew when the epoch has changed. A doorbell is a
 * store.
 */
#ifndef NNADEV_RING_H
#define NNADEV_RING_H

#include "device/core/job.h"

/**
 * struct nnadev_ring_work - the command processor's view
 * @running: enabled and without error
 * @head: entries fetched
 * @done: completions written
 * @aborted: a bit per entry (index modulo size) that is to end when fetched
 */
struct nnadev_ring_work {
	uint32_t epoch;
	bool running;
	uint64_t base;
	uint64_t cq_base;
	uint32_t size;
	uint32_t vector;
	uint32_t head;
	uint32_t done;
	uint64_t aborted[NNAHW_RING_SIZE_MAX / 64];
};

/**
 * struct nnadev_ring - a ring
 * @base: register, as are the next
 * @enabled: bit of CONTROL
 * @error: bit of STATUS
 * @epoch: changes when the ring is enabled or disabled
 * @held: epoch of the command processor's view while it is running, else 0
 * @ran: run time of the job under way, without the time since @resumed
 * @resumed: tick since when it runs, or 0
 * @waiting: tick since when it has work that does not run, or 0 (command processor)
 * @boosted: somebody waits for @boost, or an earlier job (command processor)
 */
struct nnadev_ring {
	uint64_t base;
	uint64_t cq_base;
	uint32_t size;
	uint32_t vector;
	bool error;
	uint32_t head;
	uint32_t done;
	_Atomic bool enabled;
	_Atomic uint32_t doorbell;
	_Atomic uint32_t epoch;
	_Atomic uint32_t held;
	_Atomic uint64_t ran;
	_Atomic uint64_t resumed;
	struct nnadev_ring_work work;
	uint64_t waiting;
	uint32_t boost;
	bool boosted;
};

/* Registers of a ring; the caller holds the register lock. */
uint32_t nnadev_ring_read(const struct nnadev_ring *ring, uint32_t offset);
void nnadev_ring_write(struct nnadev_ring *ring, uint32_t offset, uint32_t value);
void nnadev_ring_reset(struct nnadev_ring *ring);

/* Take registers that changed. Return: whether they had, so that the ring's job is to be forgotten.
 */
bool nnadev_ring_sync(struct nnadev *dev, struct nnadev_ring *ring);

/* Whether an entry waits to be fetched; a bad doorbell puts the ring into error. */
bool nnadev_ring_pending(struct nnadev *dev, struct nnadev_ring *ring);

/*
 * Fetch the next entry. Return: whether it was done; else the ring is in error, or has been
 * disabled.
 * @aborted: it is to end at once.
 */
bool nnadev_ring_fetch(struct nnadev *dev, struct nnadev_ring *ring, struct nnahw_ring_entry *entry,
		       bool *aborted);

/* Mark the entry of @seqno, if it waits to be fetched, to end when it is. */
void nnadev_ring_abort(struct nnadev *dev, struct nnadev_ring *ring, uint32_t seqno);

/* Write the completion of an entry that was fetched, and raise its interrupt. */
void nnadev_ring_complete(struct nnadev *dev, struct nnadev_ring *ring,
			  const struct nnahw_ring_entry *entry, uint32_t status, uint64_t detail);

#endif
