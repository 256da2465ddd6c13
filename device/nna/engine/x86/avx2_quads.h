/* SPDX-License-Identifier: MIT */
/*
 * The second factor of an 8-bit product for AVX2, widened to 16 bits: quads of packed weights and
 * of plain matrices. avx2_gemm8.c says in which order a widened quad has its numbers. Include only
 * from files compiled for AVX2.
 */
#ifndef NNADEV_AVX2_QUADS_H
#define NNADEV_AVX2_QUADS_H

#include "device/nna/engine/kernel.h"
#include "device/nna/engine/x86/avx2_part.h"

/**
 * struct nnadev_quads - a matrix that is widened block by block
 * @operand: the matrix, [sets, k, n], 8 bits
 * @end: behind its last byte
 * @zero: its zero point, 16 times
 * @fill: its zero point as a byte, 32 times
 * @k: its rows
 * @is_signed: its type is S8
 */
struct nnadev_quads {
	const struct nnadev_engine_operand *operand;
	const uint8_t *end;
	__m256i zero, fill;
	uint32_t k;
	bool is_signed;
};

static inline void nnadev_quads_get(const struct nnadev_engine_operand *operand,
				    struct nnadev_quads *m)
{
	m->operand = operand;
	m->end = (const uint8_t *)operand->data + nnadev_bytes_behind(operand);
	m->zero = _mm256_set1_epi16((int16_t)operand->desc.zero_point);
	m->fill = _mm256_set1_epi8((int8_t)operand->desc.zero_point);
	m->k = operand->desc.dims[1];
	m->is_signed = operand->desc.type == NNAHW_TYPE_S8;
}

/* True if nnadev_quads_fill() takes the matrix: k or n is contiguous. */
static inline bool nnadev_quads_are_near(const struct nnadev_engine_operand *operand)
{
	return operand->desc.strides[1] == 1 || operand->desc.strides[2] == 1;
}

/* Widens a quad of 16 channels, 8 in @v0 and 8 in @v1, and subtracts @zero. */
static inline __attribute__((always_inline)) void
nnadev_quads_widen(__m256i v0, __m256i v1, __m256i zero, bool is_signed, int16_t *b)
{
	const __m256i low = _mm256_set1_epi16(255), v[2] = { v0, v1 };

#pragma GCC unroll 2
	for (uint32_t i = 0; i < 2; i++) {
		const __m256i even = is_signed ? _mm256_srai_epi16(_mm256_slli_epi16(v[i], 8), 8) :
						 _mm256_and_si256(v[i], low),
			      odd = is_signed ? _mm256_srai_epi16(v[i], 8) :
						_mm256_srli_epi16(v[i], 8);

		_mm256_store_si256((__m256i *)(b + i * 16), _mm256_sub_epi16(even, zero));
		_mm256_store_si256((__m256i *)(b + 32 + i * 16), _mm256_sub_epi16(odd, zero));
	}
}

/* Adds a widened quad to the sums of 16 channels. */
static inline __attribute__((always_inline)) void nnadev_quads_sum(const int16_t *b, __m256i *sums)
{
	const __m256i one = _mm256_set1_epi16(1);

#pragma GCC unroll 2
	for (uint32_t i = 0; i < 2; i++) {
		const __m256i first = _mm256_load_si256((const __m256i *)(b + i * 16)),
			      second = _mm256_load_si256((const __m256i *)(b + 32 + i * 16));

		sums[i] = _mm256_add_epi32(sums[i],
					   _mm256_add_epi32(_mm256_madd_epi16(first, one),
							    _mm256_madd_epi16(second, one)));
	}
}

/* Transposes 8 x 8 numbers of 32 bits. */
static inline __attribute__((always_inline)) void nnadev_quads_transpose(__m256i *v)
{
	__m256i t[8], u[8];

#pragma GCC unroll 4
	for (uint32_t i = 0; i < 8; i += 2) {
		t[i] = _mm256_unpacklo_epi32(v[i], v[i + 1]);
		t[i + 1] = _mm256_unpackhi_epi32(v[i], v[i + 1]);
	}
#pragma GCC unroll 2
	for (uint32_t i = 0; i < 8; i += 4) {
		u[i] = _mm256_unpacklo_epi64(t[i], t[i + 2]);
		u[i + 1] = _mm256_unpackhi_epi64(t[i], t[i + 2]);
		u[i + 2] = _mm256_unpacklo_epi64(t[i + 1], t[i + 3]);
		u[i + 3] = _mm256_unpackhi_epi64(t[i + 1], t[i + 3]);
	}
#pragma GCC unroll 4
	for (uint32_t i = 0; i < 4; i++) {
		v[i] = _mm256_permute2x128_si256(u[i], u[i + 4], 0x20);
		v[i + 4] = _mm256_permute2x128_si256(u[i], u[i + 4], 0x31);
	}
}

