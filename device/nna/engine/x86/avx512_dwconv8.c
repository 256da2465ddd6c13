// SPDX-License-Identifier: MIT
/*
 * DWCONV on 8-bit types with AVX-512, where each channel has one output channel and weights are
 * packed.
 *
 * vpdpbusd adds 4 products of bytes to each of 16 sums. For a channel the 4 are the elements that 4
 * rows of the kernel meet in a column: a quad. The lanes of 64 accumulators are
 *
 *   a pixel of 64 channels, or 2 neighbouring ones of 32, or 4 of 16: 4 parts of 16 channels
 *
 * so that few channels, or the last ones, do not leave lanes empty. Bytes of 4 input rows are put
 * next to each other by unpacking, which leaves the ith quarter of each part in vector i. Quads go
 * to scratch memory as 4 streams, one for each quarter: the quarters of a pixel's parts, then those
 * of the next pixel. So what an output's neighbours meet lies behind what it meets itself, and
 * outputs of all three forms are summed by the same code, 64 bytes of each stream at a time,
 * wherever the parts of an output begin. With strides, columns that meet different elements of the
 * kernel make separate slots of the streams.
 *
 * A kernel of up to 3 rows meets with the first 3 elements of a quad one row of output, and with
 * the last 3 the next one: the quads are used twice.
 *
 * Inputs are unsigned there: signed ones are x ^ 0x80 = x + 128, and 128 times the sum of the
 * weights is taken off the bias. Weights minus their zero point have up to 9 bits. What the sum of
 * two bytes is taken for: the nearest byte, and what that leaves, which is 0 for most weights of
 * most models; only quads of 16 channels where it is not are multiplied once more.
 */
#include "device/nna/engine/x86/avx512_fixed.h"
#include "device/nna/engine/vector/tiles.h"

#define STREAM 4160u /* bytes of a stream: not a power of two, or all four fell on the same sets */
#define QUAD (4 * STREAM)
#define COLUMN 256u   /* bytes of a column's weights */
#define MOST_SIDE 16u /* of the kernel */
#define MOST_VECTORS (STREAM / 64)
#define TILE_PRODUCTS (4u << 20)

/**
 * struct dwconv - a depthwise convolution and its tiles' geometry
 * @conv: the command
 * @quads: of kernel rows
 * @slots: of the streams
 * @slot: the first column of each, from the column that element 0 of the kernel meets
 * @slot_of: of each column of the kernel
 * @beyond: columns of a slot beyond those that element 0 of the kernel meets, at most
 * @paired: quads serve two rows of output
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
 * struct rest - weights that are to be multiplied once more
 * @weights: 16 lanes' quads, for the first row of output and the second one
 * @quad, @kx: which
 */
struct rest {
	_Alignas(64) int8_t weights[2][64];
	uint32_t quad, kx;
};

/**
 * struct work - what a tile knows of the channels that it computes together
 * @fixed: constants of the epilogue
 * @g: the command
 * @first: the first channel
 * @channels: how many
 * @parts: of a pixel, 1, 2 or 4
 * @pixels: of a vector, 4 / @parts
 * @across: outputs of a row whose quads are there together
 * @depth: pixels in a slot
 * @offset: for each column of the kernel, where in a stream what it meets begins
 * @mask: which bytes of a pixel are in use
 * @input: [quads][4][STREAM]
 * @weights: [2][quads][kernel_w][COLUMN]
 * @rest: [4][quads * kernel_w]
 * @rests: [4]: of @rest in use, for each quarter
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

/* The kernel is within MOST_SIDE. */
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

/* Return: whether the kernel can compute it. */
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
	/* Of parts of 16 channels there are as many more columns, and at most 3 are not needed. */
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

/* Puts bytes of 4 vectors next to each other. */
static inline __attribute__((always_inline)) void interleave(const __m512i *v, __m512i *quads)
{
	const __m512i a = _mm512_unpacklo_epi8(v[0], v[1]), b = _mm512_unpackhi_epi8(v[0], v[1]),
		      c = _mm512_unpacklo_epi8(v[2], v[3]), d = _mm512_unpackhi_epi8(v[2], v[3]);

	quads[0] = _mm512_unpacklo_epi16(a, c);
	quads[1] = _mm512_unpackhi_epi16(a, c);
	quads[2] = _mm512_unpacklo_epi16(b, d);
	quads[3] = _mm512_unpackhi_epi16(b, d);
}

/* 4 times 16 bytes. */
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

/* Where the constants of part i begin; parts that are not in use are the first one again. */
static inline uint32_t part_first(const struct work *k, uint32_t i)
{
	const uint32_t first = i % k->parts * 16;

	return first < k->channels ? first : 0;
}

/* The multiplier, shift and bias of each lane, each channel read once. */
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
		/* Member m of channels 0 to 3 of two vectors, and of the other two behind them. */
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
 * Stores the quads of a column of weights. @flipped: adds to what signed inputs are too much in
 * all.
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

/* Reads the weights and the constants of the channels; of those beyond, weights are any. */
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

/* Begins to work on channels from @first on: how the lanes are used, and their constants. */
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
	/* All chunks of a row alike, of whole vectors. */
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

/* The parts of a vector's pixels, which are at p[0] and so on. */
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
 * @from: pixel 0 of each, or padding
 * @keep: all ones; 0 for padding, of which all pixels are the same
 */
struct rows {
	const uint8_t *from[4];
	int64_t keep[4];
};

