// SPDX-License-Identifier: MIT
/*
 * DWCONV on 8-bit types with AVX-512, for packed weights and one output channel per input channel.
 *
 * vpdpbusd adds 4 products of bytes to each of 16 sums. The 4 products of a channel are those of a
 * quad: the elements that 4 kernel rows meet in one column. The lanes of 64 accumulators are
 *
 *   a pixel of 64 channels, or 2 neighbouring ones of 32, or 4 of 16: 4 parts of 16 channels
 *
 * so that lanes are not left empty if there are few channels, or for the last ones. Unpacking
 * interleaves the bytes of 4 input rows and leaves the ith quarter of each part in vector i. Quads
 * go to scratch memory as 4 streams, one for each quarter: the quarters of a pixel's parts, then
 * those of the next pixel. The quads of neighbouring outputs therefore follow each other in a
 * stream, and the same code sums outputs of all three forms, 64 bytes of each stream at a time,
 * wherever the parts of an output begin. With strides, input columns that meet different kernel
 * columns have separate slots of the streams.
 *
 * A kernel of up to 3 rows uses each quad twice: its first 3 elements for one row of output, its
 * last 3 for the next row.
 *
 * vpdpbusd takes unsigned inputs. A signed input x becomes x ^ 0x80 = x + 128, and 128 times the
 * sum of the weights is subtracted from the bias. weight - zero_point needs up to 9 bits. It is
 * split into a saturated byte and a remainder, which is 0 for most weights of most models; only
 * quads of 16 channels with a remainder take a second vpdpbusd.
 */
#include "device/nna/engine/x86/avx512_fixed.h"
#include "device/nna/engine/vector/tiles.h"

#define STREAM 4160u /* bytes of a stream; with a power of two all 4 would share cache sets */
#define QUAD (4 * STREAM)
#define COLUMN 256u   /* bytes of the weights of a column */
#define MOST_SIDE 16u /* of the kernel, strides and dilation */
#define MOST_VECTORS (STREAM / 64)
#define TILE_PRODUCTS (4u << 20)

/**
 * struct dwconv - a depthwise convolution and its tiles' geometry
 * @conv: the command
 * @quads: of kernel rows
 * @slots: number of slots of a stream
 * @beyond: most columns of a slot beyond those that kernel column 0 meets
 * @slot: first column of each slot, relative to the column that kernel column 0 meets
 * @slot_of: slot of each kernel column
 * @paired: a quad serves two rows of output
 * @flip: 0x80 for signed inputs, else 0
 * @limits: of results
 * @tiles: the cut
 */
struct dwconv {
	struct nnadev_conv conv;
	uint32_t quads, slots, beyond;
	uint8_t slot[MOST_SIDE], slot_of[MOST_SIDE];
	bool paired;
	uint8_t flip;
	struct nnadev_fixed_limits limits;
	struct nnadev_tiles tiles;
};

/**
 * struct rest - remainders of the weights of a quad of 16 channels
 * @weights: quads of 16 lanes, for the first and the second row of output
 * @quad, @kx: position in the kernel
 */
struct rest {
	_Alignas(64) int8_t weights[2][64];
	uint32_t quad, kx;
};

/**
 * struct work - the channels that a tile computes together
 * @fixed: constants of the epilogue
 * @g: the command
 * @first: the first channel
 * @channels: how many
 * @parts: of a pixel, 1, 2 or 4
 * @pixels: of a vector, 4 / @parts
 * @across: outputs of a row whose quads are in scratch memory at the same time
 * @depth: pixels in a slot
 * @offset: for each kernel column, where its input begins in a stream
 * @mask: bytes of a pixel that are in use
 * @input: [quads][4][STREAM]
 * @weights: [2][quads][kernel_w][COLUMN]
 * @rest: [4][quads * kernel_w]
 * @rests: entries of @rest in use, for each quarter
 * @padding: a pixel of zero points
 */
struct work {
	struct nnadev_fixed fixed;
	const struct dwconv *g;
	uint32_t first, channels, parts, pixels, across, depth;
	uint32_t offset[MOST_SIDE];
	__mmask64 mask;
	uint8_t *input;
	int8_t *weights[2];
	struct rest *rest;
	uint32_t rests[4];
	_Alignas(64) uint8_t padding[64];
};

/* Assigns kernel columns to slots. kernel_w is at most MOST_SIDE. */
static void slots_get(struct dwconv *g)
{
	const struct nnadev_window *w = &g->conv.window;

	g->slots = 0;
	for (uint32_t kx = 0; kx < w->kernel_w; kx++) {
		const uint32_t first = kx * w->dilation_w % w->stride_w;
		uint32_t i = 0;

		while (i < g->slots && g->slot[i] != first)
			i++;
		if (i == g->slots)
			g->slot[g->slots++] = (uint8_t)first;
		g->slot_of[kx] = (uint8_t)i;
	}
	g->beyond = (w->kernel_w - 1) * w->dilation_w / w->stride_w;
}

