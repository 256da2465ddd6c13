// SPDX-License-Identifier: MIT
/*
 * The control ring. Its only entries are invalidations. Several threads may wait for their entries
 * at the same time, without the lock. When the ring is full, which is rare, a thread first waits
 * for the oldest entry.
 */
#include "libnnaccel/winsys/loopback/loopback.h"

/* The entry before @tail; it runs on and wraps at 2^32. */
struct entry {
	const struct nna_loopback *lb;
	uint32_t tail;
};

static bool is_done(const void *what)
{
	const struct entry *e = what;

	return (int32_t)(atomic_load_explicit(&e->lb->control_done, memory_order_acquire) -
			 e->tail) >= 0;
}

/* Waits until the entry before @tail has been completed. */
static void wait_done(struct nna_loopback *lb, uint32_t tail)
{
	const struct entry e = { lb, tail };

	nna_loopback_leader_wait(lb, is_done, &e, INT64_MAX);
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
	nna_loopback_leader_tell(lb);
}
