// SPDX-License-Identifier: MIT
/*
 * RESIZE, with the scalar kernel's operations in their order, so that results are the same.
 *
 * A tile is a range of output rows. The input positions of output columns are computed once per
 * tile. A row is blended in two steps. The first step widens two rows of input to the width of the
 * output: it blends the left and the right neighbour of each column. The wide rows stay in scratch
 * memory, because the next rows of output often need them again. The second step blends the two
 * wide rows, as one long row of numbers, and rounds. Numbers between the steps are fp32 or, in
 * fixed point, 32-bit integers.
 *
 * The second step is most of the work and processes a register of numbers at a time. If all weights
 * are whole sixteenths, 8-bit types may have 16-bit integers between the steps (sixteenths.h).
 */
#include "device/nna/engine/kernels/floats.h"
#include "device/nna/engine/kernels/sixteenths.h"
#include "device/nna/engine/vector/tiles.h"

#define LEAST_ELEMENTS 65536u /* of a tile; fewer are not worth another thread */
#define SLOWER (NNADEV_SLOWER > 1 ? 16u : 1u) /* elements are not as slow as products */
#define MOST_ELEMENTS ((1u << 20) / SLOWER) /* of a tile; its first row needs two wide rows */
#define ROW_ELEMENTS ((1u << 20) / SLOWER)
#define MOST_COLUMNS (1u << 14)
#define COLUMN_ELEMENTS 16u /* elements that take as long as computing a column's position */
#define NO_ROW UINT32_MAX
#define BEHIND (NNADEV_FLOATS > NNADEV_SIXTEENTHS_BEHIND ? NNADEV_FLOATS : NNADEV_SIXTEENTHS_BEHIND)

/*
 * Rounds magnitudes below 2^22 to the nearest integer, halves away from zero. Adds the largest
 * number below 1/2 with the sign of x and truncates: a fraction below 1/2 stays below 1, and a
 * fraction of 1/2 is rounded up to 1 by the addition.
 */
static inline nnadev_ints round_floats(nnadev_floats x)
{
	const nnadev_floats sign = nnadev_floats_and(x, nnadev_floats_of(-0.f));

	return nnadev_ints_truncate(nnadev_floats_add(
		x, nnadev_floats_or(sign, nnadev_floats_of(0x1.fffffep-2f))));
}

/* (a * x + b * y) / 2^20 for sums of 28 bits, halves rounded away from zero. */
static inline nnadev_ints blend_fixed(const int32_t *a, nnadev_ints x, const int32_t *b,
				      nnadev_ints y)
{
	const nnadev_ints all = nnadev_ints_add(nnadev_ints_mul(nnadev_ints_load(a), x),
						nnadev_ints_mul(nnadev_ints_load(b), y)),
			  half = nnadev_ints_of(1 << 19);

	/* Rounds the magnitude and restores the sign. */
	return nnadev_ints_with_sign(
		nnadev_ints_shift_right(nnadev_ints_add(nnadev_ints_abs(all), half), 20), all);
}

/* A number between the two steps. Numbers in sixteenths are int16_t instead. */
union number {
	float f;
	int32_t i;
};

/**
 * struct scratch - where the pieces of the scratch memory begin
 * @columns, @fixed: input positions of the output columns; only one is in use
 * @wide: wide rows of input, [columns][channels] with BEHIND more numbers for whole vectors; even
 *	and odd rows have one place each
 */
struct scratch {
	union {
		struct nnadev_position *columns;
		struct nnadev_fixed_position *fixed;
	};
	union number *wide[2];
};

/**
 * struct image - one image while its rows are computed
 * @p, @output, @input: of the command
 * @number: of the image
 * @s: scratch memory
 * @held: numbers of the input rows that are in @s.wide
 * @sixteenths: all weights are whole sixteenths, and are in that unit
 */
struct image {
	const struct nnahw_cmd_resize *p;
	const struct nnadev_engine_operand *output, *input;
	uint32_t number;
	struct scratch s;
	uint32_t held[2];
	bool sixteenths;
};

