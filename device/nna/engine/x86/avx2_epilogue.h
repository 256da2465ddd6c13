/* SPDX-License-Identifier: MIT */
/*
 * Quantised epilogue for blocks of 16 output channels, bit-exact with device/nna/engine/epilogue.h.
 * The float epilogue is in vector/floats.h. Include only from files compiled for AVX2.
 */
#ifndef NNADEV_AVX2_EPILOGUE_H
#define NNADEV_AVX2_EPILOGUE_H

#include <immintrin.h>

#include "device/nna/engine/vector/finish.h"
#include "device/nna/engine/vector/fixed.h"

#define NNADEV_LOAD(p) _mm256_loadu_si256((const __m256i *)(p))
#define NNADEV_STORE(p, v) _mm256_storeu_si256((__m256i *)(p), v)

/**
 * struct nnadev_half_block - constants of 8 channels
 *
 * (acc * multiplier + 2^(shift-1)) >> shift is an arithmetic shift of 64 bits. AVX2 has only a
 * logical shift by a variable, so 2^63 is added before the shift and 2^(63-shift) subtracted after
 * it. 32-bit lanes 0 2 4 6 (even) and 1 3 5 7 (odd) are computed separately.
 */
struct nnadev_half_block {
	int32_t bias[8], multiplier[8], multiplier_odd[8], offset[8];
	uint64_t round_even[4], round_odd[4], shift_even[4], shift_odd[4], up_even[4], up_odd[4];
};

/**
 * enum nnadev_order - order of a block's channels in its two vectors of accumulators
 * @NNADEV_NATURAL: 0 to 7, and 8 to 15
 * @NNADEV_PAIRED: 0-3 and 8-11, and 4-7 and 12-15, the order that vpackssdw needs
 */
enum nnadev_order { NNADEV_NATURAL, NNADEV_PAIRED };

/**
 * struct nnadev_estimate - constants of the fp32 estimate, in the order of the accumulators
 * @bias: added to the accumulators
 * @scale, @nudge: see below
 * @added: added to an estimate whose nudge takes the sign of acc + bias
 *
 * Without a residual, the estimate is that of vector/fixed.h. With a residual, q is estimated as
 * (acc + bias) * scale + nudge, rounded to nearest; the nudge takes the sign of acc + bias. The
 * rounded value is the exact result if the unrounded value is farther than NNADEV_UNPROVEN from the
 * nearest k + 1/2 with an integer k, where rounding changes.
 *
 * Proof. The exact result is round(z), halves in either direction, with z = (acc + bias) *
 * multiplier * 2^-shift; rounding in two steps adds 2^(30-shift) with the product's sign to z. In
 * every rounding mode the conversion of acc + bias to fp32, the scale, and the fused multiply-add
 * have a relative error of at most 2^-23 each. For |z| < 256 the three errors sum to less than
 * 2^-13. A larger z is beyond all limits of 8-bit types, and so is its estimate. An estimate that
 * does not fit into 32 bits is converted to INT32_MIN; the difference to INT32_MIN is too large to
 * count as exact.
 */
struct nnadev_estimate {
	int32_t bias[16];
	float scale[16], nudge[16], added;
};

/**
 * struct nnadev_block - constants of a block of 16 channels
 * @half: for the exact steps, 8 channels each
 * @estimate: for the estimate
 * @order: order of the accumulators
 * @estimated: @estimate is valid for all channels
 * @rectified: without a residual, nudges take no sign
 * @zero: zero point of the output as an unsigned byte; added to a sum with a residual
 * @low, @high: limits as unsigned bytes
 * @flip: XORed to an unsigned byte to get a byte of the output
 * @channel: constants as read, each once; channels beyond @count multiply by 0. A shift below 1
 *	means 1, a shift above 62 means 62
 * @count: channels in use, 1 to 16
 * @simple: the vector code supports the types, and all multipliers and shifts, those of the
 *	residual included
 */
struct nnadev_block {
	struct nnadev_half_block half[2];
	struct nnadev_estimate estimate;
	enum nnadev_order order;
	bool estimated, rectified;
	__m256i zero;
	__m128i low, high, flip;
	struct nnahw_channel channel[16];
	uint32_t count;
	bool simple;
};

/*
 * Computes the constants of 8 channels. The result is meaningless for a shift below 31, which the
 * vector code does not support.
 */
