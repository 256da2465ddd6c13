// SPDX-License-Identifier: MIT
/*
 * One maker for each family of operations, and the table of all. What does not fit together is
 * taken back.
 */
#include <string.h>

#include "tests/random/maker.h"

#define RANK NNACCEL_MAX_RANK

static bool often(struct nnr_maker *m)
{
	return !nnr_once_in(&m->r, 4);
}

static int32_t any_axis(struct nnr_maker *m, uint32_t rank)
{
	return nnr_range(&m->r, -(int32_t)rank, (int32_t)rank - 1);
}

static int pick(struct nnr_maker *m, nnr_types types, uint32_t least, uint32_t most)
{
	return nnr_pick(m, &(struct nnr_wanted){ types, least, most, false });
}

/* An input as pick() finds, which may also have no elements. */
static int pick_any(struct nnr_maker *m, nnr_types types, uint32_t least, uint32_t most)
{
	return nnr_pick(m, &(struct nnr_wanted){ types, least, most, true });
}

static void input_activation(struct nnr_maker *m, uint32_t type)
{
	nnr_input_i32(m, type == NNA_OPERAND_TENSOR_INT32 || often(m) ? 0 : nnr_range(&m->r, 1, 3));
}

/*
 * The optional layout; NHWC may also be left out. Return: whether it is given, so that what comes
 * after it may be given, too.
 */
static bool input_layout(struct nnr_maker *m, bool nchw)
{
	if (!nchw && nnr_once_in(&m->r, 2))
		return false;
	nnr_input_bool(m, nchw);
	return true;
}

/* A tensor that goes with @a element by element. */
static int partner(struct nnr_maker *m, int a)
{
	const struct nnr_operand *x = nnr_at(m, a);
	uint32_t rank = x->rank, dims[RANK];
	int number;

	if (nnr_once_in(&m->r, 8))
		return a;
	if (nnr_once_in(&m->r, 3)) {
		number = pick_any(m, NNR_BIT(x->type), 1, 4);
		if (number >= 0)
			return number;
	}
	memcpy(dims, x->dims, sizeof(dims));
	for (uint32_t k = 0; k < rank; k++) {
		if (nnr_once_in(&m->r, 4))
			dims[k] = 1;
		else if (dims[k] == 1 && nnr_once_in(&m->r, 2))
			dims[k] = nnr_random_dim(m);
	}
	while (rank > 1 && nnr_once_in(&m->r, 4))
		memmove(dims, dims + 1, --rank * sizeof(dims[0]));
	return nnr_new_tensor(m, x->type, rank, dims);
}

static bool make_binary(struct nnr_maker *m, uint32_t type)
{
	nnr_types types = NNR_NUMBERS;
	int a, b;

	if (type == NNA_OPERATION_DIV || type == NNA_OPERATION_FLOOR_DIV ||
	    type == NNA_OPERATION_FLOOR_MOD)
		types = NNR_FLOATS | NNR_I32;
	else if (type == NNA_OPERATION_BITWISE_XOR || type == NNA_OPERATION_RIGHT_SHIFT)
		types = NNR_I32;
	else if (type == NNA_OPERATION_POW)
		types = NNR_FLOATS;
	else if (type == NNA_OPERATION_PRELU)
		types = NNR_USUAL;
	a = pick_any(m, types, 1, 4);
	b = partner(m, a);
	if (nnr_once_in(&m->r, 2)) {
		nnr_input(m, a);
		nnr_input(m, b);
	} else {
		nnr_input(m, b);
		nnr_input(m, a);
	}
	if (type <= NNA_OPERATION_SUB)
		input_activation(m, nnr_at(m, a)->type);
	if (type == NNA_OPERATION_MAXIMUM && nnr_once_in(&m->r, 2))
		nnr_output_like(m, a);
	else
		nnr_output(m, nnr_at(m, a)->type);
	return true;
}

static bool make_compare(struct nnr_maker *m, uint32_t type)
{
	bool logic = type == NNA_OPERATION_LOGICAL_AND || type == NNA_OPERATION_LOGICAL_OR;
	int a = pick_any(m, logic ? NNR_BOOL : NNR_NUMBERS | NNR_BOOL, 1, 4);

	nnr_input(m, a);
	nnr_input(m, partner(m, a));
	nnr_output(m, NNA_OPERAND_TENSOR_BOOL8);
	return true;
}

/* An output whose scale and zero point the specification states. */
static void output_fixed_range(struct nnr_maker *m, int like, float scale, int32_t zero_of_unsigned)
{
	uint32_t type = nnr_at(m, like)->type;

	if (!nnr_is_quantised(type))
		nnr_output(m, type);
	else
		nnr_output_fixed(m, type, scale,
				 zero_of_unsigned -
					 (type == NNA_OPERAND_TENSOR_QUANT8_ASYMM ? 0 : 128));
}

static bool make_unary(struct nnr_maker *m, uint32_t type)
{
	nnr_types types = NNR_FLOATS;
	int in;

	switch (type) {
	case NNA_OPERATION_ABS:
	case NNA_OPERATION_NEG:
		types |= NNR_I32;
		break;
	case NNA_OPERATION_RELU:
	case NNA_OPERATION_RELU1:
	case NNA_OPERATION_RELU6:
	case NNA_OPERATION_TANH:
	case NNA_OPERATION_LOGISTIC:
	case NNA_OPERATION_HARD_SWISH:
	case NNA_OPERATION_LEAKY_RELU:
	case NNA_OPERATION_RSQRT:
		types |= NNR_QUANT;
		break;
	case NNA_OPERATION_LOGICAL_NOT:
		types = NNR_BOOL;
		break;
	}
	in = pick_any(m, types, 1, 4);
	nnr_input(m, in);
	if (type == NNA_OPERATION_ELU)
		nnr_input_float(m, in, nnr_uniform(&m->r, -1, 2));
	if (type == NNA_OPERATION_LEAKY_RELU) {
		int like = nnr_is_quantised(nnr_at(m, in)->type) ? -1 : in;

		nnr_input_float(m, like, nnr_uniform(&m->r, 0, 1));
	}
	if (type == NNA_OPERATION_TANH)
		output_fixed_range(m, in, 1.0f / 128, 128);
	else if (type == NNA_OPERATION_LOGISTIC)
		output_fixed_range(m, in, 1.0f / 256, 0);
	else if (type == NNA_OPERATION_HARD_SWISH || type == NNA_OPERATION_LEAKY_RELU ||
		 type == NNA_OPERATION_RSQRT)
		nnr_output(m, nnr_at(m, in)->type);
	else
		nnr_output_like(m, in);
	return true;
}