/* Lays out the scratch memory at @base; returns its size. */
static uint64_t scratch_get(const struct nnadev_engine_command *cmd, uint8_t *base,
			    struct scratch *s)
{
	const struct nnahw_cmd_resize *p = (const struct nnahw_cmd_resize *)cmd->raw;
	const uint32_t *out = cmd->operands[NNAHW_RESIZE_OUTPUT].desc.dims;
	const uint64_t wide = p->kind == NNAHW_RESAMPLE_NEAREST ?
				      0 :
				      ((uint64_t)out[2] * out[3] + BEHIND) *
					      sizeof(**s->wide);
	struct nnadev_layout l = { .base = base };

	/* Both kinds of positions share one array, and must have one size. */
	_Static_assert(sizeof(*s->columns) == sizeof(*s->fixed), "one of them has no place");
	s->columns = nnadev_layout_take(&l, out[2] * sizeof(*s->columns));
	s->wide[0] = nnadev_layout_take(&l, wide);
	s->wide[1] = nnadev_layout_take(&l, wide);
	return l.size;
}

static inline nnadev_ints load_integers(uint32_t type, const uint8_t *from)
{
	return type == NNAHW_TYPE_S8 ? nnadev_ints_load_s8((const int8_t *)from) :
				       nnadev_ints_load_u8(from);
}

static inline nnadev_floats load_floats(uint32_t type, const uint8_t *from)
{
	switch (type) {
	case NNAHW_TYPE_F32:
		return nnadev_floats_load((const float *)from);
	case NNAHW_TYPE_F16:
		return nnadev_floats_load_halves((const uint16_t *)from);
	default:
		return nnadev_floats_from(load_integers(type, from));
	}
}

static inline int32_t load1_integer(uint32_t type, const uint8_t *from)
{
	return type == NNAHW_TYPE_S8 ? *(const int8_t *)from : *from;
}

static inline float load1(uint32_t type, const uint8_t *from)
{
	switch (type) {
	case NNAHW_TYPE_F32:
		return *(const float *)from;
	case NNAHW_TYPE_F16:
		return nnadev_half_to_float(*(const uint16_t *)from);
	default:
		return (float)load1_integer(type, from);
	}
}

/* Channels of a column that are worth a register; fewer are blended one by one. */
#define LEAST_CHANNELS 8u

/* Blends a register of numbers of a column between @left and @right. */
static inline __attribute__((always_inline)) void
widen_register(uint32_t type, const bool fixed, union number *to, const uint8_t *left,
	       const uint8_t *right, union number rest, union number weight)
{
	if (fixed) {
		const nnadev_ints x = nnadev_ints_mul16(load_integers(type, left),
							nnadev_ints_of(rest.i)),
				  y = nnadev_ints_mul16(load_integers(type, right),
							nnadev_ints_of(weight.i));

		nnadev_ints_store(&to->i, nnadev_ints_add(x, y));
	} else {
		const nnadev_floats x = nnadev_floats_mul(load_floats(type, left),
							  nnadev_floats_of(rest.f)),
				    y = nnadev_floats_mul(load_floats(type, right),
							  nnadev_floats_of(weight.f));

		nnadev_floats_store(&to->f, nnadev_floats_add(x, y));
	}
}

/* Blends a number of a column between @left and @right. */
static inline __attribute__((always_inline)) union number
widen_one(uint32_t type, const bool fixed, const uint8_t *left, const uint8_t *right,
	  union number rest, union number weight)
{
	if (fixed)
		return (union number){ .i = load1_integer(type, left) * rest.i +
					    load1_integer(type, right) * weight.i };
	return (union number){ .f = load1(type, left) * rest.f + load1(type, right) * weight.f };
}

/*
 * Blends one column: @channels numbers between those at @left and those at @right. @weight is that
 * of @right, @rest that of @left.
 */
static inline __attribute__((always_inline)) void
widen_column(uint32_t type, const bool fixed, union number *to, const uint8_t *left,
	     const uint8_t *right, union number rest, union number weight, uint32_t channels)
{
	const size_t size = nnahw_type_size(type);

	if (channels < LEAST_CHANNELS) {
		for (uint32_t c = 0; c < channels; c++, left += size, right += size)
			to[c] = widen_one(type, fixed, left, right, rest, weight);
		return;
	}
	if (channels < NNADEV_FLOATS) {
		uint8_t parts[2][NNADEV_FLOATS * sizeof(float)] = { { 0 } };

		/* Numbers behind the column are overwritten by the next one. */
		memcpy(parts[0], left, channels * size);
		memcpy(parts[1], right, channels * size);
		widen_register(type, fixed, to, parts[0], parts[1], rest, weight);
		return;
	}
	/* If fewer than a register are left, the last ones overlap those before. */
	for (uint32_t c = 0; c < channels; c += NNADEV_FLOATS) {
		c = c + NNADEV_FLOATS <= channels ? c : channels - NNADEV_FLOATS;
		widen_register(type, fixed, to + c, left + c * size, right + c * size, rest,
			       weight);
	}
}

