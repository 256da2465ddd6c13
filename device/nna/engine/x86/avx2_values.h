/* SPDX-License-Identifier: MIT */
/*
 * Loads and stores rows of operands as fp32 values, with the roundings of nnadev_load_value() and
 * nnadev_store_value(). Include only from files compiled for AVX2.
 */
#ifndef NNADEV_AVX2_VALUES_H
#define NNADEV_AVX2_VALUES_H

#include "device/nna/engine/x86/avx2_epilogue.h"

/*
 * Loads elements of one type as fp32 values, 8 at a time. Each type has its own loop, so that the
 * type is not tested per element.
 */
#define NNADEV_VALUES_EACH8(value) \
	do { \
		for (; i + 8 <= n; i += 8) \
			_mm256_storeu_ps(to + i, (value)); \
	} while (0)
#define NNADEV_VALUES_SCALED(numbers) \
	NNADEV_VALUES_EACH8( \
		_mm256_mul_ps(_mm256_cvtepi32_ps(_mm256_sub_epi32(numbers, zero)), scale))

/* Loads a row of an input as fp32 values. @to has room for @n elements, rounded up to 8. */
static inline void nnadev_load_values(float *to, const struct nnadev_engine_operand *o, int64_t at,
				      int64_t step, uint32_t n)
{
	const bool quantised = nnadev_is_quantised(&o->desc);
	const __m256i zero = _mm256_set1_epi32(quantised ? o->desc.zero_point : 0);
	const __m256 scale = _mm256_set1_ps(quantised ? o->desc.scale : 1);
	const uint8_t *bytes = (const uint8_t *)o->data + at;
	const uint16_t *words = (const uint16_t *)o->data + at;
	uint32_t i = 0;

	if (step == 0) {
		const __m256 v = _mm256_set1_ps(nnadev_load_value(o, at));

		for (; i < n; i += 8)
			_mm256_storeu_ps(to + i, v);
		return;
	}
	switch (step == 1 ? o->desc.type : NNAHW_TYPE_NONE) {
	case NNAHW_TYPE_F32:
		memcpy(to, (const float *)o->data + at, n * sizeof(*to));
		return;
	case NNAHW_TYPE_F16:
		NNADEV_VALUES_EACH8(
			_mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)(words + i))));
		break;
	case NNAHW_TYPE_U8:
		NNADEV_VALUES_SCALED(
			_mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)(bytes + i))));
		break;
	case NNAHW_TYPE_S8:
		NNADEV_VALUES_SCALED(
			_mm256_cvtepi8_epi32(_mm_loadl_epi64((const __m128i *)(bytes + i))));
		break;
	case NNAHW_TYPE_BOOL8:
		NNADEV_VALUES_SCALED(_mm256_cvtepu8_epi32(
			_mm_min_epu8(_mm_loadl_epi64((const __m128i *)(bytes + i)),
				     _mm_set1_epi8(1))));
		break;
	case NNAHW_TYPE_U16:
		NNADEV_VALUES_SCALED(
			_mm256_cvtepu16_epi32(_mm_loadu_si128((const __m128i *)(words + i))));
		break;
	case NNAHW_TYPE_S16:
		NNADEV_VALUES_SCALED(
			_mm256_cvtepi16_epi32(_mm_loadu_si128((const __m128i *)(words + i))));
		break;
	default:
		break;
	}
	for (; i < n; i++)
		to[i] = nnadev_load_value(o, at + i * step);
}

/**
 * struct nnadev_quantiser - how values are quantised to 8 or 16 bits
 * @scale, @zero: scale and zero point of the type
 * @low, @high: limits of numbers minus the zero point
 * @reciprocal: of the scale
 * @estimated: the product with @reciprocal is a valid estimate for 8-bit types
 *
 * The reciprocal, the product and the exact quotient have a relative error of at most 2^-24 each.
 * For numbers below 256, the estimate is off by less than NNADEV_UNPROVEN.
 */
struct nnadev_quantiser {
	__m256 scale, low, high, reciprocal;
	__m256i zero;
	bool estimated;
};

static inline void nnadev_quantiser_get(struct nnadev_quantiser *by,
					const struct nnahw_tensor *t, int32_t q_min, int32_t q_max)
{
	int64_t low, high;

	nnadev_type_range(t->type, &low, &high);
	by->scale = _mm256_set1_ps(t->scale);
	by->low = _mm256_set1_ps((float)(nnadev_clamp_s64(q_min, low, high) - t->zero_point));
	by->high = _mm256_set1_ps((float)(nnadev_clamp_s64(q_max, low, high) - t->zero_point));
	by->zero = _mm256_set1_epi32(t->zero_point);
	by->reciprocal = _mm256_set1_ps(1 / t->scale);
	by->estimated = nnadev_type_is_quant8(t->type) && t->scale >= 0x1p-100f &&
			t->scale <= 0x1p100f;
}

/*
 * Quantises 8 values, halves rounded away from zero. Adds the largest number below 1/2 with the
 * sign of the value and truncates: a fraction below 1/2 does not reach the next integer, and a
 * fraction of 1/2 is rounded up to it by the addition.
 */
