/* SPDX-License-Identifier: MIT */
/*
 * 16 fp32 numbers, as many as a block has channels, in a register of AVX-512 or two of AVX2. Both
 * give the same bits. For files that are compiled for AVX2 or more.
 */
#ifndef NNADEV_AVX2_FLOATS_H
#define NNADEV_AVX2_FLOATS_H

#include <immintrin.h>

#include "device/engine/epilogue.h"

#ifdef __AVX512F__
typedef __m512 nnadev_floats;
typedef __mmask16 nnadev_floats_mask;

/* The first `count` of 16. */
static inline nnadev_floats_mask nnadev_floats_first(uint32_t count)
{
	return (nnadev_floats_mask)((1u << count) - 1);
}

/* Those of a mask, and zeros: no others are touched. */
static inline nnadev_floats nnadev_floats_load_some(const float *from, nnadev_floats_mask mask)
{
	return _mm512_maskz_loadu_ps(mask, from);
}

static inline void nnadev_floats_store_some(float *to, nnadev_floats_mask mask, nnadev_floats x)
{
	_mm512_mask_storeu_ps(to, mask, x);
}

static inline nnadev_floats nnadev_floats_add(nnadev_floats a, nnadev_floats b)
{
	return _mm512_add_ps(a, b);
}

/* x within limits; where it is a NaN, it. */
static inline nnadev_floats nnadev_floats_clamp(nnadev_floats x, nnadev_floats low,
						nnadev_floats high)
{
	/* Of a NaN and a number these take the second operand. */
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

/* 16 times a number. */
static inline nnadev_floats nnadev_floats_all(const float *x)
{
	return _mm512_set1_ps(*x);
}

/* c + a * b */
static inline nnadev_floats nnadev_floats_fma(nnadev_floats a, nnadev_floats b, nnadev_floats c)
{
	return _mm512_fmadd_ps(a, b, c);
}
#else
typedef struct {
	__m256 low, high;
} nnadev_floats;

typedef struct {
	__m256i low, high;
} nnadev_floats_mask;

/* The first `count` of 16. */
static inline nnadev_floats_mask nnadev_floats_first(uint32_t count)
{
	const __m256i all = _mm256_set1_epi32((int)count);

	return (nnadev_floats_mask){
		_mm256_cmpgt_epi32(all, _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7)),
		_mm256_cmpgt_epi32(all, _mm256_setr_epi32(8, 9, 10, 11, 12, 13, 14, 15)),
	};
}

/* Those of a mask, and zeros: no others are touched. */
static inline nnadev_floats nnadev_floats_load_some(const float *from, nnadev_floats_mask mask)
{
	return (nnadev_floats){ _mm256_maskload_ps(from, mask.low),
				_mm256_maskload_ps(from + 8, mask.high) };
}

static inline void nnadev_floats_store_some(float *to, nnadev_floats_mask mask, nnadev_floats x)
{
	_mm256_maskstore_ps(to, mask.low, x.low);
	_mm256_maskstore_ps(to + 8, mask.high, x.high);
}

static inline nnadev_floats nnadev_floats_add(nnadev_floats a, nnadev_floats b)
{
	return (nnadev_floats){ _mm256_add_ps(a.low, b.low), _mm256_add_ps(a.high, b.high) };
}

/* x within limits; where it is a NaN, it. */
static inline nnadev_floats nnadev_floats_clamp(nnadev_floats x, nnadev_floats low,
						nnadev_floats high)
{
	/* Of a NaN and a number these take the second operand. */
	return (nnadev_floats){ _mm256_min_ps(high.low, _mm256_max_ps(low.low, x.low)),
				_mm256_min_ps(high.high, _mm256_max_ps(low.high, x.high)) };
}

static inline nnadev_floats nnadev_floats_zero(void)
{
	return (nnadev_floats){ _mm256_setzero_ps(), _mm256_setzero_ps() };
}

static inline nnadev_floats nnadev_floats_load(const float *from)
{
	return (nnadev_floats){ _mm256_loadu_ps(from), _mm256_loadu_ps(from + 8) };
}

static inline void nnadev_floats_store(float *to, nnadev_floats x)
{
	_mm256_storeu_ps(to, x.low);
	_mm256_storeu_ps(to + 8, x.high);
}

/* 16 times a number. */
static inline nnadev_floats nnadev_floats_all(const float *x)
{
	const __m256 all = _mm256_broadcast_ss(x);

	return (nnadev_floats){ all, all };
}

/* c + a * b */
static inline nnadev_floats nnadev_floats_fma(nnadev_floats a, nnadev_floats b, nnadev_floats c)
{
	return (nnadev_floats){ _mm256_fmadd_ps(a.low, b.low, c.low),
				_mm256_fmadd_ps(a.high, b.high, c.high) };
}
#endif

/**
 * struct nnadev_floats_finish - the epilogue of a command
 * @e: parameters
 * @output, @residual: operands
 * @to: elements of output; NULL if they are not fp32
 * @add: those of residual; NULL if there is none
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

/* Finishes and stores numbers that are not fp32: sums with their bias. */
static __attribute__((noinline)) void nnadev_floats_finish_other(
	const struct nnadev_floats_finish *f, const float *acc, uint32_t count, int64_t at,
	int64_t rat)
{
	for (uint32_t i = 0; i < count; i++)
		nnadev_epilogue_float(f->e, acc[i], f->output, at + i, f->residual, rat + i);
}

/*
 * Finishes and stores the sums of `count` channels of a block with their bias. low and high are
 * those of f: for all that the compiler knows a store changes f.
 */
static inline __attribute__((always_inline)) void
nnadev_floats_finish_block(const struct nnadev_floats_finish *f, nnadev_floats low,
			   nnadev_floats high, nnadev_floats sum, nnadev_floats bias,
			   uint32_t count, int64_t at, int64_t rat)
{
	nnadev_floats y = nnadev_floats_add(sum, bias);

	if (__builtin_expect(!f->to, 0)) {
		float acc[16];

		nnadev_floats_store(acc, y);
		nnadev_floats_finish_other(f, acc, count, at, rat);
		return;
	}
	y = nnadev_floats_clamp(y, low, high);
	if (f->add) {
		y = nnadev_floats_add(y, count == 16 ? nnadev_floats_load(f->add + rat) :
						       nnadev_floats_load_some(
							       f->add + rat,
							       nnadev_floats_first(count)));
		y = nnadev_floats_clamp(y, nnadev_floats_all(&f->residual_low),
					nnadev_floats_all(&f->residual_high));
	}
	if (count == 16)
		nnadev_floats_store(f->to + at, y);
	else
		nnadev_floats_store_some(f->to + at, nnadev_floats_first(count), y);
}

#endif
