/* SPDX-License-Identifier: MIT */
/*
 * What kernels of floats share: loads of fp32 and fp16, the epilogue of CONV, DWCONV and MATMUL.
 * The results have the same bits with every instruction set (simd/simd.h).
 */
#ifndef NNADEV_FLOATS_H
#define NNADEV_FLOATS_H

#include "device/nna/engine/epilogue.h"
#include "device/nna/engine/simd/simd.h"

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
	for (; i + NNADEV_FLOATS <= count; i += NNADEV_FLOATS)
		nnadev_floats_store(to + i, nnadev_floats_load_halves(half + i));
	for (; i < count; i++)
		to[i] = nnadev_half_to_float(half[i]);
}

/* Loads @count F32 or F16 elements, at most a register; others become 0. @f32: they are F32. */
static inline __attribute__((always_inline)) nnadev_floats
nnadev_floats_load_any(const struct nnadev_engine_operand *o, int64_t at, uint32_t count,
		       const bool f32)
{
	float v[NNADEV_FLOATS] = { 0 };

	if (f32)
		return count == NNADEV_FLOATS ?
			       nnadev_floats_load((const float *)o->data + at) :
			       nnadev_floats_load_some((const float *)o->data + at, count);
	nnadev_load_floats(v, o, at, count);
	return nnadev_floats_load(v);
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
	return (struct nnadev_floats_end){ f->to, f->add, nnadev_floats_of(f->low),
					   nnadev_floats_of(f->high) };
}

/* The epilogue with the limits of sums with a residual. */
static inline struct nnadev_floats_end
nnadev_floats_end_get_residual(const struct nnadev_floats_finish *f)
{
	return (struct nnadev_floats_end){ f->to, f->add, nnadev_floats_of(f->residual_low),
					   nnadev_floats_of(f->residual_high) };
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
						 nnadev_floats_load_some(add, count));
		y = nnadev_floats_clamp(y, nnadev_floats_of(f->residual_low),
					nnadev_floats_of(f->residual_high));
	}
	if (count == NNADEV_FLOATS)
		nnadev_floats_store(e->to + at, y);
	else
		nnadev_floats_store_some(e->to + at, count, y);
}

#endif
