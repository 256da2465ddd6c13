// SPDX-License-Identifier: MIT
/*
 * GENERATE_PROPOSALS: regions that may hold an object, from scores and deltas for anchors at each
 * element of a feature map.
 *
 *	in 0	scores		FLOAT, QUANT8		[images, h, w, anchors]
 *	in 1	deltas		T0			[images, h, w, anchors * 4], dx dy dw dh
 *	in 2	anchors		T0 [anchors, 4]		x1 y1 x2 y2; with QUANT8 QUANT16_SYMM of
 *							scale 1/8
 *	in 3	sizes		boxes [images, 2]	height, width
 *	in 4	stride h	FLOAT			pixels of the image for a step in the map
 *	in 5	stride w	FLOAT
 *	in 6	most before	INT32			boxes of an image before NMS, 0: all
 *	in 7	most after	INT32			boxes of an image after NMS, 0: all
 *	in 8	IoU threshold	FLOAT
 *	in 9	least size	FLOAT			smaller boxes are dropped
 *	in 10	nchw		BOOL			layout of inputs 0 and 1
 *	out 0	scores		Q0 [kept]
 *	out 1	boxes		boxes [kept, 4]
 *	out 2	images		INT32 [kept]
 *
 * box.h says which types boxes have.
 *
 * Lowered to element-wise operations and one NMS. Anchors are shifted to each element of the map
 * and transformed as by AXIS_ALIGNED_BBOX_TRANSFORM. A mask selects boxes that are large enough and
 * have their centre in the image. The NMS has a group for each image. The number of boxes that it
 * keeps is known after the run only, so the shapes of the outputs are upper bounds.
 */
#include <math.h>

#include "libnnaccel/ops/box.h"
#include "libnnaccel/ops/window.h"

/**
 * struct target - the parameters
 * @command: the NMS with its parameters
 * @stride_h: pixels of the image for a row of the map
 * @stride_w: pixels of the image for a column of the map
 * @least: boxes must be higher and wider than this, in pixels
 * @nchw: layout of scores and deltas
 */
struct target {
	struct nna_ir_op command;
	float stride_h, stride_w, least;
	bool nchw;
};

/**
 * struct map - the sizes, once the shapes are known
 * @images: feature maps
 * @h: rows of a map
 * @w: columns of a map
 * @anchors: anchors at each element
 * @boxes: boxes of an image, @h * @w * @anchors
 */
struct map {
	uint32_t images, h, w, anchors;
	uint32_t boxes;
};

static int read_target(const struct nna_op_context *op, struct target *t)
{
	int32_t before, after;
	int ret = nna_op_scalar_f32(op, 4, &t->stride_h) ?:
		  nna_op_scalar_f32(op, 5, &t->stride_w) ?:
		  nna_op_scalar_i32(op, 6, &before) ?: nna_op_scalar_i32(op, 7, &after) ?:
		  nna_op_scalar_f32(op, 8, &t->command.nms.threshold) ?:
		  nna_op_scalar_f32(op, 9, &t->least) ?:
		  nna_op_scalar_bool(op, 10, &t->nchw);

	if (ret)
		return ret;
	t->command.nms.mode = NNA_NMS_SUPPRESS;
	t->command.nms.candidates = before > 0 ? (uint32_t)before : 0;
	t->command.nms.most = after > 0 ? (uint32_t)after : UINT32_MAX;
	t->command.nms.most_of_class = t->command.nms.most;
	t->command.nms.score_min = t->command.nms.score_floor = -INFINITY;
	return 0;
}

static int check_anchors(const struct nna_op_context *op)
{
	return op->in[2].type == NNA_OPERAND_TENSOR_QUANT16_SYMM ?
		       nna_check_quant(op, NNA_IN(2), 0.125f, op->in[2].zero_point) : 0;
}

static int check(struct nna_op_context *op)
{
	struct target t = { 0 };

	return check_anchors(op) ?: nna_check_dim(op, 2, 1, 4) ?: nna_check_boxes(op, 3) ?:
	       nna_check_dim(op, 3, 1, 2) ?: nna_check_out_quant(op, 0, 0) ?:
	       nna_check_out_boxes(op, 1) ?: nna_later(read_target(op, &t));
}

static struct map read_map(const struct nna_op_context *op, bool nchw)
{
	const uint32_t *dims = op->in[0].dims;
	struct map m = { dims[0], dims[nna_axis_h(nchw)], dims[nna_axis_w(nchw)],
			 dims[nna_axis_c(nchw)], 0 };

	m.boxes = m.h * m.w * m.anchors;
	return m;
}

