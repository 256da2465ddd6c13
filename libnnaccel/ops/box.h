/* SPDX-License-Identifier: MIT */
/*
 * Functions that operations on boxes share.
 *
 * A box is x1 y1 x2 y2 in pixels. The type "boxes" in a table of operands follows from the type of
 * input 0: it is the same if that is FLOAT, and QUANT16_ASYMM with scale 1/8 and zero point 0 if
 * that is QUANT8.
 */
#ifndef NNA_BOX_H
#define NNA_BOX_H

#include "libnnaccel/ops/op_util.h"

/* Input @i has the scale and zero point of boxes if it is quantised. */
int nna_check_boxes(const struct nna_op_context *op, uint32_t i);
/* The same of output @i. */
int nna_check_out_boxes(const struct nna_op_context *op, uint32_t i);
/* Dimension @axis of input 0, if known, is 2 or more: the background and one class at least. */
int nna_check_classes(const struct nna_op_context *op, uint32_t axis);

/*
 * Transforms boxes [a, n, 4] by deltas [b, c, 4] (dx dy dw dh) and clamps them to images of sizes
 * [d, e, 2] (height, width). The centre moves by delta times size, and the size is multiplied by
 * e^delta, in fp32. Boxes and sizes are broadcast to @out [b, c, 4].
 */
int nna_do_box_transform(struct nna_lower *l, uint32_t out, uint32_t boxes, uint32_t deltas,
			 uint32_t sizes);

#endif
