// SPDX-License-Identifier: MIT
/* Reads and checks windows of convolutions and poolings: see window.h. */
#include "libnnaccel/ops/window.h"

static int number(const struct nna_op_context *op, uint32_t i, const char *what, int32_t least,
		  uint32_t *out)
{
	return nna_param_number(op, i, what, least, INT32_MAX, out);
}

static int read_padding(const struct nna_op_context *op, const struct nna_window_order *order,
			struct nna_window *w)
{
	uint32_t i = order->first, scheme = 0;
	int ret;

	if (!order->scheme)
		return number(op, i, "the left padding", 0, &w->left) ?:
		       number(op, i + 1, "the right padding", 0, &w->right) ?:
		       number(op, i + 2, "the top padding", 0, &w->top) ?:
		       number(op, i + 3, "the bottom padding", 0, &w->bottom);
	ret = nna_param_number(op, i, "the padding scheme SAME or VALID", NNA_PADDING_SAME,
			       NNA_PADDING_VALID, &scheme);
	w->same = scheme == NNA_PADDING_SAME;
	return ret;
}

int nna_window_read(const struct nna_op_context *op, const struct nna_window_order *order,
		    struct nna_window *w)
{
	uint32_t i = order->first + (order->scheme ? 1 : 4);
	int ret;

	*w = (struct nna_window){ .dilation_h = 1, .dilation_w = 1 };
	ret = read_padding(op, order, w) ?:
	      number(op, i, "the horizontal stride", 1, &w->stride_w) ?:
	      number(op, i + 1, "the vertical stride", 1, &w->stride_h);
	i += 2;
	if (!ret && order->filter) {
		ret = number(op, i, "the filter width", 1, &w->filter_w) ?:
		      number(op, i + 1, "the filter height", 1, &w->filter_h);
		i += 2;
	}
	if (!ret && order->extra)
		ret = number(op, i++, "the groups or the multiplier", 1, &w->extra);
	if (!ret)
		ret = nna_param_activation(op, i, &w->act) ?:
		      nna_param_bool(op, i + 1, false, &w->nchw);
	if (!ret && order->dilation && nna_op_has_input(op, i + 2))
		ret = number(op, i + 2, "the horizontal dilation", 1, &w->dilation_w) ?:
		      number(op, i + 3, "the vertical dilation", 1, &w->dilation_h);
	return ret;
}

int nna_window_check(const struct nna_op_context *op, const struct nna_window_order *order)
{
	uint32_t activation = order->first + (order->scheme ? 1 : 4) + 2 + (order->filter ? 2 : 0) +
			      (order->extra ? 1 : 0);
	uint32_t count = op->operation->input_count;
	struct nna_window w;
	int ret = 0;

	if (activation + 3 < count)
		ret = nna_check_both(op, activation + 2, activation + 3);
	return ret ?: nna_later(nna_window_read(op, order, &w));
}

/* Computes the size of the output along one axis; with @same, also the paddings @head and @tail. */
static int place(const struct nna_op_context *op, bool same, uint32_t size, uint32_t filter,
		 uint32_t stride, uint32_t dilation, uint32_t *head, uint32_t *tail, uint32_t *out)
{
	uint64_t extent = (uint64_t)(filter - 1) * dilation + 1, room, need;

	if (same) {
		*out = (size + stride - 1) / stride;
		need = (uint64_t)(*out - 1) * stride + extent;
		need = need > size ? need - size : 0;
		if (need > INT32_MAX)
			return nna_op_refuse(op, NNA_IN(0), "SAME pads it by %llu pixels",
					     "%d at most: lower filter size times dilation",
					     (unsigned long long)need, INT32_MAX);
		*head = (uint32_t)(need / 2);
		*tail = (uint32_t)(need - need / 2);
		return 0;
	}
	room = (uint64_t)size + *head + *tail;
	if (room < extent)
		return nna_op_refuse(op, NNA_IN(0), "%llu pixels along an axis, with padding",
				     "%llu or more, the span of the filter",
				     (unsigned long long)room, (unsigned long long)extent);
	room = (room - extent) / stride + 1;
	*out = (uint32_t)room;
	return nna_require_size(op, 0, room);
}

/* Refuses a window beyond the limits of the ir. */
static int check_limits(const struct nna_op_context *op, const struct nna_window *w,
			uint32_t out_height, uint32_t out_width)
{
	uint64_t bottom = (uint64_t)(out_height - 1) * w->stride_h +
			  (uint64_t)(w->filter_h - 1) * w->dilation_h;
	uint64_t right = (uint64_t)(out_width - 1) * w->stride_w +
			 (uint64_t)(w->filter_w - 1) * w->dilation_w;

	if ((uint64_t)w->filter_h * w->filter_w > NNA_IR_MAX_WINDOW || bottom > INT32_MAX ||
	    right > INT32_MAX)
		return nna_op_unsupported(op, NNA_IN(0), "a window of %u x %u pixels",
					  "%u pixels, and offsets up to %d", w->filter_h,
					  w->filter_w, NNA_IR_MAX_WINDOW, INT32_MAX);
	return 0;
}

int nna_window_place(const struct nna_op_context *op, struct nna_window *w, uint32_t height,
		     uint32_t width, uint32_t *out_height, uint32_t *out_width)
{
	uint32_t sides = 1u << nna_axis_h(w->nchw) | 1u << nna_axis_w(w->nchw);

	return nna_require_elements(op, 0, sides) ?:
	       place(op, w->same, height, w->filter_h, w->stride_h, w->dilation_h, &w->top,
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
