// SPDX-License-Identifier: MIT
/*
 * DWCONV on 8-bit types with AVX2.
 *
 * A tile is a range of output rows by a range of blocks of 16 channels; the rows of a block are
 * computed in patches of some columns. For each patch, the input under its windows is widened to 16
 * bits in scratch memory, with the zero point as padding. Each element is stored next to the
 * element that the next kernel row meets, so that vpmaddwd computes two kernel rows at once. Such a
 * paired row is
 *
 *   per column 64 bytes: channels 0-3 and 8-11 as (upper, lower) pairs, then channels 4-7 and 12-15
 *
 * Weights are paired in the same way, minus their zero point. If the kernel has an odd number of
 * rows, the last one is paired with weights of 0.
 */
#include "device/nna/engine/x86/avx2_epilogue.h"
#include "device/nna/engine/vector/channels.h"
#include "device/nna/engine/vector/tiles.h"

/*
 * A tile has no more rows than a patch, so that the input of the patch stays in the L2 cache for
 * all blocks. Neighbouring patches pair the rows and columns at their borders twice; larger patches
 * have fewer of these.
 */
#define PATCH_ROWS 16u
#define PATCH_COLUMNS 64u
#define INPUT_BYTES (128u << 10) /* of the patch's input rows, all channels */
#define PATCH_BYTES (64u << 10) /* of paired rows */
#define TILE_PRODUCTS (1u << 20)

/**
 * struct dwconv - a depthwise convolution and its tiles' geometry
 * @conv: the command
 * @pairs: pairs of kernel rows
 * @step: input rows from one paired row to the next
 * @rows: most rows of a tile
 * @columns: most columns of a patch
 * @finish: constants of the epilogue
 * @tiles: the cut
 */
struct dwconv {
	struct nnadev_conv conv;
	uint32_t pairs, step, rows, columns;
	struct nnadev_finish finish;
	struct nnadev_tiles tiles;
};

struct scratch {
	int16_t *paired; /* [rows][columns][32] */
	int16_t *weights; /* [pairs][kernel_w][32] */
	int32_t *acc; /* [columns][16] */
};

/**
 * struct patch - output positions that are computed together
 * @row, @column: the first position
 * @rows, @columns: how many
 */
struct patch {
	uint32_t row, column, rows, columns;
};

static uint32_t gcd(uint32_t a, uint32_t b)
{
	while (b) {
		uint32_t t = a % b;

		a = b;
		b = t;
	}
	return a;
}

/* Paired rows and columns that @rows and @columns of output need. */
static uint64_t paired_rows(const struct dwconv *g, uint32_t rows)
{
	const struct nnadev_window *w = &g->conv.window;

	return ((uint64_t)(rows - 1) * w->stride_h + 2 * (uint64_t)(g->pairs - 1) * w->dilation_h) /
		       g->step +
	       1;
}

static uint64_t paired_columns(const struct dwconv *g, uint32_t columns)
{
	const struct nnadev_window *w = &g->conv.window;

	return (uint64_t)(columns - 1) * w->stride_w +
	       (uint64_t)(w->kernel_w - 1) * w->dilation_w + 1;
}

/* Bytes of the paired rows; UINT64_MAX if they exceed the limit of scratch memory. */
static uint64_t paired_bytes(const struct dwconv *g, uint32_t rows, uint32_t columns)
{
	const uint64_t all_rows = paired_rows(g, rows), all_columns = paired_columns(g, columns);

	if (all_columns > NNADEV_ENGINE_MAX_SCRATCH / 64 ||
	    all_rows > NNADEV_ENGINE_MAX_SCRATCH / 64 / all_columns)
		return UINT64_MAX;
	return all_rows * all_columns * 64;
}

/* Bytes of the input that @rows of output need, all channels included. */
static uint64_t input_bytes(const struct dwconv *g, uint32_t rows)
{
	const struct nnadev_window *w = &g->conv.window;

	return ((rows - 1) * (uint64_t)w->stride_h + w->kernel_h) * (uint64_t)w->width *
	       (g->conv.out_c / g->conv.group_out);
}

