// SPDX-License-Identifier: MIT
/*
 * Functions that add the frequent operations (nna_emit_*). They derive parameters from the types
 * and quantisation of values, and choose integer rules where docs/hardware.md has them.
 *
 * They append to a lowering under construction. An operation on no elements is not added.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "libnnaccel/ir/ir.h"

void nna_activation_bounds(const struct nna_lower *l, uint32_t value, enum nna_activation act,
			   struct nna_ir_bounds *bounds)
{
	const struct nna_value *v = &l->values[value];
	float low = -INFINITY, high = INFINITY;

	switch (act) {
	case NNA_ACT_RELU:
		low = 0;
		break;
	case NNA_ACT_RELU1:
		low = -1;
		high = 1;
		break;
	case NNA_ACT_RELU6:
		low = 0;
		high = 6;
		break;
	default:
		break;
	}
	bounds->min = low;
	bounds->max = high;
	nna_type_limits(v->type, &bounds->q_min, &bounds->q_max);
	if (v->scale > 0) {
		float at_low = roundf(low / v->scale) + v->zero_point;
		float at_high = roundf(high / v->scale) + v->zero_point;
		int32_t q_min = bounds->q_min, q_max = bounds->q_max;

		/* Compared as floats first, because bounds may lie far outside s32. */
		if (at_low > q_min)
			q_min = at_low >= q_max ? q_max : (int32_t)at_low;
		if (at_high < q_max)
			q_max = at_high <= q_min ? q_min : (int32_t)at_high;
		bounds->q_min = q_min;
		bounds->q_max = q_max;
	}
}

uint8_t nna_ir_rounding(const struct nna_lower *l)
{
	return l->rounding;
}

/*
 * Merges dims of two views with the same dims, if their strides allow it, because operations have
 * fewer dims than values. @b may be @a.
 */
static int fold_views(struct nna_lower *l, uint32_t *a, uint32_t *b)
{
	struct nna_value x = l->values[*a], y = l->values[*b];
	int64_t first, second;

	if (x.rank <= NNA_IR_MAX_RANK)
		return 0;
	nna_value_fold(&x, &y);
	first = nna_value_add(l, &x);
	if (first < 0)
		return first;
	second = nna_value_add(l, &y);
	if (second < 0)
		return second;
	*a = first;
	*b = second;
	return 0;
}

int nna_emit_copy(struct nna_lower *l, uint32_t out, uint32_t in)
{
	struct nna_ir_op op = { .kind = NNA_IR_COPY };
	uint32_t values[] = { out, in };
	uint32_t count;

	if (out >= l->value_count || in >= l->value_count)
		return -EINVAL;
	if (!nna_value_same_dims(&l->values[out], &l->values[in]) ||
	    nna_type_size(l->values[out].type) != nna_type_size(l->values[in].type))
		return -EINVAL;
	if (!nna_value_count(&l->values[out], &count))
		return -ENOTSUP;
	if (!count)
		return 0;
	return fold_views(l, &values[0], &values[1]) ?: nna_ir_add(l, &op, values);
}

int64_t nna_emit_reshape(struct nna_lower *l, uint32_t value, uint32_t rank, const uint32_t *dims)
{
	int64_t view = nna_view_reshape(l, value, rank, dims), copy;
	struct nna_value v;
	int ret;

	if (view != NNA_NO_VALUE)
		return view;
	v = l->values[value];
	copy = nna_lower_scratch(l, v.type, v.rank, v.dims, v.scale, v.zero_point);
	if (copy < 0)
		return copy;
	nna_value_take_channels(&l->values[copy], &v);
	ret = nna_emit_copy(l, copy, value);
	return ret ? ret : nna_view_reshape(l, copy, rank, dims);
}

int nna_emit_fill(struct nna_lower *l, uint32_t out, uint64_t bits)
{
	struct nna_ir_op op = { .kind = NNA_IR_FILL };
	uint32_t size, count;

	if (out >= l->value_count)
		return -EINVAL;
	if (!nna_value_count(&l->values[out], &count))
		return -ENOTSUP;
	if (!count)
		return 0;
	size = nna_type_size(l->values[out].type);
	op.fill.bits = size < 8 ? bits & ((1ull << (8 * size)) - 1) : bits;
	return fold_views(l, &out, &(uint32_t){ out }) ?: nna_ir_add(l, &op, &out);
}

static bool same_quantisation(const struct nna_value *a, const struct nna_value *b)
{
	return a->type == b->type && a->scale == b->scale && a->zero_point == b->zero_point;
}

