// SPDX-License-Identifier: MIT
/*
 * REDUCE of 8 bits: the mean and the sum over rows and columns of images, by TFLite's rule: the sum
 * of numbers without their zero point is multiplied once. There is one window, the whole image.
 *
 *	U65	a pool, whose factor can be any
 *	U85	divides in pools; so it is a DEPTHWISE of weights that are 1 (ones.h)
 */
#include <errno.h>

#include "libnnaccel/backend/ethosu/ones.h"

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
	const bool pool = target->generation == NNA_ETHOSU_U65;
	const uint32_t most = pool ? WINDOW_MOST : NNA_ETHOSU_ONES_MOST;
	uint32_t axes = op->reduce.axes;
	int32_t low, high;

	if (!mean && op->reduce.function != NNA_REDUCE_SUM)
		return nna_ethosu_refuse(reason, size, "the NPU reduces to means and sums alone");
	if (op->rounding == NNA_IR_ROUNDS_AS_NNAPI || !(out->scale > 0) || !(from->scale > 0) ||
	    nna_type_size(out->type) != 1 || from->type != out->type)
		return nna_ethosu_refuse(reason, size, "means and sums are of 8 bits, by TFLite's "
					 "rule");
	if (!widen(from, &axes, in) || axes & ~(AXIS_ROWS | AXIS_COLUMNS))
		return nna_ethosu_refuse(reason, size, "axes that are no rows and columns");
	if (in->dims[1] > most || in->dims[2] > most ||
	    (axes & AXIS_ROWS && in->dims[0] > BATCHES_MOST))
		return nna_ethosu_refuse(reason, size, "%ux%u elements to reduce", in->dims[1],
					 in->dims[2]);
	nna_type_limits(out->type, &low, &high);
	*o = (struct nna_ethosu_operation){
		.code = pool ? ETHOSU_OP_POOL : ETHOSU_OP_DEPTHWISE,
		.mode = pool ? NNA_ETHOSU_POOL_AVERAGE : 0,
		.window = { .height = axes & AXIS_ROWS ? in->dims[1] : 1,
			    .width = axes & AXIS_COLUMNS ? in->dims[2] : 1, .stride_y = 1,
			    .stride_x = 1, .dilation_y = 1, .dilation_x = 1 },
		.one_scale = pool,
		.min = low,
		.max = high,
	};
	return set_factor(out, from, mean ? (uint64_t)o->window.height * o->window.width : 1, o) ?
		       0 :
		       nna_ethosu_refuse(reason, size, "scales whose result the NPU rounds "
					 "otherwise");
}

/* The maps of image @image, of views [b, h, w, c], but for regions. */
static void set_maps(const struct nna_value *in, const struct nna_value *out, uint32_t image,
		     struct nna_ethosu_operation *o)
{
	nna_ethosu_map_view(in, image, &o->ifm);
	nna_ethosu_map_view(out, image, &o->ofm);
	o->ofm.height = in->dims[1] - o->window.height + 1;
	o->ofm.width = in->dims[2] - o->window.width + 1;
	o->ofm.depth = in->dims[3];
	o->ifm.bytes = o->ofm.bytes = 1;
}

static int reduce_accepts(const struct nna_lower *l, const struct nna_ethosu_target *target,
			  const struct nna_ir_op *op, char *reason, size_t size)
{
	struct nna_ethosu_operation o;
	struct nna_value in;

	if (make(l, target, op, &o, &in, reason, size) ||
	    nna_ethosu_map_view_refuses(&in, reason, size))
		return -ENOTSUP;
	set_maps(&in, &in, 0, &o);
	nna_ethosu_block_choose(target, &o);
	if (!o.block.height)
		return nna_ethosu_refuse(reason, size, "the window needs more memory than the NPU "
					 "has");
	if (o.code == ETHOSU_OP_DEPTHWISE && nna_ethosu_ones_refuses(target, &o, reason, size))
		return -ENOTSUP;
	return 0;
}

static int reduce_pack(struct nna_lower *l, const struct nna_ethosu_target *target, uint32_t index)
{
	struct nna_ethosu_operation o;
	struct nna_value in;
	char reason[8];

	if (make(l, target, &l->ops[index], &o, &in, reason, sizeof(reason)))
		return -ENOTSUP;
	if (o.code != ETHOSU_OP_DEPTHWISE)
		return 0;
	set_maps(&in, &in, 0, &o);
	nna_ethosu_block_choose(target, &o);
	return nna_ethosu_ones_pack(l, target, index, &o);
}

static int reduce_emit(const struct nna_lower *l, const struct nna_ethosu_target *target,
		       const struct nna_ir_op *op, struct nna_ethosu_writer *w)
{
	struct nna_value out = l->values[op->values[NNA_IR_OUT]], in;
	struct nna_ethosu_operation o;
	uint32_t axes = 0;
	char reason[8];

	if (make(l, target, op, &o, &in, reason, sizeof(reason)) || !widen(&out, &axes, &out))
		return -ENOTSUP;
	/* The block is that of accepts() and pack(), which do not see where maps lie. */
	set_maps(&in, &in, 0, &o);
	nna_ethosu_block_choose(target, &o);
	if (o.code == ETHOSU_OP_DEPTHWISE && nna_ethosu_ones_place(l, target, op, &o))
		return -ENOTSUP;
	for (uint32_t i = 0; i < in.dims[0]; i++) {
		set_maps(&in, &out, i, &o);
		nna_ethosu_map_place(l, op->values[NNA_IR_IN], 0, &o.ifm);
		nna_ethosu_map_place(l, op->values[NNA_IR_OUT], 0, &o.ofm);
		nna_ethosu_writer_operation(w, &o);
	}
	return 0;
}

const struct nna_ethosu_kind nna_ethosu_reduce = { reduce_accepts, reduce_pack, reduce_emit };
