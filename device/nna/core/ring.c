// SPDX-License-Identifier: MIT
#include "device/nna/core/ring.h"

#include <string.h>

#include "device/nna/core/clock.h"
#include "device/host/sync.h"

static void set_half(uint64_t *value, bool high, uint32_t half)
{
	if (high)
		*value = (*value & 0xffffffffu) | (uint64_t)half << 32;
	else
		*value = (*value & ~0xffffffffull) | half;
}

uint32_t nnadev_ring_read(const struct nnadev_ring *ring, uint32_t offset, uint64_t tick_hz)
{
	uint32_t held = atomic_load(&ring->held);
	uint64_t resumed, more, ahead;

	switch (offset) {
	case NNAHW_RING_REG_BASE:
		return (uint32_t)ring->base;
	case NNAHW_RING_REG_BASE + 4:
		return (uint32_t)(ring->base >> 32);
	case NNAHW_RING_REG_CQ_BASE:
		return (uint32_t)ring->cq_base;
	case NNAHW_RING_REG_CQ_BASE + 4:
		return (uint32_t)(ring->cq_base >> 32);
	case NNAHW_RING_REG_SIZE:
		return ring->size;
	case NNAHW_RING_REG_VECTOR:
		return ring->vector;
	case NNAHW_RING_REG_CONTROL:
		return ring->enabled ? NNAHW_RING_REG_CONTROL_ENABLE : 0;
	case NNAHW_RING_REG_STATUS:
		/* A ring counts as running while the command processor may write to its memory. */
		return (ring->enabled || (held && held != ring->epoch) ?
				NNAHW_RING_REG_STATUS_RUNNING :
				0) |
		       (ring->error ? NNAHW_RING_REG_STATUS_ERROR : 0);
	case NNAHW_RING_REG_HEAD:
		return ring->head;
	case NNAHW_RING_REG_DONE:
		return ring->done;
	case NNAHW_RING_REG_DOORBELL_SHADOW:
		return ring->doorbell;
	case NNAHW_RING_REG_RUN_TIME:
		resumed = atomic_load(&ring->resumed);
		more = resumed ? nnadev_clock_now() - resumed : 0;
		ahead = atomic_load(&ring->ahead);
		more += atomic_load(&ring->ran) - (more > ahead ? more - ahead : 0);
		return (uint32_t)(nnadev_clock_to_ticks(tick_hz, more) >> NNAHW_RUN_TIME_SHIFT);
	default:
		return 0;
	}
}

static bool set_up_well(const struct nnadev_ring *ring)
{
	uint64_t end;

	return ring->size >= NNAHW_RING_SIZE_MIN && ring->size <= NNAHW_RING_SIZE_MAX &&
	       !(ring->size & (ring->size - 1)) && !(ring->base & ~NNAHW_PTE_ADDRESS) &&
	       !(ring->cq_base & ~NNAHW_PTE_ADDRESS) && ring->vector < NNADEV_BASE_VECTORS &&
	       !__builtin_add_overflow(
		       ring->base, (uint64_t)ring->size * sizeof(struct nnahw_ring_entry), &end) &&
	       !__builtin_add_overflow(
		       ring->cq_base, (uint64_t)ring->size * sizeof(struct nnahw_completion), &end);
}

static void next_epoch(struct nnadev_ring *ring)
{
	if (!++ring->epoch)
		ring->epoch = 1;
}

