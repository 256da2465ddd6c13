/* SPDX-License-Identifier: MIT */
/* Windows that slide over an image: the geometry of CONV, DWCONV and POOL. */
#ifndef NNADEV_WINDOW_H
#define NNADEV_WINDOW_H

#include "device/nna/engine/kernel.h"

/**
 * struct nnadev_window - maps output positions to input positions
 * @height, @width: of the input
 * @kernel_h, @kernel_w, @stride_h, @stride_w, @dilation_h, @dilation_w, @pad_top, @pad_left: as in
 *	the command
 */
struct nnadev_window {
	uint32_t height, width;
	uint32_t kernel_h, kernel_w, stride_h, stride_w, dilation_h, dilation_w, pad_top, pad_left;
};

/*
 * True if positions fit into 31 bits and the window has at most @most elements, @channels at each
 * position.
 */
static inline bool nnadev_window_valid(const struct nnadev_window *w, uint32_t out_height,
				       uint32_t out_width, uint32_t channels, uint32_t most)
{
	uint64_t bottom, right, size;

	if (!w->kernel_h || !w->kernel_w || !w->stride_h || !w->stride_w || !w->dilation_h ||
	    !w->dilation_w)
		return false;
	if (__builtin_mul_overflow((uint64_t)w->kernel_h, (uint64_t)w->kernel_w, &size) ||
	    __builtin_mul_overflow(size, (uint64_t)channels, &size) || size > most)
		return false;
	/* Each product of 32-bit numbers fits into 64 bits; the sum of two may not. */
	bottom = out_height ? (uint64_t)(out_height - 1) * w->stride_h : 0;
	right = out_width ? (uint64_t)(out_width - 1) * w->stride_w : 0;
	if (bottom > INT32_MAX || right > INT32_MAX || w->pad_top > INT32_MAX ||
	    w->pad_left > INT32_MAX)
		return false;
	bottom += (uint64_t)(w->kernel_h - 1) * w->dilation_h;
	right += (uint64_t)(w->kernel_w - 1) * w->dilation_w;
	return bottom <= INT32_MAX && right <= INT32_MAX && w->height <= INT32_MAX &&
	       w->width <= INT32_MAX;
}

/*
 * Return: the input row that kernel row @ky of output row @y reads; outside of [0, height) it is
 * padding.
 */
static inline int64_t nnadev_window_row(const struct nnadev_window *w, uint32_t y, uint32_t ky)
{
	return (int64_t)y * w->stride_h + (int64_t)ky * w->dilation_h - w->pad_top;
}

static inline int64_t nnadev_window_column(const struct nnadev_window *w, uint32_t x, uint32_t kx)
{
	return (int64_t)x * w->stride_w + (int64_t)kx * w->dilation_w - w->pad_left;
}

/* True if no position of a valid window is padding. */
static inline bool nnadev_window_inside(const struct nnadev_window *w, uint32_t out_height,
					uint32_t out_width)
{
	return !w->pad_top && !w->pad_left && out_height && out_width &&
	       nnadev_window_row(w, out_height - 1, w->kernel_h - 1) < w->height &&
	       nnadev_window_column(w, out_width - 1, w->kernel_w - 1) < w->width;
}

/* Return: the window of a POOL. */
static inline struct nnadev_window nnadev_window_of_pool(const struct nnadev_engine_command *cmd)
{
	const struct nnahw_cmd_pool *p = (const struct nnahw_cmd_pool *)cmd->raw;
	const uint32_t *in = cmd->operands[NNAHW_POOL_INPUT].desc.dims;

	return (struct nnadev_window){
		.height = in[1],
		.width = in[2],
		.kernel_h = p->kernel_h,
		.kernel_w = p->kernel_w,
		.stride_h = p->stride_h,
		.stride_w = p->stride_w,
		.dilation_h = 1,
		.dilation_w = 1,
		.pad_top = p->pad_top,
		.pad_left = p->pad_left,
	};
}

#endif
