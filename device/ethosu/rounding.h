/* SPDX-License-Identifier: MIT */
/*
 * Ethos-U: scaling of values by scale / 2^shift.
 *
 * Products are taken in 128 bits: what a hostile stream gives overflows nothing. The result is
 * truncated to 64 bits.
 */
#ifndef ETHOSU_ROUNDING_H
#define ETHOSU_ROUNDING_H

#include <stdint.h>

#include "device/ethosu/operation.h"

/* @value / 2^@shift, halves up; @shift is at most 95. */
static inline __int128 ethosu_round_up(__int128 value, uint32_t shift)
{
	return shift ? (value + ((__int128)1 << (shift - 1))) >> shift : value;
}

/* The same, halves away from zero. */
static inline __int128 ethosu_round_away(__int128 value, uint32_t shift)
{
	return value < 0 ? -ethosu_round_up(-value, shift) : ethosu_round_up(value, shift);
}

/* @product / 2^@shift, rounded as @rounding says; @shift is at most 95. */
static inline int64_t ethosu_round(__int128 product, uint32_t shift, enum ethosu_rounding rounding)
{
	switch (rounding) {
	case ETHOSU_ROUND_DOUBLE:
		if (shift <= 31)
			return (int64_t)ethosu_round_up(product, shift);
		return (int64_t)ethosu_round_away(ethosu_round_up(product, 31), shift - 31);
	case ETHOSU_ROUND_SYMMETRIC:
		return (int64_t)ethosu_round_away(product, shift);
	case ETHOSU_ROUND_TO_ZERO:
		return (int64_t)(product < 0 ? -(-product >> shift) : product >> shift);
	case ETHOSU_ROUND_DOWN:
		return (int64_t)(product >> shift);
	default:
		return (int64_t)ethosu_round_up(product, shift);
	}
}

/*
 * The same of a product below 2^62, by a shift of at most 62 bits: what is added to it leaves 64
 * bits enough.
 */
static inline int64_t ethosu_round_short(int64_t product, uint32_t shift,
					 enum ethosu_rounding rounding)
{
	int64_t half = shift ? (int64_t)1 << (shift - 1) : 0;

	switch (rounding) {
	case ETHOSU_ROUND_DOUBLE:
		if (shift <= 31)
			return (product + half) >> shift;
		product = (product + (1 << 30)) >> 31;
		half = (int64_t)1 << (shift - 32);
		shift -= 31;
		return product < 0 ? -((half - product) >> shift) : (product + half) >> shift;
	case ETHOSU_ROUND_SYMMETRIC:
		return product < 0 ? -((half - product) >> shift) : (product + half) >> shift;
	case ETHOSU_ROUND_TO_ZERO:
		return product < 0 ? -(-product >> shift) : product >> shift;
	case ETHOSU_ROUND_DOWN:
		return product >> shift;
	default:
		return (product + half) >> shift;
	}
}

/* @value times @scale. */
static inline int64_t ethosu_scale_apply(const struct ethosu_scale *scale, int64_t value)
{
	int64_t product;

	if (scale->scale == 1 && !scale->shift && !scale->extra)
		return value;
	if (scale->shift < 63 && !scale->extra &&
	    !__builtin_mul_overflow(value, (int64_t)scale->scale, &product) &&
	    product >> 62 == product >> 63)
		return ethosu_round_short(product, scale->shift, scale->rounding);
	return ethosu_round((__int128)value * ((int64_t)1 << scale->extra) * scale->scale,
			    (uint32_t)scale->shift + scale->extra, scale->rounding);
}

#endif
