/* SPDX-License-Identifier: MIT */
/* Constants of the quantised epilogue that all channels of a command share. */
#ifndef NNADEV_FINISH_H
#define NNADEV_FINISH_H

#include "device/nna/engine/epilogue.h"

/*
 * An estimate of at most 256 that is this near to k + 1/2 with an integer k proves nothing. A
 * greater estimate is beyond the limits, see nnadev_limits_fit().
 */
#define NNADEV_UNPROVEN 0x1p-13f
/* Likewise for the estimate of a sum, see struct nnadev_sum. */
#define NNADEV_SUM_UNPROVEN 0x1p-11f

/**
 * struct nnadev_sum - fp32 estimate of the sum of q and a residual, both integers
 * @own, @other, @offset: q * own + residual * other + offset
 * @estimated: the estimate is valid
 *
 * The three constants and the two additions are each off by at most 2^-23 of the largest value,
 * which is 512 here: by less than 2^-11.6 together. A staged sum rounds both numbers before it adds
 * them, each by at most 3/4 of a unit, and rounds the sum in two steps: by less than 2^-13 together
 * here.
 */
struct nnadev_sum {
	float own, other, offset;
	bool estimated;
};

/**
 * struct nnadev_finish - constants of a command
 * @e: parameters
 * @output, @residual: operands
 * @is_signed: the output is S8
 * @is_wide: the output is S16, and so is the residual if present
 * @is_sum: the output is F32: sums
 * @low, @high: limits of q minus its zero point
 * @out_low, @out_high, @out_zero: limits and zero point of the output
 * @up_shift: right shift of bit 31, which is added to products that are not negative: see
 *	nnadev_requantise8()
 * @has_residual: the residual is present
 * @sum: the estimate of the sum with the residual
 */
struct nnadev_finish {
	const struct nnahw_epilogue *e;
	const struct nnadev_engine_operand *output, *residual;
	bool is_signed, is_wide, is_sum, has_residual;
	int32_t low, high, out_low, out_high, out_zero, up_shift;
	struct nnadev_sum sum;
};

/* True if a 64-bit product shifted by @shift gives a result of 32 bits. */
static inline bool nnadev_scales8(int32_t shift)
{
	return shift >= 31 && shift <= 62;
}

/*
 * True if the vector code can add the residual in 32 bits, or there is none. The products of 31-bit
 * scales with numbers of at most 20 and 16 bits have a sum of 52 bits; a shift of 22 or more leaves
 * 30.
 */
static inline bool nnadev_adds_residual(const struct nnadev_finish *f)
{
	if (f->e->staged)
		return f->low >= -1024 && f->high <= 1023 && nnadev_scales8(f->e->own_shift) &&
		       nnadev_scales8(f->e->residual_shift) && nnadev_scales8(f->e->add_shift);
	return !f->has_residual ||
	       (f->e->add_shift >= 22 && f->low >= -(1 << 20) && f->high <= 1 << 20);
}

/* True if every estimate of 256 or more is beyond the limits. */
static inline bool nnadev_limits_fit(const struct nnadev_finish *f)
{
	const int32_t low = f->is_signed ? INT8_MIN : 0;

	if (f->is_wide || f->is_sum || f->out_zero < low || f->out_zero > low + UINT8_MAX)
		return false;
	return !f->has_residual || (f->low >= -UINT8_MAX && f->high <= UINT8_MAX);
}

/* Computes the estimate of the sum if there is a residual. */
static inline void nnadev_finish_get_sum(struct nnadev_finish *f)
{
	const struct nnahw_epilogue *e = f->e;
	double unit, q, own, other, offset, off = 0;

	f->sum.estimated = false;
	if (!f->has_residual || !nnadev_adds_residual(f) || !nnadev_limits_fit(f))
		return;
	unit = 1 / (double)(1ull << e->add_shift);
	q = f->high > -f->low ? f->high : -f->low;
	own = e->own_scale * unit;
	other = e->residual_scale * unit;
	if (e->staged) {
		const double sum = e->add_multiplier * unit;

		own = sum * (1 << 20) * e->own_scale / (double)(1ull << e->own_shift);
		other = sum * (1 << 20) * e->residual_scale / (double)(1ull << e->residual_shift);
		off = 1.5 * (sum < 0 ? -sum : sum) + unit * (1 << 30);
	}
	offset = -other * f->residual->desc.zero_point;
	f->sum.own = (float)own;
	f->sum.other = (float)other;
	f->sum.offset = (float)offset;
	own = own < 0 ? -own : own;
	other = other < 0 ? -other : other;
	offset = offset < 0 ? -offset : offset;
	f->sum.estimated = off < 0x1p-13 && q * own + 255 * other + offset < 512;
}

static inline void nnadev_finish_get(struct nnadev_finish *f, const struct nnahw_epilogue *e,
				     const struct nnadev_engine_operand *output,
				     const struct nnadev_engine_operand *residual)
{
	int64_t min, max;

	nnadev_type_range(output->desc.type, &min, &max);
	f->e = e;
	f->output = output;
	f->residual = residual;
	f->is_signed = output->desc.type == NNAHW_TYPE_S8;
	f->is_wide = output->desc.type == NNAHW_TYPE_S16;
	f->is_sum = output->desc.type == NNAHW_TYPE_F32;
	f->has_residual = nnadev_present(residual);
	f->up_shift = e->once ? 31 : 0;
	if (f->has_residual) {
		f->low = (int32_t)nnadev_clamp_s64((int64_t)e->q_min - e->zero_point, INT32_MIN,
						   INT32_MAX);
		f->high = (int32_t)nnadev_clamp_s64((int64_t)e->q_max - e->zero_point, INT32_MIN,
						    INT32_MAX);
		f->out_zero = output->desc.zero_point;
		f->out_low = (int32_t)nnadev_clamp_s64(e->residual_q_min, min, max);
		f->out_high = (int32_t)nnadev_clamp_s64(e->residual_q_max, min, max);
	} else {
		f->out_low = (int32_t)nnadev_clamp_s64(e->q_min, min, max);
		f->out_high = (int32_t)nnadev_clamp_s64(e->q_max, min, max);
		f->out_zero = e->zero_point;
		f->low = f->out_low - e->zero_point;
		f->high = f->out_high - e->zero_point;
	}
	nnadev_finish_get_sum(f);
}

#endif
