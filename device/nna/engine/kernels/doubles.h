/* SPDX-License-Identifier: MIT */
/*
 * The exponential and related functions of fp32 numbers, computed in fp64 in the steps of
 * device/nna/engine/math.c. Every rounding is the same, so results are bit-exact.
 */
#ifndef NNADEV_DOUBLES_H
#define NNADEV_DOUBLES_H

#include "device/nna/engine/math.h"
#include "device/nna/engine/simd/simd.h"

/* Return: e^r - 1; *scale = 2^k, with x = k ln 2 + r. Requires |x| < 700. */
static inline nnadev_doubles nnadev_doubles_expm1_reduced(nnadev_doubles x, nnadev_doubles *scale)
{
	const nnadev_doubles half = nnadev_doubles_or_sign(nnadev_doubles_of(0.5), x);
	const nnadev_ints k = nnadev_doubles_truncate(nnadev_doubles_add(
		nnadev_doubles_mul(x, nnadev_doubles_of(NNADEV_LOG2_E)), half));
	const nnadev_doubles kd = nnadev_doubles_from_ints(k);
	nnadev_doubles r = nnadev_doubles_sub(
		x, nnadev_doubles_mul(kd, nnadev_doubles_of(NNADEV_LN2_HIGH)));
	nnadev_doubles y = nnadev_doubles_of(NNADEV_EXPM1[NNADEV_EXPM1_TERMS - 1]);

	r = nnadev_doubles_sub(r, nnadev_doubles_mul(kd, nnadev_doubles_of(NNADEV_LN2_LOW)));
	for (int i = NNADEV_EXPM1_TERMS - 2; i >= 0; i--)
		y = nnadev_doubles_add(nnadev_doubles_mul(y, r),
				       nnadev_doubles_of(NNADEV_EXPM1[i]));
	*scale = nnadev_doubles_power(k);
	return nnadev_doubles_mul(r, y);
}

static inline nnadev_doubles nnadev_doubles_exp(nnadev_doubles x)
{
	nnadev_doubles scale, y = nnadev_doubles_expm1_reduced(x, &scale);

	return nnadev_doubles_add(nnadev_doubles_mul(scale, y), scale);
}

static inline nnadev_doubles nnadev_doubles_expm1(nnadev_doubles x)
{
	nnadev_doubles scale, y = nnadev_doubles_expm1_reduced(x, &scale);

	return nnadev_doubles_add(nnadev_doubles_mul(scale, y),
				  nnadev_doubles_sub(scale, nnadev_doubles_of(1)));
}

/* @x within limits, beyond which a function does not change; a NaN becomes a number. */
static inline nnadev_doubles nnadev_doubles_limit(nnadev_floats x, float low, float high)
{
	return nnadev_doubles_from(nnadev_floats_limit(x, low, high));
}

/* Rounds a function of @x to fp32. A NaN and a 0 of either sign stay. */
static inline nnadev_floats nnadev_doubles_keep(nnadev_doubles y, nnadev_floats x)
{
	return nnadev_floats_select(
		nnadev_doubles_narrow(y), x,
		nnadev_lanes_or(nnadev_floats_equal(x, nnadev_floats_zero()),
				nnadev_floats_is_nan(x)));
}

/* Beyond the limits the result is 0 or infinity already. */
static inline nnadev_floats nnadev_exact_exp(nnadev_floats x)
{
	const nnadev_doubles y = nnadev_doubles_exp(nnadev_doubles_limit(x, -110, 90));

	return nnadev_floats_keep_nan(nnadev_doubles_narrow(y), x);
}

static inline nnadev_floats nnadev_exact_expm1(nnadev_floats x)
{
	return nnadev_doubles_keep(nnadev_doubles_expm1(nnadev_doubles_limit(x, -110, 90)), x);
}

/* From 10 on the result is 1. */
static inline nnadev_floats nnadev_exact_tanh(nnadev_floats x)
{
	const nnadev_doubles most = nnadev_doubles_limit(x, -11, 11), two = nnadev_doubles_of(2);
	const nnadev_doubles e = nnadev_doubles_expm1(nnadev_doubles_mul(two, most));

	return nnadev_doubles_keep(nnadev_doubles_div(e, nnadev_doubles_add(e, two)), x);
}

/* Below -110 the result is 0, above 40 it is 1. */
static inline nnadev_floats nnadev_exact_logistic(nnadev_floats x)
{
	const nnadev_doubles one = nnadev_doubles_of(1);
	const nnadev_doubles e = nnadev_doubles_exp(nnadev_doubles_sub(
		nnadev_doubles_of(0), nnadev_doubles_limit(x, -115, 41)));

	return nnadev_floats_keep_nan(
		nnadev_doubles_narrow(nnadev_doubles_div(one, nnadev_doubles_add(one, e))), x);
}

#endif
