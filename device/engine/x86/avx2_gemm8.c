// SPDX-License-Identifier: MIT
/*
 * CONV and MATMUL on 8-bit types with AVX2.
 *
 * A tile is a range of rows (output positions) by a range of blocks of 16 output channels. Both
 * factors are widened to 16 bits in scratch and multiplied by vpmaddwd, which adds pairs exactly
 * (vpmaddubsw would saturate). A quad is four neighbouring bytes k0..k3. Its pairs are (k0, k2) and
 * (k1, k3), because these come out of a quad by a mask or a shift:
 *
 *   a: rows;  a row is groups of 8 quads: 32 bytes of their first pairs, then 32 bytes of their
 *             second pairs
 *   b: quads; a quad is 64 bytes of 16 channels' first pairs, then 64 bytes of their second pairs
 *
 * The weights' zero point is subtracted when b is widened, so no sums of rows are needed; what
 * fills up a row is 0. K is worked through in chunks that keep b in the caches, with the
 * accumulators of the tile's rows in between.
 */
#include "device/engine/conv.h"
#include "device/engine/x86/avx2_epilogue.h"
#include "device/engine/x86/tiles.h"

#define ROWS 6u /* of a register tile: 12 accumulators */
#define CHUNK 256u /* quads of b: 32 KiB */
#define A_BYTES (160u << 10) /* of widened rows in a tile */
#define TILE_PRODUCTS (6u << 20)

/**
 * struct gemm - a command as a matrix product
 * @conv: CONV: the command; its operands stand for those of MATMUL, too
 * @matmul: MATMUL
 * @sets: independent products: groups of a convolution, batches of a matrix product
 * @rows, @k, @n: dims of one
 * @quads: of k
 * @a_stride: bytes of a widened row
 * @a_signed: input is S8
 * @finish: constants of the epilogue
 * @tiles: the cut
 */
struct gemm {
	struct nnadev_conv conv;
	bool matmul;
	uint32_t sets, rows, k, n, quads, a_stride;
	bool a_signed;
	struct nnadev_finish finish;
	struct nnadev_tiles tiles;
};

/* Where a tile's parts of the scratch memory begin. */
struct scratch {
	uint8_t *a;
	int16_t *b;
	int32_t *acc; /* [rows][16] */
	uint8_t *row; /* a row as bytes */
	int64_t *at, *rat; /* [rows] */
};

static void gemm_get(const struct nnadev_engine_command *cmd, struct gemm *g)
{
	if (cmd->raw->opcode == NNAHW_OP_MATMUL) {
		const struct nnahw_cmd_matmul *p = (const struct nnahw_cmd_matmul *)cmd->raw;

		memset(g, 0, sizeof(*g));
		g->matmul = true;
		g->conv.output = &cmd->operands[NNAHW_MATMUL_OUTPUT];
		g->conv.input = &cmd->operands[NNAHW_MATMUL_A];
		g->conv.weights = &cmd->operands[NNAHW_MATMUL_B];
		g->conv.bias = &cmd->operands[NNAHW_MATMUL_BIAS];
		g->conv.channels = &cmd->operands[NNAHW_MATMUL_CHANNELS];
		g->conv.residual = &cmd->operands[NNAHW_MATMUL_RESIDUAL];
		g->conv.epilogue = &p->epilogue;
		g->sets = g->conv.output->desc.dims[0];
		g->rows = g->conv.output->desc.dims[1];
		g->n = g->conv.output->desc.dims[2];
		g->k = g->conv.input->desc.dims[2];
	} else {
		nnadev_conv_get(cmd, &g->conv);
		g->matmul = false;
		g->sets = ((const struct nnahw_cmd_conv *)cmd->raw)->groups;
		g->rows = g->conv.batch * g->conv.out_h * g->conv.out_w;
		g->n = g->conv.group_out;
		g->k = g->conv.k;
	}
	g->quads = nnadev_div_up(g->k, 4);
	g->a_stride = nnadev_div_up(g->k, 32) * 64;
	g->a_signed = g->conv.input->desc.type == NNAHW_TYPE_S8;
}

