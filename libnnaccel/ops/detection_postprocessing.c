// SPDX-License-Identifier: MIT
/*
 * DETECTION_POSTPROCESSING: detections from the scores and deltas that an SSD network gives for a
 * table of anchors.
 *
 *	in 0	scores		FLOAT [batch, anchors, classes]	class 0 is the background
 *	in 1	deltas		T0 [batch, anchors, 4 or more]	dy dx dh dw
 *	in 2	anchors		T0 [anchors, 4]			y x of the centre, h w
 *	in 3	dy scale	FLOAT				deltas are divided by their scale
 *	in 4	dx scale	FLOAT
 *	in 5	dh scale	FLOAT
 *	in 6	dw scale	FLOAT
 *	in 7	regular		BOOL				NMS for each class by itself; else
 *								one NMS over the best class of each
 *								anchor
 *	in 8	most		INT32				detections of an image
 *	in 9	classes		INT32				not regular: most classes of a
 *								detection
 *	in 10	most of class	INT32				regular: most detections of a class
 *	in 11	score threshold	FLOAT				0 or more; any number in a graph
 *								with TFLite's rounding
 *	in 12	IoU threshold	FLOAT				0 or more
 *	in 13	background	BOOL				labels count the background as class
 *								0
 *	out 0	scores		T0 [batch, n]
 *	out 1	boxes		T0 [batch, n, 4]		y1 x1 y2 x2
 *	out 2	labels		INT32 [batch, n]
 *	out 3	count		INT32 [batch]			detections of each image
 *
 * n is input 8, times input 9 if not regular. The rest of an image with fewer detections is 0.
 *
 * Lowered to element-wise operations in fp32, which decode the boxes, and one NMS.
 */
#include <math.h>

#include "libnnaccel/ops/box.h"

/**
 * struct target - the parameters
 * @command: the NMS with its parameters
 * @scale: of dy, dx, dh, dw
 * @room: n
 */
struct target {
	struct nna_ir_op command;
	float scale[4];
	uint64_t room;
};

static int read_target(const struct nna_op_context *op, struct target *t)
{
	uint32_t detections, classes = 0, of_class = 0;
	bool regular, background, any = op->graph->rounding != NNA_ROUNDING_NNAPI;
	int ret = nna_op_scalar_bool(op, 7, &regular) ?:
		  nna_param_number(op, 8, "the detections of an image", 1, INT32_MAX,
				   &detections) ?:
		  nna_op_scalar_f32(op, 11, &t->command.nms.score_min) ?:
		  nna_op_scalar_f32(op, 12, &t->command.nms.threshold) ?:
		  nna_op_scalar_bool(op, 13, &background);

	for (uint32_t k = 0; k < 4 && !ret; k++)
		ret = nna_param_positive(op, 3 + k, "the scale", &t->scale[k]);
	if (ret)
		return ret;
	ret = regular ? nna_param_number(op, 10, "the detections of a class", 1, INT32_MAX,
					 &of_class) :
			nna_param_number(op, 9, "the classes of a detection", 1, INT32_MAX,
					 &classes);
	if (ret)
		return ret;
	/* TFLite's models may have a negative threshold, which keeps every score. */
	if (any ? isnan(t->command.nms.score_min) : !(t->command.nms.score_min >= 0))
		return nna_op_refuse(op, NNA_IN(11), "the value is %g", "a score threshold %s",
				     (double)t->command.nms.score_min,
				     any ? "that is a number" : "of 0 or more");
	if (!(t->command.nms.threshold >= 0))
		return nna_op_refuse(op, NNA_IN(12), "the value is %g",
				     "an IoU threshold of 0 or more",
				     (double)t->command.nms.threshold);
	t->command.nms.mode = NNA_NMS_SUPPRESS;
	t->command.nms.depth = classes;
	t->command.nms.most = detections;
	t->command.nms.most_of_class = regular ? of_class : detections;
	t->command.nms.class_base = background;
	t->command.nms.score_floor = -INFINITY;
	t->room = regular ? detections : (uint64_t)detections * classes;
	return 0;
}

