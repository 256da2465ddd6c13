/* SPDX-License-Identifier: MIT */
/*
 * DWCONV on floats with AVX2 and FMA, or with AVX-512, whatever the file that includes this is
 * compiled for; it gives the functions their place in the table.
 *
 * A tile is a range of output rows by a range of blocks of 16 channels. For a block, the input
 * under the tile's windows goes to scratch as fp32, with zeros as padding: [rows][columns][16].
 */
#ifndef NNADEV_AVX2_DWCONVF_H
#define NNADEV_AVX2_DWCONVF_H

#include "device/engine/conv.h"
#include "device/engine/x86/avx2_epilogue.h"
#include "device/engine/x86/avx2_floats.h"
#include "device/engine/x86/tiles.h"

#define IMAGE_BYTES (64u << 10)
#define TILE_PRODUCTS (1u << 20)
/* Outputs of a row that are computed together. */
#ifdef __AVX512F__
#define POSITIONS 8u
#else
#define POSITIONS 4u
#endif

struct dwconv {
	struct nnadev_conv conv;
	uint32_t columns; /* of the image in scratch */
	struct nnadev_tiles tiles;
};

struct scratch {
	float *image;
	float *weights; /* [k][16] */
	float *acc; /* [POSITIONS][16] */
};

static void dwconv_get(const struct nnadev_engine_command *cmd, struct dwconv *g)
{
	const struct nnadev_window *w = &g->conv.window;

	nnadev_conv_get(cmd, &g->conv);
	g->columns = (g->conv.out_w - 1) * w->stride_w + (w->kernel_w - 1) * w->dilation_w + 1;
}

static uint32_t image_rows(const struct dwconv *g, uint32_t rows)
{
	return (rows - 1) * g->conv.window.stride_h +
	       (g->conv.window.kernel_h - 1) * g->conv.window.dilation_h + 1;
}

/* Bytes of the image; UINT64_MAX when that is more than scratch memory may have. */
static uint64_t image_bytes(const struct dwconv *g, uint32_t rows)
{
	const uint64_t positions = (uint64_t)image_rows(g, rows) * g->columns; /* of 31 bits each */

	return positions > NNADEV_ENGINE_MAX_SCRATCH / 64 ? UINT64_MAX : positions * 64;
}

static uint64_t scratch_get(const struct dwconv *g, uint32_t rows, uint8_t *base, struct scratch *s)
{
	const uint64_t bytes = image_bytes(g, rows);
	struct nnadev_layout l = { .base = base };

	if (bytes == UINT64_MAX)
		return bytes;
	s->image = nnadev_layout_take(&l, bytes);
	s->weights = nnadev_layout_take(&l, (uint64_t)g->conv.k * 64);
	s->acc = nnadev_layout_take(&l, POSITIONS * 64);
	return l.size;
}

/* Builds a row of the image. */
static void image_row(const struct dwconv *g, uint32_t batch, int64_t row, uint32_t first,
		      uint32_t count, float *to)
{
	const struct nnadev_window *w = &g->conv.window;
	const int32_t *s = g->conv.input->desc.strides;
	const int64_t from = (int64_t)batch * s[0] + row * s[1];

	if (row < 0 || row >= w->height) {
		memset(to, 0, (size_t)g->columns * 64);
		return;
	}
	for (uint32_t i = 0; i < g->columns; i++, to += 16) {
		const int64_t column = (int64_t)i - w->pad_left;

		memset(to, 0, 64);
		if (column < 0 || column >= w->width)
			continue;
		if (g->conv.group_out == 1)
			nnadev_load_floats(to, g->conv.input, from + column * s[2] + first, count);
		else
			for (uint32_t k = 0; k < count; k++)
				to[k] = nnadev_load_float(g->conv.input,
							  from + column * s[2] +
								  (first + k) / g->conv.group_out);
	}
}

/* A block's weights as [k][16]. */
static const float *get_weights(const struct dwconv *g, uint32_t first, uint32_t count, float *to)
{
	const struct nnadev_window *w = &g->conv.window;
	const struct nnadev_engine_operand *o = g->conv.weights;
	const int64_t at = (int64_t)first * g->conv.k;
	float *next = to;

	if (g->conv.layout != NNAHW_LAYOUT_PLAIN && o->desc.type == NNAHW_TYPE_F32)
		return (const float *)o->data + at;
	if (g->conv.layout != NNAHW_LAYOUT_PLAIN) {
		nnadev_load_floats(to, o, at, g->conv.k * 16);
		return to;
	}
	memset(to, 0, (size_t)g->conv.k * 64);
	for (uint32_t ky = 0; ky < w->kernel_h; ky++)
		for (uint32_t kx = 0; kx < w->kernel_w; kx++, next += 16)
			for (uint32_t i = 0; i < count; i++)
				next[i] = nnadev_load_float(
					o, nnadev_conv_weight(&g->conv, first + i, ky, kx, 0));
	return to;
}