/* Lays out the scratch memory at base; returns its size. */
static uint64_t scratch_get(const struct gemm *g, uint32_t rows, uint8_t *base, struct scratch *s)
{
	struct nnadev_layout l = { .base = base };

	s->a = nnadev_layout_take(&l, (uint64_t)rows * g->a_stride);
	s->b = nnadev_layout_take(&l, (g->quads < CHUNK ? g->quads : CHUNK) * 128ull);
	s->acc = nnadev_layout_take(&l, (uint64_t)rows * 64);
	s->row = nnadev_layout_take(&l, g->a_stride / 2);
	s->at = nnadev_layout_take(&l, rows * sizeof(*s->at));
	s->rat = nnadev_layout_take(&l, rows * sizeof(*s->rat));
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

static void widen_row(uint8_t *to, const uint8_t *from, uint32_t k, bool is_signed)
{
	uint8_t tail[32] = { 0 };

	for (; k >= 32; k -= 32, from += 32, to += 64)
		widen32(to, NNADEV_LOAD(from), is_signed);
	if (k) {
		memcpy(tail, from, k);
		widen32(to, NNADEV_LOAD(tail), is_signed);
	}
}

/* One row of a convolution as bytes: the input under the window, its zero point outside. */
static const uint8_t *conv_row(const struct nnadev_conv *g, uint32_t group, uint32_t b, uint32_t y,
			       uint32_t x, uint8_t *row)
{
	const struct nnadev_window *w = &g->window;
	const int32_t *s = g->input->desc.strides;
	const uint8_t *data = (const uint8_t *)g->input->data + (int64_t)b * s[0] +
			      (int64_t)group * g->group_in;
	const int64_t column = nnadev_window_column(w, x, 0);
	const size_t run = g->group_in;
	const bool joined = w->dilation_w == 1 && (uint32_t)s[2] == g->group_in;
	uint8_t *to = row;

	if (w->kernel_h == 1 && w->kernel_w == 1) {
		const int64_t r = nnadev_window_row(w, y, 0);

		if (r >= 0 && r < w->height && column >= 0 && column < w->width)
			return data + r * s[1] + column * s[2];
		memset(row, g->input->desc.zero_point, run);
		return row;
	}
	for (uint32_t ky = 0; ky < w->kernel_h; ky++) {
		const int64_t r = nnadev_window_row(w, y, ky);

		if (r < 0 || r >= w->height) {
			memset(to, g->input->desc.zero_point, w->kernel_w * run);
			to += w->kernel_w * run;
			continue;
		}
		if (joined && column >= 0 && column + w->kernel_w <= w->width) {
			memcpy(to, data + r * s[1] + column * s[2], w->kernel_w * run);
			to += w->kernel_w * run;
			continue;
		}
		for (uint32_t kx = 0; kx < w->kernel_w; kx++, to += run) {
			const int64_t c = nnadev_window_column(w, x, kx);

			if (c >= 0 && c < w->width)
				memcpy(to, data + r * s[1] + c * s[2], run);
			else
				memset(to, g->input->desc.zero_point, run);
		}
	}
	return row;
}

/* Widens the tile's rows and notes where they are stored. */
static void fill_a(const struct gemm *g, uint32_t set, uint32_t first, uint32_t rows,
		   struct scratch *s)
{
	const struct nnahw_tensor *out = &g->conv.output->desc, *res = &g->conv.residual->desc;
	const bool residual = nnadev_present(g->conv.residual);
	uint32_t index[4];

	if (g->matmul) {
		for (uint32_t i = 0; i < rows; i++) {
			index[0] = set, index[1] = first + i, index[2] = 0;
			s->at[i] = nnadev_offset(out, index);
			s->rat[i] = residual ? nnadev_offset(res, index) : 0;
			widen_row(s->a + (size_t)i * g->a_stride,
				  (const uint8_t *)g->conv.input->data +
					  nnadev_offset(&g->conv.input->desc, index),
				  g->k, g->a_signed);
		}
		return;
	}
	nnadev_unflatten(out->dims, 3, first, index);
	index[3] = set * g->n;
	for (uint32_t i = 0; i < rows; i++, nnadev_advance(out->dims, 3, index)) {
		/* Along a row of the image there is but a step. */
		if (i && index[2]) {
			s->at[i] = s->at[i - 1] + out->strides[2];
			s->rat[i] = residual ? s->rat[i - 1] + res->strides[2] : 0;
		} else {
			s->at[i] = nnadev_offset(out, index);
			s->rat[i] = residual ? nnadev_offset(res, index) : 0;
		}
		widen_row(s->a + (size_t)i * g->a_stride,
			  conv_row(&g->conv, set, index[0], index[1], index[2], s->row), g->k,
			  g->a_signed);
	}
}

/* Widens quads [first, first + quads) of a packed block of weights. */
static void fill_b_packed(const struct gemm *g, uint32_t set, uint32_t block, uint32_t first,
			  uint32_t quads, int16_t *b)
{
	const int8_t *from = (const int8_t *)g->conv.weights->data +
			     (((size_t)set * g->conv.blocks + block) * g->quads + first) * 64;
	const __m256i zero = _mm256_set1_epi16((int16_t)g->conv.weights->desc.zero_point);

	for (uint32_t q = 0; q < quads; q++, from += 64, b += 64) {
		const __m256i v0 = NNADEV_LOAD(from), v1 = NNADEV_LOAD(from + 32);
		const __m256i e0 = _mm256_srai_epi16(_mm256_slli_epi16(v0, 8), 8);
		const __m256i e1 = _mm256_srai_epi16(_mm256_slli_epi16(v1, 8), 8);

		_mm256_store_si256((__m256i *)b, _mm256_sub_epi16(e0, zero));
		_mm256_store_si256((__m256i *)(b + 16), _mm256_sub_epi16(e1, zero));
		_mm256_store_si256((__m256i *)(b + 32),
				   _mm256_sub_epi16(_mm256_srai_epi16(v0, 8), zero));
		_mm256_store_si256((__m256i *)(b + 48),
				   _mm256_sub_epi16(_mm256_srai_epi16(v1, 8), zero));
	}
}

/* The same for weights in any order; adds up what each channel got. */
static void fill_b_plain(const struct gemm *g, uint32_t set, uint32_t block, uint32_t first,
			 uint32_t quads, int16_t *b, int32_t *sums)
{
	const uint32_t count = g->n - block * 16 < 16 ? g->n - block * 16 : 16,
		       end = (first + quads) * 4;

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
 * c0 += x * b0, c1 += x * b1 for a pair x of a row in all lanes. Written out because the compiler
 * otherwise computes all products of a step before it adds them, and spills accumulators.
 */
static inline __attribute__((always_inline)) void multiply_add(__m256i *c0, __m256i *c1,
							       const void *x, __m256i b0,
							       __m256i b1)
{
	__m256i t, u;

	__asm__("vpbroadcastd %[x], %[t]\n\t"
		"vpmaddwd %[b0], %[t], %[u]\n\t"
		"vpmaddwd %[b1], %[t], %[t]\n\t"
		"vpaddd %[u], %[c0], %[c0]\n\t"
		"vpaddd %[t], %[c1], %[c1]"
		: [c0] "+x"(*c0), [c1] "+x"(*c1), [t] "=&x"(t), [u] "=&x"(u)
		: [x] "m"(*(const int32_t *)x), [b0] "x"(b0), [b1] "x"(b1));
}

/* acc[row][16] (+)= a row of a by b, over quads. */
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
	for (uint32_t group = 0; group < quads; group += 8, a += 64) {
		const uint32_t in_group = quads - group < 8 ? quads - group : 8;
		const uint8_t *p = a;

#pragma GCC unroll 4
		for (uint32_t q = 0; q < in_group; q++, p += 4, b += 64) {
#pragma GCC unroll 2
			for (uint32_t pair = 0; pair < 2; pair++) {
				const __m256i b0 = _mm256_load_si256(
					(const __m256i *)(b + pair * 32));
				const __m256i b1 = _mm256_load_si256(
					(const __m256i *)(b + pair * 32 + 16));

#pragma GCC unroll 6
				for (uint32_t r = 0; r < rows; r++)
					multiply_add(&c[r][0], &c[r][1], p + r * stride + pair * 32,
						     b0, b1);
			}
		}
	}
#pragma GCC unroll 6
	for (uint32_t r = 0; r < rows; r++) {
		_mm256_storeu_si256((__m256i *)(acc + r * 16), c[r][0]);
		_mm256_storeu_si256((__m256i *)(acc + r * 16 + 8), c[r][1]);
	}
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

/* Reads the constants of a block; for plain weights with the sums of its centred weights. */
static void get_block(const struct gemm *g, uint32_t set, uint32_t block,
		      const struct nnadev_finish *f, const int32_t *sums, struct nnadev_block *b)
{
	const uint32_t first = block * 16, count = g->n - first < 16 ? g->n - first : 16;
	const struct nnahw_channel *from = g->conv.channels->data;
	const bool one = g->conv.channels->desc.dims[0] == 1;
	struct nnahw_channel channels[16];
	int32_t bias[16];

	for (uint32_t i = 0; i < count; i++) {
		const uint32_t n = g->matmul ? first + i : set * g->n + first + i;
		uint32_t sum;

		channels[i] = from[one ? 0 : n];
		sum = (uint32_t)channels[i].bias;
		if (nnadev_present(g->conv.bias))
			sum += (uint32_t)nnadev_load_integer(
				g->conv.bias, (int64_t)n * g->conv.bias->desc.strides[0]);
		if (g->conv.layout == NNAHW_LAYOUT_PLAIN)
			sum -= (uint32_t)g->conv.input->desc.zero_point * (uint32_t)sums[i];
		bias[i] = (int32_t)sum;
	}
	nnadev_block_get(b, f, channels, count, bias, NNADEV_NATURAL);
}

static uint32_t gemm_tile(const struct nnadev_engine_command *cmd,
			  const struct nnadev_engine_plan *plan, uint32_t phase, uint32_t tile,
			  void *scratch, void *shared)
{
	/* Copies, which stay in registers: for all that the compiler knows a plan changes. */
	const struct gemm g = *(const struct gemm *)nnadev_state(plan);
	const struct nnadev_finish finish = g.finish;
	const struct nnadev_part part = nnadev_tiles_part(&g.tiles, tile, g.rows,
							  nnadev_div_up(g.n, 16));
	const uint32_t chunks = nnadev_div_up(g.quads, CHUNK);
	struct nnadev_block constants;
	struct scratch s;

	scratch_get(&g, g.tiles.rows, scratch, &s);
	fill_a(&g, part.set, part.first_row, part.rows, &s);
	for (uint32_t block = part.first_block; block < part.first_block + part.blocks; block++) {
		int32_t sums[16] = { 0 };

		for (uint32_t chunk = 0; chunk < chunks; chunk++) {
			const uint32_t first = chunk * CHUNK,
				       quads = g.quads - first < CHUNK ? g.quads - first : CHUNK;

			if (g.conv.layout == NNAHW_LAYOUT_PLAIN)
				fill_b_plain(&g, part.set, block, first, quads, s.b, sums);
			else
				fill_b_packed(&g, part.set, block, first, quads, s.b);
			for (uint32_t r = 0; r < part.rows; r += ROWS)
				multiply_rows(s.a + (size_t)r * g.a_stride + first * 8, g.a_stride,
					      s.b, quads, s.acc + r * 16, chunk != 0,
					      part.rows - r < ROWS ? part.rows - r : ROWS);
		}
		get_block(&g, part.set, block, &finish, sums, &constants);
		for (uint32_t r = 0; r < part.rows; r++)
			nnadev_finish_block(&finish, &constants, NNADEV_NATURAL,
					    NNADEV_LOAD(s.acc + r * 16),
					    NNADEV_LOAD(s.acc + r * 16 + 8), s.at[r] + block * 16,
					    s.rat[r] + block * 16);
	}
	return NNAHW_STATUS_OK;
}

/* What a tile costs at most: its rows are put together, and each block is unpacked and finished. */
static uint64_t tile_cost(const void *decoded, uint64_t rows, uint64_t blocks)
{
	const struct gemm *g = decoded;
	const uint64_t window = g->matmul ? 1 : g->conv.window.kernel_h * g->conv.window.kernel_w;
	const uint64_t row = g->k / 16 + 8 * window + 40,
		       weights = g->conv.layout == NNAHW_LAYOUT_PLAIN ? 160ull * g->k : g->quads,
		       finish = 220, groups = (rows + ROWS - 1) / ROWS;

	return rows * row + blocks * (weights + groups * g->quads + rows * finish + 1000);
}

/* The types are 8-bit ones, and channels contiguous. */
static uint32_t gemm_accepts(const struct nnadev_engine_command *cmd,
			     struct nnadev_engine_plan *plan)
{
	struct gemm g;

	if (!nnadev_type_is_quant8(cmd->operands[1].desc.type))
		return nnadev_accept(false);
	gemm_get(cmd, &g);
	return nnadev_accept(g.k && nnadev_tiles_fit(&g.conv, tile_cost, &g));
}

static void gemm_plan(const struct nnadev_engine_command *cmd, uint32_t threads,
		      struct nnadev_engine_plan *plan)
{
	struct gemm *g = nnadev_state_new(plan);
	struct nnadev_product product;
	struct scratch s;

	gemm_get(cmd, g);
	nnadev_finish_get(&g->finish, g->conv.epilogue, g->conv.output, g->conv.residual);
	product = (struct nnadev_product){
		.sets = g->sets,
		.rows = g->rows,
		.k = g->k,
		.n = g->n,
		.together = ROWS,
		.cached = A_BYTES / g->a_stride,
		.wanted = TILE_PRODUCTS,
	};
	nnadev_tiles_cut_product(&g->tiles, &product, threads, tile_cost, g);
	nnadev_tiles_plan(&g->tiles, g->sets, scratch_get(g, g->tiles.rows, NULL, &s), plan);
}

NNADEV_STATE_FITS(struct gemm);
NNADEV_KERNEL(avx2_conv8) = { NNAHW_OP_CONV, NNADEV_ENGINE_AVX2, gemm_accepts, gemm_plan,
			      gemm_tile };
NNADEV_KERNEL(avx2_matmul8) = { NNAHW_OP_MATMUL, NNADEV_ENGINE_AVX2, gemm_accepts, gemm_plan,
				gemm_tile };