static int check(struct nna_op_context *op)
{
	struct target t = { 0 };
	int ret = nna_check_dim(op, 2, 1, 4);

	return ret ?: nna_check_classes(op, 2) ?: nna_later(read_target(op, &t));
}

static int infer(struct nna_op_context *op)
{
	const uint32_t *scores = op->in[0].dims, *deltas = op->in[1].dims;
	uint32_t batch = scores[0], n;
	struct target t = { 0 };
	int ret = read_target(op, &t);

	if (ret)
		return ret;
	if (deltas[2] < 4)
		return nna_op_refuse(op, NNA_IN(1), "dimension 2 is %u", "4 or more, dy dx dh dw",
				     deltas[2]);
	ret = nna_require_dim(op, 1, 0, batch, "the batch of input 0") ?:
	      nna_require_dim(op, 1, 1, scores[1], "the anchors of input 0") ?:
	      nna_require_dim(op, 2, 0, scores[1], "the anchors of input 0") ?:
	      nna_require_dim(op, 2, 1, 4, "y x h w of an anchor");
	if (ret)
		return ret;
	if (batch > NNA_IR_MAX_BOXES || t.room > NNA_IR_MAX_BOXES ||
	    t.room * batch > NNA_IR_MAX_BOXES || (uint64_t)batch * scores[1] > NNA_IR_MAX_BOXES ||
	    (uint64_t)batch * scores[1] * scores[2] > NNA_IR_MAX_BOXES)
		return nna_op_unsupported(op, NNA_IN(0), "%u x %u x %u scores",
					  "%u scores, and as many detections", batch, scores[1],
					  scores[2], NNA_IR_MAX_BOXES);
	n = (uint32_t)t.room;
	return nna_set_dims(op, 0, 2, (uint32_t[]){ batch, n }) ?:
	       nna_set_dims(op, 1, 3, (uint32_t[]){ batch, n, 4 }) ?:
	       nna_set_dims(op, 2, 2, (uint32_t[]){ batch, n }) ?: nna_set_dims(op, 3, 1, &batch);
}

/* Decodes the boxes @out [batch, anchors, 4] along @axis, 0 for y and 1 for x. */
static int decode(struct nna_lower *l, uint32_t out, uint32_t anchors, uint32_t deltas,
		  uint32_t axis, const float *scale)
{
	int ret;

	NNA_VALUE(centre, nna_view_range(l, anchors, 1, axis, 1));
	NNA_VALUE(size, nna_view_range(l, anchors, 1, axis + 2, 1));
	NNA_VALUE(move, nna_view_range(l, deltas, 2, axis, 1));
	NNA_VALUE(grow, nna_view_range(l, deltas, 2, axis + 2, 1));
	NNA_VALUE(low, nna_view_range(l, out, 2, axis, 1));
	NNA_VALUE(high, nna_view_range(l, out, 2, axis + 2, 1));
	NNA_VALUE(move_scale, nna_do_constant_f32(l, scale[axis]));
	NNA_VALUE(grow_scale, nna_do_constant_f32(l, scale[axis + 2]));
	NNA_VALUE(half, nna_do_constant_f32(l, 0.5f));
	NNA_VALUE(distance, nna_do_scratch_like(l, NNA_TYPE_F32, move));
	NNA_VALUE(scaled, nna_do_scratch_like(l, NNA_TYPE_F32, move));
	NNA_VALUE(moved, nna_do_scratch_like(l, NNA_TYPE_F32, move));
	NNA_VALUE(growth, nna_do_scratch_like(l, NNA_TYPE_F32, grow));
	NNA_VALUE(factor, nna_do_scratch_like(l, NNA_TYPE_F32, grow));
	NNA_VALUE(whole, nna_do_scratch_like(l, NNA_TYPE_F32, grow));
	NNA_VALUE(reach, nna_do_scratch_like(l, NNA_TYPE_F32, grow));
	ret = nna_do_ewise(l, NNA_FN_MUL, distance, size, move, NNA_NO_VALUE) ?:
	      nna_do_ewise(l, NNA_FN_DIV, scaled, distance, move_scale, NNA_NO_VALUE) ?:
	      nna_do_ewise(l, NNA_FN_ADD, moved, centre, scaled, NNA_NO_VALUE) ?:
	      nna_do_ewise(l, NNA_FN_DIV, growth, grow, grow_scale, NNA_NO_VALUE) ?:
	      nna_do_ewise(l, NNA_FN_EXP, factor, growth, NNA_NO_VALUE, NNA_NO_VALUE) ?:
	      nna_do_ewise(l, NNA_FN_MUL, whole, size, factor, NNA_NO_VALUE) ?:
	      nna_do_ewise(l, NNA_FN_MUL, reach, whole, half, NNA_NO_VALUE);
	return ret ?: nna_do_ewise(l, NNA_FN_SUB, low, moved, reach, NNA_NO_VALUE) ?:
	       nna_do_ewise(l, NNA_FN_ADD, high, moved, reach, NNA_NO_VALUE);
}

