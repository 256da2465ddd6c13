/* SPDX-License-Identifier: MIT */
/*
 * The engine's own functions on fp32, and binary16.
 *
 * libm's results differ between hosts, so the engine does not call it. Polynomials are evaluated in
 * double, whose basic operations round alike on every host, and rounded once to fp32, within 1 ulp.
 * All functions accept every bit pattern: a NaN gives a NaN, infinities follow IEEE 754.
 */
#ifndef NNADEV_MATH_H
#define NNADEV_MATH_H

#include <stdint.h>
#include <string.h>

/* ln 2 in two parts. The first has 33 bits, so that its product with an exponent is exact. */
#define NNADEV_LN2_HIGH 0x1.62e42fee00000p-1
#define NNADEV_LN2_LOW 0x1.a39ef35793c76p-33
#define NNADEV_LOG2_E 0x1.71547652b82fep0

/* The series of (e^r - 1) / r. Scalar and vector code take the same steps, so they round alike. */
#define NNADEV_EXPM1_TERMS 13
static const double NNADEV_EXPM1[NNADEV_EXPM1_TERMS] = {
	1.0,
	1.0 / 2,
	1.0 / 6,
	1.0 / 24,
	1.0 / 120,
	1.0 / 720,
	1.0 / 5040,
	1.0 / 40320,
	1.0 / 362880,
	1.0 / 3628800,
	1.0 / 39916800,
	1.0 / 479001600,
	1.0 / 6227020800,
};

static inline uint32_t nnadev_float_bits(float f)
{
	uint32_t u;

	memcpy(&u, &f, sizeof(u));
	return u;
}

static inline float nnadev_bits_float(uint32_t u)
{
	float f;

	memcpy(&f, &u, sizeof(f));
	return f;
}

/* binary16 to fp32, exact; signalling NaNs become quiet. */
static inline float nnadev_half_to_float(uint16_t h)
{
	uint32_t sign = (uint32_t)(h & 0x8000u) << 16, exponent = (h >> 10) & 31u,
		 mantissa = h & 0x3ffu;

	if (exponent == 31)
		return nnadev_bits_float(sign | 0x7f800000u | (mantissa ? 0x400000u : 0) |
					 mantissa << 13);
	if (exponent == 0) /* a multiple of 2^-24 */
		return nnadev_bits_float(nnadev_float_bits((float)mantissa * 0x1p-24f) | sign);
	return nnadev_bits_float(sign | (exponent + 112) << 23 | mantissa << 13);
}

/* fp32 to binary16, to nearest even, with denormals. Overflow gives infinity. */
static inline uint16_t nnadev_float_to_half(float f)
{
	uint32_t u = nnadev_float_bits(f), sign = u >> 16 & 0x8000u, a = u & 0x7fffffffu;

	if (a > 0x7f800000u)
		return (uint16_t)(sign | 0x7e00u | (a >> 13 & 0x3ffu));
	if (a >= 0x47800000u) /* 65536 */
		return (uint16_t)(sign | 0x7c00u);
	if (a < 0x38800000u) /* 2^-14: adding 1/2 leaves the multiple of 2^-24 in the low bits */
		return (uint16_t)(sign |
				  (nnadev_float_bits(nnadev_bits_float(a) + 0.5f) - 0x3f000000u));
	return (uint16_t)(sign | (((a + 0xfffu + (a >> 13 & 1u)) >> 13) - (112u << 10)));
}

/* The largest integer not above x. */
static inline float nnadev_floorf(float x)
{
	float t;

	if (!(x > -0x1p23f && x < 0x1p23f) || x == 0)
		return x;
	t = (float)(int32_t)x;
	if (t > x)
		t -= 1;
	return t;
}

/* The square root instruction, which rounds once. */
static inline float nnadev_sqrtf(float x)
{
	return __builtin_sqrtf(x);
}

/* In double, for sums of probabilities. Requires x <= 0, not NaN. */
double nnadev_exp(double x);
float nnadev_expf(float x);
float nnadev_expm1f(float x);
float nnadev_logf(float x);
float nnadev_sinf(float x);
float nnadev_cosf(float x);
float nnadev_tanhf(float x);
float nnadev_logisticf(float x);
float nnadev_erff(float x);
float nnadev_powf(float x, float y);
/* The remainder of x / y rounded towards zero; it is exact. */
float nnadev_fmodf(float x, float y);

#endif
