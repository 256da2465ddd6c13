/* SPDX-License-Identifier: MIT */
/*
 * CONV and MATMUL on floats with AVX2 and FMA, or with AVX-512, whatever the file that includes
 * this is compiled for; it gives the functions their place in the table.
 *
 * A tile is a range of rows (output positions) by a range of blocks of 16 output channels, computed
 * up to ROWS rows by BLOCKS blocks at a time in registers, from which they are stored. A row is used where it lies if it is a run of fp32, else it is
 * put together in scratch; so are weights that are not packed fp32. K is worked through in chunks
 * that keep the weights in the caches. A sum is added up in the order of k, in any instruction set.
 */
#ifndef NNADEV_AVX2_GEMMF_H
#define NNADEV_AVX2_GEMMF_H

#include "device/engine/conv.h"
#include "device/engine/x86/avx2_epilogue.h"
#include "device/engine/x86/avx2_floats.h"
#include "device/engine/x86/tiles.h"

/* Of a register tile: as many accumulators as there are registers for. */
#ifdef __AVX512F__
#define ROWS 12u
#define BLOCKS 2u
#else
#define ROWS 6u
#define BLOCKS 1u
#endif
#define CHUNK 512u /* of K: 32 KiB of a block's weights */
#define A_BYTES (384u << 10) /* of rows in a tile, so that weights are read for many */
#define TILE_PRODUCTS (3u << 20)

/**
 * struct gemm - a command as a matrix product
 * @conv: CONV: the command; its operands stand for those of MATMUL, too
 * @matmul: MATMUL
 * @copied: rows are put together in scratch
 * @converted: so are the weights
 * @sets: independent products: groups of a convolution, batches of a matrix product
 * @rows, @k, @n: dims of one
 * @tiles: the cut
 */
struct gemm {
	struct nnadev_conv conv;
	bool matmul, copied, converted;
	uint32_t sets, rows, k, n;
	struct nnadev_tiles tiles;
};

struct scratch {
	float *a; /* [rows][k] when copied, and 15 more */
	float *b; /* [BLOCKS][chunk][16] when converted */
	float *acc; /* [rows][BLOCKS][16], between chunks */
	const float **row; /* [rows] */
	int64_t *at, *rat; /* [rows] */
};

