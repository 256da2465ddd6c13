/* SPDX-License-Identifier: MIT */
/*
 * The window that convolutions and poolings move over an image, and the parameters that describe
 * it. These are inputs of the operation in this order, of which an operation may have some only
 * (struct nna_window_order); all are INT32 but for the layout, and "?" may be omitted:
 *
 *	padding		a scheme (1 SAME, 2 VALID), or four numbers: left, right, top, bottom
 *	strides		horizontal, vertical
 *	filter		width, height: poolings
 *	number		of groups, or the multiplier of DEPTHWISE_CONV_2D
 *	activation	fused
 *	nchw?		BOOL: the layout [b, c, h, w]; false by default, which is [b, h, w, c]
 *	dilation?	horizontal, vertical; 1 by default
 */
#ifndef NNA_WINDOW_H
#define NNA_WINDOW_H

#include "libnnaccel/ops/op_util.h"

/**
 * struct nna_window_order - which of the parameters an operation has
 * @first: number of the first input that is one of them
 * @scheme: the padding is a scheme
 * @filter: there is a filter
 * @extra: there is a number
 * @dilation: there may be a dilation
 */
struct nna_window_order {
	uint32_t first;
	bool scheme, filter, extra, dilation;
};

/**
 * struct nna_window - a window; sizes in pixels
 * @same: scheme SAME: nna_window_place() sets the paddings
 * @nchw: layout of input and output
 * @left: padding
 * @right: padding
 * @top: padding
 * @bottom: padding
 * @stride_h: vertical stride
 * @stride_w: horizontal stride
 * @filter_h: height of the filter; for convolutions, the caller sets both sizes
 * @filter_w: width of the filter
 * @dilation_h: vertical dilation
 * @dilation_w: horizontal dilation
 * @extra: the number
 * @act: fused activation
 */
struct nna_window {
	bool same, nchw;
	uint32_t left, right, top, bottom;
	uint32_t stride_h, stride_w, filter_h, filter_w, dilation_h, dilation_w;
	uint32_t extra;
	enum nna_activation act;
};

/* For check(): the types of the parameters, and their values as far as they are known. */
int nna_window_check(const struct nna_op_context *op, const struct nna_window_order *order);
/* Reads all parameters. Return: 0, -EAGAIN where a value is not known, -EINVAL. */
int nna_window_read(const struct nna_op_context *op, const struct nna_window_order *order,
		    struct nna_window *window);
/*
 * The size of the output from that of the input and the filter; sets the paddings of SAME. Return:
 * 0, -EINVAL, or -ENOTSUP where the window is beyond the device's limits.
 */
int nna_window_place(const struct nna_op_context *op, struct nna_window *window, uint32_t height,
		     uint32_t width, uint32_t *out_height, uint32_t *out_width);

/* The axes of height, width and channels in a layout. */
static inline uint32_t nna_axis_h(bool nchw)
{
	return nchw ? 2 : 1;
}

static inline uint32_t nna_axis_w(bool nchw)
{
	return nchw ? 3 : 2;
}

static inline uint32_t nna_axis_c(bool nchw)
{
	return nchw ? 1 : 3;
}

/*
 * Input 0 and output 0 as values [batch, height, width, channels]. Return: 0, -ENODATA where the
 * output has no elements, so that there is nothing to lower, or an error.
 */
int nna_lower_images(struct nna_op_context *op, bool nchw, uint32_t *in, uint32_t *out);
/* The dims of output 0, an image in the layout. */
int nna_set_image(struct nna_op_context *op, bool nchw, uint32_t batch, uint32_t height,
		  uint32_t width, uint32_t channels);

#endif
