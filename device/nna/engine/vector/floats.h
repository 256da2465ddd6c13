/* SPDX-License-Identifier: MIT */
/*
 * As many fp32 numbers as a register has: 16 with AVX-512 (a block of channels), 8 with AVX2, 8 in
 * two registers of NEON. All give the same bits. Include only from files compiled for AVX2 or
 * AVX-512, or for 64-bit Arm.
 */
#ifndef NNADEV_FLOATS_H
#define NNADEV_FLOATS_H

#ifdef __aarch64__
#include <arm_neon.h>
#else
#include <immintrin.h>
#endif

#include "device/nna/engine/epilogue.h"

#ifdef __AVX512F__
#define NNADEV_FLOATS 16u
typedef __m512 nnadev_floats;
typedef __mmask16 nnadev_floats_mask;

/* Return: a mask of the first @count numbers. */
static inline nnadev_floats_mask nnadev_floats_first(uint32_t count)
{
	return (nnadev_floats_mask)((1u << count) - 1);
}

/* Loads the numbers of a mask; others become 0, and their memory is not touched. */
static inline nnadev_floats nnadev_floats_load_some(const float *from, nnadev_floats_mask mask)
{
	return _mm512_maskz_loadu_ps(mask, from);
}

/* Stores the first @count numbers. */
static inline void nnadev_floats_store_some(float *to, uint32_t count, nnadev_floats x)
{
	_mm512_mask_storeu_ps(to, nnadev_floats_first(count), x);
}

static inline nnadev_floats nnadev_floats_add(nnadev_floats a, nnadev_floats b)
{
	return _mm512_add_ps(a, b);
}

static inline nnadev_floats nnadev_floats_mul(nnadev_floats a, nnadev_floats b)
{
	return _mm512_mul_ps(a, b);
}

static inline nnadev_floats nnadev_floats_div(nnadev_floats a, nnadev_floats b)
{
	return _mm512_div_ps(a, b);
}

static inline nnadev_floats nnadev_floats_sqrt(nnadev_floats x)
{
	return _mm512_sqrt_ps(x);
}

/* The greater of each pair; for a number and a NaN, either one. */
static inline nnadev_floats nnadev_floats_max(nnadev_floats a, nnadev_floats b)
{
	return _mm512_max_ps(a, b);
}

/* Bitwise OR. */
static inline nnadev_floats nnadev_floats_or(nnadev_floats a, nnadev_floats b)
{
	return _mm512_or_ps(a, b);
}

/* @a, with all bits set, which makes a NaN, where @x is a NaN. */
static inline nnadev_floats nnadev_floats_or_nan(nnadev_floats a, nnadev_floats x)
{
	const __m512i bits = _mm512_castps_si512(a);

	return _mm512_castsi512_ps(_mm512_mask_ternarylogic_epi32(
		bits, _mm512_cmp_ps_mask(x, x, _CMP_UNORD_Q), bits, bits, 0xff));
}

/* Clamps @x to limits; a NaN stays. */
static inline nnadev_floats nnadev_floats_clamp(nnadev_floats x, nnadev_floats low,
						nnadev_floats high)
{
	/* For a NaN and a number, vmaxps and vminps return the second operand. */
	return _mm512_min_ps(high, _mm512_max_ps(low, x));
}

static inline nnadev_floats nnadev_floats_zero(void)
{
	return _mm512_setzero_ps();
}

static inline nnadev_floats nnadev_floats_load(const float *from)
{
	return _mm512_loadu_ps(from);
}

static inline void nnadev_floats_store(float *to, nnadev_floats x)
{
	_mm512_storeu_ps(to, x);
}

/* Broadcasts a number. */
static inline nnadev_floats nnadev_floats_all(const float *x)
{
	return _mm512_set1_ps(*x);
}

/* c + a * b */
static inline nnadev_floats nnadev_floats_fma(nnadev_floats a, nnadev_floats b, nnadev_floats c)
{
	return _mm512_fmadd_ps(a, b, c);
}
#elif defined(__aarch64__)
#define NNADEV_FLOATS 8u
typedef struct {
	float32x4_t low, high;
} nnadev_floats;
typedef uint32_t nnadev_floats_mask; /* number of lanes */