static inline __m256i nnadev_quantise8(const struct nnadev_quantiser *by, __m256 x)
{
	const __m256 sign = _mm256_set1_ps(-0.0f), half = _mm256_set1_ps(0x1.fffffep-2f);
	__m256 q = _mm256_div_ps(x, by->scale);

	q = _mm256_and_ps(q, _mm256_cmp_ps(q, q, _CMP_ORD_Q)); /* a NaN is 0 */
	q = _mm256_min_ps(_mm256_max_ps(q, by->low), by->high);
	q = _mm256_add_ps(q, _mm256_or_ps(half, _mm256_and_ps(q, sign)));
	return _mm256_add_epi32(_mm256_cvttps_epi32(q), by->zero);
}

/* Return: the low 16 bits of each of 8 numbers. */
static inline __m128i nnadev_low_words8(__m256i v)
{
	v = _mm256_shuffle_epi8(v, _mm256_set1_epi64x(0x0d0c090805040100));
	return _mm256_castsi256_si128(_mm256_permute4x64_epi64(v, 0x08));
}

/* Return: the low 8 bits of each of 8 numbers. */
static inline __m128i nnadev_low_bytes8(__m256i v)
{
	const __m128i w = nnadev_low_words8(v);

	return _mm_packus_epi16(_mm_and_si128(w, _mm_set1_epi16(255)), w);
}

/* Stores 8 quantised bytes. */
static inline void nnadev_store_bytes8(const struct nnadev_quantiser *by, const float *from,
				       uint8_t *to)
{
	_mm_storel_epi64((__m128i *)to,
			 nnadev_low_bytes8(nnadev_quantise8(by, _mm256_loadu_ps(from))));
}

/*
 * Stores 32 quantised bytes by their estimates, or by exact divisions if one of them is not proven
 * exact. Requires @by->estimated.
 */
static inline void nnadev_store_bytes32(const struct nnadev_quantiser *by, const float *from,
					uint8_t *to, const bool is_signed)
{
	const __m256i zero = _mm256_packs_epi32(by->zero, by->zero);
	__m256i q[4], far = _mm256_setzero_si256();

	/* This order of operands keeps a NaN, which is far from every integer. */
	for (uint32_t k = 0; k < 4; k++) {
		const __m256 x = _mm256_mul_ps(_mm256_loadu_ps(from + 8 * k), by->reciprocal);

		q[k] = nnadev_round8(_mm256_min_ps(by->high, _mm256_max_ps(by->low, x)), &far);
	}
	if (__builtin_expect(!nnadev_far8_is_exact(far, NNADEV_UNPROVEN), 0)) {
		for (uint32_t k = 0; k < 32; k += 8)
			nnadev_store_bytes8(by, from + k, to + k);
		return;
	}
	q[0] = _mm256_add_epi16(_mm256_packs_epi32(q[0], q[1]), zero);
	q[2] = _mm256_add_epi16(_mm256_packs_epi32(q[2], q[3]), zero);
	q[0] = is_signed ? _mm256_packs_epi16(q[0], q[2]) : _mm256_packus_epi16(q[0], q[2]);
	NNADEV_STORE(to, _mm256_permutevar8x32_epi32(q[0],
						     _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7)));
}

/*
 * Stores values: floats unchanged, quantised types of 8 and 16 bits with halves rounded away from
 * zero, all other types one by one.
 */
static inline void nnadev_store_values(const struct nnadev_engine_operand *o, int64_t at,
				       const float *from, uint32_t n, int32_t q_min, int32_t q_max)
{
	const uint32_t type = o->desc.type, size = nnahw_type_size(type);
	uint8_t *bytes = (uint8_t *)o->data + at;
	uint16_t *words = (uint16_t *)o->data + at;
	uint32_t i = 0;

	if (type == NNAHW_TYPE_F32) {
		memcpy((float *)o->data + at, from, n * sizeof(*from));
		return;
	}
	if (type == NNAHW_TYPE_F16) {
		for (; i + 8 <= n; i += 8)
			_mm_storeu_si128((__m128i *)(words + i),
					 _mm256_cvtps_ph(_mm256_loadu_ps(from + i),
							 _MM_FROUND_TO_NEAREST_INT));
	} else if (type == NNAHW_TYPE_BOOL8) {
		for (; i + 8 <= n; i += 8) {
			const __m256 is = _mm256_cmp_ps(_mm256_loadu_ps(from + i),
							_mm256_setzero_ps(), _CMP_NEQ_UQ);

			_mm_storel_epi64((__m128i *)(bytes + i),
					 nnadev_low_bytes8(_mm256_srli_epi32(
						 _mm256_castps_si256(is), 31)));
		}
	} else if (nnadev_is_quantised(&o->desc) && size <= 2) {
		struct nnadev_quantiser by;

		nnadev_quantiser_get(&by, &o->desc, q_min, q_max);
		for (; by.estimated && i + 32 <= n; i += 32)
			nnadev_store_bytes32(&by, from + i, bytes + i, type == NNAHW_TYPE_S8);
		for (; size == 1 && i + 8 <= n; i += 8)
			nnadev_store_bytes8(&by, from + i, bytes + i);
		for (; size == 2 && i + 8 <= n; i += 8)
			_mm_storeu_si128((__m128i *)(words + i),
					 nnadev_low_words8(nnadev_quantise8(
						 &by, _mm256_loadu_ps(from + i))));
	}
	for (; i < n; i++)
		nnadev_store_value(o, at + i, from[i], q_min, q_max);
}

#endif
