/* SPDX-License-Identifier: MIT */
/*
 * What estimates of 8-bit results in fixed point have in common: numbers of 2^-16, of which the
 * upper half is the result before it is clamped, as an unsigned byte. One of a signed output is
 * computed with 128 more, and its uppermost bit is flipped at the end.
 */
#ifndef NNADEV_FIXED_H
#define NNADEV_FIXED_H

#include "device/nna/engine/epilogue.h"

#define NNADEV_FIXED_ONE 65536.0f

/*
 * That of an accumulator is t = acc * scale + nudge in fp32, rounded to a whole number of 2^-16.
 * What it is estimated of is
 *
 *   v = acc * multiplier * 2^-shift + what rounding in two steps adds, with the sign of the product
 *       (2^(30-shift) for shifts from 32 on) + zero point + 1/2
 *
 * of which the exact result is the next whole number below; which one a whole v itself has depends
 * on how halves are rounded. Wherever results are not clamped, |v| < 257 and v without the zero
 * point is below 385: the accumulator in fp32 and the scale are each off by a part of at most 2^-24
 * (2^-15.4 of such a v), and their sums, the nudge, and the rounding of t by 2^-16 or less each;
 * that is less than 2^-13 together. So t begins 2^-13 above v, and where the lower half of t
 * is 2^-12 or more, its upper half is exact: lower halves below the window prove nothing.
 */
#define NNADEV_FIXED_WINDOW 16

/**
 * struct nnadev_fixed_limits - the range of a command's results as unsigned bytes
 * @zero: zero point, any 32-bit number
 * @low, @high: limits
 * @flip: 0x80 for signed outputs, else 0
 * @once: rounded in one step
 * @rectified: no result is below the zero point, so that which sign a nudge has does not matter
 */
struct nnadev_fixed_limits {
	int32_t zero, low, high;
	uint8_t flip;
	bool once, rectified;
};

/* Of an output of a type; what @q_min and @q_max are beyond that does not count. */
static inline void nnadev_fixed_limits_get(struct nnadev_fixed_limits *l, uint32_t type,
					   int32_t zero_point, int32_t q_min, int32_t q_max,
					   bool once)
{
	const int32_t flip = type == NNAHW_TYPE_S8 ? 0x80 : 0;
	int64_t min, max;

	nnadev_type_range(type, &min, &max);
	/* Where that wraps, it is not the zero point of a byte, for which there is no estimate. */
	l->zero = (int32_t)((uint32_t)zero_point + (uint32_t)flip);
	l->low = (int32_t)nnadev_clamp_s64(q_min, min, max) + flip;
	l->high = (int32_t)nnadev_clamp_s64(q_max, min, max) + flip;
	l->flip = (uint8_t)flip;
	l->once = once;
	l->rectified = l->low >= l->zero;
}

#endif
