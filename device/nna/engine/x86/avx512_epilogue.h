/* SPDX-License-Identifier: MIT */
/*
 * Quantised epilogue on 4 vectors of 16 accumulators at once: 4 blocks of channels of one row, or
 * fewer blocks of several rows. The estimate is that of avx512_fixed.h, or, if a residual is added
 * to the rounded result, that of avx2_epilogue.h. A vector with a lane that is not proven exact is
 * computed again by the exact steps. Include only from files compiled for AVX-512.
 */
#ifndef NNADEV_AVX512_EPILOGUE_H
#define NNADEV_AVX512_EPILOGUE_H

#include "device/nna/engine/x86/avx2_epilogue.h"
#include "device/nna/engine/x86/avx512_fixed.h"

/**
 * struct nnadev_blocks - constants of up to 4 blocks of 16 channels
 * @fixed: vector i holds block i; accumulators include their bias when they are finished. Constants
 *	are as read, each once, except that shifts are clamped to 1 to 62, which gives the same
 *	result. With a residual, scale and nudge are those of struct nnadev_estimate, and a nudge
 *	has its multiplier's sign.
 * @limits: of the output
 * @blocks: in use, 1 to 4
 * @mask: bit i is set if channel i is in use
 * @estimated: the estimate is valid for all channels, and the residual, if any, has a vector form
 * @zero: zero point of the output as unsigned bytes
 */
struct nnadev_blocks {
	struct nnadev_fixed fixed;
	struct nnadev_fixed_limits limits;
	uint32_t blocks;
	__mmask64 mask;
	bool estimated;
	__m512i zero;
};

/* Starts an empty set of blocks for a command. */
static inline void nnadev_blocks_start(struct nnadev_blocks *b, const struct nnadev_finish *f)
{
	const __m512i zero = _mm512_setzero_si512();

	for (uint32_t i = 0; i < 4; i++) {
		_mm512_store_si512(b->fixed.bias[i], zero);
		_mm512_store_si512(b->fixed.scale[i], zero);
		_mm512_store_si512(b->fixed.nudge[i], zero);
		_mm512_store_si512(b->fixed.multiplier[i], zero);
		_mm512_store_si512(b->fixed.shift[i], _mm512_set1_epi32(62));
	}
	b->blocks = 0;
	b->mask = 0;
	b->estimated = nnadev_limits_fit(f) && nnadev_adds_residual(f);
	nnadev_fixed_limits_get(&b->limits, f->output->desc.type, f->out_zero, f->out_low,
				f->out_high, f->e->once);
	nnadev_fixed_start(&b->fixed, &b->limits);
	b->zero = _mm512_set1_epi16((int16_t)b->limits.zero);
}

/* Gathers word @word of 16 channels; a channel has 4 words, a vector 4 channels. */
static inline __m512i nnadev_channel_words(const __m512i *channels, int word)
{
	const __m512i at = _mm512_add_epi32(
		_mm512_setr_epi32(0, 4, 8, 12, 16, 20, 24, 28, 0, 4, 8, 12, 16, 20, 24, 28),
		_mm512_set1_epi32(word));

	return _mm512_mask_blend_epi32(
		0xff00, _mm512_permutex2var_epi32(channels[0], at, channels[1]),
		_mm512_permutex2var_epi32(channels[2], at, channels[3]));
}

/*
 * Sets the estimates of the 16 channels of vector @i for a result that is rounded before a residual
 * is added.
 */
static inline void nnadev_blocks_set_rounded(struct nnadev_blocks *b, const struct nnadev_finish *f,
					     uint32_t i)
{
	const __m512i multiplier = _mm512_load_si512(b->fixed.multiplier[i]),
		      shift = _mm512_load_si512(b->fixed.shift[i]);
	/* 2^-shift and 2^(30-shift) are made from their exponents. */
	const __m512 power = _mm512_castsi512_ps(
		_mm512_slli_epi32(_mm512_sub_epi32(_mm512_set1_epi32(127), shift), 23));
	const __m512i nudge = _mm512_maskz_slli_epi32(
		f->e->once ? 0 : _mm512_cmpge_epi32_mask(shift, _mm512_set1_epi32(32)),
		_mm512_sub_epi32(_mm512_set1_epi32(157), shift), 23);

	_mm512_store_ps(b->fixed.scale[i], _mm512_mul_ps(_mm512_cvtepi32_ps(multiplier), power));
	_mm512_store_si512(b->fixed.nudge[i],
			   _mm512_or_si512(nudge, _mm512_and_si512(multiplier,
								   _mm512_set1_epi32(INT32_MIN))));
}

