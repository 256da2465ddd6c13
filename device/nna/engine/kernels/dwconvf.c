// SPDX-License-Identifier: MIT
/*
 * DWCONV on floats.
 *
 * A tile is a range of output rows by a range of blocks of 16 channels. An array [rows][columns]
 * holds the address of each input position under the tile's windows and is built once per tile.
 * Padding points to a row of zeros, so that borders need no special code. If input and weights are
 * fp32, the weights are packed and each input channel has one output channel, the addresses point
 * into the input. All blocks of a group of neighbouring outputs are then computed before the next
 * group. Otherwise the input of each block is first converted to fp32 in scratch memory,
 * [rows][columns][16], with zeros as padding. Products are added in the order of the window.
 */
#include "device/nna/engine/conv.h"
#include "device/nna/engine/kernels/floats.h"
#include "device/nna/engine/vector/tiles.h"

#define IMAGE_BYTES (64u << 10)
#define TILE_PRODUCTS (1u << 20)
#define MOST_BLOCKS 1024u /* of a tile whose input is read in place */
/* Accumulators: vectors of a block, and output positions for each vector. */
#define VECTORS (16u / NNADEV_FLOATS)
#define POSITIONS (8u / VECTORS)

/**
 * struct dwconv - a command
 * @conv: the decoded command
 * @columns: input columns that a row of output needs, padding included
 * @direct: input and weights are read in place
 * @tiles: how the command is cut into tiles
 */
struct dwconv {
	struct nnadev_conv conv;
	uint32_t columns;
	bool direct;
	struct nnadev_tiles tiles;
};

struct scratch {
	const float **at; /* [rows][columns], of the first block */
	float *image; /* [rows][columns][16] of a block; direct: zeros for all blocks */
	float *weights; /* [k][16] */
	float *bias; /* [blocks][16] */
};

static void dwconv_get(const struct nnadev_engine_command *cmd, struct dwconv *g)
{
	const struct nnadev_window *w = &g->conv.window;

	nnadev_conv_get(cmd, &g->conv);
	g->columns = (g->conv.out_w - 1) * w->stride_w + (w->kernel_w - 1) * w->dilation_w + 1;
	g->direct = g->conv.input->desc.type == NNAHW_TYPE_F32 && g->conv.group_out == 1 &&
		    g->conv.weights->desc.type == NNAHW_TYPE_F32 &&
		    g->conv.layout != NNAHW_LAYOUT_PLAIN;
}

static uint32_t image_rows(const struct dwconv *g, uint32_t rows)
{
	return (rows - 1) * g->conv.window.stride_h +
	       (g->conv.window.kernel_h - 1) * g->conv.window.dilation_h + 1;
}

/* Bytes of the image; UINT64_MAX if they exceed the limit of scratch memory. */
static uint64_t image_bytes(const struct dwconv *g, uint32_t rows)
{
	/* Rows and columns have 31 bits each, so that the product fits. */
	const uint64_t positions = (uint64_t)image_rows(g, rows) * g->columns;

	return positions > NNADEV_ENGINE_MAX_SCRATCH / 64 ? UINT64_MAX : positions * 64;
}

static uint64_t scratch_get(const struct dwconv *g, uint32_t rows, uint32_t blocks, uint8_t *base,
			    struct scratch *s)
{
	const uint64_t bytes = image_bytes(g, rows);
	struct nnadev_layout l = { .base = base };

