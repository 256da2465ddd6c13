/* SPDX-License-Identifier: MIT */
/*
 * A DEPTHWISE whose weights are all 1: the sum of a window's elements, times one factor. What pools
 * of a U85 are too small for is done so.
 *
 * pack() adds two operands, the streams and the records, behind the two that a pool or a reduction
 * has. The operation, @o, has its window, the factor, and the sizes of its maps; its block is that
 * of accepts() and pack(), which do not see where maps lie.
 */
#ifndef NNA_ETHOSU_ONES_H
#define NNA_ETHOSU_ONES_H

#include "libnnaccel/backend/ethosu/ethosu.h"

#define NNA_ETHOSU_ONES_MOST 64u /* rows and columns of a window */

/* Whether the weights are too many; then the reason is written. */
bool nna_ethosu_ones_refuses(const struct nna_ethosu_target *target,
			     const struct nna_ethosu_operation *o, char *reason, size_t size);

/* Adds the operands to operation @index, once. Return: 0 or a negative errno. */
int nna_ethosu_ones_pack(struct nna_lower *l, const struct nna_ethosu_target *target,
			 uint32_t index, const struct nna_ethosu_operation *o);

/* Says where streams and records are. Return: 0, or -ENOTSUP for an operation not packed. */
int nna_ethosu_ones_place(const struct nna_lower *l, const struct nna_ethosu_target *target,
			  const struct nna_ir_op *op, struct nna_ethosu_operation *o);

#endif