/*
 * Adds the next block; all blocks before it have 16 channels. Reads each byte of the channels once,
 * because others may change them at any time.
 */
static inline void nnadev_blocks_add(struct nnadev_blocks *b, const struct nnadev_finish *f,
				     const struct nnahw_channel *channels, uint32_t count)
{
	const __mmask16 used = (__mmask16)((1u << count) - 1);
	const __m512i words = _mm512_setr_epi32(0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3);
	const uint32_t i = b->blocks++;
	__m512i read[4], shift;

	for (uint32_t k = 0; k < 4; k++) {
		const __mmask16 mask = _mm512_cmplt_epi32_mask(
			words, _mm512_set1_epi32((int32_t)count - 4 * (int32_t)k));

		read[k] = _mm512_maskz_loadu_epi32(mask, &channels[k * 4]);
	}
	/* Unused channels get a shift whose estimate is a proven 0. */
	shift = _mm512_mask_blend_epi32(used, _mm512_set1_epi32(62), nnadev_channel_words(read, 2));
	shift = _mm512_max_epi32(shift, _mm512_set1_epi32(1));
	shift = _mm512_min_epi32(shift, _mm512_set1_epi32(62));
	_mm512_store_si512(b->fixed.bias[i], nnadev_channel_words(read, 0));
	_mm512_store_si512(b->fixed.multiplier[i], nnadev_channel_words(read, 1));
	_mm512_store_si512(b->fixed.shift[i], shift);
	if (f->has_residual)
		nnadev_blocks_set_rounded(b, f, i);
	else
		nnadev_fixed_set(&b->fixed, &b->limits, i);
	b->mask |= ((1ull << count) - 1) << 16 * i;
}

/*
 * Rounds 16 estimates to the nearest integers. Raises *far to the greatest |y - round(y)| seen, as
 * float bits shifted left by one, so that integers compare without the sign. An estimate that does
 * not fit into 32 bits becomes INT32_MIN and is too far from it.
 *
 * The CPU has two fp32 units: one multiplies; the other converts, compares and adds; both round.
 * The difference is computed as a fused product with 1, and the maximum as an integer, to take work
 * off the second unit.
 */
static inline __m512i nnadev_round16(__m512 y, __m512i *far)
{
	const __m512i q = _mm512_cvtps_epi32(y);
	const __m512i off = _mm512_castps_si512(
		_mm512_fnmadd_ps(_mm512_cvtepi32_ps(q), _mm512_set1_ps(1), y));

	*far = _mm512_max_epu32(*far, _mm512_add_epi32(off, off));
	return q;
}

/* True if each |y - round(y)| in @far is below 1/2 - @unproven, so that all roundings are exact. */
static inline bool nnadev_far_is_exact(__m512i far, float unproven)
{
	const __m512i most = _mm512_castps_si512(_mm512_set1_ps(0.5f - unproven));

	return !_mm512_cmpge_epu32_mask(far, _mm512_add_epi32(most, most));
}

/* Estimates 16 results: q minus its zero point, neither rounded nor clamped. */
static inline __m512 nnadev_estimate16(const float *scale, const float *nudge, __m512i acc)
{
	const __m512i sign = _mm512_set1_epi32(INT32_MIN);
	const __m512 x = _mm512_cvtepi32_ps(acc);
	/* nudge ^ (x & sign) */
	const __m512 signed_nudge = _mm512_castsi512_ps(_mm512_ternarylogic_epi32(
		_mm512_castps_si512(_mm512_loadu_ps(nudge)), _mm512_castps_si512(x), sign, 0x78));

	return _mm512_fmadd_ps(x, _mm512_loadu_ps(scale), signed_nudge);
}

