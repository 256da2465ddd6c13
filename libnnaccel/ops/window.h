/* SPDX-License-Identifier: MIT */
/*
 * The parameters that convolutions and poolings have in common: a window that moves over an image,
 * with padding stated (four numbers) or by scheme (SAME or VALID).
 */
#ifndef NNA_WINDOW_H
#define NNA_WINDOW_H

#include "libnnaccel/ops/op_util.h"

/**
 * struct nna_window_order - where the parameters are among the inputs
 * @first: the padding: its first number, or the scheme
 * @scheme: padding by scheme
 * @filter: the size of the filter follows the strides
 * @extra: one more number (multiplier, groups) stands before the activation
 * @dilation: dilation factors may follow the layout
 */
struct nna_window_order {
	uint32_t first;
	bool scheme, filter, extra, dilation;
};

/**
 * struct nna_window - a window
 * @same: scheme SAME: the paddings follow from sizes, see nna_window_place()
 */
struct nna_window {
	bool same, nchw;
	uint32_t left, right, top, bottom;
	uint32_t stride_h, stride_w, filter_h, filter_w, dilation_h, dilation_w;
	uint32_t extra;
	enum nna_activation act;
};

/* Types of the parameters; what is known of their values. */
int nna_window_check(const struct nna_op_context *op, const struct nna_window_order *order);
/* Return: 0, -EAGAIN where a value is not known, -EINVAL. */
int nna_window_read(const struct nna_op_context *op, const struct nna_window_order *order,
		    struct nna_window *window);
/* Output size from that of the input and filter_h, filter_w; sets the paddings of SAME. */
int nna_window_place(const struct nna_op_context *op, struct nna_window *window, uint32_t height,
		     uint32_t width, uint32_t *out_height, uint32_t *out_width);

/* Number of the dims of height, width and channels in this layout. */
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
 * Values of input 0 and output 0 seen as [batch, height, width, channels]. Return: 0, -ENODATA
 * where the output has no elements and nothing is to be done, or an error.
 */
int nna_lower_images(struct nna_op_context *op, bool nchw, uint32_t *in, uint32_t *out);
/* Dims of output 0: [batch, height, width, channels] in the layout. */
int nna_set_image(struct nna_op_context *op, bool nchw, uint32_t batch, uint32_t height,
		  uint32_t width, uint32_t channels);

#endif
