// SPDX-License-Identifier: MIT
/* CONV_2D, also with groups, DEPTHWISE_CONV_2D and TRANSPOSE_CONV. */
#include "frontend/tflite/compose.h"

#include <string.h>

/* Inputs of a convolution from number 3 on, without the activation. */
static void push_geometry(struct tflite_translation *t, const struct tflite_options *o,
			  bool depthwise, uint32_t units)
{
	const struct tflite_tensor *x = tflite_input(t, 0);

	tflite_push_window(t, o);
	if (!depthwise)
		return;
	if (!x->dims[3] || units % x->dims[3])
		tflite_refuse(t, tflite_input(t, 1), "%u output channels",
			      "a multiple of %u, the input channels", units, x->dims[3]);
	else
		tflite_push_i32(t, (int32_t)(units / x->dims[3]));
}

/* The number of groups of a CONV_2D, which the filter's shape implies. 1 after an error. */
static uint32_t count_groups(struct tflite_translation *t)
{
	const struct tflite_tensor *x = tflite_input(t, 0), *w = tflite_input(t, 1);

	if (!w->dims[3] || x->dims[3] % w->dims[3]) {
		tflite_refuse(t, w, "%u channels", "a divisor of %u, the input channels",
			      w->dims[3], x->dims[3]);
		return 1;
	}
	return x->dims[3] / w->dims[3];
}

/* Whether a CONV_2D has groups and a dilation, for which NNAPI has no operation. */
static bool has_gaps(struct tflite_translation *t, uint32_t type)
{
	const struct tflite_options *o = &t->op->options;

	return type == NNA_OPERATION_CONV_2D && (o->dilation_w != 1 || o->dilation_h != 1) &&
	       count_groups(t) > 1 && !t->ret;
}

/*
 * Makes the gaps of a constant filter elements that stand for 0, so that it needs no dilation. An
 * infinity of the input in a gap makes NaN then. @w: the filter's tensor, which the caller
 * restores.
 */
static void fill_gaps(struct tflite_translation *t, struct tflite_tensor *w)
{
	const struct tflite_options *o = &t->op->options;
	const struct tflite_tensor was = *w;
	const size_t size = tflite_type_size(w->type);
	uint64_t h, width, pixel = was.dims[3] * size, elements = 0;
	uint8_t *data;

	tflite_need_constant(t, w);
	if (t->ret)
		return;
	h = (uint64_t)(was.dims[1] - 1) * (uint32_t)o->dilation_h + 1;
	width = (uint64_t)(was.dims[2] - 1) * (uint32_t)o->dilation_w + 1;
	if (o->dilation_h < 1 || o->dilation_w < 1 || h > UINT16_MAX || width > UINT16_MAX) {
		tflite_unsupported(t, w, "dilations %d and %d of groups", "1 to a window of %u",
				   o->dilation_w, o->dilation_h, UINT16_MAX);
		return;
	}
	w->dims[1] = (uint32_t)h;
	w->dims[2] = (uint32_t)width;
	if (!tflite_count_elements(4, w->dims, &elements))
		elements = UINT64_MAX;
	tflite_make_room(t, elements);
	data = t->ret ? NULL : tflite_derive(t->model, elements * size);
	if (!data) {
		tflite_no_memory(t);
		return;
	}
	if (tflite_is_quantised(w->type))
		memset(data, tflite_zero_point(w), elements * size);
	for (uint64_t i = 0; i < (uint64_t)was.dims[0] * was.dims[1] * was.dims[2]; i++) {
		const uint64_t x = i % was.dims[2], y = i / was.dims[2] % was.dims[1],
			       unit = i / was.dims[2] / was.dims[1];

		memcpy(data + ((unit * h + y * (uint32_t)o->dilation_h) * width +
			       x * (uint32_t)o->dilation_w) * pixel,
		       (const uint8_t *)was.data + i * pixel, pixel);
	}
	w->data = data;
	w->size = elements * size;
	w->elements = elements;
}

/* The sums of products of whole numbers in FLOAT32, without bias. @o: strides, padding. */
static struct tflite_value integer_convolution(struct tflite_translation *t, uint32_t type,
					       const struct tflite_options *o,
					       struct tflite_value x, struct tflite_value weights,
					       uint32_t units)
{
	struct tflite_operand_desc bias = { .desc = { .type = NNA_OPERAND_TENSOR_FLOAT32,
						      .rank = 1 },
					    .dims = { units } };
	const bool depthwise = type == NNA_OPERATION_DEPTHWISE_CONV_2D;
	const uint32_t groups = depthwise ? 1 : count_groups(t);
	struct tflite_value sum;

	tflite_describe(t, tflite_output(t, 0), &sum.o);
	sum = tflite_like(t, &sum, NNA_OPERAND_TENSOR_FLOAT32);
	tflite_push(t, x.operand);
	tflite_push(t, weights.operand);
	tflite_push(t, tflite_add_constant(t, &bias, NULL, (size_t)units * 4));
	push_geometry(t, o, depthwise, units);
	if (groups > 1)
		tflite_push_i32(t, (int32_t)groups);
	tflite_push_i32(t, 0);
	tflite_push_bool(t, false);
	if (groups > 1) {
		tflite_emit_to(t, NNA_OPERATION_GROUPED_CONV_2D, sum.operand);
		return sum;
	}
	tflite_push_i32(t, o->dilation_w);
	tflite_push_i32(t, o->dilation_h);
	tflite_emit_to(t, type, sum.operand);
	return sum;
}

