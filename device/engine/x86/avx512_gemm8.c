// SPDX-License-Identifier: MIT
/*
 * CONV on 8-bit types with AVX-512: the products of packed weights by vpdpbusd, which adds 4
 * products of an unsigned and a signed byte to each of 16 sums, exactly.
 *
 * A tile is a range of rows (output positions) by a range of blocks of 16 output channels. Weights
 * are used where they lie: 64 bytes of them are a quad of k of the 16 channels of a block. Rows of
 * input are put together in scratch memory as unsigned bytes, with zeros up to a multiple of 64. 6
 * rows by 4 blocks are multiplied at a time, in 24 registers over all of k.
 *
 * Products are of stored numbers, and the kernel takes off what they are too much:
 *
 *   weights' zero point w0   x * (w - w0) = x * w - x * w0: a row's inputs are added up once, when
 *                            it is put together, and all columns begin with that sum times -w0
 *   signed inputs x          are put together as x ^ 0x80 = x + 128: the first row of a tile is
 *                            one of 128 for each x, and what it gives is taken off the others
 */
#include "device/engine/x86/avx512_epilogue.h"
#include "device/engine/x86/avx2_gemm8.h"

#define ROWS 6u /* of a register tile, by 4 blocks: 24 accumulators */
#define A_BYTES (128u << 10) /* of rows in a tile */
#define TILE_PRODUCTS (12u << 20)

/* Where a tile's parts of the scratch memory begin. The first row is that of 128, if there is. */
struct scratch {
	struct nnadev_gemm8_rows rows;
	int32_t (*acc)[4][16]; /* [ROWS] */
};

/* Lays out the scratch memory at base; returns its size. */
static uint64_t scratch_get(const struct nnadev_gemm8 *g, uint32_t rows, uint8_t *base,
			    struct scratch *s)
{
	struct nnadev_layout l = { .base = base };

	rows += g->a_signed;
	nnadev_gemm8_take(g, rows, &l, &s->rows);
	s->acc = nnadev_layout_take(&l, ROWS * sizeof(*s->acc));
	return l.size;
}

/* Up to 64 bytes of a row, of which those beyond it are 0. */
static inline __m512i load_row(const uint8_t *from, uint32_t left, __m512i flip)
{
	const __mmask64 mask = left < 64 ? (1ull << left) - 1 : ~0ull;

	return _mm512_maskz_mov_epi8(mask,
				     _mm512_xor_si512(_mm512_maskz_loadu_epi8(mask, from), flip));
}

/* Puts a row together, and adds it up. */
static inline void put_row(const struct nnadev_gemm8 *g, const struct nnadev_gemm8_rows *s,
			   uint32_t i, const struct nnadev_gemm8_row *row)
{
	const __m512i ones = _mm512_set1_epi8(1),
		      flip = _mm512_set1_epi8(g->a_signed ? INT8_MIN : 0);
	uint8_t *to = s->a + (size_t)i * g->a_stride;
	__m512i sum = _mm512_setzero_si512();
	uint32_t x;

	for (uint32_t k = 0; k < g->k; k += 64) {
		const __m512i v = load_row(row->from + k, g->k - k, flip);

		_mm512_store_si512(to + k, v);
		sum = _mm512_dpbusd_epi32(sum, v, ones);
	}
	x = (uint32_t)_mm512_reduce_add_epi32(sum) - (g->a_signed ? 128 * g->k : 0);
	s->begin[i] = (int32_t)(0 - x * (uint32_t)g->conv.weights->desc.zero_point);
}

/* Puts the first row together, of 128, and goes to the one behind it. */
static void put_128(const struct nnadev_gemm8 *g, struct nnadev_gemm8_rows *s)
{
	memset(s->a, 0, g->a_stride);
	memset(s->a, 128, g->k);
	s->begin[0] = 0;
	s->a += g->a_stride;
	s->begin++;
	s->at++;
	s->rat++;
}

/* c += x * b, in whose place the compiler would compute several sums and spill them. */
static inline __attribute__((always_inline)) void multiply_add(__m512i *c, __m512i x, __m512i b)
{
	__asm__("vpdpbusd %[b], %[x], %[c]" : [c] "+v"(*c) : [x] "v"(x), [b] "v"(b));
}