/* Decodes the command. Return: true if the kernel supports its geometry. */
static bool dwconv_get(const struct nnadev_engine_command *cmd, struct dwconv *g)
{
	const struct nnadev_window *w = &g->conv.window;
	const struct nnahw_epilogue *e;

	nnadev_conv_get(cmd, &g->conv);
	e = g->conv.epilogue;
	if (w->kernel_h > MOST_SIDE || w->kernel_w > MOST_SIDE || w->stride_w > MOST_SIDE ||
	    w->dilation_w > MOST_SIDE)
		return false;
	slots_get(g);
	g->quads = nnadev_div_up(w->kernel_h, 4);
	g->paired = w->kernel_h <= 3 && w->stride_h == 1;
	g->flip = g->conv.input->desc.type == NNAHW_TYPE_S8 ? 0x80 : 0;
	nnadev_fixed_limits_get(&g->limits, g->conv.output->desc.type, e->zero_point, e->q_min,
				e->q_max, e->once);
	/*
	 * A stream holds at least STREAM / 64 pixels of 64 channels. Pixels of fewer channels allow
	 * proportionally more columns, and rounding to vectors wastes at most 3.
	 */
	return g->slots * (g->beyond + 4) <= STREAM / 64;
}

static uint64_t scratch_get(const struct dwconv *g, uint8_t *base, struct work *k)
{
	const uint64_t kernel = g->quads * g->conv.window.kernel_w;
	struct nnadev_layout l = { .base = base };

	k->input = nnadev_layout_take(&l, (uint64_t)g->quads * QUAD);
	k->weights[0] = nnadev_layout_take(&l, kernel * COLUMN);
	k->weights[1] = nnadev_layout_take(&l, kernel * COLUMN);
	k->rest = nnadev_layout_take(&l, 4 * kernel * sizeof(*k->rest));
	return l.size;
}

/* Interleaves the bytes of 4 vectors into quads. */
static inline __attribute__((always_inline)) void interleave(const __m512i *v, __m512i *quads)
{
	const __m512i a = _mm512_unpacklo_epi8(v[0], v[1]), b = _mm512_unpackhi_epi8(v[0], v[1]),
		      c = _mm512_unpacklo_epi8(v[2], v[3]), d = _mm512_unpackhi_epi8(v[2], v[3]);

	quads[0] = _mm512_unpacklo_epi16(a, c);
	quads[1] = _mm512_unpackhi_epi16(a, c);
	quads[2] = _mm512_unpacklo_epi16(b, d);
	quads[3] = _mm512_unpackhi_epi16(b, d);
}

/* Loads 4 times 16 bytes. */
static inline __attribute__((always_inline)) __m512i load_parts(const void *a, const void *b,
								const void *c, const void *d)
{
	const __m256i low = _mm256_inserti128_si256(
			      _mm256_castsi128_si256(_mm_loadu_si128((const __m128i *)a)),
			      _mm_loadu_si128((const __m128i *)b), 1),
		      high = _mm256_inserti128_si256(
			      _mm256_castsi128_si256(_mm_loadu_si128((const __m128i *)c)),
			      _mm_loadu_si128((const __m128i *)d), 1);

	return _mm512_inserti64x4(_mm512_castsi256_si512(low), high, 1);
}

/* Return: first channel of the constants of part @i. Unused parts repeat the first one. */
static inline uint32_t part_first(const struct work *k, uint32_t i)
{
	const uint32_t first = i % k->parts * 16;

	return first < k->channels ? first : 0;
}

/* Reads multiplier, shift and bias of each lane. Each channel is read once. */
static void read_channels(struct work *k)
{
	const struct nnadev_engine_operand *o = k->g->conv.channels;
	const struct nnahw_channel *from = o->data;
	_Alignas(64) struct nnahw_channel c[64];
	struct nnadev_fixed *f = &k->fixed;

	if (o->desc.dims[0] == 1) {
		const struct nnahw_channel one = *from;

		for (uint32_t i = 0; i < 64; i++)
			c[i] = one;
	} else {
		memcpy(c, from + k->first, k->channels * sizeof(*c));
	}
	for (uint32_t i = k->channels; i < 64; i++)
		c[i] = (struct nnahw_channel){ .shift = 33 };
	for (uint32_t i = 0; i < 4; i++) {
		/* Two members of channels 0 to 3, of two parts. */
		const __m512i at = _mm512_setr_epi32(0, 4, 8, 12, 16, 20, 24, 28, 1, 5, 9, 13, 17,
						     21, 25, 29),
			      two = _mm512_set1_epi32(2);
		const __m512i part0 = _mm512_loadu_si512(c + i * 4),
			      part1 = _mm512_loadu_si512(c + 16 % (k->parts * 16) + i * 4),
			      part2 = _mm512_loadu_si512(c + 32 % (k->parts * 16) + i * 4),
			      part3 = _mm512_loadu_si512(c + 48 % (k->parts * 16) + i * 4);
		const __m512i low = _mm512_permutex2var_epi32(part0, at, part1),
			      high = _mm512_permutex2var_epi32(part2, at, part3);
		const __m256i low_shift = _mm512_castsi512_si256(_mm512_permutex2var_epi32(
				      part0, _mm512_add_epi32(at, two), part1)),
			      high_shift = _mm512_castsi512_si256(_mm512_permutex2var_epi32(
				      part2, _mm512_add_epi32(at, two), part3));

		_mm512_store_si512(f->bias[i], _mm512_shuffle_i64x2(low, high, 0x44));
		_mm512_store_si512(f->multiplier[i], _mm512_shuffle_i64x2(low, high, 0xee));
		_mm512_store_si512(
			f->shift[i],
			_mm512_inserti64x4(_mm512_castsi256_si512(low_shift), high_shift, 1));
	}
}