static inline void nnadev_half_block_get(struct nnadev_half_block *h, const struct nnadev_finish *f,
					 const int32_t *bias, __m256i multiplier, __m256i shift)
{
	const __m256i one = _mm256_set1_epi64x(1), first = _mm256_set1_epi64x(INT64_MIN),
		      s[2] = { _mm256_and_si256(shift, _mm256_set1_epi64x(UINT32_MAX)),
			       _mm256_srli_epi64(shift, 32) };
	__m256i offset[2];

	for (uint32_t i = 0; i < 2; i++) {
		/*
		 * Rounding in two steps, shifts from 32 on: negative products get 2^30 less, others
		 * 2^30 more. Rounding in one step: negative products get 1 less, so that their
		 * halves round down.
		 */
		const __m256i both = _mm256_set1_epi64x(1ll << 31),
			      later = _mm256_cmpgt_epi64(s[i], _mm256_set1_epi64x(31)),
			      up = f->e->once ? both : _mm256_and_si256(both, later),
			      less = f->e->once ? one : _mm256_srli_epi64(up, 1);
		const __m256i half = _mm256_sllv_epi64(one, _mm256_sub_epi64(s[i], one));

		NNADEV_STORE(i ? h->up_odd : h->up_even, up);
		NNADEV_STORE(i ? h->round_odd : h->round_even,
			     _mm256_sub_epi64(_mm256_add_epi64(first, half), less));
		NNADEV_STORE(i ? h->shift_odd : h->shift_even, s[i]);
		offset[i] = _mm256_sllv_epi64(one, _mm256_sub_epi64(_mm256_set1_epi64x(63), s[i]));
	}
	NNADEV_STORE(h->bias, NNADEV_LOAD(bias));
	NNADEV_STORE(h->multiplier, multiplier);
	NNADEV_STORE(h->multiplier_odd, _mm256_srli_epi64(multiplier, 32));
	NNADEV_STORE(h->offset,
		     _mm256_blend_epi32(offset[0], _mm256_slli_epi64(offset[1], 32), 0xaa));
}

/* Stores two vectors of a number per channel in the order of the block's accumulators. */
static inline void nnadev_order_channels(enum nnadev_order order, void *to, const __m256i v[2])
{
	int32_t *at = to;
	const bool paired = order == NNADEV_PAIRED;

	NNADEV_STORE(at, paired ? _mm256_permute2x128_si256(v[0], v[1], 0x20) : v[0]);
	NNADEV_STORE(at + 8, paired ? _mm256_permute2x128_si256(v[0], v[1], 0x31) : v[1]);
}

/*
 * Computes the constants of the estimate. @good: the vector code supports the types and the
 * residual, and no multiplier is negative.
 */
static inline void nnadev_estimate_get(struct nnadev_block *b, const struct nnadev_finish *f,
				       const __m256i multiplier[2], const __m256i shift[2],
				       bool good)
{
	/* Biased exponent of 1, or of 2^16 for an estimate in the units of vector/fixed.h. */
	const __m256i one = _mm256_set1_epi32(127 + (f->has_residual ? 0 : 16)),
		      two_steps = _mm256_set1_epi32(f->e->once ? 0 : -1);
	struct nnadev_fixed_limits l;
	__m256i bias[2], scale[2], nudge[2];

	nnadev_fixed_limits_get(&l, f->output->desc.type, f->out_zero, f->out_low, f->out_high,
				f->e->once);
	b->rectified = l.rectified;
	b->estimate.added = ((float)l.zero + 0.5f) * NNADEV_FIXED_ONE + NNADEV_FIXED_WINDOW / 2;
	for (uint32_t i = 0; i < 2; i++) {
		/* 2^-shift and 2^(30-shift) are made from their exponents. */
		const __m256i power = _mm256_sub_epi32(one, shift[i]),
			      step = _mm256_add_epi32(power, _mm256_set1_epi32(30)),
			      later = _mm256_cmpgt_epi32(shift[i], _mm256_set1_epi32(31));
		__m256 n = _mm256_castsi256_ps(_mm256_and_si256(
			_mm256_slli_epi32(step, 23), _mm256_and_si256(later, two_steps)));

		if (!f->has_residual && l.rectified)
			n = _mm256_add_ps(n, _mm256_set1_ps(b->estimate.added));
		bias[i] = NNADEV_LOAD(b->half[i].bias);
		scale[i] = _mm256_castps_si256(
			_mm256_mul_ps(_mm256_cvtepi32_ps(multiplier[i]),
				      _mm256_castsi256_ps(_mm256_slli_epi32(power, 23))));
		nudge[i] = _mm256_castps_si256(n);
	}
	b->estimated = good && nnadev_limits_fit(f) && (!f->has_residual || f->sum.estimated);
	b->zero = _mm256_set1_epi16((int16_t)l.zero);
	b->low = _mm_set1_epi8((int8_t)l.low);
	b->high = _mm_set1_epi8((int8_t)l.high);
	b->flip = _mm_set1_epi8((int8_t)l.flip);
	nnadev_order_channels(b->order, b->estimate.bias, bias);
	nnadev_order_channels(b->order, b->estimate.scale, scale);
	nnadev_order_channels(b->order, b->estimate.nudge, nudge);
}

