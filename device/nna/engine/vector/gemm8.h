/* SPDX-License-Identifier: MIT */
/*
 * CONV and MATMUL on 8-bit types as matrix products: the common parts of their vector kernels.
 * These find or gather rows of input, and find where rows of output are stored.
 */
#ifndef NNADEV_GEMM8_H
#define NNADEV_GEMM8_H

#include "device/nna/engine/conv.h"
#include "device/nna/engine/vector/channels.h"
#include "device/nna/engine/vector/finish.h"
#include "device/nna/engine/vector/tiles.h"

/* Rows whose bytes are collected before the first of them is packed. */
#define NNADEV_GEMM8_TOGETHER 16u
/* Bytes behind a row: 16 may be written, then 32 read. */
#define NNADEV_GEMM8_SLACK 48u

/**
 * struct nnadev_gemm8 - a command as a matrix product
 * @conv: CONV: the command; MATMUL has its operands in the places of CONV's
 * @matmul: the command is MATMUL
 * @sets: independent products: groups of a convolution, batches of a matrix product
 * @rows, @k, @n: dims of one product
 * @quads: quads of k
 * @a_stride: bytes of a row in the kernel's packing
 * @together: rows that are collected at a time
 * @a_signed: the input is S8
 * @direct: CONV: a row is the bytes of one input position, unless it is padding
 * @in_place: @direct, and there is no padding
 * @input_bytes: of the input, from its first element to behind its last byte
 * @finish: constants of the epilogue
 * @tiles: the cut
 */
struct nnadev_gemm8 {
	struct nnadev_conv conv;
	bool matmul;
	uint32_t sets, rows, k, n, quads, a_stride, together;
	bool a_signed, direct, in_place;
	int64_t input_bytes;
	struct nnadev_finish finish;
	struct nnadev_tiles tiles;
};

/**
 * struct nnadev_gemm8_rows - rows of a tile, in its scratch memory
 * @a: rows of input in the kernel's packing
 * @bytes: @together rows of @k bytes, for rows that are not contiguous in the input
 * @begin: initial value of each row's sums; put() writes it if the kernel needs it
 * @at, @rat: elements of output and residual of each row's first channel
 */
struct nnadev_gemm8_rows {
	uint8_t *a, *bytes;
	int32_t *begin;
	int64_t *at, *rat;
};

/**
 * struct nnadev_gemm8_row - the bytes of a row
 * @from: the first byte
 * @end: end of readable memory, which may be beyond the row
 */
struct nnadev_gemm8_row {
	const uint8_t *from, *end;
};

/* Decodes a command whose types are known. The kernel sets @a_stride. */
static inline void nnadev_gemm8_get(const struct nnadev_engine_command *cmd,
				    struct nnadev_gemm8 *g)
{
	g->matmul = nnadev_product_get(cmd, &g->conv, &g->sets, &g->rows, &g->k, &g->n);
	g->quads = nnadev_div_up(g->k, 4);
	/*
	 * Long rows are packed one by one: their first bytes are read long enough after they were
	 * written.
	 */
	g->together = g->k < 1024 ? NNADEV_GEMM8_TOGETHER : 1;
	g->a_signed = g->conv.input->desc.type == NNAHW_TYPE_S8;
	g->direct = !g->matmul && g->conv.window.kernel_h == 1 && g->conv.window.kernel_w == 1;
	g->in_place = g->direct && nnadev_window_inside(&g->conv.window, g->conv.out_h,
							g->conv.out_w);
	g->input_bytes = nnadev_bytes_behind(g->conv.input);
}

/*
 * Reads the epilogue's constants and cuts the command. The kernel has set its preferred tiles in
 * @product; this function sets the dims of the product.
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

/* Takes scratch memory for @rows rows. */
static inline void nnadev_gemm8_take(const struct nnadev_gemm8 *g, uint32_t rows,
				     struct nnadev_layout *l, struct nnadev_gemm8_rows *s)
{
	s->a = nnadev_layout_take(l, (uint64_t)rows * g->a_stride);
	s->bytes = nnadev_layout_take(l, g->together * (g->k + (uint64_t)NNADEV_GEMM8_SLACK));
	s->begin = nnadev_layout_take(l, rows * sizeof(*s->begin));
	s->at = nnadev_layout_take(l, rows * sizeof(*s->at));
	s->rat = nnadev_layout_take(l, rows * sizeof(*s->rat));
}

/*
 * Lays out scratch memory that holds rows alone, at @base. Rounds up to an even number of rows, for
 * kernels that pack rows in pairs. Return: its size.
 */
