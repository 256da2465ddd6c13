/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The device's clock against CLOCK_MONOTONIC. Both drift, so the pair is read again when it is old;
 * that happens where a register read does no harm, never once per job.
 */
#ifndef NNA_CLOCK_H
#define NNA_CLOCK_H

#include <linux/seqlock.h>
#include <linux/types.h>

struct nna_hw;

/**
 * struct nna_clock - One pair of readings.
 * @lock: protects the rest.
 * @monotonic_ns: CLOCK_MONOTONIC.
 * @tick: the device's clock at that time.
 * @uncertainty_ns: they were read within this time of each other.
 */
struct nna_clock {
	seqlock_t lock;
	u64 monotonic_ns;
	u64 tick;
	u64 uncertainty_ns;
};

/** nna_clock_init() - Prepare the lock. */
void nna_clock_init(struct nna_clock *clock);

/** nna_clock_sample() - Read a new pair from the device. */
void nna_clock_sample(struct nna_clock *clock, struct nna_hw *hw);

/** nna_clock_invalidate() - Have the next nna_clock_refresh() read a new pair. */
void nna_clock_invalidate(struct nna_clock *clock);

/** nna_clock_refresh() - Read a new pair if the last one is older than a second. */
void nna_clock_refresh(struct nna_clock *clock, struct nna_hw *hw);

/** nna_clock_get() - The last pair. */
void nna_clock_get(struct nna_clock *clock, u64 *monotonic_ns, u64 *tick, u64 *uncertainty_ns);

/** nna_clock_to_tick() - The device's clock at a time of CLOCK_MONOTONIC; never 0. */
u64 nna_clock_to_tick(struct nna_clock *clock, const struct nna_hw *hw, u64 monotonic_ns);

/** nna_clock_ns_to_ticks() - A duration in ticks, rounded up, saturating. */
u64 nna_clock_ns_to_ticks(const struct nna_hw *hw, u64 ns);

/** nna_clock_ticks_to_ns() - A number of ticks in nanoseconds, rounded down, saturating. */
u64 nna_clock_ticks_to_ns(const struct nna_hw *hw, u64 ticks);

#endif
