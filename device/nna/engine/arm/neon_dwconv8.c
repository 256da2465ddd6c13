// SPDX-License-Identifier: MIT
/*
 * DWCONV on 8-bit types with NEON, for one output channel per input channel.
 *
 * A tile is a range of output rows by a range of blocks of 16 channels. The weights of a block are
 * widened to 16 bits in scratch memory, minus their zero point. The input is widened when it is
 * read. A sum of 32 bits starts with the bias and adds products in the order of the window. Padding
 * is the input's zero point.
 */
#include "device/nna/engine/arm/neon_epilogue.h"
#include "device/nna/engine/vector/channels.h"
#include "device/nna/engine/vector/tiles.h"

#define TILE_PRODUCTS (1u << 20)

/**
 * struct dwconv - a depthwise convolution and its tiles' geometry
 * @conv: the command
 * @finish: constants of the epilogue
 * @tiles: the cut
 */
struct dwconv {
	struct nnadev_conv conv;
	struct nnadev_finish finish;
	struct nnadev_tiles tiles;
};

/**
 * struct block - 16 channels, or the last ones
 * @constants: of the epilogue
 * @weights: [k][16]
 * @bias: initial values of the sums
 * @first: the first channel
 * @count: number of channels
 */
struct block {
	struct nnadev_neon_block constants;
	int16_t *weights;
	int32_t bias[16];
	uint32_t first, count;
};

static uint64_t scratch_get(const struct dwconv *g, uint8_t *base, int16_t **weights)
{
	struct nnadev_layout l = { .base = base };

	*weights = nnadev_layout_take(&l, (uint64_t)g->conv.k * 32);
	return l.size;
}

/* Widens the weights of a block, in any layout. Adds each channel's weights to @sums. */
static void get_weights(const struct dwconv *g, struct block *b, int32_t *sums)
{
	const struct nnadev_window *w = &g->conv.window;
	int16_t *to = b->weights;

	memset(to, 0, (size_t)g->conv.k * 32);
	for (uint32_t ky = 0; ky < w->kernel_h; ky++)
		for (uint32_t kx = 0; kx < w->kernel_w; kx++, to += 16)
			for (uint32_t i = 0; i < b->count; i++) {
				const int64_t at = nnadev_conv_weight(&g->conv, b->first + i, ky,
								      kx, 0);

				to[i] = (int16_t)nnadev_load_centred(g->conv.weights, at);
				sums[i] += to[i];
			}
}

/* Loads the channels of an input position. */
static inline uint8x16_t load_position(const struct block *b, const uint8_t *from)
{
	uint8_t part[16] = { 0 };

	if (b->count == 16)
		return vld1q_u8(from);
	memcpy(part, from, b->count);
	return vld1q_u8(part);
}

/* c += x * w for 16 channels. */
static inline void multiply_add(int32x4_t *c, int16x8_t low, int16x8_t high, const int16_t *w)
{
	const int16x8_t w0 = vld1q_s16(w), w1 = vld1q_s16(w + 8);

	c[0] = vmlal_s16(c[0], vget_low_s16(low), vget_low_s16(w0));
	c[1] = vmlal_high_s16(c[1], low, w0);
	c[2] = vmlal_s16(c[2], vget_low_s16(high), vget_low_s16(w1));
	c[3] = vmlal_high_s16(c[3], high, w1);
}

/* Computes the sums of an output. @data is the image; the window begins at row @y and column @x. */
static inline __attribute__((always_inline)) void
sum_window(const struct dwconv *g, const struct block *b, const uint8_t *data, int64_t y, int64_t x,
	   const bool is_signed, int32x4_t *c)
{
	const struct nnadev_window *w = &g->conv.window;
	const int32_t *s = g->conv.input->desc.strides;
	const int16x8_t zero = vdupq_n_s16((int16_t)g->conv.input->desc.zero_point);
	const int16_t *weights = b->weights;

	for (uint32_t ky = 0; ky < w->kernel_h; ky++, y += w->dilation_h) {
		const bool inside = y >= 0 && y < w->height;
		int64_t column = x;

		for (uint32_t kx = 0; kx < w->kernel_w;
		     kx++, column += w->dilation_w, weights += 16) {
			int16x8_t low = zero, high = zero;

			if (inside && column >= 0 && column < w->width) {
				const uint8x16_t v =
					load_position(b, data + y * s[1] + column * s[2]);

				if (is_signed) {
					low = vmovl_s8(vget_low_s8(vreinterpretq_s8_u8(v)));
					high = vmovl_high_s8(vreinterpretq_s8_u8(v));
				} else {
					low = vreinterpretq_s16_u16(vmovl_u8(vget_low_u8(v)));
					high = vreinterpretq_s16_u16(vmovl_high_u8(v));
				}
			}
			multiply_add(c, low, high, weights);
		}
	}
}

