/* SPDX-License-Identifier: MIT */
/*
 * The exponential and related functions of 8 fp32 numbers. They are computed in double in the steps
 * of device/nna/engine/math.c. Every rounding is the same, so results are bit-exact.
 */
#ifndef NNADEV_AVX2_DOUBLE_H
#define NNADEV_AVX2_DOUBLE_H

#include <immintrin.h>

#include "device/nna/engine/math.h"

/* Return: e^r - 1; *scale = 2^k, with x = k ln 2 + r. Requires |x| < 700. */
static inline __m256d nnadev_expm1_reduced4(__m256d x, __m256d *scale)
{
	const __m256d half = _mm256_or_pd(_mm256_set1_pd(0.5),
					  _mm256_and_pd(x, _mm256_set1_pd(-0.0)));
	const __m128i k = _mm256_cvttpd_epi32(
		_mm256_add_pd(_mm256_mul_pd(x, _mm256_set1_pd(NNADEV_LOG2_E)), half));
	const __m256d kd = _mm256_cvtepi32_pd(k);
	const __m256d r = _mm256_sub_pd(
		_mm256_sub_pd(x, _mm256_mul_pd(kd, _mm256_set1_pd(NNADEV_LN2_HIGH))),
		_mm256_mul_pd(kd, _mm256_set1_pd(NNADEV_LN2_LOW)));
	__m256d y = _mm256_set1_pd(NNADEV_EXPM1[NNADEV_EXPM1_TERMS - 1]);

	for (int i = NNADEV_EXPM1_TERMS - 2; i >= 0; i--)
		y = _mm256_add_pd(_mm256_mul_pd(y, r), _mm256_set1_pd(NNADEV_EXPM1[i]));
	*scale = _mm256_castsi256_pd(_mm256_slli_epi64(
		_mm256_cvtepi32_epi64(_mm_add_epi32(k, _mm_set1_epi32(1023))), 52));
	return _mm256_mul_pd(r, y);
}

static inline __m256d nnadev_exp4(__m256d x)
{
	__m256d scale, y = nnadev_expm1_reduced4(x, &scale);

	return _mm256_add_pd(_mm256_mul_pd(scale, y), scale);
}

static inline __m256d nnadev_expm1_4(__m256d x)
{
	__m256d scale, y = nnadev_expm1_reduced4(x, &scale);

	return _mm256_add_pd(_mm256_mul_pd(scale, y), _mm256_sub_pd(scale, _mm256_set1_pd(1)));
}

static inline __m256 nnadev_clamp8(__m256 x, float low, float high)
{
	return _mm256_min_ps(_mm256_set1_ps(high), _mm256_max_ps(_mm256_set1_ps(low), x));
}

static inline __m256 nnadev_select8(__m256 no, __m256 yes, __m256 condition)
{
	return _mm256_blendv_ps(no, yes, condition);
}

/* Replaces y by x where x is NaN, so that a NaN stays. */
static inline __m256 nnadev_keep_nan8(__m256 y, __m256 x)
{
	return nnadev_select8(y, x, _mm256_cmp_ps(x, x, _CMP_UNORD_Q));
}

/* y = f(x), where f computes 4 numbers in double. */
#define NNADEV_HALVES(x, y, f)                                                                     \
	do {                                                                                       \
		const __m128 low =                                                                 \
			_mm256_cvtpd_ps(f(_mm256_cvtps_pd(_mm256_castps256_ps128(x))));            \
		const __m128 high =                                                                \
			_mm256_cvtpd_ps(f(_mm256_cvtps_pd(_mm256_extractf128_ps(x, 1))));          \
												   \
		y = _mm256_set_m128(high, low);                                                    \
	} while (0)

static inline __m256 nnadev_exp8(__m256 x)
{
	const __m256 clamped = nnadev_clamp8(_mm256_and_ps(x, _mm256_cmp_ps(x, x, _CMP_ORD_Q)),
					     -110, 90);
	__m256 y;

	/* Beyond these limits the result is 0 or infinity already. */
	NNADEV_HALVES(clamped, y, nnadev_exp4);
	return nnadev_keep_nan8(y, x);
}

static inline __m256 nnadev_expm1_8(__m256 x)
{
	const __m256 clamped = nnadev_clamp8(_mm256_and_ps(x, _mm256_cmp_ps(x, x, _CMP_ORD_Q)),
					     -110, 90);
	__m256 y;

	NNADEV_HALVES(clamped, y, nnadev_expm1_4);
	/* Keep the sign of 0. */
	y = nnadev_select8(y, x, _mm256_cmp_ps(x, _mm256_setzero_ps(), _CMP_EQ_OQ));
	return nnadev_keep_nan8(y, x);
}

static inline __m256d nnadev_tanh4(__m256d x)
{
	const __m256d e = nnadev_expm1_4(_mm256_mul_pd(_mm256_set1_pd(2), x));

	return _mm256_div_pd(e, _mm256_add_pd(e, _mm256_set1_pd(2)));
}

static inline __m256 nnadev_tanh8(__m256 x)
{
	const __m256 clamped = nnadev_clamp8(_mm256_and_ps(x, _mm256_cmp_ps(x, x, _CMP_ORD_Q)), -11,
					     11);
	__m256 y;

	/* From 10 on the result is 1. */
	NNADEV_HALVES(clamped, y, nnadev_tanh4);
	y = nnadev_select8(y, x, _mm256_cmp_ps(x, _mm256_setzero_ps(), _CMP_EQ_OQ));
	return nnadev_keep_nan8(y, x);
}

static inline __m256d nnadev_logistic4(__m256d x)
{
	const __m256d one = _mm256_set1_pd(1);

	return _mm256_div_pd(
		one, _mm256_add_pd(one, nnadev_exp4(_mm256_sub_pd(_mm256_setzero_pd(), x))));
}

static inline __m256 nnadev_logistic8(__m256 x)
{
	const __m256 clamped = nnadev_clamp8(_mm256_and_ps(x, _mm256_cmp_ps(x, x, _CMP_ORD_Q)),
					     -115, 41);
	__m256 y;

	/* Below -110 the result is 0, above 40 it is 1. */
	NNADEV_HALVES(clamped, y, nnadev_logistic4);
	return nnadev_keep_nan8(y, x);
}

#endif
