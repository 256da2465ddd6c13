/* SPDX-License-Identifier: MIT */
/*
 * CONV and MATMUL on 8-bit types as matrix products: what their vector kernels have in common,
 * which is where rows of input come from and where rows of output go. For files that are compiled
 * for AVX2 or more.
 */
#ifndef NNADEV_AVX2_GEMM8_H
#define NNADEV_AVX2_GEMM8_H

#include "device/engine/conv.h"
#include "device/engine/x86/avx2_epilogue.h"
#include "device/engine/x86/channels.h"
#include "device/engine/x86/tiles.h"

/**
 * struct nnadev_gemm8 - a command as a matrix product
 * @conv: CONV: the command; its operands stand for those of MATMUL, too
 * @matmul: MATMUL
 * @sets: independent products: groups of a convolution, batches of a matrix product
 * @rows, @k, @n: dims of one
 * @quads: of k
 * @a_stride: bytes of a row as the kernel puts it together
 * @a_signed: input is S8
 * @finish: constants of the epilogue
 * @tiles: the cut
 */
struct nnadev_gemm8 {
	struct nnadev_conv conv;
	bool matmul;
	uint32_t sets, rows, k, n, quads, a_stride;
	bool a_signed;
	struct nnadev_finish finish;
	struct nnadev_tiles tiles;
};

/**
 * struct nnadev_gemm8_rows - rows of a tile, in its scratch memory
 * @a: of input, as the kernel puts them together
 * @row: one as bytes, of @k rounded up to 32
 * @begin: what its sums begin with, where the kernel needs that: put() writes it
 * @at, @rat: elements of output and residual for the first channel of each
 */
struct nnadev_gemm8_rows {
	uint8_t *a, *row;
	int32_t *begin;
	int64_t *at, *rat;
};

/* Reads a command of which the types are known; @a_stride is the kernel's. */
static inline void nnadev_gemm8_get(const struct nnadev_engine_command *cmd,
				    struct nnadev_gemm8 *g)
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
	g->a_signed = g->conv.input->desc.type == NNAHW_TYPE_S8;
}

/*
 * Reads the epilogue's constants and cuts the command; the kernel has said in @product which tiles
 * it likes, and the product's dims are filled in.
 */
static inline void nnadev_gemm8_cut(struct nnadev_gemm8 *g, struct nnadev_product *product,
				    uint32_t threads, nnadev_tiles_cost_fn cost)
{
	nnadev_finish_get(&g->finish, g->conv.epilogue, g->conv.output, g->conv.residual);
	product->sets = g->sets;
	product->rows = g->rows;
	product->k = g->k;
	product->n = g->n;
	nnadev_tiles_cut_product(&g->tiles, product, threads, cost, g);
}

/* Takes scratch memory for so many rows. */
static inline void nnadev_gemm8_take(const struct nnadev_gemm8 *g, uint32_t rows,
				     struct nnadev_layout *l, struct nnadev_gemm8_rows *s)
{
	s->a = nnadev_layout_take(l, (uint64_t)rows * g->a_stride);
	s->row = nnadev_layout_take(l, g->k + 31ull);
	s->begin = nnadev_layout_take(l, rows * sizeof(*s->begin));
	s->at = nnadev_layout_take(l, rows * sizeof(*s->at));
	s->rat = nnadev_layout_take(l, rows * sizeof(*s->rat));
}

/* One row of a convolution as bytes: the input under the window, its zero point outside. */
static inline const uint8_t *nnadev_gemm8_row(const struct nnadev_conv *g, uint32_t group,
					      uint32_t b, uint32_t y, uint32_t x, uint8_t *row)
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

/**
 * typedef nnadev_gemm8_put_fn - puts a row together
 * @g: the product
 * @s: where to
 * @i: number of the row
 * @from: its bytes
 */
typedef void nnadev_gemm8_put_fn(const struct nnadev_gemm8 *g, const struct nnadev_gemm8_rows *s,
				 uint32_t i, const uint8_t *from);

/* Puts together rows [first, first + rows) of a set, and notes where they are stored. */
static inline __attribute__((always_inline)) void
nnadev_gemm8_fill(const struct nnadev_gemm8 *g, uint32_t set, uint32_t first, uint32_t rows,
		  const struct nnadev_gemm8_rows *s, nnadev_gemm8_put_fn *put)
{
	const struct nnahw_tensor *out = &g->conv.output->desc, *res = &g->conv.residual->desc;
	const bool residual = nnadev_present(g->conv.residual);
	uint32_t index[4];

	if (g->matmul) {
		for (uint32_t i = 0; i < rows; i++) {
			index[0] = set, index[1] = first + i, index[2] = 0;
			s->at[i] = nnadev_offset(out, index);
			s->rat[i] = residual ? nnadev_offset(res, index) : 0;
			put(g, s, i,
			    (const uint8_t *)g->conv.input->data +
				    nnadev_offset(&g->conv.input->desc, index));
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
		put(g, s, i,
		    nnadev_gemm8_row(&g->conv, set, index[0], index[1], index[2], s->row));
	}
}

/* The constants of a block of 16 channels, see nnadev_channels_get(). Return: channels in use. */
static inline uint32_t nnadev_gemm8_channels(const struct nnadev_gemm8 *g, uint32_t set,
					     uint32_t block, const int32_t *sums,
					     struct nnahw_channel *channels, int32_t *bias)
{
	const uint32_t first = block * 16, count = g->n - first < 16 ? g->n - first : 16;

	nnadev_channels_get(&g->conv, (g->matmul ? 0 : set * g->n) + first, count, sums, channels,
			    bias);
	return count;
}

#endif
