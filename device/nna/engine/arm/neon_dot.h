/* SPDX-License-Identifier: MIT */
/*
 * Products of bytes with NEON, or with the dot products of Armv8.2 if the file is compiled for
 * them.
 */
#ifndef NNADEV_NEON_DOT_H
#define NNADEV_NEON_DOT_H

#include <arm_neon.h>

/* a + b, wrapping, as partial sums may. */
static inline int32x4_t add_wrapping(int32x4_t a, int32x4_t b)
{
	return vreinterpretq_s32_u32(
		vaddq_u32(vreinterpretq_u32_s32(a), vreinterpretq_u32_s32(b)));
}

/* Adds 4 products of bytes to each of 4 sums. */
static inline int32x4_t dot(int32x4_t c, int8x16_t w, int8x16_t x)
{
#ifdef __ARM_FEATURE_DOTPROD
	return vdotq_s32(c, w, x);
#else
	const int32x4_t low = vpaddlq_s16(vmull_s8(vget_low_s8(w), vget_low_s8(x))),
			high = vpaddlq_s16(vmull_high_s8(w, x));

	return add_wrapping(c, vpaddq_s32(low, high));
#endif
}

#endif
