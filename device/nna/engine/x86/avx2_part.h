/* SPDX-License-Identifier: MIT */
/* Bytes that do not fill a vector. For files that are compiled for AVX2. */
#ifndef NNADEV_AVX2_PART_H
#define NNADEV_AVX2_PART_H

#include <immintrin.h>
#include <stdint.h>
#include <string.h>

/* The first @n of 32 bytes. */
static inline __m256i nnadev_part_mask(uint32_t n)
{
	static const uint8_t keep[64] = { [0 ... 31] = 0xff };

	return _mm256_loadu_si256((const __m256i *)(keep + 32 - n));
}

/* Not in line: only the last rows of a tensor take it. */
static __attribute__((noinline)) __m256i nnadev_part_copy(const uint8_t *from, uint32_t n)
{
	uint8_t part[32] = { 0 };

	memcpy(part, from, n);
	return _mm256_loadu_si256((const __m256i *)part);
}

/* @n <= 32 bytes and zeros behind them; what lies there in memory is read, too, up to @end. */
static inline __m256i nnadev_part_load(const uint8_t *from, uint32_t n, const uint8_t *end)
{
	if (__builtin_expect(end - from < 32, 0))
		return nnadev_part_copy(from, n);
	return _mm256_and_si256(_mm256_loadu_si256((const __m256i *)from), nnadev_part_mask(n));
}

#endif