/*
 * Stores the quads of a kernel column's weights. Adds the part of the products that is due to the
 * flip of signed inputs to @flipped.
 */
static inline void store_weights(struct work *k, uint32_t quad, uint32_t kx, const __m512i *near,
				 const __m512i *left, __m512i *flipped)
{
	const uint32_t n = quad * k->g->conv.window.kernel_w + kx;
	const uint32_t all = k->g->quads * k->g->conv.window.kernel_w;
	const __m512i flip = _mm512_set1_epi8((int8_t)k->g->flip);

	for (uint32_t i = 0; i < 4; i++) {
		const size_t at = n * COLUMN + i * 64;
		struct rest *r;

		_mm512_store_si512(k->weights[0] + at, near[i]);
		_mm512_store_si512(k->weights[1] + at, _mm512_slli_epi32(near[i], 8));
		flipped[i] = _mm512_dpbusd_epi32(flipped[i], flip, near[i]);
		if (!_mm512_test_epi32_mask(left[i], left[i]))
			continue;
		r = &k->rest[i * all + k->rests[i]++];
		_mm512_store_si512(r->weights[0], left[i]);
		_mm512_store_si512(r->weights[1], _mm512_slli_epi32(left[i], 8));
		r->quad = quad;
		r->kx = kx;
		flipped[i] = _mm512_dpbusd_epi32(flipped[i], flip, left[i]);
	}
}

/* Reads weights and constants of the channels. Weights of channels beyond them are unspecified. */
static void read_constants(struct work *k)
{
	const struct nnadev_conv *c = &k->g->conv;
	const struct nnadev_window *w = &c->window;
	const int8_t *from = (const int8_t *)c->weights->data + (size_t)k->first * c->k;
	const __m512i zero = _mm512_set1_epi8((int8_t)c->weights->desc.zero_point);
	const int8_t *part[4];
	__m512i flipped[4];

	for (uint32_t i = 0; i < 4; i++) {
		part[i] = from + (size_t)part_first(k, i) * c->k;
		flipped[i] = _mm512_setzero_si512();
		k->rests[i] = 0;
	}
	for (uint32_t quad = 0; quad < k->g->quads; quad++)
		for (uint32_t kx = 0; kx < w->kernel_w; kx++) {
			__m512i near[4], left[4], near_quads[4], left_quads[4];

			for (uint32_t row = 0; row < 4; row++) {
				const size_t at =
					((size_t)(quad * 4 + row) * w->kernel_w + kx) * 16;
				__m512i v;

				near[row] = left[row] = _mm512_setzero_si512();
				if (quad * 4 + row >= w->kernel_h)
					continue;
				v = load_parts(part[0] + at, part[1] + at, part[2] + at,
					       part[3] + at);
				near[row] = _mm512_subs_epi8(v, zero);
				left[row] = _mm512_sub_epi8(_mm512_sub_epi8(v, zero), near[row]);
			}
			interleave(near, near_quads);
			interleave(left, left_quads);
			store_weights(k, quad, kx, near_quads, left_quads, flipped);
		}
	read_channels(k);
	nnadev_fixed_start(&k->fixed, &k->g->limits);
	for (uint32_t i = 0; i < 4; i++) {
		const __m512i bias = _mm512_load_si512(k->fixed.bias[i]);

		_mm512_store_si512(k->fixed.bias[i], _mm512_sub_epi32(bias, flipped[i]));
		nnadev_fixed_set(&k->fixed, &k->g->limits, i);
	}
}

/* Starts work on channels from @first on: assigns lanes and reads constants. */
static void work_start(struct work *k, uint32_t first, uint32_t blocks, uint32_t parts)
{
	const struct dwconv *g = k->g;
	const struct nnadev_window *w = &g->conv.window;
	uint32_t fit;

	k->first = first;
	k->channels = g->conv.out_c - first < blocks * 16 ? g->conv.out_c - first : blocks * 16;
	k->parts = parts;
	k->pixels = 4 / parts;
	k->mask = k->channels == 64 ? UINT64_MAX : ((uint64_t)1 << k->channels) - 1;
	/* All chunks of a row have the same size, in whole vectors. */
	fit = STREAM / 16 / parts / g->slots / k->pixels * k->pixels;
	fit = (fit - g->beyond) / k->pixels * k->pixels;
	k->across = nnadev_div_up(g->conv.out_w, nnadev_div_up(g->conv.out_w, fit));
	k->across = nnadev_div_up(k->across, k->pixels) * k->pixels;
	k->depth = nnadev_div_up(k->across + g->beyond, k->pixels) * k->pixels;
	for (uint32_t kx = 0; kx < w->kernel_w; kx++)
		k->offset[kx] =
			(g->slot_of[kx] * k->depth + kx * w->dilation_w / w->stride_w) * parts * 16;
	memset(k->padding, g->conv.input->desc.zero_point, sizeof(k->padding));
	read_constants(k);
}