/* Joins the low halves of 64-bit numbers: even 32-bit lanes from @even, odd lanes from @odd. */
static inline __m512i nnadev_low_halves(__m512i even, __m512i odd)
{
	return _mm512_mask_blend_epi32(0xaaaa, even, _mm512_slli_epi64(odd, 32));
}

/*
 * Rounds and shifts 8 products as nnadev_requantize() does, for shifts from 31 to 62: results fit
 * into 32 bits.
 */
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

/* Shifts 8 sums right and rounds halves away from zero. */
static inline __m512i nnadev_round_sum8(__m512i sum, int32_t shift)
{
	const __m512i round = _mm512_set1_epi64((int64_t)1 << (shift - 1));

	sum = _mm512_add_epi64(_mm512_add_epi64(sum, round), _mm512_srai_epi64(sum, 63));
	return _mm512_sra_epi64(sum, _mm_cvtsi32_si128(shift));
}

/*
 * (q * own_scale + r * residual_scale) * 2^-add_shift, halves rounded away from zero. @q and @r are
 * minus their zero points; results fit into 32 bits.
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

/* Clamps q, which is minus its zero point, and adds the residual @r. */
static inline __m512i nnadev_add_widened16(const struct nnadev_finish *f, __m512i q, __m512i r)
{
	r = _mm512_sub_epi32(r, _mm512_set1_epi32(f->residual->desc.zero_point));
	q = _mm512_max_epi32(q, _mm512_set1_epi32(f->low));
	q = _mm512_min_epi32(q, _mm512_set1_epi32(f->high));
	return f->e->staged ? nnadev_add_staged16(f, q, r) : nnadev_add_residual16(f, q, r);
}

/* Adds the residual bytes of a block to q; the byte of channel 0 is at @from. */
static inline __m512i nnadev_add16(const struct nnadev_finish *f, __m512i q, const uint8_t *from,
				   __mmask16 mask)
{
	const __m128i bytes = _mm_maskz_loadu_epi8(mask, from);

	return nnadev_add_widened16(f, q,
				    f->is_signed ? _mm512_cvtepi8_epi32(bytes) :
						   _mm512_cvtepu8_epi32(bytes));
}

/*
 * Requantises 8 accumulators exactly; they are in the low halves. Return: q minus its zero point,
 * clamped to +-2^30.
 */
static inline __m512i nnadev_exact8(const struct nnadev_finish *f, __m512i acc, __m512i multiplier,
				    __m512i shift)
{
	const __m512i one = _mm512_set1_epi64(1), product = _mm512_mul_epi32(acc, multiplier),
		      below = _mm512_srai_epi64(product, 63);
	__m512i first = _mm512_maskz_set1_epi64(
		_mm512_cmpge_epi64_mask(shift, _mm512_set1_epi64(32)), 1 << 30);
	__m512i q;

	/*
	 * One step: halves of negative products round down. Two steps: the first adds 2^30 with the
	 * product's sign.
	 */
	first = f->e->once ? below : _mm512_sub_epi64(_mm512_xor_si512(first, below), below);
	q = _mm512_add_epi64(product, _mm512_sllv_epi64(one, _mm512_sub_epi64(shift, one)));
	q = _mm512_srav_epi64(_mm512_add_epi64(q, first), shift);
	q = _mm512_min_epi64(q, _mm512_set1_epi64(1 << 30));
	return _mm512_max_epi64(q, _mm512_set1_epi64(-(1 << 30)));
}

/* Requantises 16 accumulators exactly with the constants of vector @i. */
static inline __m512i nnadev_exact16(const struct nnadev_finish *f, const struct nnadev_blocks *b,
				     uint32_t i, __m512i acc)
{
	const __m512i m = _mm512_load_si512(b->fixed.multiplier[i]),
		      s = _mm512_load_si512(b->fixed.shift[i]);

	return nnadev_low_halves(
		nnadev_exact8(f, acc, m,
			      _mm512_and_si512(s, _mm512_set1_epi64(UINT32_MAX))),
		nnadev_exact8(f, _mm512_srli_epi64(acc, 32), _mm512_srli_epi64(m, 32),
			      _mm512_srli_epi64(s, 32)));
}