/* Extracts the multipliers and shifts of 8 channels. */
static inline void nnadev_channels_split(const struct nnahw_channel *c, __m256i *multiplier,
					 __m256i *shift)
{
	__m256i pair[4], low, high;

	/* Channels i and i + 4; each has bias, multiplier, shift and sum. */
	for (uint32_t i = 0; i < 4; i++)
		pair[i] = _mm256_inserti128_si256(
			_mm256_castsi128_si256(_mm_loadu_si128((const __m128i *)(c + i))),
			_mm_loadu_si128((const __m128i *)(c + i + 4)), 1);
	low = _mm256_unpacklo_epi32(pair[0], pair[1]);
	high = _mm256_unpacklo_epi32(pair[2], pair[3]);
	*multiplier = _mm256_unpackhi_epi64(low, high);
	low = _mm256_unpackhi_epi32(pair[0], pair[1]);
	high = _mm256_unpackhi_epi32(pair[2], pair[3]);
	*shift = _mm256_unpacklo_epi64(low, high);
}

/*
 * Computes the constants of a block from the @count channels in @b->channel. @bias has 16 numbers
 * to add to the accumulators and includes channel.bias. Entries beyond @count are overwritten in
 * both arrays. @order is the order of the accumulators passed to nnadev_finish_rows().
 */
static inline void nnadev_block_get(struct nnadev_block *b, const struct nnadev_finish *f,
				    uint32_t count, int32_t *bias, enum nnadev_order order)
{
	const __m256i zero = _mm256_setzero_si256();
	const bool fits = (nnadev_type_is_quant8(f->output->desc.type) || f->is_wide) &&
			  nnadev_adds_residual(f);
	__m256i multiplier[2], shift[2], negative = zero, small = zero;
	bool good;

	b->count = count;
	b->order = order;
	/* Unused channels get a shift that the vector code supports. */
	for (uint32_t i = count; i < 16; i++) {
		b->channel[i] = (struct nnahw_channel){ .shift = 33 };
		bias[i] = 0;
	}
	for (uint32_t i = 0; i < 2; i++) {
		nnadev_channels_split(b->channel + 8 * i, &multiplier[i], &shift[i]);
		shift[i] = _mm256_max_epi32(shift[i], _mm256_set1_epi32(1));
		shift[i] = _mm256_min_epi32(shift[i], _mm256_set1_epi32(62));
		negative = _mm256_or_si256(negative, _mm256_cmpgt_epi32(zero, multiplier[i]));
		small = _mm256_or_si256(small,
					_mm256_cmpgt_epi32(_mm256_set1_epi32(31), shift[i]));
		nnadev_half_block_get(&b->half[i], f, bias + 8 * i, multiplier[i], shift[i]);
	}
	good = fits && _mm256_testz_si256(negative, negative);
	b->simple = good && _mm256_testz_si256(small, small);
	nnadev_estimate_get(b, f, multiplier, shift, good);
}

/* Requantises accumulators of 8 channels. Return: q minus its zero point, clamped. */
static inline __m256i nnadev_requantise8(const struct nnadev_finish *f,
					 const struct nnadev_half_block *h, __m256i acc)
{
	const __m128i up_shift = _mm_cvtsi32_si128(f->up_shift);
	__m256i even, odd, up_even, up_odd, q;

	acc = _mm256_add_epi32(acc, NNADEV_LOAD(h->bias));
	odd = _mm256_srli_epi64(acc, 32);
	/*
	 * Bit 31 is set where the accumulator is not negative. Multipliers are not negative, so the
	 * product has the accumulator's sign.
	 */
	up_even = _mm256_srl_epi64(_mm256_andnot_si256(acc, NNADEV_LOAD(h->up_even)), up_shift);
	up_odd = _mm256_srl_epi64(_mm256_andnot_si256(odd, NNADEV_LOAD(h->up_odd)), up_shift);
	even = _mm256_add_epi64(_mm256_mul_epi32(acc, NNADEV_LOAD(h->multiplier)), up_even);
	odd = _mm256_add_epi64(_mm256_mul_epi32(odd, NNADEV_LOAD(h->multiplier_odd)), up_odd);
	even = _mm256_srlv_epi64(_mm256_add_epi64(even, NNADEV_LOAD(h->round_even)),
				 NNADEV_LOAD(h->shift_even));
	odd = _mm256_srlv_epi64(_mm256_add_epi64(odd, NNADEV_LOAD(h->round_odd)),
				NNADEV_LOAD(h->shift_odd));
	q = _mm256_blend_epi32(even, _mm256_slli_epi64(odd, 32), 0xaa);
	q = _mm256_sub_epi32(q, NNADEV_LOAD(h->offset));
	q = _mm256_max_epi32(q, _mm256_set1_epi32(f->low));
	return _mm256_min_epi32(q, _mm256_set1_epi32(f->high));
}

/*
 * Rounds 8 estimates to the nearest integers. Raises *far to the greatest |y - round(y)| seen, as
 * float bits shifted left by one, so that integers compare without the sign.
 */