/* Converts @in to the type and quantisation of @out. */
static int add_identity(struct nna_lower *l, uint32_t out, uint32_t in, enum nna_activation act,
			uint8_t rounding)
{
	const struct nna_value *o = &l->values[out], *i = &l->values[in];
	struct nna_ir_op op = { .kind = NNA_IR_UNARY, .rounding = rounding };

	nna_activation_bounds(l, out, act, &op.bounds);
	if (same_quantisation(o, i)) {
		op.kind = NNA_IR_CLAMP;
	} else if (nna_value_is_quantised(o) && nna_value_is_quantised(i)) {
		op.kind = NNA_IR_RESCALE;
		nna_requantize_from((double)i->scale / o->scale, &op.rescale.multiplier,
				    &op.rescale.shift);
	} else {
		op.elementwise.function = NNA_FN_IDENTITY;
	}
	return nna_ir_add(l, &op, (uint32_t[]){ out, in });
}

int nna_emit_requantize(struct nna_lower *l, uint32_t out, uint32_t in)
{
	const struct nna_value *o, *i;
	bool bytes;

	if (out >= l->value_count || in >= l->value_count)
		return -EINVAL;
	o = &l->values[out];
	i = &l->values[in];
	bytes = nna_value_is_quantised(o) && nna_value_is_quantised(i) &&
		nna_type_size(o->type) == 1 && nna_type_size(i->type) == 1;
	if (l->rounding == NNA_IR_ROUNDS_AS_NNAPI || !bytes)
		return nna_emit_ewise(l, NNA_FN_IDENTITY, out, in, NNA_NO_VALUE, NNA_NO_VALUE,
				      NNA_ACT_NONE, 0);
	return add_identity(l, out, in, NNA_ACT_NONE, l->rounding);
}

/* nna_emit_ewise() with the rounding @rounding, of enum nna_ir_rounding. */
static int emit_ewise(struct nna_lower *l, enum nna_function function, uint32_t out, uint32_t a,
		      uint32_t b, uint32_t c, enum nna_activation act, float alpha,
		      uint8_t rounding)
{
	struct nna_ir_op op = {
		.rounding = rounding,
		.elementwise = { .function = function, .alpha = alpha },
	};
	uint32_t values[4] = { out, a, b, c };
	uint32_t count;

	if (out >= l->value_count)
		return -EINVAL;
	for (int i = 1; i < 4; i++) {
		const struct nna_value *o = &l->values[out];
		uint32_t dims[NNACCEL_MAX_RANK];
		int64_t view;

		if (values[i] == NNA_NO_VALUE)
			continue;
		if (values[i] >= l->value_count)
			return -EINVAL;
		if (nna_value_same_dims(&l->values[values[i]], o))
			continue;
		memcpy(dims, o->dims, sizeof(dims));
		view = nna_view_broadcast(l, values[i], o->rank, dims);
		if (view < 0)
			return view;
		values[i] = view;
	}
	if (!nna_value_count(&l->values[out], &count))
		return -ENOTSUP;
	if (!count)
		return 0;
	if (function == NNA_FN_IDENTITY)
		return values[1] == NNA_NO_VALUE ? -EINVAL :
						   add_identity(l, out, values[1], act,
								NNA_IR_ROUNDS_AS_NNAPI);
	op.kind = function == NNA_FN_SELECT  ? NNA_IR_SELECT :
		  function == NNA_FN_MUL_ADD ? NNA_IR_MUL_ADD :
		  function >= NNA_FN_ADD     ? NNA_IR_BINARY :
					       NNA_IR_UNARY;
	nna_activation_bounds(l, out, act, &op.bounds);
	return nna_ir_add(l, &op, values);
}

static bool is_wide(const struct nna_lower *l, uint32_t value)
{
	return value < l->value_count && nna_value_is_quantised(&l->values[value]) &&
	       nna_type_size(l->values[value].type) == 2;
}

int nna_emit_ewise(struct nna_lower *l, enum nna_function function, uint32_t out, uint32_t a,
		   uint32_t b, uint32_t c, enum nna_activation act, float alpha)
{
	bool wide = is_wide(l, out) || is_wide(l, a) || is_wide(l, b) || is_wide(l, c);

	return emit_ewise(l, function, out, a, b, c, act, alpha,
			  wide ? NNA_IR_ROUNDS_AS_NNAPI : l->rounding);
}

int nna_emit_arithmetic(struct nna_lower *l, enum nna_function function, uint32_t out, uint32_t a,
			uint32_t b, enum nna_activation act)
{
	/* NNAPI's sums and products are rounded once. */
	return emit_ewise(l, function, out, a, b, NNA_NO_VALUE, act, 0,
			  l->once ? NNA_IR_ROUNDS_AS_NNAPI : l->rounding);
}

