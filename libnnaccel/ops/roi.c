// SPDX-License-Identifier: MIT
/*
 * ROI_ALIGN, ROI_POOLING: regions of images, resampled to one size. ROI_ALIGN computes the mean of
 * interpolated samples, ROI_POOLING the maximum of pixels.
 *
 *	in 0	images		FLOAT, QUANT8 [b, h, w, c]	[b, c, h, w] with nchw
 *	in 1	regions		boxes [n, 4]			x1 y1 x2 y2
 *	in 2	batches		INT32 [n]			the image of each region
 *	in 3	height		INT32				of the output, 1 or more
 *	in 4	width		INT32
 *	in 5	stride h	FLOAT				units of a region for one row of the
 *								image
 *	in 6	stride w	FLOAT
 *
 * then for ROI_ALIGN
 *
 *	in 7	samples h	INT32				in a bin, the part of a region for
 *								one output pixel; 0: as many as it
 *								has rows
 *	in 8	samples w	INT32
 *	in 9	nchw		BOOL
 *	out 0	output		T0 [n, height, width, c]	in the layout of the images
 *
 * and for ROI_POOLING
 *
 *	in 7	nchw	BOOL
 *	out 0	output	Q0 [n, height, width, c]	in the layout of the images
 *
 * box.h says which types boxes have. Lowered to one ROI.
 */
#include "libnnaccel/ops/box.h"
#include "libnnaccel/ops/window.h"

/**
 * struct target - the parameters
 * @command: the ROI with its parameters
 * @height: of the output
 * @width: of the output
 * @nchw: layout of images and output
 */
struct target {
	struct nna_ir_op command;
	uint32_t height, width;
	bool nchw;
};

/* Return: the number of the input with the layout. */
static uint32_t layout_input(const struct nna_op_context *op)
{
	return op->operation->type == NNA_OPERATION_ROI_ALIGN ? 9 : 7;
}

static int read_stride(const struct nna_op_context *op, uint32_t i, float *scale)
{
	float stride;
	int ret = nna_param_positive(op, i, "the stride", &stride);

	if (!ret)
		*scale = 1.0f / stride;
	return ret;
}

static int read_target(const struct nna_op_context *op, struct target *t)
{
	bool align = op->operation->type == NNA_OPERATION_ROI_ALIGN;
	struct nna_ir_roi *roi = &t->command.roi;
	int ret = nna_param_number(op, 3, "the height", 1, INT32_MAX, &t->height) ?:
		  nna_param_number(op, 4, "the width", 1, INT32_MAX, &t->width) ?:
		  read_stride(op, 5, &t->command.roi.scale_h) ?:
		  read_stride(op, 6, &t->command.roi.scale_w) ?:
		  nna_op_scalar_bool(op, layout_input(op), &t->nchw);

	if (!ret && align)
		ret = nna_param_number(op, 7, "the samples", 0, INT32_MAX, &roi->samples_h) ?:
		      nna_param_number(op, 8, "the samples", 0, INT32_MAX, &roi->samples_w);
	roi->mode = align ? NNA_ROI_MEAN : NNA_ROI_MAX;
	return ret;
}

static int check(struct nna_op_context *op)
{
	bool align = op->operation->type == NNA_OPERATION_ROI_ALIGN;
	struct target t = { 0 };

	return nna_check_boxes(op, 1) ?: nna_check_dim(op, 1, 1, 4) ?:
	       (align ? 0 : nna_check_out_quant(op, 0, 0)) ?: nna_later(read_target(op, &t));
}

static int infer(struct nna_op_context *op)
{
	const uint32_t *in = op->in[0].dims;
	struct target t = { 0 };
	int ret = read_target(op, &t);

	if (ret)
		return ret;
	ret = nna_require_elements(op, 0, 0xf) ?:
	      nna_require_dim(op, 1, 1, 4, "x1 y1 x2 y2 of a region") ?:
	      nna_require_dim(op, 2, 0, op->in[1].dims[0], "the number of regions");
	if (ret)
		return ret;
	return nna_set_image(op, t.nchw, op->in[1].dims[0], t.height, t.width,
			     in[nna_axis_c(t.nchw)]);
}

static int lower(struct nna_op_context *op)
{
	struct target t = { .command.kind = NNA_IR_ROI };
	uint32_t values[NNA_ROI_BATCHES + 1];
	int ret = read_target(op, &t) ?:
		  nna_lower_images(op, t.nchw, &values[NNA_ROI_INPUT], &values[NNA_ROI_OUTPUT]);

	if (ret)
		return ret == -ENODATA ? 0 : ret;
	NNA_VALUE(regions, nna_lower_in(op, 1));
	NNA_VALUE(batches, nna_lower_in(op, 2));
	values[NNA_ROI_REGIONS] = regions;
	values[NNA_ROI_BATCHES] = batches;
	return nna_ir_add(op->lower, &t.command, values);
}

const struct nna_op nna_op_roi_align = {
	.type = NNA_OPERATION_ROI_ALIGN,
	.check = check, .infer = infer, .lower = lower,
};

const struct nna_op nna_op_roi_pooling = {
	.type = NNA_OPERATION_ROI_POOLING,
	.check = check, .infer = infer, .lower = lower,
};