/* Loads the parts of a vector's pixels, which are at p[0], p[1] and so on. */
static inline __attribute__((always_inline)) __m512i
load_pixels(const uint8_t *const *p, const uint32_t pixels, __mmask64 mask)
{
	if (pixels == 1)
		return _mm512_maskz_loadu_epi8(mask, p[0]);
	if (pixels == 2)
		return _mm512_inserti64x4(
			_mm512_castsi256_si512(_mm256_maskz_loadu_epi8((__mmask32)mask, p[0])),
			_mm256_maskz_loadu_epi8((__mmask32)mask, p[1]), 1);
	return _mm512_inserti64x4(
		_mm512_castsi256_si512(_mm256_inserti128_si256(
			_mm256_castsi128_si256(_mm_maskz_loadu_epi8((__mmask16)mask, p[0])),
			_mm_maskz_loadu_epi8((__mmask16)mask, p[1]), 1)),
		_mm256_inserti128_si256(
			_mm256_castsi128_si256(_mm_maskz_loadu_epi8((__mmask16)mask, p[2])),
			_mm_maskz_loadu_epi8((__mmask16)mask, p[3]), 1),
		1);
}

/**
 * struct rows - the 4 input rows of a quad
 * @from: pixel 0 of each row, or padding
 * @keep: all ones; 0 for padding, whose pixels are all the same
 */
struct rows {
	const uint8_t *from[4];
	int64_t keep[4];
};

/* Finds the 4 input rows of a quad. @both: the quad serves two rows of output. */
static void rows_get(const struct work *k, uint32_t batch, int64_t row, uint32_t quad, bool both,
		     struct rows *r)
{
	const struct nnadev_window *w = &k->g->conv.window;
	const int32_t *strides = k->g->conv.input->desc.strides;
	const uint8_t *data =
		(const uint8_t *)k->g->conv.input->data + (int64_t)batch * strides[0] + k->first;
	/*
	 * Elements of a quad beyond the kernel meet weights of 0 or belong to the next row of
	 * output.
	 */
	const uint32_t most = w->kernel_h + both;

	for (uint32_t i = 0; i < 4; i++) {
		const uint32_t ky = quad * 4 + i;
		const int64_t y = row + (int64_t)ky * w->dilation_h;
		const bool inside = ky < most && y >= 0 && y < w->height;

		r->from[i] = inside ? data + y * strides[1] : k->padding;
		r->keep[i] = inside ? -1 : 0;
	}
}

/* Interleaves 4 vectors of input into quads and stores them. */
static inline __attribute__((always_inline)) void store_quads(const __m512i *v, __m512i flip,
							      uint8_t *to)
{
	const __m512i flipped[4] = { _mm512_xor_si512(v[0], flip), _mm512_xor_si512(v[1], flip),
				     _mm512_xor_si512(v[2], flip), _mm512_xor_si512(v[3], flip) };
	__m512i quads[4];

	interleave(flipped, quads);
	_mm512_store_si512(to, quads[0]);
	_mm512_store_si512(to + STREAM, quads[1]);
	_mm512_store_si512(to + 2 * STREAM, quads[2]);
	_mm512_store_si512(to + 3 * STREAM, quads[3]);
}

/* Stores the quads of a vector whose pixels are partly or wholly outside of the image. */
static inline __attribute__((always_inline)) void fill_edge(const struct work *k,
							    const struct rows *r, int64_t column,
							    uint8_t *to, const uint32_t pixels)
{
	const struct nnadev_window *w = &k->g->conv.window;
	const int64_t step = k->g->conv.input->desc.strides[2];
	__m512i v[4];

#pragma GCC unroll 4
	for (uint32_t i = 0; i < 4; i++) {
		const uint8_t *p[4];

#pragma GCC unroll 4
		for (uint32_t n = 0; n < pixels; n++) {
			const int64_t at = column + (int64_t)n * w->stride_w;

			p[n] = at >= 0 && at < w->width ? r->from[i] + (at * step & r->keep[i])
							: k->padding;
		}
		v[i] = load_pixels(p, pixels, k->mask);
	}
	store_quads(v, _mm512_set1_epi8((int8_t)k->g->flip), to);
}

/*
 * Stores the quads of @count vectors inside of the image, from input column @column on. @loads:
 * loads per vector.
 */
