/* SPDX-License-Identifier: MIT */
/*
 * Bilinear blending of 8-bit numbers with weights in whole sixteenths, which occur if an image is
 * enlarged 2, 4, 8 or 16 times. Two steps of 4 bits and a number fit into 16 bits. For such
 * weights, fp32 and the fixed point of RESIZE are exact as well, so 16-bit integers give the same
 * results.
 *
 * AVX2 has a form of its own, because the products of bytes and the signs of words are instructions
 * there, which the vector layer does not have: "u8 bilinear" of bench_engine takes 0.54 of the time
 * of integers of 32 bits. The set "vector" takes plain C; AVX-512 and NEON have integers of 32 bits
 * alone.
 */
#ifndef NNADEV_SIXTEENTHS_H
#define NNADEV_SIXTEENTHS_H

#include "device/nna/engine/resize.h"
#include "device/nna/engine/simd/simd.h"

#define NNADEV_SIXTEENTHS 16
#define NNADEV_SIXTEENTHS_BEHIND 32u /* numbers behind a row that may be read */

/*
 * Computes the position of output row or column @i. The weight is in sixteenths, or -1 if it is not
 * a whole number of them.
 */
static inline struct nnadev_fixed_position
nnadev_sixteenths_position(const struct nnahw_cmd_resize *p, uint32_t i, float scale, uint32_t size,
			   uint32_t out)
{
	const int32_t part = NNAHW_RESIZE_ONE / NNADEV_SIXTEENTHS;
	struct nnadev_fixed_position r;

	if (p->fixed_point) {
		r = nnadev_resize_fixed_position(p, i, size, out);
		r.weight = r.weight % part ? -1 : r.weight / part;
	} else {
		const struct nnadev_position at = nnadev_resize_position(p, i, scale, size);
		const float weight = at.fraction * NNADEV_SIXTEENTHS;

		r.low = at.low;
		r.high = at.high;
		r.weight = weight == (float)(int32_t)weight ? (int32_t)weight : -1;
	}
	return r;
}

#ifdef NNADEV_SIMD_AVX2_H
#define NNADEV_TAKES_SIXTEENTHS true

/* Blends 8 numbers between those at @left and those at @right; results are times 16. */
static inline __attribute__((always_inline)) __m128i
nnadev_sixteenths_between8(const uint8_t *left, const uint8_t *right, __m128i weights,
			   const bool is_signed)
{
	const __m128i pairs = _mm_unpacklo_epi8(_mm_loadl_epi64((const __m128i *)left),
						_mm_loadl_epi64((const __m128i *)right));

	/* The instruction takes an unsigned first and a signed second factor. */
	return is_signed ? _mm_maddubs_epi16(weights, pairs) : _mm_maddubs_epi16(pairs, weights);
}

/*
 * Blends one column: @channels numbers between those at @left and those at @right. @weight is that
 * of @right.
 */
static inline __attribute__((always_inline)) void
nnadev_sixteenths_widen(int16_t *to, const uint8_t *left, const uint8_t *right, int32_t weight,
			uint32_t channels, const bool is_signed)
{
	const int32_t rest = NNADEV_SIXTEENTHS - weight;
	const __m128i weights = _mm_set1_epi16((int16_t)(weight << 8 | rest));

	for (uint32_t c = 0; channels < 8 && c < channels; c++)
		to[c] = (int16_t)(is_signed ? (int8_t)left[c] * rest + (int8_t)right[c] * weight :
					      left[c] * rest + right[c] * weight);
	/* If fewer than 8 are left, the last 8 overlap those before. */
	for (uint32_t c = 0; channels >= 8 && c < channels; c += 8) {
		c = c + 8 <= channels ? c : channels - 8;
		_mm_storeu_si128((__m128i *)(to + c),
				 nnadev_sixteenths_between8(left + c, right + c, weights,
							    is_signed));
	}
}