/* Return: a mask of the first @count numbers. */
static inline nnadev_floats_mask nnadev_floats_first(uint32_t count)
{
	return count;
}

static inline nnadev_floats nnadev_floats_load(const float *from)
{
	return (nnadev_floats){ vld1q_f32(from), vld1q_f32(from + 4) };
}

static inline void nnadev_floats_store(float *to, nnadev_floats x)
{
	vst1q_f32(to, x.low);
	vst1q_f32(to + 4, x.high);
}

/* Loads the numbers of a mask; others become 0, and their memory is not touched. */
static inline nnadev_floats nnadev_floats_load_some(const float *from, nnadev_floats_mask mask)
{
	float x[8] = { 0 };

	memcpy(x, from, mask * sizeof(*x));
	return nnadev_floats_load(x);
}

/* Stores the first @count numbers. */
static inline void nnadev_floats_store_some(float *to, uint32_t count, nnadev_floats x)
{
	float all[8];

	nnadev_floats_store(all, x);
	memcpy(to, all, count * sizeof(*to));
}

static inline nnadev_floats nnadev_floats_add(nnadev_floats a, nnadev_floats b)
{
	return (nnadev_floats){ vaddq_f32(a.low, b.low), vaddq_f32(a.high, b.high) };
}

/* Clamps 4 numbers. Comparisons with a NaN are false, so a NaN stays. */
static inline float32x4_t nnadev_floats_clamp4(float32x4_t x, float32x4_t low, float32x4_t high)
{
	x = vbslq_f32(vcltq_f32(x, low), low, x);
	return vbslq_f32(vcgtq_f32(x, high), high, x);
}

/* Clamps @x to limits; a NaN stays. */
static inline nnadev_floats nnadev_floats_clamp(nnadev_floats x, nnadev_floats low,
						nnadev_floats high)
{
	return (nnadev_floats){ nnadev_floats_clamp4(x.low, low.low, high.low),
				nnadev_floats_clamp4(x.high, low.high, high.high) };
}

static inline nnadev_floats nnadev_floats_zero(void)
{
	return (nnadev_floats){ vdupq_n_f32(0), vdupq_n_f32(0) };
}

/* Broadcasts a number. */
static inline nnadev_floats nnadev_floats_all(const float *x)
{
	const float32x4_t all = vld1q_dup_f32(x);

	return (nnadev_floats){ all, all };
}

/* c + a * b */
static inline nnadev_floats nnadev_floats_fma(nnadev_floats a, nnadev_floats b, nnadev_floats c)
{
	return (nnadev_floats){ vfmaq_f32(c.low, a.low, b.low), vfmaq_f32(c.high, a.high, b.high) };
}
#else
#define NNADEV_FLOATS 8u
typedef __m256 nnadev_floats;
typedef __m256i nnadev_floats_mask;

