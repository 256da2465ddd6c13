// SPDX-License-Identifier: MIT
/*
 * Conv and ConvTranspose, of one and two dimensions. Images have their channels last; one dimension
 * is an image of height 1. Weights [N, C / group, kh, kw] become NNAPI's [N, kh, kw, C / group], or
 * [1, kh, kw, N] for a filter for each channel, here: they are constants.
 */
#include "frontend/onnx/ops/window.h"

#include <math.h>
#include <string.h>

/* Elements of a filter that zeros have been put into. */
#define MAX_SPREAD (1u << 16)

/**
 * struct layer - a convolution
 * @w: the window
 * @weights: type and bytes, [N, C / group, kh, kw], or [C, N / group, kh, kw] if transposed
 * @n, @c: output channels, and input channels of a group
 * @depthwise: a filter for each channel
 */
struct layer {
	struct onnx_window w;
	struct onnx_tensor weights;
	uint32_t group, n, c;
	bool depthwise, transposed;
};

/* A dilation that NNAPI does not know is zeros between the elements of the filter. */
static bool spreads(const struct layer *l)
{
	const bool dilated = l->w.dilation[0] > 1 || l->w.dilation[1] > 1;

	return dilated && (l->transposed || (l->group > 1 && !l->depthwise));
}

/*
 * The weights in NNAPI's order, as an operand of @like's type. @add is added to each number: the
 * difference of zero points.
 */
static struct onnx_operand weights_operand(struct onnx_translation *t, const struct layer *l,
					   struct onnx_operand like, int32_t add,
					   uint32_t part, const float *scales)
{
	const uint32_t size = onnx_type_bits(l->weights.type) / 8, h = l->w.filter[0];
	const uint32_t n = l->transposed ? l->n / l->group : l->n, w = l->w.filter[1], c = l->c;
	const uint32_t dh = spreads(l) ? l->w.dilation[0] : 1;
	const uint32_t dw = spreads(l) ? l->w.dilation[1] : 1;
	const uint32_t th = (h - 1) * dh + 1, tw = (w - 1) * dw + 1;
	const uint64_t total = (uint64_t)n * c * th * tw * size;
	const uint8_t *from = l->weights.data;
	uint8_t *to = onnx_make(t, total);
	struct nna_operand_desc desc;
	int ret;

	if (!to)
		return onnx_no_operand();
	/* Zeros between are the zero point's. */
	if (size == 1 && like.zero)
		memset(to, like.zero, total);
	for (uint32_t i = 0; i < n; i++)
		for (uint32_t k = 0; k < c; k++)
			for (uint32_t y = 0; y < h; y++)
				for (uint32_t x = 0; x < w; x++) {
					const uint64_t at = l->transposed ?
						(((uint64_t)(part * c + k) * n + i) * h + y) * w +
							x :
						(((uint64_t)i * c + k) * h + y) * w + x;
					const uint64_t put = l->depthwise ?
						((uint64_t)(y * dh) * tw + x * dw) * n + i :
						(((uint64_t)i * th + y * dh) * tw + x * dw) * c + k;

					if (size == 1)
						to[put] = (uint8_t)(from[at] + add);
					else
						memcpy(to + put * size, from + at * size, size);
				}
	like.rank = 4;
	like.dims[0] = l->depthwise ? 1 : n;
	like.dims[1] = th;
	like.dims[2] = tw;
	like.dims[3] = l->depthwise ? n : c;
	if (!scales)
		return onnx_add_constant(t, like, to, total, false);
	desc = (struct nna_operand_desc){
		.type = NNA_OPERAND_TENSOR_QUANT8_SYMM_PER_CHANNEL,
		.rank = 4,
		.dims = like.dims,
		.channel_dim = l->depthwise ? 3 : 0,
		.channel_count = n,
		.channel_scales = scales,
	};
	ret = nna_graph_add_operand(t->graph, 0, &desc);
	if (ret >= 0) {
		like.number = (uint32_t)ret;
		ret = nna_graph_set_constant(t->graph, 0, like.number, to, total, false);
	}
	if (ret < 0)
		onnx_wrong(t, "weights were refused: %s", strerror(-ret));
	return like;
}

