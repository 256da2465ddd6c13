/* SPDX-License-Identifier: MIT */
/*
 * Inside the engine.
 *
 *   ref/  scalar kernels, which define the commands: one function per command checks its shapes and
 *         parameters and plans its run
 *   x86/  vector kernels: one function may replace the plan of a command that has passed the checks
 *
 * A kernel need not check again what it takes from a command (sizes, strides, parameters).
 */
#ifndef NNADEV_KERNEL_H
#define NNADEV_KERNEL_H

#include "device/engine/element.h"

#define NNADEV_PREPARE(name)                                                                       \
	uint32_t nnadev_prepare_##name(const struct nnadev_engine_command *cmd,                    \
				       struct nnadev_engine_plan *plan)

NNADEV_PREPARE(conv); /* also DWCONV */
NNADEV_PREPARE(matmul);
NNADEV_PREPARE(pool);
NNADEV_PREPARE(ewise);
NNADEV_PREPARE(copy);
NNADEV_PREPARE(fill);
NNADEV_PREPARE(reduce);
NNADEV_PREPARE(arg);
NNADEV_PREPARE(topk);
NNADEV_PREPARE(softmax);
NNADEV_PREPARE(norm16);
NNADEV_PREPARE(resize);
NNADEV_PREPARE(roi);
NNADEV_PREPARE(gather);
NNADEV_PREPARE(nms);
NNADEV_PREPARE(lsh);
NNADEV_PREPARE(multinomial);
NNADEV_PREPARE(keypoint);

/* Names the operand at fault, for `return nnadev_bad_operand(plan, index)`. */
static inline uint32_t nnadev_bad_operand(struct nnadev_engine_plan *plan, uint32_t index)
{
	plan->bad_operand = index;
	return NNAHW_STATUS_BAD_OPERAND;
}

static inline bool nnadev_same_dims(const struct nnahw_tensor *a, const struct nnahw_tensor *b)
{
	return a->rank == b->rank && !memcmp(a->dims, b->dims, sizeof(a->dims[0]) * a->rank);
}

static inline bool nnadev_has_dims(const struct nnahw_tensor *t, uint32_t rank,
				   const uint64_t *dims)
{
	if (t->rank != rank)
		return false;
	for (uint32_t k = 0; k < rank; k++)
		if (t->dims[k] != dims[k])
			return false;
	return true;
}

static inline bool nnadev_same_quantisation(const struct nnahw_tensor *a,
					    const struct nnahw_tensor *b)
{
	return a->scale == b->scale && a->zero_point == b->zero_point;
}

/* x / y, rounded up. */
static inline uint32_t nnadev_div_up(uint32_t x, uint32_t y)
{
	return x / y + (x % y != 0);
}

/* Plans one phase: `count` pieces of work in tiles of `per_tile`, which is kept in priv[0]. */
static inline void nnadev_cut(struct nnadev_engine_plan *plan, uint32_t count, uint32_t per_tile)
{
	per_tile = per_tile ? per_tile : 1;
	plan->phases = count != 0;
	plan->phase_tiles[0] = nnadev_div_up(count, per_tile);
	plan->priv[0] = per_tile;
}

/* The pieces of a tile that nnadev_cut() has made: [*begin, *end) of count. */
static inline void nnadev_tile_range(const struct nnadev_engine_plan *plan, uint32_t tile,
				     uint32_t count, uint32_t *begin, uint32_t *end)
{
	uint64_t first = (uint64_t)tile * plan->priv[0], last = first + plan->priv[0];

	*begin = (uint32_t)(first < count ? first : count);
	*end = (uint32_t)(last < count ? last : count);
}

#endif
