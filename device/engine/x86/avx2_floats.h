/* SPDX-License-Identifier: MIT */
/*
 * 16 fp32 numbers, as many as a block has channels, in a register of AVX-512 or two of AVX2. Both
 * give the same bits. For files that are compiled for AVX2 or more.
 */
#ifndef NNADEV_AVX2_FLOATS_H
#define NNADEV_AVX2_FLOATS_H

#include <immintrin.h>

#ifdef __AVX512F__
typedef __m512 nnadev_floats;

static inline nnadev_floats nnadev_floats_zero(void)
{
	return _mm512_setzero_ps();
}

static inline nnadev_floats nnadev_floats_load(const float *from)
{
	return _mm512_loadu_ps(from);
}

static inline void nnadev_floats_store(float *to, nnadev_floats x)
{
	_mm512_storeu_ps(to, x);
}

/* c + a * b */
static inline nnadev_floats nnadev_floats_fma(nnadev_floats a, nnadev_floats b, nnadev_floats c)
{
	return _mm512_fmadd_ps(a, b, c);
}

/* c + x * b for one number x */
static inline nnadev_floats nnadev_floats_fma_one(const float *x, nnadev_floats b, nnadev_floats c)
{
	return _mm512_fmadd_ps(_mm512_set1_ps(*x), b, c);
}
#else
typedef struct {
	__m256 low, high;
} nnadev_floats;

static inline nnadev_floats nnadev_floats_zero(void)
{
	return (nnadev_floats){ _mm256_setzero_ps(), _mm256_setzero_ps() };
}

static inline nnadev_floats nnadev_floats_load(const float *from)
{
	return (nnadev_floats){ _mm256_loadu_ps(from), _mm256_loadu_ps(from + 8) };
}

static inline void nnadev_floats_store(float *to, nnadev_floats x)
{
	_mm256_storeu_ps(to, x.low);
	_mm256_storeu_ps(to + 8, x.high);
}

/* c + a * b */
static inline nnadev_floats nnadev_floats_fma(nnadev_floats a, nnadev_floats b, nnadev_floats c)
{
	return (nnadev_floats){ _mm256_fmadd_ps(a.low, b.low, c.low),
				_mm256_fmadd_ps(a.high, b.high, c.high) };
}

/* c + x * b for one number x */
static inline nnadev_floats nnadev_floats_fma_one(const float *x, nnadev_floats b, nnadev_floats c)
{
	const __m256 all = _mm256_broadcast_ss(x);

	return (nnadev_floats){ _mm256_fmadd_ps(all, b.low, c.low),
				_mm256_fmadd_ps(all, b.high, c.high) };
}
#endif

#endif
