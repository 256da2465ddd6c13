// SPDX-License-Identifier: MIT
/*
 * DWCONV on 8-bit types with AVX-512, where each channel has one output channel and weights are
 * packed.
 *
 * vpdpbusd adds 4 products of bytes to each of 16 sums. For a channel the 4 are the elements that 4
 * rows of the kernel meet in a column: a quad. 64 channels are computed together. For a row of
 * output the quads of all columns go to scratch memory, 256 bytes a column: bytes of 4 input rows
 * are put next to each other by unpacking, which leaves the ith quarter of each 16 channels in
 * vector i (NNADEV_QUARTERED). Weights are unpacked alike.
 *
 * Inputs are unsigned there: signed ones are x ^ 0x80 = x + 128, and 128 times the sum of the
 * weights is taken off the bias. Weights minus their zero point have up to 9 bits. What the sum of
 * two bytes is taken for: the nearest byte, and what that leaves, which is 0 for most weights of
 * most models; only quads of 16 channels where it is not are multiplied once more.
 */
#include "device/engine/x86/avx512_epilogue.h"
#include "device/engine/x86/channels.h"
#include "device/engine/x86/tiles.h"

#define COLUMN 256u /* bytes of a column's quads */
#define TILE_PRODUCTS (4u << 20)

/**
 * struct dwconv - a depthwise convolution and its tiles' geometry
 * @conv: the command
 * @quads: of kernel rows
 * @columns: of input under a row of output
 * @flip: 0x80 for signed inputs, else 0
 * @finish: constants of the epilogue
 * @tiles: the cut
 */
struct dwconv {
	struct nnadev_conv conv;
	uint32_t quads, columns;
	uint8_t flip;
	struct nnadev_finish finish;
	struct nnadev_tiles tiles;
};

/**
 * struct rest - weights that are to be multiplied once more
 * @quad, @kx: which
 * @weights: 16 channels' quads
 */
struct rest {
	_Alignas(64) int8_t weights[64];
	uint32_t quad, kx;
};

/**
 * struct scratch - where a tile's parts of the scratch memory begin
 * @input: [quads][columns][COLUMN]
 * @weights: [quads][kernel_w][COLUMN]
 * @rest: [4][quads * kernel_w]
 * @rests: [4]: of @rest in use, for each quarter
 */
struct scratch {
	uint8_t *input;
	int8_t *weights;
	struct rest *rest;
	uint32_t rests[4];
};

static void dwconv_get(const struct nnadev_engine_command *cmd, struct dwconv *g)
{
	const struct nnadev_window *w = &g->conv.window;

	nnadev_conv_get(cmd, &g->conv);
	g->quads = nnadev_div_up(w->kernel_h, 4);
	g->columns = (g->conv.out_w - 1) * w->stride_w + (w->kernel_w - 1) * w->dilation_w + 1;
	g->flip = g->conv.input->desc.type == NNAHW_TYPE_S8 ? 0x80 : 0;
}

/* Columns of quads, and quads of the kernel: at most 2^32 each. */
static uint64_t scratch_get(const struct dwconv *g, uint8_t *base, struct scratch *s)
{
	const uint64_t columns = (uint64_t)g->quads * g->columns,
		       kernel = (uint64_t)g->quads * g->conv.window.kernel_w;
	struct nnadev_layout l = { .base = base };

	if (columns > NNADEV_ENGINE_MAX_SCRATCH || kernel > NNADEV_ENGINE_MAX_SCRATCH)
		return UINT64_MAX;
	s->input = nnadev_layout_take(&l, columns * COLUMN);
	s->weights = nnadev_layout_take(&l, kernel * COLUMN);
	s->rest = nnadev_layout_take(&l, 4 * kernel * sizeof(*s->rest));
	return l.size;
}