void nnadev_ring_write(struct nnadev_ring *ring, uint32_t offset, uint32_t value)
{
	bool enable = value & NNAHW_RING_REG_CONTROL_ENABLE;

	switch (offset) {
	case NNAHW_RING_REG_BASE:
	case NNAHW_RING_REG_BASE + 4:
		if (!ring->enabled)
			set_half(&ring->base, offset & 4, value);
		break;
	case NNAHW_RING_REG_CQ_BASE:
	case NNAHW_RING_REG_CQ_BASE + 4:
		if (!ring->enabled)
			set_half(&ring->cq_base, offset & 4, value);
		break;
	case NNAHW_RING_REG_SIZE:
		if (!ring->enabled)
			ring->size = value;
		break;
	case NNAHW_RING_REG_VECTOR:
		if (!ring->enabled)
			ring->vector = value;
		break;
	case NNAHW_RING_REG_CONTROL:
		if (enable == ring->enabled)
			break;
		next_epoch(ring);
		ring->error = false;
		if (enable) {
			ring->head = 0;
			ring->done = 0;
			ring->doorbell = 0;
			ring->error = !set_up_well(ring);
		}
		ring->enabled = enable;
		break;
	default:
		break;
	}
}

void nnadev_ring_reset(struct nnadev_ring *ring)
{
	ring->base = 0;
	ring->cq_base = 0;
	ring->size = 0;
	ring->vector = 0;
	ring->error = false;
	ring->head = 0;
	ring->done = 0;
	ring->doorbell = 0;
	ring->enabled = false;
	next_epoch(ring);
}

bool nnadev_ring_sync(struct nnadev_base *base, struct nnadev_ring *ring)
{
	struct nnadev_ring_work *work = &ring->work;

	if (work->epoch == atomic_load(&ring->epoch))
		return false;
	pthread_mutex_lock(&base->lock);
	memset(work, 0, sizeof(*work));
	work->epoch = ring->epoch;
	work->running = ring->enabled && !ring->error;
	work->base = ring->base;
	work->cq_base = ring->cq_base;
	work->size = ring->size;
	work->vector = ring->vector;
	ring->held = work->running ? work->epoch : 0;
	pthread_mutex_unlock(&base->lock);
	return true;
}

static void fail(struct nnadev_base *base, struct nnadev_ring *ring, const char *why)
{
	ring->work.running = false;
	pthread_mutex_lock(&base->lock);
	if (ring->epoch == ring->work.epoch)
		ring->error = true;
	pthread_mutex_unlock(&base->lock);
	nnadev_bus_log(base->bus, "ring %u: %s", ring->index, why);
}

bool nnadev_ring_pending(struct nnadev_base *base, struct nnadev_ring *ring)
{
	struct nnadev_ring_work *work = &ring->work;
	uint32_t doorbell;

	if (!work->running)
		return false;
	doorbell = atomic_load(&ring->doorbell);
	if (doorbell == work->head)
		return false;
	/* Re-enabling the ring starts another epoch, to which the doorbell may belong. */
	if (atomic_load(&ring->epoch) != work->epoch)
		return false;
	/* It must not be less than @head, nor be more than @size beyond @done. */
	if (doorbell - work->done > work->size || doorbell - work->head > work->size) {
		fail(base, ring, "bad doorbell");
		return false;
	}
	return true;
}

bool nnadev_ring_fetch(struct nnadev_base *base, struct nnadev_ring *ring,
		       struct nnahw_ring_entry *entry, bool *aborted)
{
	struct nnadev_ring_work *work = &ring->work;
	uint32_t slot = work->head & (work->size - 1);
	const void *p = nnadev_memory_at(&base->bus->memory, work->base + slot * sizeof(*entry),
					 sizeof(*entry), false);
	bool current;

	if (!p) {
		fail(base, ring, "unreachable ring memory");
		return false;
	}
	/*
	 * HEAD is advanced before the entry starts, and only in the same epoch: an entry that HEAD
	 * does not count is never started, so the driver may submit it again.
	 */
	pthread_mutex_lock(&base->lock);
	current = ring->epoch == work->epoch;
	if (current)
		ring->head = ++work->head;
	pthread_mutex_unlock(&base->lock);
	if (!current)
		return false;
	memcpy(entry, p, sizeof(*entry));
	*aborted = work->aborted[slot / 64] >> (slot % 64) & 1;
	work->aborted[slot / 64] &= ~(1ull << (slot % 64));
	return true;
}