/* Widens a row of input to the width of the output. */
static inline __attribute__((always_inline)) void
widen_row(const struct image *g, uint32_t type, const bool fixed, const uint8_t *from,
	  union number *to)
{
	const uint32_t *dims = g->output->desc.dims;
	const int64_t step = g->input->desc.strides[2] * (int64_t)nnahw_type_size(type);

	for (uint32_t x = 0; x < dims[2]; x++, to += dims[3]) {
		const struct nnadev_position *p = &g->s.columns[x];
		const struct nnadev_fixed_position *q = &g->s.fixed[x];

		if (fixed)
			widen_column(type, true, to, from + q->low * step, from + q->high * step,
				     (union number){ .i = NNAHW_RESIZE_ONE - q->weight },
				     (union number){ .i = q->weight }, dims[3]);
		else
			widen_column(type, false, to, from + p->low * step, from + p->high * step,
				     (union number){ .f = 1 - p->fraction },
				     (union number){ .f = p->fraction }, dims[3]);
	}
}

/* Widens a row of input in sixteenths. */
static inline __attribute__((always_inline)) void
widen_sixteenths(const struct image *g, const uint8_t *from, int16_t *to, const bool is_signed)
{
	const uint32_t *dims = g->output->desc.dims;
	const int64_t step = g->input->desc.strides[2];

	for (uint32_t x = 0; x < dims[2]; x++, to += dims[3]) {
		const struct nnadev_fixed_position *q = &g->s.fixed[x];

		nnadev_sixteenths_widen(to, from + q->low * step, from + q->high * step, q->weight,
					dims[3], is_signed);
	}
}

/* Return: row @y of the input, widened. */
static const union number *wide_row(struct image *g, uint32_t y)
{
	const struct nnahw_tensor *in = &g->input->desc;
	const uint8_t *from = (const uint8_t *)g->input->data +
			      nnadev_offset(in, (uint32_t[]){ g->number, y, 0, 0 }) *
				      (int64_t)nnahw_type_size(in->type);
	union number *to = g->s.wide[y & 1];

	if (g->held[y & 1] == y)
		return to;
	g->held[y & 1] = y;
	switch (in->type) {
	case NNAHW_TYPE_F32:
		widen_row(g, NNAHW_TYPE_F32, false, from, to);
		break;
	case NNAHW_TYPE_F16:
		widen_row(g, NNAHW_TYPE_F16, false, from, to);
		break;
	case NNAHW_TYPE_S8:
		if (g->sixteenths)
			widen_sixteenths(g, from, (int16_t *)to, true);
		else if (g->p->fixed_point)
			widen_row(g, NNAHW_TYPE_S8, true, from, to);
		else
			widen_row(g, NNAHW_TYPE_S8, false, from, to);
		break;
	default:
		if (g->sixteenths)
			widen_sixteenths(g, from, (int16_t *)to, false);
		else if (g->p->fixed_point)
			widen_row(g, NNAHW_TYPE_U8, true, from, to);
		else
			widen_row(g, NNAHW_TYPE_U8, false, from, to);
		break;
	}
	return to;
}

/**
 * struct rows - two wide rows that are blended
 * @upper, @lower: numbers
 * @above, @below: weights of @upper and @lower
 */
struct rows {
	const union number *upper, *lower;
	union number above, below;
};

/* Blends numbers from @i on; each product is rounded. */
static inline __attribute__((always_inline)) nnadev_floats blend_floats(const struct rows *r,
									size_t i)
{
	return nnadev_floats_add(nnadev_floats_mul(nnadev_floats_load(&r->upper[i].f),
						   nnadev_floats_of(r->above.f)),
				 nnadev_floats_mul(nnadev_floats_load(&r->lower[i].f),
						   nnadev_floats_of(r->below.f)));
}

