// SPDX-License-Identifier: MIT
/*
 * CONV_2D, GROUPED_CONV_2D, DEPTHWISE_CONV_2D: two-dimensional convolutions.
 *
 *	in 0		input	FLOAT, QUANT8	[b, h, w, C], with nchw [b, C, h, w]
 *	in 1		weights	T0		with QUANT8 also QUANT8_SYMM_PER_CHANNEL, with
 *						scales along dimension N
 *	in 2		bias?	T0 [N]		with QUANT8 INT32, in the scale of input times
 *						weights
 *	in 3 ...	window	INT32, BOOL	padding, strides, number, activation, nchw?,
 *						dilation?: see window.h
 *	out 0		output	T0		[b, h, w, N] in the layout of the input
 *
 *				weights			number
 *	CONV_2D			[N, kh, kw, C]		none
 *	GROUPED_CONV_2D		[N, kh, kw, C / groups]	the groups; there is no dilation
 *	DEPTHWISE_CONV_2D	[1, kh, kw, N]		the multiplier N / C
 *
 * Lowered to one CONV or DWCONV. Passes of the compiler pack the weights and fuse the operations
 * that follow.
 */
#include <math.h>

#include "libnnaccel/ops/conv.h"
#include "libnnaccel/ops/window.h"

/*
 * A padding scheme with dilation makes as many inputs as explicit paddings without dilation. The
 * type of one input tells the two apart: only the former has a BOOL, the layout, there.
 */
static void order_of(const struct nna_op_context *op, struct nna_window_order *order)
{
	enum nna_operation_type type = op->operation->type;
	uint32_t count = op->operation->input_count, layout;

	*order = (struct nna_window_order){
		.first = 3,
		.extra = type != NNA_OPERATION_CONV_2D,
		.dilation = type != NNA_OPERATION_GROUPED_CONV_2D,
	};
	layout = order->extra ? 8 : 7;
	order->scheme = count <= layout || op->in[layout].type == NNA_OPERAND_BOOL;
}

int nna_conv_check_scales(const struct nna_op_context *op, uint32_t channel_dim)
{
	const struct nna_shape *in = &op->in[0], *weights = &op->in[1], *bias = &op->in[2];
	double product;

	if (!nna_operand_type_is_quantised(in->type))
		return 0;
	if (weights->type == NNA_OPERAND_TENSOR_QUANT8_SYMM_PER_CHANNEL) {
		if (weights->channel_dim != channel_dim)
			return nna_op_refuse(op, NNA_IN(1), "its scales run along dimension %u",
					     "scales along dimension %u", weights->channel_dim,
					     channel_dim);
		return 0;
	}
	product = (double)in->scale * weights->scale;
	if (nna_op_has_input(op, 2) && fabs(product - bias->scale) > 1e-4 * product)
		return nna_op_refuse(op, NNA_IN(2), "scale %g",
				     "%g, that of input 0 times that of input 1",
				     (double)bias->scale, product);
	return 0;
}

static int check(struct nna_op_context *op)
{
	bool depthwise = op->operation->type == NNA_OPERATION_DEPTHWISE_CONV_2D;
	uint32_t n_axis = depthwise ? 3 : 0;
	struct nna_window_order order;

	order_of(op, &order);
	return nna_conv_check_scales(op, n_axis) ?: nna_window_check(op, &order) ?:
	       nna_check_dim(op, 1, 0, depthwise ? 1 : 0) ?:
	       nna_check_dim(op, 2, 0, nna_known_dim(&op->in[1], n_axis));
}