static int lower(struct nna_op_context *op)
{
	struct target t = { .command.kind = NNA_IR_NMS };
	uint32_t batch = op->in[0].dims[0], n = op->in[0].dims[1], classes = op->in[0].dims[2] - 1;
	struct nna_lower *l = op->lower;
	uint32_t values[NNA_NMS_MASK + 1];
	int ret = read_target(op, &t);

	if (ret)
		return ret;
	NNA_VALUE(scores, nna_lower_in(op, 0));
	NNA_VALUE(deltas, nna_lower_in(op, 1));
	NNA_VALUE(anchors, nna_lower_in(op, 2));
	NNA_VALUE(out_scores, nna_lower_out(op, 0));
	NNA_VALUE(out_boxes, nna_lower_out(op, 1));
	NNA_VALUE(out_classes, nna_lower_out(op, 2));
	NNA_VALUE(count, nna_lower_out(op, 3));
	if (!batch)
		return 0;
	NNA_VALUE(boxes,
		  nna_lower_scratch(l, NNA_TYPE_F32, 3, (uint32_t[]){ batch, n, 4 }, 0, 0));
	if (n)
		ret = decode(l, boxes, anchors, deltas, 0, t.scale) ?:
		      decode(l, boxes, anchors, deltas, 1, t.scale);
	if (ret)
		return ret;
	NNA_VALUE(class_scores, nna_view_range(l, scores, 2, 1, classes));
	NNA_VALUE(of_all, nna_view_expand(l, boxes, 2));
	NNA_VALUE(class_boxes,
		  nna_view_broadcast(l, of_all, 4, (uint32_t[]){ batch, n, classes, 4 }));
	NNA_VALUE(kept_boxes, nna_do_scratch_like(l, NNA_TYPE_F32, out_boxes));
	values[NNA_NMS_COUNT] = count;
	values[NNA_NMS_KEPT_SCORES] = out_scores;
	values[NNA_NMS_KEPT_BOXES] = kept_boxes;
	values[NNA_NMS_KEPT_CLASSES] = out_classes;
	values[NNA_NMS_KEPT_GROUPS] = NNA_NO_VALUE;
	values[NNA_NMS_SCORES] = class_scores;
	values[NNA_NMS_BOXES] = class_boxes;
	values[NNA_NMS_GROUPS] = NNA_NO_VALUE;
	values[NNA_NMS_MASK] = NNA_NO_VALUE;
	return nna_ir_add(l, &t.command, values) ?: nna_do_move(l, out_boxes, kept_boxes);
}

const struct nna_op nna_op_detection_postprocessing = {
	.type = NNA_OPERATION_DETECTION_POSTPROCESSING,
	.check = check, .infer = infer, .lower = lower,
};