/* Blends numbers of an 8-bit type and rounds to integers. */
static inline __attribute__((always_inline)) nnadev_ints blend_integers(const struct rows *r,
									const bool fixed, size_t i)
{
	return fixed ? blend_fixed(&r->upper[i].i, nnadev_ints_of(r->above.i), &r->lower[i].i,
				   nnadev_ints_of(r->below.i)) :
		       round_floats(blend_floats(r, i));
}

/* Blends and stores a register of numbers from @i on. */
static inline __attribute__((always_inline)) void
blend_one(const struct rows *r, uint32_t type, const bool fixed, size_t i, uint8_t *to)
{
	if (type == NNAHW_TYPE_F32)
		nnadev_floats_store((float *)to, blend_floats(r, i));
	else if (type == NNAHW_TYPE_F16)
		nnadev_floats_store_halves((uint16_t *)(void *)to, blend_floats(r, i));
	else
		nnadev_ints_store_u8(to, blend_integers(r, fixed, i));
}

/* Blends and stores 4 registers of 8-bit numbers. */
static inline __attribute__((always_inline)) void
blend_four(const struct rows *r, uint32_t type, const bool fixed, size_t i, uint8_t *to)
{
	nnadev_ints n[4];

#pragma GCC unroll 4
	for (uint32_t k = 0; k < 4; k++)
		n[k] = blend_integers(r, fixed, i + k * NNADEV_FLOATS);
	nnadev_bytes_store(to, nnadev_bytes_pack(n, type == NNAHW_TYPE_S8));
}

/* Blends and stores numbers [first, first + count) of a row, which are contiguous. */
static inline __attribute__((always_inline)) void
blend_run(const struct rows *rows, uint32_t type, const bool fixed, size_t first, size_t count,
	  uint8_t *to)
{
	/* Local copy: stores of bytes may alias *rows for all that the compiler knows. */
	const struct rows copy = *rows, *r = &copy;
	const size_t size = nnahw_type_size(type);
	uint8_t part[NNADEV_FLOATS * sizeof(float)];
	size_t i = 0;

	for (; size == 1 && i + NNADEV_BYTES <= count; i += NNADEV_BYTES)
		blend_four(r, type, fixed, first + i, to + i);
	for (; i + NNADEV_FLOATS <= count; i += NNADEV_FLOATS)
		blend_one(r, type, fixed, first + i, to + i * size);
	if (i < count) {
		blend_one(r, type, fixed, first + i, part);
		memcpy(to + i * size, part, (count - i) * size);
	}
}

/* Blends and stores numbers in sixteenths. */
static inline __attribute__((always_inline)) void
blend_sixteenths(const struct rows *r, size_t first, size_t count, uint8_t *to,
		 const bool is_signed)
{
	nnadev_sixteenths_blend(to, (const int16_t *)r->upper + first,
				(const int16_t *)r->lower + first, r->below.i, count, is_signed);
}

/* Blends and stores numbers of any type. */
static void blend(const struct image *g, const struct rows *r, size_t first, size_t count,
		  uint8_t *to)
{
	switch (g->output->desc.type) {
	case NNAHW_TYPE_F32:
		blend_run(r, NNAHW_TYPE_F32, false, first, count, to);
		break;
	case NNAHW_TYPE_F16:
		blend_run(r, NNAHW_TYPE_F16, false, first, count, to);
		break;
	case NNAHW_TYPE_S8:
		if (g->sixteenths)
			blend_sixteenths(r, first, count, to, true);
		else if (g->p->fixed_point)
			blend_run(r, NNAHW_TYPE_S8, true, first, count, to);
		else
			blend_run(r, NNAHW_TYPE_S8, false, first, count, to);
		break;
	default:
		if (g->sixteenths)
			blend_sixteenths(r, first, count, to, false);
		else if (g->p->fixed_point)
			blend_run(r, NNAHW_TYPE_U8, true, first, count, to);
		else
			blend_run(r, NNAHW_TYPE_U8, false, first, count, to);
		break;
	}
}

/* Return: the wide rows and weights for row @y of output. */
static struct rows rows_get(struct image *g, uint32_t y)
{
	const uint32_t height = g->input->desc.dims[1], out = g->output->desc.dims[1];