/* Zeros before and after @size elements by TFLite's scheme SAME. Return: false if too many. */
static bool find_pads(uint32_t size, uint32_t filter, int32_t stride, int32_t dilation,
		      int32_t *pads)
{
	int64_t all;

	if (stride < 1 || dilation < 1 || !size || !filter || filter > UINT16_MAX)
		return false;
	all = (((int64_t)size + stride - 1) / stride - 1) * stride +
	      (int64_t)(filter - 1) * dilation + 1 - size;
	all = all < 0 ? 0 : all;
	pads[0] = (int32_t)(all / 2);
	pads[1] = (int32_t)(all - all / 2);
	return all <= UINT16_MAX;
}

/*
 * A convolution whose zero points are taken off the sums. The padding is zeros of the input, which
 * become the zero point: they are put around it before it is quantised. Return: false, with nothing
 * added, if the zero points have to be taken off the input.
 */
static bool asymmetric_convolution(struct tflite_translation *t, uint32_t type, uint32_t units)
{
	const struct tflite_tensor *x = tflite_input(t, 0), *w = tflite_input(t, 1);
	const struct tflite_weights shape = { units ? (uint32_t)(w->elements / units) : 0, 1, 1,
					      w->dims };
	struct tflite_options o = t->op->options;
	/* The gaps of groups are filled. */
	const bool grouped = count_groups(t) > 1;
	struct tflite_value image, q, scale = { 0 }, zero, sums;
	int32_t pads[8] = { 0 };
	uint64_t size;
	uint32_t dims[4];

	if (o.padding == TFLITE_SAME &&
	    (!find_pads(x->dims[1], w->dims[1], o.stride_h, grouped ? 1 : o.dilation_h,
			pads + 2) ||
	     !find_pads(x->dims[2], w->dims[2], o.stride_w, grouped ? 1 : o.dilation_w,
			pads + 4)))
		return false;
	for (uint32_t k = 0; k < 4; k++)
		dims[k] = x->dims[k] + (uint32_t)(pads[2 * k] + pads[2 * k + 1]);
	if (!x->elements || !tflite_count_elements(4, dims, &size) ||
	    !tflite_hybrid_sums(t, &shape, &sums))
		return false;
	o.padding = TFLITE_VALID;
	image = tflite_padded(t, tflite_value(t, 0), pads);
	size /= dims[0];
	q = tflite_reshaped(t, image, 2, (uint32_t[]){ dims[0], (uint32_t)size });
	q = tflite_hybrid_rows(t, q, true, &scale, &zero);
	q = tflite_reshaped(t, q, 4, dims);
	q = integer_convolution(t, type, &o, q, tflite_hybrid_weights(t, 1), units);
	zero = tflite_reshaped(t, zero, 4, (uint32_t[]){ x->dims[0], 1, 1, 1 });
	scale = tflite_reshaped(t, scale, 4, (uint32_t[]){ x->dims[0], 1, 1, 1 });
	tflite_finish_hybrid(t, tflite_hybrid_centred(t, q, zero, sums), scale);
	return true;
}

static void hybrid_convolution(struct tflite_translation *t, uint32_t type, uint32_t units)
{
	const struct tflite_tensor *x = tflite_input(t, 0), *w = tflite_input(t, 1);
	/* TFLite quantises asymmetrically only beside weights with scales that differ. */
	const bool depthwise = type == NNA_OPERATION_DEPTHWISE_CONV_2D,
		   asymmetric = tflite_has_scales(w) || depthwise;
	struct tflite_value q, scale = { 0 };

	if (asymmetric && !depthwise && asymmetric_convolution(t, type, units))
		return;
	q = tflite_hybrid_input(t, x->dims[0], asymmetric, &scale, NULL);
	q = tflite_reshaped(t, q, 4, x->dims);
	q = integer_convolution(t, type, &t->op->options, q, tflite_hybrid_weights(t, 1), units);
	scale = tflite_reshaped(t, scale, 4, (uint32_t[]){ x->dims[0], 1, 1, 1 });
	tflite_finish_hybrid(t, q, scale);
}

