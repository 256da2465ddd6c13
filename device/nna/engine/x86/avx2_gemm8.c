// SPDX-License-Identifier: MIT
/*
 * CONV and MATMUL on 8-bit types with AVX2.
 *
 * A tile is a range of rows (output positions) by a range of blocks of 16 output channels. Both
 * factors are widened to 16 bits in scratch memory and multiplied by vpmaddwd, which adds pairs
 * exactly (vpmaddubsw would saturate). A quad is four neighbouring bytes k0..k3. Its pairs are (k0,
 * k2) and (k1, k3), because a mask or a shift extracts these from a quad:
 *
 *   a: rows;  a row is groups of 8 quads: 32 bytes of their first pairs, then 32 bytes of their
 *             second pairs
 *   b: quads; a quad is 64 bytes of 16 channels' first pairs, then 64 bytes of their second pairs
 *
 * The weights' zero point is subtracted when b is widened, so no sums of rows are needed. Rows are
 * padded with 0. K is processed in chunks whose b stays in the caches; the accumulators of the
 * tile's rows are stored between chunks.
 */
#include "device/nna/engine/vector/gemm8.h"
#include "device/nna/engine/x86/avx2_epilogue.h"
#include "device/nna/engine/x86/avx2_part.h"
#include "device/nna/engine/x86/avx2_quads.h"

#define ROWS 6u /* of a register tile: 12 accumulators */
#define CHUNK 256u /* quads of b: 32 KiB */
#define A_BYTES (160u << 10) /* of widened rows in a tile */
#define TILE_PRODUCTS (6u << 20)
/* Rows that are finished together, while their accumulators are in the L1 cache. */
#define FINISHED (8 * ROWS)

/* Where the pieces of a tile's scratch memory begin. */
struct scratch {
	struct nnadev_gemm8_rows rows;
	int16_t *b;
	int32_t *acc; /* [rows][16] */
};

/* Lays out the scratch memory at base; returns its size. */
static uint64_t scratch_get(const struct nnadev_gemm8 *g, uint32_t rows, uint8_t *base,
			    struct scratch *s)
{
	struct nnadev_layout l = { .base = base };

	nnadev_gemm8_take(g, rows, &l, &s->rows);
	s->b = nnadev_layout_take(&l, (g->quads < CHUNK ? g->quads : CHUNK) * 128ull);
	s->acc = nnadev_layout_take(&l, (uint64_t)rows * 64);
	return l.size;
}

/* Widens 32 bytes to first pairs and second pairs. */
static inline void widen32(uint8_t *to, __m256i v, bool is_signed)
{
	__m256i even = is_signed ? _mm256_srai_epi16(_mm256_slli_epi16(v, 8), 8) :
				   _mm256_and_si256(v, _mm256_set1_epi16(255));
	__m256i odd = is_signed ? _mm256_srai_epi16(v, 8) : _mm256_srli_epi16(v, 8);

	_mm256_store_si256((__m256i *)to, even);
	_mm256_store_si256((__m256i *)(to + 32), odd);
}

static inline void widen_row(const struct nnadev_gemm8 *g, const struct nnadev_gemm8_rows *s,
			     uint32_t i, const struct nnadev_gemm8_row *row)
{
	uint8_t *to = s->a + (size_t)i * g->a_stride;
	const uint8_t *from = row->from;
	uint32_t k = g->k;

	for (; k >= 32; k -= 32, from += 32, to += 64)
		widen32(to, NNADEV_LOAD(from), g->a_signed);
	if (k)
		widen32(to, nnadev_part_load(from, k, row->end), g->a_signed);
}

/* Widens a row of at most 32 bytes. */
static inline void widen_short(const struct nnadev_gemm8 *g, const struct nnadev_gemm8_rows *s,
			       uint32_t i, const struct nnadev_gemm8_row *row)
{
	widen32(s->a + (size_t)i * 64, nnadev_part_load(row->from, g->k, row->end), g->a_signed);
}