/* Puts bytes of 4 vectors of 64 channels next to each other. */
static inline void interleave(const __m512i *v, __m512i *quads)
{
	const __m512i a = _mm512_unpacklo_epi8(v[0], v[1]), b = _mm512_unpackhi_epi8(v[0], v[1]),
		      c = _mm512_unpacklo_epi8(v[2], v[3]), d = _mm512_unpackhi_epi8(v[2], v[3]);

	quads[0] = _mm512_unpacklo_epi16(a, c);
	quads[1] = _mm512_unpackhi_epi16(a, c);
	quads[2] = _mm512_unpacklo_epi16(b, d);
	quads[3] = _mm512_unpackhi_epi16(b, d);
}

/**
 * struct weights - weights of 64 channels, minus their zero point, as sums of two bytes
 * @near, @rest: for each of 4 kernel rows
 */
struct weights {
	__m512i near[4], rest[4];
};

/* Element k of the kernel for the channels of `blocks` blocks, which are `stride` bytes apart. */
static inline void read_weights(struct weights *w, uint32_t row, const int8_t *from, size_t stride,
				uint32_t blocks, int32_t zero_point)
{
	const __m512i zero = _mm512_set1_epi16((int16_t)zero_point);
	_Alignas(64) int8_t bytes[64] = { 0 };
	__m256i near[2], rest[2];

	for (uint32_t i = 0; i < blocks; i++)
		memcpy(bytes + i * 16, from + i * stride, 16);
	for (uint32_t i = 0; i < 2; i++) {
		const __m512i v = _mm512_sub_epi16(
			_mm512_cvtepi8_epi16(_mm256_load_si256((const __m256i *)bytes + i)), zero);

		near[i] = _mm512_cvtsepi16_epi8(v);
		rest[i] = _mm512_cvtepi16_epi8(_mm512_sub_epi16(v, _mm512_cvtepi8_epi16(near[i])));
	}
	w->near[row] = _mm512_inserti64x4(_mm512_castsi256_si512(near[0]), near[1], 1);
	w->rest[row] = _mm512_inserti64x4(_mm512_castsi256_si512(rest[0]), rest[1], 1);
}

/*
 * Unpacks the weights of some blocks, and takes what signed inputs are too much off the bias.
 * Channels beyond those in use have any weights.
 */
static void fill_weights(const struct dwconv *g, uint32_t block, uint32_t blocks,
			 struct scratch *s, struct nnadev_blocks *constants)
{
	const struct nnadev_window *w = &g->conv.window;
	const struct nnadev_engine_operand *o = g->conv.weights;
	const int8_t *from = (const int8_t *)o->data + (size_t)block * g->conv.k * 16;
	const __m512i flip = _mm512_set1_epi8((int8_t)g->flip);
	const uint32_t most = g->quads * w->kernel_w;
	int8_t *to = s->weights;

	memset(s->rests, 0, sizeof(s->rests));
	for (uint32_t quad = 0; quad < g->quads; quad++)
		for (uint32_t kx = 0; kx < w->kernel_w; kx++, to += COLUMN) {
			__m512i near[4], rest[4];
			struct weights v = { 0 };

			for (uint32_t row = 0; row < 4 && quad * 4 + row < w->kernel_h; row++) {
				const size_t k = (size_t)(quad * 4 + row) * w->kernel_w + kx;

				read_weights(&v, row, from + k * 16, (size_t)g->conv.k * 16, blocks,
					     o->desc.zero_point);
			}
			interleave(v.near, near);
			interleave(v.rest, rest);
			for (uint32_t i = 0; i < 4; i++) {
				__m512i bias = _mm512_load_si512(constants->bias[i]), sum;

				sum = _mm512_dpbusd_epi32(_mm512_setzero_si512(), flip, near[i]);
				sum = _mm512_dpbusd_epi32(sum, flip, rest[i]);
				_mm512_store_si512(constants->bias[i], _mm512_sub_epi32(bias, sum));
				_mm512_store_si512(to + i * 64, near[i]);
				if (_mm512_test_epi32_mask(rest[i], rest[i])) {
					struct rest *r = &s->rest[i * most + s->rests[i]++];

					_mm512_store_si512(r->weights, rest[i]);
					r->quad = quad;
					r->kx = kx;
				}
			}
		}
}