static void dwconv_get(const struct nnadev_engine_command *cmd, struct dwconv *g)
{
	const struct nnadev_window *w = &g->conv.window;

	nnadev_conv_get(cmd, &g->conv);
	g->pairs = w->kernel_h / 2 + w->kernel_h % 2;
	g->step = gcd(w->stride_h, 2 * w->dilation_h);
	g->rows = g->conv.out_h < PATCH_ROWS ? g->conv.out_h : PATCH_ROWS;
	while (g->rows > 1 && input_bytes(g, g->rows) > INPUT_BYTES)
		g->rows--;
	g->columns = g->conv.out_w;
	while (paired_bytes(g, g->rows, g->columns) > PATCH_BYTES) {
		if (g->columns > PATCH_COLUMNS)
			g->columns = nnadev_div_up(g->columns, 2);
		else if (g->rows > 1)
			g->rows /= 2;
		else if (g->columns > 1)
			g->columns = nnadev_div_up(g->columns, 2);
		else
			break;
	}
}

static uint64_t scratch_get(const struct dwconv *g, uint8_t *base, struct scratch *s)
{
	const uint64_t bytes = paired_bytes(g, g->rows, g->columns);
	struct nnadev_layout l = { .base = base };

	if (bytes == UINT64_MAX)
		return bytes;
	s->paired = nnadev_layout_take(&l, bytes);
	s->weights = nnadev_layout_take(&l, (uint64_t)g->pairs * g->conv.window.kernel_w * 64);
	s->acc = nnadev_layout_take(&l, (uint64_t)g->columns * 64);
	return l.size;
}

/**
 * struct reader - which bytes of a position are the input of a block
 * @first: the first byte
 * @bytes: how many
 * @part: size of a load: 1, 2, 4 or 8. Two loads fetch all bytes, and overlap if there are fewer
 *	than 2 * @part
 * @second: where the second load begins
 * @shuffle: index into both loads of each output channel's byte
 */
struct reader {
	uint32_t first, bytes, part, second;
	__m128i shuffle;
};

static void reader_get(struct reader *r, const struct dwconv *g, uint32_t first, uint32_t count)
{
	uint8_t shuffle[16] = { 0 };

	r->first = first / g->conv.group_out;
	r->bytes = (first + count - 1) / g->conv.group_out - r->first + 1;
	r->part = r->bytes >= 8 ? 8 : r->bytes >= 4 ? 4 : r->bytes >= 2 ? 2 : 1;
	r->second = r->first + r->bytes - r->part;
	for (uint32_t i = 0; i < count; i++) {
		const uint32_t at = (first + i) / g->conv.group_out - r->first;

		shuffle[i] = (uint8_t)(at < r->part ? at : at + 2 * r->part - r->bytes);
	}
	r->shuffle = _mm_loadu_si128((const __m128i *)shuffle);
}

/*
 * Loads the 16 channels of a position. Never stores single bytes to memory: a wide load right after
 * byte stores would stall.
 */
static inline __m128i read16(const struct reader *r, const uint8_t *from)
{
	uint32_t low = 0, high = 0;
	__m128i v;

	if (r->bytes == 16)
		return _mm_loadu_si128((const __m128i *)(from + r->first));
	if (r->part == 8) {
		v = _mm_loadl_epi64((const __m128i *)(from + r->first));
		v = _mm_unpacklo_epi64(v, _mm_loadl_epi64((const __m128i *)(from + r->second)));
		return _mm_shuffle_epi8(v, r->shuffle);
	}
	if (r->part == 4) {
		memcpy(&low, from + r->first, 4);
		memcpy(&high, from + r->second, 4);
	} else if (r->part == 2) {
		memcpy(&low, from + r->first, 2);
		memcpy(&high, from + r->second, 2);
		low |= high << 16;
	} else {
		low = from[r->first];
	}
	v = _mm_insert_epi32(_mm_cvtsi32_si128((int)low), (int)high, 1);
	return _mm_shuffle_epi8(v, r->shuffle);
}

