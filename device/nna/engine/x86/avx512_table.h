/* SPDX-License-Identifier: MIT */
/*
 * Looks up a function of one byte in a table of 256 entries in 4 vectors. A vector has 32 words of
 * two entries; permutations of words look up 32 bytes at a time. Include only from files compiled
 * for AVX-512.
 */
#ifndef NNADEV_AVX512_TABLE_H
#define NNADEV_AVX512_TABLE_H

#include <immintrin.h>
#include <stdint.h>

/* Loads a table. */
static inline void nnadev_table_get(__m512i *table, const uint8_t *entries)
{
	for (uint32_t i = 0; i < 4; i++)
		table[i] = _mm512_loadu_si512(entries + 64 * i);
}

/*
 * Return: words with the entries for the numbers 2 * word and 2 * word + 1. @upper: lanes whose
 * word is 64 or more.
 */
static inline __m512i nnadev_table_words(const __m512i *table, __m512i word, __mmask32 upper)
{
	return _mm512_mask_blend_epi16(upper, _mm512_permutex2var_epi16(table[0], word, table[1]),
				       _mm512_permutex2var_epi16(table[2], word, table[3]));
}

/* Return: the entries for 64 bytes. */
static inline __m512i nnadev_table_find(const __m512i *table, __m512i x)
{
	const __m512i one = _mm512_set1_epi16(1), low = _mm512_set1_epi16(0xff);
	const __m512i even = _mm512_and_si512(x, low), odd = _mm512_srli_epi16(x, 8);
	__m512i a = nnadev_table_words(table, _mm512_srli_epi16(even, 1),
				       _mm512_test_epi16_mask(x, _mm512_set1_epi16(0x80)));
	__m512i b = nnadev_table_words(table, _mm512_srli_epi16(odd, 1), _mm512_movepi16_mask(x));

	/* An odd number has the upper entry of its word. */
	a = _mm512_srlv_epi16(a, _mm512_slli_epi16(_mm512_and_si512(even, one), 3));
	b = _mm512_sllv_epi16(b, _mm512_slli_epi16(_mm512_andnot_si512(odd, one), 3));
	return _mm512_mask_blend_epi8(0xaaaaaaaaaaaaaaaa, a, b);
}

/* Looks up contiguous bytes. */
static inline void nnadev_table_look_up(const __m512i *table, uint8_t *to, const uint8_t *from,
					uint32_t count)
{
	uint32_t i = 0;

	for (; i + 64 <= count; i += 64)
		_mm512_storeu_si512(to + i,
				    nnadev_table_find(table, _mm512_loadu_si512(from + i)));
	if (i < count) {
		const __mmask64 mask = ~0ull >> (64 - (count - i));

		_mm512_mask_storeu_epi8(
			to + i, mask,
			nnadev_table_find(table, _mm512_maskz_loadu_epi8(mask, from + i)));
	}
}

#endif
