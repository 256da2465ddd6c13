// SPDX-License-Identifier: MIT
/*
 * CONV on 8-bit types with AVX-VNNI, for packed weights. vpdpbusd adds 4 products of an unsigned
 * and a signed byte to each of 8 sums, exactly.
 *
 * A tile is a range of rows (output positions) by a range of blocks of 16 output channels. Up to
 * ROWS rows by one block are computed at a time in registers, over all of k. 64 bytes of weights
 * are a quad of k for the 16 channels of a block. Rows are gathered in scratch memory as unsigned
 * bytes and padded with zeros. A signed input x is stored as x ^ 0x80 = x + 128, and 128 times the
 * sum of the weights is subtracted from the bias. The sums of a row start with minus its inputs'
 * sum times the weights' zero point.
 */
#include "device/nna/engine/vector/gemm8.h"
#include "device/nna/engine/x86/avx2_epilogue.h"
#include "device/nna/engine/x86/avx2_part.h"

#define ROWS 6u /* of a register tile: 12 accumulators */
#define A_BYTES (128u << 10) /* of rows in a tile */
#define TILE_PRODUCTS (12u << 20)

static inline int32_t add_up(__m256i v)
{
	__m128i sum = _mm_add_epi32(_mm256_castsi256_si128(v), _mm256_extracti128_si256(v, 1));

	sum = _mm_add_epi32(sum, _mm_shuffle_epi32(sum, 0x4e));
	return _mm_cvtsi128_si32(_mm_add_epi32(sum, _mm_shuffle_epi32(sum, 0xb1)));
}

/* Gathers row @i and computes the initial value of its sums. */
static inline void put_row(const struct nnadev_gemm8 *g, const struct nnadev_gemm8_rows *s,
			   uint32_t i, const struct nnadev_gemm8_row *row)
{
	const __m256i flip = _mm256_set1_epi8(g->a_signed ? INT8_MIN : 0),
		      ones = _mm256_set1_epi8(1);
	const uint32_t much = g->a_signed ? 128 * g->k : 0;
	uint8_t *to = s->a + (size_t)i * g->a_stride;
	const uint8_t *from = row->from;
	__m256i sum = _mm256_setzero_si256(), x;
	uint32_t k = g->k;

	for (; k >= 32; k -= 32, from += 32, to += 32) {
		x = _mm256_xor_si256(NNADEV_LOAD(from), flip);
		NNADEV_STORE(to, x);
		sum = _mm256_dpbusd_avx_epi32(sum, x, ones);
	}
	if (k) {
		x = _mm256_xor_si256(nnadev_part_load(from, k, row->end),
				     _mm256_and_si256(nnadev_part_mask(k), flip));
		NNADEV_STORE(to, x);
		sum = _mm256_dpbusd_avx_epi32(sum, x, ones);
	}
	s->begin[i] = (int32_t)((much - (uint32_t)add_up(sum)) *
				(uint32_t)g->conv.weights->desc.zero_point);
}

/* Subtracts 128 times the sums of a block's weights from its biases. */
static void take_off_128(const struct nnadev_gemm8 *g, const int8_t *b, int32_t *bias)
{
	const uint32_t tail = g->k % 4;
	const __m256i all = _mm256_set1_epi8(INT8_MIN);
	/* In the last quad, weights beyond k do not count. */
	const __m256i last = tail ? _mm256_set1_epi32((int32_t)(0x80808080u >> 8 * (4 - tail))) :
				    all;
	__m256i sum[2] = { _mm256_setzero_si256(), _mm256_setzero_si256() };

	for (uint32_t left = g->quads; left; left--, b += 64)
		for (uint32_t i = 0; i < 2; i++)
			sum[i] = _mm256_dpbusd_avx_epi32(sum[i], left > 1 ? all : last,
							 NNADEV_LOAD(b + i * 32));
	for (uint32_t i = 0; i < 2; i++)
		NNADEV_STORE(bias + i * 8, _mm256_sub_epi32(NNADEV_LOAD(bias + i * 8), sum[i]));
}

/* Broadcasts a quad of a row to all lanes. */
static inline __attribute__((always_inline)) __m256i load_quad(const uint8_t *from)
{
	int32_t quad;

	memcpy(&quad, from, sizeof(quad));
	return _mm256_set1_epi32(quad);
}