static bool make_select(struct nnr_maker *m, uint32_t type)
{
	int a = pick_any(m, NNR_NUMBERS, 1, 4);
	const struct nnr_operand *x = nnr_at(m, a);
	int condition = nnr_new_tensor(m, NNA_OPERAND_TENSOR_BOOL8, x->rank, x->dims);

	nnr_input(m, condition);
	nnr_input(m, a);
	nnr_input(m, nnr_once_in(&m->r, 2)
			     ? nnr_new_like(m, a, nnr_at(m, a)->rank, nnr_at(m, a)->dims)
			     : nnr_new_tensor(m, nnr_at(m, a)->type, nnr_at(m, a)->rank,
					      nnr_at(m, a)->dims));
	if (nnr_once_in(&m->r, 2))
		nnr_output_like(m, a);
	else
		nnr_output(m, nnr_at(m, a)->type);
	return true;
}

static bool make_convert(struct nnr_maker *m, uint32_t type)
{
	nnr_types from = type == NNA_OPERATION_QUANTIZE	  ? NNR_FLOATS
			 : type == NNA_OPERATION_DEQUANTIZE ? NNR_QUANT
							    : NNR_FLOATS | NNR_I32 | NNR_U8;
	nnr_types to = type == NNA_OPERATION_QUANTIZE	? NNR_QUANT
		       : type == NNA_OPERATION_DEQUANTIZE ? NNR_FLOATS
						: NNR_FLOATS | NNR_I32 | NNR_U8;
	int in = pick_any(m, from, 1, 4);
	uint32_t result = nnr_random_type(m, to);

	nnr_input(m, in);
	if (type == NNA_OPERATION_CAST && result == nnr_at(m, in)->type)
		nnr_output_like(m, in);
	else
		nnr_output(m, result);
	return true;
}

/* ---- windows */

static int32_t small(struct nnr_maker *m, int32_t most)
{
	int32_t n = nnr_range(&m->r, 1, most);

	return nnr_once_in(&m->r, 2) ? n : nnr_range(&m->r, 1, n);
}

/* A padding scheme, or explicit paddings, which are less than the filter. */
static void input_padding(struct nnr_maker *m, const uint32_t filter[2])
{
	if (nnr_once_in(&m->r, 2)) {
		nnr_input_i32(m, nnr_range(&m->r, 1, 2));
		return;
	}
	for (int k = 0; k < 4; k++)
		nnr_input_i32(m, nnr_range(&m->r, 0, (int32_t)filter[k < 2] - 1));
}

static void input_strides(struct nnr_maker *m)
{
	bool one = nnr_once_in(&m->r, 2);

	for (int k = 0; k < 2; k++)
		nnr_input_i32(m, one ? 1 : small(m, 3));
}

/* A tensor of rank 4, which exists or is new and small. */
static int pick_image(struct nnr_maker *m, nnr_types types)
{
	uint32_t dims[4] = { nnr_once_in(&m->r, 3) ? 2 : 1, (uint32_t)small(m, 14),
			     (uint32_t)small(m, 14), nnr_random_dim(m) };

	if (nnr_once_in(&m->r, 2))
		return pick(m, types, 4, 4);
	return nnr_new_tensor(m, nnr_random_type(m, types), 4, dims);
}

/* Weights: floats as the input; quantised as it, or per channel along @channel. */
static int new_weights(struct nnr_maker *m, int in, const uint32_t dims[4], int channel)
{
	uint32_t type = nnr_at(m, in)->type;
	struct nnr_operand *w;
	int number;

	if (nnr_is_quantised(type) && channel >= 0 && dims[channel] <= NNR_MAX_CHANNELS &&
	    nnr_once_in(&m->r, 2))
		type = NNA_OPERAND_TENSOR_QUANT8_SYMM_PER_CHANNEL;
	number = nnr_new_tensor(m, type, 4, dims);
	w = nnr_at(m, number);
	if (number < 0)
		return number;
	if (often(m))
		w->kind = NNR_CONSTANT;
	if (type == NNA_OPERAND_TENSOR_QUANT8_SYMM_PER_CHANNEL) {
		w->kind = NNR_CONSTANT;
		w->scale = 0;
		w->zero_point = 0;
		w->channel_dim = (uint32_t)channel;
		w->channel_count = dims[channel];
		for (uint32_t k = 0; k < w->channel_count; k++)
			w->channel_scales[k] = (float)exp2(nnr_uniform(&m->r, -9, -2));
	}
	return number;
}

static int new_bias(struct nnr_maker *m, int in, int weights, uint32_t channels)
{
	uint32_t type = nnr_at(m, in)->type;
	int number = nnr_new_tensor(m, nnr_is_quantised(type) ? NNA_OPERAND_TENSOR_INT32 : type, 1,
				    &channels);
	struct nnr_operand *bias = nnr_at(m, number);

	if (number < 0 || !nnr_is_quantised(type))
		return number;
	if (often(m))
		bias->kind = NNR_CONSTANT;
	bias->scale = nnr_at(m, in)->scale * nnr_at(m, weights)->scale;
	for (uint32_t k = 0; k < channels; k++)
		nnr_store(NNA_OPERAND_TENSOR_INT32, bias->data, k, nnr_range(&m->r, -3000, 3000));
	return number;
}