/* Return: a mask of the first @count numbers. */
static inline nnadev_floats_mask nnadev_floats_first(uint32_t count)
{
	return _mm256_cmpgt_epi32(_mm256_set1_epi32((int)count),
				  _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
}

/* Loads the numbers of a mask; others become 0, and their memory is not touched. */
static inline nnadev_floats nnadev_floats_load_some(const float *from, nnadev_floats_mask mask)
{
	return _mm256_maskload_ps(from, mask);
}

/*
 * Stores the first @count numbers, fewer than a register. Branches on the same count each time are
 * well predicted; some CPUs need 40 cycles and more for a masked store.
 */
static inline void nnadev_floats_store_some(float *to, uint32_t count, nnadev_floats x)
{
	__m128 next = _mm256_castps256_ps128(x);

	if (count & 4) {
		_mm_storeu_ps(to, next);
		next = _mm256_extractf128_ps(x, 1);
		to += 4;
	}
	if (count & 2) {
		_mm_storel_pi((__m64 *)to, next);
		next = _mm_movehl_ps(next, next);
		to += 2;
	}
	if (count & 1)
		_mm_store_ss(to, next);
}

static inline nnadev_floats nnadev_floats_add(nnadev_floats a, nnadev_floats b)
{
	return _mm256_add_ps(a, b);
}

static inline nnadev_floats nnadev_floats_mul(nnadev_floats a, nnadev_floats b)
{
	return _mm256_mul_ps(a, b);
}

static inline nnadev_floats nnadev_floats_div(nnadev_floats a, nnadev_floats b)
{
	return _mm256_div_ps(a, b);
}

static inline nnadev_floats nnadev_floats_sqrt(nnadev_floats x)
{
	return _mm256_sqrt_ps(x);
}

/* The greater of each pair; for a number and a NaN, either one. */
static inline nnadev_floats nnadev_floats_max(nnadev_floats a, nnadev_floats b)
{
	return _mm256_max_ps(a, b);
}

/* Bitwise OR. */
static inline nnadev_floats nnadev_floats_or(nnadev_floats a, nnadev_floats b)
{
	return _mm256_or_ps(a, b);
}

/* @a, with all bits set, which makes a NaN, where @x is a NaN. */
static inline nnadev_floats nnadev_floats_or_nan(nnadev_floats a, nnadev_floats x)
{
	return _mm256_or_ps(a, _mm256_cmp_ps(x, x, _CMP_UNORD_Q));
}

/* Clamps @x to limits; a NaN stays. */
static inline nnadev_floats nnadev_floats_clamp(nnadev_floats x, nnadev_floats low,
						nnadev_floats high)
{
	/* For a NaN and a number, vmaxps and vminps return the second operand. */
	return _mm256_min_ps(high, _mm256_max_ps(low, x));
}

static inline nnadev_floats nnadev_floats_zero(void)
{
	return _mm256_setzero_ps();
}

static inline nnadev_floats nnadev_floats_load(const float *from)
{
	return _mm256_loadu_ps(from);
}

static inline void nnadev_floats_store(float *to, nnadev_floats x)
{
	_mm256_storeu_ps(to, x);
}

/* Broadcasts a number. */
static inline nnadev_floats nnadev_floats_all(const float *x)
{
	return _mm256_broadcast_ss(x);
}

/* c + a * b */
static inline nnadev_floats nnadev_floats_fma(nnadev_floats a, nnadev_floats b, nnadev_floats c)
{
	return _mm256_fmadd_ps(a, b, c);
}
#endif

/* Copies a run of F32 or F16 elements to fp32. */
static inline void nnadev_load_floats(float *to, const struct nnadev_engine_operand *o, int64_t at,
				      uint32_t count)
{
	const uint16_t *half = (const uint16_t *)o->data + at;
	uint32_t i = 0;

	if (o->desc.type == NNAHW_TYPE_F32) {
		memcpy(to, (const float *)o->data + at, count * sizeof(float));
		return;
	}
#ifdef __aarch64__
	for (; i + 4 <= count; i += 4)
		vst1q_f32(to + i, vcvt_f32_f16(vreinterpret_f16_u16(vld1_u16(half + i))));
#else
#ifdef __AVX512F__
	for (; i + 16 <= count; i += 16)
		_mm512_storeu_ps(
			to + i, _mm512_cvtph_ps(_mm256_loadu_si256((const __m256i *)(half + i))));
#endif
	for (; i + 8 <= count; i += 8)
		_mm256_storeu_ps(to + i,
				 _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)(half + i))));
#endif
	for (; i < count; i++)
		to[i] = nnadev_half_to_float(half[i]);
}

/**
 * struct nnadev_floats_finish - the epilogue of a command
 * @e: parameters
 * @output, @residual: operands
 * @to: data of the output; NULL if it is not fp32
 * @add: data of the residual; NULL if absent
 * @low, @high, @residual_low, @residual_high: limits
 */
struct nnadev_floats_finish {
	const struct nnahw_epilogue *e;
	const struct nnadev_engine_operand *output, *residual;
	float *to;
	const float *add;
	float low, high, residual_low, residual_high;
};