int nna_emit_reduce(struct nna_lower *l, enum nna_reduce function, uint32_t out, uint32_t in,
		    uint32_t axes)
{
	struct nna_ir_op op = {
		.kind = NNA_IR_REDUCE,
		.rounding = l->rounding,
		.reduce = { .function = function, .axes = axes },
	};
	uint32_t values[2] = { out, in };
	uint32_t dims[NNACCEL_MAX_RANK];
	const struct nna_value *v;
	uint32_t count;

	if (out >= l->value_count || in >= l->value_count)
		return -EINVAL;
	v = &l->values[in];
	if (axes >> v->rank)
		return -EINVAL;
	for (uint32_t k = 0; k < v->rank; k++)
		dims[k] = axes & (1u << k) ? 1 : v->dims[k];
	if (!nna_value_count(&l->values[out], &count))
		return -ENOTSUP;
	if (!count)
		return 0;
	if (l->values[out].rank != v->rank ||
	    memcmp(l->values[out].dims, dims, sizeof(dims[0]) * v->rank)) {
		int64_t view = nna_view_reshape(l, out, v->rank, dims);

		if (view < 0)
			return view;
		if (view == NNA_NO_VALUE)
			return -EINVAL;
		values[0] = view;
	}
	nna_activation_bounds(l, out, NNA_ACT_NONE, &op.bounds);
	return nna_ir_add(l, &op, values);
}

/* True if quantised weights have one scale, or one for each of @n channels along @axis. */
static bool scales_fit(const struct nna_value *weights, uint32_t axis, uint32_t n)
{
	if (!weights->channel_scales)
		return weights->scale > 0;
	return weights->channel_count == n && (n <= 1 || weights->channel_dim == axis);
}

const struct nna_conv_params nna_conv_plain = {
	.groups = 1,
	.stride_h = 1,
	.stride_w = 1,
	.dilation_h = 1,
	.dilation_w = 1,
};

int nna_emit_conv2d(struct nna_lower *l, uint32_t out, uint32_t in, uint32_t weights,
		    uint32_t bias, const struct nna_conv_params *params)
{
	uint32_t values[] = { out, in, weights, bias, NNA_NO_VALUE, NNA_NO_VALUE };
	struct nna_ir_op op = { .kind = NNA_IR_CONV2D, .rounding = l->rounding };
	const struct nna_value *vo, *vi, *vw;
	uint32_t count;

	if (out >= l->value_count || in >= l->value_count || weights >= l->value_count ||
	    (bias != NNA_NO_VALUE && bias >= l->value_count))
		return -EINVAL;
	vo = &l->values[out];
	vi = &l->values[in];
	vw = &l->values[weights];
	if (vo->rank != 4 || vi->rank != 4 || vw->rank != 4)
		return -EINVAL;
	if (!nna_value_count(vo, &count))
		return -ENOTSUP;
	if (!count)
		return 0;
	if (!nna_type_is_float(vo->type) && !scales_fit(vw, 0, vw->dims[0]))
		return -EINVAL;
	op.conv2d = (struct nna_ir_conv2d){
		.groups = params->groups,
		.kernel_h = vw->dims[1],
		.kernel_w = vw->dims[2],
		.stride_h = params->stride_h,
		.stride_w = params->stride_w,
		.dilation_h = params->dilation_h,
		.dilation_w = params->dilation_w,
		.pad_top = params->pad_top,
		.pad_left = params->pad_left,
	};
	if ((params->once || l->once) && op.rounding == NNA_IR_ROUNDS_AS_TFLITE)
		op.rounding = NNA_IR_ROUNDS_AS_TFLITE_ONCE;
	nna_activation_bounds(l, out, params->act, &op.bounds);
	return nna_ir_add(l, &op, values);
}

int nna_emit_matmul(struct nna_lower *l, uint32_t out, uint32_t a, uint32_t b)
{
	struct nna_ir_op op = {
		.kind = NNA_IR_MATMUL,
		.rounding = l->once ? NNA_IR_ROUNDS_AS_TFLITE_ONCE : l->rounding,
	};
	uint32_t values[] = { out, a, b, NNA_NO_VALUE, NNA_NO_VALUE, NNA_NO_VALUE };
	const struct nna_value *vo, *va, *vb;
	uint32_t count;

	if (out >= l->value_count || a >= l->value_count || b >= l->value_count)
		return -EINVAL;
	vo = &l->values[out];
	va = &l->values[a];
	vb = &l->values[b];
	if (vo->rank != 3 || va->rank != 3 || vb->rank != 3)
		return -EINVAL;
	if (!nna_value_count(vo, &count))
		return -ENOTSUP;
	if (!count)
		return 0;
	if (!nna_type_is_float(vo->type) && !scales_fit(vb, 2, vo->dims[2]))
		return -EINVAL;
	nna_activation_bounds(l, out, NNA_ACT_NONE, &op.bounds);
	return nna_ir_add(l, &op, values);
}