static int infer(struct nna_op_context *op)
{
	const uint32_t *scores = op->in[0].dims;
	struct target t = { 0 };
	uint64_t boxes = 1, most;
	uint32_t c;
	int ret = read_target(op, &t);

	if (ret)
		return ret;
	c = nna_axis_c(t.nchw);
	for (uint32_t k = 0; k < 4 && !ret; k++) {
		ret = k == c ? nna_require_dim(op, 1, k, scores[k] * 4ull, "four per anchor") :
			       nna_require_dim(op, 1, k, scores[k], "that of input 0");
		if (boxes <= NNA_IR_MAX_BOXES)
			boxes *= scores[k];
	}
	ret = ret ?: nna_require_dim(op, 2, 0, scores[c], "the anchors of input 0") ?:
	      nna_require_dim(op, 2, 1, 4, "x1 y1 x2 y2 of an anchor") ?:
	      nna_require_dim(op, 3, 0, scores[0], "the images of input 0") ?:
	      nna_require_dim(op, 3, 1, 2, "height and width");
	if (ret)
		return ret;
	if (boxes > NNA_IR_MAX_BOXES)
		return nna_op_unsupported(op, NNA_IN(0), "%llu boxes or more", "up to %u boxes",
					  (unsigned long long)boxes, NNA_IR_MAX_BOXES);
	most = boxes ? boxes / scores[0] : 0;
	if (t.command.nms.candidates && t.command.nms.candidates < most)
		most = t.command.nms.candidates;
	if (t.command.nms.most < most)
		most = t.command.nms.most;
	most *= scores[0];
	return nna_set_bound(op, 0, 1, (uint32_t[]){ most }) ?:
	       nna_set_bound(op, 1, 2, (uint32_t[]){ most, 4 }) ?:
	       nna_set_bound(op, 2, 1, (uint32_t[]){ most });
}

/* Emits the anchors shifted to each element of the map. Return: their value [1, boxes, 4]. */
static int64_t place_anchors(struct nna_lower *l, uint32_t anchors, const struct target *t,
			     const struct map *m)
{
	uint32_t dims[] = { m->h, m->w, 1, 4 };
	float *shifts = malloc((size_t)m->h * m->w * 4 * sizeof(*shifts)), *at = shifts;
	int64_t constant;
	int ret;

	if (!shifts)
		return -ENOMEM;
	for (uint32_t y = 0; y < m->h; y++) {
		for (uint32_t x = 0; x < m->w; x++, at += 4) {
			at[0] = at[2] = (float)x * t->stride_w;
			at[1] = at[3] = (float)y * t->stride_h;
		}
	}
	constant = nna_lower_constant(l, NNA_TYPE_F32, 4, dims, 0, 0, shifts);
	free(shifts);
	NNA_VALUE(places, constant);
	dims[2] = m->anchors;
	NNA_VALUE(out, nna_lower_scratch(l, NNA_TYPE_F32, 4, dims, 0, 0));
	ret = nna_do_ewise(l, NNA_FN_ADD, out, anchors, places, NNA_NO_VALUE);
	return ret ?: nna_emit_reshape(l, out, 3, (uint32_t[]){ 1, m->boxes, 4 });
}

/*
 * Emits the mask of boxes that are larger than @least along @axis (0 for x) and have their centre
 * in the image. Return: its value [images, boxes, 1].
 */
static int64_t filter_axis(struct nna_lower *l, uint32_t boxes, uint32_t sizes, uint32_t axis,
			   float least)
{
	int ret;

	NNA_VALUE(low, nna_view_range(l, boxes, 2, axis, 1));
	NNA_VALUE(high, nna_view_range(l, boxes, 2, axis + 2, 1));
	NNA_VALUE(end, nna_view_range(l, sizes, 2, 1 - axis, 1));
	NNA_VALUE(size, nna_do_scratch_like(l, NNA_TYPE_F32, low));
	NNA_VALUE(centre, nna_do_scratch_like(l, NNA_TYPE_F32, low));
	NNA_VALUE(large, nna_do_scratch_like(l, NNA_TYPE_BOOL8, low));
	NNA_VALUE(inside, nna_do_scratch_like(l, NNA_TYPE_BOOL8, low));
	NNA_VALUE(both, nna_do_scratch_like(l, NNA_TYPE_BOOL8, low));
	NNA_VALUE(limit, nna_do_constant_f32(l, least));
	NNA_VALUE(half, nna_do_constant_f32(l, 0.5f));
	ret = nna_do_ewise(l, NNA_FN_SUB, size, high, low, NNA_NO_VALUE) ?:
	      nna_do_ewise(l, NNA_FN_GREATER, large, size, limit, NNA_NO_VALUE) ?:
	      nna_do_ewise(l, NNA_FN_MUL_ADD, centre, size, half, low) ?:
	      nna_do_ewise(l, NNA_FN_LESS, inside, centre, end, NNA_NO_VALUE) ?:
	      nna_do_ewise(l, NNA_FN_LOGICAL_AND, both, large, inside, NNA_NO_VALUE);
	return ret ? ret : (int64_t)both;
}

/* Emits the mask of boxes that pass along both axes. Return: its value [1, images * boxes]. */
static int64_t filter(struct nna_lower *l, uint32_t boxes, uint32_t sizes, const struct target *t,
		      const struct map *m)
{
	int ret;

	NNA_VALUE(wide, filter_axis(l, boxes, sizes, 0, t->least));
	NNA_VALUE(high, filter_axis(l, boxes, sizes, 1, t->least));
	NNA_VALUE(mask, nna_do_scratch_like(l, NNA_TYPE_BOOL8, wide));
	ret = nna_do_ewise(l, NNA_FN_LOGICAL_AND, mask, wide, high, NNA_NO_VALUE);
	return ret ?: nna_emit_reshape(l, mask, 2, (uint32_t[]){ 1, m->images * m->boxes });
}