/* Computes a row of output for a block. @at and @rat are the elements of its first position. */
static inline __attribute__((always_inline)) void
run_row(const struct dwconv *g, const struct block *b, const uint8_t *data, uint32_t row,
	int64_t at, int64_t rat, const bool is_signed)
{
	const struct nnadev_window *w = &g->conv.window;
	const int64_t y = nnadev_window_row(w, row, 0);
	int64_t x = nnadev_window_column(w, 0, 0);

	for (uint32_t i = 0; i < g->conv.out_w; i++, x += w->stride_w) {
		int32x4_t c[4];

		for (uint32_t k = 0; k < 4; k++)
			c[k] = vld1q_s32(b->bias + k * 4);
		sum_window(g, b, data, y, x, is_signed, c);
		nnadev_neon_finish(&g->finish, &b->constants, c, at, rat);
		at += g->conv.output->desc.strides[2];
		rat += g->finish.has_residual ? g->conv.residual->desc.strides[2] : 0;
	}
}

static uint32_t dwconv_tile(const struct nnadev_engine_command *cmd,
			    const struct nnadev_engine_plan *plan, uint32_t phase, uint32_t tile,
			    void *scratch, void *shared)
{
	/* Local copy: stores may alias *plan for all that the compiler knows. */
	const struct dwconv g = *(const struct dwconv *)nnadev_state(plan);
	const struct nnadev_area area = nnadev_tiles_area(&g.tiles, tile, g.conv.out_h,
							  nnadev_div_up(g.conv.out_c, 16));
	const int32_t *in = g.conv.input->desc.strides, *out = g.conv.output->desc.strides,
		      *res = g.conv.residual->desc.strides;
	struct block b;

	scratch_get(&g, scratch, &b.weights);
	for (uint32_t block = area.first_block; block < area.first_block + area.blocks; block++) {
		const uint32_t end = area.first_row + area.rows;
		struct nnahw_channel channels[16];
		int32_t sums[16] = { 0 };
		const uint8_t *data;

		b.first = block * 16;
		b.count = g.conv.out_c - b.first < 16 ? g.conv.out_c - b.first : 16;
		memset(b.bias, 0, sizeof(b.bias));
		get_weights(&g, &b, sums);
		nnadev_channels_get(&g.conv, b.first, b.count, sums, channels, b.bias);
		nnadev_neon_block_get(&b.constants, &g.finish, channels, b.count);
		data = (const uint8_t *)g.conv.input->data + (int64_t)area.set * in[0] + b.first;
		for (uint32_t y = area.first_row; y < end; y++) {
			const int64_t at = (int64_t)area.set * out[0] + (int64_t)y * out[1] +
					   b.first;
			const int64_t rat = g.finish.has_residual ?
						    (int64_t)area.set * res[0] +
							    (int64_t)y * res[1] + b.first :
						    0;

			if (g.conv.input->desc.type == NNAHW_TYPE_S8)
				run_row(&g, &b, data, y, at, rat, true);
			else
				run_row(&g, &b, data, y, at, rat, false);
		}
	}
	return NNAHW_STATUS_OK;
}

/* The most that a tile costs. */
static uint64_t tile_cost(const void *decoded, uint64_t rows, uint64_t blocks)
{
	const struct dwconv *g = decoded;
	const uint64_t finish = 220;

	/* Keeps the products below within 64 bits. */
	if (rows > UINT32_MAX || blocks > UINT32_MAX || g->conv.k > NNADEV_TILES_MOST_COST)
		return UINT64_MAX;
	if (rows * g->conv.out_w > NNADEV_TILES_MOST_COST)
		return UINT64_MAX;
	return blocks * (160ull * g->conv.k +
			 rows * g->conv.out_w * (4ull * g->conv.k + finish) + 1000);
}

/* Accepts 8-bit types with contiguous channels. */
static uint32_t dwconv_accepts(const struct nnadev_engine_command *cmd,
			       struct nnadev_engine_plan *plan)
{
	struct dwconv g;

	if (!nnadev_type_is_quant8(cmd->operands[1].desc.type))
		return nnadev_accept(false);
	nnadev_conv_get(cmd, &g.conv);
	return nnadev_accept(g.conv.group_out == 1 && nnadev_tiles_fit(&g.conv, tile_cost, &g));
}

static void dwconv_plan(const struct nnadev_engine_command *cmd, uint32_t threads,
			struct nnadev_engine_plan *plan)
{
	struct dwconv *g = nnadev_state_new(plan);
	int16_t *weights;

	nnadev_conv_get(cmd, &g->conv);
	nnadev_finish_get(&g->finish, g->conv.epilogue, g->conv.output, g->conv.residual);
	nnadev_tiles_cut_depthwise(&g->tiles, &g->conv, TILE_PRODUCTS, 1, NNADEV_TILES_COLUMNS,
				   threads, tile_cost, g);
	nnadev_tiles_plan(&g->tiles, g->conv.batch, scratch_get(g, NULL, &weights), plan);
}

NNADEV_STATE_FITS(struct dwconv);
NNADEV_KERNEL(neon_dwconv8) = { NNAHW_OP_DWCONV, NNADEV_ENGINE_NEON, dwconv_accepts, dwconv_plan,
				dwconv_tile };
