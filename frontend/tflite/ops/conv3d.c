// SPDX-License-Identifier: MIT
/*
 * CONV_3D as convolutions in two dimensions. The output is a sum over the planes of the filter:
 * each plane is a CONV_2D of the planes of the input that it meets. One CONV_2D computes all planes
 * of an image as a batch.
 *
 * CONV_3D_TRANSPOSE: each plane of the filter is a TRANSPOSE_CONV_2D of all planes of the input.
 * The result for plane d of the input is added to plane d * stride + (plane of the filter) -
 * padding of the output.
 */
#include "frontend/tflite/compose.h"

#include <string.h>

/* Limit of planes of a filter: each becomes a convolution. */
#define MAX_PLANES 64
/* Limits of the planes, stride and dilation, so that positions fit in 32 bits. */
#define MAX_DEPTH 65536
#define MAX_SPREAD 1024

/*
 * Plane @plane of the filter as a filter of CONV_2D: [units, height, width, channels]. The filter
 * of CONV_3D is [depth, height, width, channels, units], that of CONV_3D_TRANSPOSE [depth, height,
 * width, units, channels].
 */
static uint32_t filter_plane(struct tflite_translation *t, const struct tflite_tensor *w,
			     uint32_t plane)
{
	bool transpose = t->op->code == TFLITE_CONV_3D_TRANSPOSE;
	uint32_t units = w->dims[transpose ? 3 : 4], channels = w->dims[transpose ? 4 : 3];
	size_t positions = (size_t)w->dims[1] * w->dims[2], size = positions * units * channels;
	struct tflite_operand_desc o = { .desc = { .type = NNA_OPERAND_TENSOR_FLOAT32, .rank = 4 },
					 .dims = { units, w->dims[1], w->dims[2], channels } };
	const float *from = (const float *)w->data + plane * size;
	uint32_t operand = tflite_add_operand(t, &o);
	float *to = t->ret ? NULL : tflite_derive(t->model, size * sizeof(*to));

	if (!t->ret && !to)
		tflite_no_memory(t);
	for (size_t i = 0; i < positions && !t->ret; i++)
		for (size_t c = 0; c < channels; c++)
			for (size_t u = 0; u < units; u++)
				to[(u * positions + i) * channels + c] =
					from[i * units * channels +
					     (transpose ? u * channels + c : c * units + u)];
	tflite_set_constant(t, operand, to, size * sizeof(*to));
	return operand;
}

/* A bias of zeros for the convolution of a plane; finish() adds the operator's bias. */
static uint32_t no_bias(struct tflite_translation *t, uint32_t units)
{
	struct tflite_operand_desc o = { .desc = { .type = NNA_OPERAND_TENSOR_FLOAT32, .rank = 1 },
					 .dims = { units } };

	return tflite_add_constant(t, &o, NULL, (size_t)units * 4);
}

/* The output: @sum, in the order of the output's elements, plus the bias, input @bias, if any. */
static void finish(struct tflite_translation *t, struct tflite_value sum, uint32_t bias)
{
	sum = tflite_reshaped(t, sum, 5, tflite_output(t, 0)->dims);
	tflite_push(t, sum.operand);
	tflite_push(t, tflite_has_input(t, bias) ? tflite_input_operand(t, bias) :
						   tflite_float(t, 0).operand);
	tflite_push_i32(t, tflite_fused(t));
	tflite_finish(t, NNA_OPERATION_ADD);
}

/* Checks the input @x, the filter @w and the output @y of both operators. */
static void need_volumes(struct tflite_translation *t, const struct tflite_tensor *x,
			 const struct tflite_tensor *w, const struct tflite_tensor *y)
{
	tflite_need_rank(t, x, 5);
	tflite_need_rank(t, w, 5);
	tflite_need_rank(t, y, 5);
	tflite_need_type(t, x, x->type == TFLITE_FLOAT32, "FLOAT32");
	tflite_need_type(t, w, w->type == TFLITE_FLOAT32, "FLOAT32");
	tflite_need_constant(t, w);
}

/* An error unless dimension @dim of @x, the number of its planes, is 1 to @most. */
static void need_planes(struct tflite_translation *t, const struct tflite_tensor *x, uint32_t dim,
			uint32_t most)
{
	if (!x->dims[dim] || x->dims[dim] > most)
		tflite_unsupported(t, x, "%u planes", "1 to %u", x->dims[dim], most);
}

/* An error unless @number, a stride or dilation of the planes as @what says, is 1 to @most. */
static void need_step(struct tflite_translation *t, const char *what, int32_t number, int32_t most)
{
	if (number < 1 || number > most)
		tflite_unsupported(t, NULL, "a %s of %d planes", "1 to %d", what, number, most);
}

