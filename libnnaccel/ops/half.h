/* SPDX-License-Identifier: MIT */
/* Exact conversions between binary16 and binary32, for parameters of operations only. */
#ifndef NNA_HALF_H
#define NNA_HALF_H

#include <math.h>
#include <stdint.h>

static inline float nna_half_to_float(uint16_t half)
{
	int exponent = half >> 10 & 31;
	float mantissa = (float)(half & 1023);
	float value;

	if (exponent == 31)
		value = half & 1023 ? NAN : INFINITY;
	else if (exponent)
		value = ldexpf(mantissa + 1024.0f, exponent - 25);
	else
		value = ldexpf(mantissa, -24);
	return half & 0x8000 ? -value : value;
}

/* Return: the nearest binary16, ties to even; infinity for a number that is too large. */
static inline uint16_t nna_half_from_float(float value)
{
	uint16_t sign = signbit(value) ? 0x8000 : 0;
	float size = fabsf(value);
	int exponent;
	float scaled;

	if (isnan(value))
		return 0x7e00;
	if (size >= 65520.0f)
		return sign | 0x7c00;
	if (size < 0x1p-14f)
		return sign | (uint16_t)nearbyintf(ldexpf(size, 24));
	frexpf(size, &exponent);
	scaled = nearbyintf(ldexpf(size, 11 - exponent)); /* 1024 to 2048 */
	/* If rounding carries out of the mantissa, the sum raises the exponent by one. */
	return sign | (uint16_t)(((exponent + 14) << 10) + (int)scaled - 1024);
}

#endif
