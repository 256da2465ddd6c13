// SPDX-License-Identifier: MIT
/*
 * CONV and MATMUL on floats.
 *
 * A tile is a range of rows (output positions) by a range of blocks of 16 output channels. Up to
 * ROWS rows by CHANNELS channels are computed at a time in registers and stored from there. A row
 * consists of runs of fp32 numbers, such as the lines of a convolution's window, which are read in
 * place. Scratch memory holds copies of runs that cross the image's border, of rows that are not
 * fp32 or have short runs, and of weights that are not packed fp32. K is processed in chunks whose
 * weights stay in the caches, while the weights of the next chunk are prefetched. Sums are added in
 * the order of k with every instruction set.
 */
#include "device/nna/engine/conv.h"
#include "device/nna/engine/kernels/floats.h"
#include "device/nna/engine/vector/tiles.h"

/*
 * Size of a register tile: as many accumulators as there are registers for. A tile of one vector
 * has ONE_ROWS rows.
 */
#define VECTORS 2u
#if NNADEV_FLOATS > 8
#define ROWS 12u
#define ONE_ROWS 12u
#else
#define ROWS 6u
#define ONE_ROWS 8u
#endif
#define MOST_ROWS (ONE_ROWS > ROWS ? ONE_ROWS : ROWS)
#define CHANNELS (VECTORS * NNADEV_FLOATS)
#define BLOCKS (CHANNELS / 16)
#define PIECE 32u /* of K: each piece prefetches some of the next weights */
#define SHORTEST_FETCHED 96u
#define CHUNK 512u /* of K: 32 KiB of the weights of a block */
#define A_BYTES (384u << 10) /* of rows in a tile, so that weights are read for many rows */
#define TILE_PRODUCTS (3u << 20)
#define SHORTEST_RUN 6u /* read in place; finding a shorter run costs more than copying it */

/**
 * struct gemm - a command as a matrix product
 * @conv: CONV: the command; MATMUL has its operands in the places of CONV's
 * @matmul: the command is MATMUL
 * @copied: rows are copied to scratch memory
 * @bordered: windows may cross the image's border
 * @converted: weights are copied to scratch memory
 * @joined: columns of a window that form one run: all of them or 1
 * @runs: runs of a row, all of the same length
 * @run: length of a run
 * @even: rows lie evenly spaced, @row_steps apart in input, output and residual, and their runs are
 *	read in place
 * @set_steps: likewise, of the products
 * @sets: independent products: groups of a convolution, batches of a matrix product
 * @rows, @k, @n: dims of one product
 * @tiles: the cut
 */
struct gemm {
	struct nnadev_conv conv;
	bool matmul, copied, bordered, converted;
	bool even;
	int64_t row_steps[3], set_steps[3];
	uint32_t joined, runs, run;
	uint32_t sets, rows, k, n;
	struct nnadev_tiles tiles;
};

struct scratch {
	float *a; /* [rows][k] and 15 more, if copied or bordered */
	float *b; /* [BLOCKS][chunk][16], if converted */
	float *acc; /* [rows][CHANNELS], between chunks */
	const float **row; /* [runs][rows] */
	int64_t *at, *rat; /* [rows] */
};

/* Determines the runs of a row. */
static void runs_get(struct gemm *g)
{
	const struct nnahw_tensor *in = &g->conv.input->desc;
	const struct nnadev_window *w = &g->conv.window;

	g->joined = g->runs = 1;
	g->run = g->k;
	g->bordered = false;
	if (!g->matmul) {
		if (w->dilation_w == 1 && (uint32_t)in->strides[2] == g->conv.group_in)
			g->joined = w->kernel_w;
		g->runs = w->kernel_h * (w->kernel_w / g->joined);
		g->run = g->joined * g->conv.group_in;
		g->bordered = !nnadev_window_inside(w, g->conv.out_h, g->conv.out_w);
	}
	g->copied = in->type != NNAHW_TYPE_F32 || (g->runs > 1 && g->run < SHORTEST_RUN);
	if (g->copied) {
		g->runs = 1;
		g->run = g->k;
	}
}

