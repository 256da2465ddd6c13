/* SPDX-License-Identifier: MIT */
/*
 * What operations on boxes share.
 *
 * A box is x1 y1 x2 y2 in pixels. Where the tables of operands say "boxes", its type follows from
 * that of input 0: FLOAT beside the same FLOAT, and beside QUANT8 it is QUANT16_ASYMM with scale
 * 1/8 and zero point 0.
 */
#ifndef NNA_BOX_H
#define NNA_BOX_H

#include "libnnaccel/ops/op_util.h"

/* Input @i, which is boxes, has the scale and zero point above if it is quantised. */
int nna_check_boxes(const struct nna_op_context *op, uint32_t i);
/* The same of output @i. */
int nna_check_out_boxes(const struct nna_op_context *op, uint32_t i);
/* Dimension @axis of input 0, where known, counts the background and one class at least. */
int nna_check_classes(const struct nna_op_context *op, uint32_t axis);

/*
 * Moves and grows boxes [a, n, 4] by deltas [b, c, 4] (dx dy dw dh) within images of sizes [d, e,
 * 2] (height, width): the centre moves by delta times size, the size grows by e^delta, in fp32.
 * Boxes and sizes are broadcast to @out [b, c, 4].
 */
int nna_do_box_transform(struct nna_lower *l, uint32_t out, uint32_t boxes, uint32_t deltas,
			 uint32_t sizes);

#endif