/* Reads the window, compares the dims that must agree, and computes the size of the output. */
static int geometry(const struct nna_op_context *op, struct nna_window *w, uint32_t *height,
		    uint32_t *width)
{
	const uint32_t *in = op->in[0].dims, *weights = op->in[1].dims;
	struct nna_window_order order;
	uint32_t c, groups = 1;
	int ret;

	order_of(op, &order);
	ret = nna_window_read(op, &order, w);
	if (ret)
		return ret;
	c = in[nna_axis_c(w->nchw)];
	w->filter_h = weights[1];
	w->filter_w = weights[2];
	ret = nna_require_elements(op, 1, 0xf) ?:
	      nna_require_elements(op, 0, 1u << nna_axis_c(w->nchw));
	if (ret)
		return ret;
	if (op->operation->type == NNA_OPERATION_DEPTHWISE_CONV_2D) {
		ret = nna_require_dim(op, 1, 3, (uint64_t)c * w->extra,
				      "the channels of input 0 times the multiplier");
	} else {
		if (op->operation->type == NNA_OPERATION_GROUPED_CONV_2D)
			groups = w->extra;
		if ((uint64_t)weights[3] * groups != c)
			ret = nna_op_refuse(op, NNA_IN(1), "%u groups of %u channels",
					    "%u channels in all, those of input 0", groups,
					    weights[3], c);
		else if (weights[0] % groups)
			ret = nna_op_refuse(op, NNA_IN(1), "%u filters",
					    "a multiple of %u, the groups", weights[0], groups);
	}
	return ret ?: nna_window_place(op, w, in[nna_axis_h(w->nchw)], in[nna_axis_w(w->nchw)],
				       height, width);
}

static int infer(struct nna_op_context *op)
{
	uint32_t n_axis = op->operation->type == NNA_OPERATION_DEPTHWISE_CONV_2D ? 3 : 0;
	uint32_t height, width;
	struct nna_window w;

	return geometry(op, &w, &height, &width) ?:
	       nna_set_image(op, w.nchw, op->in[0].dims[0], height, width, op->in[1].dims[n_axis]);
}

static int lower(struct nna_op_context *op)
{
	bool depthwise = op->operation->type == NNA_OPERATION_DEPTHWISE_CONV_2D;
	bool grouped = op->operation->type == NNA_OPERATION_GROUPED_CONV_2D;
	static const uint32_t turned[] = { 3, 1, 2, 0 };
	struct nna_conv_params params;
	uint32_t height, width, in_image, out_image;
	struct nna_window w;
	int ret = geometry(op, &w, &height, &width) ?:
		  nna_lower_images(op, w.nchw, &in_image, &out_image);

	if (ret)
		return ret == -ENODATA ? 0 : ret;
	NNA_VALUE(weights, nna_lower_in(op, 1));
	NNA_VALUE(bias, nna_op_has_input(op, 2) ? nna_lower_in(op, 2) : NNA_NO_VALUE);
	params = (struct nna_conv_params){
		.groups = grouped ? w.extra : 1,
		.stride_h = w.stride_h,
		.stride_w = w.stride_w,
		.dilation_h = w.dilation_h,
		.dilation_w = w.dilation_w,
		.pad_top = w.top,
		.pad_left = w.left,
		.act = w.act,
	};
	if (depthwise) {
		/* Views [1, kh, kw, N] as [N, kh, kw, 1]: a group for each channel. */
		NNA_VALUE(filters, nna_view_permute(op->lower, weights, turned));

		params.groups = op->in[0].dims[nna_axis_c(w.nchw)];
		weights = filters;
	}
	return nna_emit_conv2d(op->lower, out_image, in_image, weights, bias, &params);
}

const struct nna_op nna_op_conv = {
	.type = NNA_OPERATION_CONV_2D,
	.check = check, .infer = infer, .lower = lower,
};

const struct nna_op nna_op_grouped_conv = {
	.type = NNA_OPERATION_GROUPED_CONV_2D,
	.check = check, .infer = infer, .lower = lower,
};

const struct nna_op nna_op_depthwise_conv = {
	.type = NNA_OPERATION_DEPTHWISE_CONV_2D,
	.check = check, .infer = infer, .lower = lower,
};