/* Finds the distance of the rows of an image without a window. Return: false if they differ. */
static bool row_step_get(const struct nnahw_tensor *t, int64_t *step)
{
	int64_t next = 0;

	*step = 0;
	for (uint32_t k = 3; k-- > 0;) {
		if (t->dims[k] == 1)
			continue;
		if (!next)
			*step = next = t->strides[k];
		else if (t->strides[k] != next)
			return false;
		next *= t->dims[k];
	}
	return true;
}

/* Determines whether rows are evenly spaced. */
static void even_get(struct gemm *g)
{
	const struct nnadev_engine_operand *const o[] = { g->conv.input, g->conv.output,
							   g->conv.residual };
	const struct nnadev_window *w = &g->conv.window;

	g->even = !g->copied && !g->bordered && g->runs == 1;
	if (!g->matmul)
		g->even = g->even && w->kernel_h == 1 && w->kernel_w == 1 && w->stride_h == 1 &&
			  w->stride_w == 1 &&
			  !memcmp(o[0]->desc.dims, o[1]->desc.dims, 3 * sizeof(uint32_t));
	for (uint32_t i = 0; i < 3; i++) {
		const struct nnahw_tensor *t = &o[i]->desc;

		g->row_steps[i] = g->set_steps[i] = 0;
		if (!nnadev_present(o[i]))
			continue;
		if (g->matmul) {
			g->row_steps[i] = t->strides[1];
			g->set_steps[i] = t->strides[0];
			continue;
		}
		g->even = g->even && row_step_get(t, &g->row_steps[i]);
		g->set_steps[i] = i ? (int64_t)g->n * t->strides[3] : g->conv.group_in;
	}
}

static void gemm_get(const struct nnadev_engine_command *cmd, struct gemm *g)
{
	g->matmul = nnadev_product_get(cmd, &g->conv, &g->sets, &g->rows, &g->k, &g->n);
	runs_get(g);
	even_get(g);
	g->converted = g->conv.layout == NNAHW_LAYOUT_PLAIN ||
		       g->conv.weights->desc.type != NNAHW_TYPE_F32;
}

/* Lays out the scratch memory at base; returns its size. */
static uint64_t scratch_get(const struct gemm *g, uint32_t rows, uint8_t *base, struct scratch *s)
{
	struct nnadev_layout l = { .base = base };

	s->a = nnadev_layout_take(
		&l, g->copied || g->bordered ? ((uint64_t)rows * g->k + 15) * sizeof(*s->a) : 0);
	s->b = nnadev_layout_take(
		&l, g->converted ? (g->k < CHUNK ? g->k : CHUNK) * BLOCKS * 64ull : 0);
	s->acc = nnadev_layout_take(&l, g->k > CHUNK ? (uint64_t)rows * CHANNELS * 4 : 0);
	s->row = nnadev_layout_take(&l, (uint64_t)g->runs * rows * sizeof(*s->row));
	s->at = nnadev_layout_take(&l, rows * sizeof(*s->at));
	s->rat = nnadev_layout_take(&l, rows * sizeof(*s->rat));
	return l.size;
}

/* Copies fp32 numbers; may write up to 15 more. */
static inline void copy_floats(float *to, const float *from, uint32_t count)
{
	for (; count > NNADEV_FLOATS;
	     count -= NNADEV_FLOATS, from += NNADEV_FLOATS, to += NNADEV_FLOATS)
		nnadev_floats_store(to, nnadev_floats_load(from));
	nnadev_floats_store(to, nnadev_floats_load_some(from, count));
}

/*
 * Builds a row of a convolution: the input under the window, zeros outside. May write up to 15
 * more.
 */