static inline __attribute__((always_inline)) void
fill_inside(const struct work *k, const struct rows *r, int64_t column, uint32_t count, uint8_t *to,
	    const uint32_t pixels, const uint32_t loads)
{
	const int64_t step = k->g->conv.input->desc.strides[2],
		      next = step * k->g->conv.window.stride_w;
	const __m512i flip = _mm512_set1_epi8((int8_t)k->g->flip);
	const __mmask64 mask = loads < pixels ? UINT64_MAX : k->mask;
	const int64_t next0 = next & r->keep[0], next1 = next & r->keep[1],
		      next2 = next & r->keep[2], next3 = next & r->keep[3];
	const uint8_t *p0 = r->from[0] + (column * step & r->keep[0]),
		      *p1 = r->from[1] + (column * step & r->keep[1]),
		      *p2 = r->from[2] + (column * step & r->keep[2]),
		      *p3 = r->from[3] + (column * step & r->keep[3]);

	for (; count; count--, to += 64) {
		const __m512i v[4] = {
			load_pixels((const uint8_t *[]){ p0, p0 + next0, p0 + 2 * next0,
							 p0 + 3 * next0 },
				    loads, mask),
			load_pixels((const uint8_t *[]){ p1, p1 + next1, p1 + 2 * next1,
							 p1 + 3 * next1 },
				    loads, mask),
			load_pixels((const uint8_t *[]){ p2, p2 + next2, p2 + 2 * next2,
							 p2 + 3 * next2 },
				    loads, mask),
			load_pixels((const uint8_t *[]){ p3, p3 + next3, p3 + 2 * next3,
							 p3 + 3 * next3 },
				    loads, mask),
		};

		store_quads(v, flip, to);
		p0 += pixels * next0;
		p1 += pixels * next1;
		p2 += pixels * next2;
		p3 += pixels * next3;
	}
}

/* Stores the quads of a slot from input column @column on. */
static inline __attribute__((always_inline)) void
fill_slot(const struct work *k, const struct rows *r, int64_t column, uint8_t *to,
	  const uint32_t pixels, const uint32_t loads)
{
	const struct nnadev_window *w = &k->g->conv.window;
	const int64_t last = (int64_t)(pixels - 1) * w->stride_w, step = last + w->stride_w;
	uint32_t left = k->depth / pixels;

	while (left) {
		uint32_t count = 1;

		if (column >= 0 && column + last < w->width) {
			count = (w->width - 1 - (uint32_t)(column + last)) / (uint32_t)step + 1;
			count = count < left ? count : left;
			fill_inside(k, r, column, count, to, pixels, loads);
		} else {
			fill_edge(k, r, column, to, pixels);
		}
		left -= count;
		column += count * step;
		to += (size_t)count * 64;
	}
}

/*
 * Stores the quads of the outputs from @x on, whose windows begin at input row @row. @both: the
 * quads serve two rows of output. Does not read input rows that no output needs, because their
 * memory may be distant.
 */
static void fill(const struct work *k, uint32_t batch, int64_t row, uint32_t x, bool both)
{
	const struct dwconv *g = k->g;
	const struct nnadev_window *w = &g->conv.window;
	/* Neighbouring pixels are contiguous and form a vector with one load. */
	const bool dense = w->stride_w == 1 && k->channels == k->parts * 16 &&
			   g->conv.input->desc.strides[2] == (int32_t)k->channels;

	for (uint32_t quad = 0; quad < g->quads; quad++) {
		struct rows r;

		rows_get(k, batch, row, quad, both, &r);
		for (uint32_t slot = 0; slot < g->slots; slot++) {
			uint8_t *to = k->input + (size_t)quad * QUAD +
				      (size_t)slot * k->depth * k->parts * 16;
			const int64_t column = nnadev_window_column(w, x, 0) + g->slot[slot];

			if (k->pixels == 1)
				fill_slot(k, &r, column, to, 1, 1);
			else if (k->pixels == 2 && dense)
				fill_slot(k, &r, column, to, 2, 1);
			else if (k->pixels == 2)
				fill_slot(k, &r, column, to, 2, 2);
			else if (dense)
				fill_slot(k, &r, column, to, 4, 1);
			else
				fill_slot(k, &r, column, to, 4, 4);
		}
	}
}

/* Adds the products of all quads with vector @at of the streams. */
static inline __attribute__((always_inline)) void add_any(const struct work *k, uint32_t set,
							  size_t at, __m512i *c)
{
	const struct nnadev_window *w = &k->g->conv.window;
	const int8_t *weights = k->weights[set];

	for (uint32_t quad = 0; quad < k->g->quads; quad++)
		for (uint32_t kx = 0; kx < w->kernel_w; kx++, weights += COLUMN) {
			const uint8_t *p = k->input + quad * QUAD + k->offset[kx] + at * 64;

#pragma GCC unroll 4
			for (uint32_t i = 0; i < 4; i++)
				c[i] = _mm512_dpbusd_epi32(c[i], _mm512_loadu_si512(p + i * STREAM),
							   _mm512_load_si512(weights + i * 64));
		}
}

/* Adds the products with the remainders of the weights. */
static inline __attribute__((always_inline)) void add_rest(const struct work *k, uint32_t set,
							   size_t at, __m512i *c)
{
	const uint32_t all = k->g->quads * k->g->conv.window.kernel_w;

#pragma GCC unroll 4
	for (uint32_t i = 0; i < 4; i++)
		for (uint32_t n = 0; n < k->rests[i]; n++) {
			const struct rest *r = &k->rest[i * all + n];
			const uint8_t *p =
				k->input + r->quad * QUAD + k->offset[r->kx] + i * STREAM + at * 64;

			c[i] = _mm512_dpbusd_epi32(c[i], _mm512_loadu_si512(p),
						   _mm512_load_si512(r->weights[set]));
		}
}

/**
 * struct met - a remainder of a kernel of one quad of 3 columns, and its input
 * @input: for vector 0
 * @weights: quads of 16 lanes
 */