static inline uint64_t nnadev_gemm8_scratch(const struct nnadev_gemm8 *g, uint32_t rows,
					    uint8_t *base, struct nnadev_gemm8_rows *s)
{
	struct nnadev_layout l = { .base = base };

	nnadev_gemm8_take(g, rows + rows % 2, &l, s);
	return l.size;
}

/*
 * Whether a kernel of packed weights accepts a CONV: 8-bit types and contiguous channels. Return:
 * as accepts() of struct nnadev_kernel.
 */
static inline uint32_t nnadev_gemm8_accepts_packed(const struct nnadev_engine_command *cmd,
						   nnadev_tiles_cost_fn cost)
{
	struct nnadev_gemm8 g;

	if (!nnadev_type_is_quant8(cmd->operands[1].desc.type))
		return nnadev_accept(false);
	nnadev_gemm8_get(cmd, &g);
	return nnadev_accept(g.k && g.conv.layout == NNAHW_LAYOUT_PACKED8 &&
			     nnadev_tiles_fit(&g.conv, cost, &g));
}

/**
 * struct nnadev_gemm8_form - a kernel of packed weights whose scratch memory holds rows alone
 * @unit: a packed row is a multiple of @unit bytes
 * @cached: bytes of rows that stay in the caches
 * @together: rows that are computed together with one block
 * @wanted: multiplications of a tile
 * @columns: see struct nnadev_product
 * @cost: estimate of a tile's cost
 */
struct nnadev_gemm8_form {
	uint32_t unit, cached, together, wanted, columns;
	nnadev_tiles_cost_fn cost;
};

static inline void nnadev_gemm8_plan(const struct nnadev_gemm8_form *form,
				     const struct nnadev_engine_command *cmd, uint32_t threads,
				     struct nnadev_engine_plan *plan)
{
	struct nnadev_gemm8 *g = nnadev_state_new(plan);
	struct nnadev_product product = {
		.together = form->together,
		.blocks_together = 1,
		.wanted = form->wanted,
		.columns = form->columns,
	};
	struct nnadev_gemm8_rows s;

	nnadev_gemm8_get(cmd, g);
	g->a_stride = nnadev_div_up(g->k, form->unit) * form->unit;
	product.cached = form->cached / g->a_stride;
	nnadev_gemm8_cut(g, &product, threads, form->cost);
	nnadev_tiles_plan(&g->tiles, g->sets, nnadev_gemm8_scratch(g, g->tiles.rows, NULL, &s),
			  plan);
}

/* Return: the packed weights of a block. */
static inline const int8_t *nnadev_gemm8_block(const struct nnadev_gemm8 *g, uint32_t set,
					       uint32_t block)
{
	return (const int8_t *)g->conv.weights->data +
	       ((size_t)set * g->conv.blocks + block) * g->quads * 64;
}

/*
 * Copies @n bytes of the input, which ends at @end. Copies a few bytes by whole vectors, and may
 * then write up to 16 unspecified bytes behind them.
 */
static inline void nnadev_gemm8_copy(uint8_t *to, const uint8_t *from, size_t n, const uint8_t *end)
{
	if (n > 64 || (size_t)(end - from) < n + 15) {
		memcpy(to, from, n);
		return;
	}
	for (size_t i = 0; i < n; i += 16)
		memcpy(to + i, from + i, 16);
}

/* True if a row of the window that begins at column @x is contiguous in the input. */
static inline bool nnadev_gemm8_is_joined(const struct nnadev_gemm8 *g, int64_t x)
{
	const struct nnadev_window *w = &g->conv.window;

	return w->dilation_w == 1 && (uint32_t)g->conv.input->desc.strides[2] == g->conv.group_in &&
	       x >= 0 && x + w->kernel_w <= w->width;
}

/*
 * Collects the bytes of one row of a convolution: the input under a window, its zero point outside.
 * @data is the image's first channel of the group; the window begins at row @y and column @x of the
 * input.
 */