static inline __m256i widen(__m128i v, const bool is_signed)
{
	return is_signed ? _mm256_cvtepi8_epi16(v) : _mm256_cvtepu8_epi16(v);
}

static inline void store_pair(__m256i upper, __m256i lower, int16_t *to)
{
	_mm256_store_si256((__m256i *)to, _mm256_unpacklo_epi16(upper, lower));
	_mm256_store_si256((__m256i *)(to + 16), _mm256_unpackhi_epi16(upper, lower));
}

/*
 * Pairs @count columns, @step bytes apart, of two input rows. A row that is NULL lies outside of
 * the input, and all its elements are @outside.
 */
static inline __attribute__((always_inline)) void
pair_columns(const struct reader *r, const uint8_t *upper, const uint8_t *lower, int64_t step,
	     uint32_t count, __m256i outside, const bool is_signed, int16_t *to)
{
	if (upper && lower && r->bytes == 16) {
		upper += r->first;
		lower += r->first;
		for (uint32_t i = 0; i < count; i++, upper += step, lower += step, to += 32)
			store_pair(widen(_mm_loadu_si128((const __m128i *)upper), is_signed),
				   widen(_mm_loadu_si128((const __m128i *)lower), is_signed), to);
		return;
	}
	for (uint32_t i = 0; i < count; i++, to += 32)
		store_pair(upper ? widen(read16(r, upper + i * step), is_signed) : outside,
			   lower ? widen(read16(r, lower + i * step), is_signed) : outside, to);
}

/*
 * Builds the paired row of input row @row: @columns columns from input column @column on, for the
 * channels that @r reads.
 */
static void pair_row(const struct dwconv *g, const struct reader *r, uint32_t batch, int64_t row,
		     int64_t column, uint32_t columns, int16_t *to)
{
	const struct nnadev_window *w = &g->conv.window;
	const int32_t *s = g->conv.input->desc.strides;
	/* Columns of padding before the input. @right is where the input ends. */
	const uint32_t left = column >= 0	   ? 0 :
			      -column < columns ? (uint32_t)-column :
						  columns;
	const int64_t end = w->width - column;
	const uint32_t right = end < left ? left : end < columns ? (uint32_t)end : columns;
	const uint8_t *data = (const uint8_t *)g->conv.input->data + (int64_t)batch * s[0] +
			      (column + left) * s[2];
	const int64_t second = row + w->dilation_h;
	const uint8_t *upper = row >= 0 && row < w->height ? data + row * s[1] : NULL;
	const uint8_t *lower = second >= 0 && second < w->height ? data + second * s[1] : NULL;
	const __m256i outside = _mm256_set1_epi16((int16_t)g->conv.input->desc.zero_point);

	pair_columns(r, NULL, NULL, 0, left, outside, false, to);
	if (g->conv.input->desc.type == NNAHW_TYPE_S8)
		pair_columns(r, upper, lower, s[2], right - left, outside, true, to + left * 32);
	else
		pair_columns(r, upper, lower, s[2], right - left, outside, false, to + left * 32);
	pair_columns(r, NULL, NULL, 0, columns - right, outside, false, to + right * 32);
}

/*
 * Loads kernel element @k of each of the 16 channels of a block of packed weights, minus the zero
 * point.
 */
static inline __m256i load_weights(const struct dwconv *g, uint32_t block, uint32_t k)
{
	const struct nnadev_engine_operand *w = g->conv.weights;
	const int8_t *from = (const int8_t *)w->data + ((size_t)block * g->conv.k + k) * 16;

	return _mm256_sub_epi16(_mm256_cvtepi8_epi16(_mm_loadu_si128((const __m128i *)from)),
				_mm256_set1_epi16((int16_t)w->desc.zero_point));
}

