/* SPDX-License-Identifier: MIT */
/*
 * CONV and MATMUL on floats with AVX2 and FMA, or with AVX-512, whatever the file that includes
 * this is compiled for; it gives the functions their place in the table.
 *
 * A tile is a range of rows (output positions) by a range of blocks of 16 output channels, computed
 * ROWS rows at a time in registers. A row is used where it lies if it is a run of fp32, else it is
 * put together in scratch; so are weights that are not packed fp32. K is worked through in chunks
 * that keep the weights in the caches. A sum is added up in the order of k, in any instruction set.
 */
#ifndef NNADEV_AVX2_GEMMF_H
#define NNADEV_AVX2_GEMMF_H

#include "device/engine/conv.h"
#include "device/engine/x86/avx2_epilogue.h"
#include "device/engine/x86/avx2_floats.h"
#include "device/engine/x86/tiles.h"

/* Of a register tile, by a block: as many accumulators as there are registers for. */
#ifdef __AVX512F__
#define ROWS 12u
#else
#define ROWS 6u
#endif
#define CHUNK 512u /* of K: 32 KiB of weights */
#define A_BYTES (192u << 10) /* of rows in a tile */
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
	float *a; /* [rows][k] when copied */
	float *b; /* [chunk][16] when converted */
	float *acc; /* [rows][16] */
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

	s->a = nnadev_layout_take(&l, g->copied ? (uint64_t)rows * g->k * sizeof(*s->a) : 0);
	s->b = nnadev_layout_take(&l, g->converted ? (g->k < CHUNK ? g->k : CHUNK) * 64ull : 0);
	s->acc = nnadev_layout_take(&l, (uint64_t)rows * 64);
	s->row = nnadev_layout_take(&l, rows * sizeof(*s->row));
	s->at = nnadev_layout_take(&l, rows * sizeof(*s->at));
	s->rat = nnadev_layout_take(&l, rows * sizeof(*s->rat));
	return l.size;
}

/* A row of a convolution: the input under the window, zeros outside. */
static void conv_row(const struct nnadev_conv *g, uint32_t group, const uint32_t *index, float *to)
{
	const struct nnadev_window *w = &g->window;
	const int32_t *s = g->input->desc.strides;
	const int64_t base = (int64_t)index[0] * s[0] + (int64_t)group * g->group_in;
	const uint32_t run = g->group_in;

	for (uint32_t ky = 0; ky < w->kernel_h; ky++)
		for (uint32_t kx = 0; kx < w->kernel_w; kx++, to += run) {
			const int64_t r = nnadev_window_row(w, index[1], ky),
				      c = nnadev_window_column(w, index[2], kx);

			if (r >= 0 && r < w->height && c >= 0 && c < w->width)
				nnadev_load_floats(to, g->input, base + r * s[1] + c * s[2], run);
			else
				memset(to, 0, run * sizeof(float));
		}
}

/* Finds or builds the tile's rows and notes where they are stored. */
static void fill_a(const struct gemm *g, uint32_t set, uint32_t first, uint32_t rows,
		   struct scratch *s)
{
	const struct nnahw_tensor *out = &g->conv.output->desc, *in = &g->conv.input->desc,
				*res = &g->conv.residual->desc;
	const bool residual = nnadev_present(g->conv.residual);
	uint32_t index[4] = { set, first, 0, 0 }; /* MATMUL: batch, row, 0 */