static bool make_conv(struct nnr_maker *m, uint32_t type)
{
	bool depthwise = type == NNA_OPERATION_DEPTHWISE_CONV_2D,
	     grouped = type == NNA_OPERATION_GROUPED_CONV_2D;
	int in = pick_image(m, NNR_USUAL);
	bool nchw = nnr_once_in(&m->r, 4);
	uint32_t c = nnr_at(m, in)->dims[nchw ? 1 : 3], extra = 1, dims[4], channels;
	int weights;

	dims[1] = (uint32_t)small(m, 5);
	dims[2] = (uint32_t)small(m, 5);
	if (depthwise) {
		extra = (uint32_t)small(m, 3);
		channels = c * extra;
		dims[0] = 1;
		dims[3] = channels;
	} else {
		if (grouped) {
			extra = (uint32_t)small(m, 4);
			while (c % extra)
				extra--;
		}
		channels = nnr_random_dim(m) * extra;
		dims[0] = channels;
		dims[3] = c / extra;
	}
	weights = new_weights(m, in, dims, depthwise ? 3 : 0);
	nnr_input(m, in);
	nnr_input(m, weights);
	nnr_input(m, new_bias(m, in, weights, channels));
	input_padding(m, dims + 1);
	input_strides(m);
	if (depthwise || grouped)
		nnr_input_i32(m, (int32_t)extra);
	input_activation(m, nnr_at(m, in)->type);
	if (grouped) {
		nnr_input_bool(m, nchw);
	} else if (input_layout(m, nchw) && nnr_once_in(&m->r, 2)) {
		nnr_input_i32(m, small(m, 3));
		nnr_input_i32(m, small(m, 3));
	}
	nnr_output(m, nnr_at(m, in)->type);
	return true;
}

static bool make_transpose_conv(struct nnr_maker *m, uint32_t type)
{
	int in = pick_image(m, NNR_USUAL);
	bool nchw = nnr_once_in(&m->r, 4);
	uint32_t dims[4] = { nnr_random_dim(m), (uint32_t)small(m, 4), (uint32_t)small(m, 4),
			     nnr_at(m, in)->dims[nchw ? 1 : 3] };
	int32_t stride_w = small(m, 3), stride_h = small(m, 3), shape[4],
		scheme = nnr_range(&m->r, 1, 2);
	int weights = new_weights(m, in, dims, 0);

	nnr_input(m, in);
	nnr_input(m, weights);
	nnr_input(m, new_bias(m, in, weights, dims[0]));
	if (nnr_once_in(&m->r, 2)) {
		int32_t h = (int32_t)nnr_at(m, in)->dims[nchw ? 2 : 1],
			w = (int32_t)nnr_at(m, in)->dims[nchw ? 3 : 2];

		/* Sizes from which a convolution would have made the input. */
		shape[0] = (int32_t)nnr_at(m, in)->dims[0];
		shape[nchw ? 1 : 3] = (int32_t)dims[0];
		shape[nchw ? 2 : 1] = scheme == 1 ? h * stride_h - nnr_range(&m->r, 0, stride_h - 1)
						  : (h - 1) * stride_h + (int32_t)dims[1];
		shape[nchw ? 3 : 2] = scheme == 1 ? w * stride_w - nnr_range(&m->r, 0, stride_w - 1)
						  : (w - 1) * stride_w + (int32_t)dims[2];
		nnr_input_list(m, 4, shape);
		nnr_input_i32(m, scheme);
	} else {
		for (int k = 0; k < 4; k++)
			nnr_input_i32(m, nnr_range(&m->r, 0, (int32_t)dims[k < 2 ? 2 : 1] - 1));
	}
	nnr_input_i32(m, stride_w);
	nnr_input_i32(m, stride_h);
	input_activation(m, nnr_at(m, in)->type);
	nnr_input_bool(m, nchw);
	nnr_output(m, nnr_at(m, in)->type);
	return true;
}

static bool make_pool(struct nnr_maker *m, uint32_t type)
{
	int in = pick_image(m, type == NNA_OPERATION_L2_POOL_2D ? NNR_FLOATS : NNR_USUAL);
	uint32_t filter[2] = { (uint32_t)small(m, 5), (uint32_t)small(m, 5) };
	bool nchw = nnr_once_in(&m->r, 4);

	nnr_input(m, in);
	input_padding(m, filter);
	input_strides(m);
	nnr_input_i32(m, (int32_t)filter[1]);
	nnr_input_i32(m, (int32_t)filter[0]);
	input_activation(m, nnr_at(m, in)->type);
	input_layout(m, nchw);
	nnr_output_like(m, in);
	return true;
}

static bool make_resize(struct nnr_maker *m, uint32_t type)
{
	int in = pick_image(m, NNR_USUAL);
	bool nchw = nnr_once_in(&m->r, 4), flags = nnr_once_in(&m->r, 2), align;

	nnr_input(m, in);
	if (nnr_once_in(&m->r, 3)) {
		/* Factors with which no rounding leads to another size. */
		for (int k = 0; k < 2; k++)
			nnr_input_float(m, in, nnr_range(&m->r, 1, 12) * 0.25 + 0.0625);
	} else {
		for (int k = 0; k < 2; k++)
			nnr_input_i32(m, small(m, 20));
	}
	if (flags || nchw || type == NNA_OPERATION_RESIZE_NEAREST_NEIGHBOR)
		nnr_input_bool(m, nchw);
	if (flags) {
		align = nnr_once_in(&m->r, 2);
		nnr_input_bool(m, align);
		nnr_input_bool(m, !align && nnr_once_in(&m->r, 2));
	}
	nnr_output_like(m, in);
	return true;
}

/* ---- matrices */

static bool make_fully_connected(struct nnr_maker *m, uint32_t type)
{
	int in = pick(m, NNR_USUAL, 2, 4), weights;
	const struct nnr_operand *x = nnr_at(m, in);
	uint32_t dims[2] = { nnr_random_dim(m), x->dims[x->rank - 1] };

	/* The size of a row may extend over more than the last dimension. */
	if (nnr_once_in(&m->r, 4))
		dims[1] *= x->dims[x->rank - 2];
	weights = nnr_new_tensor(m, x->type, 2, dims);
	if (often(m))
		nnr_at(m, weights)->kind = NNR_CONSTANT;
	nnr_input(m, in);
	nnr_input(m, weights);
	nnr_input(m, new_bias(m, in, weights, dims[0]));
	input_activation(m, NNA_OPERAND_TENSOR_FLOAT32);
	nnr_output(m, nnr_at(m, in)->type);
	return weights >= 0;
}

