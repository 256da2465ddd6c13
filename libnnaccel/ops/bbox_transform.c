// SPDX-License-Identifier: MIT
/*
 * AXIS_ALIGNED_BBOX_TRANSFORM: boxes moved and grown by deltas, within their images.
 *
 *	in 0	boxes	FLOAT, QUANT16_ASYMM [n, 4]	x1 y1 x2 y2; quantised boxes have scale 1/8
 *							and zero point 0
 *	in 1	deltas	T0 [n, classes * 4]		dx dy dw dh; QUANT8 with quantised boxes
 *	in 2	images	INT32 [n]			the image that each box belongs to
 *	in 3	sizes	Q0 [images, 2]			height, width
 *	out 0	boxes	Q0 [n, classes * 4]
 *
 * The centre moves by delta times size, and the size is multiplied by e^delta, in fp32 (see box.h).
 * Before that, a GATHER reads the size of the image of each box.
 */
#include "libnnaccel/ops/box.h"

static int check(struct nna_op_context *op)
{
	int ret = nna_check_dim(op, 0, 1, 4) ?: nna_check_dim(op, 3, 1, 2) ?:
		  nna_check_in_quant(op, 3, 0) ?: nna_check_out_quant(op, 0, 0);

	if (!ret && op->in[0].type == NNA_OPERAND_TENSOR_QUANT16_ASYMM)
		ret = nna_check_quant(op, NNA_IN(0), 0.125f, 0);
	return ret;
}

static int infer(struct nna_op_context *op)
{
	uint32_t n = op->in[0].dims[0], deltas = op->in[1].dims[1];

	if (deltas % 4)
		return nna_op_refuse(op, NNA_IN(1), "dimension 1 is %u",
				     "a multiple of 4, dx dy dw dh of a class", deltas);
	return nna_require_dim(op, 1, 0, n, "the number of boxes") ?:
	       nna_require_dim(op, 2, 0, n, "the number of boxes") ?:
	       nna_require_elements(op, 3, 1u << 0) ?: nna_set_like(op, 0, 1);
}

static int lower(struct nna_op_context *op)
{
	struct nna_ir_op gather = { .kind = NNA_IR_GATHER };
	uint32_t n = op->in[0].dims[0], classes = op->in[1].dims[1] / 4;
	struct nna_lower *l = op->lower;
	int ret;

	NNA_VALUE(boxes, nna_lower_in(op, 0));
	NNA_VALUE(deltas, nna_lower_in(op, 1));
	NNA_VALUE(images, nna_lower_in(op, 2));
	NNA_VALUE(sizes, nna_lower_in(op, 3));
	NNA_VALUE(out, nna_lower_out(op, 0));
	if (nna_value_is_empty(l, out))
		return 0;
	NNA_VALUE(limits, nna_lower_scratch(l, nna_lower_value(l, sizes)->type, 2,
					    (uint32_t[]){ n, 2 }, nna_lower_value(l, sizes)->scale,
					    nna_lower_value(l, sizes)->zero_point));
	ret = nna_ir_add(l, &gather, (uint32_t[]){ limits, sizes, images });
	if (ret)
		return ret;
	NNA_VALUE(boxes_3d, nna_emit_reshape(l, boxes, 3, (uint32_t[]){ n, 1, 4 }));
	NNA_VALUE(deltas_3d, nna_emit_reshape(l, deltas, 3, (uint32_t[]){ n, classes, 4 }));
	NNA_VALUE(limits_3d, nna_emit_reshape(l, limits, 3, (uint32_t[]){ n, 1, 2 }));
	NNA_VALUE(out_3d, nna_emit_reshape(l, out, 3, (uint32_t[]){ n, classes, 4 }));
	return nna_do_box_transform(l, out_3d, boxes_3d, deltas_3d, limits_3d);
}

const struct nna_op nna_op_axis_aligned_bbox_transform = {
	.type = NNA_OPERATION_AXIS_ALIGNED_BBOX_TRANSFORM,
	.check = check, .infer = infer, .lower = lower,
};