/* acc[row][16] = initial value of a row + its product with a block. */
static inline __attribute__((always_inline)) void
multiply(const struct nnadev_gemm8 *g, const uint8_t *a, const int32_t *begin, const int8_t *b,
	 int32_t *acc, const uint32_t rows)
{
	const size_t stride = g->a_stride;
	__m256i c[ROWS][2];

#pragma GCC unroll 6
	for (uint32_t r = 0; r < rows; r++)
		c[r][0] = c[r][1] = _mm256_set1_epi32(begin[r]);
#pragma GCC unroll 4
	for (uint32_t left = g->quads; left; left--, a += 4, b += 64) {
		const __m256i b0 = NNADEV_LOAD(b), b1 = NNADEV_LOAD(b + 32);

#pragma GCC unroll 6
		for (uint32_t r = 0; r < rows; r++) {
			const __m256i x = load_quad(a + r * stride);

			c[r][0] = _mm256_dpbusd_avx_epi32(c[r][0], x, b0);
			c[r][1] = _mm256_dpbusd_avx_epi32(c[r][1], x, b1);
		}
	}
#pragma GCC unroll 6
	for (uint32_t r = 0; r < rows; r++) {
		NNADEV_STORE(acc + r * 16, c[r][0]);
		NNADEV_STORE(acc + r * 16 + 8, c[r][1]);
	}
}

/* Multiplies up to ROWS of the @left rows. Return: how many. */
static uint32_t multiply_rows(const struct nnadev_gemm8 *g, const uint8_t *a, const int32_t *begin,
			      const int8_t *b, int32_t *acc, uint32_t left)
{
	if (left >= ROWS) {
		multiply(g, a, begin, b, acc, ROWS);
		return ROWS;
	}
	if (left >= 4) {
		multiply(g, a, begin, b, acc, 4);
		return 4;
	}
	if (left >= 2) {
		multiply(g, a, begin, b, acc, 2);
		return 2;
	}
	multiply(g, a, begin, b, acc, 1);
	return 1;
}

static uint32_t gemm_tile(const struct nnadev_engine_command *cmd,
			  const struct nnadev_engine_plan *plan, uint32_t phase, uint32_t tile,
			  void *scratch, void *shared)
{
	/* Local copies: stores may alias *plan for all that the compiler knows. */
	const struct nnadev_gemm8 g = *(const struct nnadev_gemm8 *)nnadev_state(plan);
	const struct nnadev_finish finish = g.finish;
	struct nnadev_gemm8_rows s;
	const struct nnadev_area area = nnadev_gemm8_start(&g, tile, scratch, &s, put_row);
	const uint32_t end = area.first_block + area.blocks;
	struct nnadev_block constants;

	for (uint32_t block = area.first_block; block < end; block++) {
		const int8_t *b = nnadev_gemm8_block(&g, area.set, block);
		int32_t bias[16] = { 0 }, acc[ROWS * 16];
		const uint32_t count = nnadev_gemm8_channels(&g, area.set, block, NULL,
							     constants.channel, bias);

		if (g.a_signed)
			take_off_128(&g, b, bias);
		nnadev_block_get(&constants, &finish, count, bias, NNADEV_NATURAL);
		for (uint32_t r = 0, rows; r < area.rows; r += rows) {
			rows = multiply_rows(&g, s.a + (size_t)r * g.a_stride, s.begin + r, b, acc,
					     area.rows - r);
			nnadev_finish_all(&finish, &constants, acc, rows, s.at + r, s.rat + r,
					  block * 16);
		}
	}
	return NNAHW_STATUS_OK;
}

/* The most that a tile costs: gathering its rows and finishing each block. */
static uint64_t tile_cost(const void *decoded, uint64_t rows, uint64_t blocks)
{
	const struct nnadev_gemm8 *g = decoded;
	const uint64_t window = g->conv.window.kernel_h * g->conv.window.kernel_w;
	const uint64_t row = g->k / 16 + 8 * window + 40, finish = 220;

	return rows * row + blocks * (g->quads * (rows / 2 + 3) + rows * finish + 1000);
}

static uint32_t gemm_accepts(const struct nnadev_engine_command *cmd,
			     struct nnadev_engine_plan *plan)
{
	return nnadev_gemm8_accepts_packed(cmd, tile_cost);
}

static const struct nnadev_gemm8_form form = {
	.unit = 32,
	.cached = A_BYTES,
	.together = ROWS,
	.wanted = TILE_PRODUCTS,
	/* AVX2 computes the depthwise convolutions between the products, and cuts them so. */
	.columns = NNADEV_TILES_COLUMNS_UNPACKED,
	.cost = tile_cost,
};

static void gemm_plan(const struct nnadev_engine_command *cmd, uint32_t threads,
		      struct nnadev_engine_plan *plan)
{
	nnadev_gemm8_plan(&form, cmd, threads, plan);
}

NNADEV_STATE_FITS(struct nnadev_gemm8);
NNADEV_KERNEL(avxvnni_conv8) = { NNAHW_OP_CONV, NNADEV_ENGINE_AVXVNNI, gemm_accepts, gemm_plan,
				 gemm_tile };
