// SPDX-License-Identifier: MIT
/*
 * CONV on 8-bit types with AVX-512. Multiplies packed weights by vpdpbusd, which adds 4 products of
 * an unsigned and a signed byte to each of 16 sums, exactly.
 *
 * A tile is a range of rows (output positions) by a range of blocks of 16 output channels. Weights
 * are read in place: 64 bytes are a quad of k for the 16 channels of a block. Rows of input are
 * read in place if a row is the channels of one position and k is a multiple of 4; other rows are
 * gathered in scratch memory and padded with zeros to a multiple of 64. A few rows by up to 4
 * blocks are multiplied at a time, in up to 24 registers over all of k, and finished from there.
 *
 * Products are of stored numbers. The kernel corrects for
 *
 *   weights' zero point w0   x * (w - w0) = x * w - x * w0: a row's inputs are summed once, and
 *                            all columns start with that sum times -w0
 *   signed inputs x          x is multiplied as x ^ 0x80 = x + 128, and all rows start with the sum
 *                            of the weights times -128
 */
#include "device/nna/engine/x86/avx512_epilogue.h"
#include "device/nna/engine/vector/gemm8.h"

#define ROWS 8u /* of a register tile, at most */
#define A_BYTES (128u << 10) /* of rows in a tile */
#define TILE_PRODUCTS (12u << 20)

/**
 * struct scratch - where the pieces of a tile's scratch memory begin
 * @rows: rows of input
 * @from: start of each row, in the input or in @rows
 * @unproven: accumulators of the groups of a register tile that need the exact steps
 */
struct scratch {
	struct nnadev_gemm8_rows rows;
	const uint8_t **from;
	__m512i (*unproven)[4]; /* [ROWS] */
};

/* Lays out the scratch memory at base; returns its size. */
static uint64_t scratch_get(const struct nnadev_gemm8 *g, uint32_t rows, uint8_t *base,
			    struct scratch *s)
{
	struct nnadev_layout l = { .base = base };

	/* put_steps() writes up to 7 numbers too many, and rows are summed 4 at a time. */
	rows += 7;
	nnadev_gemm8_take(g, rows, &l, &s->rows);
	s->from = nnadev_layout_take(&l, rows * sizeof(*s->from));
	s->unproven = nnadev_layout_take(&l, ROWS * sizeof(*s->unproven));
	return l.size;
}

/* True if rows of input are read in place. */
static inline bool used_in_place(const struct nnadev_gemm8 *g)
{
	return g->in_place && g->k % 4 == 0;
}

/* Loads up to 64 bytes of a row; bytes beyond the row are 0. */
static inline __m512i load_row(const uint8_t *from, uint32_t left, __m512i flip)
{
	const __mmask64 mask = left < 64 ? (1ull << left) - 1 : ~0ull;

	return _mm512_maskz_mov_epi8(mask,
				     _mm512_xor_si512(_mm512_maskz_loadu_epi8(mask, from), flip));
}

/* Gathers a row. */
static inline void put_row(const struct nnadev_gemm8 *g, const struct nnadev_gemm8_rows *s,
			   uint32_t i, const struct nnadev_gemm8_row *row)
{
	const __m512i flip = _mm512_set1_epi8(g->a_signed ? INT8_MIN : 0);
	uint8_t *to = s->a + (size_t)i * g->a_stride;

	for (uint32_t k = 0; k < g->k; k += 64)
		_mm512_store_si512(to + k, load_row(row->from + k, g->k - k, flip));
}

/**
 * struct piece - the bytes that a gathered row takes from one input row
 * @from: address of the bytes for a window at column 0, minus @first: loading from @from puts the
 *	bytes into their place
 * @first: byte offset in the gathered row
 */
struct piece {
	uintptr_t from;
	uint32_t first;
};

/*
 * Finds the pieces, padding excluded, of windows that begin at input row @y. @from is input row 0.
 * Return: the number of pieces.
 */
static uint32_t get_pieces(const struct nnadev_gemm8 *g, const uint8_t *from, int64_t y,
			   struct piece *pieces)
{
	const struct nnadev_window *w = &g->conv.window;
	const uint32_t all = w->kernel_w * g->conv.group_in;
	uint32_t count = 0;

