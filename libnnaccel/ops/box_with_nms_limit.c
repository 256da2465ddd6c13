// SPDX-License-Identifier: MIT
/*
 * BOX_WITH_NMS_LIMIT: the best boxes of each class and image, after non-maximum suppression.
 *
 *	in 0	scores		FLOAT, QUANT8 [n, classes]	class 0 is the background
 *	in 1	boxes		boxes [n, classes * 4]		x1 y1 x2 y2
 *	in 2	images		INT32 [n]			the image of each row
 *	in 3	score threshold	FLOAT				only higher scores take part
 *	in 4	most		INT32				boxes of an image, negative: all
 *	in 5	kernel		INT32				0 hard, 1 linear, 2 Gaussian
 *	in 6	IoU threshold	FLOAT
 *	in 7	sigma		FLOAT				of the Gaussian kernel
 *	in 8	score floor	FLOAT				boxes whose score the kernel lowers
 *								below it are dropped
 *	out 0	scores		Q0 [kept]
 *	out 1	boxes		boxes [kept, 4]
 *	out 2	classes		INT32 [kept]
 *	out 3	images		INT32 [kept]
 *
 * box.h says which types boxes have. Lowered to one NMS of the ir. The number of boxes that it
 * keeps is known after the run only, so the shapes of the outputs are upper bounds.
 */
#include "libnnaccel/ops/box.h"

static int read_params(const struct nna_op_context *op, struct nna_ir_nms *p)
{
	uint32_t kernel;
	int32_t most;
	int ret = nna_op_scalar_f32(op, 3, &p->score_min) ?: nna_op_scalar_i32(op, 4, &most) ?:
		  nna_param_number(op, 5, "the NMS kernel", 0, 2, &kernel) ?:
		  nna_op_scalar_f32(op, 6, &p->threshold) ?:
		  nna_op_scalar_f32(op, 7, &p->sigma) ?: nna_op_scalar_f32(op, 8, &p->score_floor);

	if (ret)
		return ret;
	p->mode = (uint8_t)(NNA_NMS_HARD + kernel);
	p->most = most < 0 ? UINT32_MAX : (uint32_t)most;
	p->most_of_class = p->most;
	return 0;
}

static int check(struct nna_op_context *op)
{
	struct nna_ir_nms params;
	int ret = nna_check_boxes(op, 1) ?: nna_check_out_quant(op, 0, 0) ?:
		  nna_check_out_boxes(op, 1);

	return ret ?: nna_check_classes(op, 1) ?: nna_later(read_params(op, &params));
}

static int infer(struct nna_op_context *op)
{
	uint32_t n = op->in[0].dims[0], classes = op->in[0].dims[1], per_row;
	struct nna_ir_nms params;
	uint64_t most;
	int ret = read_params(op, &params) ?:
		  nna_require_dim(op, 1, 0, n, "the rows of input 0") ?:
		  nna_require_dim(op, 1, 1, (uint64_t)classes * 4, "4 for each class") ?:
		  nna_require_dim(op, 2, 0, n, "the rows of input 0");

	if (ret)
		return ret;
	per_row = params.most < classes - 1 ? params.most : classes - 1;
	most = (uint64_t)n * per_row;
	if ((uint64_t)n * classes > NNA_IR_MAX_BOXES)
		return nna_op_unsupported(op, NNA_IN(0), "%u x %u scores", "%u scores", n,
					  classes, NNA_IR_MAX_BOXES);
	return nna_set_bound(op, 0, 1, (uint32_t[]){ most }) ?:
	       nna_set_bound(op, 1, 2, (uint32_t[]){ most, 4 }) ?:
	       nna_set_bound(op, 2, 1, (uint32_t[]){ most }) ?:
	       nna_set_bound(op, 3, 1, (uint32_t[]){ most });
}

static int lower(struct nna_op_context *op)
{
	struct nna_ir_op command = { .kind = NNA_IR_NMS,
				     .nms = { .by_class = true, .class_base = 1 } };
	uint32_t n = op->in[0].dims[0], classes = op->in[0].dims[1], most = op->out[0].dims[0];
	struct nna_lower *l = op->lower;
	uint32_t values[NNA_NMS_MASK + 1];
	int ret = read_params(op, &command.nms);

	if (ret)
		return ret;
	NNA_VALUE(scores, nna_lower_in(op, 0));
	NNA_VALUE(boxes, nna_lower_in(op, 1));
	NNA_VALUE(images, nna_lower_in(op, 2));
	NNA_VALUE(out_scores, nna_lower_out(op, 0));
	NNA_VALUE(out_boxes, nna_lower_out(op, 1));
	NNA_VALUE(out_classes, nna_lower_out(op, 2));
	NNA_VALUE(out_images, nna_lower_out(op, 3));
	if (!most)
		return 0;
	NNA_VALUE(all_scores, nna_emit_reshape(l, scores, 3, (uint32_t[]){ 1, n, classes }));
	NNA_VALUE(all_boxes, nna_emit_reshape(l, boxes, 4, (uint32_t[]){ 1, n, classes, 4 }));
	NNA_VALUE(count, nna_lower_scratch(l, NNA_TYPE_S32, 1, (uint32_t[]){ 1 }, 0, 0));
	NNA_VALUE(kept_scores, nna_view_expand(l, out_scores, 0));
	NNA_VALUE(kept_boxes, nna_view_expand(l, out_boxes, 0));
	NNA_VALUE(kept_classes, nna_view_expand(l, out_classes, 0));
	NNA_VALUE(kept_images, nna_view_expand(l, out_images, 0));
	NNA_VALUE(class_scores, nna_view_range(l, all_scores, 2, 1, classes - 1));
	NNA_VALUE(class_boxes, nna_view_range(l, all_boxes, 2, 1, classes - 1));
	NNA_VALUE(groups, nna_view_expand(l, images, 0));
	values[NNA_NMS_COUNT] = count;
	values[NNA_NMS_KEPT_SCORES] = kept_scores;
	values[NNA_NMS_KEPT_BOXES] = kept_boxes;
	values[NNA_NMS_KEPT_CLASSES] = kept_classes;
	values[NNA_NMS_KEPT_GROUPS] = kept_images;
	values[NNA_NMS_SCORES] = class_scores;
	values[NNA_NMS_BOXES] = class_boxes;
	values[NNA_NMS_GROUPS] = groups;
	values[NNA_NMS_MASK] = NNA_NO_VALUE;
	ret = nna_ir_add(l, &command, values);
	for (uint32_t i = 0; i < 4 && !ret; i++)
		ret = nna_lower_set_count(op, i, count);
	return ret;
}

const struct nna_op nna_op_box_with_nms_limit = {
	.type = NNA_OPERATION_BOX_WITH_NMS_LIMIT,
	.check = check, .infer = infer, .lower = lower,
};
