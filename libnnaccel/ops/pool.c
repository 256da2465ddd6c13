// SPDX-License-Identifier: MIT
/*
 * AVERAGE_POOL_2D, MAX_POOL_2D, L2_POOL_2D: the mean, maximum, or root of the mean square of a
 * window.
 *
 *	in 0		input	FLOAT, QUANT8 [b, h, w, c]	[b, c, h, w] with nchw; no QUANT8
 *								for L2_POOL_2D
 *	in 1 ...	window	INT32, BOOL			padding, strides, filter,
 *								activation, nchw?: see window.h
 *	out 0		output	Q0 [b, h, w, c]			in the layout of the input
 *
 * One POOL command.
 */
#include "libnnaccel/ops/window.h"

static void order_of(const struct nna_op_context *op, struct nna_window_order *order)
{
	*order = (struct nna_window_order){
		.first = 1,
		.filter = true,
		.scheme = op->operation->input_count <= 8,
	};
}

static int check(struct nna_op_context *op)
{
	struct nna_window_order order;

	order_of(op, &order);
	return nna_check_out_quant(op, 0, 0) ?: nna_window_check(op, &order);
}

/* A padding of the filter's size or more would leave windows without an element of the image. */
static int check_paddings(const struct nna_op_context *op, const struct nna_window *w)
{
	const uint32_t paddings[] = { w->left, w->right, w->top, w->bottom };
	const uint32_t sizes[] = { w->filter_w, w->filter_w, w->filter_h, w->filter_h };

	for (uint32_t k = 0; k < 4; k++)
		if (paddings[k] >= sizes[k])
			return nna_op_refuse(op, NNA_IN(1 + k), "a padding of %u",
					     "less than %u, the size of the filter", paddings[k],
					     sizes[k]);
	return 0;
}

static int geometry(const struct nna_op_context *op, struct nna_window *w, uint32_t *height,
		    uint32_t *width)
{
	struct nna_window_order order;
	const uint32_t *in = op->in[0].dims;
	int ret;

	order_of(op, &order);
	ret = nna_window_read(op, &order, w);
	if (ret)
		return ret;
	if (!w->same)
		ret = check_paddings(op, w);
	return ret ?: nna_window_place(op, w, in[nna_axis_h(w->nchw)], in[nna_axis_w(w->nchw)],
				       height, width);
}

static int infer(struct nna_op_context *op)
{
	uint32_t height, width;
	struct nna_window w;

	return geometry(op, &w, &height, &width) ?:
	       nna_set_image(op, w.nchw, op->in[0].dims[0], height, width,
			     op->in[0].dims[nna_axis_c(w.nchw)]);
}

static uint8_t function_of(enum nna_operation_type type)
{
	return type == NNA_OPERATION_MAX_POOL_2D ? NNA_POOL_MAX :
	       type == NNA_OPERATION_L2_POOL_2D  ? NNA_POOL_L2 : NNA_POOL_AVERAGE;
}

static int lower(struct nna_op_context *op)
{
	struct nna_ir_op command = { .kind = NNA_IR_POOL };
	uint32_t height, width, values[2];
	struct nna_window w;
	int ret = geometry(op, &w, &height, &width) ?:
		  nna_lower_images(op, w.nchw, &values[NNA_IR_IN],
				   &values[NNA_IR_OUT]);

	if (ret)
		return ret == -ENODATA ? 0 : ret;
	command.pool = (struct nna_ir_pool){
		.function = function_of(op->operation->type),
		.kernel_h = w.filter_h,
		.kernel_w = w.filter_w,
		.stride_h = w.stride_h,
		.stride_w = w.stride_w,
		.pad_top = w.top,
		.pad_left = w.left,
	};
	command.rounding = nna_ir_rounding(op->lower);
	nna_activation_bounds(op->lower, values[NNA_IR_OUT], w.act, &command.bounds);
	return nna_ir_add(op->lower, &command, values);
}

#define POOL(name, number) \
	const struct nna_op nna_op_##name = { \
		.type = number, \
		.check = check, .infer = infer, .lower = lower, \
	}

POOL(average_pool, NNA_OPERATION_AVERAGE_POOL_2D);
POOL(max_pool, NNA_OPERATION_MAX_POOL_2D);
POOL(l2_pool, NNA_OPERATION_L2_POOL_2D);