static void wide_convolution(struct tflite_translation *t, uint32_t type, uint32_t units)
{
	const struct tflite_options *o = &t->op->options;
	struct tflite_value weights = tflite_hybrid_weights(t, 1), high, low;

	high = integer_convolution(t, type, o, tflite_wide_input(t, true), weights, units);
	low = integer_convolution(t, type, o, tflite_wide_input(t, false), weights, units);
	tflite_finish_wide(t, high, low, units);
}

static void convolution(struct tflite_translation *t, uint32_t type)
{
	const struct tflite_options *o = &t->op->options;
	const struct tflite_tensor *x = tflite_input(t, 0), *w = tflite_input(t, 1);
	bool depthwise = type == NNA_OPERATION_DEPTHWISE_CONV_2D;
	uint32_t units = w->dims[depthwise ? 3 : 0], groups;

	if (tflite_is_wide(t)) {
		wide_convolution(t, type, units);
		return;
	}
	if (tflite_is_hybrid(t)) {
		hybrid_convolution(t, type, units);
		return;
	}
	tflite_push_input(t, 0);
	tflite_push_weights(t, 1, x);
	tflite_push_bias(t, 2, x, w, units);
	push_geometry(t, o, depthwise, units);
	groups = depthwise ? 1 : count_groups(t);
	if (groups > 1) {
		tflite_push_i32(t, (int32_t)groups);
		tflite_push_i32(t, tflite_fused(t));
		tflite_push_bool(t, false);
		tflite_finish(t, NNA_OPERATION_GROUPED_CONV_2D);
		return;
	}
	tflite_push_i32(t, tflite_fused(t));
	tflite_push_bool(t, false);
	tflite_push_i32(t, o->dilation_w);
	tflite_push_i32(t, o->dilation_h);
	tflite_finish(t, type);
}

void tflite_translate_convolution(struct tflite_translation *t, uint32_t type)
{
	struct tflite_tensor *w, was;
	uint32_t operand, number;

	tflite_need(t, 2, 1);
	tflite_need_options(t);
	tflite_need_rank(t, tflite_input(t, 0), 4);
	tflite_need_rank(t, tflite_input(t, 1), 4);
	if (t->ret)
		return;
	if (!has_gaps(t, type)) {
		convolution(t, type);
		return;
	}
	number = (uint32_t)t->op->inputs.at[1];
	w = &t->sub->tensors[number];
	was = *w;
	operand = t->operands[number];
	t->operands[number] = TFLITE_NO_OPERAND;
	fill_gaps(t, w);
	if (!t->ret)
		convolution(t, type);
	*w = was;
	t->operands[number] = operand;
}

static void wide_transpose(struct tflite_translation *t, uint32_t type, const int32_t *shape)
{
	struct tflite_value weights = tflite_hybrid_weights(t, 1), sums[2];
	uint32_t units = tflite_input(t, 1)->dims[0];

	for (int i = 0; i < 2; i++) {
		struct tflite_operand_desc bias = {
			.desc = { .type = NNA_OPERAND_TENSOR_FLOAT32, .rank = 1 },
			.dims = { units },
		};
		struct tflite_value x = tflite_wide_input(t, !i);

		tflite_describe(t, tflite_output(t, 0), &sums[i].o);
		sums[i] = tflite_like(t, &sums[i], NNA_OPERAND_TENSOR_FLOAT32);
		tflite_push(t, x.operand);
		tflite_push(t, weights.operand);
		tflite_push(t, tflite_add_constant(t, &bias, NULL, (size_t)units * 4));
		tflite_push_list(t, shape, 4);
		tflite_push_window(t, &t->op->options);
		tflite_push_i32(t, 0);
		tflite_push_bool(t, false);
		tflite_emit_to(t, type, sums[i].operand);
	}
	tflite_finish_wide(t, sums[0], sums[1], units);
}

void tflite_translate_transpose_convolution(struct tflite_translation *t, uint32_t type)
{
	const struct tflite_tensor *x, *w;
	int32_t shape[4];

	tflite_need(t, 3, 1);
	tflite_need_options(t);
	w = tflite_input(t, 1);
	x = tflite_input(t, 2);
	tflite_need_rank(t, x, 4);
	tflite_need_rank(t, w, 4);
	if (!tflite_exact_ints(t, 0, shape, 4, "the dimensions of the output"))
		return;
	if (tflite_is_wide(t)) {
		wide_transpose(t, type, shape);
		return;
	}
	tflite_push_input(t, 2);
	tflite_push_weights(t, 1, x);
	tflite_push_bias(t, 3, x, w, w->dims[0]);
	tflite_push_list(t, shape, 4);
	tflite_push_window(t, &t->op->options);
	tflite_push_i32(t, tflite_fused(t));
	tflite_push_bool(t, false);
	tflite_finish(t, type);
}
