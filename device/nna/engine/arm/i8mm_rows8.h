/* SPDX-License-Identifier: MIT */
/*
 * The multiplication of neon_gemm8.h with the matrix products of Armv8.6. An instruction adds 2
 * rows of 8 bytes times 2 channels of 8 weights to 4 sums. Rows lie in scratch memory in pairs, 8
 * bytes of one beside 8 bytes of the other, so that one load fetches both. Weights are packed by
 * quads of k; those of two channels are zipped from two quads when they are used. Only half a block
 * of channels is computed at a time, by as many rows as the registers have sums for, so that all
 * these rows share the zipped weights.
 */
#ifndef NNADEV_I8MM_ROWS8_H
#define NNADEV_I8MM_ROWS8_H

#include "device/nna/engine/arm/neon_dot.h"
#include "device/nna/engine/arm/neon_epilogue.h"
#include "device/nna/engine/vector/gemm8.h"

#define PAIRS 6u /* of a register tile: 24 accumulators */
#define ROWS (2 * PAIRS)
#define TILE_PRODUCTS (6u << 20)

/* Stores bytes k to k + 15 of row @i. */
static inline void put_bytes(const struct nnadev_gemm8 *g, uint8_t *a, uint32_t i, uint32_t k,
			     int8x16_t x)
{
	int8_t *to = (int8_t *)a + (size_t)(i / 2) * 2 * g->a_stride + (size_t)k * 2 + i % 2 * 8;

	vst1_s8(to, vget_low_s8(x));
	vst1_s8(to + 16, vget_high_s8(x));
}

/*
 * c[pair][i] += 8 bytes of k of a pair of rows times those of channels 2 * i and 2 * i + 1. One
 * quad of the channels is at @b, the other at @next. Pairs are @stride bytes apart.
 */
static inline __attribute__((always_inline)) void
multiply_add(int32x4_t (*c)[4], const int8_t *a, size_t stride, const int8_t *b, const int8_t *next,
	     const uint32_t pairs)
{
	int8x16_t w[4];

#pragma GCC unroll 2
	for (uint32_t i = 0; i < 2; i++) {
		const int32x4_t one = vreinterpretq_s32_s8(vld1q_s8(b + i * 16)),
				other = vreinterpretq_s32_s8(vld1q_s8(next + i * 16));

		w[i * 2] = vreinterpretq_s8_s32(vzip1q_s32(one, other));
		w[i * 2 + 1] = vreinterpretq_s8_s32(vzip2q_s32(one, other));
	}
#pragma GCC unroll 6
	for (uint32_t p = 0; p < pairs; p++) {
		const int8x16_t x = vld1q_s8(a + p * stride);

#pragma GCC unroll 4
		for (uint32_t i = 0; i < 4; i++)
			c[p][i] = vmmlaq_s32(c[p][i], x, w[i]);
	}
}

/* Multiplies pairs of rows at @a by half a block at @b. A row has 16 numbers in @sums. */
static inline __attribute__((always_inline)) void
multiply_half(const struct nnadev_gemm8 *g, const int8_t *a, const int8_t *b, int32_t *sums,
	      const uint32_t pairs)
{
	static const int8_t none[32];
	const size_t stride = (size_t)g->a_stride * 2;
	uint32_t left = g->quads;
	int32x4_t c[PAIRS][4];

#pragma GCC unroll 6
	for (uint32_t p = 0; p < pairs; p++)
#pragma GCC unroll 4
		for (uint32_t i = 0; i < 4; i++)
			c[p][i] = vdupq_n_s32(0);
	for (; left > 1; left -= 2, a += 16, b += 128)
		multiply_add(c, a, stride, b, b + 64, pairs);
	if (left)
		multiply_add(c, a, stride, b, none, pairs);
#pragma GCC unroll 6
	for (uint32_t p = 0; p < pairs; p++)
#pragma GCC unroll 2
		for (uint32_t i = 0; i < 2; i++) {
			const int64x2_t one = vreinterpretq_s64_s32(c[p][i * 2]),
					other = vreinterpretq_s64_s32(c[p][i * 2 + 1]);

			vst1q_s32(sums + p * 32 + i * 4,
				  vreinterpretq_s32_s64(vzip1q_s64(one, other)));
			vst1q_s32(sums + p * 32 + 16 + i * 4,
				  vreinterpretq_s32_s64(vzip2q_s64(one, other)));
		}
}

/* Multiplies up to ROWS rows. */
static inline void multiply(const struct nnadev_gemm8 *g, const int8_t *a, const int8_t *b,
			    int32_t *sums, uint32_t rows)
{
	switch (nnadev_div_up(rows, 2)) {
	case 6:
		multiply_half(g, a, b, sums, 6);
		break;
	case 5:
		multiply_half(g, a, b, sums, 5);
		break;
	case 4:
		multiply_half(g, a, b, sums, 4);
		break;
	case 3:
		multiply_half(g, a, b, sums, 3);
		break;
	case 2:
		multiply_half(g, a, b, sums, 2);
		break;
	default:
		multiply_half(g, a, b, sums, 1);
		break;
	}
}

/* Multiplies the rows of a tile by a block, whose weights are at @b, and finishes them. */
static inline void run_block(const struct nnadev_gemm8 *g, const struct nnadev_gemm8_rows *s,
			     const struct nnadev_neon_block *constants, const int8_t *b,
			     const int32_t *begin, uint32_t block, uint32_t rows)
{
	for (uint32_t first = 0; first < rows; first += ROWS) {
		const uint32_t count = rows - first < ROWS ? rows - first : ROWS;
		const int8_t *a = (const int8_t *)s->a + (size_t)first * g->a_stride;
		int32_t sums[ROWS * 16];

		for (uint32_t half = 0; half < 2; half++)
			multiply(g, a, b + half * 32, sums + half * 8, count);
		for (uint32_t r = 0; r < count; r++) {
			const int32x4_t own = vdupq_n_s32(s->begin[first + r]);
			int32x4_t c[4];

			for (uint32_t i = 0; i < 4; i++)
				c[i] = add_wrapping(vld1q_s32(sums + r * 16 + i * 4),
						    add_wrapping(own, vld1q_s32(begin + i * 4)));
			nnadev_neon_finish(&g->finish, constants, c,
					   s->at[first + r] + block * 16,
					   s->rat[first + r] + block * 16);
		}
	}
}

/* The most that the products with a block cost. Weights are zipped for each register tile. */
static inline uint64_t multiply_cost(const struct nnadev_gemm8 *g, uint64_t rows)
{
	return ((rows / ROWS + 1) * 2 + rows / 2 + 1) * g->quads;
}

#endif