static inline struct nnadev_floats_finish
nnadev_floats_finish_get(const struct nnahw_epilogue *e, const struct nnadev_engine_operand *output,
			 const struct nnadev_engine_operand *residual)
{
	return (struct nnadev_floats_finish){
		.e = e,
		.output = output,
		.residual = residual,
		.to = output->desc.type == NNAHW_TYPE_F32 ? output->data : NULL,
		.add = nnadev_present(residual) ? residual->data : NULL,
		.low = e->clamp_min,
		.high = e->clamp_max,
		.residual_low = e->residual_min,
		.residual_high = e->residual_max,
	};
}

/* Finishes and stores sums, bias included, to an output that is not fp32. */
static __attribute__((noinline)) void nnadev_floats_finish_other(
	const struct nnadev_floats_finish *f, const float *acc, uint32_t count, int64_t at,
	int64_t rat)
{
	for (uint32_t i = 0; i < count; i++)
		nnadev_epilogue_float(f->e, acc[i], f->output, at + i, f->residual, rat + i);
}

/**
 * struct nnadev_floats_end - the members of the epilogue that are kept in registers
 * @to, @add, @low, @high: as in struct nnadev_floats_finish, which stores may alias for all that
 *	the compiler knows
 */
struct nnadev_floats_end {
	float *to;
	const float *add;
	nnadev_floats low, high;
};

static inline struct nnadev_floats_end nnadev_floats_end_get(const struct nnadev_floats_finish *f)
{
	return (struct nnadev_floats_end){ f->to, f->add, nnadev_floats_all(&f->low),
					   nnadev_floats_all(&f->high) };
}

/* The epilogue with the limits of sums with a residual. */
static inline struct nnadev_floats_end
nnadev_floats_end_get_residual(const struct nnadev_floats_finish *f)
{
	return (struct nnadev_floats_end){ f->to, f->add, nnadev_floats_all(&f->residual_low),
					   nnadev_floats_all(&f->residual_high) };
}

/*
 * Finishes and stores a register of fp32 sums. @with: limits of sums with a residual; NULL without
 * a residual.
 */
static inline __attribute__((always_inline)) void
nnadev_floats_end_whole(const struct nnadev_floats_end *e, const struct nnadev_floats_end *with,
			nnadev_floats sum, nnadev_floats bias, int64_t at, int64_t rat)
{
	nnadev_floats y = nnadev_floats_clamp(nnadev_floats_add(sum, bias), e->low, e->high);

	if (with)
		y = nnadev_floats_clamp(nnadev_floats_add(y, nnadev_floats_load(e->add + rat)),
					with->low, with->high);
	nnadev_floats_store(e->to + at, y);
}

/* Finishes and stores the sums of @count channels to an output of any float type. */
static inline __attribute__((always_inline)) void
nnadev_floats_end_any(const struct nnadev_floats_end *e, const struct nnadev_floats_finish *f,
		      nnadev_floats sum, nnadev_floats bias, uint32_t count, int64_t at,
		      int64_t rat)
{
	nnadev_floats y = nnadev_floats_add(sum, bias);

	if (__builtin_expect(!e->to, 0)) {
		float acc[NNADEV_FLOATS];

		nnadev_floats_store(acc, y);
		nnadev_floats_finish_other(f, acc, count, at, rat);
		return;
	}
	y = nnadev_floats_clamp(y, e->low, e->high);
	if (e->add) {
		const float *add = e->add + rat;

		y = nnadev_floats_add(y, count == NNADEV_FLOATS ?
						 nnadev_floats_load(add) :
						 nnadev_floats_load_some(
							 add, nnadev_floats_first(count)));
		y = nnadev_floats_clamp(y, nnadev_floats_all(&f->residual_low),
					nnadev_floats_all(&f->residual_high));
	}
	if (count == NNADEV_FLOATS)
		nnadev_floats_store(e->to + at, y);
	else
		nnadev_floats_store_some(e->to + at, count, y);
}

#endif
