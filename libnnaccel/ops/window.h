/* SPDX-License-Identifier: MIT */
/*
 * The window that convolutions and poolings move over an image, and its parameters. They are inputs
 * of the operation in this order; an operation may lack some of them (struct nna_window_order). All
 * are INT32 except the layout. "?" marks those that may be omitted:
 *
 *	padding		a scheme (1 SAME, 2 VALID), or four numbers: left, right, top, bottom
 *	strides		horizontal, vertical
 *	filter		width, height: poolings
 *	number		the groups, or the multiplier of DEPTHWISE_CONV_2D
 *	activation	fused
 *	nchw?		BOOL: the layout [b, c, h, w]; false by default, which is [b, h, w, c]
 *	dilation?	horizontal, vertical; 1 by default
 */
#ifndef NNA_WINDOW_H
#define NNA_WINDOW_H

#include "libnnaccel/ops/op_util.h"

/**
 * struct nna_window_order - the parameters that an operation has
 * @first: number of the first input that is a parameter
 * @scheme: the padding is a scheme, else explicit
 * @filter: it has width and height of the filter
 * @extra: it has the number of groups, or the multiplier
 * @dilation: it may have a dilation
 */
struct nna_window_order {
	uint32_t first;
	bool scheme, filter, extra, dilation;
};

/**
 * struct nna_window - a window; sizes in pixels
 * @same: the scheme is SAME, for which nna_window_place() computes the paddings
 * @nchw: layout of input and output
 * @left: padding
 * @right: padding
 * @top: padding
 * @bottom: padding
 * @stride_h: vertical stride
 * @stride_w: horizontal stride
 * @filter_h: height of the filter; the caller sets both sizes for convolutions
 * @filter_w: width of the filter
 * @dilation_h: vertical dilation
 * @dilation_w: horizontal dilation
 * @extra: the number of groups, or the multiplier
 * @act: fused activation
 */
struct nna_window {
	bool same, nchw;
	uint32_t left, right, top, bottom;
	uint32_t stride_h, stride_w, filter_h, filter_w, dilation_h, dilation_w;
	uint32_t extra;
	enum nna_activation act;
};

/* For check(): checks the values of the parameters as far as they are known. */
int nna_window_check(const struct nna_op_context *op, const struct nna_window_order *order);
/* Reads all parameters. Return: 0, -EAGAIN if a value is not known, or -EINVAL. */
int nna_window_read(const struct nna_op_context *op, const struct nna_window_order *order,
		    struct nna_window *window);
/*
 * Computes the size of the output from the sizes of input and filter, and the paddings of SAME.
 * Return: 0, -EINVAL, or -ENOTSUP if the window is beyond the limits of the ir.
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
 * Views input 0 and output 0 as values [batch, height, width, channels]. Return: 0; -ENODATA if the
 * output has no elements, so that there is nothing to lower; or another error.
 */
int nna_lower_images(struct nna_op_context *op, bool nchw, uint32_t *in, uint32_t *out);
/* Sets the dims of output 0, an image in the layout. */
int nna_set_image(struct nna_op_context *op, bool nchw, uint32_t batch, uint32_t height,
		  uint32_t width, uint32_t channels);

#endif