static void conv_row(const struct nnadev_conv *g, int64_t base, uint32_t y, uint32_t x, float *to)
{
	const struct nnadev_window *w = &g->window;
	const int32_t *s = g->input->desc.strides;
	const uint32_t run = g->group_in;
	const int64_t first = nnadev_window_column(w, x, 0);
	/* Neighbouring columns of the window form one longer run. */
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

/*
 * Builds a run that crosses an end of an image line in scratch memory. @first is its first column.
 */
static const float *border_run(const struct gemm *g, const float *line, int64_t first, float *to)
{
	const int64_t end = first + g->joined, left = first < 0 ? 0 : first,
		      right = end > g->conv.window.width ? g->conv.window.width : end;
	const uint32_t channels = g->conv.group_in;

	memset(to, 0, g->run * sizeof(*to));
	if (left < right)
		memcpy(to + (left - first) * channels, line + left * g->conv.input->desc.strides[2],
		       (size_t)(right - left) * channels * sizeof(*to));
	return to;
}

/*
 * Finds run number @run of @count neighbouring rows of a convolution. The first is row @first of
 * the tile, at output position (@y, @x).
 */
static void find_run(const struct gemm *g, int64_t base, uint32_t y, uint32_t x, uint32_t run,
		     uint32_t first, uint32_t count, const struct scratch *s)
{
	const struct nnadev_window *w = &g->conv.window;
	const int32_t *strides = g->conv.input->desc.strides;
	const uint32_t joined = g->joined, across = w->kernel_w / joined;
	const int64_t r = nnadev_window_row(w, y, run / across), last = (int64_t)w->width - joined,
		      step = w->stride_w, next = strides[2];
	int64_t column = nnadev_window_column(w, x, run % across);
	const float **row = s->row + (size_t)run * g->tiles.rows + first, *line;
	float *to = s->a + (size_t)first * g->k + (size_t)run * g->run;

	if (r < 0 || r >= w->height) {
		memset(to, 0, g->run * sizeof(*to));
		for (uint32_t i = 0; i < count; i++)
			row[i] = to;
		return;
	}
	line = (const float *)g->conv.input->data + base + r * strides[1];
	for (uint32_t i = 0; i < count; i++, column += step) {
		if (column >= 0 && column <= last)
			row[i] = line + column * next;
		else
			row[i] = border_run(g, line, column, to + (size_t)i * g->k);
	}
}

/* Finds the tile's rows, which are evenly spaced, and where they are stored. */
static void fill_even(const struct gemm *g, uint32_t set, uint32_t first, uint32_t rows,
		      struct scratch *s)
{
	const float *row = (const float *)g->conv.input->data + set * g->set_steps[0] +
			   first * g->row_steps[0];
	int64_t at = set * g->set_steps[1] + first * g->row_steps[1],
		rat = set * g->set_steps[2] + first * g->row_steps[2];

	for (uint32_t i = 0; i < rows; i++) {
		s->row[i] = row;
		s->at[i] = at;
		s->rat[i] = rat;
		row += g->row_steps[0];
		at += g->row_steps[1];
		rat += g->row_steps[2];
	}
}

/* Finds or copies the tile's rows of a matrix product, and finds where they are stored. */
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

/*
 * Finds or copies the tile's rows of a convolution, one row of the image after the other, and finds
 * where they are stored.
 */
static void fill_conv(const struct gemm *g, uint32_t set, uint32_t first, uint32_t rows,
		      struct scratch *s)
{
	const struct nnahw_tensor *out = &g->conv.output->desc, *in = &g->conv.input->desc,
				*res = &g->conv.residual->desc;
	const bool residual = nnadev_present(g->conv.residual);
	uint32_t index[3];

	nnadev_unflatten(out->dims, 3, first, index);
	for (uint32_t i = 0, n; i < rows; i += n) {
		const uint32_t start[4] = { index[0], index[1], index[2], set * g->n },
			       left = g->conv.out_w - index[2];
		const int64_t at = nnadev_offset(out, start),
			      rat = residual ? nnadev_offset(res, start) : 0,
			      rnext = residual ? res->strides[2] : 0,
			      base = (int64_t)index[0] * in->strides[0] +
				     (int64_t)set * g->conv.group_in;

		n = left < rows - i ? left : rows - i;
		for (uint32_t k = 0; k < n; k++) {
			s->at[i + k] = at + k * (int64_t)out->strides[2];
			s->rat[i + k] = rat + k * rnext;
		}
		for (uint32_t k = 0; g->copied && k < n; k++) {
			float *to = s->a + (size_t)(i + k) * g->k;

			s->row[i + k] = to;
			conv_row(&g->conv, base, index[1], index[2] + k, to);
		}
		for (uint32_t run = 0; !g->copied && run < g->runs; run++)
			find_run(g, base, index[1], index[2], run, i, n, s);
		index[2] += n - 1;
		nnadev_advance(out->dims, 3, index);
	}
}

/* Copies a block of the second matrix of a product of F32: [count][16]; @channels are set. */
static void copy_block(const struct gemm *g, const float *from, uint32_t count, uint32_t channels,
		       float *to)
{
	const int64_t next = g->conv.weights->desc.strides[1],
		      step = g->conv.weights->desc.strides[2];

	if (step == 1) {
		for (uint32_t k = 0; k < count; k++, from += next, to += 16)
			for (uint32_t i = 0; i < 16; i += NNADEV_FLOATS) {
				const uint32_t left = channels > i ? channels - i : 0;

				if (left >= NNADEV_FLOATS)
					nnadev_floats_store(to + i, nnadev_floats_load(from + i));
				else if (left)
					nnadev_floats_store(
						to + i, nnadev_floats_load_some(
								from + i,
								left));
			}
		return;
	}
	for (uint32_t i = 0; i < channels; i++)
		for (uint32_t k = 0; k < count; k++)
			to[k * 16 + i] = from[(int64_t)i * step + k * next];
}

/* Return: weights k in [first, first + count) of a block, [count][16]; those beyond n are zero. */
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
	if (channels < 16)
		memset(b, 0, (size_t)count * 64);
	if (g->matmul && w->desc.type == NNAHW_TYPE_F32) {
		copy_block(g,
			   (const float *)w->data +
				   nnadev_offset(&w->desc, (uint32_t[]){ set, first, block * 16 }),
			   count, channels, b);
		return b;
	}
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
 * struct product - rows by vectors of channels, over a chunk of K
 * @row: first run of the chunk, for each row
 * @at, @rat: elements of output and residual of channel 0, for each row
 * @acc: [rows][CHANNELS]: sums of the previous chunks and of this one
 * @next_run: distance in @row to the next run
 * @run: length of a run
 * @skip: elements of the first run that precede the chunk
 * @count: of the chunk
 * @weights: [count][16] of the first vector
 * @ahead: weights behind the chunk, of the first block
 * @next: distance of the weights of two vectors
 * @fetched: cache lines of each block's next weights that a piece of the chunk prefetches
 * @counts: channels of each vector
 * @bias: [CHANNELS]
 * @channel: the first channel
 * @begun: previous chunks exist
 * @ends: this is the last chunk, so that sums are finished
 */
struct product {
	const float *const *row;
	const int64_t *at, *rat;
	float *acc;
	size_t next_run, run, skip, count;
	const float *weights, *ahead;
	size_t next;
	uint32_t fetched;
	uint32_t counts[VECTORS];
	const float *bias;
	int64_t channel;
	bool begun, ends;
};

/* Finishes and stores whole vectors of sums to an fp32 output. */
static inline __attribute__((always_inline)) void
finish_whole(const struct product *p, const struct nnadev_floats_end *end,
	     const struct nnadev_floats_end *with, const nnadev_floats *bias,
	     nnadev_floats (*c)[VECTORS], const uint32_t rows, const uint32_t vectors)
{
#pragma GCC unroll 12
	for (uint32_t r = 0; r < rows; r++)
#pragma GCC unroll 2
		for (uint32_t j = 0; j < vectors; j++) {
			const int64_t channel = p->channel + j * NNADEV_FLOATS;

			nnadev_floats_end_whole(end, with, c[r][j], bias[j], p->at[r] + channel,
						p->rat[r] + channel);
		}
}

/* Finishes and stores sums. */
static inline __attribute__((always_inline)) void
finish(const struct product *p, const struct nnadev_floats_finish *f,
       nnadev_floats (*c)[VECTORS], const uint32_t rows, const uint32_t vectors)
{
	const struct nnadev_floats_end end = nnadev_floats_end_get(f);
	nnadev_floats bias[VECTORS];

#pragma GCC unroll 2
	for (uint32_t j = 0; j < vectors; j++)
		bias[j] = nnadev_floats_load(p->bias + j * NNADEV_FLOATS);
	if (end.to && p->counts[vectors - 1] == NNADEV_FLOATS) {
		const struct nnadev_floats_end with = nnadev_floats_end_get_residual(f);

		if (end.add)
			finish_whole(p, &end, &with, bias, c, rows, vectors);
		else
			finish_whole(p, &end, NULL, bias, c, rows, vectors);
		return;
	}
#pragma GCC unroll 12
	for (uint32_t r = 0; r < rows; r++)
#pragma GCC unroll 2
		for (uint32_t j = 0; j < vectors; j++) {
			const int64_t channel = p->channel + j * NNADEV_FLOATS;

			nnadev_floats_end_any(&end, f, c[r][j], bias[j], p->counts[j],
					      p->at[r] + channel, p->rat[r] + channel);
		}
}

static inline __attribute__((always_inline)) void
multiply(const struct product *p, const struct nnadev_floats_finish *f, const uint32_t rows,
	 const uint32_t vectors, const bool fetches)
{
	nnadev_floats c[MOST_ROWS][VECTORS];
	const float *const *row = p->row, *b = p->weights, *ahead = p->ahead;
	const size_t next = p->next;

#pragma GCC unroll 12
	for (uint32_t r = 0; r < rows; r++) {
#pragma GCC unroll 2
		for (uint32_t j = 0; j < vectors; j++)
			c[r][j] = nnadev_floats_zero();
	}
	if (p->begun) {
#pragma GCC unroll 12
		for (uint32_t r = 0; r < rows; r++)
#pragma GCC unroll 2
			for (uint32_t j = 0; j < vectors; j++)
				c[r][j] = nnadev_floats_load(p->acc + r * CHANNELS +
							     j * NNADEV_FLOATS);
	}
	for (size_t left = p->count, skip = p->skip, n; left;
	     left -= n, skip = 0, row += p->next_run) {
		const float *a[MOST_ROWS];

		n = p->run - skip < left ? p->run - skip : left;
#pragma GCC unroll 12
		for (uint32_t r = 0; r < rows; r++)
			a[r] = row[r] + skip;
		for (size_t k = 0, end = n; k < n; end = n) {
			if (fetches) {
				end = n - k < PIECE ? n : k + PIECE;
				for (uint32_t i = 0; i < p->fetched; i++, ahead += 16)
#pragma GCC unroll 2
					for (uint32_t j = 0; j < BLOCKS; j++)
						__builtin_prefetch(ahead + j * next);
			}
			for (; k < end; k++, b += 16) {
				nnadev_floats w[VECTORS];

				/*
				 * Makes the compiler keep one index for all rows instead of a
				 * pointer to advance per row.
				 */
				if (vectors == 1)
					__asm__("" : "+r"(k));
#pragma GCC unroll 2
				for (uint32_t j = 0; j < vectors; j++)
					w[j] = nnadev_floats_load(b + j * next);
#pragma GCC unroll 12
				for (uint32_t r = 0; r < rows; r++) {
					const nnadev_floats x = nnadev_floats_of(a[r][k]);

#pragma GCC unroll 2
					for (uint32_t j = 0; j < vectors; j++)
						c[r][j] = nnadev_floats_fma(x, w[j], c[r][j]);
				}
			}
		}
	}
	if (p->ends) {
		finish(p, f, c, rows, vectors);
		return;
	}
#pragma GCC unroll 12
	for (uint32_t r = 0; r < rows; r++)
#pragma GCC unroll 2
		for (uint32_t j = 0; j < vectors; j++)
			nnadev_floats_store(p->acc + r * CHANNELS + j * NNADEV_FLOATS, c[r][j]);
}

/* Multiplies any number of rows up to ROWS or ONE_ROWS. */
static inline __attribute__((always_inline)) void
multiply_rows(const struct product *p, const struct nnadev_floats_finish *f, uint32_t rows,
	      const uint32_t vectors, const bool fetches)
{
	if (rows > (vectors == 1 ? ONE_ROWS : ROWS) || (fetches && rows < ROWS / 2))
		__builtin_unreachable();
	switch (rows) {
#if NNADEV_FLOATS > 8
	case 12:
		multiply(p, f, 12, vectors, fetches);
		break;
	case 11:
		multiply(p, f, 11, vectors, fetches);
		break;
	case 10:
		multiply(p, f, 10, vectors, fetches);
		break;
	case 9:
		multiply(p, f, 9, vectors, fetches);
		break;
#endif
	case 8:
		multiply(p, f, 8, vectors, fetches);
		break;
	case 7:
		multiply(p, f, 7, vectors, fetches);
		break;
	case 6:
		multiply(p, f, 6, vectors, fetches);
		break;
	case 5:
		multiply(p, f, 5, vectors, fetches);
		break;
	case 4:
		multiply(p, f, 4, vectors, fetches);
		break;
	case 3:
		multiply(p, f, 3, vectors, fetches);
		break;
	case 2:
		multiply(p, f, 2, vectors, fetches);
		break;
	case 1:
		multiply(p, f, 1, vectors, fetches);
		break;
	}
}

/* Multiplies all rows of a tile by a chunk, in groups of almost the same size. */
static void multiply_all(const struct product *product, const struct nnadev_floats_finish *f,
			 uint32_t rows, uint32_t vectors)
{
	struct product p = *product;

	for (uint32_t left = rows, n; left; left -= n) {
		n = nnadev_div_up(left, nnadev_div_up(left, vectors == 1 ? ONE_ROWS : ROWS));
		if (vectors == VECTORS && p.fetched)
			multiply_rows(&p, f, n, VECTORS, true);
		else if (vectors == VECTORS)
			multiply_rows(&p, f, n, VECTORS, false);
		else
			multiply_rows(&p, f, n, 1, false);
		p.ahead += p.fetched * (p.count / PIECE) * 16;
		p.row += n;
		p.at += n;
		p.rat += n;
		p.acc += (size_t)n * CHANNELS;
	}
}

/*
 * Return: lines of the next chunk's weights that a piece of this chunk prefetches, so that all are
 * prefetched by the end of the tile's rows. Short chunks, and chunks of few rows, end before
 * prefetching helps.
 */
static uint32_t lines_fetched(const struct gemm *g, const struct product *p, uint32_t rows)
{
	if (g->converted || rows <= ROWS || p->count < SHORTEST_FETCHED)
		return 0;
	return nnadev_div_up(PIECE, nnadev_div_up(rows, ROWS));
}

static uint32_t gemm_tile(const struct nnadev_engine_command *cmd,
			  const struct nnadev_engine_plan *plan, uint32_t phase, uint32_t tile,
			  void *scratch, void *shared)
{
	const struct gemm *g = nnadev_state(plan);
	const uint32_t all = nnadev_div_up(g->n, 16);
	const struct nnadev_area area = nnadev_tiles_area(&g->tiles, tile, g->rows, all);
	const struct nnadev_floats_finish f = nnadev_floats_finish_get(
		g->conv.epilogue, g->conv.output, g->conv.residual);
	const struct nnadev_engine_operand *bias = g->conv.bias;
	const uint32_t end = area.first_block + area.blocks;
	struct scratch s;

	scratch_get(g, g->tiles.rows, scratch, &s);
	if (g->even)
		fill_even(g, area.set, area.first_row, area.rows, &s);
	else if (g->matmul)
		fill_matmul(g, area.set, area.first_row, area.rows, &s);
	else
		fill_conv(g, area.set, area.first_row, area.rows, &s);
	for (uint32_t block = area.first_block, blocks; block < end; block += blocks) {
		const uint32_t first = block * 16, left = (end < all ? end * 16 : g->n) - first,
			       n = left < CHANNELS ? left : CHANNELS,
			       vectors = nnadev_div_up(n, NNADEV_FLOATS);
		float added[CHANNELS] = { 0 };
		struct product p = {
			.next_run = g->tiles.rows,
			.run = g->run,
			.at = s.at,
			.rat = s.rat,
			.acc = s.acc,
			.bias = added,
			.channel = first,
		};

		blocks = nnadev_div_up(n, 16);
		for (uint32_t i = 0; i < vectors; i++)
			p.counts[i] = n - i * NNADEV_FLOATS < NNADEV_FLOATS ?
					      n - i * NNADEV_FLOATS :
					      NNADEV_FLOATS;
		if (nnadev_present(bias) && bias->desc.type == NNAHW_TYPE_F32 &&
		    bias->desc.strides[0] == 1)
			memcpy(added,
			       (const float *)bias->data + first +
				       (g->matmul ? 0 : (size_t)area.set * g->n),
			       n * sizeof(*added));
		else
			for (uint32_t i = 0; i < n && nnadev_present(bias); i++)
				added[i] = nnadev_load_float(
					bias,
					(int64_t)((g->matmul ? 0 : area.set * g->n) + first + i) *
						bias->desc.strides[0]);
		for (uint32_t k = 0; k < g->k; k += CHUNK) {
			p.row = s.row + (size_t)(k / g->run) * g->tiles.rows;
			p.skip = k % g->run;
			p.count = g->k - k < CHUNK ? g->k - k : CHUNK;
			p.begun = k != 0;
			p.ends = p.count == g->k - k;
			p.next = NNADEV_FLOATS < 16 ? NNADEV_FLOATS :
						      (g->converted ? p.count : g->k) * (size_t)16;
			for (uint32_t i = 0; i < blocks; i++) {
				const float *b = get_b(g, area.set, block + i, k, p.count,
						       s.b + i * p.count * (size_t)16);

				p.weights = i ? p.weights : b;
			}
			p.ahead = p.weights + (p.ends ? (size_t)BLOCKS * g->k - k : p.count) * 16;
			p.fetched = lines_fetched(g, &p, area.rows);
			multiply_all(&p, &f, area.rows, vectors);
		}
	}
	return NNAHW_STATUS_OK;
}

/* The most that a tile costs: gathering its rows, and unpacking and finishing each block. */
static uint64_t tile_cost(const void *decoded, uint64_t rows, uint64_t blocks)
{
	const struct gemm *g = decoded;
	const uint64_t window = g->matmul ? 1 : g->conv.window.kernel_h * g->conv.window.kernel_w;
	const uint64_t row = g->copied || g->bordered ? 3ull * g->k + 12 * window + 40 :
							4ull * g->runs + 40,
		       weights = g->conv.layout == NNAHW_LAYOUT_PLAIN ? 200ull * g->k :
				 g->converted			      ? 4ull * g->k :
									0,
		       finish = 200, groups = (rows + ROWS - 1) / ROWS,
		       group = (uint64_t)NNADEV_SLOWER * g->k + 4ull * g->runs;

	return rows * row + blocks * (weights + groups * group + rows * finish + 500);
}

/* Accepts float types with contiguous channels. */
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
		.columns = NNADEV_TILES_COLUMNS,
	};
	nnadev_tiles_cut_product(&g->tiles, &product, threads, tile_cost, g);
	nnadev_tiles_plan(&g->tiles, g->sets, scratch_get(g, g->tiles.rows, NULL, &s), plan);
}

NNADEV_STATE_FITS(struct gemm);
NNADEV_VECTOR_KERNEL(convf) = { NNAHW_OP_CONV, NNADEV_SET_ISA, gemm_accepts, gemm_plan, gemm_tile };
NNADEV_VECTOR_KERNEL(matmulf) = { NNAHW_OP_MATMUL, NNADEV_SET_ISA, gemm_accepts, gemm_plan,
				  gemm_tile };
