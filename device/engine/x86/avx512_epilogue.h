/* SPDX-License-Identifier: MIT */
/*
 * The quantised epilogue on 64 channels at once, which are 4 blocks of 16. It estimates as
 * avx2_epilogue.h does, and hands a row of which a lane is not proven to the exact steps there. For
 * files that are compiled for AVX-512.
 */
#ifndef NNADEV_AVX512_EPILOGUE_H
#define NNADEV_AVX512_EPILOGUE_H

#include "device/engine/x86/avx2_epilogue.h"

/**
 * enum nnadev_blocks_order - which channels of 64 the vectors of accumulators have
 * @NNADEV_BLOCKED: vector i those of block i
 * @NNADEV_QUARTERED: vector i the ith quarter of each block, as packing takes them
 */
enum nnadev_blocks_order { NNADEV_BLOCKED, NNADEV_QUARTERED };

/* Where channel k of a block is in vectors of 16 lanes. */
#define nnadev_lane(order, vectors, block, k)                                                      \
	((order) == NNADEV_BLOCKED ? &(vectors)[block][k] :                                        \
				     &(vectors)[(k) / 4][(block)*4 + (k) % 4])

/**
 * struct nnadev_blocks - constants of up to 4 blocks of 16 channels
 * @order: of @bias, @scale and @nudge, and of the accumulators
 * @bias: what the sums of each channel begin with; accumulators have it already when they are
 *	finished
 * @scale, @nudge: of the estimate, see struct nnadev_estimate
 * @block: for the exact steps, with a bias of 0
 * @blocks: in use, 1 to 4
 * @mask: bit i: channel i is in use
 * @estimated: the estimate is good for all channels, and what is added to it has a vector form
 * @zero, @low, @high: zero point and limits of what is stored
 */
struct nnadev_blocks {
	_Alignas(64) int32_t bias[4][16];
	float scale[4][16], nudge[4][16];
	struct nnadev_block block[4];
	enum nnadev_blocks_order order;
	uint32_t blocks;
	__mmask64 mask;
	bool estimated;
	__m512i zero, low, high;
};

/* Begins to read constants of a command's blocks. */
static inline void nnadev_blocks_start(struct nnadev_blocks *b, const struct nnadev_finish *f,
				       enum nnadev_blocks_order order)
{
	memset(b->bias, 0, sizeof(b->bias));
	memset(b->scale, 0, sizeof(b->scale));
	memset(b->nudge, 0, sizeof(b->nudge));
	b->order = order;
	b->blocks = 0;
	b->mask = 0;
	b->estimated = order == NNADEV_BLOCKED || !f->has_residual;
	b->zero = _mm512_set1_epi16((int16_t)f->out_zero);
	b->low = _mm512_set1_epi8((int8_t)f->out_low);
	b->high = _mm512_set1_epi8((int8_t)f->out_high);
}

/* Adds the next block; those before it have 16 channels. */
static inline void nnadev_blocks_add(struct nnadev_blocks *b, const struct nnadev_finish *f,
				     const struct nnahw_channel *channels, uint32_t count,
				     const int32_t *bias)
{
	const uint32_t i = b->blocks++;
	const int32_t none[16] = { 0 };

	nnadev_block_get(&b->block[i], f, channels, count, none, NNADEV_NATURAL);
	for (uint32_t k = 0; k < count; k++) {
		*nnadev_lane(b->order, b->bias, i, k) = bias[k];
		*nnadev_lane(b->order, b->scale, i, k) = b->block[i].estimate.scale[k];
		*nnadev_lane(b->order, b->nudge, i, k) = b->block[i].estimate.nudge[k];
	}
	b->estimated = b->estimated && b->block[i].estimated;
	b->mask |= ((1ull << count) - 1) << 16 * i;
}

/*
 * The estimate of 16 accumulators: q minus its zero point, not clamped. *far becomes the furthest
 * that estimates lie from whole numbers: 2^29 or less, they have 32 bits (struct nnadev_estimate).
 */