static void read_layer(struct onnx_translation *t, struct layer *l, bool transposed)
{
	const struct onnx_tensor *x = onnx_tensor(t, 0), *w = &l->weights;
	uint32_t channels;

	onnx_need_rank(t, 0, 3, 4);
	if (t->ret)
		return;
	l->transposed = transposed;
	if (w->rank != x->rank) {
		onnx_wrong(t, "the weights have %u dimensions, the input %u", w->rank, x->rank);
		return;
	}
	for (uint32_t k = 0; k < w->rank; k++)
		if (w->dims[k] < 1 || w->dims[k] > INT32_MAX) {
			onnx_unsupported(t, "weights with a dimension of %lld",
					 (long long)w->dims[k]);
			return;
		}
	l->group = (uint32_t)onnx_attribute_int(t, "group", 1);
	channels = (uint32_t)x->dims[1];
	if (t->ret || !l->group || channels % l->group ||
	    (transposed ? (uint32_t)w->dims[0] != channels :
			  (uint32_t)w->dims[1] != channels / l->group ||
				  (uint32_t)w->dims[0] % l->group)) {
		onnx_wrong(t, "the weights do not fit %u channels in %u groups", channels,
			   l->group);
		return;
	}
	l->c = channels / l->group;
	l->n = (uint32_t)w->dims[transposed ? 1 : 0] * (transposed ? l->group : 1);
	l->depthwise = !transposed && l->group > 1 && l->c == 1;
	onnx_window_read(t, &l->w, x, w->dims + 2);
	if (!t->ret && spreads(l) &&
	    (uint64_t)((l->w.filter[0] - 1) * l->w.dilation[0] + 1) *
			    ((l->w.filter[1] - 1) * l->w.dilation[1] + 1) > MAX_SPREAD)
		onnx_unsupported(t, "a dilation of %u and %u", l->w.dilation[0],
				 l->w.dilation[1]);
}

/* Parameters behind the bias: padding, strides, groups, activation, layout, dilation. */
static void push_window(struct onnx_translation *t, const struct layer *l, int32_t activation)
{
	const struct onnx_window *w = &l->w;

	onnx_push_i32(t, w->before[1]);
	onnx_push_i32(t, w->after[1]);
	onnx_push_i32(t, w->before[0]);
	onnx_push_i32(t, w->after[0]);
	onnx_push_i32(t, (int32_t)w->stride[1]);
	onnx_push_i32(t, (int32_t)w->stride[0]);
	if (l->depthwise)
		onnx_push_i32(t, (int32_t)(l->n / l->group));
	else if (l->group > 1 && !l->transposed)
		onnx_push_i32(t, (int32_t)l->group);
	onnx_push_i32(t, activation);
	onnx_push_bool(t, false);
	if ((l->depthwise || l->group == 1) && !l->transposed) {
		onnx_push_i32(t, (int32_t)w->dilation[1]);
		onnx_push_i32(t, (int32_t)w->dilation[0]);
	}
}

static uint32_t operation_of(const struct layer *l)
{
	return l->transposed ? NNA_OPERATION_TRANSPOSE_CONV_2D :
	       l->depthwise ? NNA_OPERATION_DEPTHWISE_CONV_2D :
	       l->group > 1 ? NNA_OPERATION_GROUPED_CONV_2D : NNA_OPERATION_CONV_2D;
}

/* The result of a convolution of @x, an image with its channels last, like @like. */
static struct onnx_operand convolve(struct onnx_translation *t, const struct layer *l,
				    struct onnx_operand x, struct onnx_operand weights,
				    uint32_t bias, struct onnx_operand like, int32_t activation)
{
	like.rank = 4;
	like.dims[0] = x.dims[0];
	like.dims[1] = l->w.out[0];
	like.dims[2] = l->w.out[1];
	like.dims[3] = l->transposed ? l->n / l->group : l->n;
	onnx_push(t, x.number);
	onnx_push(t, weights.number);
	if (bias == ONNX_ABSENT)
		onnx_push_omitted(t, like.type == NNA_OPERAND_TENSOR_FLOAT32 ||
					     like.type == NNA_OPERAND_TENSOR_FLOAT16 ?
					     like.type : NNA_OPERAND_TENSOR_INT32);
	else
		onnx_push(t, bias);
	push_window(t, l, activation);
	return onnx_emit(t, operation_of(l), like);
}

/*
 * A bias of quantised numbers: INT32 in the scale of input times weights. @scales has one for each
 * channel, or one. Return: false, without an error, if the bias is no constant.
 */
