// SPDX-License-Identifier: MIT
/*
 * Resizing pictures; the new size is that of the output, as the file states it. TFLite interpolates
 * INT8 and INT16 with weights of 10 bits, which NNAPI does not: rows and columns are gathered and
 * weighed here, in integers, or for INT16 in real numbers with the same weights.
 */
#include "tools/tflite/compose.h"

#include <errno.h>
#include <stdlib.h>

/* One, as a weight. */
#define ONE 1024

/** struct taps - for each output position along an axis the two neighbours and their weights */
struct taps {
	struct tflite_value below, above, below_weight, above_weight;
};

static struct tflite_value weights(struct tflite_translation *t, const int32_t *values,
				   uint32_t count, uint32_t axis, bool real)
{
	uint32_t dims[4] = { 1, 1, 1, 1 };
	struct tflite_value v;

	dims[axis] = count;
	v = tflite_int_tensor(t, 4, dims, values);
	if (!real)
		return v;
	v = tflite_cast(t, v, NNA_OPERAND_TENSOR_FLOAT32);
	return tflite_binary(t, NNA_OPERATION_MUL, v, tflite_float(t, 1.0f / ONE));
}

/* Positions are in 1/1024 of an input pixel, as all sizes of TFLite's rule. */
static void find_taps(struct tflite_translation *t, uint32_t axis, bool real, struct taps *taps)
{
	const struct tflite_options *o = &t->op->options;
	int64_t in = tflite_input(t, 0)->dims[axis], out = tflite_output(t, 0)->dims[axis], scale;
	int32_t *lists;

	if (in < 1 || out < 1 || in > 1 << 20 || out > 1 << 20) {
		tflite_fail(t, -ENOTSUP, "%lld pixels become %lld", (long long)in, (long long)out);
		return;
	}
	lists = calloc((size_t)out * 4, sizeof(*lists));
	if (!lists) {
		tflite_fail(t, -ENOMEM, "out of memory");
		return;
	}
	scale = o->align_corners && out > 1 ? (ONE * (in - 1) + (out - 1) / 2) / (out - 1) :
					      (ONE * in + out / 2) / out;
	for (int64_t i = 0; i < out; i++) {
		int64_t at = o->half_pixel_centers ? i * scale + scale / 2 - ONE / 2 : i * scale;
		int64_t low = at < 0 ? 0 : at / ONE, high = (at + ONE - 1) / ONE;

		low = low < in ? low : in - 1;
		lists[i] = (int32_t)low;
		lists[out + i] = (int32_t)(high < in ? high : in - 1);
		lists[2 * out + i] = (int32_t)(ONE - (at - ONE * low));
		lists[3 * out + i] = (int32_t)(at - ONE * low);
	}
	taps->below = tflite_int_tensor(t, 1, &(uint32_t){ (uint32_t)out }, lists);
	taps->above = tflite_int_tensor(t, 1, &(uint32_t){ (uint32_t)out }, lists + out);
	taps->below_weight = weights(t, lists + 2 * out, (uint32_t)out, axis, real);
	taps->above_weight = weights(t, lists + 3 * out, (uint32_t)out, axis, real);
	free(lists);
}

static struct tflite_value weigh(struct tflite_translation *t, struct tflite_value x, uint32_t axis,
				 bool real)
{
	struct tflite_value low, high;
	struct taps taps = { 0 };

	find_taps(t, axis, real, &taps);
	if (t->ret)
		return x;
	low = tflite_gathered(t, x, axis, taps.below);
	high = tflite_gathered(t, x, axis, taps.above);
	low = tflite_binary(t, NNA_OPERATION_MUL, low, taps.below_weight);
	high = tflite_binary(t, NNA_OPERATION_MUL, high, taps.above_weight);
	return tflite_binary(t, NNA_OPERATION_ADD, low, high);
}

static void bilinear_by_tenbit_weights(struct tflite_translation *t)
{
	const struct tflite_tensor *y = tflite_output(t, 0);
	bool real = y->type == TFLITE_FLOAT32;
	struct tflite_value x = tflite_value(t, 0), size, negative;

	if (!real)
		x = tflite_cast(t, x, NNA_OPERAND_TENSOR_INT32);
	x = weigh(t, weigh(t, x, 1, real), 2, real);
	if (real) {
		tflite_result(t, x, 0);
		return;
	}
	/* x / ONE^2, halves away from zero */
	size = tflite_unary(t, NNA_OPERATION_ABS, x);
	size = tflite_binary(t, NNA_OPERATION_ADD, size, tflite_int(t, ONE * ONE / 2));
	size = tflite_binary(t, NNA_OPERATION_FLOOR_DIV, size, tflite_int(t, ONE * ONE));
	negative = tflite_binary(t, NNA_OPERATION_LESS, x, tflite_int(t, 0));
	size = tflite_select(t, negative, tflite_unary(t, NNA_OPERATION_NEG, size), size);
	tflite_push(t, size.operand);
	tflite_emit_to(t, NNA_OPERATION_CAST, tflite_output_operand(t, 0));
}

void tflite_translate_resize(struct tflite_translation *t, uint32_t type)
{
	const struct tflite_tensor *x, *y;

	tflite_need(t, 1, 1);
	x = tflite_input(t, 0);
	y = tflite_output(t, 0);
	tflite_need_rank(t, x, 4);
	tflite_need_rank(t, y, 4);
	if (t->ret)
		return;
	if (type == NNA_OPERATION_RESIZE_BILINEAR && t->ops->requantizes &&
	    (x->type == TFLITE_INT8 || t->real)) {
		bilinear_by_tenbit_weights(t);
		return;
	}
	tflite_push_input(t, 0);
	tflite_push_i32(t, (int32_t)y->dims[2]);
	tflite_push_i32(t, (int32_t)y->dims[1]);
	tflite_push_bool(t, false);
	tflite_push_bool(t, t->op->options.align_corners);
	tflite_push_bool(t, t->op->options.half_pixel_centers);
	tflite_emit_outputs(t, type);
}