/* Widens quads [first, first + quads) of a packed block of weights. */
static void fill_b_packed(const struct nnadev_gemm8 *g, uint32_t set, uint32_t block,
			  uint32_t first, uint32_t quads, int16_t *b)
{
	const int8_t *from = (const int8_t *)g->conv.weights->data +
			     (((size_t)set * g->conv.blocks + block) * g->quads + first) * 64;
	const __m256i zero = _mm256_set1_epi16((int16_t)g->conv.weights->desc.zero_point);

	for (uint32_t q = 0; q < quads; q++, from += 64, b += 64)
		nnadev_quads_widen(NNADEV_LOAD(from), NNADEV_LOAD(from + 32), zero, true, b);
}

/* Widens weights in any order. Adds each channel's weights to @sums. */
static void fill_b_plain(const struct nnadev_gemm8 *g, uint32_t set, uint32_t block, uint32_t first,
			 uint32_t quads, int16_t *b, int32_t *sums)
{
	const uint32_t count = g->n - block * 16 < 16 ? g->n - block * 16 : 16,
		       end = (first + quads) * 4;

	if (g->matmul && nnadev_quads_are_near(g->conv.weights)) {
		struct nnadev_quads m;

		nnadev_quads_get(g->conv.weights, &m);
		nnadev_quads_fill(&m, (uint32_t[]){ set, first * 4, block * 16 }, count, quads, b,
				  sums);
		return;
	}
	memset(b, 0, (size_t)quads * 128);
	for (uint32_t k = first * 4; k < end && k < g->k; k++) {
		/* The pairs (k0, k2) and (k1, k3) of the quad. */
		int16_t *to = b + (size_t)(k / 4 - first) * 64 + (k & 1) * 32 + (k >> 1 & 1);

		for (uint32_t i = 0; i < count; i++) {
			const uint32_t n = block * 16 + i,
				       position = g->matmul ? 0 : k / g->conv.group_in;
			const int64_t at = g->matmul ? nnadev_offset(&g->conv.weights->desc,
								     (uint32_t[]){ set, k, n })
						     : nnadev_conv_weight(
							       &g->conv, set * g->n + n,
							       position / g->conv.window.kernel_w,
							       position % g->conv.window.kernel_w,
							       k % g->conv.group_in);
			const int16_t w = (int16_t)nnadev_load_centred(g->conv.weights, at);

			to[i * 2] = w;
			sums[i] = (int32_t)((uint32_t)sums[i] + (uint32_t)w);
		}
	}
}

/*
 * c0 += x * b0, c1 += x * b1, where @x points to a pair of a row, broadcast to all lanes. In
 * assembly, because the compiler would compute all products of a step before it adds them, and
 * spill accumulators.
 */
static inline __attribute__((always_inline)) void multiply_add(__m256i *c0, __m256i *c1,
							       const void *x, __m256i b0,
							       __m256i b1)
{
	__asm__("vpbroadcastd %[x], %%ymm15\n\t"
		"vpmaddwd %[b0], %%ymm15, %%ymm14\n\t"
		"vpmaddwd %[b1], %%ymm15, %%ymm15\n\t"
		"vpaddd %%ymm14, %[c0], %[c0]\n\t"
		"vpaddd %%ymm15, %[c1], %[c1]"
		: [c0] "+x"(*c0), [c1] "+x"(*c1)
		: [x] "m"(*(const int32_t *)x), [b0] "x"(b0), [b1] "x"(b1)
		: "ymm14", "ymm15");
}

/* c += x * b for 8 channels. */
static inline __attribute__((always_inline)) void multiply_add_half(__m256i *c, const void *x,
								    __m256i b)
{
	__asm__("vpbroadcastd %[x], %%ymm15\n\t"
		"vpmaddwd %[b], %%ymm15, %%ymm15\n\t"
		"vpaddd %%ymm15, %[c], %[c]"
		: [c] "+x"(*c)
		: [x] "m"(*(const int32_t *)x), [b] "x"(b)
		: "ymm15");
}

/* Adds the products of a quad of each row with a quad of b. */
static inline __attribute__((always_inline)) void multiply_quad(const uint8_t *a, size_t stride,
								const int16_t *b, __m256i (*c)[2],
								const uint32_t rows)
{
#pragma GCC unroll 2
	for (uint32_t pair = 0; pair < 2; pair++) {
		const __m256i b0 = _mm256_load_si256((const __m256i *)(b + pair * 32)),
			      b1 = _mm256_load_si256((const __m256i *)(b + pair * 32 + 16));

#pragma GCC unroll 6
		for (uint32_t r = 0; r < rows; r++)
			multiply_add(&c[r][0], &c[r][1], a + r * stride + pair * 32, b0, b1);
	}
}