/* Sums of `positions` outputs next to each other, whose windows begin at `from`. */
static inline __attribute__((always_inline)) void sum(const struct dwconv *g, const float *from,
						      const float *weights, float *acc,
						      const uint32_t positions)
{
	const struct nnadev_window *w = &g->conv.window;
	const size_t next = (size_t)w->stride_w * 16;
	nnadev_floats c[POSITIONS];

#pragma GCC unroll 8
	for (uint32_t i = 0; i < positions; i++)
		c[i] = nnadev_floats_zero();
	for (uint32_t ky = 0; ky < w->kernel_h; ky++) {
		const float *p = from + (size_t)ky * w->dilation_h * g->columns * 16;

		for (uint32_t kx = 0; kx < w->kernel_w;
		     kx++, p += w->dilation_w * 16, weights += 16) {
			const nnadev_floats v = nnadev_floats_load(weights);

#pragma GCC unroll 8
			for (uint32_t i = 0; i < positions; i++)
				c[i] = nnadev_floats_fma(v, nnadev_floats_load(p + i * next), c[i]);
		}
	}
#pragma GCC unroll 8
	for (uint32_t i = 0; i < positions; i++)
		nnadev_floats_store(acc + i * 16, c[i]);
}

static uint32_t dwconv_tile(const struct nnadev_engine_command *cmd,
			    const struct nnadev_engine_plan *plan, uint32_t phase, uint32_t tile,
			    void *scratch, void *shared)
{
	/* Copies, which stay in registers: for all that the compiler knows a plan changes. */
	const struct dwconv g = *(const struct dwconv *)nnadev_state(plan);
	const struct nnadev_window *w = &g.conv.window;
	const struct nnadev_part part = nnadev_tiles_part(&g.tiles, tile, g.conv.out_h,
							  nnadev_div_up(g.conv.out_c, 16));
	const struct nnadev_engine_operand *bias = g.conv.bias;
	const int32_t *out = g.conv.output->desc.strides, *res = g.conv.residual->desc.strides;
	const size_t stride = (size_t)g.columns * 16;
	struct scratch s = { 0 };

	scratch_get(&g, g.tiles.rows, scratch, &s);
	for (uint32_t block = part.first_block; block < part.first_block + part.blocks; block++) {
		const uint32_t first = block * 16,
			       count = g.conv.out_c - first < 16 ? g.conv.out_c - first : 16;
		const float *weights = get_weights(&g, first, count, s.weights);
		const uint32_t needed = image_rows(&g, part.rows);
		float added[16] = { 0 };

		for (uint32_t i = 0; i < count && nnadev_present(bias); i++)
			added[i] = nnadev_load_float(bias,
						     (int64_t)(first + i) * bias->desc.strides[0]);
		for (uint32_t i = 0; i < needed; i++)
			image_row(&g, part.set, nnadev_window_row(w, part.first_row, 0) + i, first,
				  count, s.image + i * stride);
		for (uint32_t y = 0; y < part.rows; y++) {
			const float *from = s.image + (size_t)y * w->stride_h * stride;
			int64_t at = (int64_t)part.set * out[0] +
				     (int64_t)(part.first_row + y) * out[1] + first;
			int64_t rat = (int64_t)part.set * res[0] +
				      (int64_t)(part.first_row + y) * res[1] + first;
			uint32_t n;

			for (uint32_t x = 0; x < g.conv.out_w;
			     x += n, from += (size_t)n * w->stride_w * 16) {
				n = g.conv.out_w - x < POSITIONS ? 1 : POSITIONS;
				if (n == 1)
					sum(&g, from, weights, s.acc, 1);
				else
					sum(&g, from, weights, s.acc, POSITIONS);
				for (uint32_t i = 0; i < n; i++, at += out[2], rat += res[2])
					nnadev_finish_floats(g.conv.epilogue, g.conv.output,
							     g.conv.residual, s.acc + i * 16, added,
							     count, at, rat);
			}
		}
	}
	return NNAHW_STATUS_OK;
}

/* What a tile costs at most. */
static uint64_t tile_cost(const void *decoded, uint64_t rows, uint64_t blocks)
{
	const struct dwconv *g = decoded;
	const uint64_t positions = image_bytes(g, (uint32_t)rows) / 64,
		       position = g->conv.group_out == 1 ? 40 : 160, finish = 200;

	/* More rows than the caches hold are not worth it. */
	if (positions > NNADEV_TILES_MOST_COST ||
	    (rows > 1 && image_bytes(g, (uint32_t)rows) > IMAGE_BYTES))
		return UINT64_MAX;
	return blocks * (positions * position + 200ull * g->conv.k +
			 rows * g->conv.out_w * (g->conv.k + finish) + 500);
}

/* Channels are contiguous, and a row's windows fit into scratch memory. */
static uint32_t dwconv_accepts(const struct nnadev_engine_command *cmd,
			       struct nnadev_engine_plan *plan)
{
	struct scratch s;
	struct dwconv g;

	if (nnadev_type_is_quant8(cmd->operands[1].desc.type))
		return nnadev_accept(false);
	dwconv_get(cmd, &g);
	return nnadev_accept(nnadev_tiles_fit(&g.conv, tile_cost, &g) &&
			     scratch_get(&g, 1, NULL, &s) <=
				     NNADEV_ENGINE_MAX_SCRATCH - IMAGE_BYTES);
}

static void dwconv_plan(const struct nnadev_engine_command *cmd, uint32_t threads,
			struct nnadev_engine_plan *plan)
{
	struct dwconv *g = nnadev_state_new(plan);
	struct scratch s;

	dwconv_get(cmd, g);
	nnadev_tiles_cut_depthwise(&g->tiles, &g->conv, TILE_PRODUCTS, 1, threads, tile_cost, g);
	nnadev_tiles_plan(&g->tiles, g->conv.batch, scratch_get(g, g->tiles.rows, NULL, &s), plan);
}

NNADEV_STATE_FITS(struct dwconv);

#endif
