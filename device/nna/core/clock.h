/* SPDX-License-Identifier: MIT */
/*
 * The device's clock. The model counts nanoseconds. Registers, ring entries, completions and
 * reports count ticks, whose frequency is in register TIMESTAMP_HZ. These functions convert between
 * both. They saturate.
 */
#ifndef NNADEV_CORE_CLOCK_H
#define NNADEV_CORE_CLOCK_H

#include <stdint.h>

#define NNADEV_CLOCK_NS_PER_S 1000000000u

/* Convert @count from a clock of @from Hz to one of @to Hz, rounding down. */
static inline uint64_t nnadev_clock_convert(uint64_t count, uint64_t from, uint64_t to)
{
	unsigned __int128 n = (unsigned __int128)count * to / from;

	return from == to ? count : n > UINT64_MAX ? UINT64_MAX : (uint64_t)n;
}

static inline uint64_t nnadev_clock_to_ticks(uint64_t tick_hz, uint64_t ns)
{
	return nnadev_clock_convert(ns, NNADEV_CLOCK_NS_PER_S, tick_hz);
}

/* Convert a duration. One that was rounded up to ticks does not become shorter than it was. */
static inline uint64_t nnadev_clock_to_ns(uint64_t tick_hz, uint64_t ticks)
{
	return nnadev_clock_convert(ticks, tick_hz, NNADEV_CLOCK_NS_PER_S);
}

/* The first nanosecond at which the device's clock shows @tick. */
static inline uint64_t nnadev_clock_at(uint64_t tick_hz, uint64_t tick)
{
	uint64_t ns = nnadev_clock_to_ns(tick_hz, tick);

	return ns < UINT64_MAX && nnadev_clock_to_ticks(tick_hz, ns) < tick ? ns + 1 : ns;
}

#endif
