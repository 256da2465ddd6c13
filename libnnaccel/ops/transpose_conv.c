// SPDX-License-Identifier: MIT
/*
 * TRANSPOSE_CONV_2D: the transpose of a convolution, as in its gradient.
 *
 *	in 0	input	FLOAT, QUANT8 [b, h, w, C]	[b, C, h, w] with nchw
 *	in 1	weights	as for CONV_2D			[N, kh, kw, C]
 *	in 2	bias?	as for CONV_2D [N]
 *
 * then, with a padding scheme (9 inputs),
 *
 *	in 3		output shape	INT32 [4]	in the layout of the input
 *	in 4 ...	window		INT32, BOOL	scheme, strides, activation, nchw: see
 *							window.h
 *
 * or, with explicit paddings (11 inputs),
 *
 *	in 3 ...	window	INT32, BOOL	padding, strides, activation, nchw: see window.h
 *
 *	out 0	output	T0 [b, h, w, N]	in the layout of the input
 *
 * Lowered to a convolution of stride 1: stride - 1 zeros are inserted between the pixels of the
 * input, the filter is reversed, and a padding p of the output becomes a padding filter - 1 - p of
 * the input.
 */
#include "libnnaccel/ops/conv.h"
#include "libnnaccel/ops/window.h"

static bool by_scheme(const struct nna_op_context *op)
{
	return op->operation->input_count == 9;
}

static void order_of(const struct nna_op_context *op, struct nna_window_order *order)
{
	*order = (struct nna_window_order){
		.first = by_scheme(op) ? 4 : 3,
		.scheme = by_scheme(op),
	};
}

static int check(struct nna_op_context *op)
{
	struct nna_window_order order;

	order_of(op, &order);
	return nna_conv_check_scales(op, 0) ?:
	       nna_check_dim(op, 2, 0, nna_known_dim(&op->in[1], 0)) ?:
	       nna_window_check(op, &order);
}

/* Return: with scheme SAME, the leading padding of the convolution whose transpose this is. */
static uint32_t head(uint32_t out, uint32_t stride, uint32_t filter)
{
	uint64_t need = (uint64_t)((out + stride - 1) / stride - 1) * stride + filter;

	return need > out ? (uint32_t)((need - out) / 2) : 0;
}

/* Compares element @k of the output shape with dimension 0 of input @like. */
static int check_output_dim(const struct nna_op_context *op, uint32_t k, int32_t dim, uint32_t like)
{
	uint32_t want = op->in[like].dims[0];

	if ((uint32_t)dim == want)
		return 0;
	return nna_op_refuse(op, NNA_IN(3), "element %u is %d", "%u, dimension 0 of input %u", k,
			     dim, want, like);
}

static int read_output_shape(const struct nna_op_context *op, struct nna_window *w,
			     uint32_t *height, uint32_t *width)
{
	uint32_t c = nna_axis_c(w->nchw);
	int32_t dims[4];
	int ret = nna_param_numbers(op, 3, 4, "the rank of the output", dims);

	for (uint32_t k = 0; k < 4 && !ret; k++) {
		if (k == 0 || k == c)
			ret = check_output_dim(op, k, dims[k], k ? 1 : 0);
		else if (dims[k] < 1)
			ret = nna_op_refuse(op, NNA_IN(3), "element %u is %d", "1 or more", k,
					    dims[k]);
	}
	if (ret)
		return ret;
	*height = (uint32_t)dims[nna_axis_h(w->nchw)];
	*width = (uint32_t)dims[nna_axis_w(w->nchw)];
	if (w->same) {
		w->top = head(*height, w->stride_h, w->filter_h);
		w->left = head(*width, w->stride_w, w->filter_w);
	}
	return 0;
}

/* Computes the size of the output with explicit paddings. */
static int extent(const struct nna_op_context *op, uint32_t in, uint32_t stride, uint32_t filter,
		  uint32_t before, uint32_t after, uint32_t *out)
{
	int64_t size = ((int64_t)in - 1) * stride + filter - before - after;

	if (size < 1 || size > INT32_MAX)
		return nna_op_refuse(op, NNA_OUT(0), "a height or width of %lld",
				     "1 to %d: change paddings or strides", (long long)size,
				     INT32_MAX);
	*out = (uint32_t)size;
	return 0;
}

