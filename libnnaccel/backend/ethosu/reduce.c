// SPDX-License-Identifier: MIT
/*
 * REDUCE of 8 bits: the mean and the sum over rows and columns of images, by TFLite's rule: the sum
 * of numbers without their zero point is multiplied once. There is one window, the whole image.
 *
 *	U65	a pool, whose factor can be any
 *	U85	divides in pools; so it is a DEPTHWISE of weights that are 1, which pack() makes,
 *		with records of the factor
 */
#include <errno.h>
#include <stdlib.h>

#include "libnnaccel/backend/ethosu/packed.h"

/* Operands that pack() adds. */
#define STREAMS 2u
#define RECORDS 3u

#define AXIS_ROWS 2u
#define AXIS_COLUMNS 4u
#define WINDOW_MOST 256u
#define KERNEL_MOST 64u /* rows and columns of a DEPTHWISE */
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
	const uint32_t most = pool ? WINDOW_MOST : KERNEL_MOST;
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

/* The weights of a DEPTHWISE, all of which are one byte: without strides. */
static struct nna_ethosu_weights weights_of(const struct nna_ethosu_target *target,
					    const struct nna_ethosu_operation *o)
{
	static const int8_t one = 1;

	return (struct nna_ethosu_weights){
		.target = target,
		.depthwise = true,
		.ifm_bytes = 1,
		.ofm_depth = o->ofm.depth,
		.ifm_depth = 1,
		.height = o->window.height,
		.width = o->window.width,
		.stride_y = 1,
		.stride_x = 1,
		.dilation_y = 1,
		.dilation_x = 1,
		.block_depth = o->block.depth,
		.microblock = nna_ethosu_block_elements(target, o->block.microblock),
		.is_signed = true,
		.data = &one,
	};
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
	for (uint32_t i = 0; i < target->streams && o.code == ETHOSU_OP_DEPTHWISE; i++) {
		const struct nna_ethosu_weights w = weights_of(target, &o);

		if (nna_ethosu_order_count(&w, i) > NNA_ETHOSU_VALUES_MAX)
			return nna_ethosu_refuse(reason, size, "%ux%u elements of %u channels are "
						 "too many weights", o.window.height,
						 o.window.width, o.ofm.depth);
	}
	return 0;
}

/* Return: the value of the streams. */
static int64_t add_streams(struct nna_lower *l, const struct nna_ethosu_weights *weights)
{
	struct nna_ethosu_bytes bytes = { 0 };
	int64_t value = nna_ethosu_bytes_add(&bytes, NULL, NNA_ETHOSU_SIZES_SIZE) ?:
			nna_ethosu_packed_add_streams(&bytes, weights, 0);

	if (!value)
		value = nna_ethosu_bytes_constant(l, &bytes);
	free(bytes.data);
	return value;
}

/* Return: the value of the records, which are alike. */
static int64_t add_records(struct nna_lower *l, const struct nna_ethosu_target *target,
			   const struct nna_ethosu_operation *o)
{
	const struct nna_ethosu_record record = {
		.scale = o->scale.scale,
		.shift = o->scale.shift,
	};
	struct nna_ethosu_bytes bytes = { 0 };
	int64_t value = nna_ethosu_bytes_add(&bytes, NULL, nna_ethosu_packed_records_size(
						target, o->ofm.depth, 0));

	for (uint32_t i = 0; i < o->ofm.depth && !value; i++)
		value = nna_ethosu_record_write(target->generation, false, &record,
						bytes.data + (uint64_t)i * NNA_ETHOSU_RECORD_SIZE);
	if (!value)
		value = nna_ethosu_bytes_constant(l, &bytes);
	free(bytes.data);
	return value;
}

static int reduce_pack(struct nna_lower *l, const struct nna_ethosu_target *target, uint32_t index)
{
	const struct nna_ir_op op = l->ops[index];
	struct nna_ethosu_operation o;
	struct nna_ethosu_weights w;
	int64_t streams, records;
	struct nna_value in;
	char reason[8];

	if (make(l, target, &op, &o, &in, reason, sizeof(reason)))
		return -ENOTSUP;
	if (o.code != ETHOSU_OP_DEPTHWISE || op.operand_count > STREAMS)
		return 0;
	set_maps(&in, &in, 0, &o);
	nna_ethosu_block_choose(target, &o);
	w = weights_of(target, &o);
	streams = add_streams(l, &w);
	records = streams < 0 ? streams : add_records(l, target, &o);
	if (records < 0)
		return (int)records;
	l->ops[index].values[STREAMS] = (uint32_t)streams;
	l->ops[index].values[RECORDS] = (uint32_t)records;
	l->ops[index].operand_count = RECORDS + 1;
	return 0;
}

static int reduce_emit(const struct nna_lower *l, const struct nna_ethosu_target *target,
		       const struct nna_ir_op *op, struct nna_ethosu_writer *w)
{
	struct nna_value out = l->values[op->values[NNA_IR_OUT]], in;
	struct nna_ethosu_packed packed = { .streams_at = NNA_ETHOSU_SIZES_SIZE };
	struct nna_ethosu_operation o;
	uint32_t axes = 0;
	char reason[8];

	if (make(l, target, op, &o, &in, reason, sizeof(reason)) || !widen(&out, &axes, &out))
		return -ENOTSUP;
	if (o.code == ETHOSU_OP_DEPTHWISE && op->operand_count <= RECORDS)
		return -ENOTSUP;
	/* The block is that of accepts() and pack(), which do not see where maps lie. */
	set_maps(&in, &in, 0, &o);
	nna_ethosu_block_choose(target, &o);
	if (o.code == ETHOSU_OP_DEPTHWISE) {
		packed.streams = &l->values[op->values[STREAMS]];
		packed.records = &l->values[op->values[RECORDS]];
		packed.depth = o.ofm.depth;
		nna_ethosu_packed_place(l, target, &packed, 0, &o);
	}
	for (uint32_t i = 0; i < in.dims[0]; i++) {
		set_maps(&in, &out, i, &o);
		nna_ethosu_map_place(l, op->values[NNA_IR_IN], 0, &o.ifm);
		nna_ethosu_map_place(l, op->values[NNA_IR_OUT], 0, &o.ofm);
		nna_ethosu_writer_operation(w, &o);
	}
	return 0;
}

const struct nna_ethosu_kind nna_ethosu_reduce = { reduce_accepts, reduce_pack, reduce_emit };