static bool make_batch_matmul(struct nnr_maker *m, uint32_t type)
{
	int a = pick(m, NNR_FLOATS | NNR_S8 | NNR_I32, 2, 4);
	const struct nnr_operand *x = nnr_at(m, a);
	bool flip_a = nnr_once_in(&m->r, 2), flip_b = nnr_once_in(&m->r, 2),
	     both = nnr_once_in(&m->r, 2);
	uint32_t dims[RANK], rank = x->rank < 2 ? 2 : x->rank, inner;

	flip_a &= both;
	flip_b &= both;
	memcpy(dims, x->dims, sizeof(dims));
	inner = dims[rank - (flip_a ? 2 : 1)];
	dims[rank - (flip_b ? 1 : 2)] = inner;
	dims[rank - (flip_b ? 2 : 1)] = nnr_random_dim(m);
	nnr_input(m, a);
	nnr_input(m, nnr_new_tensor(m, x->type, rank, dims));
	if (both) {
		nnr_input_bool(m, flip_a);
		nnr_input_bool(m, flip_b);
	}
	nnr_output(m, nnr_at(m, a)->type);
	return true;
}

static bool make_softmax(struct nnr_maker *m, uint32_t type)
{
	int in = pick_any(m, type == NNA_OPERATION_SOFTMAX ? NNR_USUAL : NNR_FLOATS, 1, 4);

	nnr_input(m, in);
	nnr_input_float(m, nnr_is_quantised(nnr_at(m, in)->type) ? -1 : in,
			nnr_uniform(&m->r, 0.1, 2));
	if (nnr_once_in(&m->r, 2) || type == NNA_OPERATION_LOG_SOFTMAX)
		nnr_input_i32(m, any_axis(m, nnr_at(m, in)->rank));
	output_fixed_range(m, in, 1.0f / 256, 0);
	return true;
}

static bool make_norm(struct nnr_maker *m, uint32_t type)
{
	bool l2 = type == NNA_OPERATION_L2_NORMALIZATION;
	int in = type == NNA_OPERATION_INSTANCE_NORMALIZATION ?
			 pick_image(m, NNR_FLOATS) :
			 pick(m, l2 ? NNR_USUAL : NNR_FLOATS, 1, 4);

	nnr_input(m, in);
	switch (type) {
	case NNA_OPERATION_INSTANCE_NORMALIZATION:
		nnr_input_float(m, in, nnr_uniform(&m->r, -2, 2));
		nnr_input_float(m, in, nnr_uniform(&m->r, -2, 2));
		nnr_input_float(m, in, nnr_uniform(&m->r, 0.001, 0.1));
		nnr_input_bool(m, nnr_once_in(&m->r, 3));
		break;
	case NNA_OPERATION_LOCAL_RESPONSE_NORMALIZATION:
		nnr_input_i32(m, nnr_range(&m->r, 0, 6));
		nnr_input_float(m, in, nnr_uniform(&m->r, 0.5, 3));
		nnr_input_float(m, in, nnr_uniform(&m->r, 0, 2));
		nnr_input_float(m, in, nnr_uniform(&m->r, -1, 1));
		break;
	}
	if (type != NNA_OPERATION_INSTANCE_NORMALIZATION && nnr_once_in(&m->r, 2))
		nnr_input_i32(m, any_axis(m, nnr_at(m, in)->rank));
	output_fixed_range(m, in, 1.0f / 128, 128);
	return true;
}

/* ---- reductions */

static bool make_reduce(struct nnr_maker *m, uint32_t type)
{
	bool logic = type == NNA_OPERATION_REDUCE_ALL || type == NNA_OPERATION_REDUCE_ANY;
	bool sums = type == NNA_OPERATION_REDUCE_SUM || type == NNA_OPERATION_REDUCE_PROD;
	int in = pick(m, logic ? NNR_BOOL : sums ? NNR_FLOATS : NNR_USUAL, 1, 4);
	int32_t axes[RANK];
	uint32_t rank = nnr_at(m, in)->rank, count = 0;

	for (uint32_t k = 0; k < rank; k++) {
		if (nnr_once_in(&m->r, 2))
			axes[count++] = (int32_t)k - (nnr_once_in(&m->r, 3) ? (int32_t)rank : 0);
	}
	if (!count)
		axes[count++] = any_axis(m, rank);
	nnr_input(m, in);
	nnr_input_list(m, count, axes);
	if (type == NNA_OPERATION_MEAN)
		nnr_input_i32(m, nnr_range(&m->r, 0, 1));
	else
		nnr_input_bool(m, nnr_once_in(&m->r, 2));
	nnr_output_like(m, in);
	return true;
}

static bool make_arg(struct nnr_maker *m, uint32_t type)
{
	int in = pick(m, NNR_NUMBERS, 1, 4);

	nnr_input(m, in);
	nnr_input_i32(m, any_axis(m, nnr_at(m, in)->rank));
	nnr_output(m, type == NNA_OPERATION_ARGMAX_INT64 ? NNA_OPERAND_TENSOR_INT64 :
							   NNA_OPERAND_TENSOR_INT32);
	return true;
}

static bool make_topk(struct nnr_maker *m, uint32_t type)
{
	int in = pick(m, NNR_NUMBERS, 1, 4);
	const struct nnr_operand *x = nnr_at(m, in);

	nnr_input(m, in);
	nnr_input_i32(m, nnr_range(&m->r, 1, (int32_t)x->dims[x->rank - 1]));
	nnr_output_like(m, in);
	nnr_output(m, NNA_OPERAND_TENSOR_INT32);
	return true;
}

/* ---- movement */

/* The elements in other dimensions. */
static bool make_reshape(struct nnr_maker *m, uint32_t type)
{
	int in = pick(m, NNR_USUAL, 1, 4);
	int32_t list[4], rest = (int32_t)nnr_elements(nnr_at(m, in)),
			 count = nnr_range(&m->r, 1, 4);

	for (int32_t k = 0; k < count - 1; k++) {
		int32_t d = nnr_range(&m->r, 1, rest < 40 ? rest : 40);

		while (rest % d)
			d--;
		list[k] = d;
		rest /= d;
	}
	list[count - 1] = rest;
	if (nnr_once_in(&m->r, 2))
		list[nnr_below(&m->r, (uint32_t)count)] = -1;
	nnr_input(m, in);
	nnr_input_list(m, (uint32_t)count, list);
	nnr_output_like(m, in);
	return true;
}

static bool make_squeeze(struct nnr_maker *m, uint32_t type)
{
	int in = pick(m, NNR_USUAL, 2, 4);
	const struct nnr_operand *x = nnr_at(m, in);
	uint32_t count = 0;
	int32_t list[RANK];

	for (uint32_t k = 0; k < x->rank; k++) {
		if (x->dims[k] == 1 && nnr_once_in(&m->r, 2))
			list[count++] = (int32_t)k;
	}
	nnr_input(m, in);
	if (count)
		nnr_input_list(m, count, list);
	else
		nnr_input_none(m, NNA_OPERAND_TENSOR_INT32);
	nnr_output_like(m, in);
	return true;
}