struct met {
	const uint8_t *input;
	const int8_t *weights;
};

/*
 * Resolves the addresses of the remainders for row @set of the output, so that add_met() computes
 * none.
 */
static inline void met_get(const struct work *k, uint32_t set, struct met met[4][3])
{
	for (uint32_t i = 0; i < 4; i++)
		for (uint32_t n = 0; n < k->rests[i]; n++) {
			const struct rest *r = &k->rest[i * 3 + n];

			met[i][n].input = k->input + k->offset[r->kx] + i * STREAM;
			met[i][n].weights = r->weights[set];
		}
}

/* add_rest() for a kernel of one quad of 3 columns. */
static inline __attribute__((always_inline)) void
add_met(const struct work *k, const struct met met[4][3], size_t at, __m512i *c)
{
#pragma GCC unroll 4
	for (uint32_t i = 0; i < 4; i++)
#pragma GCC unroll 1
		for (uint32_t n = 0; n < k->rests[i]; n++)
			c[i] = _mm512_dpbusd_epi32(c[i],
						   _mm512_loadu_si512(met[i][n].input + at * 64),
						   _mm512_load_si512(met[i][n].weights));
}

/**
 * struct out - where a run of vectors is stored
 * @to: the first pixel
 * @step: bytes from one pixel to the next
 * @whole: the pixels of a vector are contiguous
 */
struct out {
	uint8_t *to;
	int64_t step;
	bool whole;
};

static inline __attribute__((always_inline)) void store(const struct work *k, const struct out *o,
							uint8_t *to, __m512i v)
{
	const __m256i low = _mm512_castsi512_si256(v), high = _mm512_extracti64x4_epi64(v, 1);

	if (o->whole) {
		_mm512_mask_storeu_epi8(to, k->pixels == 1 ? k->mask : UINT64_MAX, v);
	} else if (k->pixels == 2) {
		_mm256_mask_storeu_epi8(to, (__mmask32)k->mask, low);
		_mm256_mask_storeu_epi8(to + o->step, (__mmask32)k->mask, high);
	} else {
		const __mmask16 mask = (__mmask16)k->mask;

		_mm_mask_storeu_epi8(to, mask, _mm256_castsi256_si128(low));
		_mm_mask_storeu_epi8(to + o->step, mask, _mm256_extracti128_si256(low, 1));
		_mm_mask_storeu_epi8(to + 2 * o->step, mask, _mm256_castsi256_si128(high));
		_mm_mask_storeu_epi8(to + 3 * o->step, mask, _mm256_extracti128_si256(high, 1));
	}
}

/*
 * Computes vectors [first, end) of a chunk. @set is 1 for the second row of output of the quads.
 * Appends to @doubtful the vectors with a lane that is not proven exact; entries behind them are
 * overwritten. Return: the number of doubtful vectors. @three: the kernel is one quad of 3 columns,
 * and its weights stay in registers.
 */
static inline __attribute__((always_inline)) uint32_t
run(const struct work *k, uint32_t set, uint32_t first, uint32_t end, const struct out *o,
    uint8_t *doubtful, const bool three, const bool rest, const bool is_signed)
{
	const struct nnadev_fixed *f = &k->fixed;
	const struct out out = *o;
	const uint8_t *p0 = k->input + k->offset[0] + first * 64,
		      *p1 = k->input + k->offset[three ? 1 : 0] + first * 64,
		      *p2 = k->input + k->offset[three ? 2 : 0] + first * 64;
	const int64_t step = out.step * k->pixels;
	const __m512 added = f->added;
	uint8_t *to = out.to;
	__m512 scale[4], nudge[4];
	__m512i w[3][4];
	struct met met[4][3];
	uint32_t n = 0;

	if (three && rest)
		met_get(k, set, met);
#pragma GCC unroll 4
	for (uint32_t i = 0; i < 4; i++) {
		scale[i] = _mm512_load_ps(f->scale[i]);
		nudge[i] = _mm512_load_ps(f->nudge[i]);
		if (!three)
			continue;
		w[0][i] = _mm512_load_si512(k->weights[set] + i * 64);
		w[1][i] = _mm512_load_si512(k->weights[set] + COLUMN + i * 64);
		w[2][i] = _mm512_load_si512(k->weights[set] + 2 * COLUMN + i * 64);
	}
	for (uint32_t x = first; x < end; x++, to += step) {
		__m512i c[4], t[4];

#pragma GCC unroll 4
		for (uint32_t i = 0; i < 4; i++)
			c[i] = _mm512_load_si512(f->bias[i]);
		if (three) {
#pragma GCC unroll 4
			for (uint32_t i = 0; i < 4; i++) {
				c[i] = _mm512_dpbusd_epi32(
					c[i], _mm512_loadu_si512(p0 + i * STREAM), w[0][i]);
				c[i] = _mm512_dpbusd_epi32(
					c[i], _mm512_loadu_si512(p1 + i * STREAM), w[1][i]);
				c[i] = _mm512_dpbusd_epi32(
					c[i], _mm512_loadu_si512(p2 + i * STREAM), w[2][i]);
			}
			p0 += 64;
			p1 += 64;
			p2 += 64;
		} else {
			add_any(k, set, x, c);
		}
		if (rest && three)
			add_met(k, met, x, c);
		else if (rest)
			add_rest(k, set, x, c);
#pragma GCC unroll 4
		for (uint32_t i = 0; i < 4; i++)
			t[i] = nnadev_fixed_estimate(c[i], scale[i], nudge[i], added, is_signed);
		doubtful[n] = (uint8_t)x;
		n += !nnadev_fixed_is_exact(t);
		store(k, &out, to, nnadev_fixed_bytes(f, t));
	}
	return n;
}