static inline void nnadev_gemm8_window(const struct nnadev_gemm8 *g, const uint8_t *data, int64_t y,
				       int64_t x, uint8_t *to)
{
	const struct nnadev_window *w = &g->conv.window;
	const struct nnadev_engine_operand *in = g->conv.input;
	const int32_t *s = in->desc.strides, zero = in->desc.zero_point;
	const uint8_t *end = (const uint8_t *)in->data + g->input_bytes;
	const size_t run = g->conv.group_in, all = w->kernel_w * run;
	const bool joined = nnadev_gemm8_is_joined(g, x);

	for (uint32_t ky = 0; ky < w->kernel_h; ky++, y += w->dilation_h, to += all) {
		int64_t c = x;

		if (y < 0 || y >= w->height) {
			memset(to, zero, all);
			continue;
		}
		if (joined) {
			nnadev_gemm8_copy(to, data + y * s[1] + x * s[2], all, end);
			continue;
		}
		for (uint32_t kx = 0; kx < w->kernel_w; kx++, c += w->dilation_w) {
			if (c >= 0 && c < w->width)
				nnadev_gemm8_copy(to + kx * run, data + y * s[1] + c * s[2], run,
						  end);
			else
				memset(to + kx * run, zero, run);
		}
	}
}

/*
 * Collects up to @count neighbouring windows, stored @bytes apart at @to. All rows and columns of
 * the windows lie in the input. Return: how many were collected; 0 if the first window is not
 * inside of the input, if its rows are not contiguous or are long, or if copies of whole vectors
 * would read behind the input.
 */
static inline uint32_t nnadev_gemm8_windows(const struct nnadev_gemm8 *g, const uint8_t *data,
					    int64_t y, int64_t x, uint32_t count, size_t bytes,
					    uint8_t *to)
{
	const struct nnadev_window *w = &g->conv.window;
	const struct nnadev_engine_operand *in = g->conv.input;
	const int32_t *s = in->desc.strides;
	const size_t all = w->kernel_w * (size_t)g->conv.group_in, copied = (all + 15) / 16 * 16;
	const int64_t last = (int64_t)w->width - w->kernel_w, step = (int64_t)w->stride_w * s[2],
		      down = (int64_t)w->dilation_h * s[1], below = w->kernel_h - 1;
	const uint8_t *from;
	int64_t room;

	if (!nnadev_gemm8_is_joined(g, x) || s[1] < 0 || all > 64)
		return 0;
	if (y < 0 || y + below * w->dilation_h >= w->height)
		return 0;
	from = data + y * s[1] + x * s[2];
	/* Rows are copied by whole vectors. */
	room = (const uint8_t *)in->data + g->input_bytes - (from + below * down) - (int64_t)copied;
	if (room < 0)
		return 0;
	while (count > 1 && ((int64_t)(count - 1) * w->stride_w > last - x ||
			     (int64_t)(count - 1) * step > room))
		count--;
	for (uint32_t ky = 0; ky < w->kernel_h; ky++, from += down, to += all)
		for (size_t i = 0; i < copied; i += 16)
			for (uint32_t n = 0; n < count; n++)
				memcpy(to + n * bytes + i, from + n * step + i, 16);
	return count;
}

/**
 * typedef nnadev_gemm8_put_fn - packs a row
 * @g: the product
 * @s: the packed rows
 * @i: number of the row
 * @row: its bytes
 */
typedef void nnadev_gemm8_put_fn(const struct nnadev_gemm8 *g, const struct nnadev_gemm8_rows *s,
				 uint32_t i, const struct nnadev_gemm8_row *row);

/* Packs rows [first, first + rows) of a matrix and finds where they are stored. */
static inline __attribute__((always_inline)) void
nnadev_gemm8_fill_matrix(const struct nnadev_gemm8 *g, uint32_t set, uint32_t first, uint32_t rows,
			 const struct nnadev_gemm8_rows *s, nnadev_gemm8_put_fn *put)
{
	const struct nnadev_engine_operand *in = g->conv.input, *res = g->conv.residual;
	const uint8_t *data = in->data;

	for (uint32_t i = 0; i < rows; i++) {
		const uint32_t index[3] = { set, first + i, 0 };
		const struct nnadev_gemm8_row row = { data + nnadev_offset(&in->desc, index),
						      data + g->input_bytes };

		s->at[i] = nnadev_offset(&g->conv.output->desc, index);
		s->rat[i] = nnadev_present(res) ? nnadev_offset(&res->desc, index) : 0;
		put(g, s, i, &row);
	}
}

/*
 * Packs @count rows of a convolution, all in one row of an image. The first is row @i of the tile,
 * at @index of the output. Collects several rows before it packs the first one, because a load of
 * another size right after a store stalls.
 */
