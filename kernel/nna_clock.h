/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Conversion between the device's clock and CLOCK_MONOTONIC, for deadlines and timestamps.
 *
 * It rests on one pair of readings taken at the same moment. The clocks drift against each other,
 * so the pair is taken again when it is older than a second and somebody asks for a deadline or for
 * the time: that reads registers, which jobs without a deadline shall not wait for.
 */
#ifndef NNA_CLOCK_H
#define NNA_CLOCK_H

#include <linux/seqlock.h>
#include <linux/types.h>

struct nna_hw;

/**
 * struct nna_clock - One pair of readings.
 * @lock: protects the other fields; may be read in any context.
 * @monotonic_ns: CLOCK_MONOTONIC; 0 when the pair is not valid.
 * @tick: the device's clock at that time.
 * @uncertainty_ns: the two were read within this time of each other.
 */
struct nna_clock {
	seqlock_t lock;
	u64 monotonic_ns;
	u64 tick;
	u64 uncertainty_ns;
};

/** nna_clock_init() - Initialise the lock; the pair is not valid yet. */
void nna_clock_init(struct nna_clock *clock);

/** nna_clock_sample() - Read a new pair from the device, which must be resumed. */
void nna_clock_sample(struct nna_clock *clock, struct nna_hw *hw);

/** nna_clock_invalidate() - Have the next nna_clock_refresh() read a new pair. */
void nna_clock_invalidate(struct nna_clock *clock);

/** nna_clock_refresh() - As nna_clock_sample(), if the last pair is older than a second. */
void nna_clock_refresh(struct nna_clock *clock, struct nna_hw *hw);

/** nna_clock_get() - Return the last pair; any context. */
void nna_clock_get(struct nna_clock *clock, u64 *monotonic_ns, u64 *tick, u64 *uncertainty_ns);

/** nna_clock_to_tick() - The device's clock at a time of CLOCK_MONOTONIC; any context. Never 0. */
u64 nna_clock_to_tick(struct nna_clock *clock, const struct nna_hw *hw, u64 monotonic_ns);

/** nna_clock_ns_to_ticks() - A duration in ticks, rounded up, saturating. */
u64 nna_clock_ns_to_ticks(const struct nna_hw *hw, u64 ns);

/** nna_clock_ticks_to_ns() - A number of ticks in nanoseconds, rounded down, saturating. */
u64 nna_clock_ticks_to_ns(const struct nna_hw *hw, u64 ticks);

#endif