static bool make_expand_dims(struct nnr_maker *m, uint32_t type)
{
	int in = pick(m, NNR_NUMBERS, 1, 3);

	nnr_input(m, in);
	nnr_input_i32(m, any_axis(m, nnr_at(m, in)->rank + 1));
	nnr_output_like(m, in);
	return true;
}

static bool make_transpose(struct nnr_maker *m, uint32_t type)
{
	int in = pick_any(m, NNR_USUAL, 1, 4);
	uint32_t rank = nnr_at(m, in)->rank;
	int32_t axes[RANK];

	for (uint32_t k = 0; k < rank; k++) {
		uint32_t other = nnr_below(&m->r, k + 1);

		axes[k] = axes[other];
		axes[other] = (int32_t)k;
	}
	nnr_input(m, in);
	if (nnr_once_in(&m->r, 4))
		nnr_input_none(m, NNA_OPERAND_TENSOR_INT32);
	else
		nnr_input_list(m, rank, axes);
	nnr_output_like(m, in);
	return true;
}

static bool make_reverse(struct nnr_maker *m, uint32_t type)
{
	int in = pick(m, NNR_NUMBERS, 1, 4);
	int32_t axis = nnr_range(&m->r, 0, (int32_t)nnr_at(m, in)->rank - 1);

	nnr_input(m, in);
	nnr_input_list(m, 1, &axis);
	nnr_output_like(m, in);
	return true;
}

static bool make_slice(struct nnr_maker *m, uint32_t type)
{
	int in = pick_any(m, NNR_NUMBERS, 1, 4);
	const struct nnr_operand *x = nnr_at(m, in);
	int32_t begin[RANK], size[RANK];
	uint32_t rank = x->rank;

	for (uint32_t k = 0; k < rank; k++) {
		int32_t d = (int32_t)x->dims[k];

		begin[k] = nnr_range(&m->r, 0, d ? d - 1 : 0);
		size[k] = d - begin[k] ? nnr_range(&m->r, 1, d - begin[k]) : 0;
		if (nnr_once_in(&m->r, 4))
			size[k] = -1;
		if (nnr_once_in(&m->r, 60))
			size[k] = 0;
	}
	nnr_input(m, in);
	nnr_input_list(m, rank, begin);
	nnr_input_list(m, rank, size);
	nnr_output_like(m, in);
	return true;
}

static bool make_strided_slice(struct nnr_maker *m, uint32_t type)
{
	int in = pick(m, NNR_USUAL, 1, 4);
	const struct nnr_operand *x = nnr_at(m, in);
	int32_t begin[RANK], end[RANK], stride[RANK], shrink = 0;
	uint32_t rank = x->rank;

	for (uint32_t k = 0; k < rank; k++) {
		int32_t d = (int32_t)x->dims[k];

		stride[k] = nnr_once_in(&m->r, 3) ? -small(m, 3) : small(m, 3);
		begin[k] = nnr_range(&m->r, 0, d - 1);
		end[k] = stride[k] > 0 ? nnr_range(&m->r, begin[k] + 1, d)
				       : nnr_range(&m->r, -1, begin[k] - 1);
		if (nnr_once_in(&m->r, 6)) {
			/* One element is taken, and the dimension removed. */
			shrink |= 1 << k;
			stride[k] = 1;
			end[k] = begin[k] + 1;
		} else if (end[k] == -1) {
			/* Backwards, the first included: such an end is counted from behind. */
			end[k] = -d - 1;
		}
		if (nnr_once_in(&m->r, 4) && !(shrink >> k & 1))
			begin[k] -= d;
	}
	nnr_input(m, in);
	nnr_input_list(m, rank, begin);
	nnr_input_list(m, rank, end);
	nnr_input_list(m, rank, stride);
	nnr_input_i32(m,
		      nnr_once_in(&m->r, 3) ? (int32_t)nnr_below(&m->r, 1u << rank) & ~shrink : 0);
	nnr_input_i32(m,
		      nnr_once_in(&m->r, 3) ? (int32_t)nnr_below(&m->r, 1u << rank) & ~shrink : 0);
	nnr_input_i32(m, shrink);
	nnr_output_like(m, in);
	return true;
}

static bool make_pad(struct nnr_maker *m, uint32_t type)
{
	bool mirror = type == NNA_OPERATION_MIRROR_PAD;
	int in = pick(m, mirror ? NNR_NUMBERS : NNR_USUAL, 1, 4);
	const struct nnr_operand *x = nnr_at(m, in);
	uint32_t dims[2] = { x->rank, 2 };
	int32_t pads[2 * RANK], mode = nnr_range(&m->r, 0, 1);
	int64_t low, high;
	int list;

	for (uint32_t k = 0; k < 2 * x->rank; k++) {
		int32_t most = mirror ? (int32_t)x->dims[k / 2] - 1 + mode : 3;

		pads[k] = nnr_once_in(&m->r, 2) ? 0 : nnr_range(&m->r, 0, most < 3 ? most : 3);
	}
	nnr_input(m, in);
	list = nnr_add_operand(m->graph, NNR_CONSTANT, NNA_OPERAND_TENSOR_INT32, 2, dims);
	nnr_set_data(nnr_at(m, list), list < 0 ? NULL : pads, 2 * dims[0] * sizeof(pads[0]));
	nnr_input(m, list);
	nnr_type_range(nnr_at(m, in)->type, &low, &high);
	if (mirror)
		nnr_input_i32(m, mode);
	else if (type == NNA_OPERATION_PAD_V2 && nnr_is_quantised(nnr_at(m, in)->type))
		nnr_input_i32(m, nnr_range(&m->r, (int32_t)low, (int32_t)high));
	else if (type == NNA_OPERATION_PAD_V2)
		nnr_input_float(m, in, nnr_uniform(&m->r, -5, 5));
	nnr_output_like(m, in);
	return true;
}

static bool make_tile(struct nnr_maker *m, uint32_t type)
{
	int in = pick_any(m, NNR_NUMBERS, 1, 4);
	uint32_t rank = nnr_at(m, in)->rank;
	int32_t times[RANK];

	for (uint32_t k = 0; k < rank; k++)
		times[k] = small(m, 3);
	nnr_input(m, in);
	nnr_input_list(m, rank, times);
	nnr_output_like(m, in);
	return true;
}

