/* SPDX-License-Identifier: MIT */
/*
 * EWISE on quantised types in integer arithmetic: a register of elements of 8 or 16 bits at a time.
 * Results have the bits that the scalar rules in ewise.h give.
 */
#ifndef NNADEV_EWISE_INTEGER_H
#define NNADEV_EWISE_INTEGER_H

#include "device/nna/engine/kernels/ewise.h"
#include "device/nna/engine/simd/simd.h"
#include "device/nna/engine/vector/finish.h"

/* Loads a register of numbers at @from minus the zero point. */
static inline nnadev_ints nnadev_ints_load_centred(const struct nnadev_engine_operand *o,
						   const void *from)
{
	nnadev_ints v;

	switch (o->desc.type) {
	case NNAHW_TYPE_S8:
		v = nnadev_ints_load_s8(from);
		break;
	case NNAHW_TYPE_U8:
		v = nnadev_ints_load_u8(from);
		break;
	case NNAHW_TYPE_S16:
		v = nnadev_ints_load_s16(from);
		break;
	default:
		v = nnadev_ints_load_u16(from);
		break;
	}
	return nnadev_ints_sub(v, nnadev_ints_of(o->desc.zero_point));
}

/*
 * nnadev_requantize() of numbers by one factor. The shift is 31 to 62, so that results fit into 32
 * bits. All products get the rounding term of positive ones; negative products get 2^31 less.
 */
static inline nnadev_ints nnadev_ints_requantise(nnadev_ints x, int32_t multiplier, int32_t shift)
{
	const int64_t first = shift >= 32 ? 1 << 30 : 0;
	const nnadev_longs product = nnadev_longs_mul(x, nnadev_ints_of(multiplier));

	return nnadev_longs_shift(
		nnadev_longs_add(product, nnadev_longs_negative(product, -2 * first)),
		(int64_t)((1ull << (shift - 1)) + (uint64_t)first), (uint32_t)shift);
}

/*
 * (x * x_scale + y * y_scale) * 2^-shift, halves rounded away from zero, computed in 64 bits. The
 * result is the low 32 bits. x_scale is @p->a_scale.
 */
static inline nnadev_ints nnadev_ints_scale_sum(const struct nnahw_cmd_ewise *p, nnadev_ints x,
						nnadev_ints y, int32_t y_scale)
{
	const nnadev_longs sum =
		nnadev_longs_add(nnadev_longs_mul(x, nnadev_ints_of(p->a_scale)),
				 nnadev_longs_mul(y, nnadev_ints_of(y_scale)));

	return nnadev_longs_shift(nnadev_longs_add(sum, nnadev_longs_negative(sum, -1)),
				  (int64_t)(1ull << (p->shift - 1)), (uint32_t)p->shift);
}

/*
 * Computes nnadev_ewise_staged(), except for LEAKY_RELU. For MUL and MUL_ADD, @x is the product of
 * both inputs. @bits: bits by which ADD and SUB shift both inputs to the left, from
 * nnadev_ewise_staged_bits().
 */
static inline nnadev_ints nnadev_ints_ewise_staged(const struct nnahw_cmd_ewise *p, uint32_t bits,
						   nnadev_ints x, nnadev_ints y)
{
	const nnadev_lanes negative = nnadev_ints_less(x, nnadev_ints_of(0));

	switch (p->op) {
	case NNAHW_EWISE_ADD:
	case NNAHW_EWISE_SUB:
		break;
	case NNAHW_EWISE_PRELU:
		y = nnadev_ints_requantise(nnadev_ints_mul(x, y), p->b_scale, p->b_shift);
		x = nnadev_ints_requantise(x, p->a_scale, p->shift);
		return nnadev_ints_select(x, y, negative);
	case NNAHW_EWISE_SQUARED_DIFFERENCE:
		bits = 7;
		break;
	default:
		return nnadev_ints_requantise(x, p->a_scale, p->shift);
	}
	x = nnadev_ints_requantise(nnadev_ints_shift_left(x, bits), p->a_scale, p->a_shift);
	y = nnadev_ints_requantise(nnadev_ints_shift_left(y, bits), p->b_scale, p->b_shift);
	x = p->op == NNAHW_EWISE_ADD ? nnadev_ints_add(x, y) : nnadev_ints_sub(x, y);
	if (p->op == NNAHW_EWISE_SQUARED_DIFFERENCE)
		x = nnadev_ints_mul(x, x);
	return nnadev_ints_requantise(x, p->multiplier, p->shift);
}

/*
 * Computes nnadev_ewise_quantised() on types of 8 and 16 bits, for commands that pass
 * nnadev_ewise_fits_in_32(). For MUL_ADD, returns the scaled product; the caller adds the third
 * input. @bits: from nnadev_ewise_staged_bits().
 */
static inline nnadev_ints nnadev_ints_ewise(const struct nnahw_cmd_ewise *p, uint32_t bits,
					    nnadev_ints x, nnadev_ints y)
{
	const bool sum = p->op == NNAHW_EWISE_ADD || p->op == NNAHW_EWISE_SUB;

	if (p->op == NNAHW_EWISE_MUL || p->op == NNAHW_EWISE_MUL_ADD)
		x = nnadev_ints_mul(x, y);
	if (p->staged)
		return nnadev_ints_ewise_staged(p, bits, x, y);
	if (p->op == NNAHW_EWISE_SUB)
		y = nnadev_ints_sub(nnadev_ints_of(0), y);
	return nnadev_ints_scale_sum(p, x, y, sum ? p->b_scale : 0);
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
 * True if nnadev_ints_ewise() computes the command: it is not LEAKY_RELU in stages, its shifts
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
