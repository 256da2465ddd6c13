// SPDX-License-Identifier: MIT
/*
 * CONV_3D as convolutions in two dimensions: the output is the sum, over the planes of the filter,
 * of a CONV_2D of the planes of the input that it meets. All planes of an image are computed at
 * once, as a batch.
 */
#include "tools/tflite/compose.h"

#include <errno.h>

/* Planes of a filter, at most: each is a convolution. */
#define MAX_PLANES 64

/*
 * Plane @plane of the filter [depth, height, width, channels, units], in the order of CONV_2D:
 * [units, height, width, channels].
 */
static uint32_t filter_plane(struct tflite_translation *t, const struct tflite_tensor *w,
			     uint32_t plane)
{
	uint32_t positions = w->dims[1] * w->dims[2] * w->dims[3], units = w->dims[4];
	struct tflite_operand_desc o = { .desc = { .type = NNA_OPERAND_TENSOR_FLOAT32, .rank = 4 },
					 .dims = { units, w->dims[1], w->dims[2], w->dims[3] } };
	const float *from = (const float *)w->data + (size_t)plane * positions * units;
	uint32_t operand = tflite_add_operand(t, &o);
	float *to = t->ret ? NULL : tflite_derive(t->model, (size_t)positions * units * 4);

	if (!t->ret && !to)
		tflite_fail(t, -ENOMEM, "out of memory");
	for (uint32_t i = 0; i < positions && !t->ret; i++)
		for (uint32_t u = 0; u < units; u++)
			to[(size_t)u * positions + i] = from[(size_t)i * units + u];
	tflite_set_constant(t, operand, to, (size_t)positions * units * 4);
	return operand;
}

void tflite_translate_conv_3d(struct tflite_translation *t, uint32_t type)
{
	const struct tflite_options *o = &t->op->options;
	const struct tflite_tensor *x, *w, *y;
	int32_t before = 0, reach, pads[10] = { 0 };
	struct tflite_operand_desc none = { .desc = { .type = NNA_OPERAND_TENSOR_FLOAT32,
						      .rank = 1 } };
	struct tflite_value v, sum = { 0 };
	uint32_t planes, k;

	tflite_need(t, 2, 1);
	tflite_need_options(t);
	x = tflite_input(t, 0);
	w = tflite_input(t, 1);
	y = tflite_output(t, 0);
	tflite_need_rank(t, x, 5);
	tflite_need_rank(t, w, 5);
	tflite_need_rank(t, y, 5);
	if (x->type != TFLITE_FLOAT32 || w->type != TFLITE_FLOAT32 || !w->data)
		tflite_fail(t, -ENOTSUP, "only constant FLOAT32 filters are supported");
	if (w->dims[3] != x->dims[4] || w->dims[4] != y->dims[4])
		tflite_fail(t, -EINVAL, "%u to %u channels by a filter of %u to %u", x->dims[4],
			    y->dims[4], w->dims[3], w->dims[4]);
	if (o->stride_d < 1 || o->dilation_d < 1 || !w->dims[0] || w->dims[0] > MAX_PLANES ||
	    !y->dims[1])
		tflite_fail(t, -ENOTSUP, "%u planes, stride %d, dilation %d", w->dims[0],
			    o->stride_d, o->dilation_d);
	if (!t->ret && (o->stride_d > 65536 || o->dilation_d > 65536 || y->dims[1] > 65536 ||
			x->dims[1] > 65536))
		tflite_fail(t, -ENOTSUP, "too deep");
	if (t->ret)
		return;
	planes = y->dims[1];
	none.dims[0] = w->dims[4];
	/* Planes of the input, padded, that the filter meets: from 0 to reach - 1. */
	reach = ((int32_t)planes - 1) * o->stride_d + ((int32_t)w->dims[0] - 1) * o->dilation_d + 1;
	if (o->padding == TFLITE_SAME && reach > (int32_t)x->dims[1])
		before = (reach - (int32_t)x->dims[1]) / 2;
	v = tflite_value(t, 0);
	if (before || reach > (int32_t)x->dims[1]) {
		struct tflite_value padded = v;

		pads[2] = before;
		pads[3] = reach - before - (int32_t)x->dims[1];
		if (pads[3] < 0)
			pads[3] = 0;
		padded.o.dims[1] += (uint32_t)(pads[2] + pads[3]);
		padded.operand = tflite_add_operand(t, &padded.o);
		tflite_push(t, v.operand);
		tflite_push_pads(t, pads, 5);
		tflite_emit_to(t, NNA_OPERATION_PAD, padded.operand);
		v = padded;
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
		tflite_push(t, tflite_add_constant(t, &none, NULL, (size_t)none.dims[0] * 4));
		tflite_push_window(t, o);
		tflite_push_i32(t, 0);
		tflite_push_bool(t, false);
		tflite_push_i32(t, o->dilation_w);
		tflite_push_i32(t, o->dilation_h);
		tflite_emit_to(t, type, part.operand);
		sum = k ? tflite_binary(t, NNA_OPERATION_ADD, sum, part) : part;
	}
	sum = tflite_reshaped(t, sum, 5, y->dims);
	tflite_push(t, sum.operand);
	tflite_push(t, tflite_has_input(t, 2) ? tflite_input_operand(t, 2) :
						tflite_float(t, 0).operand);
	tflite_push_i32(t, tflite_fused(t));
	tflite_finish(t, NNA_OPERATION_ADD);
}
