// SPDX-License-Identifier: MIT
/*
 * Activation functions of 16-bit fixed-point numbers (see fixed_function.h). A function is defined
 * by the steps here: every rounding is part of the result.
 *
 * A number has a sign bit, some integer bits and a fraction. "f0" names a number without integer
 * bits, in which 1 is stored as 32767; "f2" one with two integer bits. The exponential splits its
 * argument into a remainder in [-1/4, 0), for which it evaluates a polynomial, and powers of two,
 * for each of which it multiplies by a factor. A quotient takes three steps of Newton's method.
 */
#include "libnnaccel/support/fixed_function.h"

#define F0_ONE INT16_MAX
#define F2_ONE (1 << 13)

static int16_t saturate(int32_t x)
{
	return x > INT16_MAX ? INT16_MAX : x < INT16_MIN ? INT16_MIN : (int16_t)x;
}

/* Return: the rounded product, which has the integer bits of both factors. */
static int16_t times(int16_t a, int16_t b)
{
	int32_t product = (int32_t)a * b;

	return saturate((product + (product >= 0 ? 1 << 14 : 1 - (1 << 14))) / (1 << 15));
}

/* Return: x / 2^n, rounded to the nearest; ties round away from zero. */
static int16_t halve(int32_t x, int n)
{
	int32_t half = 1 << (n - 1);

	return (int16_t)((x >= 0 ? x + half : x + half - 1) >> n);
}

static int16_t shift_up(int16_t x, uint32_t n)
{
	return saturate((int32_t)x * (1 << n));
}

/* Return: e^x for x in [-1/4, 0), f0, by a Taylor polynomial about -1/8. */
static int16_t exp_small(int16_t a)
{
	const int16_t exp_eighth = 28918, third = 10923; /* e^(-1/8), 1/3 */
	int16_t x = (int16_t)(a + (1 << 12));
	int16_t x2 = times(x, x), x3 = times(x2, x), x4 = times(x2, x2);
	int16_t tail = halve(times((int16_t)(halve(x4, 2) + x3), third) + x2, 1);

	return saturate(exp_eighth + times(exp_eighth, (int16_t)(x + tail)));
}

/* Return: e^x, f0, for x <= 0 with @bits integer bits. */
static int16_t exp_negative(int16_t a, uint32_t bits)
{
	/* e to the power of -1/4, -1/2, -1, -2, -4, -8, -16 */
	static const int16_t factors[] = { 25520, 19875, 12055, 4435, 600, 11, 0 };
	int fraction = 15 - (int)bits;
	int16_t quarter = (int16_t)(1 << (fraction - 2));
	int16_t small = (int16_t)((a & (quarter - 1)) - quarter);
	int32_t rest = small - a;
	int16_t result = exp_small(shift_up(small, bits));

	if (!a)
		return F0_ONE;
	/* Bits of 32 and more have no factor. */
	if (bits > 5 && a < -(32 << fraction))
		return 0;
	for (int e = -2; e <= 4 && e < (int)bits; e++) {
		if (rest >> (fraction + e) & 1)
			result = times(result, factors[e + 2]);
	}
	return result;
}

/* Return: an approximation of 2 / (1 + a), f2, for a in [0, 1). */
static int16_t reciprocal(int16_t a)
{
	int16_t denominator = (int16_t)((a + F0_ONE + 1) / 2);
	int16_t x = (int16_t)(23130 + times(denominator, -15420)); /* 48/17 - 32/17 d */

	for (int i = 0; i < 3; i++) {
		int16_t error = (int16_t)(F2_ONE - times(denominator, x));

		x = saturate(x + shift_up(times(x, error), 2));
	}
	return x;
}

static int16_t logistic(int16_t a, uint32_t bits)
{
	int16_t positive;

	if (!a)
		return 1 << 14;
	positive = shift_up(reciprocal(exp_negative((int16_t)(a > 0 ? -a : a), bits)), 1);
	return a > 0 ? positive : (int16_t)(F0_ONE - positive);
}

/* Return: (1 - e^-2|a|) / (1 + e^-2|a|) with the sign of a. */
static int16_t tanh16(int16_t a, uint32_t bits)
{
	int16_t size;

	if (!a)
		return 0;
	size = shift_up((int16_t)(reciprocal(exp_negative((int16_t)(a > 0 ? -a : a), bits + 1)) -
				  F2_ONE), 2);
	return a > 0 ? size : (int16_t)-size;
}

int16_t nna_fixed_evaluate(enum nna_fixed_function function, uint32_t integer_bits, int16_t raw)
{
	return function == NNA_FIXED_LOGISTIC ? logistic(raw, integer_bits)
					      : tanh16(raw, integer_bits);
}

/* Computes numbers up to 0: logistic() and tanh16() are symmetric, so those above 0 follow. */
void nna_fixed_tabulate(enum nna_fixed_function function, uint32_t integer_bits, int16_t *table)
{
	for (int32_t raw = INT16_MIN; raw <= 0; raw++)
		table[raw - INT16_MIN] = nna_fixed_evaluate(function, integer_bits, (int16_t)raw);
	for (int32_t raw = 1; raw <= INT16_MAX; raw++) {
		const int16_t mirrored = table[-raw - INT16_MIN];

		table[raw - INT16_MIN] = (int16_t)(function == NNA_FIXED_LOGISTIC ?
							   F0_ONE - mirrored : -mirrored);
	}
}
