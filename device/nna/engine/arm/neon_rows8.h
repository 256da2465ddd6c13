/* SPDX-License-Identifier: MIT */
/*
 * The multiplication of neon_gemm8.h with NEON or with dot products: up to ROWS rows by one block
 * at a time in registers. An instruction adds 4 products of bytes to each of 4 sums: a quad of k of
 * a row times that of 4 channels, as the weights are packed. Rows lie in scratch memory one after
 * the other.
 */
#ifndef NNADEV_NEON_ROWS8_H
#define NNADEV_NEON_ROWS8_H

#include "device/nna/engine/arm/neon_dot.h"
#include "device/nna/engine/arm/neon_epilogue.h"
#include "device/nna/engine/vector/gemm8.h"

#define ROWS 4u /* of a register tile: 16 accumulators */
#define TILE_PRODUCTS (3u << 20)

/* Stores bytes k to k + 15 of row @i. */
static inline void put_bytes(const struct nnadev_gemm8 *g, uint8_t *a, uint32_t i, uint32_t k,
			     int8x16_t x)
{
	vst1q_s8((int8_t *)a + (size_t)i * g->a_stride + k, x);
}

/* dot() with one quad of x for all channels. */
#ifdef __ARM_FEATURE_DOTPROD
#define DOT_QUAD(c, w, x, quad) vdotq_laneq_s32(c, w, x, quad)
#else
#define DOT_QUAD(c, w, x, quad)                                                                    \
	dot(c, w, vreinterpretq_s8_s32(vdupq_laneq_s32(vreinterpretq_s32_s8(x), quad)))
#endif

/* c += quad number @lane of each row times the quad of the block. x has 4 quads of each row. */
#define MULTIPLY_ADD(lane)                                                                         \
	do {                                                                                       \
		_Pragma("GCC unroll 4") for (uint32_t i = 0; i < 4; i++)                           \
			w[i] = vld1q_s8(b + (lane) * 64 + i * 16);                                 \
		_Pragma("GCC unroll 4") for (uint32_t r = 0; r < rows; r++)                        \
			_Pragma("GCC unroll 4") for (uint32_t i = 0; i < 4; i++)                   \
				c[r][i] = DOT_QUAD(c[r][i], w[i], x[r], lane);                     \
	} while (0)

/* Multiplies rows [first, first + rows) of a tile by a block and finishes them. */
static inline __attribute__((always_inline)) void
run_rows(const struct nnadev_gemm8 *g, const struct nnadev_gemm8_rows *s,
	 const struct nnadev_neon_block *constants, const int8_t *b, const int32_t *begin,
	 uint32_t block, uint32_t first, const uint32_t rows)
{
	const int8_t *a = (const int8_t *)s->a + (size_t)first * g->a_stride;
	int32x4_t c[ROWS][4];
	int8x16_t w[4], x[ROWS];
	uint32_t left = g->quads;

#pragma GCC unroll 4
	for (uint32_t r = 0; r < rows; r++)
#pragma GCC unroll 4
		for (uint32_t i = 0; i < 4; i++)
			c[r][i] = add_wrapping(vdupq_n_s32(s->begin[first + r]),
					       vld1q_s32(begin + i * 4));
	for (; left; left -= left < 4 ? left : 4, a += 16, b += 256) {
#pragma GCC unroll 4
		for (uint32_t r = 0; r < rows; r++)
			x[r] = vld1q_s8(a + r * (size_t)g->a_stride);
		MULTIPLY_ADD(0);
		if (left > 1)
			MULTIPLY_ADD(1);
		if (left > 2)
			MULTIPLY_ADD(2);
		if (left > 3)
			MULTIPLY_ADD(3);
	}
#pragma GCC unroll 4
	for (uint32_t r = 0; r < rows; r++)
		nnadev_neon_finish(&g->finish, constants, c[r], s->at[first + r] + block * 16,
				   s->rat[first + r] + block * 16);
}

/* Multiplies the rows of a tile by a block, whose weights are at @b, and finishes them. */
static inline void run_block(const struct nnadev_gemm8 *g, const struct nnadev_gemm8_rows *s,
			     const struct nnadev_neon_block *constants, const int8_t *b,
			     const int32_t *begin, uint32_t block, uint32_t rows)
{
	uint32_t r = 0;

	for (; r + 4 <= rows; r += 4)
		run_rows(g, s, constants, b, begin, block, r, 4);
	if ((rows - r) & 2) {
		run_rows(g, s, constants, b, begin, block, r, 2);
		r += 2;
	}
	if ((rows - r) & 1)
		run_rows(g, s, constants, b, begin, block, r, 1);
}

/* The most that the products with a block cost. */
static inline uint64_t multiply_cost(const struct nnadev_gemm8 *g, uint64_t rows)
{
	return (rows / ROWS + 2) * g->quads * 4;
}

#endif
