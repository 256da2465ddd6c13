// SPDX-License-Identifier: MIT
/*
 * BINARY of quantised numbers: sums, differences, products, the larger and the smaller one.
 *
 * A sum by TFLite's rule scales both operands to twice the larger scale, with 20 bits more (15 for
 * 16 bits), and rounds each. The operand of the larger scale has a factor of 1/2, which rounds
 * nothing: the U65 shifts it left and multiplies the other one. NNAPI's rule rounds the sum alone:
 * operands are multiplied by integers of 16 bits, which is exact where the ratio of the scales
 * allows it.
 *
 * Of a U65, IFM2 alone is broadcast, so operands may change places.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "libnnaccel/backend/ethosu/ethosu.h"
#include "libnnaccel/backend/ethosu/rule.h"
#include "libnnaccel/backend/ethosu/walk.h"

#define MOST_FACTOR 0xffff

/**
 * struct operands - of an operation, in the NPU's order
 * @values: OFM, IFM, IFM2 by number
 * @broadcast: bit set of those that may be broadcast
 * @reversed: IFM2 is the ir's first one
 */
struct operands {
	uint32_t values[NNA_ETHOSU_WALK_OPERANDS];
	uint32_t broadcast;
	bool reversed;
};

static bool is_broadcast(const struct nna_value *v)
{
	for (uint32_t k = 0; k < v->rank; k++)
		if (v->dims[k] > 1 && !v->strides[k])
			return true;
	return false;
}

static struct operands order(const struct nna_lower *l, const struct nna_ethosu_target *target,
			     const struct nna_ir_op *op)
{
	const uint32_t a = op->values[NNA_ELEMENTWISE_A], b = op->values[NNA_ELEMENTWISE_B];
	const bool u65 = target->generation == NNA_ETHOSU_U65;
	const bool reversed = u65 && is_broadcast(&l->values[a]) && !is_broadcast(&l->values[b]);

	return (struct operands){
		.values = { op->values[NNA_ELEMENTWISE_OUT], reversed ? b : a, reversed ? a : b },
		.broadcast = u65 ? 4 : 6,
		.reversed = reversed,
	};
}

static bool begin(const struct nna_lower *l, const struct operands *o, struct nna_ethosu_walk *walk)
{
	const struct nna_value *values[NNA_ETHOSU_WALK_OPERANDS];

	for (uint32_t i = 0; i < NNA_ETHOSU_WALK_OPERANDS; i++)
		values[i] = &l->values[o->values[i]];
	return nna_ethosu_walk_begin(walk, values, NNA_ETHOSU_WALK_OPERANDS, o->broadcast, false);
}

/* Bits of a number without its zero point, and without its sign. */
static uint32_t bits_of(const struct nna_value *v)
{
	return 8 * nna_type_size(v->type);
}

/* The NPU multiplies operand by @multiplier 2^-@shift, with @left bits more. */
static bool scale_operand(double factor, uint32_t left, struct nna_ethosu_scale *to)
{
	int32_t multiplier, shift;

	nna_requantize_from(factor, &multiplier, &shift);
	if (multiplier <= 0 || shift < 31)
		return false;
	*to = (struct nna_ethosu_scale){ (uint32_t)multiplier, (uint8_t)(shift - (int32_t)left),
					 (uint8_t)left };
	return true;
}

static bool sum_of_tflite(const struct nna_ethosu_target *target, const struct nna_value *const *v,
			  const struct nna_ir_op *op, struct nna_ethosu_operation *o)
{
	const uint32_t left = nna_type_size(v[0]->type) == 2 ? 15 : 20;
	const double twice = 2 * (double)fmaxf(v[1]->scale, v[2]->scale);
	int32_t multiplier, shift;

	if (!scale_operand(v[1]->scale / twice, left, &o->a) ||
	    !scale_operand(v[2]->scale / twice, left, &o->b))
		return false;
	o->scaled = v[1]->scale < v[2]->scale ? NNA_ETHOSU_SCALED_A : NNA_ETHOSU_SCALED_B;
	nna_requantize_from(twice / (ldexp(1, (int)left) * (double)v[0]->scale), &multiplier,
			    &shift);
	return shift >= 31 && nna_ethosu_rule(target, multiplier, shift, op->rounding, 0, o);
}

