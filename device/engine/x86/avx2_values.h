/* SPDX-License-Identifier: MIT */
/*
 * Rows of operands as fp32 values, with the roundings of nnadev_load_value() and
 * nnadev_store_value(). For files that are compiled for AVX2.
 */
#ifndef NNADEV_AVX2_VALUES_H
#define NNADEV_AVX2_VALUES_H

#include <immintrin.h>

#include "device/engine/element.h"

/* A row of an input as fp32 values; `to` has room for n elements, rounded up to 8. */
static inline void nnadev_load_values(float *to, const struct nnadev_engine_operand *o, int64_t at,
				      int64_t step, uint32_t n)
{
	const bool quantised = nnadev_is_quantised(&o->desc);
	const __m256i zero = _mm256_set1_epi32(quantised ? o->desc.zero_point : 0);
	const __m256 scale = _mm256_set1_ps(quantised ? o->desc.scale : 1);
	uint32_t i = 0;

	if (step == 0) {
		const __m256 v = _mm256_set1_ps(nnadev_load_value(o, at));

		for (; i < n; i += 8)
			_mm256_storeu_ps(to + i, v);
		return;
	}
	for (; step == 1 && i + 8 <= n; i += 8) {
		const __m128i *bytes = (const __m128i *)((const uint8_t *)o->data + at + i);
		const __m128i *words = (const __m128i *)((const uint16_t *)o->data + at + i);
		const __m256i *longs = (const __m256i *)((const uint32_t *)o->data + at + i);
		__m256i v;

		switch (o->desc.type) {
		case NNAHW_TYPE_F32:
			_mm256_storeu_ps(to + i, _mm256_loadu_ps((const float *)longs));
			continue;
		case NNAHW_TYPE_F16:
			_mm256_storeu_ps(to + i, _mm256_cvtph_ps(_mm_loadu_si128(words)));
			continue;
		case NNAHW_TYPE_U8:
			v = _mm256_cvtepu8_epi32(_mm_loadl_epi64(bytes));
			break;
		case NNAHW_TYPE_S8:
			v = _mm256_cvtepi8_epi32(_mm_loadl_epi64(bytes));
			break;
		case NNAHW_TYPE_BOOL8:
			v = _mm256_cvtepu8_epi32(_mm_loadl_epi64(bytes));
			v = _mm256_min_epu32(v, _mm256_set1_epi32(1));
			break;
		case NNAHW_TYPE_U16:
			v = _mm256_cvtepu16_epi32(_mm_loadu_si128(words));
			break;
		case NNAHW_TYPE_S16:
			v = _mm256_cvtepi16_epi32(_mm_loadu_si128(words));
			break;
		default:
			goto one_by_one;
		}
		_mm256_storeu_ps(
			to + i,
			_mm256_mul_ps(_mm256_cvtepi32_ps(_mm256_sub_epi32(v, zero)), scale));
	}
one_by_one:
	for (; i < n; i++)
		to[i] = nnadev_load_value(o, at + i * step);
}

/*
 * Stores values: floats as they are, 8- and 16-bit quantised types rounded halves away, all else
 * one by one.
 */
static inline void nnadev_store_values(const struct nnadev_engine_operand *o, int64_t at,
				       const float *from, uint32_t n, int32_t q_min, int32_t q_max)
{
	const __m256 scale = _mm256_set1_ps(o->desc.scale), sign = _mm256_set1_ps(-0.0f),
		     limit = _mm256_set1_ps(0x1p24f);
	const uint32_t size = nnahw_type_size(o->desc.type);
	const bool quantised = nnadev_is_quantised(&o->desc);
	uint32_t i = 0;
	int64_t low, high;

	nnadev_type_range(o->desc.type, &low, &high);
	low = nnadev_clamp_s64(q_min, low, high);
	high = nnadev_clamp_s64(q_max, low, high);
	for (; i + 8 <= n; i += 8) {
		const __m256 x = _mm256_loadu_ps(from + i);
		__m256 q, whole, far;
		__m256i v;
		__m128i w;

		if (o->desc.type == NNAHW_TYPE_F32) {
			_mm256_storeu_ps((float *)o->data + at + i, x);
			continue;
		}
		if (o->desc.type == NNAHW_TYPE_F16) {
			_mm_storeu_si128((__m128i *)((uint16_t *)o->data + at + i),
					 _mm256_cvtps_ph(x, _MM_FROUND_TO_NEAREST_INT));
			continue;
		}
		if (o->desc.type == NNAHW_TYPE_BOOL8) {
			v = _mm256_castps_si256(_mm256_cmp_ps(x, _mm256_setzero_ps(), _CMP_NEQ_UQ));
			v = _mm256_srli_epi32(v, 31);
		} else if (quantised && size <= 2) {
			q = _mm256_div_ps(x, scale);
			q = _mm256_and_ps(q, _mm256_cmp_ps(q, q, _CMP_ORD_Q)); /* a NaN is 0 */
			q = _mm256_min_ps(
				_mm256_max_ps(q, _mm256_sub_ps(_mm256_setzero_ps(), limit)), limit);
			whole = _mm256_round_ps(q, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC);
			far = _mm256_andnot_ps(sign, _mm256_sub_ps(q, whole));
			far = _mm256_and_ps(_mm256_cmp_ps(far, _mm256_set1_ps(0.5f), _CMP_GE_OQ),
					    _mm256_set1_ps(1));
			v = _mm256_cvtps_epi32(
				_mm256_add_ps(whole, _mm256_or_ps(far, _mm256_and_ps(sign, q))));
			v = _mm256_add_epi32(v, _mm256_set1_epi32(o->desc.zero_point));
			v = _mm256_max_epi32(v, _mm256_set1_epi32((int32_t)low));
			v = _mm256_min_epi32(v, _mm256_set1_epi32((int32_t)high));
		} else {
			break;
		}
		/* Take the low 16 bits of each, then the low 8. */
		v = _mm256_shuffle_epi8(v, _mm256_set1_epi64x(0x0d0c090805040100));
		v = _mm256_permute4x64_epi64(v, 0x08);
		w = _mm256_castsi256_si128(v);
		if (size == 2)
			_mm_storeu_si128((__m128i *)((uint16_t *)o->data + at + i), w);
		else
			_mm_storel_epi64(
				(__m128i *)((uint8_t *)o->data + at + i),
				_mm_packus_epi16(_mm_and_si128(w, _mm_set1_epi16(255)), w));
	}
	for (; i < n; i++)
		nnadev_store_value(o, at + i, from[i], q_min, q_max);
}

#endif