static inline __m256i nnadev_round8(__m256 y, __m256i *far)
{
	const __m256i q = _mm256_cvtps_epi32(y),
		      off = _mm256_castps_si256(_mm256_sub_ps(y, _mm256_cvtepi32_ps(q)));

	*far = _mm256_max_epu32(*far, _mm256_add_epi32(off, off));
	return q;
}

/* True if each |y - round(y)| in @far is below 1/2 - @unproven, so that all roundings are exact. */
static inline bool nnadev_far8_is_exact(__m256i far, float unproven)
{
	const __m256i half = _mm256_castps_si256(_mm256_set1_ps(0.5f - unproven)),
		      most = _mm256_add_epi32(half, half);

	return !_mm256_movemask_epi8(_mm256_cmpeq_epi32(_mm256_max_epu32(far, most), far));
}

/* Tests each of @rows vectors. Return: bit r is set if row r is exact. */
static inline __attribute__((always_inline)) uint32_t
nnadev_exact_rows(const __m256i *far, const uint32_t rows, float unproven)
{
	__m256i farthest = far[0];
	uint32_t exact = 0;

#pragma GCC unroll 4
	for (uint32_t r = 1; r < rows; r++)
		farthest = _mm256_max_epu32(farthest, far[r]);
	if (__builtin_expect(nnadev_far8_is_exact(farthest, unproven), 1))
		return (1u << rows) - 1;
	for (uint32_t r = 0; r < rows; r++)
		exact |= (uint32_t)nnadev_far8_is_exact(far[r], unproven) << r;
	return exact;
}

/* Converts acc + bias of 8 accumulators to fp32. @number: which half of the block, 0 or 1. */
static inline __m256 nnadev_biased8(const struct nnadev_estimate *e, uint32_t number, __m256i acc)
{
	return _mm256_cvtepi32_ps(_mm256_add_epi32(acc, NNADEV_LOAD(e->bias + number * 8)));
}

/* The nudges of half a block with the signs of @x. */
static inline __m256 nnadev_signed_nudge8(const struct nnadev_estimate *e, uint32_t number,
					  __m256 x)
{
	return _mm256_or_ps(_mm256_loadu_ps(e->nudge + number * 8),
			    _mm256_and_ps(x, _mm256_set1_ps(-0.0f)));
}

/* Estimates 8 results as in vector/fixed.h: with the zero point, not clamped. */
static inline __attribute__((always_inline)) __m256i
nnadev_fixed8(const struct nnadev_estimate *e, uint32_t number, __m256i acc, const bool rectified)
{
	const __m256 x = nnadev_biased8(e, number, acc),
		     scale = _mm256_loadu_ps(e->scale + number * 8);

	if (rectified)
		return _mm256_cvtps_epi32(
			_mm256_fmadd_ps(x, scale, _mm256_loadu_ps(e->nudge + number * 8)));
	return _mm256_cvtps_epi32(
		_mm256_add_ps(_mm256_fmadd_ps(x, scale, nnadev_signed_nudge8(e, number, x)),
			      _mm256_set1_ps(e->added)));
}

/*
 * True if each 16-bit fraction in @least, the minimum over all lanes, is at least @window. @window
 * has 0 in the upper half of each 32 bits, so upper halves always pass.
 */
static inline bool nnadev_least_is_exact(__m256i least, __m256i window)
{
	return _mm256_movemask_epi8(
		       _mm256_cmpeq_epi16(_mm256_max_epu16(least, window), least)) == -1;
}

/*
 * Interleaves the upper halves of two vectors of estimates: 16-bit lane 2i is from @t0, 2i + 1 from
 * @t1.
 */
static inline __m256i nnadev_turns(__m256i t0, __m256i t1)
{
	return _mm256_blend_epi16(_mm256_srli_epi32(t0, 16), t1, 0xaa);
}

/*
 * Undoes nnadev_turns() on packed bytes: each 64 bits get 4 bytes of the first vector, then 4 of
 * the second.
 */
static inline __m256i nnadev_turns_apart(__m256i q)
{
	return _mm256_shuffle_epi8(q, _mm256_broadcastsi128_si256(_mm_setr_epi8(
					      0, 2, 4, 6, 1, 3, 5, 7, 8, 10, 12, 14, 9, 11, 13,
					      15)));
}

/*
 * Estimates rows of a block from the accumulators [row][16] at @acc. Each row of @v gets 16-bit
 * numbers with the zero point, interleaved by nnadev_turns(). Return: bit r is set if row r is
 * exact.
 */
