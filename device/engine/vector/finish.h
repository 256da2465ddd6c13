/* SPDX-License-Identifier: MIT */
/* What the quantised epilogue of a command has in common for all of its channels. */
#ifndef NNADEV_FINISH_H
#define NNADEV_FINISH_H

#include "device/engine/epilogue.h"

/**
 * struct nnadev_finish - constants of a command
 * @e: parameters
 * @output, @residual: operands
 * @is_signed: S8 output
 * @is_wide: S16 output; it has no residual
 * @low, @high: limits of q minus its zero point
 * @out_low, @out_high, @out_zero: limits and zero point of what is stored
 * @up_shift: to the right, of the bit that raises products above zero: see nnadev_block_get()
 * @has_residual: there is one
 */
struct nnadev_finish {
	const struct nnahw_epilogue *e;
	const struct nnadev_engine_operand *output, *residual;
	bool is_signed, is_wide, has_residual;
	int32_t low, high, out_low, out_high, out_zero, up_shift;
};

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
}

#endif