	if (g->sixteenths) {
		const struct nnadev_fixed_position at =
			nnadev_sixteenths_position(g->p, y, g->p->scale_h, height, out);

		return (struct rows){ wide_row(g, at.low), wide_row(g, at.high),
				      { .i = NNADEV_SIXTEENTHS - at.weight }, { .i = at.weight } };
	}
	if (g->p->fixed_point) {
		const struct nnadev_fixed_position at =
			nnadev_resize_fixed_position(g->p, y, height, out);

		return (struct rows){ wide_row(g, at.low), wide_row(g, at.high),
				      { .i = NNAHW_RESIZE_ONE - at.weight }, { .i = at.weight } };
	}
	const struct nnadev_position at = nnadev_resize_position(g->p, y, g->p->scale_h, height);

	return (struct rows){ wide_row(g, at.low), wide_row(g, at.high),
			      { .f = 1 - at.fraction }, { .f = at.fraction } };
}

/* Computes row @y of the image by bilinear blending. */
static void bilinear_row(struct image *g, uint32_t y, uint8_t *to)
{
	const struct nnahw_tensor *out = &g->output->desc;
	const uint32_t width = out->dims[2], channels = out->dims[3];
	const int64_t step = out->strides[2] * (int64_t)nnahw_type_size(out->type);
	const struct rows r = rows_get(g, y);

	if (out->strides[2] == (int32_t)channels) {
		blend(g, &r, 0, (size_t)width * channels, to);
		return;
	}
	for (uint32_t x = 0; x < width; x++)
		blend(g, &r, (size_t)x * channels, channels, to + x * step);
}

/* Computes row @y of the image from the nearest elements. */
static void nearest_row(const struct image *g, uint32_t y, uint8_t *to)
{
	const struct nnahw_tensor *out = &g->output->desc, *in = &g->input->desc;
	const int64_t size = nnahw_type_size(out->type), step = out->strides[2] * size;
	const struct nnadev_position row =
		nnadev_resize_position(g->p, y, g->p->scale_h, in->dims[1]);
	const uint8_t *from = (const uint8_t *)g->input->data +
			      nnadev_offset(in, (uint32_t[]){ g->number, row.low, 0, 0 }) * size;

	for (uint32_t x = 0; x < out->dims[2]; x++)
		memcpy(to + x * step, from + g->s.columns[x].low * in->strides[2] * size,
		       out->dims[3] * (size_t)size);
}

/*
 * Computes the positions of columns in sixteenths. Return: true if the weights of these columns and
 * of rows [begin, end) of the command are whole sixteenths.
 */
static bool columns_get_sixteenths(struct image *g, uint32_t begin, uint32_t end)
{
	const uint32_t *in = g->input->desc.dims, *out = g->output->desc.dims;

	if (!NNADEV_TAKES_SIXTEENTHS || g->p->kind != NNAHW_RESAMPLE_BILINEAR ||
	    nnadev_type_is_float(g->output->desc.type))
		return false;
	for (uint32_t i = begin; i < end; i++)
		if (nnadev_sixteenths_position(g->p, i % out[1], g->p->scale_h, in[1], out[1])
			    .weight < 0)
			return false;
	for (uint32_t x = 0; x < out[2]; x++) {
		g->s.fixed[x] = nnadev_sixteenths_position(g->p, x, g->p->scale_w, in[2], out[2]);
		if (g->s.fixed[x].weight < 0)
			return false;
	}
	return true;
}

static void columns_get(struct image *g)
{
	const uint32_t *in = g->input->desc.dims, *out = g->output->desc.dims;

	for (uint32_t x = 0; x < out[2]; x++)
		if (g->p->fixed_point)
			g->s.fixed[x] = nnadev_resize_fixed_position(g->p, x, in[2], out[2]);
		else
			g->s.columns[x] = nnadev_resize_position(g->p, x, g->p->scale_w, in[2]);
}