/* An error unless the filter @w has @in input and @out output channels. */
static void need_channels(struct tflite_translation *t, const struct tflite_tensor *w, uint32_t in,
			  uint32_t out)
{
	bool transpose = t->op->code == TFLITE_CONV_3D_TRANSPOSE;
	uint32_t units = w->dims[transpose ? 3 : 4], channels = w->dims[transpose ? 4 : 3];

	if (channels != in || units != out)
		tflite_refuse(t, w, "%u input and %u output channels", "%u and %u", channels, units,
			      in, out);
}

void tflite_translate_conv_3d(struct tflite_translation *t, uint32_t type)
{
	const struct tflite_options *o = &t->op->options;
	const struct tflite_tensor *x, *w, *y;
	int32_t before = 0, reach, pads[10] = { 0 };
	struct tflite_value v, sum = { 0 };
	uint32_t planes, k;

	tflite_need(t, 2, 1);
	tflite_need_options(t);
	x = tflite_input(t, 0);
	w = tflite_input(t, 1);
	y = tflite_output(t, 0);
	need_volumes(t, x, w, y);
	need_channels(t, w, x->dims[4], y->dims[4]);
	need_step(t, "stride", o->stride_d, MAX_DEPTH);
	need_step(t, "dilation", o->dilation_d, MAX_DEPTH);
	need_planes(t, w, 0, MAX_PLANES);
	need_planes(t, x, 1, MAX_DEPTH);
	need_planes(t, y, 1, MAX_DEPTH);
	if (t->ret)
		return;
	planes = y->dims[1];
	/* The filter meets planes 0 to reach - 1 of the padded input. */
	reach = ((int32_t)planes - 1) * o->stride_d + ((int32_t)w->dims[0] - 1) * o->dilation_d + 1;
	if (o->padding == TFLITE_SAME && reach > (int32_t)x->dims[1])
		before = (reach - (int32_t)x->dims[1]) / 2;
	v = tflite_value(t, 0);
	if (before || reach > (int32_t)x->dims[1]) {
		pads[2] = before;
		pads[3] = reach - before - (int32_t)x->dims[1];
		if (pads[3] < 0)
			pads[3] = 0;
		v = tflite_padded(t, v, pads);
	}
	for (k = 0; k < w->dims[0] && !t->ret; k++) {
		int32_t first = (int32_t)k * o->dilation_d;
		int32_t begin[5] = { 0, first }, steps[5] = { 1, o->stride_d, 1, 1, 1 }, end[5];
		struct tflite_value slice = v, part;

		for (int i = 0; i < 5; i++)
			end[i] = (int32_t)v.o.dims[i];
		end[1] = first + ((int32_t)planes - 1) * o->stride_d + 1;
		slice.o.dims[1] = planes;
		slice.operand = tflite_add_operand(t, &slice.o);
		tflite_push(t, v.operand);
		tflite_push_list(t, begin, 5);
		tflite_push_list(t, end, 5);
		tflite_push_list(t, steps, 5);
		tflite_push_i32(t, 0);
		tflite_push_i32(t, 0);
		tflite_push_i32(t, 0);
		tflite_emit_to(t, NNA_OPERATION_STRIDED_SLICE, slice.operand);
		slice = tflite_reshaped(t, slice, 4,
					(uint32_t[]){ x->dims[0] * planes, x->dims[2], x->dims[3],
						      x->dims[4] });
		part = slice;
		part.o.dims[1] = y->dims[2];
		part.o.dims[2] = y->dims[3];
		part.o.dims[3] = y->dims[4];
		part.operand = tflite_add_operand(t, &part.o);
		tflite_push(t, slice.operand);
		tflite_push(t, filter_plane(t, w, k));
		tflite_push(t, no_bias(t, w->dims[4]));
		tflite_push_window(t, o);
		tflite_push_i32(t, 0);
		tflite_push_bool(t, false);
		tflite_push_i32(t, o->dilation_w);
		tflite_push_i32(t, o->dilation_h);
		tflite_emit_to(t, type, part.operand);
		sum = k ? tflite_binary(t, NNA_OPERATION_ADD, sum, part) : part;
	}
	finish(t, sum, 2);
}

/*
 * Places @planes [images, planes, elements of a plane] among the @depth planes of the output: the
 * first one at @first, which may be negative, the others @stride apart. The rest is zeros.
 */
