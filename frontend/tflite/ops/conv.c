// SPDX-License-Identifier: MIT
/* CONV_2D, also with groups, DEPTHWISE_CONV_2D and TRANSPOSE_CONV. */
#include "frontend/tflite/compose.h"

/* Inputs of a convolution from number 3 on, without the activation. */
static void push_geometry(struct tflite_translation *t, bool depthwise, uint32_t units)
{
	const struct tflite_tensor *x = tflite_input(t, 0);

	tflite_push_window(t, &t->op->options);
	if (!depthwise)
		return;
	if (!x->dims[3] || units % x->dims[3])
		tflite_refuse(t, tflite_input(t, 1), "%u output channels",
			      "a multiple of %u, the input channels", units, x->dims[3]);
	else
		tflite_push_i32(t, (int32_t)(units / x->dims[3]));
}

/*
 * The number of groups of a CONV_2D, which the filter's shape implies. NNAPI's operation for more
 * than 1 has no dilation. 1 after an error.
 */
static uint32_t count_groups(struct tflite_translation *t)
{
	const struct tflite_tensor *x = tflite_input(t, 0), *w = tflite_input(t, 1);
	const struct tflite_options *o = &t->op->options;

	if (!w->dims[3] || x->dims[3] % w->dims[3]) {
		tflite_refuse(t, w, "%u channels", "a divisor of %u, the input channels",
			      w->dims[3], x->dims[3]);
		return 1;
	}
	if (w->dims[3] != x->dims[3] && (o->dilation_w != 1 || o->dilation_h != 1))
		tflite_unsupported(t, NULL, "groups with dilations %d and %d", "dilations of 1",
				   o->dilation_w, o->dilation_h);
	return x->dims[3] / w->dims[3];
}

/* The sums of products of whole numbers in FLOAT32, without bias. */
static struct tflite_value integer_convolution(struct tflite_translation *t, uint32_t type,
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
	push_geometry(t, depthwise, units);
	if (groups > 1)
		tflite_push_i32(t, (int32_t)groups);
	tflite_push_i32(t, 0);
	tflite_push_bool(t, false);
	if (groups > 1) {
		tflite_emit_to(t, NNA_OPERATION_GROUPED_CONV_2D, sum.operand);
		return sum;
	}
	tflite_push_i32(t, t->op->options.dilation_w);
	tflite_push_i32(t, t->op->options.dilation_h);
	tflite_emit_to(t, type, sum.operand);
	return sum;
}

static void hybrid_convolution(struct tflite_translation *t, uint32_t type, uint32_t units)
{
	const struct tflite_tensor *x = tflite_input(t, 0), *w = tflite_input(t, 1);
	struct tflite_value q, scale = { 0 };

	/* TFLite quantises asymmetrically only beside weights with scales that differ. */
	q = tflite_hybrid_input(t, x->dims[0],
				tflite_has_scales(w) || type == NNA_OPERATION_DEPTHWISE_CONV_2D,
				&scale);
	q = tflite_reshaped(t, q, 4, x->dims);
	q = integer_convolution(t, type, q, tflite_hybrid_weights(t, 1), units);
	scale = tflite_reshaped(t, scale, 4, (uint32_t[]){ x->dims[0], 1, 1, 1 });
	tflite_finish_hybrid(t, q, scale);
}

static void wide_convolution(struct tflite_translation *t, uint32_t type, uint32_t units)
{
	struct tflite_value weights = tflite_hybrid_weights(t, 1), high, low;

	high = integer_convolution(t, type, tflite_wide_input(t, true), weights, units);
	low = integer_convolution(t, type, tflite_wide_input(t, false), weights, units);
	tflite_finish_wide(t, high, low, units);
}

void tflite_translate_convolution(struct tflite_translation *t, uint32_t type)
{
	const struct tflite_options *o = &t->op->options;
	const struct tflite_tensor *x, *w;
	bool depthwise = type == NNA_OPERATION_DEPTHWISE_CONV_2D;
	uint32_t units, groups;

	tflite_need(t, 2, 1);
	tflite_need_options(t);
	x = tflite_input(t, 0);
	w = tflite_input(t, 1);
	tflite_need_rank(t, x, 4);
	tflite_need_rank(t, w, 4);
	if (t->ret)
		return;
	units = w->dims[depthwise ? 3 : 0];
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
	push_geometry(t, depthwise, units);
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
