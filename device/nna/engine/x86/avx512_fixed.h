/* SPDX-License-Identifier: MIT */
/*
 * Requantises 64 accumulators to bytes by the estimate of vector/fixed.h; each lane shows whether
 * its result is exact. Include only from files compiled for AVX-512.
 *
 * An estimate that does not fit into 32 bits is converted to INT32_MIN, whose lower half is 0 and
 * proves nothing. All results of a channel whose multiplier or shift the estimate does not support
 * have a lower half within the window, and prove nothing either.
 */
#ifndef NNADEV_AVX512_FIXED_H
#define NNADEV_AVX512_FIXED_H

#include <immintrin.h>

#include "device/nna/engine/vector/fixed.h"

/**
 * struct nnadev_fixed - constants of 64 channels, as 4 vectors of 16 lanes
 * @bias: initial value of the accumulators
 * @scale, @nudge: of the estimate
 * @multiplier, @shift: of the exact steps
 * @added: added to the estimate if nudges take a sign
 * @low, @high: limits as unsigned bytes
 * @flip: XORed to an unsigned byte to get a byte of the output: 0x80 for a signed output, else 0
 */
struct nnadev_fixed {
	_Alignas(64) int32_t bias[4][16];
	float scale[4][16], nudge[4][16];
	int32_t multiplier[4][16], shift[4][16];
	__m512 added;
	__m512i low, high, flip;
};

static inline void nnadev_fixed_start(struct nnadev_fixed *f, const struct nnadev_fixed_limits *l)
{
	f->low = _mm512_set1_epi8((int8_t)l->low);
	f->high = _mm512_set1_epi8((int8_t)l->high);
	f->flip = _mm512_set1_epi8((int8_t)l->flip);
	f->added = _mm512_set1_ps(((float)l->zero + 0.5f) * NNADEV_FIXED_ONE +
				  NNADEV_FIXED_WINDOW / 2);
}

/* Sets the estimates of the 16 channels of vector @i from its multipliers and shifts. */
static inline void nnadev_fixed_set(struct nnadev_fixed *f, const struct nnadev_fixed_limits *l,
				    uint32_t i)
{
	const __m512i multiplier = _mm512_load_si512(f->multiplier[i]),
		      shift = _mm512_load_si512(f->shift[i]);
	/* 2^(16-shift) and 2^(46-shift) are made from their exponents. */
	const __m512 power = _mm512_castsi512_ps(
		_mm512_slli_epi32(_mm512_sub_epi32(_mm512_set1_epi32(127 + 16), shift), 23));
	const __mmask16 two_steps =
		l->once ? 0 : _mm512_cmpge_epi32_mask(shift, _mm512_set1_epi32(32));
	const __m512 scale = _mm512_mul_ps(_mm512_cvtepi32_ps(multiplier), power);
	__m512 nudge = _mm512_maskz_mul_ps(two_steps, power, _mm512_set1_ps(0x1p30f));
	__mmask16 good = _mm512_cmpge_epi32_mask(multiplier, _mm512_setzero_si512());

	if (l->zero < 0 || l->zero > 255)
		good = 0;
	good = _mm512_mask_cmpge_epi32_mask(good, shift, _mm512_set1_epi32(1));
	good = _mm512_mask_cmple_epi32_mask(good, shift, _mm512_set1_epi32(62));
	_mm512_store_ps(f->scale[i], _mm512_maskz_mov_ps(good, scale));
	/*
	 * An unsupported channel has scale 0 and nudge 0, or, with signed nudges, +-1/2. The latter
	 * and @added put the lower half of the estimate into the middle of the window.
	 */
	if (l->rectified)
		nudge = _mm512_maskz_add_ps(good, nudge, f->added);
	else
		nudge = _mm512_mask_blend_ps(good, _mm512_set1_ps(NNADEV_FIXED_ONE / 2), nudge);
	_mm512_store_ps(f->nudge[i], nudge);
}

/* Estimates 16 results; with @is_signed the nudge takes the accumulator's sign. */
static inline __attribute__((always_inline)) __m512i
nnadev_fixed_estimate(__m512i acc, __m512 scale, __m512 nudge, __m512 added, const bool is_signed)
{
	const __m512 x = _mm512_cvtepi32_ps(acc);

	if (!is_signed)
		return _mm512_cvtps_epi32(_mm512_fmadd_ps(x, scale, nudge));
	/* nudge | (x & sign) */
	nudge = _mm512_castsi512_ps(_mm512_ternarylogic_epi32(_mm512_castps_si512(nudge),
							      _mm512_castps_si512(x),
							      _mm512_set1_epi32(INT32_MIN), 0xf8));
	return _mm512_cvtps_epi32(_mm512_add_ps(_mm512_fmadd_ps(x, scale, nudge), added));
}

/* Return: a mask of the lanes that are not proven exact. */
static inline uint32_t nnadev_fixed_doubtful(__m512i t)
{
	return _mm512_cmplt_epu32_mask(_mm512_and_si512(t, _mm512_set1_epi32(0xffff)),
				       _mm512_set1_epi32(NNADEV_FIXED_WINDOW));
}

/* True if all 64 estimates are exact. */
static inline bool nnadev_fixed_is_exact(const __m512i *t)
{
	const __m512i least =
		_mm512_min_epu16(_mm512_min_epu16(t[0], t[1]), _mm512_min_epu16(t[2], t[3]));

	return !_mm512_mask_cmplt_epu16_mask(0x55555555, least,
					     _mm512_set1_epi16(NNADEV_FIXED_WINDOW));
}

/* Clamps 64 unsigned bytes and converts them to bytes of the output. */
static inline __m512i nnadev_fixed_clamp(const struct nnadev_fixed *f, __m512i q)
{
	return _mm512_xor_si512(_mm512_min_epu8(_mm512_max_epu8(q, f->low), f->high), f->flip);
}

/*
 * Clamps 64 estimates to bytes. In each 128 bits of the result, bytes 4 * i to 4 * i + 3 are the 4
 * lanes that vector i has there.
 */
static inline __attribute__((always_inline)) __m512i
nnadev_fixed_bytes(const struct nnadev_fixed *f, const __m512i *t)
{
	const __m512i order = _mm512_broadcast_i32x4(
		_mm_setr_epi8(0, 2, 4, 6, 1, 3, 5, 7, 8, 10, 12, 14, 9, 11, 13, 15));
	const __m512i first = _mm512_mask_blend_epi16(0xaaaaaaaa, _mm512_srli_epi32(t[0], 16),
						      t[1]),
		      second = _mm512_mask_blend_epi16(0xaaaaaaaa, _mm512_srli_epi32(t[2], 16),
						       t[3]);

	return _mm512_shuffle_epi8(nnadev_fixed_clamp(f, _mm512_packus_epi16(first, second)),
				   order);
}

#endif