/* Blocks to space or depth and back, with dimensions that are divisible by the blocks. */
static bool make_blocks(struct nnr_maker *m, uint32_t type)
{
	bool batches = type == NNA_OPERATION_BATCH_TO_SPACE_ND ||
		       type == NNA_OPERATION_SPACE_TO_BATCH_ND;
	bool grows = type == NNA_OPERATION_DEPTH_TO_SPACE ||
		     type == NNA_OPERATION_BATCH_TO_SPACE_ND,
	     nchw = nnr_once_in(&m->r, 4);
	int32_t block[2] = { small(m, 3), small(m, 3) }, pads[4] = { 0 };
	uint32_t d[4] = { (uint32_t)small(m, 3), (uint32_t)small(m, 6), (uint32_t)small(m, 6),
			  (uint32_t)small(m, 6) };
	uint32_t nchw_dims[4], pad_dims[2] = { 2, 2 };
	int in, list;

	if (!batches)
		block[1] = block[0];
	if (grows) {
		d[batches ? 0 : 3] *= (uint32_t)(block[0] * block[1]);
	} else {
		d[1] *= (uint32_t)block[0];
		d[2] *= (uint32_t)block[1];
		for (int k = 0; k < 4 && batches; k++)
			pads[k] = nnr_range(&m->r, 0, 2);
		for (int k = 0; k < 2 && batches; k++)
			pads[2 * k + 1] +=
				(block[k] - (pads[2 * k] + pads[2 * k + 1]) % block[k]) % block[k];
	}
	nchw_dims[0] = d[0];
	nchw_dims[1] = d[3];
	nchw_dims[2] = d[1];
	nchw_dims[3] = d[2];
	in = nnr_once_in(&m->r, 3)
		     ? pick(m, NNR_USUAL, 4, 4)
		     : nnr_new_tensor(m, nnr_random_type(m, NNR_USUAL), 4, nchw ? nchw_dims : d);
	nnr_input(m, in);
	if (batches)
		nnr_input_list(m, 2, block);
	else
		nnr_input_i32(m, block[0]);
	if (type == NNA_OPERATION_SPACE_TO_BATCH_ND) {
		list = nnr_add_operand(m->graph, NNR_CONSTANT, NNA_OPERAND_TENSOR_INT32, 2,
				       pad_dims);
		nnr_set_data(nnr_at(m, list), list < 0 ? NULL : pads, sizeof(pads));
		nnr_input(m, list);
	}
	input_layout(m, nchw);
	nnr_output_like(m, in);
	return true;
}

static bool make_channel_shuffle(struct nnr_maker *m, uint32_t type)
{
	int in = pick(m, NNR_USUAL, 1, 4);
	int32_t axis = any_axis(m, nnr_at(m, in)->rank), groups = nnr_range(&m->r, 1, 6);
	uint32_t size = nnr_at(m, in)->dims[axis < 0 ? axis + (int32_t)nnr_at(m, in)->rank : axis];

	while (size % (uint32_t)groups)
		groups--;
	nnr_input(m, in);
	nnr_input_i32(m, groups);
	nnr_input_i32(m, axis);
	nnr_output_like(m, in);
	return true;
}

/* Numbers below @limit in @rank dimensions. */
static int new_indices(struct nnr_maker *m, uint32_t rank, uint32_t limit)
{
	uint32_t dims[2] = { nnr_random_dim(m), (uint32_t)small(m, 4) };
	int number = nnr_new_tensor(m, NNA_OPERAND_TENSOR_INT32, rank, dims);

	for (size_t i = 0; number >= 0 && i < nnr_elements(nnr_at(m, number)); i++)
		nnr_store(NNA_OPERAND_TENSOR_INT32, nnr_at(m, number)->data, i,
			  nnr_below(&m->r, limit));
	return number;
}

static bool make_gather(struct nnr_maker *m, uint32_t type)
{
	int in = pick(m, NNR_NUMBERS, 1, 4);
	uint32_t rank = nnr_at(m, in)->rank;
	int32_t axis = any_axis(m, rank);

	nnr_input(m, in);
	nnr_input_i32(m, axis);
	nnr_input(m, new_indices(m, 1 + nnr_once_in(&m->r, 3),
				 nnr_at(m, in)->dims[axis < 0 ? axis + (int32_t)rank : axis]));
	nnr_output_like(m, in);
	return true;
}

static bool make_gather_nd(struct nnr_maker *m, uint32_t type)
{
	int in = pick(m, NNR_NUMBERS, 1, 4), indices;
	uint32_t depth = (uint32_t)nnr_range(&m->r, 1, (int32_t)nnr_at(m, in)->rank),
		 dims[2] = { nnr_random_dim(m), depth };

	nnr_input(m, in);
	indices = nnr_new_tensor(m, NNA_OPERAND_TENSOR_INT32, 2, dims);
	for (uint32_t i = 0; indices >= 0 && i < dims[0] * depth; i++)
		nnr_store(NNA_OPERAND_TENSOR_INT32, nnr_at(m, indices)->data, i,
			  nnr_below(&m->r, nnr_at(m, in)->dims[i % depth]));
	nnr_input(m, indices);
	nnr_output_like(m, in);
	return true;
}

static bool make_lookup(struct nnr_maker *m, uint32_t type)
{
	bool table = type == NNA_OPERATION_HASHTABLE_LOOKUP;
	int values = pick(m, table ? NNR_F32 | NNR_I32 | NNR_U8 : NNR_NUMBERS, 2, 4);
	uint32_t size = nnr_at(m, values)->dims[0];
	int keys;

	nnr_input(m, new_indices(m, 1, table ? 2 * size : size));
	if (table) {
		keys = nnr_new_tensor(m, NNA_OPERAND_TENSOR_INT32, 1, &size);
		for (uint32_t i = 0; keys >= 0 && i < size; i++)
			nnr_store(NNA_OPERAND_TENSOR_INT32, nnr_at(m, keys)->data, i,
				  2 * i + nnr_below(&m->r, 2));
		nnr_input(m, keys);
	}
	nnr_input(m, values);
	nnr_output_like(m, values);
	if (table)
		nnr_output_fixed(m, NNA_OPERAND_TENSOR_QUANT8_ASYMM, 1, 0);
	return true;
}