#define RUN(name, three, rest, is_signed)                                                          \
	static __attribute__((noinline)) uint32_t name(const struct work *k, uint32_t set,         \
						       uint32_t first, uint32_t end,               \
						       const struct out *o, uint8_t *doubtful)     \
	{                                                                                          \
		return run(k, set, first, end, o, doubtful, three, rest, is_signed);               \
	}

RUN(run_3, true, false, false)
RUN(run_3_signed, true, false, true)
RUN(run_3_rest, true, true, false)
RUN(run_3_rest_signed, true, true, true)
RUN(run_any, false, true, false)
RUN(run_any_signed, false, true, true)

static uint32_t run_vectors(const struct work *k, uint32_t set, uint32_t first, uint32_t end,
			    const struct out *o, uint8_t *doubtful)
{
	const bool is_signed = !k->g->limits.rectified,
		   three = k->g->quads == 1 && k->g->conv.window.kernel_w == 3,
		   rest = k->rests[0] || k->rests[1] || k->rests[2] || k->rests[3];

	if (!three)
		return (is_signed ? run_any_signed : run_any)(k, set, first, end, o, doubtful);
	if (rest)
		return (is_signed ? run_3_rest_signed : run_3_rest)(k, set, first, end, o,
								    doubtful);
	return (is_signed ? run_3_signed : run_3)(k, set, first, end, o, doubtful);
}

/*
 * Computes by the exact steps the lanes of a vector that are not proven. The first @pixels of its
 * pixels are in use; @at is the output element of the first one. Not inline, because it is rarely
 * called.
 */
static __attribute__((noinline)) void run_exact(const struct work *k, uint32_t set, uint32_t x,
						uint32_t pixels, int64_t at)
{
	const struct nnadev_fixed *f = &k->fixed;
	const struct nnadev_conv *g = &k->g->conv;
	const bool rectified = k->g->limits.rectified;
	_Alignas(64) int32_t acc[64];
	uint64_t lanes = 0;
	__m512i c[4];

	for (uint32_t i = 0; i < 4; i++)
		c[i] = _mm512_load_si512(f->bias[i]);
	add_any(k, set, x, c);
	add_rest(k, set, x, c);
	for (uint32_t i = 0; i < 4; i++) {
		const __m512 scale = _mm512_load_ps(f->scale[i]),
			     nudge = _mm512_load_ps(f->nudge[i]);
		const __m512i t =
			rectified ? nnadev_fixed_estimate(c[i], scale, nudge, f->added, false)
				  : nnadev_fixed_estimate(c[i], scale, nudge, f->added, true);

		lanes |= (uint64_t)nnadev_fixed_doubtful(t) << 16 * i;
		_mm512_store_si512(acc + i * 16, c[i]);
	}
	for (; lanes; lanes &= lanes - 1) {
		const uint32_t lane = (uint32_t)__builtin_ctzll(lanes), i = lane / 16,
			       part = lane % 16 / 4, pixel = part / k->parts,
			       channel = part % k->parts * 16 + i * 4 + lane % 4;
		const struct nnahw_channel constants = {
			.multiplier = f->multiplier[i][lane % 16],
			.shift = f->shift[i][lane % 16],
		};

		if (pixel < pixels && channel < k->channels)
			nnadev_epilogue_integer(
				g->epilogue, acc[lane], &constants, g->output,
				at + (int64_t)pixel * g->output->desc.strides[2] + channel,
				g->residual, 0);
	}
}

/*
 * Computes the outputs of a row from @x on whose quads are in scratch memory. @at is the output
 * element of the first one.
 */
static void run_chunk(const struct work *k, uint32_t set, uint32_t x, int64_t at)
{
	const struct nnadev_engine_operand *output = k->g->conv.output;
	const uint32_t left = k->g->conv.out_w - x, count = left < k->across ? left : k->across,
		       vectors = count / k->pixels, odd = count % k->pixels;
	const int64_t step = output->desc.strides[2];
	struct out out = { (uint8_t *)output->data + at, step,
			   k->pixels == 1 ||
				   (step == k->channels && k->channels == k->parts * 16) };
	uint8_t doubtful[MOST_VECTORS + 2];
	uint32_t n = run_vectors(k, set, 0, vectors, &out, doubtful);

	if (odd) {
		/* The last vector has unused pixels. */
		_Alignas(64) uint8_t pixels[64];

		out.to = pixels;
		out.step = k->parts * 16;
		out.whole = true;
		n += run_vectors(k, set, vectors, vectors + 1, &out, doubtful + n);
		for (uint32_t i = 0; i < odd; i++)
			memcpy((uint8_t *)output->data + at +
				       (int64_t)(vectors * k->pixels + i) * step,
			       pixels + i * out.step, k->channels);
	}
	for (uint32_t i = 0; i < n; i++)
		run_exact(k, set, doubtful[i], doubtful[i] == vectors ? odd : k->pixels,
			  at + (int64_t)doubtful[i] * k->pixels * step);
}

