/* SPDX-License-Identifier: MIT */
/* The reciprocal square root in fixed point, by Newton's method, of NORM16 and NORM8. */
#ifndef NNADEV_ROOT_H
#define NNADEV_ROOT_H

#include "device/nna/engine/epilogue.h"

/* Fixed point with three integer bits (F3); a product has six. */
#define NNADEV_F3_ONE (1 << 28)
#define NNADEV_HALF_ROOT_2 1518500250 /* sqrt(2) / 2, no integer bits */

static inline int32_t nnadev_f3_times(int32_t a, int32_t b)
{
	return (int32_t)(((int64_t)a * b + (1 << 30)) >> 31);
}

/* a << n */
static inline int32_t nnadev_shift_up(int32_t a, uint32_t n)
{
	return (int32_t)nnadev_clamp_s64((int64_t)a * (1 << n), INT32_MIN, INT32_MAX);
}

/* 1 / sqrt(x) as multiplier and shift of struct requantize; of what is below 1 that of 1. */
static inline int32_t nnadev_reciprocal_root(int32_t x, int32_t *shift)
{
	int32_t y = NNADEV_F3_ONE, down = 11, half;

	*shift = 31;
	if (x <= 1)
		return INT32_MAX;
	while (x >= 1 << 29) {
		x /= 4;
		down++;
	}
	for (; x < 1 << 27; x *= 4) /* now 1/4 to 1 in 2^-29 */
		down--;
	half = ((x >> 1) + 1) >> 1;
	for (int i = 0; i < 5; i++) {
		int32_t cube = nnadev_shift_up(nnadev_f3_times(nnadev_f3_times(y, y), y), 6);

		y = nnadev_shift_up(nnadev_f3_times(NNADEV_F3_ONE + NNADEV_F3_ONE / 2, y) -
					    nnadev_f3_times(half, cube), 3);
	}
	y = nnadev_f3_times(y, NNADEV_HALF_ROOT_2);
	if (down < 0)
		return nnadev_shift_up(y, (uint32_t)-down);
	*shift += down;
	return y;
}

#endif
