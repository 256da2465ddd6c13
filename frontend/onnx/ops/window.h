/* SPDX-License-Identifier: MIT */
/* The window that convolutions and poolings move over an image, from ONNX' attributes. */
#ifndef ONNX_WINDOW_H
#define ONNX_WINDOW_H

#include "frontend/onnx/translation.h"

/**
 * struct onnx_window - a window; each pair is height, width, and height is 1 for one dimension
 * @before: padding before the first element
 * @after: padding behind the last one
 * @in: size of the input
 * @out: size of the output; set for what is not transposed
 * @ceil: elements of @after that only the mode of rounding up added
 */
struct onnx_window {
	uint32_t filter[2], stride[2], dilation[2], in[2], out[2];
	int32_t before[2], after[2], ceil[2];
	bool flat;
};

/*
 * Reads the attributes for an input of 3 or 4 dimensions; @filter is its size, NULL: an attribute.
 */
void onnx_window_read(struct onnx_translation *t, struct onnx_window *w,
		      const struct onnx_tensor *x, const int64_t *filter);

/* An operand with its channels last as an image: [N, W, C] as [N, 1, W, C]. */
struct onnx_operand onnx_window_image(struct onnx_translation *t, struct onnx_operand x);
/* An image as input 0 of the node has it: the reverse. */
struct onnx_operand onnx_window_result(struct onnx_translation *t, struct onnx_operand x);

#endif