static uint32_t resize_tile(const struct nnadev_engine_command *cmd,
			    const struct nnadev_engine_plan *plan, uint32_t phase, uint32_t tile,
			    void *scratch, void *shared)
{
	struct image g = {
		.p = (const struct nnahw_cmd_resize *)cmd->raw,
		.output = &cmd->operands[NNAHW_RESIZE_OUTPUT],
		.input = &cmd->operands[NNAHW_RESIZE_INPUT],
		.held = { NO_ROW, NO_ROW },
	};
	const uint32_t *out = g.output->desc.dims;
	uint32_t begin, end;

	scratch_get(cmd, scratch, &g.s);
	nnadev_tile_range(plan, tile, out[0] * out[1], &begin, &end);
	g.sixteenths = columns_get_sixteenths(&g, begin, end);
	if (!g.sixteenths)
		columns_get(&g);
	for (uint32_t i = begin; i < end; i++) {
		const uint32_t y = i % out[1];
		uint8_t *to;

		if (i / out[1] != g.number)
			g.held[0] = g.held[1] = NO_ROW;
		g.number = i / out[1];
		to = (uint8_t *)g.output->data +
		     nnadev_offset(&g.output->desc, (uint32_t[]){ g.number, y, 0, 0 }) *
			     (int64_t)nnahw_type_size(g.output->desc.type);
		if (g.p->kind == NNAHW_RESAMPLE_NEAREST)
			nearest_row(&g, y, to);
		else
			bilinear_row(&g, y, to);
	}
	return NNAHW_STATUS_OK;
}

/*
 * True if the weights of all rows and columns of a sum of corners are whole sixteenths. At the
 * edges both corners are the same element, and steps of at most 1 are exact.
 */
static bool has_sixteenths(const struct nnadev_engine_command *cmd)
{
	const struct nnahw_cmd_resize *p = (const struct nnahw_cmd_resize *)cmd->raw;
	const uint32_t *in = cmd->operands[NNAHW_RESIZE_INPUT].desc.dims,
		       *out = cmd->operands[NNAHW_RESIZE_OUTPUT].desc.dims;

	for (uint32_t k = 1; k <= 2; k++)
		for (uint32_t i = 0; i < out[k]; i++) {
			const float scale = k == 1 ? p->scale_h : p->scale_w,
				    part = nnadev_resize_corners(p, i, scale, in[k]).fraction *
					   NNADEV_SIXTEENTHS;

			if (!(part >= -NNADEV_SIXTEENTHS && part <= NNADEV_SIXTEENTHS &&
			      part == (float)(int32_t)part))
				return false;
		}
	return NNADEV_TAKES_SIXTEENTHS;
}

/*
 * Accepts contiguous channels, if a row is not too long for a tile. A sum of corners must have
 * weights in sixteenths: each of its steps is then exact, so blending in two steps gives the same
 * result.
 */
static uint32_t resize_accepts(const struct nnadev_engine_command *cmd,
			       struct nnadev_engine_plan *plan)
{
	const struct nnahw_cmd_resize *p = (const struct nnahw_cmd_resize *)cmd->raw;
	const struct nnadev_engine_operand *output = &cmd->operands[NNAHW_RESIZE_OUTPUT];
	const uint32_t *out = output->desc.dims;

	return nnadev_accept(nnadev_innermost_dense(output) &&
			     nnadev_innermost_dense(&cmd->operands[NNAHW_RESIZE_INPUT]) &&
			     out[2] <= MOST_COLUMNS &&
			     (uint64_t)out[2] * out[3] <= ROW_ELEMENTS &&
			     (!p->corners || (out[1] <= MOST_COLUMNS && has_sixteenths(cmd))));
}

static void resize_plan(const struct nnadev_engine_command *cmd, uint32_t threads,
			struct nnadev_engine_plan *plan)
{
	const uint32_t *out = cmd->operands[NNAHW_RESIZE_OUTPUT].desc.dims;
	const uint32_t row = out[2] * (out[3] + COLUMN_ELEMENTS);
	const uint64_t fair = (uint64_t)out[0] * out[1] * row / 2 / threads;
	struct scratch s;

	plan->scratch_size = (uint32_t)scratch_get(cmd, NULL, &s);
	nnadev_cut(plan, out[0] * out[1],
		   (fair < LEAST_ELEMENTS ? LEAST_ELEMENTS :
		    fair > MOST_ELEMENTS  ? MOST_ELEMENTS :
					    (uint32_t)fair) /
			   row);
}

NNADEV_VECTOR_KERNEL(resize) = { NNAHW_OP_RESIZE, NNADEV_SET_ISA, resize_accepts, resize_plan,
				 resize_tile };