/**
 * struct nnadev_group - 4 vectors of accumulators that are finished together
 * @blocks: of each row, 1 to 4; vector i is block i % @blocks of row i / @blocks. Vectors from
 *	@blocks * @rows on are unspecified
 * @rows: at most 4 / @blocks
 * @first: number of the first channel
 * @at, @rat: elements of output and residual for channel 0 of each row
 */
struct nnadev_group {
	uint32_t blocks, rows, first;
	const int64_t *at, *rat;
};

/* Rounds the sums of a group to fp32, clamps and stores them. */
static inline void nnadev_group_finish_sums(const struct nnadev_finish *f,
					    const struct nnadev_blocks *b,
					    const struct nnadev_group *g, const __m512i *accs)
{
	const __m512 low = _mm512_set1_ps(f->e->clamp_min), high = _mm512_set1_ps(f->e->clamp_max);
	float *out = f->output->data;

	for (uint32_t i = 0; i < g->rows * g->blocks; i++) {
		const uint32_t block = i % g->blocks;
		const int64_t at = g->at[i / g->blocks] + g->first + block * 16;
		const __m512 x = _mm512_cvtepi32_ps(accs[i]);
		/* Bounds may be any numbers: as nnadev_clamp_float(). */
		const __m512 y = _mm512_mask_blend_ps(_mm512_cmp_ps_mask(x, low, _CMP_LT_OQ),
						      _mm512_min_ps(high, x), low);

		_mm512_mask_storeu_ps(out + at, (__mmask16)(b->mask >> block * 16), y);
	}
}

/* Finishes a group that has no estimate. */
static inline void nnadev_group_finish_any(const struct nnadev_finish *f,
					   const struct nnadev_blocks *b,
					   const struct nnadev_group *g, const __m512i *accs)
{
	const struct nnadev_engine_operand *out = f->output;

	if (f->is_sum) {
		nnadev_group_finish_sums(f, b, g, accs);
		return;
	}
	for (uint32_t i = 0; i < g->rows * g->blocks; i++) {
		const uint32_t block = i % g->blocks;
		const int64_t at = g->at[i / g->blocks] + g->first + block * 16;
		const __mmask16 mask = (__mmask16)(b->mask >> block * 16);
		const bool scalar = f->has_residual && !(f->is_wide && nnadev_adds_residual(f));
		int32_t acc[16];
		__m512i q;

		_mm512_storeu_si512(acc, accs[i]);
		for (uint32_t k = 0; scalar && k < 16 && mask >> k & 1; k++) {
			const struct nnahw_channel channel = {
				.multiplier = b->fixed.multiplier[block][k],
				.shift = b->fixed.shift[block][k],
			};

			nnadev_epilogue_integer(
				f->e, acc[k], &channel, out, at + k, f->residual,
				g->rat[i / g->blocks] + g->first + block * 16 + k);
		}
		if (scalar)
			continue;
		q = nnadev_exact16(f, b, block, accs[i]);
		if (f->has_residual) {
			const int16_t *from = (const int16_t *)f->residual->data +
					      g->rat[i / g->blocks] + g->first + block * 16;

			q = nnadev_add_widened16(
				f, q,
				_mm512_cvtepi16_epi32(_mm256_maskz_loadu_epi16(mask, from)));
		}
		q = _mm512_add_epi32(q, _mm512_set1_epi32(f->out_zero));
		q = _mm512_max_epi32(q, _mm512_set1_epi32(f->out_low));
		q = _mm512_min_epi32(q, _mm512_set1_epi32(f->out_high));
		if (f->is_wide)
			_mm512_mask_cvtepi32_storeu_epi16((int16_t *)out->data + at, mask, q);
		else
			_mm512_mask_cvtepi32_storeu_epi8((uint8_t *)out->data + at, mask, q);
	}
}

/* Return: where the residual of a vector is. Writes its channels in use to @mask. */
static inline const uint8_t *nnadev_group_residual(const struct nnadev_finish *f,
						   const struct nnadev_blocks *b,
						   const struct nnadev_group *g, uint32_t vector,
						   __mmask16 *mask)
{
	const uint32_t block = vector % g->blocks;

	*mask = (__mmask16)(b->mask >> block * 16);
	return (const uint8_t *)f->residual->data + g->rat[vector / g->blocks] + g->first +
	       block * 16;
}

/*
 * Adds the residual to requantised numbers by an estimate. Return: whether all sums are proven
 * exact.
 */
