/* SPDX-License-Identifier: MIT */
/*
 * Looks up a function of one byte in a table of 16 rows of 16 entries. A shuffle by the lower half
 * of the byte selects an entry of every row. Each bit of the upper half then selects half of the
 * remaining rows. Include only from files compiled for AVX2.
 */
#ifndef NNADEV_AVX2_TABLE_H
#define NNADEV_AVX2_TABLE_H

#include <immintrin.h>
#include <stdint.h>

/* Return: the entries of row @row for 32 bytes whose lower halves are @low. */
static inline __m256i nnadev_table_row(const uint8_t *table, uint32_t row, __m256i low)
{
	const __m128i entries = _mm_loadu_si128((const __m128i *)(table + 16 * row));

	return _mm256_shuffle_epi8(_mm256_broadcastsi128_si256(entries), low);
}

/* Return: the entries for 32 bytes. */
static inline __m256i nnadev_table_find(const uint8_t *table, __m256i x)
{
	const __m256i low = _mm256_and_si256(x, _mm256_set1_epi8(15));
	/* vpblendvb selects by the uppermost bit; the shifts move bits 4, 5 and 6 there. */
	const __m256i bit4 = _mm256_slli_epi16(x, 3), bit5 = _mm256_slli_epi16(x, 2),
		      bit6 = _mm256_slli_epi16(x, 1);
	__m256i v[8];

#pragma GCC unroll 8
	for (uint32_t i = 0; i < 8; i++)
		v[i] = _mm256_blendv_epi8(nnadev_table_row(table, 2 * i, low),
					  nnadev_table_row(table, 2 * i + 1, low), bit4);
#pragma GCC unroll 4
	for (uint32_t i = 0; i < 4; i++)
		v[i] = _mm256_blendv_epi8(v[2 * i], v[2 * i + 1], bit5);
	v[0] = _mm256_blendv_epi8(v[0], v[1], bit6);
	v[1] = _mm256_blendv_epi8(v[2], v[3], bit6);
	return _mm256_blendv_epi8(v[0], v[1], x);
}

/* Looks up contiguous bytes. */
static inline void nnadev_table_look_up(const uint8_t *table, uint8_t *to, const uint8_t *from,
					uint32_t count)
{
	uint32_t i = 0;

	for (; i + 32 <= count; i += 32)
		_mm256_storeu_si256((__m256i *)(to + i),
				    nnadev_table_find(table, _mm256_loadu_si256(
								     (const __m256i *)(from + i))));
	for (; i < count; i++)
		to[i] = table[from[i]];
}

#endif
