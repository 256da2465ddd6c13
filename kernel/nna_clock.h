/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Conversion between the device's clock and CLOCK_MONOTONIC, for deadlines and timestamps.
 *
 * The conversion uses one pair of readings of both clocks, taken as close together as they can be.
 * The clocks drift against each other, so a deadline or a query of the time takes a new pair if
 * the last one is older than a second. A new pair reads registers, which takes time: a job without
 * a deadline does not take one.
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
 * @uncertainty_ns: upper bound of the time between @monotonic_ns and the reading of @tick.
 */
struct nna_clock {
	seqlock_t lock;
	u64 monotonic_ns;
	u64 tick;
	u64 uncertainty_ns;
};

/** nna_clock_init() - Initialise the lock; the pair is not valid yet. */
void nna_clock_init(struct nna_clock *clock);

/** nna_clock_sample() - Read a new pair from the device, which must not be suspended. */
void nna_clock_sample(struct nna_clock *clock, struct nna_hw *hw);

/** nna_clock_invalidate() - Have the next nna_clock_refresh() read a new pair. */
void nna_clock_invalidate(struct nna_clock *clock);

/** nna_clock_refresh() - Read a new pair if the last one is older than a second or invalid. */
void nna_clock_refresh(struct nna_clock *clock, struct nna_hw *hw);

/** nna_clock_get() - Return the last pair; *@monotonic_ns is 0 if it is not valid. Any context. */
void nna_clock_get(struct nna_clock *clock, u64 *monotonic_ns, u64 *tick, u64 *uncertainty_ns);

/**
 * nna_clock_to_tick() - Convert CLOCK_MONOTONIC to the device's clock, by the last pair.
 * @clock: the clock
 * @hw: the device's registers
 * @monotonic_ns: the time
 *
 * Any context.
 *
 * Return: the tick; at least 1, since a deadline of 0 in a ring entry means that there is none.
 */
u64 nna_clock_to_tick(struct nna_clock *clock, const struct nna_hw *hw, u64 monotonic_ns);

/** nna_clock_ns_to_ticks() - Convert a duration to ticks; rounds up and saturates. */
u64 nna_clock_ns_to_ticks(const struct nna_hw *hw, u64 ns);

/** nna_clock_ticks_to_ns() - Convert ticks to nanoseconds; rounds down and saturates. */
u64 nna_clock_ticks_to_ns(const struct nna_hw *hw, u64 ticks);

#endif