static int64_t divisor(int64_t a, int64_t b)
{
	while (b) {
		const int64_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

/* The NNA's factors: integers over a common power of two, of which the larger has 30 bits. */
static bool sum_of_nnapi(const struct nna_ethosu_target *target, const struct nna_value *const *v,
			 const struct nna_ir_op *op, struct nna_ethosu_operation *o)
{
	const double fa = (double)v[1]->scale / v[0]->scale, fb = (double)v[2]->scale / v[0]->scale;
	const double larger = fmax(fa, fb);
	int64_t a, b, common;
	int exponent, shift;
	uint32_t bits;

	if (!(larger > 0) || isinf(larger))
		return false;
	frexp(larger, &exponent);
	shift = 30 - exponent < 62 ? 30 - exponent : 62;
	if (shift < 1)
		return false;
	a = llround(ldexp(fa, shift));
	b = llround(ldexp(fb, shift));
	if (!a || !b || a > INT32_MAX || b > INT32_MAX)
		return false;
	common = divisor(a, b);
	if (a / common > MOST_FACTOR || b / common > MOST_FACTOR)
		return false;
	o->a = (struct nna_ethosu_scale){ .scale = (uint32_t)(a / common) };
	o->b = (struct nna_ethosu_scale){ .scale = (uint32_t)(b / common) };
	o->scaled = NNA_ETHOSU_SCALED_BOTH;
	/* |x * a + y * b| is below 2^bits * (a + b). */
	bits = bits_of(v[1]) + 64 - (uint32_t)__builtin_clzll((uint64_t)((a + b) / common));
	return nna_ethosu_rule(target, (int32_t)common, shift, op->rounding, bits, o);
}

static bool product(const struct nna_ethosu_target *target, const struct nna_value *const *v,
		    const struct nna_ir_op *op, struct nna_ethosu_operation *o)
{
	int32_t multiplier, shift;

	nna_requantize_from((double)(v[1]->scale * v[2]->scale / v[0]->scale), &multiplier, &shift);
	/* The NNA's product of 16 bits leaves 29 bits for the multiplier. */
	if (op->rounding == NNA_IR_ROUNDS_AS_NNAPI && nna_type_size(v[0]->type) == 2) {
		if (shift < 4)
			return false;
		multiplier = (multiplier + 4) >> 3;
		shift -= 3;
	}
	return nna_ethosu_rule(target, multiplier, shift, op->rounding, 2 * bits_of(v[1]), o);
}

static bool same_scale(const struct nna_value *a, const struct nna_value *b)
{
	return a->scale == b->scale && a->zero_point == b->zero_point;
}

/* The operation but for its maps. Return: 0, or -ENOTSUP with the reason. */
static int make(const struct nna_lower *l, const struct nna_ethosu_target *target,
		const struct nna_ir_op *op, struct nna_ethosu_operation *o, char *reason,
		size_t size)
{
	const struct nna_value *v[3];
	bool done;

	for (uint32_t i = 0; i < 3; i++)
		v[i] = &l->values[op->values[i]];
	for (uint32_t i = 0; i < 3; i++)
		if (!nna_value_is_quantised(v[i]) || v[i]->type != v[0]->type ||
		    v[i]->type == NNA_TYPE_U16)
			return nna_ethosu_refuse(reason, size, "operands that are not all quantised, "
						 "of 8 bits or all of signed 16 bits");
	*o = (struct nna_ethosu_operation){
		.code = ETHOSU_OP_ELEMENTWISE,
		.one_scale = true,
		.scale = { .scale = 1 },
		.a = { .scale = 1 },
		.b = { .scale = 1 },
		.min = op->bounds.q_min,
		.max = op->bounds.q_max,
	};
	switch (op->elementwise.function) {
	case NNA_FN_ADD:
	case NNA_FN_SUB:
		o->mode = op->elementwise.function == NNA_FN_ADD ? NNA_ETHOSU_ADD : NNA_ETHOSU_SUB;
		done = op->rounding == NNA_IR_ROUNDS_AS_NNAPI ? sum_of_nnapi(target, v, op, o) :
								sum_of_tflite(target, v, op, o);
		break;
	case NNA_FN_MUL:
		o->mode = NNA_ETHOSU_MUL;
		done = product(target, v, op, o);
		break;
	case NNA_FN_MAXIMUM:
	case NNA_FN_MINIMUM:
		o->mode = op->elementwise.function == NNA_FN_MAXIMUM ? NNA_ETHOSU_MAX :
									NNA_ETHOSU_MIN;
		done = same_scale(v[0], v[1]) && same_scale(v[0], v[2]);
		break;
	default:
		return nna_ethosu_refuse(reason, size, "the NPU has no such function of two operands");
	}
	return done ? 0 : nna_ethosu_refuse(reason, size, "scales whose result the NPU rounds "
					    "otherwise");
}

static int elementwise_accepts(const struct nna_lower *l, const struct nna_ethosu_target *target,
			       const struct nna_ir_op *op, char *reason, size_t size)
{
	const struct operands operands = order(l, target, op);
	struct nna_ethosu_operation o;
	struct nna_ethosu_walk walk;

	if (make(l, target, op, &o, reason, size))
		return -ENOTSUP;
	if (!begin(l, &operands, &walk))
		return nna_ethosu_refuse(reason, size, "an order of elements that takes more than %u "
					 "commands", NNA_ETHOSU_WALK_PIECES);
	return 0;
}

static int elementwise_emit(const struct nna_lower *l, const struct nna_ethosu_target *target,
			    const struct nna_ir_op *op, struct nna_ethosu_writer *w)
{
	const struct operands operands = order(l, target, op);
	struct nna_ethosu_operation made;
	struct nna_ethosu_walk walk;
	char reason[8];

	if (make(l, target, op, &made, reason, sizeof(reason)) || !begin(l, &operands, &walk))
		return -ENOTSUP;
	made.reversed = operands.reversed;
	for (uint64_t i = 0; i < walk.pieces; i++) {
		struct nna_ethosu_operation o = made;
		struct nna_ethosu_map *const maps[NNA_ETHOSU_WALK_OPERANDS] = { &o.ofm, &o.ifm,
										&o.ifm2 };

		for (uint32_t k = 0; k < NNA_ETHOSU_WALK_OPERANDS; k++) {
			nna_ethosu_walk_map(&walk, i, k, maps[k]);
			nna_ethosu_map_place(l, operands.values[k], 0, maps[k]);
			maps[k]->zero_point = l->values[operands.values[k]].zero_point;
		}
		nna_ethosu_block_choose(target, &o);
		nna_ethosu_writer_operation(w, &o);
	}
	return 0;
}

const struct nna_ethosu_kind nna_ethosu_elementwise = { elementwise_accepts, NULL,
							elementwise_emit };