void nnadev_ring_abort(struct nnadev_base *base, struct nnadev_ring *ring, uint32_t seqno)
{
	struct nnadev_ring_work *work = &ring->work;
	uint32_t doorbell = atomic_load(&ring->doorbell);

	if (!nnadev_ring_pending(base, ring))
		return;
	for (uint32_t i = work->head; i != doorbell && i - work->head < work->size; i++) {
		uint32_t slot = i & (work->size - 1);
		const struct nnahw_ring_entry *entry =
			nnadev_memory_at(&base->bus->memory, work->base + slot * sizeof(*entry),
					 sizeof(*entry), false);

		if (!entry)
			return;
		if (*(const volatile uint32_t *)&entry->seqno == seqno) {
			work->aborted[slot / 64] |= 1ull << (slot % 64);
			return;
		}
	}
}

void nnadev_ring_yield(struct nnadev_ring *ring, uint32_t seqno)
{
	struct nnadev_ring_work *work = &ring->work;

	if (!work->yields || (int32_t)(seqno - work->yield) > 0)
		work->yield = seqno;
	work->yields = true;
}

void nnadev_ring_write_rest(struct nnadev_base *base, struct nnadev_ring *ring,
			    const struct nnahw_ring_entry *rest)
{
	struct nnadev_ring_work *work = &ring->work;
	uint32_t slot = work->done & (work->size - 1);
	struct nnahw_ring_entry *entry;

	if (!work->running)
		return;
	entry = nnadev_memory_at(&base->bus->memory, work->base + slot * sizeof(*entry),
				 sizeof(*entry), true);
	if (!entry) {
		fail(base, ring, "unreachable ring memory");
		return;
	}
	/* The completion orders these writes. */
	__atomic_store_n(&entry->start, rest->start, __ATOMIC_RELAXED);
	__atomic_store_n(&entry->budget, rest->budget, __ATOMIC_RELAXED);
	__atomic_store_n(&entry->loop_limit, rest->loop_limit, __ATOMIC_RELAXED);
}

void nnadev_ring_complete(struct nnadev_base *base, struct nnadev_ring *ring,
			  const struct nnahw_ring_entry *entry, uint32_t status, uint64_t detail)
{
	struct nnadev_ring_work *work = &ring->work;
	uint32_t slot = work->done & (work->size - 1), seqno = entry->seqno;
	uint32_t flags = work->done & work->size ? 0 : NNAHW_COMPLETION_PHASE;
	bool silent = status != NNAHW_STATUS_BAD_ENTRY && entry->flags & NNAHW_ENTRY_FLAG_NO_IRQ;
	struct nnahw_completion *record;

	if (!work->running)
		return;
	if (ring->boosted && (int32_t)(seqno - ring->boost) >= 0)
		ring->boosted = false;
	if (work->yields && (int32_t)(seqno - work->yield) >= 0)
		work->yields = false;
	record = nnadev_memory_at(&base->bus->memory, work->cq_base + slot * sizeof(*record),
				  sizeof(*record), true);
	if (!record) {
		fail(base, ring, "unreachable completion queue");
		return;
	}
	if (nnadev_base_injected(base, NNADEV_INJECT_CORRUPT))
		seqno ^= 0x80000000u;
	/* The driver first reads the phase, in the second word. So that word is written last. */
	__atomic_store_n(&record->detail, detail, __ATOMIC_RELAXED);
	__atomic_store_n(&record->seqno, seqno, __ATOMIC_RELAXED);
	__atomic_store_n((uint32_t *)(void *)&record->status, status | flags << 16,
			 __ATOMIC_RELEASE);
	work->done++;
	pthread_mutex_lock(&base->lock);
	if (ring->epoch == work->epoch)
		ring->done = work->done;
	pthread_mutex_unlock(&base->lock);
	if (!silent)
		nnadev_base_interrupt(base, work->vector);
}
