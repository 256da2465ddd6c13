/* SPDX-License-Identifier: MIT */
/*
 * EWISE on quantised types in integer arithmetic: 8 elements of 8 or 16 bits at a time, with the
 * same bits as the scalar rules of ewise.h. Include only from files compiled for AVX2.
 */
#ifndef NNADEV_AVX2_INTEGER_H
#define NNADEV_AVX2_INTEGER_H

#include "device/nna/engine/x86/avx2_epilogue.h"
#include "device/nna/engine/x86/ewise.h"

/* Loads 8 numbers at @from minus the zero point. */
static inline __m256i nnadev_load_centred8(const struct nnadev_engine_operand *o, const void *from)
{
	__m256i v;

	switch (o->desc.type) {
	case NNAHW_TYPE_S8:
		v = _mm256_cvtepi8_epi32(_mm_loadl_epi64(from));
		break;
	case NNAHW_TYPE_U8:
		v = _mm256_cvtepu8_epi32(_mm_loadl_epi64(from));
		break;
	case NNAHW_TYPE_S16:
		v = _mm256_cvtepi16_epi32(_mm_loadu_si128(from));
		break;
	default:
		v = _mm256_cvtepu16_epi32(_mm_loadu_si128(from));
		break;
	}
	return _mm256_sub_epi32(v, _mm256_set1_epi32(o->desc.zero_point));
}

/* Stores 8 numbers that are within the type's range. */
static inline void nnadev_store8(const struct nnadev_engine_operand *o, void *to, __m256i x)
{
	const __m128i low = _mm256_castsi256_si128(x), high = _mm256_extracti128_si256(x, 1);

	switch (o->desc.type) {
	case NNAHW_TYPE_S8:
		_mm_storel_epi64(to, _mm_packs_epi16(_mm_packs_epi32(low, high), low));
		break;
	case NNAHW_TYPE_U8:
		_mm_storel_epi64(to, _mm_packus_epi16(_mm_packs_epi32(low, high), low));
		break;
	case NNAHW_TYPE_S16:
		_mm_storeu_si128(to, _mm_packs_epi32(low, high));
		break;
	default:
		_mm_storeu_si128(to, _mm_packus_epi32(low, high));
		break;
	}
}

/*
 * (x * x_scale + y * y_scale) * 2^-shift, halves rounded away from zero, computed in 64 bits. The
 * result is the low 32 bits. x_scale is @p->a_scale.
 */
static inline __m256i nnadev_scale_sum8(const struct nnahw_cmd_ewise *p, __m256i x, __m256i y,
					int32_t y_scale)
{
	const __m256i a = _mm256_set1_epi32(p->a_scale), b = _mm256_set1_epi32(y_scale);
	const __m256i round = _mm256_set1_epi64x(
		(int64_t)((1ull << 63) + (1ull << (p->shift - 1))));
	const __m128i shift = _mm_cvtsi32_si128(p->shift);
	__m256i even = _mm256_add_epi64(_mm256_mul_epi32(x, a), _mm256_mul_epi32(y, b));
	__m256i odd = _mm256_add_epi64(_mm256_mul_epi32(_mm256_srli_epi64(x, 32), a),
				       _mm256_mul_epi32(_mm256_srli_epi64(y, 32), b));

	even = nnadev_round_shift4(even, round, shift);
	odd = nnadev_round_shift4(odd, round, shift);
	x = _mm256_blend_epi32(even, _mm256_slli_epi64(odd, 32), 0xaa);
	return _mm256_sub_epi32(x, _mm256_set1_epi32((int32_t)(uint32_t)(1ull << (63 - p->shift))));
}

/*
 * Computes nnadev_ewise_staged(), except for LEAKY_RELU. For MUL and MUL_ADD, @x is the product of
 * both inputs. @more: bits by which ADD and SUB shift both inputs to the left, from
 * nnadev_ewise_staged_bits().
 */