/* Where k is contiguous, as in the keys of an attention: 8 quads of 16 channels at a time. */
static inline void nnadev_quads_of_columns(const struct nnadev_quads *m, const uint8_t *from,
					   uint32_t k, uint32_t count, uint32_t quads, int16_t *b,
					   __m256i *sums)
{
	const int64_t step = m->operand->desc.strides[2];

	for (uint32_t q = 0; q < quads; q += 8, k += 32, from += 32) {
		const uint32_t bytes = m->k - k < 32 ? m->k - k : 32,
			       together = quads - q < 8 ? quads - q : 8;
		const __m256i behind = _mm256_andnot_si256(nnadev_part_mask(bytes), m->fill);
		__m256i v[16];

		for (uint32_t i = 0; i < 16; i++) {
			v[i] = m->fill;
			if (i < count)
				v[i] = _mm256_or_si256(
					nnadev_part_load(from + i * step, bytes, m->end), behind);
		}
		nnadev_quads_transpose(v);
		nnadev_quads_transpose(v + 8);
		for (uint32_t i = 0; i < together; i++, b += 64) {
			nnadev_quads_widen(v[i], v[8 + i], m->zero, m->is_signed, b);
			nnadev_quads_sum(b, sums);
		}
	}
}

/* The bytes of 16 channels of a row, widened and centred; 0 for channels from @count on. */
static inline __m256i nnadev_quads_row(const struct nnadev_quads *m, const uint8_t *from,
				       uint32_t count)
{
	const __m128i v = count == 16 ? _mm_loadu_si128((const __m128i *)from) :
			  _mm256_castsi256_si128(nnadev_part_load(from, count, m->end));

	return _mm256_sub_epi16(m->is_signed ? _mm256_cvtepi8_epi16(v) : _mm256_cvtepu8_epi16(v),
				m->zero);
}

/* Where n is contiguous, as in the values of an attention: a quad of 16 channels at a time. */
static inline void nnadev_quads_of_rows(const struct nnadev_quads *m, const uint8_t *from,
					uint32_t k, uint32_t count, uint32_t quads, int16_t *b,
					__m256i *sums)
{
	const int64_t step = m->operand->desc.strides[1];

	for (uint32_t q = 0; q < quads; q++, k += 4, from += 4 * step, b += 64) {
		__m256i v[4];

		for (uint32_t i = 0; i < 4; i++)
			v[i] = i < m->k - k ? nnadev_quads_row(m, from + i * step, count) :
					      _mm256_setzero_si256();
#pragma GCC unroll 2
		for (uint32_t i = 0; i < 2; i++) {
			/* Pairs of rows i and i + 2. */
			const __m256i low = _mm256_unpacklo_epi16(v[i], v[i + 2]),
				      high = _mm256_unpackhi_epi16(v[i], v[i + 2]);

			_mm256_store_si256((__m256i *)(b + i * 32),
					   _mm256_permute2x128_si256(low, high, 0x20));
			_mm256_store_si256((__m256i *)(b + i * 32 + 16),
					   _mm256_permute2x128_si256(low, high, 0x31));
		}
		nnadev_quads_sum(b, sums);
	}
}

/**
 * nnadev_quads_fill() - widen quads of a plain matrix with contiguous k or n
 * @m: the matrix
 * @index: set, first row, a multiple of 4, and first channel
 * @count: channels, 1 to 16
 * @quads: how many; the last one may have fewer rows
 * @b: written: 64 numbers of each quad, aligned to 32 bytes
 * @sums: the channels' numbers are added
 */
static inline void nnadev_quads_fill(const struct nnadev_quads *m, const uint32_t *index,
				     uint32_t count, uint32_t quads, int16_t *b, int32_t *sums)
{
	const uint8_t *from = (const uint8_t *)m->operand->data +
			      nnadev_offset(&m->operand->desc, index);
	__m256i all[2];

	memcpy(all, sums, sizeof(all));
	if (m->operand->desc.strides[2] == 1)
		nnadev_quads_of_rows(m, from, index[1], count, quads, b, all);
	else
		nnadev_quads_of_columns(m, from, index[1], count, quads, b, all);
	memcpy(sums, all, sizeof(all));
}

#endif