/* @both: the quads are those of two rows of output. */
static void rows_get(const struct work *k, uint32_t batch, int64_t row, uint32_t quad, bool both,
		     struct rows *r)
{
	const struct nnadev_window *w = &k->g->conv.window;
	const int32_t *strides = k->g->conv.input->desc.strides;
	const uint8_t *data =
		(const uint8_t *)k->g->conv.input->data + (int64_t)batch * strides[0] + k->first;
	/* Elements of quads beyond the kernel meet weights of 0, or those of the next output. */
	const uint32_t most = w->kernel_h + both;

	for (uint32_t i = 0; i < 4; i++) {
		const uint32_t ky = quad * 4 + i;
		const int64_t y = row + (int64_t)ky * w->dilation_h;
		const bool inside = ky < most && y >= 0 && y < w->height;

		r->from[i] = inside ? data + y * strides[1] : k->padding;
		r->keep[i] = inside ? -1 : 0;
	}
}

/* Puts together and stores the quads of 4 vectors of input. */
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

/* The quads of a vector of which not all pixels are inside of the image. */
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
 * The quads of `count` vectors inside of the image, from input column @column on; @loads: how many
 * times a vector is loaded.
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

/* Puts together the quads of a slot from input column @column on. */
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
 * Puts together the quads under outputs from @x on, whose windows begin at input row @row, for one
 * row of output or @both that share quads: not more is read than needed, which may be far away.
 */
static void fill(const struct work *k, uint32_t batch, int64_t row, uint32_t x, bool both)
{
	const struct dwconv *g = k->g;
	const struct nnadev_window *w = &g->conv.window;
	/* Neighbouring pixels make one vector as they are. */
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

/* Adds the products of all quads with vector `at` of the streams. */
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

/* Adds what the nearest bytes of weights leave. */
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
 * struct met - what is left of weights of a kernel of a quad of 3 columns, and what it meets
 * @input: of vector 0
 * @weights: 16 lanes' quads
 */
struct met {
	const uint8_t *input;
	const int8_t *weights;
};

/* Of the weights for row @set of the output, so that add_met() has no addresses to work out. */
static inline void met_get(const struct work *k, uint32_t set, struct met met[4][3])
{
	for (uint32_t i = 0; i < 4; i++)
		for (uint32_t n = 0; n < k->rests[i]; n++) {
			const struct rest *r = &k->rest[i * 3 + n];

			met[i][n].input = k->input + k->offset[r->kx] + i * STREAM;
			met[i][n].weights = r->weights[set];
		}
}

/* What add_rest() does, for such a kernel. */
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
 * @step: bytes from one to the next
 * @whole: pixels of a vector lie next to each other
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
 * Computes vectors [first, end) of a chunk; @set is 1 for the second row of the quads. Writes to
 * @doubtful the vectors of which a lane is not proven, one after the other; the others of it are
 * overwritten. Return: how many they are. With @three the kernel is a quad of 3 columns, and the
 * weights stay in registers.
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
 * The exact steps for those lanes of a vector that are not proven; of its pixels the first @pixels
 * are in use, and @at is the element of output of the first one. Not in line: it is rare.
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

/* The outputs of a row from @x on whose quads are there; @at is the element of the first one. */
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
		/* The last vector: not all of its pixels are there. */
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

/* Row @y of output, and the one that shares its quads if @both. */
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

static void run_part(const struct work *k, const struct nnadev_part *part)
{
	const uint32_t end = part->first_row + part->rows, d = k->g->conv.window.dilation_h;

	if (!k->g->paired || d >= part->rows) {
		for (uint32_t y = part->first_row; y < end; y++)
			run_rows(k, part->set, y, false);
		return;
	}
	/* Rows y and y + d share quads. */
	for (uint32_t first = part->first_row; first < end; first += 2 * d)
		for (uint32_t y = first; y < end && y < first + d; y++)
			run_rows(k, part->set, y, y + d < end);
}

static uint32_t dwconv_tile(const struct nnadev_engine_command *cmd,
			    const struct nnadev_engine_plan *plan, uint32_t phase, uint32_t tile,
			    void *scratch, void *shared)
{
	const struct dwconv *g = nnadev_state(plan);
	const struct nnadev_part part =
		nnadev_tiles_part(&g->tiles, tile, g->conv.out_h, nnadev_div_up(g->conv.out_c, 16));
	uint32_t block = part.first_block, left = part.blocks;
	struct work k;

	k.g = g;
	scratch_get(g, scratch, &k);
	nnadev_tiles_prefetch(&g->conv, &part);
	while (left) {
		/* 3 blocks are 2 and 1, unless constants take more time than idle lanes. */
		const bool many = (uint64_t)part.rows * g->conv.out_w >= 256;
		const uint32_t parts = left > 3 || (left == 3 && !many) ? 4
				       : left > 1			? 2
									: 1,
			       blocks = left < parts ? left : parts;

		work_start(&k, block * 16, blocks, parts);
		run_part(&k, &part);
		block += blocks;
		left -= blocks;
	}
	return NNAHW_STATUS_OK;
}

/* What a tile costs at most: where no lane is proven. */
static uint64_t tile_cost(const void *decoded, uint64_t rows, uint64_t blocks)
{
	const struct dwconv *g = decoded;
	const uint64_t vectors = rows * (g->conv.out_w + 3),
		       window = (uint64_t)g->quads * g->conv.window.kernel_w;

	/* So that the products below stay in 64 bits. */
	if (rows > UINT32_MAX || blocks > UINT32_MAX)
		return UINT64_MAX;
	return (blocks + 3) / 4 *
	       (vectors * (window * 10 + g->quads * g->slots * 60 + 1200) + window * 200 + 4000);
}

/*
 * The types are 8-bit ones, without residual, and channels contiguous; the rest of weights fits
 * into a byte.
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