static inline __attribute__((always_inline)) uint32_t
nnadev_fixed_rows(const struct nnadev_block *b, const int32_t *acc, const uint32_t rows,
		  const bool rectified, __m256i *v)
{
	const __m256i window = _mm256_set1_epi32(NNADEV_FIXED_WINDOW);
	__m256i least[4], all;
	uint32_t exact = 0;

#pragma GCC unroll 4
	for (uint32_t r = 0; r < rows; r++, acc += 16) {
		const __m256i t0 = nnadev_fixed8(&b->estimate, 0, NNADEV_LOAD(acc), rectified),
			      t1 = nnadev_fixed8(&b->estimate, 1, NNADEV_LOAD(acc + 8), rectified);

		least[r] = _mm256_min_epu16(t0, t1);
		v[r] = nnadev_turns(t0, t1);
	}
	all = least[0];
#pragma GCC unroll 4
	for (uint32_t r = 1; r < rows; r++)
		all = _mm256_min_epu16(all, least[r]);
	if (__builtin_expect(nnadev_least_is_exact(all, window), 1))
		return (1u << rows) - 1;
	for (uint32_t r = 0; r < rows; r++)
		exact |= (uint32_t)nnadev_least_is_exact(least[r], window) << r;
	return exact;
}

/*
 * Estimates q of 8 accumulators to which a residual will be added: minus the zero point, not
 * clamped.
 */
static inline __attribute__((always_inline)) __m256i
nnadev_estimate8(const struct nnadev_estimate *e, uint32_t number, __m256i acc, __m256i *far)
{
	const __m256 x = nnadev_biased8(e, number, acc);

	return nnadev_round8(_mm256_fmadd_ps(x, _mm256_loadu_ps(e->scale + number * 8),
					     nnadev_signed_nudge8(e, number, x)),
			     far);
}

/*
 * Shifts four 64-bit numbers right and rounds halves away from zero. @round is 2^63 + 2^(shift-1);
 * the caller subtracts 2^(63-shift) from the result.
 */
static inline __m256i nnadev_round_shift4(__m256i x, __m256i round, __m128i shift)
{
	const __m256i less = _mm256_cmpgt_epi64(_mm256_setzero_si256(), x);

	return _mm256_srl_epi64(_mm256_add_epi64(_mm256_add_epi64(x, round), less), shift);
}

/*
 * nnadev_requantize() of 8 numbers by one factor. The shift is 31 to 62, so that results fit into
 * 32 bits. All products get the rounding term of positive ones; negative products then get 2^31
 * less.
 */
static inline __m256i nnadev_scale8(__m256i x, int32_t multiplier, int32_t shift)
{
	const __m256i m = _mm256_set1_epi32(multiplier), zero = _mm256_setzero_si256();
	const int64_t first = shift >= 32 ? 1 << 30 : 0;
	const __m256i round = _mm256_set1_epi64x(
		(int64_t)((1ull << 63) + (1ull << (shift - 1)) + (uint64_t)first));
	const __m256i down = _mm256_set1_epi64x(-2 * first);
	const __m128i by = _mm_cvtsi32_si128(shift);
	__m256i even = _mm256_mul_epi32(x, m), odd = _mm256_mul_epi32(_mm256_srli_epi64(x, 32), m);
	const __m256i below = _mm256_and_si256(_mm256_cmpgt_epi64(zero, even), down),
		      below_odd = _mm256_and_si256(_mm256_cmpgt_epi64(zero, odd), down);

	even = _mm256_srl_epi64(_mm256_add_epi64(_mm256_add_epi64(even, round), below), by);
	odd = _mm256_srl_epi64(_mm256_add_epi64(_mm256_add_epi64(odd, round), below_odd), by);
	x = _mm256_blend_epi32(even, _mm256_slli_epi64(odd, 32), 0xaa);
	return _mm256_sub_epi32(x, _mm256_set1_epi32((int32_t)(uint32_t)(1ull << (63 - shift))));
}

/* nnadev_staged_sum() of numbers minus their zero points, for shifts from 31 to 62. */
static inline __m256i nnadev_add_staged8(const struct nnadev_finish *f, __m256i q, __m256i r)
{
	q = nnadev_scale8(_mm256_slli_epi32(q, 20), f->e->own_scale, f->e->own_shift);
	r = nnadev_scale8(_mm256_slli_epi32(r, 20), f->e->residual_scale, f->e->residual_shift);
	return nnadev_scale8(_mm256_add_epi32(q, r), f->e->add_multiplier, f->e->add_shift);
}

/*
 * (q * own_scale + r * residual_scale) * 2^-add_shift, halves rounded away from zero. @q and @r are
 * minus their zero points.
 */
static inline __m256i nnadev_add_residual8(const struct nnadev_finish *f, __m256i q, __m256i r)
{
	const __m256i own = _mm256_set1_epi32(f->e->own_scale),
		      other = _mm256_set1_epi32(f->e->residual_scale);
	const __m256i round = _mm256_set1_epi64x(
		(int64_t)((1ull << 63) + (1ull << (f->e->add_shift - 1))));
	const __m128i shift = _mm_cvtsi32_si128(f->e->add_shift);
	__m256i even, odd;

	even = _mm256_add_epi64(_mm256_mul_epi32(q, own), _mm256_mul_epi32(r, other));
	odd = _mm256_add_epi64(_mm256_mul_epi32(_mm256_srli_epi64(q, 32), own),
			       _mm256_mul_epi32(_mm256_srli_epi64(r, 32), other));
	even = nnadev_round_shift4(even, round, shift);
	odd = nnadev_round_shift4(odd, round, shift);
	q = _mm256_blend_epi32(even, _mm256_slli_epi64(odd, 32), 0xaa);
	return _mm256_sub_epi32(
		q, _mm256_set1_epi32((int32_t)(uint32_t)(1ull << (63 - f->e->add_shift))));
}