static inline __m256i nnadev_sixteenths_load16(const int16_t *from)
{
	return _mm256_loadu_si256((const __m256i *)from);
}

/* Blends 16 numbers of two rows, halves rounded away from zero. */
static inline __attribute__((always_inline)) __m256i
nnadev_sixteenths_blend16(const int16_t *upper, const int16_t *lower, __m256i above, __m256i below,
			  const bool is_signed)
{
	const __m256i half = _mm256_set1_epi16(128),
		      all = _mm256_add_epi16(
			      _mm256_mullo_epi16(nnadev_sixteenths_load16(upper), above),
			      _mm256_mullo_epi16(nnadev_sixteenths_load16(lower), below));

	if (!is_signed)
		return _mm256_srli_epi16(_mm256_add_epi16(all, half), 8);
	/* Rounds the magnitude and restores the sign. */
	return _mm256_sign_epi16(
		_mm256_srli_epi16(_mm256_add_epi16(_mm256_abs_epi16(all), half), 8), all);
}

/* Blends 32 numbers to bytes. */
static inline __attribute__((always_inline)) __m256i
nnadev_sixteenths_blend32(const int16_t *upper, const int16_t *lower, __m256i above, __m256i below,
			  const bool is_signed)
{
	const __m256i a = nnadev_sixteenths_blend16(upper, lower, above, below, is_signed),
		      b = nnadev_sixteenths_blend16(upper + 16, lower + 16, above, below,
						    is_signed);

	return _mm256_permute4x64_epi64(
		is_signed ? _mm256_packs_epi16(a, b) : _mm256_packus_epi16(a, b), 0xd8);
}

/* Blends @count numbers of two rows. @weight is that of the lower row. */
static inline __attribute__((always_inline)) void
nnadev_sixteenths_blend(uint8_t *to, const int16_t *upper, const int16_t *lower, int32_t weight,
			size_t count, const bool is_signed)
{
	const __m256i above = _mm256_set1_epi16((int16_t)(NNADEV_SIXTEENTHS - weight)),
		      below = _mm256_set1_epi16((int16_t)weight);
	uint8_t part[32];
	size_t i = 0;

	for (; i + 32 <= count; i += 32)
		nnadev_bytes_store(to + i, nnadev_sixteenths_blend32(upper + i, lower + i, above,
								     below, is_signed));
	if (i == count)
		return;
	nnadev_bytes_store(
		part, nnadev_sixteenths_blend32(upper + i, lower + i, above, below, is_signed));
	memcpy(to + i, part, count - i);
}

#else
#ifdef NNADEV_SIMD_SCALAR_H
#define NNADEV_TAKES_SIXTEENTHS true
#else
#define NNADEV_TAKES_SIXTEENTHS false
#endif

/*
 * Blends one column: @channels numbers between those at @left and those at @right. @weight is that
 * of @right.
 */
static inline void nnadev_sixteenths_widen(int16_t *to, const uint8_t *left, const uint8_t *right,
					   int32_t weight, uint32_t channels, const bool is_signed)
{
	const int32_t rest = NNADEV_SIXTEENTHS - weight;

	for (uint32_t c = 0; c < channels; c++)
		to[c] = (int16_t)(is_signed ? (int8_t)left[c] * rest + (int8_t)right[c] * weight :
					      left[c] * rest + right[c] * weight);
}

/* Blends @count numbers of two rows. @weight is that of the lower row. */
static inline void nnadev_sixteenths_blend(uint8_t *to, const int16_t *upper, const int16_t *lower,
					   int32_t weight, size_t count, const bool is_signed)
{
	for (size_t i = 0; i < count; i++) {
		const int32_t all = upper[i] * (NNADEV_SIXTEENTHS - weight) + lower[i] * weight;

		/* Halves are rounded away from zero. */
		to[i] = (uint8_t)(is_signed && all < 0 ? -((128 - all) >> 8) : (all + 128) >> 8);
	}
}

#endif

#endif