/*
 * Puts together the quads under a row of output that begins at input row `row`, for kernel rows
 * from quad * 4 on. Rows outside the input, and beyond the kernel, are one column of padding over
 * and over.
 */
static void fill_quads(const struct dwconv *g, uint32_t batch, int64_t row, uint32_t quad,
		       uint32_t first, __mmask64 mask, uint8_t *to)
{
	const struct nnadev_window *w = &g->conv.window;
	const struct nnahw_tensor *in = &g->conv.input->desc;
	const uint8_t *data = (const uint8_t *)g->conv.input->data +
			      (int64_t)batch * in->strides[0] + first;
	const int64_t end = (int64_t)w->pad_left + w->width;
	/* Columns of padding, and those up to the end of the input. */
	const uint32_t left = w->pad_left < g->columns ? (uint32_t)w->pad_left : g->columns,
		       right = end < g->columns ? (uint32_t)end : g->columns;
	const __m512i flip = _mm512_set1_epi8((int8_t)g->flip),
		      outside = _mm512_xor_si512(_mm512_set1_epi8((int8_t)in->zero_point), flip);
	const __m512i outsides[4] = { outside, outside, outside, outside };
	_Alignas(64) uint8_t padding[64];
	const uint8_t *from[4];
	int64_t step[4];
	__m512i v[4], quads[4];

	memset(padding, in->zero_point, sizeof(padding));
	for (uint32_t i = 0; i < 4; i++) {
		const int64_t y = row + (int64_t)(quad * 4 + i) * w->dilation_h;
		const bool inside = quad * 4 + i < w->kernel_h && y >= 0 && y < w->height;

		from[i] = inside ? data + y * in->strides[1] : padding;
		step[i] = inside ? in->strides[2] : 0;
	}
	interleave(outsides, quads);
	for (uint32_t x = 0; x < g->columns; x++, to += COLUMN) {
		if (x >= left && x < right) {
			__m512i inside[4];

			for (uint32_t i = 0; i < 4; i++, from[i - 1] += step[i - 1])
				v[i] = _mm512_xor_si512(_mm512_maskz_loadu_epi8(mask, from[i]),
							flip);
			interleave(v, inside);
			for (uint32_t i = 0; i < 4; i++)
				_mm512_store_si512(to + i * 64, inside[i]);
		} else {
			for (uint32_t i = 0; i < 4; i++)
				_mm512_store_si512(to + i * 64, quads[i]);
		}
	}
}

/* The sums of an output at column `x` of the quads: begins with the bias, has all but the rest. */
static inline void sum_any(const struct dwconv *g, const struct scratch *s,
			   const struct nnadev_blocks *constants, size_t x, __m512i *c)
{
	const struct nnadev_window *w = &g->conv.window;
	const int8_t *k = s->weights;

	for (uint32_t i = 0; i < 4; i++)
		c[i] = _mm512_load_si512(constants->bias[i]);
	for (uint32_t quad = 0; quad < g->quads; quad++)
		for (uint32_t kx = 0; kx < w->kernel_w; kx++, k += COLUMN) {
			const uint8_t *p = s->input + ((size_t)quad * g->columns + x +
						       (size_t)kx * w->dilation_w) *
							      COLUMN;

			for (uint32_t i = 0; i < 4; i++)
				c[i] = _mm512_dpbusd_epi32(c[i], _mm512_load_si512(p + i * 64),
							   _mm512_load_si512(k + i * 64));
		}
}