/* Finishes the channels one by one, with any multiplier and shift. */
static inline void nnadev_finish_slow(const struct nnadev_finish *f, const struct nnadev_block *b,
				      const int32_t *acc, int64_t at, int64_t rat)
{
	for (uint32_t i = 0; i < b->count; i++)
		nnadev_epilogue_integer(
			f->e, (int32_t)((uint32_t)acc[i] + (uint32_t)b->half[i / 8].bias[i % 8]),
			&b->channel[i], f->output, at + i, f->residual, rat + i);
}

/* Stores the channels of a block that are in use, 16 bits each. */
static inline void nnadev_store_wide(const struct nnadev_block *b, int16_t *out, __m256i q)
{
	int16_t tail[16];

	if (b->count == 16) {
		_mm256_storeu_si256((__m256i *)out, q);
	} else {
		_mm256_storeu_si256((__m256i *)tail, q);
		memcpy(out, tail, b->count * sizeof(*out));
	}
}

/* Stores the channels of a block that are in use, 8 bits each. */
static inline void nnadev_store_block(const struct nnadev_block *b, uint8_t *out, __m128i q)
{
	uint8_t tail[16];

	if (b->count == 16) {
		_mm_storeu_si128((__m128i *)out, q);
	} else if (b->count == 8) {
		_mm_storel_epi64((__m128i *)out, q);
	} else {
		_mm_storeu_si128((__m128i *)tail, q);
		memcpy(out, tail, b->count);
	}
}

/* Loads the residual of a block's channels; bytes of unused channels are unspecified. */
static inline __m128i nnadev_residual16(const struct nnadev_finish *f, const struct nnadev_block *b,
					int64_t rat)
{
	const uint8_t *from = (const uint8_t *)f->residual->data + rat;
	uint8_t tail[16] = { 0 };

	if (b->count == 16)
		return _mm_loadu_si128((const __m128i *)from);
	if (b->count == 8)
		return _mm_loadl_epi64((const __m128i *)from);
	memcpy(tail, from, b->count);
	return _mm_loadu_si128((const __m128i *)tail);
}

/* Loads 8 of a block's 16-bit residuals from channel @first on; unused channels are unspecified. */
static inline __m256i nnadev_wide_residual8(const struct nnadev_finish *f,
					    const struct nnadev_block *b, int64_t rat,
					    uint32_t first)
{
	const int16_t *from = (const int16_t *)f->residual->data + rat + first;
	int16_t tail[8] = { 0 };

	if (b->count >= first + 8)
		return _mm256_cvtepi16_epi32(_mm_loadu_si128((const __m128i *)from));
	if (b->count > first)
		memcpy(tail, from, (b->count - first) * sizeof(*from));
	return _mm256_cvtepi16_epi32(_mm_loadu_si128((const __m128i *)tail));
}

/* Loads the residuals of a block, widened to 32 bits, 8 per vector. */
static inline void nnadev_residual_get(const struct nnadev_finish *f, const struct nnadev_block *b,
				       int64_t rat, __m256i *r)
{
	__m128i bytes;

	if (f->is_wide) {
		r[0] = nnadev_wide_residual8(f, b, rat, 0);
		r[1] = nnadev_wide_residual8(f, b, rat, 8);
		return;
	}
	bytes = nnadev_residual16(f, b, rat);
	for (uint32_t i = 0; i < 2; i++, bytes = _mm_srli_si128(bytes, 8))
		r[i] = f->is_signed ? _mm256_cvtepi8_epi32(bytes) : _mm256_cvtepu8_epi32(bytes);
}

/* Rounds the sums of a block to fp32, clamps and stores them. */
static inline void nnadev_finish_sums(const struct nnadev_finish *f, const struct nnadev_block *b,
				      const __m256i *acc, int64_t at)
{
	const __m256 low = _mm256_set1_ps(f->e->clamp_min), high = _mm256_set1_ps(f->e->clamp_max);
	float *out = (float *)f->output->data + at, tail[16];

	for (uint32_t i = 0; i < 2; i++) {
		const __m256 x = _mm256_cvtepi32_ps(
			_mm256_add_epi32(acc[i], NNADEV_LOAD(b->half[i].bias)));
		/* Bounds may be any numbers: as nnadev_clamp_float(). */
		const __m256 y = _mm256_blendv_ps(_mm256_min_ps(high, x), low,
						  _mm256_cmp_ps(x, low, _CMP_LT_OQ));

		_mm256_storeu_ps(b->count == 16 ? out + i * 8 : tail + i * 8, y);
	}
	if (b->count != 16)
		memcpy(out, tail, b->count * sizeof(*out));
}

