/* SPDX-License-Identifier: MIT */
/* What the quantised epilogue of a command has in common for all of its channels. */
#ifndef NNADEV_FINISH_H
#define NNADEV_FINISH_H

#include "device/nna/engine/epilogue.h"

/*
 * How near to where rounding changes an estimate of at most 256 proves nothing. What is greater is
 * beyond the limits, see nnadev_limits_fit().
 */
#define NNADEV_UNPROVEN 0x1p-13f
/* The same for the estimate of a sum: see struct nnadev_sum. */
#define NNADEV_SUM_UNPROVEN 0x1p-11f

/**
 * struct nnadev_sum - the estimate in fp32 of the sum of q and a residual, which are whole numbers
 * @own, @other, @offset: q * own + residual * other + offset
 * @estimated: the estimate is good
 *
 * Its three constants and two sums are each off by a part of at most 2^-23 of what all is at most,
 * 512 here: by less than 2^-11.6 together. A staged sum rounds its two numbers before it adds them,
 * each by at most 3/4 of a unit, and in two steps: by less than 2^-13 together here.
 */
struct nnadev_sum {
	float own, other, offset;
	bool estimated;
};

/**
 * struct nnadev_finish - constants of a command
 * @e: parameters
 * @output, @residual: operands
 * @is_signed: S8 output
 * @is_wide: S16 output, and residual if there is one
 * @low, @high: limits of q minus its zero point
 * @out_low, @out_high, @out_zero: limits and zero point of what is stored
 * @up_shift: to the right, of the bit that raises products above zero: see nnadev_block_get()
 * @has_residual: there is one
 * @sum: with it
 */
struct nnadev_finish {
	const struct nnahw_epilogue *e;
	const struct nnadev_engine_operand *output, *residual;
	bool is_signed, is_wide, has_residual;
	int32_t low, high, out_low, out_high, out_zero, up_shift;
	struct nnadev_sum sum;
};

/* Whether a number can be scaled by a product of 64 bits and such a shift, to 32 bits. */
static inline bool nnadev_scales8(int32_t shift)
{
	return shift >= 31 && shift <= 62;
}

/*
 * Whether the vector code, which has 32 bits for it, can add the residual, if there is one: of two
 * products of 31 bits and of at most 20 and 16, the sum has 30 bits left by such a shift.
 */
static inline bool nnadev_adds_residual(const struct nnadev_finish *f)
{
	if (f->e->staged)
		return f->low >= -1024 && f->high <= 1023 && nnadev_scales8(f->e->own_shift) &&
		       nnadev_scales8(f->e->residual_shift) && nnadev_scales8(f->e->add_shift);
	return !f->has_residual ||
	       (f->e->add_shift >= 22 && f->low >= -(1 << 20) && f->high <= 1 << 20);
}

/* Whether an estimate of 256 or more is beyond the limits. */
static inline bool nnadev_limits_fit(const struct nnadev_finish *f)
{
	const int32_t low = f->is_signed ? INT8_MIN : 0;

	if (f->is_wide || f->out_zero < low || f->out_zero > low + UINT8_MAX)
		return false;
	return !f->has_residual || (f->low >= -UINT8_MAX && f->high <= UINT8_MAX);
}

/* Works out the estimate of the sum, if there is a residual. */
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
