// SPDX-License-Identifier: MIT
/*
 * HEATMAP_MAX_KEYPOINT: the position of the maximum of each heat map, interpolated between pixels.
 *
 *	in 0	heat maps	FLOAT, QUANT8		[boxes, size, size, keypoints]
 *	in 1	boxes		T0 [boxes, 4]		x1 y1 x2 y2 in the image; with QUANT8
 *							QUANT16_ASYMM, scale 1/8, zero point 0
 *	in 2	nchw		BOOL			layout of the heat maps
 *	out 0	scores		T0 [boxes, keypoints]
 *	out 1	keypoints	type of the boxes	[boxes, keypoints, 2]: x, y in the image
 *
 * Lowered to one KEYPOINT.
 */
#include "libnnaccel/ops/window.h"

/* The scale of boxes and keypoints if heat maps have 8 bits. */
#define BOX_SCALE 0.125f

static int check_box_scale(const struct nna_op_context *op, uint32_t operand,
			   const struct nna_shape *shape)
{
	return shape->type == NNA_OPERAND_TENSOR_QUANT16_ASYMM ?
		       nna_check_quant(op, operand, BOX_SCALE, 0) : 0;
}

static int check(struct nna_op_context *op)
{
	bool nchw;
	int ret = nna_check_dim(op, 1, 1, 4) ?:
		  nna_check_dim(op, 1, 0, nna_known_dim(&op->in[0], 0)) ?:
		  check_box_scale(op, NNA_IN(1), &op->in[1]) ?:
		  check_box_scale(op, NNA_OUT(1), &op->out[1]);

	if (ret)
		return ret;
	ret = nna_op_scalar_bool(op, 2, &nchw);
	return ret ? nna_later(ret) :
		     nna_check_dim(op, 0, nna_axis_h(nchw),
				   nna_known_dim(&op->in[0], nna_axis_w(nchw)));
}

static int infer(struct nna_op_context *op)
{
	const uint32_t *dims = op->in[0].dims;
	uint32_t out[3] = { dims[0], 0, 2 };
	bool nchw;
	int ret = nna_op_scalar_bool(op, 2, &nchw);

	if (ret)
		return ret;
	if (dims[nna_axis_h(nchw)] != dims[nna_axis_w(nchw)] || dims[nna_axis_h(nchw)] < 2)
		return nna_op_refuse(op, NNA_IN(0), "heat maps of %u x %u",
				     "square ones of 2 x 2 or more", dims[nna_axis_h(nchw)],
				     dims[nna_axis_w(nchw)]);
	ret = nna_require_dim(op, 1, 0, dims[0], "the number of heat maps") ?:
	      nna_require_dim(op, 1, 1, 4, "x1 y1 x2 y2 of a box");
	if (ret)
		return ret;
	out[1] = dims[nna_axis_c(nchw)];
	return nna_set_dims(op, 0, 2, out) ?: nna_set_dims(op, 1, 3, out);
}

static int lower(struct nna_op_context *op)
{
	struct nna_ir_op command = { .kind = NNA_IR_KEYPOINT };
	uint32_t values[4];
	bool nchw;
	int ret = nna_op_scalar_bool(op, 2, &nchw);

	if (ret)
		return ret;
	command.keypoint.tolerance = op->in[0].type == NNA_OPERAND_TENSOR_FLOAT16 ? 1e-3f : 1e-5f;
	NNA_VALUE(in, nna_lower_in(op, 0));
	NNA_VALUE(boxes, nna_lower_in(op, 1));
	NNA_VALUE(scores, nna_lower_out(op, 0));
	NNA_VALUE(keypoints, nna_lower_out(op, 1));
	if (nna_value_is_empty(op->lower, scores))
		return 0;
	NNA_VALUE(maps, nna_view_nhwc(op->lower, in, nchw));
	values[NNA_KEYPOINT_SCORES] = scores;
	values[NNA_KEYPOINT_KEYPOINTS] = keypoints;
	values[NNA_KEYPOINT_HEATMAPS] = maps;
	values[NNA_KEYPOINT_BOXES] = boxes;
	return nna_ir_add(op->lower, &command, values);
}

const struct nna_op nna_op_keypoint = {
	.type = NNA_OPERATION_HEATMAP_MAX_KEYPOINT,
	.check = check, .infer = infer, .lower = lower,
};