	if (!g->matmul) {
		nnadev_unflatten(out->dims, 3, first, index);
		index[3] = set * g->n;
	}
	for (uint32_t i = 0; i < rows; i++) {
		float *to = s->a + (size_t)i * g->k;

		s->at[i] = nnadev_offset(out, index);
		s->rat[i] = residual ? nnadev_offset(res, index) : 0;
		if (g->matmul) {
			const int64_t from = nnadev_offset(in, index);

			s->row[i] = g->copied ? to : (const float *)g->conv.input->data + from;
			if (g->copied)
				nnadev_load_floats(to, g->conv.input, from, g->k);
			index[1]++;
			continue;
		}
		if (g->copied) {
			s->row[i] = to;
			conv_row(&g->conv, set, index, to);
		} else {
			s->row[i] = (const float *)g->conv.input->data +
				    (int64_t)index[0] * in->strides[0] +
				    nnadev_window_row(&g->conv.window, index[1], 0) *
					    in->strides[1] +
				    nnadev_window_column(&g->conv.window, index[2], 0) *
					    in->strides[2] +
				    (int64_t)set * g->conv.group_in;
		}
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

/* acc[row][16] (+)= rows by b, from k = first on. */
static inline __attribute__((always_inline)) void multiply(const float *const *row, uint32_t first,
							   const float *b, uint32_t count,
							   float *acc, bool add,
							   const uint32_t rows)
{
	nnadev_floats c[ROWS];
	const float *a[ROWS];

#pragma GCC unroll 12
	for (uint32_t r = 0; r < rows; r++) {
		a[r] = row[r] + first;
		c[r] = add ? nnadev_floats_load(acc + r * 16) : nnadev_floats_zero();
	}
	for (size_t k = 0; k < count; k++, b += 16) {
		const nnadev_floats w = nnadev_floats_load(b);

#pragma GCC unroll 12
		for (uint32_t r = 0; r < rows; r++)
			c[r] = nnadev_floats_fma_one(a[r] + k, w, c[r]);
	}
#pragma GCC unroll 12
	for (uint32_t r = 0; r < rows; r++)
		nnadev_floats_store(acc + r * 16, c[r]);
}

/* The same for any number of rows up to ROWS. */
static void multiply_rows(const float *const *row, uint32_t first, const float *b, uint32_t count,
			  float *acc, bool add, uint32_t rows)
{
	if (ROWS > 6 && rows == ROWS) {
		multiply(row, first, b, count, acc, add, ROWS);
		return;
	}
	for (; rows >= 6; rows -= 6, row += 6, acc += 6 * 16)
		multiply(row, first, b, count, acc, add, 6);
	switch (rows) {
	case 5:
		multiply(row, first, b, count, acc, add, 5);
		break;
	case 4:
		multiply(row, first, b, count, acc, add, 4);
		break;
	case 3:
		multiply(row, first, b, count, acc, add, 3);
		break;
	case 2:
		multiply(row, first, b, count, acc, add, 2);
		break;
	case 1:
		multiply(row, first, b, count, acc, add, 1);
		break;
	}
}

/* Adds the bias, clamps, adds the residual and stores `channels` outputs of each row. */
static void finish_rows(const struct gemm *g, const struct scratch *s, uint32_t set, uint32_t block,
			uint32_t rows)
{
	const struct nnadev_engine_operand *bias = g->conv.bias;
	const uint32_t first = block * 16, channels = g->n - first < 16 ? g->n - first : 16;
	float added[16] = { 0 };

	for (uint32_t i = 0; i < channels && nnadev_present(bias); i++)
		added[i] = nnadev_load_float(bias,
					     (int64_t)((g->matmul ? 0 : set * g->n) + first + i) *
						     bias->desc.strides[0]);
	for (uint32_t r = 0; r < rows; r++)
		nnadev_finish_floats(g->conv.epilogue, g->conv.output, g->conv.residual,
				     s->acc + r * 16, added, channels, s->at[r] + first,
				     s->rat[r] + first);
}

static uint32_t gemm_tile(const struct nnadev_engine_command *cmd,
			  const struct nnadev_engine_plan *plan, uint32_t phase, uint32_t tile,
			  void *scratch, void *shared)
{
	/* Copies, which stay in registers: for all that the compiler knows a plan changes. */
	const struct gemm g = *(const struct gemm *)nnadev_state(plan);
	const struct nnadev_part part = nnadev_tiles_part(&g.tiles, tile, g.rows,
							  nnadev_div_up(g.n, 16));
	struct scratch s;

	scratch_get(&g, g.tiles.rows, scratch, &s);
	fill_a(&g, part.set, part.first_row, part.rows, &s);
	for (uint32_t block = part.first_block; block < part.first_block + part.blocks; block++) {
		for (uint32_t first = 0; first < g.k; first += CHUNK) {
			const uint32_t count = g.k - first < CHUNK ? g.k - first : CHUNK;
			const float *b = get_b(&g, part.set, block, first, count, s.b);

			for (uint32_t r = 0; r < part.rows; r += ROWS)
				multiply_rows(s.row + r, first, b, count, s.acc + r * 16,
					      first != 0,
					      part.rows - r < ROWS ? part.rows - r : ROWS);
		}
		finish_rows(&g, &s, part.set, block, part.rows);
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
		.blocks_together = 1,
		.cached = A_BYTES / sizeof(float) / g->k,
		.wanted = TILE_PRODUCTS,
	};
	nnadev_tiles_cut_product(&g->tiles, &product, threads, tile_cost, g);
	nnadev_tiles_plan(&g->tiles, g->sets, scratch_get(g, g->tiles.rows, NULL, &s), plan);
}

NNADEV_STATE_FITS(struct gemm);

#endif