static inline __m256i nnadev_staged8(const struct nnahw_cmd_ewise *p, uint32_t more, __m256i x,
				     __m256i y)
{
	const __m128i bits = _mm_cvtsi32_si128((int)more);
	__m256i product;

	switch (p->op) {
	case NNAHW_EWISE_ADD:
	case NNAHW_EWISE_SUB:
		break;
	case NNAHW_EWISE_PRELU:
		product = nnadev_scale8(_mm256_mullo_epi32(x, y), p->b_scale, p->b_shift);
		return _mm256_blendv_epi8(nnadev_scale8(x, p->a_scale, p->shift), product,
					  _mm256_srai_epi32(x, 31));
	case NNAHW_EWISE_SQUARED_DIFFERENCE:
		x = nnadev_scale8(_mm256_slli_epi32(x, 7), p->a_scale, p->a_shift);
		y = nnadev_scale8(_mm256_slli_epi32(y, 7), p->b_scale, p->b_shift);
		x = _mm256_sub_epi32(x, y);
		return nnadev_scale8(_mm256_mullo_epi32(x, x), p->multiplier, p->shift);
	default:
		return nnadev_scale8(x, p->a_scale, p->shift);
	}
	x = nnadev_scale8(_mm256_sll_epi32(x, bits), p->a_scale, p->a_shift);
	y = nnadev_scale8(_mm256_sll_epi32(y, bits), p->b_scale, p->b_shift);
	x = p->op == NNAHW_EWISE_SUB ? _mm256_sub_epi32(x, y) : _mm256_add_epi32(x, y);
	return nnadev_scale8(x, p->multiplier, p->shift);
}

/*
 * Computes nnadev_ewise_quantised() on types of 8 and 16 bits, for commands that pass
 * nnadev_ewise_fits_in_32(). For MUL_ADD, returns the scaled product; the caller adds the third
 * input. @bits: from nnadev_ewise_staged_bits().
 */
static inline __m256i nnadev_ewise_integer8(const struct nnahw_cmd_ewise *p, uint32_t bits,
					    __m256i x, __m256i y)
{
	const bool sum = p->op == NNAHW_EWISE_ADD || p->op == NNAHW_EWISE_SUB;

	if (p->op == NNAHW_EWISE_MUL || p->op == NNAHW_EWISE_MUL_ADD)
		x = _mm256_mullo_epi32(x, y);
	if (p->staged)
		return nnadev_staged8(p, bits, x, y);
	if (p->op == NNAHW_EWISE_SUB)
		y = _mm256_sub_epi32(_mm256_setzero_si256(), y);
	return nnadev_scale_sum8(p, x, y, sum ? p->b_scale : 0);
}

/* Return: the largest |element - zero point| that the operand's type allows. */
static inline uint64_t nnadev_largest(const struct nnadev_engine_operand *o)
{
	int64_t low, high;

	nnadev_type_range(o->desc.type, &low, &high);
	low = o->desc.zero_point - low;
	high = high - o->desc.zero_point;
	return (uint64_t)(low > high ? low : high);
}

/*
 * True if nnadev_ewise_integer8() computes the command: it is not LEAKY_RELU in stages, its shifts
 * are within the range of the vector functions, and its result fits into 32 bits before the clamp.
 */
static inline bool nnadev_ewise_fits_in_32(const struct nnadev_engine_command *cmd)
{
	const struct nnahw_cmd_ewise *p = (const struct nnahw_cmd_ewise *)cmd->raw;
	const bool sum = p->op == NNAHW_EWISE_ADD || p->op == NNAHW_EWISE_SUB;
	uint64_t most = nnadev_largest(&cmd->operands[1]);

	if (p->staged && p->op != NNAHW_EWISE_MUL_ADD) {
		const bool a = sum || p->op == NNAHW_EWISE_SQUARED_DIFFERENCE,
			   b = a || p->op == NNAHW_EWISE_PRELU;

		return p->op != NNAHW_EWISE_LEAKY_RELU && nnadev_scales8(p->shift) &&
		       (!a || nnadev_scales8(p->a_shift)) && (!b || nnadev_scales8(p->b_shift));
	}
	if (sum)
		most += nnadev_largest(&cmd->operands[2]);
	else if (p->op == NNAHW_EWISE_MUL || p->op == NNAHW_EWISE_MUL_ADD)
		most *= nnadev_largest(&cmd->operands[2]);
	if (p->staged && !nnadev_scales8(p->shift))
		return false;
	/* The factor has 31 bits. The product x * y is computed in 32 bits. */
	return most <= INT32_MAX && p->shift >= 1 && p->shift <= 62 &&
	       most << 31 >> p->shift < 1u << 30;
}

#endif