static struct tflite_value spread(struct tflite_translation *t, struct tflite_value planes,
				  int32_t stride, int32_t first, uint32_t depth)
{
	uint32_t dims[4] = { planes.o.dims[0], planes.o.dims[1], 1, planes.o.dims[2] };
	int32_t count, pads[8] = { 0 };

	/* stride - 1 planes of zeros follow each plane, also the last one. */
	pads[5] = stride - 1;
	planes = tflite_padded(t, tflite_reshaped(t, planes, 4, dims), pads);
	dims[1] *= (uint32_t)stride;
	dims[2] = dims[3];
	planes = tflite_reshaped(t, planes, 3, dims);
	if (first < 0) {
		planes = tflite_part(t, planes, 1, (uint32_t)-first, dims[1] - (uint32_t)-first);
		first = 0;
	}
	count = (int32_t)planes.o.dims[1];
	if (first + count > (int32_t)depth) {
		count = (int32_t)depth - first;
		planes = tflite_part(t, planes, 1, 0, (uint32_t)count);
	}
	pads[5] = 0;
	pads[2] = first;
	pads[3] = (int32_t)depth - first - count;
	return tflite_padded(t, planes, pads);
}

/* @filter applied to all planes of @x: [images, planes, elements of a plane of the output]. */
static struct tflite_value transpose_planes(struct tflite_translation *t, struct tflite_value x,
					    uint32_t filter, uint32_t type)
{
	const uint32_t *in = tflite_input(t, 2)->dims, *out = tflite_output(t, 0)->dims;
	uint32_t dims[4] = { in[0] * in[1], out[2], out[3], out[4] };
	struct tflite_value part = x;

	memcpy(part.o.dims, dims, sizeof(dims));
	part.operand = tflite_add_operand(t, &part.o);
	tflite_push(t, x.operand);
	tflite_push(t, filter);
	tflite_push(t, no_bias(t, out[4]));
	tflite_push_list(t, (int32_t[]){ (int32_t)dims[0], (int32_t)dims[1], (int32_t)dims[2],
					 (int32_t)dims[3] }, 4);
	tflite_push_window(t, &t->op->options);
	tflite_push_i32(t, 0);
	tflite_push_bool(t, false);
	tflite_emit_to(t, type, part.operand);
	return tflite_reshaped(t, part, 3, (uint32_t[]){ in[0], in[1],
							 dims[1] * dims[2] * dims[3] });
}

void tflite_translate_conv_3d_transpose(struct tflite_translation *t, uint32_t type)
{
	const struct tflite_options *o = &t->op->options;
	const struct tflite_tensor *x, *w, *y;
	struct tflite_value v, sum = { 0 };
	int32_t before = 0, reach;
	bool first = true;

	tflite_need(t, 3, 1);
	tflite_need_options(t);
	w = tflite_input(t, 1);
	x = tflite_input(t, 2);
	y = tflite_output(t, 0);
	need_volumes(t, x, w, y);
	need_channels(t, w, x->dims[4], y->dims[4]);
	if (x->dims[0] != y->dims[0])
		tflite_refuse(t, y, "a batch of %u", "%u, that of the input", y->dims[0],
			      x->dims[0]);
	if (o->dilation_d != 1 || o->dilation_h != 1 || o->dilation_w != 1)
		tflite_unsupported(t, NULL, "dilations %d, %d and %d", "1", o->dilation_d,
				   o->dilation_h, o->dilation_w);
	need_step(t, "stride", o->stride_d, MAX_SPREAD);
	need_planes(t, w, 0, MAX_PLANES);
	need_planes(t, x, 1, MAX_DEPTH);
	need_planes(t, y, 1, MAX_DEPTH);
	if (t->ret)
		return;
	/* The padding is that of the convolution from the output to the input. */
	reach = ((int32_t)y->dims[1] - 1) / o->stride_d * o->stride_d + (int32_t)w->dims[0];
	if (o->padding == TFLITE_SAME && reach > (int32_t)y->dims[1])
		before = (reach - (int32_t)y->dims[1]) / 2;
	v = tflite_reshaped(t, tflite_value(t, 2), 4,
			    (uint32_t[]){ x->dims[0] * x->dims[1], x->dims[2], x->dims[3],
					  x->dims[4] });
	for (uint32_t k = 0; k < w->dims[0] && !t->ret; k++) {
		int32_t begin = (int32_t)k - before;
		struct tflite_value part;

		/* A plane of the filter may meet no plane of the output. */
		if (begin >= (int32_t)y->dims[1] ||
		    begin + (int32_t)x->dims[1] * o->stride_d <= 0)
			continue;
		part = spread(t, transpose_planes(t, v, filter_plane(t, w, k), type), o->stride_d,
			      begin, y->dims[1]);
		sum = first ? part : tflite_binary(t, NNA_OPERATION_ADD, sum, part);
		first = false;
	}
	if (first)
		tflite_refuse(t, y, "no plane of the filter meets it", "more planes");
	finish(t, sum, 3);
}