	for (uint32_t ky = 0; ky < w->kernel_h; ky++, y += w->dilation_h) {
		if (y < 0 || y >= w->height)
			continue;
		pieces[count].first = ky * all;
		pieces[count++].from = (uintptr_t)from - ky * all +
				       (uintptr_t)(y * g->conv.input->desc.strides[1]);
	}
	return count;
}

/*
 * Replaces the bytes of @v that @mask selects by those of a piece. @narrow: all are in the first
 * 32.
 */
static inline __attribute__((always_inline)) __m512i load_piece(__m512i v, uint64_t mask,
								uintptr_t from, const bool narrow)
{
	if (narrow)
		return _mm512_zextsi256_si512(_mm256_mask_loadu_epi8(
			_mm512_castsi512_si256(v), (__mmask32)mask, (const void *)from));
	return _mm512_mask_loadu_epi8(v, mask, (const void *)from);
}

/**
 * struct windows - neighbouring windows whose columns are all in the input
 * @pieces: of the first window
 * @whole: mask of the bytes of a piece
 * @zero: a row of padding
 * @flip: flips the sign of signed inputs
 * @step: bytes from one window to the next
 * @to_step: bytes from one gathered row to the next
 */
struct windows {
	const struct piece *pieces;
	uint64_t whole;
	__m512i zero, flip;
	int64_t step, to_step;
};

/* Gathers @count rows. @column: byte offset of the first window's column. */
static inline __attribute__((always_inline)) void
put_inside(const struct windows *w, int64_t column, uint32_t count, uint8_t *to,
	   const uint32_t used, const bool narrow)
{
	const __m512i zero = w->zero, flip = w->flip;
	const int64_t step = w->step, to_step = w->to_step;
	uintptr_t from[3];
	uint64_t mask[3];

#pragma GCC unroll 3
	for (uint32_t k = 0; k < used; k++) {
		from[k] = w->pieces[k].from + (uintptr_t)column;
		mask[k] = w->whole << w->pieces[k].first;
	}
	for (uint32_t n = 0; n < count; n++, to += to_step) {
		__m512i v = zero;

#pragma GCC unroll 3
		for (uint32_t k = 0; k < used; k++) {
			v = load_piece(v, mask[k], from[k], narrow);
			from[k] += (uintptr_t)step;
		}
		_mm512_store_si512(to, _mm512_xor_si512(v, flip));
	}
}

/*
 * Gathers @count rows of output positions in one row of an image. The windows have at most 64 bytes
 * (@narrow: 32), and a kernel row is contiguous in the input. The first is row @i of the tile, at
 * @index of the output.
 */
static inline __attribute__((always_inline)) void
put_windows(const struct nnadev_gemm8 *g, uint32_t set, const uint32_t *index, uint32_t i,
	    uint32_t count, const struct scratch *s, const bool narrow)
{
	const struct nnadev_window *w = &g->conv.window;
	const int32_t *strides = g->conv.input->desc.strides;
	const uint32_t run = g->conv.group_in, all = w->kernel_w * run;
	const uint64_t whole = ~0ull >> (64 - all), row = ~0ull >> (64 - g->k);
	const int64_t last = (int64_t)w->width - w->kernel_w;
	int64_t x = nnadev_window_column(w, index[2], 0);
	uint8_t *to = s->rows.a + (size_t)i * g->a_stride;
	struct piece pieces[64];
	const uint32_t used = get_pieces(g,
					 (const uint8_t *)g->conv.input->data +
						 (int64_t)index[0] * strides[0] +
						 (int64_t)set * run,
					 nnadev_window_row(w, index[1], 0), pieces);
	const struct windows inner = {
		.pieces = pieces,
		.whole = whole,
		.zero = _mm512_maskz_set1_epi8(row, (char)g->conv.input->desc.zero_point),
		.flip = _mm512_maskz_set1_epi8(row, g->a_signed ? INT8_MIN : 0),
		.step = (int64_t)w->stride_w * strides[2],
		.to_step = g->a_stride,
	};
	uint32_t together;

	for (uint32_t n = 0; n < count;
	     n += together, x += (int64_t)together * w->stride_w, to += together * g->a_stride) {
		const int64_t column = x * strides[2];
		uint64_t inside = whole;
		__m512i v = inner.zero;

		together = 1;
		if (used == 3 && x >= 0 && x <= last) {
			together = (uint32_t)(last - x) / w->stride_w + 1;
			together = together < count - n ? together : count - n;
			put_inside(&inner, column, together, to, 3, narrow);
			continue;
		}
		if (x < 0)
			inside = -x < w->kernel_w ? inside << -x * run & whole : 0;
		if (x > last)
			inside &= x < w->width ? ~0ull >> (64 - (w->width - x) * run) : 0;
		for (uint32_t k = 0; k < used; k++)
			v = load_piece(v, inside << pieces[k].first,
				       pieces[k].from + (uintptr_t)column, narrow);
		_mm512_store_si512(to, _mm512_xor_si512(v, inner.flip));
	}
}