	if (bytes == UINT64_MAX)
		return bytes;
	s->at = nnadev_layout_take(&l, bytes / 64 * sizeof(*s->at));
	s->image = nnadev_layout_take(&l, g->direct ? blocks * 64ull : bytes);
	s->weights = nnadev_layout_take(&l, g->direct ? 0 : (uint64_t)g->conv.k * 64);
	s->bias = nnadev_layout_take(&l, blocks * 64ull);
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

/* Stores the addresses of the positions of an input row, from channel @first on. */
static void note_row(const struct dwconv *g, uint32_t batch, int64_t row, uint32_t first,
		     const float *zeros, const float **at)
{
	const struct nnadev_window *w = &g->conv.window;
	const int32_t *s = g->conv.input->desc.strides;
	const bool inside = row >= 0 && row < w->height;
	const uint32_t columns = g->columns, left = inside && w->pad_left < columns ? w->pad_left
										    : columns;
	/* Columns up to the end of the input or of the windows. */
	const uint32_t end = columns - left < w->width ? columns : left + w->width;
	const float *from = (const float *)g->conv.input->data + (int64_t)batch * s[0] + first;
	const int64_t step = s[2];
	uint32_t i = 0;

	for (; i < left; i++)
		at[i] = zeros;
	for (from += inside ? row * s[1] : 0; i < end; i++, from += step)
		at[i] = from;
	for (; i < columns; i++)
		at[i] = zeros;
}

/* Return: a block's weights as [k][16]. */
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

/**
 * struct sum - what the sums of neighbouring outputs of a vector of channels read and write
 * @at: addresses of input positions, from row 0 of the first window on
 * @next_row: distance in @at to the next row of the window
 * @first: number of the vector's first channel, counted from that of @at
 * @count: channels from there on
 * @weights: [k][16], from the vector's first channel on
 * @bias: of the channels
 * @to, @next: element of the first output, and distance of neighbouring outputs
 * @rto, @rnext: the same for the residual
 */
struct sum {
	const float *const *at;
	size_t next_row, first;
	uint32_t count;
	const float *weights, *bias;
	int64_t to, next, rto, rnext;
};

/*
 * Computes @positions outputs of @vectors vectors of channels. A @stride other than 0 means windows
 * of 3 neighbouring columns with this stride; each input column is then loaded once. @whole: the
 * vectors are full; otherwise there is one vector of @s->count channels.
 */
static inline __attribute__((always_inline)) void
sum_vectors(const struct nnadev_window *w, const struct nnadev_floats_finish *f,
	    const struct nnadev_floats_end *end, const struct sum *s, const uint32_t positions,
	    const uint32_t vectors, const uint32_t stride, const bool whole)
{
	const uint32_t count = whole ? NNADEV_FLOATS : s->count;
	const float *weights = s->weights;
	const size_t first = s->first;
	nnadev_floats c[POSITIONS][VECTORS], bias[VECTORS];

#pragma GCC unroll 8
	for (uint32_t i = 0; i < positions; i++)
#pragma GCC unroll 2
		for (uint32_t j = 0; j < vectors; j++)
			c[i][j] = nnadev_floats_zero();
	for (uint32_t ky = 0; ky < w->kernel_h; ky++) {
		const float *const *at = s->at + ky * s->next_row;

		if (stride) {
			nnadev_floats v[3][VECTORS];

#pragma GCC unroll 3
			for (uint32_t k = 0; k < 3; k++, weights += 16)
#pragma GCC unroll 2
				for (uint32_t j = 0; j < vectors; j++)
					v[k][j] = nnadev_floats_load(weights + j * NNADEV_FLOATS);
#pragma GCC unroll 20
			for (uint32_t x = 0; x < (positions - 1) * stride + 3; x++) {
				const float *from = at[x];

#pragma GCC unroll 2
				for (uint32_t j = 0; j < vectors; j++) {
					const nnadev_floats value =
						whole ? nnadev_floats_load(from + first +
									   j * NNADEV_FLOATS) :
							nnadev_floats_load_some(from + first,
										count);

#pragma GCC unroll 8
					for (uint32_t i = 0; i < positions; i++)
						if (x >= i * stride && x < i * stride + 3)
							c[i][j] = nnadev_floats_fma(
								v[x - i * stride][j], value,
								c[i][j]);
				}
			}
			continue;
		}
		for (uint32_t kx = 0; kx < w->kernel_w;
		     kx++, at += w->dilation_w, weights += 16) {
			nnadev_floats v[VECTORS];

#pragma GCC unroll 2
			for (uint32_t j = 0; j < vectors; j++)
				v[j] = nnadev_floats_load(weights + j * NNADEV_FLOATS);
#pragma GCC unroll 8
			for (uint32_t i = 0; i < positions; i++) {
				const float *from = at[(size_t)i * w->stride_w] + first;

#pragma GCC unroll 2
				for (uint32_t j = 0; j < vectors; j++)
					c[i][j] = nnadev_floats_fma(
						v[j],
						whole ? nnadev_floats_load(from +
									   j * NNADEV_FLOATS) :
							nnadev_floats_load_some(from, count),
						c[i][j]);
			}
		}
	}
#pragma GCC unroll 2
	for (uint32_t j = 0; j < vectors; j++)
		bias[j] = nnadev_floats_load(s->bias + j * NNADEV_FLOATS);
	if (whole && end->to && !end->add) {
#pragma GCC unroll 8
		for (uint32_t i = 0; i < positions; i++)
#pragma GCC unroll 2
			for (uint32_t j = 0; j < vectors; j++)
				nnadev_floats_end_whole(end, NULL, c[i][j], bias[j],
							s->to + i * s->next + j * NNADEV_FLOATS,
							0);
		return;
	}
#pragma GCC unroll 8
	for (uint32_t i = 0; i < positions; i++)
#pragma GCC unroll 2
		for (uint32_t j = 0; j < vectors; j++)
			nnadev_floats_end_any(end, f, c[i][j], bias[j],
					      count,
					      s->to + i * s->next + j * NNADEV_FLOATS,
					      s->rto + i * s->rnext + j * NNADEV_FLOATS);
}

/* Computes all channels from a block's first channel on. */
static inline __attribute__((always_inline)) void
sum_channels(const struct dwconv *g, const struct nnadev_floats_finish *f,
	     const struct nnadev_floats_end *end, struct sum s, uint32_t channels,
	     const uint32_t positions, const uint32_t stride)
{
	const struct nnadev_window w = g->conv.window;
	const float *weights = s.weights;

	for (uint32_t i = 0, n; i < channels; i += n) {
		s.count = channels - i;
		s.weights = weights + (size_t)(i / 16) * 16 * g->conv.k + i % 16;
		n = s.count >= 16 ? 16 : NNADEV_FLOATS;
		if (s.count >= 16)
			sum_vectors(&w, f, end, &s, positions, VECTORS, stride, true);
		else if (VECTORS > 1 && s.count >= NNADEV_FLOATS)
			sum_vectors(&w, f, end, &s, positions, 1, stride, true);
		else
			sum_vectors(&w, f, end, &s, positions, 1, stride, false);
		s.first += n;
		s.bias += n;
		s.to += n;
		s.rto += n;
	}
}

/* Computes any number of positions up to POSITIONS. */
static inline __attribute__((always_inline)) void
sum_positions(const struct dwconv *g, const struct nnadev_floats_finish *f,
	      const struct nnadev_floats_end *end, const struct sum *s, uint32_t channels,
	      uint32_t positions, const uint32_t stride)
{
	switch (positions) {
#if NNADEV_FLOATS > 8
	case 8:
		sum_channels(g, f, end, *s, channels, 8, stride);
		break;
	case 7:
		sum_channels(g, f, end, *s, channels, 7, stride);
		break;
	case 6:
		sum_channels(g, f, end, *s, channels, 6, stride);
		break;
	case 5:
		sum_channels(g, f, end, *s, channels, 5, stride);
		break;
#endif
	case 4:
		sum_channels(g, f, end, *s, channels, 4, stride);
		break;
	case 3:
		sum_channels(g, f, end, *s, channels, 3, stride);
		break;
	case 2:
		sum_channels(g, f, end, *s, channels, 2, stride);
		break;
	case 1:
		sum_channels(g, f, end, *s, channels, 1, stride);
		break;
	}
}

/* Computes some blocks of a tile's rows. The addresses of input positions are in @s->at. */
static void sum_rows(const struct dwconv *g, const struct nnadev_area *area,
		     const struct scratch *s, const float *weights, uint32_t block, uint32_t blocks)
{
	const struct nnadev_window *w = &g->conv.window;
	const struct nnadev_floats_finish f = nnadev_floats_finish_get(
		g->conv.epilogue, g->conv.output, g->conv.residual);
	const struct nnadev_floats_end end = nnadev_floats_end_get(&f);
	const int32_t *out = g->conv.output->desc.strides, *res = g->conv.residual->desc.strides;
	const uint32_t rest = g->conv.out_c - block * 16,
		       channels = rest < blocks * 16 ? rest : blocks * 16;
	const bool three = w->kernel_w == 3 && w->dilation_w == 1;

	for (uint32_t y = 0; y < area->rows; y++) {
		struct sum sum = {
			.at = s->at + (size_t)y * w->stride_h * g->columns,
			.next_row = (size_t)w->dilation_h * g->columns,
			.weights = weights,
			.bias = s->bias + (size_t)(block - area->first_block) * 16,
			.to = (int64_t)area->set * out[0] +
			      (int64_t)(area->first_row + y) * out[1] + block * 16,
			.next = out[2],
			.rto = (int64_t)area->set * res[0] +
			       (int64_t)(area->first_row + y) * res[1] + block * 16,
			.rnext = res[2],
		};

		/* Groups of almost the same size. */
		for (uint32_t left = g->conv.out_w, n; left; left -= n) {
			n = nnadev_div_up(left, nnadev_div_up(left, POSITIONS));
			if (three && w->stride_w == 1)
				sum_positions(g, &f, &end, &sum, channels, n, 1);
			else if (three && w->stride_w == 2)
				sum_positions(g, &f, &end, &sum, channels, n, 2);
			else
				sum_positions(g, &f, &end, &sum, channels, n, 0);
			sum.at += (size_t)n * w->stride_w;
			sum.to += n * sum.next;
			sum.rto += n * sum.rnext;
		}
	}
}

static uint32_t dwconv_tile(const struct nnadev_engine_command *cmd,
			    const struct nnadev_engine_plan *plan, uint32_t phase, uint32_t tile,
			    void *scratch, void *shared)
{
	const struct dwconv *g = nnadev_state(plan);
	const struct nnadev_area area = nnadev_tiles_area(&g->tiles, tile, g->conv.out_h,
							  nnadev_div_up(g->conv.out_c, 16));
	const struct nnadev_engine_operand *bias = g->conv.bias;
	const uint32_t first = area.first_block * 16, needed = image_rows(g, area.rows);
	const int64_t row = nnadev_window_row(&g->conv.window, area.first_row, 0);
	struct scratch s = { 0 };

	scratch_get(g, g->tiles.rows, g->tiles.blocks, scratch, &s);
	nnadev_tiles_prefetch(&g->conv, &area);
	memset(s.bias, 0, area.blocks * 64ull);
	for (uint32_t i = first; nnadev_present(bias) && i < first + area.blocks * 16 &&
				 i < g->conv.out_c; i++)
		s.bias[i - first] = nnadev_load_float(bias, (int64_t)i * bias->desc.strides[0]);
	if (g->direct) {
		memset(s.image, 0, area.blocks * 64ull);
		for (uint32_t i = 0; i < needed; i++)
			note_row(g, area.set, row + i, first, s.image,
				 s.at + (size_t)i * g->columns);
		sum_rows(g, &area, &s, (const float *)g->conv.weights->data +
					       (size_t)first * g->conv.k,
			 area.first_block, area.blocks);
		return NNAHW_STATUS_OK;
	}
	for (size_t i = 0; i < (size_t)needed * g->columns; i++)
		s.at[i] = s.image + i * 16;
	for (uint32_t block = area.first_block; block < area.first_block + area.blocks; block++) {
		const uint32_t channel = block * 16,
			       count = g->conv.out_c - channel < 16 ? g->conv.out_c - channel : 16;

		for (uint32_t i = 0; i < needed; i++)
			image_row(g, area.set, row + i, channel, count,
				  s.image + (size_t)i * g->columns * 16);
		sum_rows(g, &area, &s, get_weights(g, channel, count, s.weights), block, 1);
	}
	return NNAHW_STATUS_OK;
}

/*
 * Return: an upper bound of a tile's cost, in the unit of NNADEV_TILES_MOST_COST; UINT64_MAX if the
 * tile is too large.
 */
static uint64_t tile_cost(const void *decoded, uint64_t rows, uint64_t blocks)
{
	const struct dwconv *g = decoded;
	const uint64_t positions = image_bytes(g, (uint32_t)rows) / 64,
		       position = g->conv.group_out == 1 ? 40 : 160, finish = 200,
		       outputs = rows * g->conv.out_w;

	if (positions > NNADEV_TILES_MOST_COST)
		return UINT64_MAX;
	if (g->direct)
		return positions * 4 + blocks * (outputs * (2ull * g->conv.k + 20) + 200);
	/* Tiles of several rows must fit into the caches. */
	if (rows > 1 && image_bytes(g, (uint32_t)rows) > IMAGE_BYTES)
		return UINT64_MAX;
	return blocks * (positions * position + 200ull * g->conv.k +
			 outputs * (g->conv.k + finish) + 500);
}

/* Accepts floats with contiguous channels, if the windows of a row fit into scratch memory. */
static uint32_t dwconv_accepts(const struct nnadev_engine_command *cmd,
			       struct nnadev_engine_plan *plan)
{
	struct scratch s;
	struct dwconv g;