/* acc[row][16] (+)= rows of a times b, over all quads. */
static inline __attribute__((always_inline)) void multiply(const uint8_t *a, size_t stride,
							   const int16_t *b, uint32_t quads,
							   int32_t *acc, bool add,
							   const uint32_t rows)
{
	__m256i c[ROWS][2];

#pragma GCC unroll 6
	for (uint32_t r = 0; r < rows; r++) {
		c[r][0] = add ? NNADEV_LOAD(acc + r * 16) : _mm256_setzero_si256();
		c[r][1] = add ? NNADEV_LOAD(acc + r * 16 + 8) : _mm256_setzero_si256();
	}
	for (; quads >= 8; quads -= 8, a += 64)
#pragma GCC unroll 4
		for (uint32_t q = 0; q < 8; q++, b += 64)
			multiply_quad(a + q * 4, stride, b, c, rows);
	for (uint32_t q = 0; q < quads; q++, b += 64)
		multiply_quad(a + q * 4, stride, b, c, rows);
#pragma GCC unroll 6
	for (uint32_t r = 0; r < rows; r++) {
		_mm256_storeu_si256((__m256i *)(acc + r * 16), c[r][0]);
		_mm256_storeu_si256((__m256i *)(acc + r * 16 + 8), c[r][1]);
	}
}

/*
 * Multiplies twice as many rows by the first 8 channels alone. Accumulators of the other channels
 * keep their values.
 */
static __attribute__((noinline)) void multiply_half(const uint8_t *a, size_t stride,
						    const int16_t *b, uint32_t quads, int32_t *acc,
						    bool add)
{
	__m256i c[2 * ROWS];

#pragma GCC unroll 12
	for (uint32_t r = 0; r < 2 * ROWS; r++)
		c[r] = add ? NNADEV_LOAD(acc + r * 16) : _mm256_setzero_si256();
	for (uint32_t q = 0; q < quads; q++, b += 64) {
		const uint8_t *from = a + q / 8 * 64 + q % 8 * 4;

#pragma GCC unroll 2
		for (uint32_t pair = 0; pair < 2; pair++) {
			const __m256i half = NNADEV_LOAD(b + pair * 32);

#pragma GCC unroll 12
			for (uint32_t r = 0; r < 2 * ROWS; r++)
				multiply_add_half(&c[r], from + r * stride + pair * 32, half);
		}
	}
#pragma GCC unroll 12
	for (uint32_t r = 0; r < 2 * ROWS; r++)
		_mm256_storeu_si256((__m256i *)(acc + r * 16), c[r]);
}

static void multiply_rows(const uint8_t *a, size_t stride, const int16_t *b, uint32_t quads,
			  int32_t *acc, bool add, uint32_t rows)
{
	switch (rows) {
	case 6:
		multiply(a, stride, b, quads, acc, add, 6);
		break;
	case 5:
		multiply(a, stride, b, quads, acc, add, 5);
		break;
	case 4:
		multiply(a, stride, b, quads, acc, add, 4);
		break;
	case 3:
		multiply(a, stride, b, quads, acc, add, 3);
		break;
	case 2:
		multiply(a, stride, b, quads, acc, add, 2);
		break;
	default:
		multiply(a, stride, b, quads, acc, add, 1);
		break;
	}
}

/*
 * Multiplies one row by a block of packed weights and widens the weights on the fly, because b
 * would be read only once.
 */
