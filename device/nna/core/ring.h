/* SPDX-License-Identifier: MIT */
/*
 * A ring: entries that the driver writes, completions that the device writes, both in bus memory.
 *
 * Registers change under base.lock, from any thread. The command processor works on a copy (struct
 * nnadev_ring_work). It copies again when the ring has been enabled or disabled, which changes the
 * epoch. Writing the doorbell is one atomic store, without the lock.
 */
#ifndef NNADEV_RING_H
#define NNADEV_RING_H

#include "device/nna/core/base.h"

/**
 * struct nnadev_ring_work - the command processor's copy
 * @epoch: @epoch of the ring when it was copied
 * @running: enabled and without error
 * @base: bus address of the entries
 * @cq_base: bus address of the completion queue
 * @size: entries of each, a power of two
 * @vector: MSI-X vector of completions
 * @head: number of entries fetched
 * @done: number of completions written
 * @aborted: a bit per entry (its number modulo @size): end it as soon as it is fetched
 * @yield: seqno of the job up to which the ring's jobs are to yield
 * @yields: @yield is valid and has not ended
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
	uint32_t yield;
	bool yields;
};

/**
 * struct nnadev_ring - a ring
 * @index: its number; constant
 * @base: register BASE
 * @cq_base: register CQ_BASE
 * @size: register SIZE
 * @vector: register VECTOR
 * @error: register STATUS.ERROR
 * @head: register HEAD
 * @done: register DONE
 * @enabled: register CONTROL.ENABLE
 * @doorbell: last value written to it
 * @epoch: changes when the ring is enabled or disabled; never 0
 * @held: @epoch of @work while @work is running, else 0
 * @ran: run time of the current job, without the time since @resumed
 * @resumed: time since which it has been running, or 0 while it is not running
 * @ahead: the longest time since @resumed that counts, in ns
 * @work: this and the next three are the command processor's
 * @waiting: time since which the ring has work that does not run, or 0
 * @boost: seqno of the job up to which the ring is boosted
 * @boosted: @boost is valid and has not ended
 */
struct nnadev_ring {
	uint32_t index;
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
	_Atomic uint64_t ahead;
	struct nnadev_ring_work work;
	uint64_t waiting;
	uint32_t boost;
	bool boosted;
};

/* Whether an entry has no flags but those that every entry may have, and no profile. */
static inline bool nnadev_ring_entry_is_plain(const struct nnahw_ring_entry *e)
{
	return !(e->flags & ~NNAHW_ENTRY_FLAG_NO_IRQ) && !e->profile && !e->profile_size &&
	       !e->reserved;
}

/*
 * Access registers of a ring. The caller holds base.lock. @offset is relative to the ring's block.
 * Offsets without a register read as 0, and writes to them are ignored. @tick_hz: frequency of the
 * device's clock.
 */
uint32_t nnadev_ring_read(const struct nnadev_ring *ring, uint32_t offset, uint64_t tick_hz);
void nnadev_ring_write(struct nnadev_ring *ring, uint32_t offset, uint32_t value);
void nnadev_ring_reset(struct nnadev_ring *ring);

/* Copy the registers if the epoch has changed. Return: whether it has; it voids the ring's job. */
bool nnadev_ring_sync(struct nnadev_base *base, struct nnadev_ring *ring);

/* Whether an entry waits to be fetched. A bad doorbell value puts the ring into error. */
bool nnadev_ring_pending(struct nnadev_base *base, struct nnadev_ring *ring);

/*
 * Fetch the next entry; *@aborted says whether an ABORT came before it was fetched. Return: whether
 * it was fetched; else the ring is in error, or has been disabled.
 */
bool nnadev_ring_fetch(struct nnadev_base *base, struct nnadev_ring *ring,
		       struct nnahw_ring_entry *entry, bool *aborted);

/* Mark the entry of @seqno as aborted, if it waits to be fetched. */
void nnadev_ring_abort(struct nnadev_base *base, struct nnadev_ring *ring, uint32_t seqno);

/* Have the jobs up to @seqno yield. */
void nnadev_ring_yield(struct nnadev_ring *ring, uint32_t seqno);

/* Whether the job of @seqno is to yield. */
static inline bool nnadev_ring_yields(const struct nnadev_ring *ring, uint32_t seqno)
{
	return ring->work.yields && (int32_t)(seqno - ring->work.yield) <= 0;
}

/*
 * Write what is left of a job that yields to its entry in the ring, before its completion. @rest is
 * the entry; its start, budget and loop_limit are written.
 */
void nnadev_ring_write_rest(struct nnadev_base *base, struct nnadev_ring *ring,
			    const struct nnahw_ring_entry *rest);

/* Write the completion of an entry that was fetched, and raise its interrupt. */
void nnadev_ring_complete(struct nnadev_base *base, struct nnadev_ring *ring,
			  const struct nnahw_ring_entry *entry, uint32_t status, uint64_t detail);

#endif