static inline __attribute__((always_inline)) void
nnadev_gemm8_fill_run(const struct nnadev_gemm8 *g, uint32_t set, const uint32_t *index, uint32_t i,
		      uint32_t count, const struct nnadev_gemm8_rows *s, nnadev_gemm8_put_fn *put)
{
	const struct nnadev_window *w = &g->conv.window;
	const struct nnadev_engine_operand *in = g->conv.input;
	const int32_t *strides = in->desc.strides;
	const uint8_t *data = (const uint8_t *)in->data + (int64_t)index[0] * strides[0] +
			      (int64_t)set * g->conv.group_in;
	const size_t bytes = g->k + (size_t)NNADEV_GEMM8_SLACK;
	const int64_t y = nnadev_window_row(w, index[1], 0);
	const int64_t step = (int64_t)w->stride_w * strides[2];
	const bool direct = g->direct && y >= 0 && y < w->height;
	int64_t x = nnadev_window_column(w, index[2], 0);
	uint32_t gathered;

	for (uint32_t r = 0; r < count; r += gathered) {
		/*
		 * Input rows may follow padding rows of a direct command, so its padding rows are
		 * collected one by one.
		 */
		const uint32_t most = g->direct		      ? 1 :
				      count - r < g->together ? count - r :
								g->together;

		if (direct && x >= 0 && x < w->width) {
			struct nnadev_gemm8_row row = {
				data + y * strides[1] + x * strides[2],
				(const uint8_t *)in->data + g->input_bytes,
			};

			gathered = (uint32_t)(w->width - 1 - x) / w->stride_w + 1;
			gathered = gathered < count - r ? gathered : count - r;
			for (uint32_t k = 0; k < gathered; k++, row.from += step)
				put(g, s, i + r + k, &row);
			x += (int64_t)gathered * w->stride_w;
			continue;
		}
		for (gathered = 0; gathered < most;) {
			uint8_t *to = s->bytes + gathered * bytes;
			uint32_t n = nnadev_gemm8_windows(g, data, y, x, most - gathered, bytes,
							  to);

			if (!n) {
				nnadev_gemm8_window(g, data, y, x, to);
				n = 1;
			}
			gathered += n;
			x += (int64_t)n * w->stride_w;
		}
		for (uint32_t k = 0; k < gathered; k++) {
			const uint8_t *from = s->bytes + k * bytes;
			const struct nnadev_gemm8_row row = { from, from + bytes };

			put(g, s, i + r + k, &row);
		}
	}
}

/* Packs rows [first, first + rows) of a set and finds where they are stored. */
static inline __attribute__((always_inline)) void
nnadev_gemm8_fill(const struct nnadev_gemm8 *g, uint32_t set, uint32_t first, uint32_t rows,
		  const struct nnadev_gemm8_rows *s, nnadev_gemm8_put_fn *put)
{
	const struct nnahw_tensor *out = &g->conv.output->desc, *res = &g->conv.residual->desc;
	const bool residual = nnadev_present(g->conv.residual);
	uint32_t index[4], count;

	if (g->matmul) {
		nnadev_gemm8_fill_matrix(g, set, first, rows, s, put);
		return;
	}
	nnadev_unflatten(out->dims, 3, first, index);
	index[3] = set * g->n;
	for (uint32_t i = 0; i < rows; i += count) {
		const int64_t at = nnadev_offset(out, index),
			      rat = residual ? nnadev_offset(res, index) : 0,
			      step = residual ? res->strides[2] : 0;

		count = out->dims[2] - index[2] < rows - i ? out->dims[2] - index[2] : rows - i;
		for (uint32_t x = 0; x < count; x++) {
			s->at[i + x] = at + (int64_t)x * out->strides[2];
			s->rat[i + x] = rat + x * step;
		}
		nnadev_gemm8_fill_run(g, set, index, i, count, s, put);
		index[2] = 0;
		nnadev_advance(out->dims, 2, index);
	}
}

/* Packs a tile's rows into scratch memory that holds rows alone. Return: the ranges of the tile. */
static inline __attribute__((always_inline)) struct nnadev_area
nnadev_gemm8_start(const struct nnadev_gemm8 *g, uint32_t tile, void *scratch,
		   struct nnadev_gemm8_rows *s, nnadev_gemm8_put_fn *put)
{
	const struct nnadev_area area = nnadev_tiles_area(&g->tiles, tile, g->rows,
							  nnadev_div_up(g->n, 16));

	nnadev_gemm8_scratch(g, g->tiles.rows, scratch, s);
	nnadev_gemm8_fill(g, area.set, area.first_row, area.rows, s, put);
	return area;
}

/*
 * Reads the constants of a block of 16 channels, see nnadev_channels_get(). Return: channels in
 * use.
 */
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