static __attribute__((noinline)) void multiply_one(const uint8_t *a, const int8_t *weights,
						   uint32_t quads, int32_t zero, int32_t *acc)
{
	const __m256i z = _mm256_set1_epi16((int16_t)zero);
	__m256i c[4] = { _mm256_setzero_si256(), _mm256_setzero_si256(), _mm256_setzero_si256(),
			 _mm256_setzero_si256() };

	for (uint32_t q = 0; q < quads; q++, weights += 64) {
		const uint8_t *from = a + q / 8 * 64 + q % 8 * 4;
		const __m256i x0 = _mm256_castps_si256(_mm256_broadcast_ss((const float *)from)),
			      x1 = _mm256_castps_si256(
				      _mm256_broadcast_ss((const float *)(from + 32)));

#pragma GCC unroll 2
		for (uint32_t i = 0; i < 2; i++) {
			const __m256i w = NNADEV_LOAD(weights + i * 32),
				      even = _mm256_srai_epi16(_mm256_slli_epi16(w, 8), 8),
				      odd = _mm256_srai_epi16(w, 8);

			c[i] = _mm256_add_epi32(
				c[i], _mm256_madd_epi16(x0, _mm256_sub_epi16(even, z)));
			c[i + 2] = _mm256_add_epi32(
				c[i + 2], _mm256_madd_epi16(x1, _mm256_sub_epi16(odd, z)));
		}
	}
	NNADEV_STORE(acc, _mm256_add_epi32(c[0], c[2]));
	NNADEV_STORE(acc + 8, _mm256_add_epi32(c[1], c[3]));
}

/*
 * Multiplies rows [first, first + rows) by a chunk of b into @acc. @half: the block has at most 8
 * channels.
 */
static __attribute__((noinline)) void
multiply_chunk(const struct nnadev_gemm8 *g, const struct scratch *s, uint32_t first, uint32_t rows,
	       uint32_t chunk, uint32_t quads, bool half, int32_t *acc)
{
	const uint8_t *a = s->rows.a + (size_t)first * g->a_stride + (size_t)chunk * CHUNK * 8;
	uint32_t r = 0;

	for (; half && r + 2 * ROWS <= rows; r += 2 * ROWS)
		multiply_half(a + (size_t)r * g->a_stride, g->a_stride, s->b, quads, acc + r * 16,
			      chunk != 0);
	for (; r < rows; r += ROWS)
		multiply_rows(a + (size_t)r * g->a_stride, g->a_stride, s->b, quads, acc + r * 16,
			      chunk != 0, rows - r < ROWS ? rows - r : ROWS);
}

/* Computes a tile of one row. */
static __attribute__((noinline)) void run_one(const struct nnadev_gemm8 *g,
					      const struct scratch *s,
					      const struct nnadev_area *area)
{
	const uint32_t end = area->first_block + area->blocks;
	struct nnadev_block constants;
	int32_t bias[16];

	for (uint32_t block = area->first_block; block < end; block++) {
		const uint32_t count = nnadev_gemm8_channels(g, area->set, block, NULL,
							     constants.channel, bias);

		nnadev_block_get(&constants, &g->finish, count, bias, NNADEV_NATURAL);
		multiply_one(s->rows.a, nnadev_gemm8_block(g, area->set, block), g->quads,
			     g->conv.weights->desc.zero_point, s->acc);
		nnadev_finish_rows(&g->finish, &constants, NNADEV_NATURAL, s->acc, 1, s->rows.at,
				   s->rows.rat, block * 16);
	}
}