/* Finishes and stores a block by the exact steps. The accumulators are in natural order. */
static inline void nnadev_finish_exact(const struct nnadev_finish *f, const struct nnadev_block *b,
				       __m256i acc0, __m256i acc1, int64_t at, int64_t rat)
{
	uint8_t *out = (uint8_t *)f->output->data + at;
	__m256i q0, q1;
	__m128i q;

	if (f->is_sum) {
		nnadev_finish_sums(f, b, (const __m256i[]){ acc0, acc1 }, at);
		return;
	}
	if (__builtin_expect(!b->simple, 0)) {
		int32_t acc[16];

		_mm256_storeu_si256((__m256i *)acc, acc0);
		_mm256_storeu_si256((__m256i *)(acc + 8), acc1);
		nnadev_finish_slow(f, b, acc, at, rat);
		return;
	}
	q0 = nnadev_requantise8(f, &b->half[0], acc0);
	q1 = nnadev_requantise8(f, &b->half[1], acc1);
	if (f->has_residual) {
		const __m256i zero = _mm256_set1_epi32(f->residual->desc.zero_point);
		__m256i r[2];

		nnadev_residual_get(f, b, rat, r);
		r[0] = _mm256_sub_epi32(r[0], zero);
		r[1] = _mm256_sub_epi32(r[1], zero);
		q0 = f->e->staged ? nnadev_add_staged8(f, q0, r[0]) :
				    nnadev_add_residual8(f, q0, r[0]);
		q1 = f->e->staged ? nnadev_add_staged8(f, q1, r[1]) :
				    nnadev_add_residual8(f, q1, r[1]);
		q0 = _mm256_max_epi32(q0, _mm256_set1_epi32(f->out_low - f->out_zero));
		q1 = _mm256_max_epi32(q1, _mm256_set1_epi32(f->out_low - f->out_zero));
		q0 = _mm256_min_epi32(q0, _mm256_set1_epi32(f->out_high - f->out_zero));
		q1 = _mm256_min_epi32(q1, _mm256_set1_epi32(f->out_high - f->out_zero));
	}
	q0 = _mm256_add_epi32(q0, _mm256_set1_epi32(f->out_zero));
	q1 = _mm256_add_epi32(q1, _mm256_set1_epi32(f->out_zero));
	q0 = _mm256_permute4x64_epi64(_mm256_packs_epi32(q0, q1), 0xd8);
	if (f->is_wide) {
		nnadev_store_wide(b, (int16_t *)f->output->data + at, q0);
		return;
	}
	q = f->is_signed
		    ? _mm_packs_epi16(_mm256_castsi256_si128(q0), _mm256_extracti128_si256(q0, 1))
		    : _mm_packus_epi16(_mm256_castsi256_si128(q0), _mm256_extracti128_si256(q0, 1));
	nnadev_store_block(b, out, q);
}

/* Estimates 8 sums of q and a residual: without the output's zero point, not clamped. */
static inline __m256i nnadev_estimate_sum8(const struct nnadev_finish *f, __m256i q,
					   __m128i residual, __m256i *far)
{
	const __m256 r = _mm256_cvtepi32_ps(f->is_signed ? _mm256_cvtepi8_epi32(residual) :
							   _mm256_cvtepu8_epi32(residual));
	__m256 y = _mm256_fmadd_ps(r, _mm256_set1_ps(f->sum.other), _mm256_set1_ps(f->sum.offset));

	q = _mm256_max_epi32(q, _mm256_set1_epi32(f->low));
	q = _mm256_min_epi32(q, _mm256_set1_epi32(f->high));
	y = _mm256_fmadd_ps(_mm256_cvtepi32_ps(q), _mm256_set1_ps(f->sum.own), y);
	return nnadev_round8(y, far);
}

/*
 * Estimates the sums of a block's rows, [row][16] at @acc, and their residuals. @v gets 16-bit
 * numbers with the zero point, in natural order. Return: bit r is set if row r is exact.
 */
