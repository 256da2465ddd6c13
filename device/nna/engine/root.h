/* SPDX-License-Identifier: MIT */
/* Reciprocal square root in fixed point by Newton's method, for NORM16 and NORM8. */
#ifndef NNADEV_ROOT_H
#define NNADEV_ROOT_H

#include "device/nna/engine/epilogue.h"

/* Fixed point with three integer bits (F3). A product of two has six. */
#define NNADEV_F3_ONE (1 << 28)
#define NNADEV_HALF_ROOT_2 1518500250 /* sqrt(2) / 2, no integer bits */

static inline int32_t nnadev_f3_times(int32_t a, int32_t b)
{
	return (int32_t)(((int64_t)a * b + (1 << 30)) >> 31);
}

/* a << n, saturated. */
static inline int32_t nnadev_shift_up(int32_t a, uint32_t n)
{
	return (int32_t)nnadev_clamp_s64((int64_t)a * (1 << n), INT32_MIN, INT32_MAX);
}

/*
 * Return: the multiplier of 1 / sqrt(x), with its shift, as in struct nnahw_requantize. x below 1
 * counts as 1.
 */
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
	for (; x < 1 << 27; x *= 4) /* x becomes 1/4 to 1 in units of 2^-29 */
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