static bool quantised_bias(struct onnx_translation *t, uint32_t input, uint32_t n, float x_scale,
			   const struct onnx_quantisation *w, bool per_channel, uint32_t *number)
{
	struct onnx_operand bias = { .number = ONNX_ABSENT, .rank = 1, .dims = { n },
				     .type = NNA_OPERAND_TENSOR_INT32 };
	struct onnx_quantisation q;
	const struct onnx_tensor *floats = NULL;
	struct onnx_tensor stored;
	int32_t *numbers;

	*number = ONNX_ABSENT;
	if (!onnx_has(t, input))
		return true;
	if (!onnx_weights(t, input, &q, &stored)) {
		floats = onnx_tensor(t, input);
		if (!floats->data || onnx_elements(floats) != n)
			return false;
	} else if (onnx_elements(&stored) != n || q.block || (q.count > 1 && q.count != n)) {
		return false;
	}
	numbers = onnx_make(t, (uint64_t)n * sizeof(*numbers));
	for (uint32_t i = 0; numbers && i < n; i++) {
		const float scale = w->scales[w->count > 1 ? i : 0] * x_scale;
		const float own = floats ? 1 : q.scales[q.count > 1 ? i : 0];
		double value = floats ? onnx_real_at(floats, i) :
					(double)onnx_int_at(&stored, i) -
						(double)q.zeros[q.count > 1 ? i : 0];

		if (floats || fabsf(own - scale) > 1e-5f * scale)
			value = nearbyint(value * (double)own / (double)scale);
		if (!(fabs(value) < 0x1p31))
			return false;
		numbers[i] = (int32_t)value;
	}
	bias.scale = per_channel ? 0 : w->scales[0] * x_scale;
	*number = onnx_add_constant(t, bias, numbers, (uint64_t)n * sizeof(*numbers),
				    false).number;
	return !t->ret;
}

/* The numbers of weights can be those of the input's type, or have scales per channel. */
static bool can_quantise(const struct layer *l, const struct onnx_quantisation *q, uint32_t axis)
{
	if (!onnx_type_is_int8(q->type) || q->block || (q->count > 1 && q->axis != axis))
		return false;
	if (q->count > 1 && q->count != l->n)
		return false;
	for (uint32_t i = 0; i < q->count; i++)
		if (q->count > 1 && (q->type != ONNX_INT8 || q->zeros[i]))
			return false;
	return true;
}

/* Return: whether the node is one operation on quantised tensors, which has been added. */
static bool translate_quantised(struct onnx_translation *t, struct layer *l)
{
	struct onnx_quantisation q;
	struct onnx_operand x, weights, like, y;
	struct onnx_unit unit;
	uint32_t bias;
	int32_t add;

	if (!onnx_is_unit(t, 1, true, &unit) || !onnx_weights(t, 1, &q, &l->weights))
		return false;
	read_layer(t, l, false);
	if (t->ret || !can_quantise(l, &q, 0))
		return false;
	x = onnx_stored(t, 0, ONNX_LAST);
	if (t->ret || !quantised_bias(t, 2, l->n, x.scale, &q, q.count > 1, &bias))
		return false;
	x = onnx_window_image(t, x);
	like = x;
	like.scale = q.scales[0];
	/* Signed weights of unsigned inputs, and the reverse, are moved with their zero point. */
	add = q.type == ONNX_INT8 && x.type == NNA_OPERAND_TENSOR_QUANT8_ASYMM ? 128 :
	      q.type == ONNX_UINT8 && x.type != NNA_OPERAND_TENSOR_QUANT8_ASYMM ? -128 : 0;
	like.zero = q.zeros[0] + add;
	weights = weights_operand(t, l, like, q.count > 1 ? 0 : add, 0,
				  q.count > 1 ? q.scales : NULL);
	y = convolve(t, l, x, weights, bias, onnx_unit_like(&unit, &x), unit.activation);
	onnx_set_unit(t, &unit, onnx_window_result(t, y), ONNX_LAST);
	return true;
}

/* A bias of floats, or none. */
static uint32_t float_bias(struct onnx_translation *t, uint32_t n)
{
	struct onnx_operand bias;

	if (!onnx_has(t, 2))
		return ONNX_ABSENT;
	bias = onnx_plain(t, 2);
	if (!t->ret && (bias.rank != 1 || bias.dims[0] != n))
		onnx_wrong(t, "the bias is not of %u channels", n);
	return bias.number;
}

/* Weights as floats: constants, or those that DequantizeLinear gives of one. */
static void float_weights(struct onnx_translation *t, struct onnx_tensor *to)
{
	struct onnx_quantisation q;
	struct onnx_tensor numbers;

	if (onnx_weights(t, 1, &q, &numbers)) {
		onnx_dequantize(t, &numbers, &q, to);
		return;
	}
	*to = *onnx_constant(t, 1);
	if (!t->ret && to->type != onnx_tensor(t, 0)->type)
		onnx_unsupported(t, "weights of %s", onnx_type_name(to->type));
}