static inline __attribute__((always_inline)) uint32_t
nnadev_sum_rows(const struct nnadev_finish *f, const struct nnadev_block *b,
		const enum nnadev_order order, const int32_t *acc, const int64_t *rat,
		uint32_t first, const uint32_t rows, __m256i *v)
{
	__m256i far[4], sums_far[4];

#pragma GCC unroll 4
	for (uint32_t r = 0; r < rows; r++, acc += 16) {
		const __m128i res = nnadev_residual16(f, b, rat[r] + first);
		__m256i q[2], low, high;

		far[r] = sums_far[r] = _mm256_setzero_si256();
		q[0] = nnadev_estimate8(&b->estimate, 0, NNADEV_LOAD(acc), &far[r]);
		q[1] = nnadev_estimate8(&b->estimate, 1, NNADEV_LOAD(acc + 8), &far[r]);
		low = q[0];
		high = q[1];
		if (order == NNADEV_PAIRED) {
			low = _mm256_permute2x128_si256(q[0], q[1], 0x20);
			high = _mm256_permute2x128_si256(q[0], q[1], 0x31);
		}
		low = nnadev_estimate_sum8(f, low, res, &sums_far[r]);
		high = nnadev_estimate_sum8(f, high, _mm_srli_si128(res, 8), &sums_far[r]);
		v[r] = _mm256_adds_epi16(_mm256_packs_epi32(low, high), b->zero);
	}
	return nnadev_exact_rows(far, rows, NNADEV_UNPROVEN) &
	       nnadev_exact_rows(sums_far, rows, NNADEV_SUM_UNPROVEN);
}

/*
 * Clamps and stores two rows of 16-bit numbers with their zero point, or only the first unless
 * @both. With @turns the rows are interleaved as nnadev_fixed_rows() stores them, and @natural says
 * whether the block's order is natural. Otherwise the rows are in natural order.
 */
static inline __attribute__((always_inline)) void
nnadev_store_rows(const struct nnadev_finish *f, const struct nnadev_block *b, const bool turns,
		  const bool natural, const __m256i *v, const int64_t *at, uint32_t first,
		  const bool both)
{
	uint8_t *out = (uint8_t *)f->output->data + first;
	__m256i q = _mm256_packus_epi16(v[0], both ? v[1] : v[0]);

	q = _mm256_max_epu8(q, _mm256_broadcastsi128_si256(b->low));
	q = _mm256_min_epu8(q, _mm256_broadcastsi128_si256(b->high));
	q = _mm256_xor_si256(q, _mm256_broadcastsi128_si256(b->flip));
	if (turns)
		q = nnadev_turns_apart(q);
	/* Packing has put 8 channels of each row into each half of the vector. */
	q = !turns || natural ?
		    _mm256_permutevar8x32_epi32(q, _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7)) :
		    _mm256_permute4x64_epi64(q, 0xd8);
	nnadev_store_block(b, out + at[0], _mm256_castsi256_si128(q));
	if (both)
		nnadev_store_block(b, out + at[1], _mm256_extracti128_si256(q, 1));
}

/*
 * Finishes and stores 1, 2 or 4 rows of a block. The accumulators are [row][16] at @acc, in the
 * block's order. @at and @rat have an element of output and residual per row; the block begins
 * @first elements after it. Channels are contiguous.
 */
static inline __attribute__((always_inline)) void
nnadev_finish_rows(const struct nnadev_finish *f, const struct nnadev_block *b,
		   const enum nnadev_order order, const int32_t *acc, const uint32_t rows,
		   const int64_t *at, const int64_t *rat, uint32_t first)
{
	const bool natural = order == NNADEV_NATURAL, residual = f->has_residual;
	uint32_t exact = 0;
	__m256i v[4];

	if (__builtin_expect(b->estimated, 1))
		exact = residual     ? nnadev_sum_rows(f, b, order, acc, rat, first, rows, v) :
			b->rectified ? nnadev_fixed_rows(b, acc, rows, true, v) :
				       nnadev_fixed_rows(b, acc, rows, false, v);
	if (__builtin_expect(exact + 1 == 1u << rows, 1)) {
#pragma GCC unroll 2
		for (uint32_t r = 0; r < rows; r += 2)
			nnadev_store_rows(f, b, !residual, natural, v + r, at + r, first, rows > 1);
		return;
	}
	for (uint32_t r = 0; r < rows; r++, acc += 16) {
		const __m256i low = NNADEV_LOAD(acc), high = NNADEV_LOAD(acc + 8);

		if (exact >> r & 1)
			nnadev_store_rows(f, b, !residual, natural, v + r, at + r, first, false);
		else
			nnadev_finish_exact(
				f, b, natural ? low : _mm256_permute2x128_si256(low, high, 0x20),
				natural ? high : _mm256_permute2x128_si256(low, high, 0x31),
				at[r] + first, rat[r] + first);
	}
}

/* Finishes any number of rows whose accumulators are in natural order. */
static inline void nnadev_finish_all(const struct nnadev_finish *f, const struct nnadev_block *b,
				     const int32_t *acc, uint32_t rows, const int64_t *at,
				     const int64_t *rat, uint32_t first)
{
	for (; rows >= 4; rows -= 4, acc += 64, at += 4, rat += 4)
		nnadev_finish_rows(f, b, NNADEV_NATURAL, acc, 4, at, rat, first);
	if (rows & 2) {
		nnadev_finish_rows(f, b, NNADEV_NATURAL, acc, 2, at, rat, first);
		acc += 32;
		at += 2;
		rat += 2;
	}
	if (rows & 1)
		nnadev_finish_rows(f, b, NNADEV_NATURAL, acc, 1, at, rat, first);
}

#endif
