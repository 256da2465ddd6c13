// SPDX-License-Identifier: MIT
/* Windows of convolutions and poolings: see window.h. */
#include "libnnaccel/ops/window.h"

/* Input @i, a number of at least @least. */
static int number(const struct nna_op_context *op, uint32_t i, const char *what, int32_t least,
		  uint32_t *out)
{
	int32_t value;
	int ret = nna_op_scalar_i32(op, i, &value);

	if (ret)
		return ret;
	if (value < least)
		return nna_op_fail(op, "%s is %d", what, value);
	*out = (uint32_t)value;
	return 0;
}

static int read_padding(const struct nna_op_context *op, const struct nna_window_order *order,
			struct nna_window *w)
{
	uint32_t i = order->first, scheme = 0;
	int ret;

	if (!order->scheme)
		return number(op, i, "left padding", 0, &w->left) ?:
		       number(op, i + 1, "right padding", 0, &w->right) ?:
		       number(op, i + 2, "top padding", 0, &w->top) ?:
		       number(op, i + 3, "bottom padding", 0, &w->bottom);
	ret = number(op, i, "padding scheme", NNA_PADDING_SAME, &scheme);
	if (!ret && scheme > NNA_PADDING_VALID)
		ret = nna_op_fail(op, "there is no padding scheme %u", scheme);
	w->same = scheme == NNA_PADDING_SAME;
	return ret;
}

int nna_window_read(const struct nna_op_context *op, const struct nna_window_order *order,
		    struct nna_window *w)
{
	uint32_t i = order->first + (order->scheme ? 1 : 4);
	int ret;

	*w = (struct nna_window){ .dilation_h = 1, .dilation_w = 1 };
	ret = read_padding(op, order, w) ?: number(op, i, "horizontal stride", 1, &w->stride_w) ?:
	      number(op, i + 1, "vertical stride", 1, &w->stride_h);
	i += 2;
	if (!ret && order->filter) {
		ret = number(op, i, "filter width", 1, &w->filter_w) ?:
		      number(op, i + 1, "filter height", 1, &w->filter_h);
		i += 2;
	}
	if (!ret && order->extra)
		ret = number(op, i++, "number of groups or multiplier", 1, &w->extra);
	if (!ret)
		ret = nna_param_activation(op, i, &w->act) ?:
		      nna_param_bool(op, i + 1, false, &w->nchw);
	if (!ret && order->dilation && nna_op_has_input(op, i + 2))
		ret = number(op, i + 2, "horizontal dilation", 1, &w->dilation_w) ?:
		      number(op, i + 3, "vertical dilation", 1, &w->dilation_h);
	return ret;
}

int nna_window_check(const struct nna_op_context *op, const struct nna_window_order *order)
{
	uint32_t activation = order->first + (order->scheme ? 1 : 4) + 2 + (order->filter ? 2 : 0) +
			      (order->extra ? 1 : 0);
	uint32_t count = op->operation->input_count;
	struct nna_window w;
	int ret = 0;

	if (activation + 3 < count &&
	    nna_op_has_input(op, activation + 2) != nna_op_has_input(op, activation + 3))
		ret = nna_op_fail(op, "one of two dilation factors");
	return ret ?: nna_later(nna_window_read(op, order, &w));
}

/* One direction: paddings @head and @tail of SAME, and the size of the output. */
static int place(const struct nna_op_context *op, bool same, uint32_t size, uint32_t filter,
		 uint32_t stride, uint32_t dilation, uint32_t *head, uint32_t *tail, uint32_t *out)
{
	uint64_t extent = (uint64_t)(filter - 1) * dilation + 1, room, need;

	if (!size)
		return nna_op_fail(op, "the image is empty");
	if (same) {
		*out = (size + stride - 1) / stride;
		need = (uint64_t)(*out - 1) * stride + extent;
		need = need > size ? need - size : 0;
		if (need > INT32_MAX)
			return nna_op_fail(op, "the filter is larger than any image");
		*head = (uint32_t)(need / 2);
		*tail = (uint32_t)(need - need / 2);
		return 0;
	}
	room = (uint64_t)size + *head + *tail;
	if (room < extent)
		return nna_op_fail(op, "the filter covers %llu elements of %llu",
				   (unsigned long long)extent, (unsigned long long)room);
	room = (room - extent) / stride + 1;
	if (room > INT32_MAX)
		return nna_op_fail(op, "the output is too large");
	*out = (uint32_t)room;
	return 0;
}

/* Refuses a window that is beyond the device's limits. */
static int check_limits(const struct nna_op_context *op, const struct nna_window *w,
			uint32_t out_height, uint32_t out_width)
{
	uint64_t bottom = (uint64_t)(out_height - 1) * w->stride_h +
			  (uint64_t)(w->filter_h - 1) * w->dilation_h;
	uint64_t right = (uint64_t)(out_width - 1) * w->stride_w +
			 (uint64_t)(w->filter_w - 1) * w->dilation_w;

	if ((uint64_t)w->filter_h * w->filter_w > NNA_IR_MAX_WINDOW || bottom > INT32_MAX ||
	    right > INT32_MAX)
		return nna_op_unsupported(op, "a window of %u x %u elements is too large",
					  w->filter_h, w->filter_w);
	return 0;
}

int nna_window_place(const struct nna_op_context *op, struct nna_window *w, uint32_t height,
		     uint32_t width, uint32_t *out_height, uint32_t *out_width)
{
	return place(op, w->same, height, w->filter_h, w->stride_h, w->dilation_h, &w->top,
		     &w->bottom, out_height) ?:
	       place(op, w->same, width, w->filter_w, w->stride_w, w->dilation_w, &w->left,
		     &w->right, out_width) ?:
	       check_limits(op, w, *out_height, *out_width);
}

int nna_lower_images(struct nna_op_context *op, bool nchw, uint32_t *in, uint32_t *out)
{
	NNA_VALUE(input, nna_lower_in(op, 0));
	NNA_VALUE(output, nna_lower_out(op, 0));
	NNA_VALUE(in_image, nna_view_nhwc(op->lower, input, nchw));
	NNA_VALUE(out_image, nna_view_nhwc(op->lower, output, nchw));
	*in = in_image;
	*out = out_image;
	return nna_value_is_empty(op->lower, output) ? -ENODATA : 0;
}

int nna_set_image(struct nna_op_context *op, bool nchw, uint32_t batch, uint32_t height,
		  uint32_t width, uint32_t channels)
{
	uint32_t nhwc_dims[] = { batch, height, width, channels };
	uint32_t nchw_dims[] = { batch, channels, height, width };

	return nna_set_dims(op, 0, 4, nchw ? nchw_dims : nhwc_dims);
}