/* Adds what the nearest bytes of weights leave. */
static inline void sum_rest(const struct dwconv *g, const struct scratch *s, size_t x, __m512i *c)
{
	const uint32_t most = g->quads * g->conv.window.kernel_w;

#pragma GCC unroll 4
	for (uint32_t i = 0; i < 4; i++)
		for (uint32_t n = 0; n < s->rests[i]; n++) {
			const struct rest *r = &s->rest[i * most + n];
			const uint8_t *p =
				s->input + ((size_t)r->quad * g->columns + x +
					    (size_t)r->kx * g->conv.window.dilation_w) *
						   COLUMN;

			c[i] = _mm512_dpbusd_epi32(c[i], _mm512_load_si512(p + i * 64),
						   _mm512_load_si512(r->weights));
		}
}

/* A row of output, of which the quads are there. */
static void run_row(const struct dwconv *g, const struct scratch *s,
		    const struct nnadev_blocks *constants, int64_t at, int64_t rat)
{
	const int32_t *out = g->conv.output->desc.strides, *res = g->conv.residual->desc.strides;
	size_t column = 0;

	for (uint32_t x = 0; x < g->conv.out_w; x++, at += out[2], rat += res[2]) {
		__m512i c[4];

		sum_any(g, s, constants, column, c);
		sum_rest(g, s, column, c);
		nnadev_blocks_finish(&g->finish, constants, NNADEV_QUARTERED, 4, c, at, rat);
		column += g->conv.window.stride_w;
	}
}

/* The same for a kernel of 3 columns in one quad: the weights stay in registers. */
static void run_row_3(const struct dwconv *g, const struct scratch *s,
		      const struct nnadev_blocks *constants, int64_t at, int64_t rat)
{
	const int32_t *out = g->conv.output->desc.strides, *res = g->conv.residual->desc.strides;
	const size_t kx_step = g->conv.window.dilation_w * COLUMN;
	const bool rest = s->rests[0] || s->rests[1] || s->rests[2] || s->rests[3];
	__m512i k[3][4];
	size_t column = 0;

#pragma GCC unroll 3
	for (uint32_t kx = 0; kx < 3; kx++)
#pragma GCC unroll 4
		for (uint32_t i = 0; i < 4; i++)
			k[kx][i] = _mm512_load_si512(s->weights + kx * COLUMN + i * 64);
	for (uint32_t x = 0; x < g->conv.out_w; x++, at += out[2], rat += res[2]) {
		const uint8_t *p = s->input + column * COLUMN;
		__m512i c[4];

#pragma GCC unroll 4
		for (uint32_t i = 0; i < 4; i++)
			c[i] = _mm512_load_si512(constants->bias[i]);
#pragma GCC unroll 3
		for (uint32_t kx = 0; kx < 3; kx++)
#pragma GCC unroll 4
			for (uint32_t i = 0; i < 4; i++)
				c[i] = _mm512_dpbusd_epi32(
					c[i], _mm512_load_si512(p + kx * kx_step + i * 64),
					k[kx][i]);
		if (rest)
			sum_rest(g, s, column, c);
		nnadev_blocks_finish(&g->finish, constants, NNADEV_QUARTERED, 4, c, at, rat);
		column += g->conv.window.stride_w;
	}
}

/* Reads the constants of some blocks. */
static void get_blocks(const struct dwconv *g, uint32_t block, uint32_t blocks,
		       struct nnadev_blocks *constants)
{
	nnadev_blocks_start(constants, &g->finish, NNADEV_QUARTERED);
	for (uint32_t i = block; i < block + blocks; i++) {
		const uint32_t left = g->conv.out_c - i * 16, count = left < 16 ? left : 16;
		struct nnahw_channel channels[16];
		int32_t bias[16];

		nnadev_channels_get(&g->conv, i * 16, count, NULL, channels, bias);
		nnadev_blocks_add(constants, &g->finish, channels, count, bias);
	}
}