static inline __attribute__((always_inline)) bool
nnadev_group_add(const struct nnadev_finish *f, const struct nnadev_blocks *b,
		 const struct nnadev_group *g, __m512i *q)
{
	__m512i far = _mm512_setzero_si512();

#pragma GCC unroll 4
	for (uint32_t i = 0; i < g->rows * g->blocks; i++) {
		__mmask16 mask;
		const uint8_t *from = nnadev_group_residual(f, b, g, i, &mask);
		const __m128i bytes = _mm_maskz_loadu_epi8(mask, from);
		__m512 r = _mm512_cvtepi32_ps(f->is_signed ? _mm512_cvtepi8_epi32(bytes) :
							     _mm512_cvtepu8_epi32(bytes));

		q[i] = _mm512_max_epi32(q[i], _mm512_set1_epi32(f->low));
		q[i] = _mm512_min_epi32(q[i], _mm512_set1_epi32(f->high));
		r = _mm512_fmadd_ps(r, _mm512_set1_ps(f->sum.other), _mm512_set1_ps(f->sum.offset));
		r = _mm512_fmadd_ps(_mm512_cvtepi32_ps(q[i]), _mm512_set1_ps(f->sum.own), r);
		q[i] = nnadev_round16(r, &far);
	}
	return nnadev_far_is_exact(far, NNADEV_SUM_UNPROVEN);
}

/*
 * Stores a group. @low and @high have 16-bit numbers, in the order in which packing two vectors
 * leaves them.
 */
static inline __attribute__((always_inline)) void
nnadev_group_store(const struct nnadev_finish *f, const struct nnadev_blocks *b,
		   const struct nnadev_group *g, __m512i low, __m512i high)
{
	uint8_t *out = (uint8_t *)f->output->data + g->first;

	low = nnadev_fixed_clamp(&b->fixed, _mm512_packus_epi16(low, high));
	/* Packing has put dword i of each vector into quarter i. */
	low = _mm512_permutexvar_epi32(_mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3,
							 7, 11, 15),
				       low);
	if (g->blocks > 2) {
		_mm512_mask_storeu_epi8(out + g->at[0], b->mask, low);
	} else if (g->blocks == 2) {
		_mm256_mask_storeu_epi8(out + g->at[0], (__mmask32)b->mask,
					_mm512_castsi512_si256(low));
		if (g->rows > 1)
			_mm256_mask_storeu_epi8(out + g->at[1], (__mmask32)b->mask,
						_mm512_extracti64x4_epi64(low, 1));
	} else {
		const __mmask16 mask = (__mmask16)b->mask;

		_mm_mask_storeu_epi8(out + g->at[0], mask, _mm512_castsi512_si128(low));
		if (g->rows > 1)
			_mm_mask_storeu_epi8(out + g->at[1], mask,
					     _mm512_extracti32x4_epi32(low, 1));
		if (g->rows > 2)
			_mm_mask_storeu_epi8(out + g->at[2], mask,
					     _mm512_extracti32x4_epi32(low, 2));
		if (g->rows > 3)
			_mm_mask_storeu_epi8(out + g->at[3], mask,
					     _mm512_extracti32x4_epi32(low, 3));
	}
}

/*
 * Finishes a group whose estimate is not proven. Not inline, because the function is long and
 * rarely called.
 */