/* True if put_windows() can gather the rows. */
static inline bool has_short_windows(const struct nnadev_gemm8 *g)
{
	return g->k <= 64 && g->conv.window.dilation_w == 1 &&
	       (uint32_t)g->conv.input->desc.strides[2] == g->conv.group_in;
}

/* Stores first, first + step, and so on. May write up to 7 numbers beyond @count. */
static inline void put_steps(int64_t *to, int64_t first, int64_t step, uint32_t count)
{
	__m512i v = _mm512_add_epi64(_mm512_set1_epi64(first),
				     _mm512_mullo_epi64(_mm512_set1_epi64(step),
							_mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7)));

	for (uint32_t i = 0; i < count; i += 8) {
		_mm512_storeu_si512(to + i, v);
		v = _mm512_add_epi64(v, _mm512_set1_epi64(8 * step));
	}
}

/*
 * Gathers rows [first, first + rows) of a set, or finds where they lie, and finds where their
 * outputs and residuals are.
 */
static void find_rows(const struct nnadev_gemm8 *g, uint32_t set, uint32_t first, uint32_t rows,
		      const struct scratch *s)
{
	const struct nnahw_tensor *out = &g->conv.output->desc, *res = &g->conv.residual->desc,
				  *in = &g->conv.input->desc;
	const struct nnadev_window *w = &g->conv.window;
	uint32_t index[4], count;

	nnadev_unflatten(out->dims, 3, first, index);
	index[3] = set * g->n;
	for (uint32_t i = 0; i < rows; i += count) {
		const int64_t from = (int64_t)index[0] * in->strides[0] +
				     nnadev_window_row(w, index[1], 0) * in->strides[1] +
				     nnadev_window_column(w, index[2], 0) * in->strides[2] +
				     (int64_t)set * g->conv.group_in;

		count = out->dims[2] - index[2] < rows - i ? out->dims[2] - index[2] : rows - i;
		if (used_in_place(g))
			put_steps((int64_t *)(s->from + i), (intptr_t)g->conv.input->data + from,
				  (int64_t)w->stride_w * in->strides[2], count);
		else if (g->k <= 32)
			put_windows(g, set, index, i, count, s, true);
		else
			put_windows(g, set, index, i, count, s, false);
		put_steps(s->rows.at + i, nnadev_offset(out, index), out->strides[2], count);
		if (g->finish.has_residual)
			put_steps(s->rows.rat + i, nnadev_offset(res, index), res->strides[2],
				  count);
		index[2] = 0;
		nnadev_advance(out->dims, 2, index);
	}
}

/* Computes the initial values of the sums of 4 rows for the weights' zero point. */
static inline __m128i row_begins(const struct nnadev_gemm8 *g, const uint8_t *const *from,
				 __m512i flip)
{
	const uint32_t whole = (g->k - 1) / 64 * 64;
	const __mmask64 last = ~0ull >> (64 - (g->k - whole));
	const __m512i ones = _mm512_set1_epi8(1), last_ones = _mm512_maskz_mov_epi8(last, ones);
	__m512i sum[4], pair[2];
	__m256i half;
	__m128i x;

#pragma GCC unroll 4
	for (uint32_t r = 0; r < 4; r++)
		sum[r] = _mm512_dpbusd_epi32(
			_mm512_setzero_si512(),
			_mm512_xor_si512(_mm512_maskz_loadu_epi8(last, from[r] + whole), flip),
			last_ones);
	for (uint32_t k = 0; k < whole; k += 64)
#pragma GCC unroll 4
		for (uint32_t r = 0; r < 4; r++)
			sum[r] = _mm512_dpbusd_epi32(
				sum[r], _mm512_xor_si512(_mm512_loadu_si512(from[r] + k), flip),
				ones);
	for (uint32_t i = 0; i < 2; i++)
		pair[i] = _mm512_add_epi32(_mm512_unpacklo_epi32(sum[2 * i], sum[2 * i + 1]),
					   _mm512_unpackhi_epi32(sum[2 * i], sum[2 * i + 1]));
	sum[0] = _mm512_add_epi32(_mm512_unpacklo_epi64(pair[0], pair[1]),
				  _mm512_unpackhi_epi64(pair[0], pair[1]));
	half = _mm256_add_epi32(_mm512_castsi512_si256(sum[0]),
				_mm512_extracti64x4_epi64(sum[0], 1));
	x = _mm_add_epi32(_mm256_castsi256_si128(half), _mm256_extracti128_si256(half, 1));
	if (g->a_signed)
		x = _mm_sub_epi32(x, _mm_set1_epi32((int32_t)(128 * g->k)));
	return _mm_mullo_epi32(x, _mm_set1_epi32(-g->conv.weights->desc.zero_point));
}