static inline __m512i nnadev_estimate16(const float *scale, const float *nudge, __m512i acc,
					__m512 *far)
{
	const __m512i sign = _mm512_set1_epi32(INT32_MIN);
	const __m512 x = _mm512_cvtepi32_ps(acc);
	/* nudge | (x & sign) */
	const __m512 signed_nudge = _mm512_castsi512_ps(_mm512_ternarylogic_epi32(
		_mm512_castps_si512(_mm512_loadu_ps(nudge)), _mm512_castps_si512(x), sign, 0xf8));
	const __m512 y = _mm512_fmadd_ps(x, _mm512_loadu_ps(scale), signed_nudge);

	/* What rounding to the nearest takes away, and the larger magnitude of two. */
	*far = _mm512_range_ps(*far, _mm512_reduce_ps(y, 0), 0xb);
	return _mm512_cvtps_epi32(y);
}

/* The low halves of 64-bit numbers, of which odd ones belong behind even ones. */
static inline __m512i nnadev_low_halves(__m512i even, __m512i odd)
{
	return _mm512_mask_blend_epi32(0xaaaa, even, _mm512_slli_epi64(odd, 32));
}

/* 8 products of nnadev_requantize(), of which the results have 32 bits: shifts from 31 to 62. */
static inline __m512i nnadev_round_product8(__m512i product, int32_t shift)
{
	const int64_t first = shift >= 32 ? 1 << 30 : 0;
	const __m512i round = _mm512_set1_epi64(((int64_t)1 << (shift - 1)) + first),
		      below = _mm512_and_si512(_mm512_srai_epi64(product, 63),
					       _mm512_set1_epi64(-2 * first));

	product = _mm512_add_epi64(_mm512_add_epi64(product, round), below);
	return _mm512_sra_epi64(product, _mm_cvtsi32_si128(shift));
}

/* nnadev_requantize() of 16 numbers by one factor, for a shift from 31 to 62. */
static inline __m512i nnadev_scale16(__m512i x, int32_t multiplier, int32_t shift)
{
	const __m512i m = _mm512_set1_epi32(multiplier);

	return nnadev_low_halves(
		nnadev_round_product8(_mm512_mul_epi32(x, m), shift),
		nnadev_round_product8(_mm512_mul_epi32(_mm512_srli_epi64(x, 32), m), shift));
}

/* nnadev_staged_sum() of numbers minus their zero points, for shifts from 31 to 62. */
static inline __m512i nnadev_add_staged16(const struct nnadev_finish *f, __m512i q, __m512i r)
{
	q = nnadev_scale16(_mm512_slli_epi32(q, 20), f->e->own_scale, f->e->own_shift);
	r = nnadev_scale16(_mm512_slli_epi32(r, 20), f->e->residual_scale, f->e->residual_shift);
	return nnadev_scale16(_mm512_add_epi32(q, r), f->e->add_multiplier, f->e->add_shift);
}

/* 8 sums, rounded halves away from zero and shifted. */
static inline __m512i nnadev_round_sum8(__m512i sum, int32_t shift)
{
	const __m512i round = _mm512_set1_epi64((int64_t)1 << (shift - 1));

	sum = _mm512_add_epi64(_mm512_add_epi64(sum, round), _mm512_srai_epi64(sum, 63));
	return _mm512_sra_epi64(sum, _mm_cvtsi32_si128(shift));
}

/*
 * (q * own_scale + r * residual_scale) * 2^-add_shift, rounded halves away from zero, of numbers
 * minus their zero points; the results have 32 bits.
 */
static inline __m512i nnadev_add_residual16(const struct nnadev_finish *f, __m512i q, __m512i r)
{
	const __m512i own = _mm512_set1_epi32(f->e->own_scale),
		      other = _mm512_set1_epi32(f->e->residual_scale);
	const __m512i even = _mm512_add_epi64(_mm512_mul_epi32(q, own), _mm512_mul_epi32(r, other));
	const __m512i odd = _mm512_add_epi64(_mm512_mul_epi32(_mm512_srli_epi64(q, 32), own),
					     _mm512_mul_epi32(_mm512_srli_epi64(r, 32), other));

	return nnadev_low_halves(nnadev_round_sum8(even, f->e->add_shift),
				 nnadev_round_sum8(odd, f->e->add_shift));
}

