// SPDX-License-Identifier: MIT
/*
 * RESIZE_BILINEAR and RESIZE_NEAREST_NEIGHBOR; the new size is the shape of the output. TFLite
 * interpolates INT8 and INT16 with weights of 10 bits, NNAPI does not. For INT8 the graph's
 * rounding (NNA_ROUNDING_TFLITE) selects them. For INT16 rows and columns are gathered here and
 * multiplied by integer weights, and the sum is rounded once, halves away from zero.
 */
#include "frontend/tflite/rescale.h"

#include <math.h>
#include <stdlib.h>

/* The weight 1.0. */
#define ONE 1024
/* Limit of pixels along an axis, so that positions fit in 32 bits. */
#define MAX_PIXELS (1u << 20)

/** struct taps - the two input neighbours of each output position on an axis, and their weights */
struct taps {
	struct tflite_value below, above, below_weight, above_weight;
};

static struct tflite_value weights(struct tflite_translation *t, const int32_t *values,
				   uint32_t count, uint32_t axis)
{
	uint32_t dims[4] = { 1, 1, 1, 1 };
	struct tflite_value v;

	dims[axis] = count;
	v = tflite_int_tensor(t, 4, dims, values);
	return tflite_cast(t, v, NNA_OPERAND_TENSOR_INT64);
}

/* An error unless input and output have 1 to MAX_PIXELS pixels along @axis. */
static bool check_pixels(struct tflite_translation *t, uint32_t axis)
{
	uint32_t in = tflite_input(t, 0)->dims[axis], out = tflite_output(t, 0)->dims[axis];

	if (in < 1 || out < 1 || in > MAX_PIXELS || out > MAX_PIXELS)
		tflite_unsupported(t, NULL, "%u pixels resized to %u", "1 to %u", in, out,
				   MAX_PIXELS);
	return !t->ret;
}

/* Positions and scales are in 1/1024 of an input pixel, as in TFLite's kernel. */
static void find_taps(struct tflite_translation *t, uint32_t axis, struct taps *taps)
{
	const struct tflite_options *o = &t->op->options;
	int64_t in = tflite_input(t, 0)->dims[axis], out = tflite_output(t, 0)->dims[axis], scale;
	int32_t *lists;

	if (!check_pixels(t, axis))
		return;
	lists = calloc((size_t)out * 4, sizeof(*lists));
	if (!lists) {
		tflite_no_memory(t);
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
	taps->below_weight = weights(t, lists + 2 * out, (uint32_t)out, axis);
	taps->above_weight = weights(t, lists + 3 * out, (uint32_t)out, axis);
	free(lists);
}

static struct tflite_value weigh(struct tflite_translation *t, struct tflite_value x, uint32_t axis)
{
	struct tflite_value low, high;
	struct taps taps = { 0 };

	find_taps(t, axis, &taps);
	if (t->ret)
		return x;
	low = tflite_gathered(t, x, axis, taps.below);
	high = tflite_gathered(t, x, axis, taps.above);
	low = tflite_cast(t, low, NNA_OPERAND_TENSOR_INT64);
	high = tflite_cast(t, high, NNA_OPERAND_TENSOR_INT64);
	low = tflite_binary(t, NNA_OPERATION_MUL, low, taps.below_weight);
	high = tflite_binary(t, NNA_OPERATION_MUL, high, taps.above_weight);
	return tflite_binary(t, NNA_OPERATION_ADD, low, high);
}

bool tflite_is_resize16(const struct tflite_translation *t)
{
	const struct tflite_ints in = t->op->inputs, out = t->op->outputs;

	return t->op->code == TFLITE_RESIZE_BILINEAR && t->ops->requantizes && in.count >= 1 &&
	       in.at[0] >= 0 && out.count == 1 &&
	       tflite_is_symmetric16(&t->sub->tensors[in.at[0]]) &&
	       tflite_is_symmetric16(&t->sub->tensors[out.at[0]]);
}

static void resize16(struct tflite_translation *t)
{
	struct tflite_value x = tflite_cast(t, tflite_value(t, 0), NNA_OPERAND_TENSOR_INT32), sign;

	x = tflite_cast(t, weigh(t, x, 1), NNA_OPERAND_TENSOR_INT32);
	x = weigh(t, x, 2);
	sign = tflite_binary(t, NNA_OPERATION_RIGHT_SHIFT, x, tflite_long(t, 63));
	x = tflite_binary(t, NNA_OPERATION_ADD, x, sign);
	x = tflite_binary(t, NNA_OPERATION_ADD, x, tflite_long(t, ONE * ONE / 2));
	tflite_store(t, tflite_binary(t, NNA_OPERATION_RIGHT_SHIFT, x, tflite_long(t, 20)));
}

/* Gathers the nearest row or column for each output position, as TFLite finds it. */
static struct tflite_value nearest(struct tflite_translation *t, struct tflite_value x,
				   uint32_t axis)
{
	const uint32_t in = tflite_input(t, 0)->dims[axis], out = tflite_output(t, 0)->dims[axis];
	const struct tflite_options *o = &t->op->options;
	const float scale = o->align_corners && out > 1 ? (float)(in - 1) / (float)(out - 1) :
							  (float)in / (float)out;
	int32_t *list;

	if (!check_pixels(t, axis))
		return x;
	list = calloc(out, sizeof(*list));
	if (!list) {
		tflite_no_memory(t);
		return x;
	}
	for (uint32_t i = 0; i < out; i++) {
		float at = ((float)i + (o->half_pixel_centers ? 0.5f : 0)) * scale;

		at = o->align_corners ? roundf(at) : floorf(at);
		list[i] = at < (float)(in - 1) ? (int32_t)at : (int32_t)in - 1;
	}
	x = tflite_gathered(t, x, axis, tflite_int_tensor(t, 1, &out, list));
	free(list);
	return x;
}

/*
 * Whether NNAPI's operation refuses this one: aligned corners together with half pixel centres, or
 * numbers that are none of pictures, such as the classes of pixels.
 */
static bool needs_nearest(const struct tflite_translation *t, uint32_t type)
{
	const uint32_t kind = t->sub->tensors[t->op->inputs.at[0]].type;

	return type == NNA_OPERATION_RESIZE_NEAREST_NEIGHBOR &&
	       ((t->op->options.align_corners && t->op->options.half_pixel_centers) ||
		kind == TFLITE_INT32 || kind == TFLITE_INT64 || kind == TFLITE_BOOL);
}

void tflite_translate_resize(struct tflite_translation *t, uint32_t type)
{
	const struct tflite_tensor *y;

	tflite_need(t, 1, 1);
	y = tflite_output(t, 0);
	tflite_need_rank(t, tflite_input(t, 0), 4);
	tflite_need_rank(t, y, 4);
	if (t->ret)
		return;
	if (tflite_is_resize16(t)) {
		resize16(t);
		return;
	}
	if (needs_nearest(t, type)) {
		tflite_result(t, nearest(t, nearest(t, tflite_value(t, 0), 1), 2), 0);
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