/* Return: the image of each box [1, images * boxes]; NNA_NO_VALUE if there is one image. */
static int64_t number_images(struct nna_lower *l, const struct map *m)
{
	int32_t *numbers;
	int64_t constant;

	if (m->images == 1)
		return NNA_NO_VALUE;
	numbers = malloc(m->images * sizeof(*numbers));
	if (!numbers)
		return -ENOMEM;
	for (uint32_t i = 0; i < m->images; i++)
		numbers[i] = (int32_t)i;
	constant = nna_lower_constant(l, NNA_TYPE_S32, 2, (uint32_t[]){ m->images, 1 }, 0, 0,
				      numbers);
	free(numbers);
	NNA_VALUE(each, constant);
	NNA_VALUE(all, nna_view_broadcast(l, each, 2, (uint32_t[]){ m->images, m->boxes }));
	return nna_emit_reshape(l, all, 2, (uint32_t[]){ 1, m->images * m->boxes });
}

static int lower(struct nna_op_context *op)
{
	struct target t = { .command.kind = NNA_IR_NMS };
	struct nna_lower *l = op->lower;
	uint32_t values[NNA_NMS_MASK + 1], most = op->out[0].dims[0], all;
	struct map m;
	int ret = read_target(op, &t);

	if (ret || !most)
		return ret;
	m = read_map(op, t.nchw);
	all = m.images * m.boxes;
	NNA_VALUE(scores, nna_lower_in(op, 0));
	NNA_VALUE(deltas, nna_lower_in(op, 1));
	NNA_VALUE(anchors, nna_lower_in(op, 2));
	NNA_VALUE(sizes, nna_lower_in(op, 3));
	NNA_VALUE(out_scores, nna_lower_out(op, 0));
	NNA_VALUE(out_boxes, nna_lower_out(op, 1));
	NNA_VALUE(out_images, nna_lower_out(op, 2));
	NNA_VALUE(scores_map, nna_view_nhwc(l, scores, t.nchw));
	NNA_VALUE(deltas_map, nna_view_nhwc(l, deltas, t.nchw));
	NNA_VALUE(box_scores, nna_emit_reshape(l, scores_map, 3, (uint32_t[]){ 1, all, 1 }));
	NNA_VALUE(box_deltas,
		  nna_emit_reshape(l, deltas_map, 3, (uint32_t[]){ m.images, m.boxes, 4 }));
	NNA_VALUE(image_sizes, nna_emit_reshape(l, sizes, 3, (uint32_t[]){ m.images, 1, 2 }));
	NNA_VALUE(placed, place_anchors(l, anchors, &t, &m));
	NNA_VALUE(boxes, nna_lower_scratch(l, NNA_TYPE_F32, 3,
					   (uint32_t[]){ m.images, m.boxes, 4 }, 0, 0));
	ret = nna_do_box_transform(l, boxes, placed, box_deltas, image_sizes);
	if (ret)
		return ret;
	NNA_VALUE(mask, filter(l, boxes, image_sizes, &t, &m));
	NNA_VALUE(images, number_images(l, &m));
	NNA_VALUE(nms_boxes, nna_emit_reshape(l, boxes, 4, (uint32_t[]){ 1, all, 1, 4 }));
	NNA_VALUE(count, nna_lower_scratch(l, NNA_TYPE_S32, 1, (uint32_t[]){ 1 }, 0, 0));
	NNA_VALUE(kept_scores, nna_view_expand(l, out_scores, 0));
	NNA_VALUE(kept_boxes,
		  nna_lower_scratch(l, NNA_TYPE_F32, 3, (uint32_t[]){ 1, most, 4 }, 0, 0));
	NNA_VALUE(kept_images, nna_view_expand(l, out_images, 0));
	NNA_VALUE(boxes_given, nna_view_expand(l, out_boxes, 0));
	values[NNA_NMS_COUNT] = count;
	values[NNA_NMS_KEPT_SCORES] = kept_scores;
	values[NNA_NMS_KEPT_BOXES] = kept_boxes;
	values[NNA_NMS_KEPT_CLASSES] = NNA_NO_VALUE;
	values[NNA_NMS_KEPT_GROUPS] = kept_images;
	values[NNA_NMS_SCORES] = box_scores;
	values[NNA_NMS_BOXES] = nms_boxes;
	values[NNA_NMS_GROUPS] = images;
	values[NNA_NMS_MASK] = mask;
	ret = nna_ir_add(l, &t.command, values) ?: nna_do_move(l, boxes_given, kept_boxes);
	for (uint32_t i = 0; i < 3 && !ret; i++)
		ret = nna_lower_set_count(op, i, count);
	return ret;
}

const struct nna_op nna_op_generate_proposals = {
	.type = NNA_OPERATION_GENERATE_PROPOSALS,
	.check = check, .infer = infer, .lower = lower,
};