/* acc[row][block] = begin[row] + bias[block] + a row of a by blocks of b, each of quads * 64. */
static inline __attribute__((always_inline)) void
multiply(const uint8_t *a, size_t stride, const int32_t *begin, const int8_t *b, size_t quads,
	 const struct nnadev_blocks *constants, int32_t (*acc)[4][16], const uint32_t rows,
	 const uint32_t blocks)
{
	__m512i c[ROWS][4];

#pragma GCC unroll 6
	for (uint32_t r = 0; r < rows; r++)
#pragma GCC unroll 4
		for (uint32_t i = 0; i < blocks; i++)
			c[r][i] = _mm512_add_epi32(_mm512_set1_epi32(begin[r]),
						   _mm512_load_si512(constants->bias[i]));
#pragma GCC unroll 1
	for (size_t q = 0; q < quads; q++, a += 4, b += 64) {
		__m512i w[4];

#pragma GCC unroll 4
		for (uint32_t i = 0; i < blocks; i++)
			w[i] = _mm512_loadu_si512(b + i * quads * 64);
#pragma GCC unroll 6
		for (uint32_t r = 0; r < rows; r++) {
			const __m512i x = _mm512_set1_epi32(*(const int32_t *)(a + r * stride));

#pragma GCC unroll 4
			for (uint32_t i = 0; i < blocks; i++)
				multiply_add(&c[r][i], x, w[i]);
		}
	}
#pragma GCC unroll 6
	for (uint32_t r = 0; r < rows; r++)
#pragma GCC unroll 4
		for (uint32_t i = 0; i < blocks; i++)
			_mm512_store_si512(acc[r][i], c[r][i]);
}

/*
 * The first row's sums are 128 times those of weights, after the bias with which they began: takes
 * them off the rows behind it, and off the bias for the rows to come.
 */
static void take_off_128(struct nnadev_blocks *constants, int32_t (*acc)[4][16], uint32_t rows)
{
	for (uint32_t i = 0; i < constants->blocks; i++) {
		const __m512i bias = _mm512_load_si512(constants->bias[i]),
			      sum = _mm512_sub_epi32(_mm512_load_si512(acc[0][i]), bias);

		for (uint32_t r = 1; r < rows; r++)
			_mm512_store_si512(acc[r][i],
					   _mm512_sub_epi32(_mm512_load_si512(acc[r][i]), sum));
		_mm512_store_si512(constants->bias[i], _mm512_sub_epi32(bias, sum));
	}
}

/* Rows [first, first + rows) of the tile by some blocks from one on. */
static inline __attribute__((always_inline)) void
run_rows(const struct nnadev_gemm8 *g, const struct scratch *s, uint32_t first, uint32_t block,
	 const int8_t *b, struct nnadev_blocks *constants, const uint32_t rows,
	 const uint32_t blocks)
{
	const bool sums = g->a_signed && !first;

	multiply(s->rows.a + (size_t)first * g->a_stride, g->a_stride, s->rows.begin + first, b,
		 g->quads, constants, s->acc, rows, blocks);
	if (sums)
		take_off_128(constants, s->acc, rows);
	for (uint32_t r = sums; r < rows; r++) {
		__m512i acc[4] = { 0 };

#pragma GCC unroll 4
		for (uint32_t i = 0; i < blocks; i++)
			acc[i] = _mm512_load_si512(s->acc[r][i]);
		nnadev_blocks_finish(&g->finish, constants, NNADEV_BLOCKED, blocks, acc,
				     s->rows.at[first + r] + block * 16,
				     s->rows.rat[first + r] + block * 16);
	}
}

/* All rows of the tile by some blocks. */
static inline __attribute__((always_inline)) void
run_blocks(const struct nnadev_gemm8 *g, const struct scratch *s, uint32_t rows, uint32_t block,
	   const int8_t *b, struct nnadev_blocks *constants, const uint32_t blocks)
{
	uint32_t r = 0;

	for (; r + ROWS <= rows; r += ROWS)
		run_rows(g, s, r, block, b, constants, ROWS, blocks);
	switch (rows - r) {
	case 5:
		run_rows(g, s, r, block, b, constants, 5, blocks);
		break;
	case 4:
		run_rows(g, s, r, block, b, constants, 4, blocks);
		break;
	case 3:
		run_rows(g, s, r, block, b, constants, 3, blocks);
		break;
	case 2:
		run_rows(g, s, r, block, b, constants, 2, blocks);
		break;
	case 1:
		run_rows(g, s, r, block, b, constants, 1, blocks);
		break;
	}
}

