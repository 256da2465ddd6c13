/* SPDX-License-Identifier: MIT */
/* Loads of fewer bytes than a vector. Include only from files compiled for AVX2. */
#ifndef NNADEV_AVX2_PART_H
#define NNADEV_AVX2_PART_H

#include <immintrin.h>
#include <stdint.h>
#include <string.h>

/* Return: a mask of the first @n of 32 bytes. */
static inline __m256i nnadev_part_mask(uint32_t n)
{
	static const uint8_t keep[64] = { [0 ... 31] = 0xff };

	return _mm256_loadu_si256((const __m256i *)(keep + 32 - n));
}

/* Not inline, because only the last rows of a tensor need it. */
static __attribute__((noinline)) __m256i nnadev_part_copy(const uint8_t *from, uint32_t n)
{
	uint8_t part[32] = { 0 };

	memcpy(part, from, n);
	return _mm256_loadu_si256((const __m256i *)part);
}

/* Loads @n <= 32 bytes and pads them with zeros. May read further bytes up to @end. */
static inline __m256i nnadev_part_load(const uint8_t *from, uint32_t n, const uint8_t *end)
{
	if (__builtin_expect(end - from < 32, 0))
		return nnadev_part_copy(from, n);
	return _mm256_and_si256(_mm256_loadu_si256((const __m256i *)from), nnadev_part_mask(n));
}

#endif
