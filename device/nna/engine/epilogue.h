/* SPDX-License-Identifier: MIT */
/* The epilogue of CONV, DWCONV and MATMUL: from an accumulator to an element of the output. */
#ifndef NNADEV_EPILOGUE_H
#define NNADEV_EPILOGUE_H

#include "device/nna/engine/kernel.h"

/* True if the parameters are valid for the types in use. */
static inline bool nnadev_epilogue_valid(const struct nnahw_epilogue *e, bool quantised,
					 bool residual)
{
	const bool sum = e->own_shift || e->residual_shift || e->add_multiplier;

	if (e->once > quantised || e->staged > (quantised && residual) || (sum && !e->staged))
		return false;
	if (!quantised)
		return true;
	if (e->q_min > e->q_max || e->zero_point < -32768 || e->zero_point > 65535)
		return false;
	return !residual ||
	       (e->residual_q_min <= e->residual_q_max && e->add_shift >= 1 && e->add_shift <= 62);
}

/*
 * Multiplies an accumulator by a real factor, see struct nnahw_requantize: p = acc * multiplier is
 * rounded at bit 31 and then at bit shift. The first rounding changes the result only if it reaches
 * a half of the second, so it is computed as an addition of +-2^30.
 */
static inline int64_t nnadev_requantize(int32_t acc, int32_t multiplier, int32_t shift)
{
	int64_t p = (int64_t)acc * multiplier;

	shift = shift < 1 ? 1 : shift > 62 ? 62 : shift;
	p += (int64_t)1 << (shift - 1);
	if (shift >= 32)
		p += (int64_t)acc * multiplier >= 0 ? 1 << 30 : -(1 << 30);
	return p >> shift;
}

/* Bits by which a staged sum shifts its numbers left: for 16-bit types, and for 8-bit types. */
#define NNADEV_STAGED_BITS16 15u
#define NNADEV_STAGED_BITS8 20u

/*
 * The sum of two quantised numbers as a staged EWISE ADD computes it, with @bits additional bits.
 * Numbers have 32 bits and wrap.
 */
static inline int64_t nnadev_staged_sum(uint32_t bits, int64_t x, int32_t x_scale, int32_t x_shift,
					int64_t y, int32_t y_scale, int32_t y_shift,
					int32_t multiplier, int32_t shift)
{
	uint32_t a = (uint32_t)nnadev_requantize((int32_t)((uint32_t)x << bits), x_scale, x_shift);
	uint32_t b = (uint32_t)nnadev_requantize((int32_t)((uint32_t)y << bits), y_scale, y_shift);

	return nnadev_requantize((int32_t)(a + b), multiplier, shift);
}

/*
 * Requantises and clamps, adds the residual at element @rat if present, and stores at element @at.
 */
static inline void nnadev_epilogue_integer(const struct nnahw_epilogue *e, int32_t acc,
					   const struct nnahw_channel *channel,
					   const struct nnadev_engine_operand *output, int64_t at,
					   const struct nnadev_engine_operand *residual,
					   int64_t rat)
{
	int64_t q, min, max;

	q = e->once ? nnadev_scale_s64(acc, channel->multiplier, channel->shift)
		    : nnadev_requantize(acc, channel->multiplier, channel->shift);
	q += e->zero_point;
	q = nnadev_clamp_s64(q, e->q_min, e->q_max);
	if (nnadev_present(residual)) {
		const int64_t r = nnadev_load_centred(residual, rat);

		q -= e->zero_point;
		q = e->staged ?
			    nnadev_staged_sum(NNADEV_STAGED_BITS8, q, e->own_scale, e->own_shift, r,
					      e->residual_scale, e->residual_shift,
					      e->add_multiplier, e->add_shift) :
			    nnadev_scale_sum(q, e->own_scale, r, e->residual_scale, e->add_shift);
		nnadev_store_centred(output, at, q, e->residual_q_min, e->residual_q_max);
		return;
	}
	nnadev_type_range(output->desc.type, &min, &max);
	nnadev_store_integer(output, at, nnadev_clamp_s64(q, min, max));
}

/* True if a command gives sums of 8-bit products as F32. */
static inline bool nnadev_has_sums(const struct nnadev_engine_operand *output,
				   const struct nnadev_engine_operand *input)
{
	return output->desc.type == NNAHW_TYPE_F32 && nnadev_type_is_quant8(input->desc.type);
}

/* Rounds an accumulator to fp32, clamps it, and stores it at element @at. */
static inline void nnadev_epilogue_sum(const struct nnahw_epilogue *e, int32_t acc,
				       const struct nnadev_engine_operand *output, int64_t at)
{
	((float *)output->data)[at] = nnadev_clamp_float((float)acc, e->clamp_min, e->clamp_max);
}

/* Clamps, adds the residual if present, and stores. @acc includes the bias. */
static inline void nnadev_epilogue_float(const struct nnahw_epilogue *e, float acc,
					 const struct nnadev_engine_operand *output, int64_t at,
					 const struct nnadev_engine_operand *residual, int64_t rat)
{
	float y = nnadev_clamp_float(acc, e->clamp_min, e->clamp_max);

	if (nnadev_present(residual))
		y = nnadev_clamp_float(y + nnadev_load_float(residual, rat), e->residual_min,
				       e->residual_max);
	nnadev_store_value(output, at, y, 0, 0);
}

/*
 * Checks that bias and channels fit @n outputs. Return: a status.
 *
 * @packed: the channels alone hold the bias. @one_channel: one channel may serve all outputs.
 */
static inline uint32_t nnadev_check_bias(const struct nnadev_engine_command *cmd,
					 struct nnadev_engine_plan *plan, uint32_t bias,
					 uint32_t channels, bool quantised, bool packed,
					 bool one_channel, uint32_t n)
{
	const struct nnadev_engine_operand *b = &cmd->operands[bias], *c = &cmd->operands[channels];

	if (nnadev_present(b)) {
		if ((b->desc.type == NNAHW_TYPE_S32) != quantised || (quantised && packed))
			return nnadev_bad_operand(plan, bias);
		if (!nnadev_has_dims(&b->desc, 1, (uint64_t[]){ n }))
			return NNAHW_STATUS_BAD_SHAPE;
	}
	if (nnadev_present(c) != quantised)
		return nnadev_bad_operand(plan, channels);
	if (quantised) {
		if (!nnadev_has_dims(&c->desc, 2, (uint64_t[]){ n, 4 }) &&
		    !(one_channel && nnadev_has_dims(&c->desc, 2, (uint64_t[]){ 1, 4 })))
			return NNAHW_STATUS_BAD_SHAPE;
		if (!c->contiguous)
			return nnadev_bad_operand(plan, channels);
	}
	return NNAHW_STATUS_OK;
}

#endif