/* Computes row @y of output and, if @both, the row that shares its quads. */
static void run_rows(const struct work *k, uint32_t batch, uint32_t y, bool both)
{
	const struct nnadev_window *w = &k->g->conv.window;
	const int32_t *out = k->g->conv.output->desc.strides;

	for (uint32_t x = 0; x < k->g->conv.out_w; x += k->across) {
		const int64_t at = (int64_t)batch * out[0] + (int64_t)y * out[1] +
				   (int64_t)x * out[2] + k->first;

		fill(k, batch, nnadev_window_row(w, y, 0), x, both);
		run_chunk(k, 0, x, at);
		if (both)
			run_chunk(k, 1, x, at + (int64_t)w->dilation_h * out[1]);
	}
}

static void run_tile_rows(const struct work *k, const struct nnadev_area *area)
{
	const uint32_t end = area->first_row + area->rows, d = k->g->conv.window.dilation_h;

	if (!k->g->paired || d >= area->rows) {
		for (uint32_t y = area->first_row; y < end; y++)
			run_rows(k, area->set, y, false);
		return;
	}
	/* Rows y and y + d share quads. */
	for (uint32_t first = area->first_row; first < end; first += 2 * d)
		for (uint32_t y = first; y < end && y < first + d; y++)
			run_rows(k, area->set, y, y + d < end);
}

static uint32_t dwconv_tile(const struct nnadev_engine_command *cmd,
			    const struct nnadev_engine_plan *plan, uint32_t phase, uint32_t tile,
			    void *scratch, void *shared)
{
	const struct dwconv *g = nnadev_state(plan);
	const struct nnadev_area area =
		nnadev_tiles_area(&g->tiles, tile, g->conv.out_h, nnadev_div_up(g->conv.out_c, 16));
	uint32_t block = area.first_block, left = area.blocks;
	struct work k;

	k.g = g;
	scratch_get(g, scratch, &k);
	nnadev_tiles_prefetch(&g->conv, &area);
	while (left) {
		/*
		 * 3 blocks are split into 2 and 1, unless reading constants costs more than idle
		 * lanes.
		 */
		const bool many = (uint64_t)area.rows * g->conv.out_w >= 256;
		const uint32_t parts = left > 3 || (left == 3 && !many) ? 4
				       : left > 1			? 2
									: 1,
			       blocks = left < parts ? left : parts;

		work_start(&k, block * 16, blocks, parts);
		run_tile_rows(&k, &area);
		block += blocks;
		left -= blocks;
	}
	return NNAHW_STATUS_OK;
}

/* The most that a tile costs, if no lane is proven exact. */
static uint64_t tile_cost(const void *decoded, uint64_t rows, uint64_t blocks)
{
	const struct dwconv *g = decoded;
	const uint64_t vectors = rows * (g->conv.out_w + 3),
		       window = (uint64_t)g->quads * g->conv.window.kernel_w;

	/* Keeps the products below within 64 bits. */
	if (rows > UINT32_MAX || blocks > UINT32_MAX)
		return UINT64_MAX;
	return (blocks + 3) / 4 *
	       (vectors * (window * 10 + g->quads * g->slots * 60 + 1200) + window * 200 + 4000);
}

/*
 * Accepts 8-bit types with contiguous channels and no residual. The zero point of weights is above
 * -128, so that remainders fit into a byte.
 */
static uint32_t dwconv_accepts(const struct nnadev_engine_command *cmd,
			       struct nnadev_engine_plan *plan)
{
	struct dwconv g;

	if (!nnadev_type_is_quant8(cmd->operands[1].desc.type) ||
	    !nnadev_type_is_quant8(cmd->operands[0].desc.type))
		return nnadev_accept(false);
	return nnadev_accept(dwconv_get(cmd, &g) && g.conv.layout == NNAHW_LAYOUT_PACKED8 &&
			     g.conv.group_out == 1 && !nnadev_present(g.conv.residual) &&
			     g.conv.weights->desc.zero_point > INT8_MIN &&
			     nnadev_tiles_fit(&g.conv, tile_cost, &g));
}

static void dwconv_plan(const struct nnadev_engine_command *cmd, uint32_t threads,
			struct nnadev_engine_plan *plan)
{
	struct dwconv *g = nnadev_state_new(plan);
	struct work k;

	dwconv_get(cmd, g);
	nnadev_tiles_cut_depthwise(&g->tiles, &g->conv, TILE_PRODUCTS, 4, NNADEV_TILES_COLUMNS,
				   threads, tile_cost, g);
	nnadev_tiles_plan(&g->tiles, g->conv.batch, scratch_get(g, NULL, &k), plan);
}

NNADEV_STATE_FITS(struct dwconv);
NNADEV_KERNEL(avx512_dwconv8) = { NNAHW_OP_DWCONV, NNADEV_ENGINE_AVX512, dwconv_accepts,
				  dwconv_plan, dwconv_tile };
