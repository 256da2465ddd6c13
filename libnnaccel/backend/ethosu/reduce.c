// SPDX-License-Identifier: MIT
/*
 * REDUCE of 8 bits: the mean and the sum over rows and columns of images, by TFLite's rule: the sum
 * of numbers without their zero point is multiplied once. It is a pool of one window that is the
 * whole image.
 */
#include <errno.h>

#include "libnnaccel/backend/ethosu/ethosu.h"

#define AXIS_ROWS 2u
#define AXIS_COLUMNS 4u
#define WINDOW_MOST 256u
#define BATCHES_MOST 256u
#define FACTOR_BITS 62 /* of a shift, at most */

/* A value as [b, h, w, c]: dims of 1 in front. */
static bool widen(const struct nna_value *v, uint32_t *axes, struct nna_value *to)
{
	const uint32_t more = v->rank > 4 ? 0 : 4 - v->rank;

	if (v->rank > 4 || !v->rank)
		return false;
	*to = *v;
	to->rank = 4;
	for (uint32_t k = 0; k < 4; k++) {
		to->dims[k] = k < more ? 1 : v->dims[k - more];
		to->strides[k] = k < more ? 0 : v->strides[k - more];
	}
	*axes <<= more;
	return true;
}

/* The factor that TFLite gives a sum of @count numbers; false if it is out of range. */
static bool set_factor(const struct nna_value *out, const struct nna_value *in, uint64_t count,
		       struct nna_ethosu_operation *o)
{
	int32_t multiplier, shift, up;

	nna_requantize_from((double)in->scale / out->scale, &multiplier, &shift);
	up = 63 - __builtin_clzll(count);
	if (up > FACTOR_BITS - shift)
		up = FACTOR_BITS - shift;
	if (!multiplier || up < 0)
		return false;
	o->scale.scale = (uint32_t)(((uint64_t)multiplier << up) / count);
	o->scale.shift = (uint8_t)(shift + up);
	o->rounding = NNA_ETHOSU_ROUND_DOUBLE;
	return true;
}

/* The operation but for its maps. Return: 0, or -ENOTSUP with the reason. */
static int make(const struct nna_lower *l, const struct nna_ethosu_target *target,
		const struct nna_ir_op *op, struct nna_ethosu_operation *o, struct nna_value *in,
		char *reason, size_t size)
{
	const struct nna_value *out = &l->values[op->values[NNA_IR_OUT]];
	const struct nna_value *from = &l->values[op->values[NNA_IR_IN]];
	const bool mean = op->reduce.function == NNA_REDUCE_MEAN;
	uint32_t axes = op->reduce.axes;
	int32_t low, high;

	if (!mean && op->reduce.function != NNA_REDUCE_SUM)
		return nna_ethosu_refuse(reason, size, "the NPU reduces to means and sums alone");
	if (target->generation != NNA_ETHOSU_U65)
		return nna_ethosu_refuse(reason, size, "a mean of this NPU is divided");
	if (op->rounding == NNA_IR_ROUNDS_AS_NNAPI || !(out->scale > 0) || !(from->scale > 0) ||
	    nna_type_size(out->type) != 1 || from->type != out->type)
		return nna_ethosu_refuse(reason, size, "means and sums are of 8 bits, by TFLite's "
					 "rule");
	if (!widen(from, &axes, in) || axes & ~(AXIS_ROWS | AXIS_COLUMNS))
		return nna_ethosu_refuse(reason, size, "axes that are no rows and columns");
	if (in->dims[1] > WINDOW_MOST || in->dims[2] > WINDOW_MOST ||
	    (axes & AXIS_ROWS && in->dims[0] > BATCHES_MOST))
		return nna_ethosu_refuse(reason, size, "%ux%u elements to reduce", in->dims[1],
					 in->dims[2]);
	nna_type_limits(out->type, &low, &high);
	*o = (struct nna_ethosu_operation){
		.code = ETHOSU_OP_POOL,
		.mode = NNA_ETHOSU_POOL_AVERAGE,
		.window = { .height = axes & AXIS_ROWS ? in->dims[1] : 1,
			    .width = axes & AXIS_COLUMNS ? in->dims[2] : 1, .stride_y = 1,
			    .stride_x = 1, .dilation_y = 1, .dilation_x = 1 },
		.one_scale = true,
		.min = low,
		.max = high,
	};
	return set_factor(out, from, mean ? (uint64_t)o->window.height * o->window.width : 1, o) ?
		       0 :
		       nna_ethosu_refuse(reason, size, "scales whose result the NPU rounds "
					 "otherwise");
}

static int reduce_accepts(const struct nna_lower *l, const struct nna_ethosu_target *target,
			  const struct nna_ir_op *op, char *reason, size_t size)
{
	struct nna_ethosu_operation o;
	struct nna_value in;

	if (make(l, target, op, &o, &in, reason, size) ||
	    nna_ethosu_map_view_refuses(&in, reason, size))
		return -ENOTSUP;
	nna_ethosu_map_view(&in, 0, &o.ifm);
	o.ofm = o.ifm;
	o.ofm.height = in.dims[1] - o.window.height + 1;
	o.ofm.width = in.dims[2] - o.window.width + 1;
	o.ifm.bytes = o.ofm.bytes = 1;
	nna_ethosu_block_choose(target, &o);
	return o.block.height ? 0 : nna_ethosu_refuse(reason, size, "the window needs more memory "
						      "than the NPU has");
}

static int reduce_emit(const struct nna_lower *l, const struct nna_ethosu_target *target,
		       const struct nna_ir_op *op, struct nna_ethosu_writer *w)
{
	struct nna_value out = l->values[op->values[NNA_IR_OUT]], in;
	struct nna_ethosu_operation made;
	uint32_t axes = 0;
	char reason[8];

	if (make(l, target, op, &made, &in, reason, sizeof(reason)) || !widen(&out, &axes, &out))
		return -ENOTSUP;
	for (uint32_t i = 0; i < in.dims[0]; i++) {
		struct nna_ethosu_operation o = made;

		nna_ethosu_map_view(&in, i, &o.ifm);
		nna_ethosu_map_view(&out, i, &o.ofm);
		nna_ethosu_map_place(l, op->values[NNA_IR_IN], 0, &o.ifm);
		nna_ethosu_map_place(l, op->values[NNA_IR_OUT], 0, &o.ofm);
		/* Images are alike. */
		if (!i)
			nna_ethosu_block_choose(target, &o);
		made.block = o.block;
		nna_ethosu_writer_operation(w, &o);
	}
	return 0;
}

const struct nna_ethosu_kind nna_ethosu_reduce = { reduce_accepts, NULL, reduce_emit };