/*
 * True if rows are contiguous in the input and 64 bytes hold several of them: each position is a
 * row of 8 or 16 channels.
 */
static inline bool lies_dense(const struct nnadev_gemm8 *g)
{
	const struct nnadev_window *w = &g->conv.window;
	const struct nnahw_tensor *in = &g->conv.input->desc;
	const int64_t row = (int64_t)w->width * g->k;

	return used_in_place(g) && (g->k == 8 || g->k == 16) && w->stride_h == 1 &&
	       w->stride_w == 1 &&
	       !memcmp(in->dims, g->conv.output->desc.dims, 3 * sizeof(*in->dims)) &&
	       in->strides[2] == (int64_t)g->k && in->strides[1] == row &&
	       (in->dims[0] == 1 || in->strides[0] == row * w->height);
}

/* Computes the initial values of the sums of @rows contiguous rows. */
static inline void put_dense_begins(const struct nnadev_gemm8 *g, const uint8_t *from,
				    uint32_t rows, int32_t *to)
{
	const __m512i flip = _mm512_set1_epi8(g->a_signed ? INT8_MIN : 0),
		      ones = _mm512_set1_epi8(1),
		      firsts = _mm512_setr_epi32(0, 4, 8, 12, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
	const __m256i zero = _mm256_set1_epi32(-g->conv.weights->desc.zero_point),
		      much = _mm256_set1_epi32(g->a_signed ? (int32_t)(128 * g->k) : 0);
	size_t left = (size_t)rows * g->k;

	for (; left; from += 64, to += 64 / g->k) {
		const __mmask64 mask = left < 64 ? (1ull << left) - 1 : ~0ull;
		__m512i sum = _mm512_dpbusd_epi32(
			_mm512_setzero_si512(),
			_mm512_xor_si512(_mm512_maskz_loadu_epi8(mask, from), flip), ones);
		__m256i x;

		sum = _mm512_add_epi32(sum, _mm512_srli_epi64(sum, 32));
		if (g->k == 8) {
			x = _mm512_cvtepi64_epi32(sum);
		} else {
			sum = _mm512_add_epi32(sum, _mm512_shuffle_epi32(sum, _MM_PERM_BADC));
			x = _mm512_castsi512_si256(_mm512_permutexvar_epi32(firsts, sum));
		}
		x = _mm256_mullo_epi32(_mm256_sub_epi32(x, much), zero);
		if (g->k == 8)
			_mm256_storeu_si256((__m256i *)to, x);
		else
			_mm_storeu_si128((__m128i *)to, _mm256_castsi256_si128(x));
		left -= left < 64 ? left : 64;
	}
}

/* Prepares rows [first, first + rows) of a set. */
static void get_rows(const struct nnadev_gemm8 *g, uint32_t set, uint32_t first, uint32_t rows,
		     const struct scratch *s)
{
	const bool placed = used_in_place(g);
	const __m512i flip = _mm512_set1_epi8(placed && g->a_signed ? INT8_MIN : 0);

	if (placed || has_short_windows(g))
		find_rows(g, set, first, rows, s);
	else
		nnadev_gemm8_fill(g, set, first, rows, &s->rows, put_row);
	if (!placed)
		put_steps((int64_t *)s->from, (intptr_t)s->rows.a, g->a_stride, rows);
	if (!g->conv.weights->desc.zero_point)
		return;
	if (lies_dense(g)) {
		put_dense_begins(g, s->from[0], rows, s->rows.begin);
		return;
	}
	for (uint32_t i = rows; i < nnadev_div_up(rows, 4) * 4; i++)
		s->from[i] = s->from[rows - 1];
	for (uint32_t i = 0; i < rows; i += 4)
		_mm_store_si128((__m128i *)(s->rows.begin + i),
				row_begins(g, s->from + i, flip));
}

/*
 * c += x * b. In assembly, because the compiler would compute several partial sums and spill them.
 */
static inline __attribute__((always_inline)) void multiply_add(__m512i *c, __m512i x, __m512i b)
{
	__asm__("vpdpbusd %[b], %[x], %[c]" : [c] "+v"(*c) : [x] "v"(x), [b] "v"(b));
}

/* Broadcasts a quad of a row to all lanes. */
static inline __attribute__((always_inline)) __m512i load_quad(const uint8_t *from)
{
	int32_t quad;

	memcpy(&quad, from, sizeof(quad));
	return _mm512_set1_epi32(quad);
}

/**
 * struct panel - the weights of up to 4 blocks, and their constants
 * @b: weights
 * @stride: bytes of a block's weights
 * @constants: of the blocks
 * @block: number of the first block
 * @zero: the weights' zero point is not 0
 */
struct panel {
	const int8_t *b;
	size_t stride;
	const struct nnadev_blocks *constants;
	uint32_t block;
	bool zero;
};

/* Describes the group of @rows rows of a tile from @row on, which are finished together. */
static inline __attribute__((always_inline)) struct nnadev_group
get_group(const struct scratch *s, const struct panel *p, uint32_t row, const uint32_t rows,
	  const uint32_t blocks)
{
	return (struct nnadev_group){
		.blocks = blocks,
		.rows = rows,
		.first = p->block * 16,
		.at = s->rows.at + row,
		.rat = s->rows.rat + row,
	};
}

/*
 * Multiplies rows [first, first + rows) of a tile by the blocks of a panel and finishes them.
 * @flip: the rows are read in place from a signed input.
 */
static inline __attribute__((always_inline)) void
run_rows(const struct nnadev_gemm8 *g, const struct scratch *s, const struct panel *p,
	 uint32_t first, const bool flip, const uint32_t rows, const uint32_t blocks)
{
	const uint32_t together = 4 / blocks < rows ? 4 / blocks : rows;
	const struct nnadev_blocks *constants = p->constants;
	const __m512i sign = _mm512_set1_epi8(INT8_MIN);
	const int8_t *b = p->b, *const end = b + p->stride;
	const uint8_t *from[ROWS];
	__m512i c[ROWS][4];
	uint32_t unproven = 0;

#pragma GCC unroll 8
	for (uint32_t r = 0; r < rows; r++) {
		from[r] = s->from[first + r];
#pragma GCC unroll 4
		for (uint32_t i = 0; i < blocks; i++)
			c[r][i] = _mm512_load_si512(constants->fixed.bias[i]);
	}
	if (p->zero) {
#pragma GCC unroll 8
		for (uint32_t r = 0; r < rows; r++) {
			const __m512i begin = _mm512_set1_epi32(s->rows.begin[first + r]);

#pragma GCC unroll 4
			for (uint32_t i = 0; i < blocks; i++)
				c[r][i] = _mm512_add_epi32(c[r][i], begin);
		}
	}
#pragma GCC unroll 1
	for (size_t k = 0; b < end; k += 4, b += 64) {
		__m512i w[4];

#pragma GCC unroll 4
		for (uint32_t i = 0; i < blocks; i++)
			w[i] = _mm512_loadu_si512(b + i * p->stride);
#pragma GCC unroll 8
		for (uint32_t r = 0; r < rows; r++) {
			__m512i x = load_quad(from[r] + k);

			if (flip)
				x = _mm512_xor_si512(x, sign);
#pragma GCC unroll 4
			for (uint32_t i = 0; i < blocks; i++)
				multiply_add(&c[r][i], x, w[i]);
		}
	}
#pragma GCC unroll 8
	for (uint32_t r = 0; r < rows; r += together) {
		const struct nnadev_group group = get_group(s, p, first + r, together, blocks);
		__m512i acc[4];

#pragma GCC unroll 4
		for (uint32_t i = 0; i < together * blocks; i++)
			acc[i] = c[r + i / blocks][i % blocks];
		if (nnadev_group_finish(&g->finish, constants, &group, acc))
			continue;
		unproven |= 1u << r;
#pragma GCC unroll 4
		for (uint32_t i = 0; i < together * blocks; i++)
			s->unproven[r][i] = acc[i];
	}
	/*
	 * After the loop, because a call within it would make the compiler spill the other groups'
	 * accumulators.
	 */
	while (__builtin_expect(unproven, 0)) {
		const uint32_t r = (uint32_t)__builtin_ctz(unproven);
		const struct nnadev_group group = get_group(s, p, first + r, together, blocks);

		nnadev_group_finish_exact(&g->finish, constants, &group, s->unproven[r]);
		unproven &= unproven - 1;
	}
}

/* Computes all rows of the tile by 4 blocks. */
static inline __attribute__((always_inline)) void
run_wide(const struct nnadev_gemm8 *g, const struct scratch *s, const struct panel *p,
	 uint32_t rows, const bool flip)
{
	uint32_t r = 0;

	for (; r + 6 <= rows; r += 6)
		run_rows(g, s, p, r, flip, 6, 4);
	switch (rows - r) {
	case 5:
		run_rows(g, s, p, r, flip, 5, 4);
		break;
	case 4:
		run_rows(g, s, p, r, flip, 4, 4);
		break;
	case 3:
		run_rows(g, s, p, r, flip, 3, 4);
		break;
	case 2:
		run_rows(g, s, p, r, flip, 2, 4);
		break;
	case 1:
		run_rows(g, s, p, r, flip, 1, 4);
		break;
	}
}

/* Computes all rows of the tile by fewer than 4 blocks. */
static inline __attribute__((always_inline)) void
run_narrow(const struct nnadev_gemm8 *g, const struct scratch *s, const struct panel *p,
	   uint32_t rows, const bool flip, const uint32_t blocks)
{
	uint32_t r = 0;

	for (; r + 8 <= rows; r += 8)
		run_rows(g, s, p, r, flip, 8, blocks);
	if ((rows - r) & 4) {
		run_rows(g, s, p, r, flip, 4, blocks);
		r += 4;
	}
	if ((rows - r) & 2) {
		run_rows(g, s, p, r, flip, 2, blocks);
		r += 2;
	}
	if ((rows - r) & 1)
		run_rows(g, s, p, r, flip, 1, blocks);
}

/* Computes all rows of the tile by the blocks of a panel. */
static inline __attribute__((always_inline)) void
run_panel(const struct nnadev_gemm8 *g, const struct scratch *s, const struct panel *p,
	  uint32_t rows, const bool flip)
{
	switch (p->constants->blocks) {
	case 4:
		run_wide(g, s, p, rows, flip);
		break;
	case 3:
		run_narrow(g, s, p, rows, flip, 3);
		break;
	case 2:
		run_narrow(g, s, p, rows, flip, 2);
		break;
	default:
		run_narrow(g, s, p, rows, flip, 1);
		break;
	}
}

/* run_flipped() and run_plain() are not inline, because each is long. */
static __attribute__((noinline)) void run_flipped(const struct nnadev_gemm8 *g,
						  const struct scratch *s, const struct panel *p,
						  uint32_t rows)
{
	run_panel(g, s, p, rows, true);
}

static __attribute__((noinline)) void run_plain(const struct nnadev_gemm8 *g,
						const struct scratch *s, const struct panel *p,
						uint32_t rows)
{
	run_panel(g, s, p, rows, false);
}

/*
 * Subtracts 128 times the sums of weights from biases, because products of flipped inputs are too
 * large by this. Sums 4 blocks at a time, because each addition waits for the one before; missing
 * blocks repeat the first.
 */
static void take_off_128(const struct nnadev_gemm8 *g, const struct panel *p,
			 struct nnadev_blocks *constants)
{
	const uint32_t tail = g->k % 4;
	const __m512i all = _mm512_set1_epi8(-128),
		      last = tail ? _mm512_set1_epi32((int32_t)(0x80808080u >> 8 * (4 - tail))) :
				    all;
	const size_t whole = p->stride - 64;
	__m512i sum[4];
	size_t block[4];

#pragma GCC unroll 4
	for (uint32_t i = 0; i < 4; i++) {
		block[i] = i < constants->blocks ? i * p->stride : 0;
		sum[i] = _mm512_setzero_si512();
	}
	for (size_t at = 0; at < whole; at += 64)
#pragma GCC unroll 4
		for (uint32_t i = 0; i < 4; i++)
			multiply_add(&sum[i], all, _mm512_loadu_si512(p->b + block[i] + at));
#pragma GCC unroll 4
	for (uint32_t i = 0; i < 4; i++) {
		multiply_add(&sum[i], last, _mm512_loadu_si512(p->b + block[i] + whole));
		if (i < constants->blocks) {
			int32_t *bias = constants->fixed.bias[i];

			_mm512_store_si512(bias, _mm512_sub_epi32(_mm512_load_si512(bias), sum[i]));
		}
	}
}

static uint32_t gemm_tile(const struct nnadev_engine_command *cmd,
			  const struct nnadev_engine_plan *plan, uint32_t phase, uint32_t tile,
			  void *scratch, void *shared)
{
	/* Local copy: stores may alias *plan for all that the compiler knows. */
	const struct nnadev_gemm8 g = *(const struct nnadev_gemm8 *)nnadev_state(plan);
	const struct nnadev_area area = nnadev_tiles_area(&g.tiles, tile, g.rows,
							  nnadev_div_up(g.n, 16));
	const uint32_t end = area.first_block + area.blocks;
	const struct nnahw_channel *channels =
		(const struct nnahw_channel *)g.conv.channels->data + (size_t)area.set * g.n;
	struct nnadev_blocks constants;
	struct scratch s;

	scratch_get(&g, g.tiles.rows, scratch, &s);
	get_rows(&g, area.set, area.first_row, area.rows, &s);
	for (uint32_t block = area.first_block; block < end; block += constants.blocks) {
		const struct panel p = {
			.b = nnadev_gemm8_block(&g, area.set, block),
			.stride = (size_t)g.quads * 64,
			.constants = &constants,
			.block = block,
			.zero = g.conv.weights->desc.zero_point,
		};

		nnadev_blocks_start(&constants, &g.finish);
		for (uint32_t i = block; i < end && i < block + 4; i++)
			nnadev_blocks_add(&constants, &g.finish, channels + i * 16,
					  g.n - i * 16 < 16 ? g.n - i * 16 : 16);
		if (g.a_signed)
			take_off_128(&g, &p, &constants);
		if (g.a_signed && used_in_place(&g))
			run_flipped(&g, &s, &p, area.rows);
		else
			run_plain(&g, &s, &p, area.rows);
	}
	return NNAHW_STATUS_OK;
}

/* The most that a tile costs: gathering its rows and finishing each block. */
static uint64_t tile_cost(const void *decoded, uint64_t rows, uint64_t blocks)
{
	const struct nnadev_gemm8 *g = decoded;
	const uint64_t window = g->conv.window.kernel_h * g->conv.window.kernel_w;
	const uint64_t row = g->k / 64 + 8 * window + 40, finish = 220, groups = rows / 6 + 4;

	return rows * row + (blocks + 3) / 4 * groups * g->quads +
	       blocks * (rows * finish + g->quads + 1000);
}

static uint32_t gemm_accepts(const struct nnadev_engine_command *cmd,
			     struct nnadev_engine_plan *plan)
{
	return nnadev_gemm8_accepts_packed(cmd, tile_cost);
}

static void gemm_plan(const struct nnadev_engine_command *cmd, uint32_t threads,
		      struct nnadev_engine_plan *plan)
{
	struct nnadev_gemm8 *g = nnadev_state_new(plan);
	struct nnadev_product product = {
		.together = ROWS,
		.blocks_together = 4,
		.wanted = TILE_PRODUCTS,
		.columns = NNADEV_TILES_COLUMNS,
	};
	struct scratch s;

	nnadev_gemm8_get(cmd, g);
	g->a_stride = nnadev_div_up(g->k, 64) * 64;
	product.cached = A_BYTES / g->a_stride;
	nnadev_gemm8_cut(g, &product, threads, tile_cost);
	nnadev_tiles_plan(&g->tiles, g->sets, scratch_get(g, g->tiles.rows, NULL, &s), plan);
}

NNADEV_STATE_FITS(struct nnadev_gemm8);
NNADEV_KERNEL(avx512_conv8) = { NNAHW_OP_CONV, NNADEV_ENGINE_AVX512, gemm_accepts, gemm_plan,
				gemm_tile };