/* Adds the residual of a block of which number 0 is at @from to q, minus its zero point. */
static inline __m512i nnadev_add16(const struct nnadev_finish *f, __m512i q, const uint8_t *from,
				   __mmask16 mask)
{
	const __m128i bytes = _mm_maskz_loadu_epi8(mask, from);
	const __m512i r = _mm512_sub_epi32(f->is_signed ? _mm512_cvtepi8_epi32(bytes) :
							  _mm512_cvtepu8_epi32(bytes),
					   _mm512_set1_epi32(f->residual->desc.zero_point));

	q = _mm512_max_epi32(q, _mm512_set1_epi32(f->low));
	q = _mm512_min_epi32(q, _mm512_set1_epi32(f->high));
	return f->e->staged ? nnadev_add_staged16(f, q, r) : nnadev_add_residual16(f, q, r);
}

/*
 * One row by the exact steps. Not in line: it is long, and rare.
 */
static __attribute__((noinline)) void nnadev_blocks_finish_exact(const struct nnadev_finish *f,
								 const struct nnadev_blocks *b,
								 __m512i acc0, __m512i acc1,
								 __m512i acc2, __m512i acc3,
								 int64_t at, int64_t rat)
{
	_Alignas(64) int32_t acc[4][16], natural[16];

	_mm512_store_si512(acc[0], acc0);
	_mm512_store_si512(acc[1], acc1);
	_mm512_store_si512(acc[2], acc2);
	_mm512_store_si512(acc[3], acc3);
	for (uint32_t i = 0; i < b->blocks; i++) {
		for (uint32_t k = 0; k < 16; k++)
			natural[k] = *nnadev_lane(b->order, acc, i, k);
		nnadev_finish_exact(f, &b->block[i], NNADEV_LOAD(natural), NNADEV_LOAD(natural + 8),
				    at + i * 16, rat + i * 16);
	}
}

/*
 * Finishes and stores a row: accumulators in the order of @b, in which the bias is; those of
 * @order NNADEV_BLOCKED beyond @blocks are 0. @at and @rat are the elements of output and residual
 * for the first channel.
 */
static inline __attribute__((always_inline)) void
nnadev_blocks_finish(const struct nnadev_finish *f, const struct nnadev_blocks *b,
		     const enum nnadev_blocks_order order, const uint32_t blocks,
		     const __m512i *acc, int64_t at, int64_t rat)
{
	__m512i q[4] = { _mm512_setzero_si512(), _mm512_setzero_si512(), _mm512_setzero_si512(),
			 _mm512_setzero_si512() };
	__m512 far = _mm512_setzero_ps();
	__m512i low, high;

	if (__builtin_expect(!b->estimated, 0)) {
		nnadev_blocks_finish_exact(f, b, acc[0], acc[1], acc[2], acc[3], at, rat);
		return;
	}
#pragma GCC unroll 4
	for (uint32_t i = 0; i < blocks; i++)
		q[i] = nnadev_estimate16(b->scale[i], b->nudge[i], acc[i], &far);
	if (__builtin_expect(_mm512_cmp_ps_mask(far, _mm512_set1_ps(0.5f - 0x1p-12f), _CMP_NLT_UQ),
			     0)) {
		nnadev_blocks_finish_exact(f, b, acc[0], acc[1], acc[2], acc[3], at, rat);
		return;
	}
	if (order == NNADEV_BLOCKED && f->has_residual) {
#pragma GCC unroll 4
		for (uint32_t i = 0; i < blocks; i++)
			q[i] = nnadev_add16(f, q[i],
					    (const uint8_t *)f->residual->data + rat + i * 16,
					    (__mmask16)(b->mask >> i * 16));
	}
	low = _mm512_adds_epi16(_mm512_packs_epi32(q[0], q[1]), b->zero);
	high = _mm512_adds_epi16(_mm512_packs_epi32(q[2], q[3]), b->zero);
	low = f->is_signed ? _mm512_min_epi8(_mm512_max_epi8(_mm512_packs_epi16(low, high), b->low),
					     b->high) :
			     _mm512_min_epu8(_mm512_max_epu8(_mm512_packus_epi16(low, high),
							     b->low),
					     b->high);
	/* Packing has put dword i of each block into the ith quarter. */
	if (order == NNADEV_BLOCKED)
		low = _mm512_permutexvar_epi32(_mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10,
								 14, 3, 7, 11, 15),
					       low);
	_mm512_mask_storeu_epi8((uint8_t *)f->output->data + at, b->mask, low);
}

#endif