static uint32_t gemm_tile(const struct nnadev_engine_command *cmd,
			  const struct nnadev_engine_plan *plan, uint32_t phase, uint32_t tile,
			  void *scratch, void *shared)
{
	/* A copy, which stays in registers: for all that the compiler knows a plan changes. */
	const struct nnadev_gemm8 g = *(const struct nnadev_gemm8 *)nnadev_state(plan);
	const struct nnadev_part part = nnadev_tiles_part(&g.tiles, tile, g.rows,
							  nnadev_div_up(g.n, 16));
	const uint32_t rows = part.rows + g.a_signed, end = part.first_block + part.blocks;
	struct nnadev_blocks constants;
	struct nnadev_gemm8_rows inputs;
	struct scratch s;

	scratch_get(&g, g.tiles.rows, scratch, &s);
	inputs = s.rows;
	if (g.a_signed)
		put_128(&g, &inputs);
	nnadev_gemm8_fill(&g, part.set, part.first_row, part.rows, &inputs, put_row);
	for (uint32_t block = part.first_block; block < end; block += constants.blocks) {
		const int8_t *b = (const int8_t *)g.conv.weights->data +
				  ((size_t)part.set * g.conv.blocks + block) * g.quads * 64;

		nnadev_blocks_start(&constants, &g.finish, NNADEV_BLOCKED);
		for (uint32_t i = block; i < end && i < block + 4; i++) {
			struct nnahw_channel channels[16];
			int32_t bias[16];
			const uint32_t count =
				nnadev_gemm8_channels(&g, part.set, i, NULL, channels, bias);

			nnadev_blocks_add(&constants, &g.finish, channels, count, bias);
		}
		switch (constants.blocks) {
		case 4:
			run_blocks(&g, &s, rows, block, b, &constants, 4);
			break;
		case 3:
			run_blocks(&g, &s, rows, block, b, &constants, 3);
			break;
		case 2:
			run_blocks(&g, &s, rows, block, b, &constants, 2);
			break;
		default:
			run_blocks(&g, &s, rows, block, b, &constants, 1);
			break;
		}
	}
	return NNAHW_STATUS_OK;
}

static void gemm_get(const struct nnadev_engine_command *cmd, struct nnadev_gemm8 *g)
{
	nnadev_gemm8_get(cmd, g);
	g->a_stride = nnadev_div_up(g->k, 64) * 64;
}

/* What a tile costs at most: its rows are put together, and each block is finished. */
static uint64_t tile_cost(const void *decoded, uint64_t rows, uint64_t blocks)
{
	const struct nnadev_gemm8 *g = decoded;
	const uint64_t window = g->conv.window.kernel_h * g->conv.window.kernel_w;
	const uint64_t row = g->k / 64 + 8 * window + 40,
		       finish = 220, groups = (rows + g->a_signed + ROWS - 1) / ROWS;

	return rows * row + (blocks + 3) / 4 * groups * g->quads +
	       blocks * (rows * finish + 1000);
}

/* The types are 8-bit ones, weights packed and channels contiguous. */
static uint32_t gemm_accepts(const struct nnadev_engine_command *cmd,
			     struct nnadev_engine_plan *plan)
{
	struct nnadev_gemm8 g;

	if (!nnadev_type_is_quant8(cmd->operands[1].desc.type))
		return nnadev_accept(false);
	gemm_get(cmd, &g);
	return nnadev_accept(g.k && g.conv.layout == NNAHW_LAYOUT_PACKED8 &&
			     nnadev_tiles_fit(&g.conv, tile_cost, &g));
}

static void gemm_plan(const struct nnadev_engine_command *cmd, uint32_t threads,
		      struct nnadev_engine_plan *plan)
{
	struct nnadev_gemm8 *g = nnadev_state_new(plan);
	struct nnadev_product product = {
		.together = ROWS,
		.blocks_together = 4,
		.wanted = TILE_PRODUCTS,
	};
	struct scratch s;

	gemm_get(cmd, g);
	product.cached = A_BYTES / g->a_stride;
	nnadev_gemm8_cut(g, &product, threads, tile_cost);
	nnadev_tiles_plan(&g->tiles, g->sets, scratch_get(g, g->tiles.rows, NULL, &s), plan);
}

NNADEV_STATE_FITS(struct nnadev_gemm8);
NNADEV_KERNEL(avx512_conv8) = { NNAHW_OP_CONV, NNADEV_ENGINE_AVX512, gemm_accepts, gemm_plan,
				gemm_tile };