/* Pairs a block of packed weights as pair_columns() pairs the input. */
static void pair_packed(const struct dwconv *g, uint32_t block, int16_t *to)
{
	const struct nnadev_window *w = &g->conv.window;

	for (uint32_t ky = 0; ky < w->kernel_h; ky += 2)
		for (uint32_t kx = 0; kx < w->kernel_w; kx++, to += 32) {
			const uint32_t k = ky * w->kernel_w + kx;
			const __m256i u = load_weights(g, block, k),
				      l = ky + 1 < w->kernel_h ?
						  load_weights(g, block, k + w->kernel_w) :
						  _mm256_setzero_si256();

			_mm256_store_si256((__m256i *)to, _mm256_unpacklo_epi16(u, l));
			_mm256_store_si256((__m256i *)(to + 16), _mm256_unpackhi_epi16(u, l));
		}
}

/* Pairs weights in any order. @sums are those of the weights minus their zero point. */
static void pair_plain(const struct dwconv *g, uint32_t first, uint32_t count, int16_t *to,
		       int32_t *sums)
{
	const struct nnadev_window *w = &g->conv.window;

	memset(to, 0, (size_t)g->pairs * w->kernel_w * 64);
	for (uint32_t ky = 0; ky < w->kernel_h; ky++)
		for (uint32_t kx = 0; kx < w->kernel_w; kx++)
			for (uint32_t i = 0; i < count; i++) {
				const int64_t at = nnadev_conv_weight(&g->conv, first + i, ky, kx,
								      0);
				const int16_t v = (int16_t)nnadev_load_centred(g->conv.weights, at);
				/* Channels 0-3, 4-7, 8-11, 12-15 are at pairs 0, 8, 4, 12. */
				const uint32_t place = (i & 3) + (i >> 2 & 1) * 8 + (i >> 3) * 4;

				to[((size_t)(ky / 2) * w->kernel_w + kx) * 32 + place * 2 +
				   ky % 2] = v;
				sums[i] += v;
			}
}

/*
 * Computes the accumulators of @columns outputs of a row, in the order of the pairs. Paired rows
 * are @stride elements apart.
 */
static void row_any(const struct dwconv *g, uint32_t columns, const int16_t *rows, size_t stride,
		    const int16_t *weights, int32_t *acc)
{
	const struct nnadev_window *w = &g->conv.window;

	for (uint32_t x = 0; x < columns; x++, acc += 16, rows += w->stride_w * 32) {
		__m256i c0 = _mm256_setzero_si256(), c1 = c0;
		const int16_t *k = weights;

		for (uint32_t pair = 0; pair < g->pairs; pair++)
			for (uint32_t kx = 0; kx < w->kernel_w; kx++, k += 32) {
				const int16_t *p = rows + pair * stride + kx * w->dilation_w * 32;

				c0 = _mm256_add_epi32(
					c0, _mm256_madd_epi16(NNADEV_LOAD(p), NNADEV_LOAD(k)));
				c1 = _mm256_add_epi32(c1, _mm256_madd_epi16(NNADEV_LOAD(p + 16),
									    NNADEV_LOAD(k + 16)));
			}
		_mm256_store_si256((__m256i *)acc, c0);
		_mm256_store_si256((__m256i *)(acc + 8), c1);
	}
}