static bool make_concat(struct nnr_maker *m, uint32_t type)
{
	bool pack = type == NNA_OPERATION_PACK;
	int first = pick(m, pack ? NNR_NUMBERS : NNR_USUAL, 1, pack ? 3 : 4);
	uint32_t rank = nnr_at(m, first)->rank, count = (uint32_t)small(m, 5), dims[RANK];
	int32_t axis = nnr_range(&m->r, pack ? 0 : -(int32_t)rank, (int32_t)rank - !pack);

	if (pack)
		nnr_input_i32(m, axis);
	memcpy(dims, nnr_at(m, first)->dims, sizeof(dims));
	for (uint32_t i = 0; i < count; i++) {
		bool same = pack || nnr_once_in(&m->r, 2);

		if (!i || nnr_once_in(&m->r, 6)) {
			nnr_input(m, first);
			continue;
		}
		if (!pack)
			dims[axis < 0 ? axis + (int32_t)rank : axis] = nnr_random_dim(m);
		nnr_input(m, same ? nnr_new_like(m, first, rank, dims)
				  : nnr_new_tensor(m, nnr_at(m, first)->type, rank, dims));
	}
	if (!pack)
		nnr_input_i32(m, axis);
	if (pack || nnr_once_in(&m->r, 2))
		nnr_output_like(m, first);
	else
		nnr_output(m, nnr_at(m, first)->type);
	return true;
}

static bool make_split(struct nnr_maker *m, uint32_t type)
{
	int in = pick(m, NNR_NUMBERS, type == NNA_OPERATION_UNPACK ? 2 : 1, 4);
	uint32_t rank = nnr_at(m, in)->rank, size, parts;
	int32_t axis = any_axis(m, rank);

	size = nnr_at(m, in)->dims[axis < 0 ? axis + (int32_t)rank : axis];
	parts = type == NNA_OPERATION_UNPACK ? size : 1 + nnr_below(&m->r, 6);
	while (size % parts)
		parts--;
	if (!size || parts > NNR_MAX_OUT)
		return false;
	nnr_input(m, in);
	nnr_input_i32(m, axis);
	if (type == NNA_OPERATION_SPLIT)
		nnr_input_i32(m, (int32_t)parts);
	for (uint32_t i = 0; i < parts; i++)
		nnr_output_like(m, in);
	return true;
}

static bool make_fill(struct nnr_maker *m, uint32_t type)
{
	uint32_t result = nnr_random_type(m, NNR_FLOATS | NNR_I32),
		 rank = (uint32_t)nnr_range(&m->r, 1, 4);
	int32_t dims[4];

	for (uint32_t k = 0; k < rank; k++)
		dims[k] = (int32_t)nnr_random_dim(m);
	nnr_input_list(m, rank, dims);
	if (result == NNA_OPERAND_TENSOR_INT32) {
		nnr_input_i32(m, nnr_range(&m->r, -100, 100));
		nnr_output(m, result);
		return true;
	}
	nnr_output(m, result);
	nnr_input_float(m, (int)m->operation.out[0], nnr_uniform(&m->r, -3, 3));
	return true;
}

static bool make_rank(struct nnr_maker *m, uint32_t type)
{
	nnr_input(m, pick(m, NNR_NUMBERS | NNR_BOOL, 1, 4));
	nnr_output(m, NNA_OPERAND_INT32);
	return true;
}

/* ---- table */

