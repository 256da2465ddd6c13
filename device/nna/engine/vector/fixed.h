/* SPDX-License-Identifier: MIT */
/*
 * Fixed-point estimates of 8-bit results, in units of 2^-16. The upper half of an estimate is the
 * result as an unsigned byte before it is clamped. The result of a signed output is computed with
 * 128 added, and its uppermost bit is flipped at the end.
 */
#ifndef NNADEV_FIXED_H
#define NNADEV_FIXED_H

#include "device/nna/engine/epilogue.h"

#define NNADEV_FIXED_ONE 65536.0f

/*
 * The estimate of an accumulator is t = acc * scale + nudge in fp32, rounded to an integer in units
 * of 2^-16. It estimates
 *
 *   v = acc * multiplier * 2^-shift + what rounding in two steps adds, with the sign of the product
 *       (2^(30-shift) for shifts from 32 on) + zero point + 1/2
 *
 * The exact result is floor(v); for an integer v, the rounding of halves may also make it one less.
 * Where results are not clamped, |v| < 257, and v without the zero point is below 385. The
 * accumulator in fp32 and the scale have a relative error of at most 2^-24 each, 2^-15.4 for v
 * below 385. The sums, the nudge and the rounding of t are off by at most 2^-16 each. The errors
 * add up to less than 2^-13. The estimate therefore adds 2^-13 to v: if the lower half of t is
 * 2^-12 or more, the upper half is exact. A lower half below this window proves nothing.
 */
#define NNADEV_FIXED_WINDOW 16

/**
 * struct nnadev_fixed_limits - the range of a command's results as unsigned bytes
 * @zero: zero point, any 32-bit number
 * @low, @high: limits
 * @flip: 0x80 for a signed output, else 0
 * @once: results are rounded in one step
 * @rectified: no result is below the zero point, so the sign of a nudge does not matter
 */
struct nnadev_fixed_limits {
	int32_t zero, low, high;
	uint8_t flip;
	bool once, rectified;
};

/* Computes the limits for an output of @type. Clamps @q_min and @q_max to the range of @type. */
static inline void nnadev_fixed_limits_get(struct nnadev_fixed_limits *l, uint32_t type,
					   int32_t zero_point, int32_t q_min, int32_t q_max,
					   bool once)
{
	const int32_t flip = type == NNAHW_TYPE_S8 ? 0x80 : 0;
	int64_t min, max;

	nnadev_type_range(type, &min, &max);
	/* A zero point that wraps is not that of a byte, and has no estimate. */
	l->zero = (int32_t)((uint32_t)zero_point + (uint32_t)flip);
	l->low = (int32_t)nnadev_clamp_s64(q_min, min, max) + flip;
	l->high = (int32_t)nnadev_clamp_s64(q_max, min, max) + flip;
	l->flip = (uint8_t)flip;
	l->once = once;
	l->rectified = l->low >= l->zero;
}

#endif
