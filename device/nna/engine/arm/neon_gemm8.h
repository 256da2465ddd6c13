/* SPDX-License-Identifier: MIT */
/*
 * CONV on 8-bit types with NEON, for packed weights. Uses the dot products of Armv8.2 or the matrix
 * products of Armv8.6 if the file that includes this header is compiled for them. That file adds
 * the functions to the table of kernels.
 *
 * A tile is a range of rows (output positions) by a range of blocks of 16 output channels. Rows are
 * packed in scratch memory as signed bytes. An unsigned input x is stored as x - 128, and 128 times
 * the sum of the weights is added to the bias. The sums of a row start with minus its inputs' sum
 * times the weights' zero point. Matrix products need another packing of rows and another
 * multiplication; these are in headers of their own.
 */
#ifndef NNADEV_NEON_GEMM8_H
#define NNADEV_NEON_GEMM8_H

#ifdef __ARM_FEATURE_MATMUL_INT8
#include "device/nna/engine/arm/i8mm_rows8.h"
#else
#include "device/nna/engine/arm/neon_rows8.h"
#endif

#define A_BYTES (96u << 10) /* of rows in a tile */

/* Packs row @i, padded with 0, and computes the initial value of its sums. */
static inline void put_row(const struct nnadev_gemm8 *g, const struct nnadev_gemm8_rows *s,
			   uint32_t i, const struct nnadev_gemm8_row *row)
{
	const int8x16_t flip = vdupq_n_s8(g->a_signed ? 0 : INT8_MIN), ones = vdupq_n_s8(1);
	int32x4_t sum = vdupq_n_s32(0);
	uint32_t k = 0;

	for (; k + 16 <= g->k; k += 16) {
		const int8x16_t x = veorq_s8(vreinterpretq_s8_u8(vld1q_u8(row->from + k)), flip);

		put_bytes(g, s->a, i, k, x);
		sum = dot(sum, x, ones);
	}
	if (k < g->k) {
		int8_t part[16] = { 0 };
		int8x16_t x;

		for (uint32_t n = 0; n < g->k - k; n++)
			part[n] = (int8_t)(row->from[k + n] ^ (g->a_signed ? 0 : 0x80));
		x = vld1q_s8(part);
		put_bytes(g, s->a, i, k, x);
		sum = dot(sum, x, ones);
	}
	s->begin[i] = (int32_t)(0u - (uint32_t)vaddvq_s32(sum) *
					     (uint32_t)g->conv.weights->desc.zero_point);
}

/*
 * Computes the initial values of a block's sums without those of the rows. @b: the block's weights.
 */
static void get_bias(const struct nnadev_gemm8 *g, const int8_t *b, const int32_t *bias,
		     int32_t *begin)
{
	const uint32_t zero = (uint32_t)g->conv.weights->desc.zero_point;
	const uint32_t tail = g->k % 4, all = 128 * g->k * zero;
	const int8x16_t ones = vdupq_n_s8(1);
	/* In the last quad, weights beyond k do not count. */
	const int8x16_t last = vreinterpretq_s8_u32(
		vdupq_n_u32(tail ? 0x01010101u >> 8 * (4 - tail) : 0x01010101u));
	int32x4_t sum[4] = { vdupq_n_s32(0), vdupq_n_s32(0), vdupq_n_s32(0), vdupq_n_s32(0) };

	for (uint32_t q = 0; q < g->quads && !g->a_signed; q++, b += 64)
		for (uint32_t i = 0; i < 4; i++)
			sum[i] = dot(sum[i], vld1q_s8(b + i * 16),
					   q + 1 < g->quads ? ones : last);
	for (uint32_t i = 0; i < 16; i++) {
		uint32_t w[16];

		for (uint32_t k = 0; k < 4; k++)
			vst1q_u32(w + k * 4, vreinterpretq_u32_s32(sum[k]));
		begin[i] = (int32_t)((uint32_t)bias[i] + (g->a_signed ? 0 : 128 * w[i] - all));
	}
}

static uint32_t gemm_tile(const struct nnadev_engine_command *cmd,
			  const struct nnadev_engine_plan *plan, uint32_t phase, uint32_t tile,
			  void *scratch, void *shared)
{
	/* Local copy: stores may alias *plan for all that the compiler knows. */
	const struct nnadev_gemm8 g = *(const struct nnadev_gemm8 *)nnadev_state(plan);
	struct nnadev_gemm8_rows s;
	const struct nnadev_area area = nnadev_gemm8_start(&g, tile, scratch, &s, put_row);
	const uint32_t end = area.first_block + area.blocks;
	struct nnadev_neon_block constants;

	for (uint32_t block = area.first_block; block < end; block++) {
		const int8_t *b = nnadev_gemm8_block(&g, area.set, block);
		struct nnahw_channel channels[16];
		int32_t bias[16] = { 0 }, begin[16];
		const uint32_t count = nnadev_gemm8_channels(&g, area.set, block, NULL, channels,
							     bias);

		nnadev_neon_block_get(&constants, &g.finish, channels, count);
		get_bias(&g, b, bias, begin);
		run_block(&g, &s, &constants, b, begin, block, area.rows);
	}
	return NNAHW_STATUS_OK;
}

/* The most that a tile costs: packing its rows and finishing each block. */
static uint64_t tile_cost(const void *decoded, uint64_t rows, uint64_t blocks)
{
	const struct nnadev_gemm8 *g = decoded;
	const uint64_t window = g->conv.window.kernel_h * g->conv.window.kernel_w;
	const uint64_t row = g->k / 16 + 8 * window + 40, finish = 220;

	return rows * row +
	       blocks * (multiply_cost(g, rows) + rows * finish + 4ull * g->quads + 1000);
}

static uint32_t gemm_accepts(const struct nnadev_engine_command *cmd,
			     struct nnadev_engine_plan *plan)
{
	return nnadev_gemm8_accepts_packed(cmd, tile_cost);
}

static const struct nnadev_gemm8_form form = {
	.unit = 16,
	.cached = A_BYTES,
	.together = ROWS,
	.wanted = TILE_PRODUCTS,
	.columns = NNADEV_TILES_COLUMNS,
	.cost = tile_cost,
};

static void gemm_plan(const struct nnadev_engine_command *cmd, uint32_t threads,
		      struct nnadev_engine_plan *plan)
{
	nnadev_gemm8_plan(&form, cmd, threads, plan);
}

NNADEV_STATE_FITS(struct nnadev_gemm8);

#endif