static void gemm_get(const struct nnadev_engine_command *cmd, struct gemm *g)
{
	const struct nnahw_tensor *in;

	if (cmd->raw->opcode == NNAHW_OP_MATMUL) {
		const struct nnahw_cmd_matmul *p = (const struct nnahw_cmd_matmul *)cmd->raw;

		memset(g, 0, sizeof(*g));
		g->matmul = true;
		g->conv.output = &cmd->operands[NNAHW_MATMUL_OUTPUT];
		g->conv.input = &cmd->operands[NNAHW_MATMUL_A];
		g->conv.weights = &cmd->operands[NNAHW_MATMUL_B];
		g->conv.bias = &cmd->operands[NNAHW_MATMUL_BIAS];
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
	in = &g->conv.input->desc;
	g->copied = in->type != NNAHW_TYPE_F32 ||
		    (!g->matmul && (g->conv.window.kernel_h > 1 || g->conv.window.kernel_w > 1 ||
				    g->conv.window.pad_top || g->conv.window.pad_left ||
				    (uint64_t)(g->conv.out_h - 1) * g->conv.window.stride_h >=
					    g->conv.window.height ||
				    (uint64_t)(g->conv.out_w - 1) * g->conv.window.stride_w >=
					    g->conv.window.width));
	g->converted = g->conv.layout == NNAHW_LAYOUT_PLAIN ||
		       g->conv.weights->desc.type != NNAHW_TYPE_F32;
}

/* Lays out the scratch memory at base; returns its size. */
static uint64_t scratch_get(const struct gemm *g, uint32_t rows, uint8_t *base, struct scratch *s)
{
	struct nnadev_layout l = { .base = base };

	s->a = nnadev_layout_take(&l, g->copied ? ((uint64_t)rows * g->k + 15) * sizeof(*s->a) :
							 0);
	s->b = nnadev_layout_take(&l, g->converted ? (g->k < CHUNK ? g->k : CHUNK) * BLOCKS * 64ull : 0);
	s->acc = nnadev_layout_take(&l, g->k > CHUNK ? (uint64_t)rows * BLOCKS * 64 : 0);
	s->row = nnadev_layout_take(&l, rows * sizeof(*s->row));
	s->at = nnadev_layout_take(&l, rows * sizeof(*s->at));
	s->rat = nnadev_layout_take(&l, rows * sizeof(*s->rat));
	return l.size;
}

/* Copies fp32 numbers; writes up to 15 more. */
static inline void copy_floats(float *to, const float *from, uint32_t count)
{
	for (; count > 16; count -= 16, from += 16, to += 16)
		nnadev_floats_store(to, nnadev_floats_load(from));
	nnadev_floats_store(to, nnadev_floats_load_some(from, nnadev_floats_first(count)));
}

/* A row of a convolution: the input under the window, zeros outside. Writes up to 15 more. */
static void conv_row(const struct nnadev_conv *g, int64_t base, uint32_t y, uint32_t x, float *to)
{
	const struct nnadev_window *w = &g->window;
	const int32_t *s = g->input->desc.strides;
	const uint32_t run = g->group_in;
	const int64_t first = nnadev_window_column(w, x, 0);
	/* Columns of the window next to each other are a longer run. */
	const bool joined = g->input->desc.type == NNAHW_TYPE_F32 && w->dilation_w == 1 &&
			    (uint32_t)s[2] == run && first >= 0 &&
			    first + w->kernel_w <= w->width;

	for (uint32_t ky = 0; ky < w->kernel_h; ky++) {
		const int64_t r = nnadev_window_row(w, y, ky);

		if (r < 0 || r >= w->height) {
			memset(to, 0, (size_t)w->kernel_w * run * sizeof(float));
			to += (size_t)w->kernel_w * run;
			continue;
		}
		if (joined) {
			copy_floats(to,
				    (const float *)g->input->data + base + r * s[1] + first * s[2],
				    w->kernel_w * run);
			to += (size_t)w->kernel_w * run;
			continue;
		}
		for (uint32_t kx = 0; kx < w->kernel_w; kx++, to += run) {
			const int64_t c = nnadev_window_column(w, x, kx);

			if (c >= 0 && c < w->width)
				nnadev_load_floats(to, g->input, base + r * s[1] + c * s[2], run);
			else
				memset(to, 0, run * sizeof(float));
		}
	}
}

/* Finds or builds the tile's rows of a matrix product and notes where they are stored. */
static void fill_matmul(const struct gemm *g, uint32_t set, uint32_t first, uint32_t rows,
			struct scratch *s)
{
	const struct nnahw_tensor *out = &g->conv.output->desc, *in = &g->conv.input->desc,
				*res = &g->conv.residual->desc;
	const bool residual = nnadev_present(g->conv.residual);

	for (uint32_t i = 0; i < rows; i++) {
		const uint32_t index[3] = { set, first + i, 0 };
		const int64_t from = nnadev_offset(in, index);
		float *to = s->a + (size_t)i * g->k;

		s->at[i] = nnadev_offset(out, index);
		s->rat[i] = residual ? nnadev_offset(res, index) : 0;
		s->row[i] = g->copied ? to : (const float *)g->conv.input->data + from;
		if (g->copied)
			nnadev_load_floats(to, g->conv.input, from, g->k);
	}
}

/* The same for a convolution, one row of the image after the other. */
static void fill_conv(const struct gemm *g, uint32_t set, uint32_t first, uint32_t rows,
		      struct scratch *s)
{
	const struct nnahw_tensor *out = &g->conv.output->desc, *in = &g->conv.input->desc,
				*res = &g->conv.residual->desc;
	const bool residual = nnadev_present(g->conv.residual);
	const struct nnadev_window *w = &g->conv.window;
	uint32_t index[3];

	nnadev_unflatten(out->dims, 3, first, index);
	for (uint32_t i = 0, n; i < rows; i += n) {
		const uint32_t start[4] = { index[0], index[1], index[2], set * g->n },
			       left = g->conv.out_w - index[2];
		const int64_t at = nnadev_offset(out, start),
			      rat = residual ? nnadev_offset(res, start) : 0,
			      rnext = residual ? res->strides[2] : 0,
			      base = (int64_t)index[0] * in->strides[0] +
				     (int64_t)set * g->conv.group_in,
			      next = (int64_t)w->stride_w * in->strides[2];
		const float *from = NULL;

		n = left < rows - i ? left : rows - i;
		if (!g->copied)
			from = (const float *)g->conv.input->data + base +
			       nnadev_window_row(w, index[1], 0) * in->strides[1] +
			       nnadev_window_column(w, index[2], 0) * in->strides[2];
		for (uint32_t k = 0; k < n; k++) {
			float *to = s->a + (size_t)(i + k) * g->k;

			s->at[i + k] = at + k * (int64_t)out->strides[2];
			s->rat[i + k] = rat + k * rnext;
			s->row[i + k] = g->copied ? to : from + k * next;
			if (g->copied)
				conv_row(&g->conv, base, index[1], index[2] + k, to);
		}
		index[2] += n - 1;
		nnadev_advance(out->dims, 3, index);
	}
}

/* Weights k in [first, first + count) of a block, [count][16]; those beyond n are zero. */
static const float *get_b(const struct gemm *g, uint32_t set, uint32_t block, uint32_t first,
			  uint32_t count, float *b)
{
	const struct nnadev_engine_operand *w = g->conv.weights;
	const size_t at = (((size_t)set * g->conv.blocks + block) * g->k + first) * 16;
	const uint32_t channels = g->n - block * 16 < 16 ? g->n - block * 16 : 16;

	if (!g->converted)
		return (const float *)w->data + at;
	if (g->conv.layout != NNAHW_LAYOUT_PLAIN) {
		nnadev_load_floats(b, w, (int64_t)at, count * 16);
		return b;
	}
	memset(b, 0, (size_t)count * 64);
	for (uint32_t k = first; k < first + count; k++) {
		float *to = b + (size_t)(k - first) * 16;

		if (g->matmul) {
			const int64_t from = nnadev_offset(&w->desc,
							   (uint32_t[]){ set, k, block * 16 });
			const int64_t step = w->desc.strides[2];

			if (step == 1)
				nnadev_load_floats(to, w, from, channels);
			else
				for (uint32_t i = 0; i < channels; i++)
					to[i] = nnadev_load_float(w, from + i * step);
		} else {
			const uint32_t position = k / g->conv.group_in, n = set * g->n + block * 16;
			const int64_t from = nnadev_conv_weight(
				&g->conv, n, position / g->conv.window.kernel_w,
				position % g->conv.window.kernel_w, k % g->conv.group_in);

			for (uint32_t i = 0; i < channels; i++)
				to[i] = nnadev_load_float(w,
							  from + (int64_t)i * w->desc.strides[0]);
		}
	}
	return b;
}

/**
 * struct product - some rows by some blocks, a chunk of K of them
 * @row: the rows
 * @at, @rat: where they are stored, and their residuals: elements of the first block's channels
 * @acc: [rows][BLOCKS][16]: sums of the chunks before and of this one
 * @first, @count: the chunk
 * @weights: [count][16] of the first block
 * @next_block: from those to the next block's
 * @channels: of each block
 * @bias: [BLOCKS][16]
 * @channel: the first block's first one
 * @begun: there are chunks before
 * @ends: it is the last one: sums are finished
 */
struct product {
	const float *const *row;
	const int64_t *at, *rat;
	float *acc;
	uint32_t first, count;
	const float *weights;
	size_t next_block;
	uint32_t channels[BLOCKS];
	const float *bias;
	int64_t channel;
	bool begun, ends;
};

static inline __attribute__((always_inline)) void
multiply(const struct product *p, const struct nnadev_floats_finish *f, const uint32_t rows,
	 const uint32_t blocks)
{
	nnadev_floats c[ROWS][BLOCKS];
	const float *a[ROWS], *b = p->weights;
	const size_t count = p->count, next = p->next_block;
	nnadev_floats low, high, bias[BLOCKS];

#pragma GCC unroll 12
	for (uint32_t r = 0; r < rows; r++) {
		a[r] = p->row[r] + p->first;
#pragma GCC unroll 2
		for (uint32_t j = 0; j < blocks; j++)
			c[r][j] = nnadev_floats_zero();
	}
	if (p->begun) {
#pragma GCC unroll 12
		for (uint32_t r = 0; r < rows; r++)
#pragma GCC unroll 2
			for (uint32_t j = 0; j < blocks; j++)
				c[r][j] = nnadev_floats_load(p->acc + (r * BLOCKS + j) * 16);
	}
	for (size_t k = 0; k < count; k++, b += 16) {
		nnadev_floats w[BLOCKS];

#pragma GCC unroll 2
		for (uint32_t j = 0; j < blocks; j++)
			w[j] = nnadev_floats_load(b + j * next);
#pragma GCC unroll 12
		for (uint32_t r = 0; r < rows; r++) {
			const nnadev_floats x = nnadev_floats_all(a[r] + k);

#pragma GCC unroll 2
			for (uint32_t j = 0; j < blocks; j++)
				c[r][j] = nnadev_floats_fma(x, w[j], c[r][j]);
		}
	}
	if (!p->ends) {
#pragma GCC unroll 12
		for (uint32_t r = 0; r < rows; r++)
#pragma GCC unroll 2
			for (uint32_t j = 0; j < blocks; j++)
				nnadev_floats_store(p->acc + (r * BLOCKS + j) * 16, c[r][j]);
		return;
	}
	low = nnadev_floats_all(&f->low);
	high = nnadev_floats_all(&f->high);
#pragma GCC unroll 2
	for (uint32_t j = 0; j < blocks; j++)
		bias[j] = nnadev_floats_load(p->bias + j * 16);
#pragma GCC unroll 12
	for (uint32_t r = 0; r < rows; r++)
#pragma GCC unroll 2
		for (uint32_t j = 0; j < blocks; j++)
			nnadev_floats_finish_block(f, low, high, c[r][j], bias[j], p->channels[j], p->at[r] + p->channel + j * 16,
						   p->rat[r] + p->channel + j * 16);
}

/* The same for any number of rows up to ROWS. */
static inline __attribute__((always_inline)) void
multiply_rows(const struct product *p, const struct nnadev_floats_finish *f, uint32_t rows,
	      const uint32_t blocks)
{
	switch (rows) {
#if ROWS > 6
	case 12:
		multiply(p, f, 12, blocks);
		break;
	case 11:
		multiply(p, f, 11, blocks);
		break;
	case 10:
		multiply(p, f, 10, blocks);
		break;
	case 9:
		multiply(p, f, 9, blocks);
		break;
	case 8:
		multiply(p, f, 8, blocks);
		break;
	case 7:
		multiply(p, f, 7, blocks);
		break;
#endif
	case 6:
		multiply(p, f, 6, blocks);
		break;
	case 5:
		multiply(p, f, 5, blocks);
		break;
	case 4:
		multiply(p, f, 4, blocks);
		break;
	case 3:
		multiply(p, f, 3, blocks);
		break;
	case 2:
		multiply(p, f, 2, blocks);
		break;
	case 1:
		multiply(p, f, 1, blocks);
		break;
	}
}

/* A chunk of all rows of a tile, in groups of almost the same size. */
static void multiply_all(const struct product *product, const struct nnadev_floats_finish *f,
			 uint32_t rows, uint32_t blocks)
{
	struct product p = *product;

	for (uint32_t left = rows, n; left; left -= n) {
		n = nnadev_div_up(left, nnadev_div_up(left, ROWS));
		if (BLOCKS > 1 && blocks == BLOCKS)
			multiply_rows(&p, f, n, BLOCKS);
		else
			multiply_rows(&p, f, n, 1);
		p.row += n;
		p.at += n;
		p.rat += n;
		p.acc += (size_t)n * BLOCKS * 16;
	}
}

static uint32_t gemm_tile(const struct nnadev_engine_command *cmd,
			  const struct nnadev_engine_plan *plan, uint32_t phase, uint32_t tile,
			  void *scratch, void *shared)
{
	const struct gemm *g = nnadev_state(plan);
	const uint32_t all = nnadev_div_up(g->n, 16);
	const struct nnadev_part part = nnadev_tiles_part(&g->tiles, tile, g->rows, all);
	const struct nnadev_floats_finish f = nnadev_floats_finish_get(
		g->conv.epilogue, g->conv.output, g->conv.residual);
	const struct nnadev_engine_operand *bias = g->conv.bias;
	const uint32_t end = part.first_block + part.blocks;
	struct scratch s;

	scratch_get(g, g->tiles.rows, scratch, &s);
	if (g->matmul)
		fill_matmul(g, part.set, part.first_row, part.rows, &s);
	else
		fill_conv(g, part.set, part.first_row, part.rows, &s);
	for (uint32_t block = part.first_block, n; block < end; block += n) {
		const uint32_t first = block * 16;
		float added[BLOCKS * 16] = { 0 };
		struct product p = {
			.row = s.row,
			.at = s.at,
			.rat = s.rat,
			.acc = s.acc,
			.bias = added,
			.channel = first,
		};

		n = end - block < BLOCKS ? end - block : BLOCKS;
		for (uint32_t i = 0; i < n; i++)
			p.channels[i] = g->n - first - i * 16 < 16 ? g->n - first - i * 16 : 16;
		for (uint32_t i = 0; i < n * 16 && first + i < g->n && nnadev_present(bias); i++)
			added[i] = nnadev_load_float(
				bias, (int64_t)((g->matmul ? 0 : part.set * g->n) + first + i) *
					      bias->desc.strides[0]);
		for (uint32_t k = 0; k < g->k; k += CHUNK) {
			p.first = k;
			p.count = g->k - k < CHUNK ? g->k - k : CHUNK;
			p.begun = k != 0;
			p.ends = p.count == g->k - k;
			p.next_block = (g->converted ? p.count : g->k) * (size_t)16;
			for (uint32_t i = 0; i < n; i++) {
				const float *b = get_b(g, part.set, block + i, k, p.count,
						       s.b + i * p.next_block);

				p.weights = i ? p.weights : b;
			}
			multiply_all(&p, &f, part.rows, n);
		}
	}
	return NNAHW_STATUS_OK;
}

/* What a tile costs at most: its rows are put together, and each block is unpacked and finished. */
static uint64_t tile_cost(const void *decoded, uint64_t rows, uint64_t blocks)
{
	const struct gemm *g = decoded;
	const uint64_t window = g->matmul ? 1 : g->conv.window.kernel_h * g->conv.window.kernel_w;
	const uint64_t row = g->copied ? 3ull * g->k + 12 * window + 40 : 40,
		       weights = g->conv.layout == NNAHW_LAYOUT_PLAIN ? 200ull * g->k :
				 g->converted			      ? 4ull * g->k :
									0,
		       finish = 200, groups = (rows + ROWS - 1) / ROWS;

	return rows * row + blocks * (weights + groups * g->k + rows * finish + 500);
}

/* The types are floats, and channels contiguous. */
static uint32_t gemm_accepts(const struct nnadev_engine_command *cmd,
			     struct nnadev_engine_plan *plan)
{
	struct gemm g;

	if (nnadev_type_is_quant8(cmd->operands[1].desc.type))
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
	product = (struct nnadev_product){
		.sets = g->sets,
		.rows = g->rows,
		.k = g->k,
		.n = g->n,
		.together = ROWS,
		.blocks_together = BLOCKS,
		.cached = A_BYTES / sizeof(float) / g->k,
		.wanted = TILE_PRODUCTS,
	};
	nnadev_tiles_cut_product(&g->tiles, &product, threads, tile_cost, g);
	nnadev_tiles_plan(&g->tiles, g->sets, scratch_get(g, g->tiles.rows, NULL, &s), plan);
}

NNADEV_STATE_FITS(struct gemm);

#endif
