// SPDX-License-Identifier: MIT
/*
 * The control ring. Invalidations are its only entries. Several threads may wait for theirs at the
 * same time, without the lock; so many that the ring is full are rare, and wait for its first one.
 */
#include <linux/futex.h>

#include "libnnaccel/winsys/loopback/loopback.h"

/* Waits until the entry before @tail has been completed; both run on and wrap at 2^32. */
static void wait_done(struct nna_loopback *lb, uint32_t tail)
{
	for (;;) {
		uint32_t done = atomic_load_explicit(&lb->control_done, memory_order_acquire);

		if ((int32_t)(done - tail) >= 0)
			return;
		nna_loopback_futex(&lb->control_done, FUTEX_WAIT_BITSET, done, NULL);
	}
}

void nna_loopback_control_invalidate(struct nna_loopback *lb, uint64_t va, uint64_t size)
{
	uint32_t slot, tail;

	pthread_mutex_lock(&lb->control);
	while (lb->control_tail - atomic_load_explicit(&lb->control_done, memory_order_acquire) ==
	       NNA_LOOPBACK_RING_SIZE) {
		tail = lb->control_tail - NNA_LOOPBACK_RING_SIZE + 1;
		pthread_mutex_unlock(&lb->control);
		wait_done(lb, tail);
		pthread_mutex_lock(&lb->control);
	}
	slot = lb->control_tail & (NNA_LOOPBACK_RING_SIZE - 1);
	lb->control_entries[slot] = (struct nnahw_ring_entry){
		.type = NNAHW_ENTRY_INVALIDATE,
		.seqno = lb->control_tail + 1,
		.asid = NNA_LOOPBACK_ASID,
		.address = va,
		.length = size,
	};
	tail = ++lb->control_tail;
	atomic_thread_fence(memory_order_release);
	nnadev_reg_write(lb->dev, NNAHW_DOORBELLS + 4 * NNAHW_CONTROL_RING, 4, tail);
	pthread_mutex_unlock(&lb->control);
	wait_done(lb, tail);
}

void nna_loopback_control_irq(struct nna_loopback *lb)
{
	uint32_t done = atomic_load_explicit(&lb->control_done, memory_order_relaxed);

	for (;;) {
		struct nnahw_completion *c =
			&lb->control_completions[done & (NNA_LOOPBACK_RING_SIZE - 1)];
		uint16_t flags = __atomic_load_n(&c->flags, __ATOMIC_ACQUIRE);

		if ((flags & NNAHW_COMPLETION_PHASE) != !(done / NNA_LOOPBACK_RING_SIZE & 1))
			break;
		done++;
	}
	atomic_store_explicit(&lb->control_done, done, memory_order_release);
	nna_loopback_futex(&lb->control_done, FUTEX_WAKE_BITSET, INT32_MAX, NULL);
}