void onnx_translate_conv(struct onnx_translation *t)
{
	struct layer l = { .group = 1 };
	struct onnx_operand x, weights;

	onnx_need_float(t, 0);
	if (t->ret || translate_quantised(t, &l) || t->ret)
		return;
	l = (struct layer){ .group = 1 };
	float_weights(t, &l.weights);
	read_layer(t, &l, false);
	x = onnx_window_image(t, onnx_last(t, 0));
	if (t->ret)
		return;
	weights = weights_operand(t, &l, x, 0, 0, NULL);
	x = convolve(t, &l, x, weights, float_bias(t, l.n), onnx_like(&x, x.type), NNA_ACT_NONE);
	onnx_set(t, 0, onnx_window_result(t, x), ONNX_LAST);
}

/* Elements that the padding cuts off, and the size of the output, of a transposed convolution. */
static void place_transposed(struct onnx_translation *t, struct layer *l,
			     const struct onnx_tensor *x, int32_t *more)
{
	const uint32_t spatial = x->rank - 2, first = 2 - spatial;
	int64_t extra[2] = { 0 }, shape[2] = { 0 };
	const char *pad = onnx_attribute_text(t, "auto_pad", "NOTSET");

	onnx_attribute_ints(t, "output_padding", extra, spatial, 0);
	onnx_attribute_ints(t, "output_shape", shape, spatial, 0);
	for (uint32_t k = 0; k < spatial && !t->ret; k++)
		if (extra[k] < 0 || extra[k] > 1 << 24 || shape[k] < 0 || shape[k] > 1 << 24)
			onnx_unsupported(t, "an output_padding of %lld, an output_shape of %lld",
					 (long long)extra[k], (long long)shape[k]);
	for (uint32_t k = first; k < 2 && !t->ret; k++) {
		const int64_t full = (int64_t)(l->w.in[k] - 1) * l->w.stride[k] +
				     (int64_t)(l->w.filter[k] - 1) * l->w.dilation[k] + 1;
		const int64_t e = extra[k - first];
		int64_t wanted = shape[k - first], total;

		if (!wanted && !strncmp(pad, "SAME", 4))
			wanted = (int64_t)l->w.in[k] * l->w.stride[k];
		if (wanted) {
			total = full + e - wanted;
			/* What is missing is added behind. */
			l->w.before[k] = total < 0 ? 0 :
					 (int32_t)(strcmp(pad, "SAME_UPPER") ? total - total / 2 :
									       total / 2);
			l->w.after[k] = (int32_t)(total - l->w.before[k]);
		}
		/* What is added to the output is not cut off. */
		l->w.after[k] -= (int32_t)e;
		more[k] = l->w.after[k] < 0 ? -l->w.after[k] : 0;
		l->w.after[k] += more[k];
		total = full - l->w.before[k] - l->w.after[k];
		if (l->w.before[k] < 0 || total < 1 || total > INT32_MAX)
			onnx_unsupported(t, "an output of %lld elements with a padding of %d",
					 (long long)total, l->w.before[k]);
		l->w.out[k] = (uint32_t)total;
	}
}

void onnx_translate_conv_transpose(struct onnx_translation *t)
{
	struct layer l = { .group = 1 };
	struct onnx_operand x, weights, parts[64], bias;
	int32_t more[2] = { 0 };

	onnx_need_float(t, 0);
	float_weights(t, &l.weights);
	read_layer(t, &l, true);
	if (t->ret)
		return;
	if (l.group > sizeof(parts) / sizeof(*parts)) {
		onnx_unsupported(t, "%u groups; supported: %zu", l.group,
				 sizeof(parts) / sizeof(*parts));
		return;
	}
	place_transposed(t, &l, onnx_tensor(t, 0), more);
	x = onnx_window_image(t, onnx_last(t, 0));
	if (t->ret)
		return;
	for (uint32_t g = 0; g < l.group && !t->ret; g++) {
		const struct onnx_operand in = l.group == 1 ? x : onnx_part(t, x, 3, g * l.c, l.c);

		weights = weights_operand(t, &l, x, 0, g, NULL);
		parts[g] = convolve(t, &l, in, weights, ONNX_ABSENT, onnx_like(&x, x.type),
				    NNA_ACT_NONE);
	}
	if (t->ret)
		return;
	x = l.group == 1 ? parts[0] : onnx_joined(t, l.group, parts, 3);
	x = onnx_pad(t, x, (int32_t[]){ 0, 0, 0, more[0], 0, more[1], 0, 0 });
	if (onnx_has(t, 2)) {
		bias = onnx_plain(t, 2);
		if (!t->ret && (bias.rank != 1 || bias.dims[0] != l.n))
			onnx_wrong(t, "the bias is not of %u channels", l.n);
		x = onnx_binary(t, NNA_OPERATION_ADD, x, bias);
	}
	onnx_set(t, 0, onnx_window_result(t, x), ONNX_LAST);
}