/* Does so for a 3x3 kernel, half a block at a time, so that the weights stay in registers. */
static void row_3x3(const struct dwconv *g, uint32_t columns, const int16_t *rows, size_t stride,
		    const int16_t *weights, int32_t *acc)
{
	const size_t next = g->conv.window.stride_w * 32, right = g->conv.window.dilation_w * 32;

	for (uint32_t half = 0; half < 2; half++, rows += 16, weights += 16, acc += 8) {
		const __m256i k0 = NNADEV_LOAD(weights), k1 = NNADEV_LOAD(weights + 32),
			      k2 = NNADEV_LOAD(weights + 64);
		const __m256i k3 = NNADEV_LOAD(weights + 96), k4 = NNADEV_LOAD(weights + 128),
			      k5 = NNADEV_LOAD(weights + 160);
		const int16_t *p = rows, *q = rows + stride;
		int32_t *to = acc;

		for (uint32_t x = 0; x < columns; x++, p += next, q += next, to += 16) {
			__m256i c = _mm256_madd_epi16(k0, NNADEV_LOAD(p)),
				d = _mm256_madd_epi16(k3, NNADEV_LOAD(q));

			c = _mm256_add_epi32(c, _mm256_madd_epi16(k1, NNADEV_LOAD(p + right)));
			d = _mm256_add_epi32(d, _mm256_madd_epi16(k4, NNADEV_LOAD(q + right)));
			c = _mm256_add_epi32(c, _mm256_madd_epi16(k2, NNADEV_LOAD(p + 2 * right)));
			d = _mm256_add_epi32(d, _mm256_madd_epi16(k5, NNADEV_LOAD(q + 2 * right)));
			_mm256_store_si256((__m256i *)to, _mm256_add_epi32(c, d));
		}
	}
}

/* Finishes and stores the outputs of a row. Its first element is at @at, the residual's at @rat. */
static void finish_row(const struct dwconv *g, uint32_t columns, const struct nnadev_finish *f,
		       const struct nnadev_block *b, const int32_t *acc, int64_t at, int64_t rat)
{
	const int64_t step = g->conv.output->desc.strides[2],
		      next = g->conv.residual->desc.strides[2];
	uint32_t x = 0;

	for (; x + 4 <= columns; x += 4, acc += 64, at += 4 * step, rat += 4 * next)
		nnadev_finish_rows(f, b, NNADEV_PAIRED, acc, 4,
				   (int64_t[]){ at, at + step, at + 2 * step, at + 3 * step },
				   (int64_t[]){ rat, rat + next, rat + 2 * next, rat + 3 * next },
				   0);
	for (; x < columns; x++, acc += 16, at += step, rat += next)
		nnadev_finish_rows(f, b, NNADEV_PAIRED, acc, 1, &at, &rat, 0);
}

/* Computes a patch for the 16 channels that @r reads, from channel @first on. */
static void run_patch(const struct dwconv *g, const struct nnadev_finish *f,
		      const struct nnadev_block *b, const struct reader *r, const struct scratch *s,
		      uint32_t batch, uint32_t first, const struct patch *p)
{
	const struct nnadev_window *w = &g->conv.window;
	const uint32_t needed = (uint32_t)paired_rows(g, p->rows),
		       columns = (uint32_t)paired_columns(g, p->columns);
	const size_t stride = (size_t)columns * 32,
		     pair_stride = 2 * w->dilation_h / g->step * stride;
	const uint32_t index[] = { batch, p->row, p->column, first };
	int64_t at = nnadev_offset(&g->conv.output->desc, index),
		rat = nnadev_present(g->conv.residual) ?
			      nnadev_offset(&g->conv.residual->desc, index) :
			      0;

	for (uint32_t i = 0; i < needed; i++)
		pair_row(g, r, batch, nnadev_window_row(w, p->row, 0) + (int64_t)i * g->step,
			 nnadev_window_column(w, p->column, 0), columns, s->paired + i * stride);
	for (uint32_t y = 0; y < p->rows; y++) {
		const int16_t *from = s->paired + (size_t)y * w->stride_h / g->step * stride;

		if (w->kernel_h == 3 && w->kernel_w == 3)
			row_3x3(g, p->columns, from, pair_stride, s->weights, s->acc);
		else
			row_any(g, p->columns, from, pair_stride, s->weights, s->acc);
		finish_row(g, p->columns, f, b, s->acc, at, rat);
		at += g->conv.output->desc.strides[1];
		rat += g->conv.residual->desc.strides[1];
	}
}