static int geometry(const struct nna_op_context *op, struct nna_window *w, uint32_t *height,
		    uint32_t *width)
{
	const uint32_t *in = op->in[0].dims, *weights = op->in[1].dims;
	struct nna_window_order order;
	uint32_t h, v;
	int ret;

	order_of(op, &order);
	ret = nna_window_read(op, &order, w);
	if (ret)
		return ret;
	h = in[nna_axis_w(w->nchw)];
	v = in[nna_axis_h(w->nchw)];
	w->filter_h = weights[1];
	w->filter_w = weights[2];
	ret = nna_require_elements(op, 0, 0xf & ~1u) ?: nna_require_elements(op, 1, 0xf) ?:
	      nna_require_dim(op, 1, 3, in[nna_axis_c(w->nchw)], "the channels of input 0");
	if (ret)
		return ret;
	if (by_scheme(op))
		return read_output_shape(op, w, height, width);
	return extent(op, v, w->stride_h, w->filter_h, w->top, w->bottom, height) ?:
	       extent(op, h, w->stride_w, w->filter_w, w->left, w->right, width);
}

static int infer(struct nna_op_context *op)
{
	uint32_t height, width;
	struct nna_window w;

	return geometry(op, &w, &height, &width) ?:
	       nna_set_image(op, w.nchw, op->in[0].dims[0], height, width, op->in[1].dims[0]);
}

/* Emits the image [b, h, w, c] with stride - 1 zeros between its pixels. Return: its value. */
static int64_t spread(struct nna_lower *l, uint32_t image, const struct nna_window *w)
{
	const struct nna_value *v = nna_lower_value(l, image);
	uint32_t h = v->dims[1], width = v->dims[2];
	uint64_t tall = (uint64_t)(h - 1) * w->stride_h + 1;
	uint64_t wide = (uint64_t)(width - 1) * w->stride_w + 1;
	uint32_t dims[4] = { v->dims[0], (uint32_t)tall, (uint32_t)wide, v->dims[3] };
	int ret;

	if (w->stride_h == 1 && w->stride_w == 1)
		return image;
	if (tall > INT32_MAX || wide > INT32_MAX)
		return -ENOTSUP;
	NNA_VALUE(room, nna_lower_scratch(l, v->type, 4, dims, v->scale, v->zero_point));
	ret = nna_do_zero(l, room);
	if (ret)
		return ret;
	NNA_VALUE(rows, nna_view_slice(l, room, 1, 0, (int32_t)w->stride_h, h));
	NNA_VALUE(pixels, nna_view_slice(l, rows, 2, 0, (int32_t)w->stride_w, width));
	ret = nna_do_move(l, pixels, image);
	return ret ? ret : (int64_t)room;
}

/*
 * Computes the padding @pad of the convolution along @axis from the padding @before of the output.
 * If it would be negative, @pad is 0 and the returned view omits as many rows or columns.
 */
static int64_t trim(struct nna_lower *l, uint32_t image, uint32_t axis, uint32_t filter,
		    uint32_t before, uint32_t *pad)
{
	uint32_t size = nna_lower_value(l, image)->dims[axis];

	*pad = 0;
	if (before < filter) {
		*pad = filter - 1 - before;
		return image;
	}
	before -= filter - 1;
	return before < size ? nna_view_range(l, image, axis, before, size - before) : -ENOTSUP;
}

static int lower(struct nna_op_context *op)
{
	struct nna_conv_params params = nna_conv_plain;
	struct nna_lower *l = op->lower;
	uint32_t height, width, image, result;
	struct nna_window w;
	int ret = geometry(op, &w, &height, &width) ?:
		  nna_lower_images(op, w.nchw, &image, &result);

	if (ret)
		return ret == -ENODATA ? 0 : ret;
	NNA_VALUE(weights, nna_lower_in(op, 1));
	NNA_VALUE(bias, nna_op_has_input(op, 2) ? nna_lower_in(op, 2) : NNA_NO_VALUE);
	NNA_VALUE(sparse, spread(l, image, &w));
	NNA_VALUE(rows, trim(l, sparse, 1, w.filter_h, w.top, &params.pad_top));
	NNA_VALUE(source, trim(l, rows, 2, w.filter_w, w.left, &params.pad_left));
	NNA_VALUE(flipped, nna_view_slice(l, weights, 1, w.filter_h - 1, -1, w.filter_h));
	NNA_VALUE(backwards, nna_view_slice(l, flipped, 2, w.filter_w - 1, -1, w.filter_w));
	params.act = w.act;
	return nna_emit_conv2d(l, result, source, backwards, bias, &params);
}

const struct nna_op nna_op_transpose_conv = {
	.type = NNA_OPERATION_TRANSPOSE_CONV_2D,
	.check = check, .infer = infer, .lower = lower,
};