static uint32_t gemm_tile(const struct nnadev_engine_command *cmd,
			  const struct nnadev_engine_plan *plan, uint32_t phase, uint32_t tile,
			  void *scratch, void *shared)
{
	/* Local copies: stores may alias *plan for all that the compiler knows. */
	const struct nnadev_gemm8 g = *(const struct nnadev_gemm8 *)nnadev_state(plan);
	const struct nnadev_finish finish = g.finish;
	const struct nnadev_area area = nnadev_tiles_area(&g.tiles, tile, g.rows,
							  nnadev_div_up(g.n, 16));
	const uint32_t last = nnadev_div_up(g.quads, CHUNK) - 1;
	struct nnadev_block constants;
	struct scratch s;

	scratch_get(&g, g.tiles.rows, scratch, &s);
	if (g.k <= 32)
		nnadev_gemm8_fill(&g, area.set, area.first_row, area.rows, &s.rows, widen_short);
	else
		nnadev_gemm8_fill(&g, area.set, area.first_row, area.rows, &s.rows, widen_row);
	if (area.rows == 1 && g.conv.layout == NNAHW_LAYOUT_PACKED8) {
		run_one(&g, &s, &area);
		return NNAHW_STATUS_OK;
	}
	for (uint32_t block = area.first_block; block < area.first_block + area.blocks; block++) {
		int32_t sums[16] = { 0 }, bias[16];
		const bool half = g.n - block * 16 <= 8;
		uint32_t count, rows, quads = CHUNK;

		for (uint32_t chunk = 0; chunk <= last; chunk++) {
			if (chunk == last)
				quads = g.quads - chunk * CHUNK;
			if (g.conv.layout == NNAHW_LAYOUT_PLAIN)
				fill_b_plain(&g, area.set, block, chunk * CHUNK, quads, s.b, sums);
			else
				fill_b_packed(&g, area.set, block, chunk * CHUNK, quads, s.b);
			if (chunk < last)
				multiply_chunk(&g, &s, 0, area.rows, chunk, quads, half, s.acc);
		}
		count = nnadev_gemm8_channels(&g, area.set, block, sums, constants.channel, bias);
		nnadev_block_get(&constants, &finish, count, bias, NNADEV_NATURAL);
		for (uint32_t r = 0; r < area.rows; r += rows) {
			int32_t *acc = s.acc + (last ? r * 16 : 0);

			rows = area.rows - r < FINISHED ? area.rows - r : FINISHED;
			multiply_chunk(&g, &s, r, rows, last, quads, half, acc);
			nnadev_finish_all(&finish, &constants, acc, rows, s.rows.at + r,
					  s.rows.rat + r, block * 16);
		}
	}
	return NNAHW_STATUS_OK;
}

static void gemm_get(const struct nnadev_engine_command *cmd, struct nnadev_gemm8 *g)
{
	nnadev_gemm8_get(cmd, g);
	g->a_stride = nnadev_div_up(g->k, 32) * 64;
}

/* The most that a tile costs: gathering its rows, and unpacking and finishing each block. */
static uint64_t tile_cost(const void *decoded, uint64_t rows, uint64_t blocks)
{
	const struct nnadev_gemm8 *g = decoded;
	const uint64_t window = g->matmul ? 1 : g->conv.window.kernel_h * g->conv.window.kernel_w;
	const uint64_t row = g->k / 16 + 8 * window + 40,
		       weights = g->conv.layout == NNAHW_LAYOUT_PLAIN ? 160ull * g->k : g->quads,
		       finish = 220, groups = (rows + ROWS - 1) / ROWS;

	return rows * row + blocks * (weights + groups * g->quads + rows * finish + 1000);
}

/* Accepts 8-bit types with contiguous channels. */
static uint32_t gemm_accepts(const struct nnadev_engine_command *cmd,
			     struct nnadev_engine_plan *plan)
{
	struct nnadev_gemm8 g;

	if (!nnadev_type_is_quant8(cmd->operands[1].desc.type))
		return nnadev_accept(false);
	gemm_get(cmd, &g);
	return nnadev_accept(g.k && nnadev_tiles_fit(&g.conv, tile_cost, &g));
}

static void gemm_plan(const struct nnadev_engine_command *cmd, uint32_t threads,
		      struct nnadev_engine_plan *plan)
{
	struct nnadev_gemm8 *g = nnadev_state_new(plan);
	struct nnadev_product product = {
		.together = ROWS,
		.blocks_together = 1,
		.wanted = TILE_PRODUCTS,
		.columns = NNADEV_TILES_COLUMNS_UNPACKED,
	};
	struct scratch s;

	gemm_get(cmd, g);
	product.cached = A_BYTES / g->a_stride;
	nnadev_gemm8_cut(g, &product, threads, tile_cost);
	nnadev_tiles_plan(&g->tiles, g->sets, scratch_get(g, g->tiles.rows, NULL, &s), plan);
}

NNADEV_STATE_FITS(struct nnadev_gemm8);
NNADEV_KERNEL(avx2_conv8) = { NNAHW_OP_CONV, NNADEV_ENGINE_AVX2, gemm_accepts, gemm_plan,
			      gemm_tile };
NNADEV_KERNEL(avx2_matmul8) = { NNAHW_OP_MATMUL, NNADEV_ENGINE_AVX2, gemm_accepts, gemm_plan,
				gemm_tile };