static uint32_t dwconv_tile(const struct nnadev_engine_command *cmd,
			    const struct nnadev_engine_plan *plan, uint32_t phase, uint32_t tile,
			    void *scratch, void *shared)
{
	/* Local copies: stores may alias *plan for all that the compiler knows. */
	const struct dwconv g = *(const struct dwconv *)nnadev_state(plan);
	const struct nnadev_finish finish = g.finish;
	const struct nnadev_area area = nnadev_tiles_area(&g.tiles, tile, g.conv.out_h,
							  nnadev_div_up(g.conv.out_c, 16));
	struct scratch s = { 0 };
	struct patch p = { .row = area.first_row, .rows = area.rows };

	scratch_get(&g, scratch, &s);
	for (uint32_t block = area.first_block; block < area.first_block + area.blocks; block++) {
		const uint32_t first = block * 16,
			       count = g.conv.out_c - first < 16 ? g.conv.out_c - first : 16;
		struct nnadev_block constants;
		struct reader reader;
		int32_t sums[16] = { 0 }, bias[16];

		if (g.conv.layout == NNAHW_LAYOUT_PLAIN)
			pair_plain(&g, first, count, s.weights, sums);
		else
			pair_packed(&g, block, s.weights);
		nnadev_channels_get(&g.conv, first, count, sums, constants.channel, bias);
		nnadev_block_get(&constants, &finish, count, bias, NNADEV_PAIRED);
		reader_get(&reader, &g, first, count);
		for (p.column = 0; p.column < g.conv.out_w; p.column += p.columns) {
			p.columns = g.conv.out_w - p.column;
			p.columns = p.columns < g.columns ? p.columns : g.columns;
			run_patch(&g, &finish, &constants, &reader, &s, area.set, first, &p);
		}
	}
	return NNAHW_STATUS_OK;
}

/* The most that a tile costs. */
static uint64_t tile_cost(const void *decoded, uint64_t rows, uint64_t blocks)
{
	const struct dwconv *g = decoded;
	const uint64_t patches = nnadev_div_up(g->conv.out_w, g->columns),
		       patch = paired_bytes(g, g->rows, g->columns) / 64,
		       position = g->conv.group_out == 1 ? 60 : 80, finish = 220,
		       window = (uint64_t)g->pairs * g->conv.window.kernel_w;

	if (patch > NNADEV_TILES_MOST_COST || rows > g->rows)
		return UINT64_MAX;
	return blocks * (patches * (patch * position + 200) + 160ull * g->conv.k +
			 rows * g->conv.out_w * (window + finish) + 1000);
}

/* Accepts contiguous channels, if the window of an output fits into scratch memory. */
static uint32_t dwconv_accepts(const struct nnadev_engine_command *cmd,
			       struct nnadev_engine_plan *plan)
{
	struct scratch s;
	struct dwconv g;

	if (!nnadev_type_is_quant8(cmd->operands[1].desc.type))
		return nnadev_accept(false);
	dwconv_get(cmd, &g);
	return nnadev_accept(nnadev_tiles_fit(&g.conv, tile_cost, &g) &&
			     scratch_get(&g, NULL, &s) <= NNADEV_ENGINE_MAX_SCRATCH);
}

static void dwconv_plan(const struct nnadev_engine_command *cmd, uint32_t threads,
			struct nnadev_engine_plan *plan)
{
	struct dwconv *g = nnadev_state_new(plan);
	struct scratch s;

	dwconv_get(cmd, g);
	nnadev_finish_get(&g->finish, g->conv.epilogue, g->conv.output, g->conv.residual);
	nnadev_tiles_cut_depthwise(&g->tiles, &g->conv, TILE_PRODUCTS, 1,
				   NNADEV_TILES_COLUMNS_UNPACKED, threads, tile_cost, g);
	nnadev_tiles_plan(&g->tiles, g->conv.batch, scratch_get(g, NULL, &s), plan);
}

NNADEV_STATE_FITS(struct dwconv);
NNADEV_KERNEL(avx2_dwconv8) = { NNAHW_OP_DWCONV, NNADEV_ENGINE_AVX2, dwconv_accepts, dwconv_plan,
				dwconv_tile };
