// SPDX-License-Identifier: MIT
/*
 * RESIZE_BILINEAR, RESIZE_NEAREST_NEIGHBOR: images of another size.
 *
 *	in 0	images			FLOAT, QUANT8 [b, h, w, c]	[b, c, h, w] with nchw
 *	in 1	width			INT32 or FLOAT			a FLOAT is a factor for the
 *									width of the input
 *	in 2	height			T1				likewise
 *	in 3	nchw?			BOOL				false by default
 *	in 4	align corners?		BOOL				false by default; the corner
 *									pixels keep their positions
 *	in 5	half pixel centers?	BOOL				false by default; not
 *									together with align corners
 *	out 0	output			Q0 [b, height, width, c]	in the layout of the input
 *
 * Lowered to one RESIZE.
 */
#include <math.h>

#include "libnnaccel/ops/window.h"

/**
 * struct target - the parameters
 * @nchw: layout of both images
 * @align: align corners
 * @half: half pixel centers
 * @height: of the output
 * @width: of the output
 */
struct target {
	bool nchw, align, half;
	uint32_t height, width;
};

/* Reads input @i, the new size of a dimension of @size pixels, or a factor for it. */
static int read_size(const struct nna_op_context *op, uint32_t i, uint32_t size, uint32_t *out)
{
	int32_t number = 0;
	float factor;
	double wide;
	int ret;

	if (op->in[i].type == NNA_OPERAND_INT32) {
		ret = nna_op_scalar_i32(op, i, &number);
	} else {
		ret = nna_op_scalar_f32(op, i, &factor);
		if (!ret) {
			wide = floor((double)((float)size * factor));
			number = wide >= 1 && wide <= INT32_MAX ? (int32_t)wide : 0;
		}
	}
	if (!ret && number < 1)
		ret = nna_op_refuse(op, NNA_IN(i), "it gives the output a size of %d",
				    "1 to %d pixels", number, INT32_MAX);
	*out = (uint32_t)number;
	return ret;
}

static int read_target(const struct nna_op_context *op, struct target *t)
{
	const uint32_t *in = op->in[0].dims;
	int ret = nna_param_bool(op, 3, false, &t->nchw) ?:
		  nna_param_bool(op, 4, false, &t->align) ?:
		  nna_param_bool(op, 5, false, &t->half);

	if (ret)
		return ret;
	if (t->align && t->half)
		return nna_op_refuse(op, NNA_IN(5), "half pixel centers with align corners",
				     "one of inputs 4 and 5 to be false");
	return read_size(op, 1, in[nna_axis_w(t->nchw)], &t->width) ?:
	       read_size(op, 2, in[nna_axis_h(t->nchw)], &t->height);
}

static int check(struct nna_op_context *op)
{
	return nna_check_out_quant(op, 0, 0);
}

static int infer(struct nna_op_context *op)
{
	struct target t;
	int ret = read_target(op, &t);

	return ret ?: nna_set_image(op, t.nchw, op->in[0].dims[0], t.height, t.width,
				    op->in[0].dims[nna_axis_c(t.nchw)]);
}

/* Return: input pixels per output pixel. */
static float factor(uint32_t in, uint32_t out, bool align)
{
	return align && out > 1 ? (float)(in - 1) / (float)(out - 1) : (float)in / (float)out;
}

static int lower(struct nna_op_context *op)
{
	struct nna_ir_op command = { .kind = NNA_IR_RESIZE };
	const uint32_t *dims = op->in[0].dims;
	uint32_t values[2];
	struct target t;
	int ret = read_target(op, &t) ?:
		  nna_lower_images(op, t.nchw, &values[NNA_IR_IN],
				   &values[NNA_IR_OUT]);

	if (ret)
		return ret == -ENODATA ? 0 : ret;
	command.resize.mode = op->operation->type == NNA_OPERATION_RESIZE_BILINEAR ?
			       NNA_RESIZE_BILINEAR : NNA_RESIZE_NEAREST;
	command.resize.align_corners = t.align;
	command.resize.half_pixel_centers = t.half;
	command.resize.scale_h = factor(dims[nna_axis_h(t.nchw)], t.height, t.align);
	command.resize.scale_w = factor(dims[nna_axis_w(t.nchw)], t.width, t.align);
	command.rounding = nna_ir_rounding(op->lower);
	return nna_ir_add(op->lower, &command, values);
}

#define RESIZE(name, number) \
	const struct nna_op nna_op_##name = { \
		.type = number, \
		.check = check, .infer = infer, .lower = lower, \
	}

RESIZE(resize_bilinear, NNA_OPERATION_RESIZE_BILINEAR);
RESIZE(resize_nearest, NNA_OPERATION_RESIZE_NEAREST_NEIGHBOR);