static const struct {
	uint32_t type;
	bool (*make)(struct nnr_maker *m, uint32_t type);
} makers[] = {
	{ NNA_OPERATION_ADD, make_binary },
	{ NNA_OPERATION_SUB, make_binary },
	{ NNA_OPERATION_MUL, make_binary },
	{ NNA_OPERATION_DIV, make_binary },
	{ NNA_OPERATION_MAXIMUM, make_binary },
	{ NNA_OPERATION_MINIMUM, make_binary },
	{ NNA_OPERATION_POW, make_binary },
	{ NNA_OPERATION_PRELU, make_binary },
	{ NNA_OPERATION_FLOOR_DIV, make_binary },
	{ NNA_OPERATION_FLOOR_MOD, make_binary },
	{ NNA_OPERATION_BITWISE_XOR, make_binary },
	{ NNA_OPERATION_RIGHT_SHIFT, make_binary },
	{ NNA_OPERATION_SQUARED_DIFFERENCE, make_binary },
	{ NNA_OPERATION_EQUAL, make_compare },
	{ NNA_OPERATION_NOT_EQUAL, make_compare },
	{ NNA_OPERATION_LESS, make_compare },
	{ NNA_OPERATION_LESS_EQUAL, make_compare },
	{ NNA_OPERATION_GREATER, make_compare },
	{ NNA_OPERATION_GREATER_EQUAL, make_compare },
	{ NNA_OPERATION_LOGICAL_AND, make_compare },
	{ NNA_OPERATION_LOGICAL_OR, make_compare },
	{ NNA_OPERATION_FLOOR, make_unary },
	{ NNA_OPERATION_RELU, make_unary },
	{ NNA_OPERATION_RELU1, make_unary },
	{ NNA_OPERATION_RELU6, make_unary },
	{ NNA_OPERATION_TANH, make_unary },
	{ NNA_OPERATION_LOGISTIC, make_unary },
	{ NNA_OPERATION_ABS, make_unary },
	{ NNA_OPERATION_NEG, make_unary },
	{ NNA_OPERATION_EXP, make_unary },
	{ NNA_OPERATION_LOG, make_unary },
	{ NNA_OPERATION_SQRT, make_unary },
	{ NNA_OPERATION_RSQRT, make_unary },
	{ NNA_OPERATION_SIN, make_unary },
	{ NNA_OPERATION_COS, make_unary },
	{ NNA_OPERATION_LOGICAL_NOT, make_unary },
	{ NNA_OPERATION_HARD_SWISH, make_unary },
	{ NNA_OPERATION_ELU, make_unary },
	{ NNA_OPERATION_LEAKY_RELU, make_unary },
	{ NNA_OPERATION_SELECT, make_select },
	{ NNA_OPERATION_CAST, make_convert },
	{ NNA_OPERATION_QUANTIZE, make_convert },
	{ NNA_OPERATION_DEQUANTIZE, make_convert },
	{ NNA_OPERATION_CONV_2D, make_conv },
	{ NNA_OPERATION_GROUPED_CONV_2D, make_conv },
	{ NNA_OPERATION_DEPTHWISE_CONV_2D, make_conv },
	{ NNA_OPERATION_TRANSPOSE_CONV_2D, make_transpose_conv },
	{ NNA_OPERATION_AVERAGE_POOL_2D, make_pool },
	{ NNA_OPERATION_MAX_POOL_2D, make_pool },
	{ NNA_OPERATION_L2_POOL_2D, make_pool },
	{ NNA_OPERATION_RESIZE_BILINEAR, make_resize },
	{ NNA_OPERATION_RESIZE_NEAREST_NEIGHBOR, make_resize },
	{ NNA_OPERATION_FULLY_CONNECTED, make_fully_connected },
	{ NNA_OPERATION_BATCH_MATMUL, make_batch_matmul },
	{ NNA_OPERATION_SOFTMAX, make_softmax },
	{ NNA_OPERATION_LOG_SOFTMAX, make_softmax },
	{ NNA_OPERATION_L2_NORMALIZATION, make_norm },
	{ NNA_OPERATION_LOCAL_RESPONSE_NORMALIZATION, make_norm },
	{ NNA_OPERATION_INSTANCE_NORMALIZATION, make_norm },
	{ NNA_OPERATION_REDUCE_ALL, make_reduce },
	{ NNA_OPERATION_REDUCE_ANY, make_reduce },
	{ NNA_OPERATION_REDUCE_MAX, make_reduce },
	{ NNA_OPERATION_REDUCE_MIN, make_reduce },
	{ NNA_OPERATION_REDUCE_PROD, make_reduce },
	{ NNA_OPERATION_REDUCE_SUM, make_reduce },
	{ NNA_OPERATION_MEAN, make_reduce },
	{ NNA_OPERATION_ARGMAX, make_arg },
	{ NNA_OPERATION_ARGMIN, make_arg },
	{ NNA_OPERATION_ARGMAX_INT64, make_arg },
	{ NNA_OPERATION_TOPK_V2, make_topk },
	{ NNA_OPERATION_RESHAPE, make_reshape },
	{ NNA_OPERATION_SQUEEZE, make_squeeze },
	{ NNA_OPERATION_EXPAND_DIMS, make_expand_dims },
	{ NNA_OPERATION_TRANSPOSE, make_transpose },
	{ NNA_OPERATION_REVERSE, make_reverse },
	{ NNA_OPERATION_SLICE, make_slice },
	{ NNA_OPERATION_STRIDED_SLICE, make_strided_slice },
	{ NNA_OPERATION_PAD, make_pad },
	{ NNA_OPERATION_PAD_V2, make_pad },
	{ NNA_OPERATION_MIRROR_PAD, make_pad },
	{ NNA_OPERATION_TILE, make_tile },
	{ NNA_OPERATION_DEPTH_TO_SPACE, make_blocks },
	{ NNA_OPERATION_SPACE_TO_DEPTH, make_blocks },
	{ NNA_OPERATION_BATCH_TO_SPACE_ND, make_blocks },
	{ NNA_OPERATION_SPACE_TO_BATCH_ND, make_blocks },
	{ NNA_OPERATION_CHANNEL_SHUFFLE, make_channel_shuffle },
	{ NNA_OPERATION_GATHER, make_gather },
	{ NNA_OPERATION_EMBEDDING_LOOKUP, make_lookup },
	{ NNA_OPERATION_HASHTABLE_LOOKUP, make_lookup },
	{ NNA_OPERATION_CONCATENATION, make_concat },
	{ NNA_OPERATION_PACK, make_concat },
	{ NNA_OPERATION_SPLIT, make_split },
	{ NNA_OPERATION_UNPACK, make_split },
	{ NNA_OPERATION_FILL, make_fill },
	{ NNA_OPERATION_RANK, make_rank },
	{ NNA_OPERATION_GATHER_ND, make_gather_nd },
	{ NNA_OPERATION_RNN, nnr_make_rnn },
	{ NNA_OPERATION_UNIDIRECTIONAL_SEQUENCE_RNN, nnr_make_rnn },
	{ NNA_OPERATION_BIDIRECTIONAL_SEQUENCE_RNN, nnr_make_rnn_both },
	{ NNA_OPERATION_SVDF, nnr_make_rnn },
	{ NNA_OPERATION_LSTM, nnr_make_lstm },
	{ NNA_OPERATION_UNIDIRECTIONAL_SEQUENCE_LSTM, nnr_make_lstm },
	{ NNA_OPERATION_BIDIRECTIONAL_SEQUENCE_LSTM, nnr_make_lstm_both },
	{ NNA_OPERATION_QUANTIZED_16BIT_LSTM, nnr_make_16bit_lstm },
	{ NNA_OPERATION_QUANTIZED_LSTM, nnr_make_quantized_lstm },
	{ NNA_OPERATION_AXIS_ALIGNED_BBOX_TRANSFORM, nnr_make_transform },
	{ NNA_OPERATION_ROI_ALIGN, nnr_make_roi },
	{ NNA_OPERATION_ROI_POOLING, nnr_make_roi },
	{ NNA_OPERATION_HEATMAP_MAX_KEYPOINT, nnr_make_keypoint },
	{ NNA_OPERATION_BOX_WITH_NMS_LIMIT, nnr_make_nms_limit },
	{ NNA_OPERATION_DETECTION_POSTPROCESSING, nnr_make_detection },
	{ NNA_OPERATION_GENERATE_PROPOSALS, nnr_make_proposals },
	{ NNA_OPERATION_LSH_PROJECTION, nnr_make_lsh },
	{ NNA_OPERATION_RANDOM_MULTINOMIAL, nnr_make_multinomial },
	{ NNA_OPERATION_IF, nnr_make_if },
	{ NNA_OPERATION_WHILE, nnr_make_while },
};

#define MAKERS (sizeof(makers) / sizeof(makers[0]))

const uint32_t nnr_maker_count = MAKERS;

uint32_t nnr_maker_type(uint32_t i)
{
	return makers[i].type;
}

bool nnr_make_operation(struct nnr_maker *m, uint32_t type)
{
	for (size_t i = 0; i < MAKERS; i++) {
		if (makers[i].type == type)
			return makers[i].make(m, type);
	}
	return false;
}
