/* SPDX-License-Identifier: MIT */
/*
 * What operations on boxes share. A box is x1 y1 x2 y2 (or y1 x1 y2 x2); quantised ones are 1/8
 * pixels.
 */
#ifndef NNA_BOX_H
#define NNA_BOX_H

#include "libnnaccel/ops/op_util.h"

/*
 * Input @i is boxes that go with (scores or images in) input @with: of its type, or 16 bits for 8.
 */
int nna_check_boxes(const struct nna_op_context *op, uint32_t i, uint32_t with);
/* Output @i is boxes that go with input @with. */
int nna_check_out_boxes(const struct nna_op_context *op, uint32_t i, uint32_t with);
/*
 * Inputs @from to @to - 1 are scalars that are numbers: FLOAT32, with FLOAT16 tensors in input 0
 * also FLOAT16.
 */
int nna_check_numbers(const struct nna_op_context *op, uint32_t from, uint32_t to);

/*
 * Moves and grows boxes [a, n, 4] by deltas [b, c, 4] (dx, dy, dw, dh), within images of sizes [d,
 * e, 2] (height, width): the centre moves by delta times size, the size grows by e^delta, in fp32.
 * All are broadcast to out [b, c, 4].
 */
int nna_do_box_transform(struct nna_lower *l, uint32_t out, uint32_t boxes, uint32_t deltas,
			 uint32_t sizes);

#endif