static uint32_t dwconv_tile(const struct nnadev_engine_command *cmd,
			    const struct nnadev_engine_plan *plan, uint32_t phase, uint32_t tile,
			    void *scratch, void *shared)
{
	/* A copy, which stays in registers: for all that the compiler knows a plan changes. */
	const struct dwconv g = *(const struct dwconv *)nnadev_state(plan);
	const struct nnadev_window *w = &g.conv.window;
	const struct nnadev_part part = nnadev_tiles_part(&g.tiles, tile, g.conv.out_h,
							  nnadev_div_up(g.conv.out_c, 16));
	const int32_t *out = g.conv.output->desc.strides, *res = g.conv.residual->desc.strides;
	const uint32_t end = part.first_block + part.blocks;
	struct nnadev_blocks constants;
	struct scratch s = { 0 };

	scratch_get(&g, scratch, &s);
	for (uint32_t block = part.first_block; block < end; block += constants.blocks) {
		get_blocks(&g, block, end - block < 4 ? end - block : 4, &constants);
		fill_weights(&g, block, constants.blocks, &s, &constants);
		for (uint32_t y = part.first_row; y < part.first_row + part.rows; y++) {
			const int64_t at = (int64_t)part.set * out[0] + (int64_t)y * out[1] +
					   block * 16,
				      rat = (int64_t)part.set * res[0] + (int64_t)y * res[1] +
					    block * 16;

			for (uint32_t quad = 0; quad < g.quads; quad++)
				fill_quads(&g, part.set, nnadev_window_row(w, y, 0), quad,
					   block * 16, constants.mask,
					   s.input + (size_t)quad * g.columns * COLUMN);
			if (g.quads == 1 && w->kernel_w == 3)
				run_row_3(&g, &s, &constants, at, rat);
			else
				run_row(&g, &s, &constants, at, rat);
		}
	}
	return NNAHW_STATUS_OK;
}

/* What a tile costs at most. */
static uint64_t tile_cost(const void *decoded, uint64_t rows, uint64_t blocks)
{
	const struct dwconv *g = decoded;
	const uint64_t columns = (uint64_t)g->quads * g->columns,
		       window = (uint64_t)g->quads * g->conv.window.kernel_w;

	/* So that the products below stay in 64 bits. */
	if (columns > NNADEV_TILES_MOST_COST || window > NNADEV_TILES_MOST_COST)
		return UINT64_MAX;
	return (blocks + 3) / 4 *
	       (rows * (columns * 12 + g->conv.out_w * (window * 10 + 4 * 220)) + window * 60 +
		4000);
}

/* The types are 8-bit ones, and channels contiguous; the rest of weights fits into a byte. */
static uint32_t dwconv_accepts(const struct nnadev_engine_command *cmd,
			       struct nnadev_engine_plan *plan)
{
	struct scratch s;
	struct dwconv g;

	if (!nnadev_type_is_quant8(cmd->operands[1].desc.type))
		return nnadev_accept(false);
	dwconv_get(cmd, &g);
	return nnadev_accept(g.conv.layout == NNAHW_LAYOUT_PACKED8 && g.conv.group_out == 1 &&
			     g.conv.weights->desc.zero_point > INT8_MIN &&
			     nnadev_tiles_fit(&g.conv, tile_cost, &g) &&
			     scratch_get(&g, NULL, &s) <= NNADEV_ENGINE_MAX_SCRATCH);
}

static void dwconv_plan(const struct nnadev_engine_command *cmd, uint32_t threads,
			struct nnadev_engine_plan *plan)
{
	struct dwconv *g = nnadev_state_new(plan);
	struct scratch s;

	dwconv_get(cmd, g);
	nnadev_finish_get(&g->finish, g->conv.epilogue, g->conv.output, g->conv.residual);
	nnadev_tiles_cut_depthwise(&g->tiles, &g->conv, TILE_PRODUCTS, 4, threads, tile_cost, g);
	nnadev_tiles_plan(&g->tiles, g->conv.batch, scratch_get(g, NULL, &s), plan);
}

NNADEV_STATE_FITS(struct dwconv);
NNADEV_KERNEL(avx512_dwconv8) = { NNAHW_OP_DWCONV, NNADEV_ENGINE_AVX512, dwconv_accepts,
				  dwconv_plan, dwconv_tile };