static __attribute__((noinline, unused)) void
nnadev_group_finish_exact(const struct nnadev_finish *f, const struct nnadev_blocks *b,
			  const struct nnadev_group *g, const __m512i *acc)
{
	__m512i q[4];

	if (!b->estimated) {
		nnadev_group_finish_any(f, b, g, acc);
		return;
	}
	for (uint32_t i = 0; i < 4; i++) {
		const float *scale = b->fixed.scale[i % g->blocks],
			    *nudge = b->fixed.nudge[i % g->blocks];
		__m512i far = _mm512_setzero_si512();
		bool proven;

		if (f->has_residual) {
			q[i] = nnadev_round16(nnadev_estimate16(scale, nudge, acc[i]), &far);
			proven = nnadev_far_is_exact(far, NNADEV_UNPROVEN);
		} else {
			q[i] = nnadev_fixed_estimate(acc[i], _mm512_load_ps(scale),
						     _mm512_load_ps(nudge), b->fixed.added,
						     !b->limits.rectified);
			proven = !nnadev_fixed_doubtful(q[i]);
			q[i] = _mm512_sub_epi32(_mm512_srai_epi32(q[i], 16),
						_mm512_set1_epi32(b->limits.zero));
		}
		if (!proven)
			q[i] = nnadev_exact16(f, b, i % g->blocks, acc[i]);
		if (f->has_residual && i < g->rows * g->blocks) {
			__mmask16 mask;
			const uint8_t *from = nnadev_group_residual(f, b, g, i, &mask);

			q[i] = nnadev_add16(f, q[i], from, mask);
		}
	}
	nnadev_group_store(f, b, g, _mm512_adds_epi16(_mm512_packs_epi32(q[0], q[1]), b->zero),
			   _mm512_adds_epi16(_mm512_packs_epi32(q[2], q[3]), b->zero));
}

/* Estimates a group without a residual. */
static inline __attribute__((always_inline)) void
nnadev_group_estimate(const struct nnadev_blocks *b, const struct nnadev_group *g,
		      const __m512i *acc, __m512i *t, const bool is_signed)
{
#pragma GCC unroll 4
	for (uint32_t i = 0; i < g->rows * g->blocks; i++) {
		const uint32_t block = i % g->blocks;

		t[i] = nnadev_fixed_estimate(acc[i], _mm512_load_ps(b->fixed.scale[block]),
					     _mm512_load_ps(b->fixed.nudge[block]),
					     b->fixed.added, is_signed);
	}
}

/*
 * Finishes and stores a group by its estimate. Return: true if the estimate is proven exact. If
 * false, nothing is stored, and the caller calls nnadev_group_finish_exact().
 */
static inline __attribute__((always_inline)) bool
nnadev_group_finish(const struct nnadev_finish *f, const struct nnadev_blocks *b,
		    const struct nnadev_group *g, const __m512i *acc)
{
	const uint32_t vectors = g->rows * g->blocks;
	/* Selects the high halves of 4 numbers of each of two vectors. */
	const __m512i halves = _mm512_add_epi16(
		_mm512_broadcast_i32x4(_mm_setr_epi16(1, 3, 5, 7, 33, 35, 37, 39)),
		_mm512_setr_epi32(0, 0, 0, 0, 0x80008, 0x80008, 0x80008, 0x80008, 0x100010,
				  0x100010, 0x100010, 0x100010, 0x180018, 0x180018, 0x180018,
				  0x180018));
	__m512i far = _mm512_setzero_si512(), q[4];

	/* Lanes that are not in use count as exact. */
#pragma GCC unroll 4
	for (uint32_t i = 0; i < 4; i++)
		q[i] = _mm512_set1_epi32(f->has_residual ? 0 : NNADEV_FIXED_WINDOW);
	if (__builtin_expect(!b->estimated, 0))
		return false;
	if (f->has_residual) {
#pragma GCC unroll 4
		for (uint32_t i = 0; i < vectors; i++) {
			const uint32_t block = i % g->blocks;

			q[i] = nnadev_round16(nnadev_estimate16(b->fixed.scale[block],
								b->fixed.nudge[block], acc[i]),
					      &far);
		}
		if (!nnadev_far_is_exact(far, NNADEV_UNPROVEN) ||
		    !(f->sum.estimated && nnadev_group_add(f, b, g, q)))
			return false;
		nnadev_group_store(f, b, g,
				   _mm512_adds_epi16(_mm512_packs_epi32(q[0], q[1]), b->zero),
				   _mm512_adds_epi16(_mm512_packs_epi32(q[2], q[3]), b->zero));
		return true;
	}
	if (b->limits.rectified)
		nnadev_group_estimate(b, g, acc, q, false);
	else
		nnadev_group_estimate(b, g, acc, q, true);
	if (__builtin_expect(!nnadev_fixed_is_exact(q), 0))
		return false;
	nnadev_group_store(f, b, g, _mm512_permutex2var_epi16(q[0], halves, q[1]),
			   _mm512_permutex2var_epi16(q[2], halves, q[3]));
	return true;
}

#endif
