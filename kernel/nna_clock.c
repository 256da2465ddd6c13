// SPDX-License-Identifier: GPL-2.0-only
/* Clock conversion: see nna_clock.h. */

#include <linux/ktime.h>
#include <linux/limits.h>
#include <linux/math64.h>
#include <linux/overflow.h>
#include <linux/time64.h>

#include "nna_clock.h"
#include "nna_hw.h"

#define NNA_CLOCK_READS		3
#define NNA_CLOCK_MAX_AGE_NS	NSEC_PER_SEC

void nna_clock_init(struct nna_clock *clock)
{
	seqlock_init(&clock->lock);
}

void nna_clock_sample(struct nna_clock *clock, struct nna_hw *hw)
{
	u64 best = U64_MAX, ns = 0, tick = 0;
	unsigned int i;

	/*
	 * Keep the shortest of a few readings: a delay of a reading makes it longer and less exact.
	 */
	for (i = 0; i < NNA_CLOCK_READS; i++) {
		u64 before = ktime_get_ns();
		u64 t = nna_hw_timestamp(hw);
		u64 width = ktime_get_ns() - before;

		if (width < best) {
			best = width;
			ns = before + width / 2;
			tick = t;
		}
	}
	write_seqlock_irq(&clock->lock);
	clock->monotonic_ns = ns;
	clock->tick = tick;
	clock->uncertainty_ns = best;
	write_sequnlock_irq(&clock->lock);
}

void nna_clock_invalidate(struct nna_clock *clock)
{
	write_seqlock_irq(&clock->lock);
	clock->monotonic_ns = 0;
	write_sequnlock_irq(&clock->lock);
}

void nna_clock_get(struct nna_clock *clock, u64 *monotonic_ns, u64 *tick, u64 *uncertainty_ns)
{
	unsigned int seq;

	do {
		seq = read_seqbegin(&clock->lock);
		*monotonic_ns = clock->monotonic_ns;
		*tick = clock->tick;
		*uncertainty_ns = clock->uncertainty_ns;
	} while (read_seqretry(&clock->lock, seq));
}

void nna_clock_refresh(struct nna_clock *clock, struct nna_hw *hw)
{
	u64 ns, tick, uncertainty;

	nna_clock_get(clock, &ns, &tick, &uncertainty);
	if (ktime_get_ns() - ns > NNA_CLOCK_MAX_AGE_NS)
		nna_clock_sample(clock, hw);
}

u64 nna_clock_ns_to_ticks(const struct nna_hw *hw, u64 ns)
{
	u64 seconds, rest, ticks, part;

	if (hw->tick_hz == NSEC_PER_SEC)
		return ns;
	seconds = div64_u64_rem(ns, NSEC_PER_SEC, &rest);
	if (check_mul_overflow(seconds, hw->tick_hz, &ticks))
		return U64_MAX;
	part = mul_u64_u64_div_u64(rest, hw->tick_hz, NSEC_PER_SEC);
	/* The difference fits 64 bits, so both products may wrap. */
	if (rest * hw->tick_hz != part * NSEC_PER_SEC)
		part++;
	if (check_add_overflow(ticks, part, &ticks))
		return U64_MAX;
	return ticks;
}

u64 nna_clock_ticks_to_ns(const struct nna_hw *hw, u64 ticks)
{
	u64 seconds, rest, ns;

	if (hw->tick_hz == NSEC_PER_SEC)
		return ticks;
	seconds = div64_u64_rem(ticks, hw->tick_hz, &rest);
	if (check_mul_overflow(seconds, NSEC_PER_SEC, &ns))
		return U64_MAX;
	if (check_add_overflow(ns, mul_u64_u64_div_u64(rest, NSEC_PER_SEC, hw->tick_hz), &ns))
		return U64_MAX;
	return ns;
}

u64 nna_clock_to_tick(struct nna_clock *clock, const struct nna_hw *hw, u64 monotonic_ns)
{
	u64 ns, tick, uncertainty, delta;

	nna_clock_get(clock, &ns, &tick, &uncertainty);
	if (monotonic_ns >= ns) {
		delta = nna_clock_ns_to_ticks(hw, monotonic_ns - ns);
		if (check_add_overflow(tick, delta, &tick))
			tick = U64_MAX;
	} else {
		delta = nna_clock_ns_to_ticks(hw, ns - monotonic_ns);
		tick = tick > delta ? tick - delta : 0;
	}
	/* 0 in a ring entry means that the job has no deadline. */
	return tick ?: 1;
}