	if (nnadev_type_is_quant8(cmd->operands[1].desc.type))
		return nnadev_accept(false);
	dwconv_get(cmd, &g);
	return nnadev_accept(nnadev_tiles_fit(&g.conv, tile_cost, &g) &&
			     scratch_get(&g, 1, 1, NULL, &s) <=
				     NNADEV_ENGINE_MAX_SCRATCH - IMAGE_BYTES);
}

/*
 * Cuts a command whose input is read in place: all blocks, because memory is read in their order,
 * and as many rows as make TILE_PRODUCTS multiplications; at least two tiles per thread.
 */
static void cut_direct(struct dwconv *g, uint32_t threads)
{
	const uint32_t all = nnadev_div_up(g->conv.out_c, 16);
	struct nnadev_tiles *t = &g->tiles;
	uint32_t blocks = all < MOST_BLOCKS ? all : MOST_BLOCKS, rows, fair;

	while (blocks > 1 && tile_cost(g, 1, blocks) > NNADEV_TILES_MOST_COST)
		blocks /= 2;
	rows = (uint32_t)(TILE_PRODUCTS /
			  ((uint64_t)blocks * 16 * g->conv.out_w * (g->conv.k + 8))) + 1;
	threads = nnadev_tiles_threads((uint64_t)g->conv.output->count * g->conv.k, TILE_PRODUCTS,
				       threads);
	fair = threads > 1 ? nnadev_div_up(g->conv.out_h, 2 * threads) : rows;
	rows = rows < fair ? rows : fair;
	rows = rows < g->conv.out_h ? rows : g->conv.out_h;
	while (rows > 1 && tile_cost(g, rows, blocks) > NNADEV_TILES_MOST_COST)
		rows /= 2;
	nnadev_tiles_cut_rows(t, g->conv.out_h, rows, 1, threads);
	nnadev_tiles_cut_blocks(t, all, blocks, 1,
				t->row_tiles * g->conv.batch < threads ? threads : 1);
}

static void dwconv_plan(const struct nnadev_engine_command *cmd, uint32_t threads,
			struct nnadev_engine_plan *plan)
{
	struct dwconv *g = nnadev_state_new(plan);
	struct scratch s;

	dwconv_get(cmd, g);
	if (g->direct)
		cut_direct(g, threads);
	else
		nnadev_tiles_cut_depthwise(&g->tiles, &g->conv, TILE_PRODUCTS, 1,
					   NNADEV_TILES_COLUMNS, threads, tile_cost, g);
	nnadev_tiles_plan(&g->tiles, g->conv.batch,
			  scratch_get(g, g->tiles.rows, g->tiles.blocks, NULL, &s), plan);
}

NNADEV_STATE_FITS(struct dwconv);
NNADEV_VECTOR_KERNEL(dwconvf) = { NNAHW_OP_DWCONV, NNADEV_SET_ISA, dwconv_accepts, dwconv_plan,
				  dwconv_tile };
