// SPDX-License-Identifier: MIT
/*
 * EWISE: sums and products of 8-bit numbers by the integer rules.
 *
 * A block of results at a time is estimated in fp32, as integers in units of 2^-16. The estimated
 * value is
 *
 *   v = the operand of the last rounding + zero point + 1/2
 *
 * The exact result is floor(v); for an integer v, the rounding of halves may also make it one less.
 * An estimate starts half a window above v, which is more than its error. If its lower half is at
 * least the window, its upper half is the exact result. If this does not hold for all, all are
 * computed by the exact steps.
 *
 * A sum has a factor for each operand, and a constant that includes all zero points. A product of
 * numbers minus their zero points is exact in fp32. It is scaled; the term of rounding in two steps
 * is added with the product's sign (struct nnadev_estimate).
 *
 * Estimates read contiguous bytes of both operands. For an operand that repeats a few elements or
 * is constant, and for short rows, elements are first copied to a buffer. In a long row with one
 * constant operand, results are a function of one byte: they are computed for all 256 bytes and
 * looked up.
 */
#include "device/nna/engine/kernels/ewise_integer.h"
#include "device/nna/engine/vector/fixed.h"

#define PARTS 4u /* registers of a block */
#define BLOCK NNADEV_BYTES /* elements that are estimated at once */
#define PIECE 1024u /* most elements in a buffer */
#define LONG_ROW 256u /* elements; longer rows are not copied together */
#define TOGETHER_LEAST 64u /* elements of short rows that are worth copying them together */
#define TABLE_LEAST 1024u /* elements that are worth a table */
#define HALF_WINDOW_MOST 512 /* above this, most blocks would need the exact steps */
#define REPEATED_MOST NNADEV_EWISE_REPEATED_MOST

/**
 * struct bytes - how bytes are converted to fp32
 * @spread: puts a byte into 32 bits: as its value, or, if signed, as its value times 2^24
 * @scale: 1, or 2^-24 if signed
 */
struct bytes {
	nnadev_spread spread;
	float scale;
};

/**
 * struct rule - how results are computed
 * @p, @o: parameters and operands of the command
 * @a, @b: bytes of the inputs
 * @limits: of results
 * @a_factor, @b_factor: of a sum, in units of 2^-16
 * @a_zero, @b_zero: zero points of the inputs of a product
 * @factor, @nudge: of a product, in units of 2^-16; the nudge takes the sign of the numbers'
 *	product
 * @added: added to all estimates, in units of 2^-16
 * @window: in the lower half of each 32 bits
 * @low, @high: limits as unsigned bytes
 * @flip: XORed to an unsigned byte to get a byte of the output
 * @estimated: the estimate is valid
 */
struct rule {
	const struct nnahw_cmd_ewise *p;
	const struct nnadev_engine_operand *o;
	struct bytes a, b;
	struct nnadev_fixed_limits limits;
	nnadev_floats a_factor, b_factor, a_zero, b_zero, factor, nudge, added;
	nnadev_ints window;
	nnadev_bytes low, high, flip;
	bool estimated;
};

static void bytes_get(struct bytes *b, const struct nnadev_engine_operand *o)
{
	const bool is_signed = o->desc.type == NNAHW_TYPE_S8;

	b->spread = nnadev_spread_of(is_signed);
	b->scale = is_signed ? 0x1p-24f : 1;
}

/*
 * Sets the start and the window of estimates that are off by at most @off units of 2^-16, rounding
 * by the conversion included.
 */
static void rule_set_window(struct rule *r, double off, double start)
{
	const int32_t half = off < HALF_WINDOW_MOST ? (int32_t)off + 1 : HALF_WINDOW_MOST;

	r->estimated = half < HALF_WINDOW_MOST;
	r->window = nnadev_ints_of(2 * half);
	r->added = nnadev_floats_of((float)(start * NNADEV_FIXED_ONE + half));
}

/* Return: the largest magnitude of a byte. */
static double bytes_most(const struct nnadev_engine_operand *o)
{
	return o->desc.type == NNAHW_TYPE_S8 ? -INT8_MIN : UINT8_MAX;
}

/*
 * The factors of a sum, its constant and the two fp32 additions have a relative error of at most
 * 2^-24 each. For the last addition, only sums that are not clamped count; these are below 258.
 */
static void rule_get_sum(struct rule *r)
{
	struct nnadev_ewise_sum sum;
	double start, most_a, most_b, off;

	nnadev_ewise_sum_get(&sum, r->p);
	start = r->limits.zero + 0.5 - sum.a * r->o[1].desc.zero_point -
		sum.b * r->o[2].desc.zero_point;
	most_a = bytes_most(&r->o[1]) * nnadev_magnitude(sum.a);
	most_b = bytes_most(&r->o[2]) * nnadev_magnitude(sum.b);
	off = (most_a + 2 * most_b + 2 * nnadev_magnitude(start) + 258) * 0x1p-24 + sum.off;
	r->a_factor = nnadev_floats_of((float)(sum.a * NNADEV_FIXED_ONE) * r->a.scale);
	r->b_factor = nnadev_floats_of((float)(sum.b * NNADEV_FIXED_ONE) * r->b.scale);
	rule_set_window(r, off * NNADEV_FIXED_ONE + 1, start);
}

/*
 * The factor of a product, the fused multiply-add with the nudge, and the addition of the zero
 * point have a relative error of at most 2^-24 each. A result that is not clamped is below 258, and
 * below 513 without the zero point. The nudge takes the sign of the numbers' product, so the factor
 * must be positive.
 */
static void rule_get_product(struct rule *r)
{
	const struct nnahw_cmd_ewise *p = r->p;
	const double unit = 1 / (double)(1ull << p->shift);
	const bool two_steps = p->staged && p->shift >= 32;

	r->a_zero = nnadev_floats_of(r->o[1].desc.zero_point / r->a.scale);
	r->b_zero = nnadev_floats_of(r->o[2].desc.zero_point / r->b.scale);
	r->factor = nnadev_floats_of((float)(p->a_scale * unit * NNADEV_FIXED_ONE) * r->a.scale *
				   r->b.scale);
	r->nudge = nnadev_floats_of(two_steps ? (float)(unit * (1 << 30) * NNADEV_FIXED_ONE) : 0);
	rule_set_window(r, (2 * 513 + 258) * 0x1p-24 * NNADEV_FIXED_ONE + 1,
			r->limits.zero + 0.5);
	r->estimated = p->a_scale > 0;
}

static void rule_get(struct rule *r, const struct nnadev_engine_command *cmd)
{
	const struct nnahw_cmd_ewise *p = (const struct nnahw_cmd_ewise *)cmd->raw;
	const struct nnahw_tensor *out = &cmd->operands[0].desc;

	r->p = p;
	r->o = cmd->operands;
	bytes_get(&r->a, &r->o[1]);
	bytes_get(&r->b, &r->o[2]);
	nnadev_fixed_limits_get(&r->limits, out->type, out->zero_point, p->q_min, p->q_max,
				!p->staged);
	r->low = nnadev_bytes_of((uint8_t)r->limits.low);
	r->high = nnadev_bytes_of((uint8_t)r->limits.high);
	r->flip = nnadev_bytes_of(r->limits.flip);
	if (p->op == NNAHW_EWISE_MUL)
		rule_get_product(r);
	else
		rule_get_sum(r);
}

/* Computes a block of results by the exact steps. */
static __attribute__((noinline)) void exact_block(const struct rule *r, const uint8_t *x,
						  const uint8_t *y, uint8_t *to)
{
	const nnadev_ints zero = nnadev_ints_of(r->limits.zero),
			  low = nnadev_ints_of(r->limits.low),
			  high = nnadev_ints_of(r->limits.high);
	nnadev_ints v[PARTS];

	for (uint32_t i = 0; i < PARTS; i++) {
		v[i] = nnadev_ints_ewise(
			r->p, NNADEV_STAGED_BITS8,
			nnadev_ints_load_centred(&r->o[1], x + NNADEV_FLOATS * i),
			nnadev_ints_load_centred(&r->o[2], y + NNADEV_FLOATS * i));
		v[i] = nnadev_ints_add(v[i], zero);
		v[i] = nnadev_ints_min(nnadev_ints_max(v[i], low), high);
	}
	nnadev_bytes_store(to, nnadev_bytes_xor(nnadev_bytes_pack(v, false), r->flip));
}

/* Estimates a register of results. */
static inline __attribute__((always_inline)) nnadev_ints
estimate(const struct rule *r, const uint8_t *from_x, const uint8_t *from_y, const bool product)
{
	nnadev_floats x = nnadev_floats_from(nnadev_ints_spread(from_x, r->a.spread)),
		      y = nnadev_floats_from(nnadev_ints_spread(from_y, r->b.spread));

	if (!product) {
		y = nnadev_floats_fma(y, r->b_factor, r->added);
		return nnadev_ints_round(nnadev_floats_fma(x, r->a_factor, y));
	}
	x = nnadev_floats_mul(nnadev_floats_sub(x, r->a_zero), nnadev_floats_sub(y, r->b_zero));
	y = nnadev_floats_or(r->nudge, nnadev_floats_and(x, nnadev_floats_of(-0.0f)));
	return nnadev_ints_round(
		nnadev_floats_add(nnadev_floats_fma(x, r->factor, y), r->added));
}

/* Computes a block of results. */
static inline __attribute__((always_inline)) void run_block(const struct rule *r, const uint8_t *x,
							     const uint8_t *y, uint8_t *to,
							     const bool product)
{
	nnadev_ints t[PARTS];
	nnadev_bytes q;

#pragma GCC unroll 4
	for (uint32_t i = 0; i < PARTS; i++)
		t[i] = estimate(r, x + NNADEV_FLOATS * i, y + NNADEV_FLOATS * i, product);
	if (__builtin_expect(!r->estimated || !nnadev_ints_lower_reach(t, r->window), 0)) {
		exact_block(r, x, y, to);
		return;
	}
	q = nnadev_bytes_clamp(nnadev_bytes_pack_upper(t), r->low, r->high);
	nnadev_bytes_store(to, nnadev_bytes_xor(q, r->flip));
}

static inline __attribute__((always_inline)) void
run_blocks(const struct rule *r, const uint8_t *x, const uint8_t *y, uint8_t *to, uint32_t count,
	   const bool product)
{
	uint8_t last[2][BLOCK] = { { 0 } };
	uint32_t i = 0;

	for (; i + BLOCK <= count; i += BLOCK)
		run_block(r, x + i, y + i, to + i, product);
	if (i == count)
		return;
	memcpy(last[0], x + i, count - i);
	memcpy(last[1], y + i, count - i);
	run_block(r, last[0], last[1], last[0], product);
	memcpy(to + i, last[0], count - i);
}

/* Computes results of contiguous bytes. */
static void run_bytes(const struct rule *r, const uint8_t *x, const uint8_t *y, uint8_t *to,
		      uint32_t count)
{
	if (r->p->op == NNAHW_EWISE_MUL)
		run_blocks(r, x, y, to, count, true);
	else
		run_blocks(r, x, y, to, count, false);
}

/**
 * struct band - rows that are computed together
 * @run: the first row, or a piece of a row
 * @count: number of rows
 * @most: elements that are buffered at once; whole rows if there are several
 */
struct band {
	struct nnadev_run run;
	uint32_t count, most;
};

/**
 * struct source - an input of a band
 * @from: first byte of the next row, or of the next piece of a single row
 * @length: elements of a row
 * @period: number of elements that the input repeats; 0 if it does not repeat
 * @phase: index in the period of the next element
 * @step, @apart: distances of neighbouring elements and of neighbouring rows
 * @bytes: buffer of elements, with room behind them
 */
struct source {
	const uint8_t *from;
	uint32_t length, period, phase;
	int64_t step, apart;
	uint8_t bytes[PIECE + REPEATED_MOST + BLOCK];
};

/*
 * Return: distance of neighbouring rows of an operand; for a single row, the distance at which a
 * next row would follow.
 */
static int64_t rows_apart(const struct nnadev_rows *rows, const struct band *band, uint32_t operand)
{
	if (band->count > 1)
		return rows->strides[operand][rows->rank - 2];
	return nnadev_rows_step(rows, operand) * band->run.count;
}

static void source_start(struct source *s, const struct nnadev_engine_operand *o,
			 const struct nnadev_rows *rows, const struct band *band, uint32_t operand)
{
	s->from = (const uint8_t *)o->data + band->run.offset[operand];
	s->length = band->run.count;
	s->step = nnadev_rows_step(rows, operand);
	s->apart = rows_apart(rows, band, operand);
	s->period = rows->period[operand];
	s->phase = s->period ? band->run.phase[operand] : 0;
	if (!s->period && !s->apart && !s->step)
		s->period = 1;
	else if (!s->period && !s->apart && s->length <= REPEATED_MOST)
		s->period = s->length;
	if (!s->period)
		return;
	memcpy(s->bytes, s->from, s->period);
	for (uint32_t i = s->period, left = band->most; left; i *= 2) {
		const uint32_t n = i < left ? i : left;

		memcpy(s->bytes + i, s->bytes, n);
		left -= n;
	}
}

/* True if the input is contiguous in memory, all rows included. */
static bool source_follows(const struct source *s)
{
	return !s->period && s->step && s->apart == s->length;
}

/* Copies rows of @count elements in all to the buffer. */
static void source_join(struct source *s, uint32_t count)
{
	for (uint32_t at = 0; at < count; at += s->length, s->from += s->apart) {
		if (s->step) {
			memcpy(s->bytes + at, s->from, s->length);
			continue;
		}
		/* The next row overwrites bytes beyond the row. */
		for (uint32_t i = 0; i < s->length; i += BLOCK)
			nnadev_bytes_store(s->bytes + at + i, nnadev_bytes_of(*s->from));
	}
}

/* Return: the next @count elements. */
static const uint8_t *source_next(struct source *s, uint32_t count)
{
	const uint8_t *from = s->from;

	if (s->period) {
		from = s->bytes + s->phase;
		s->phase = (s->phase + count) % s->period;
		return from;
	}
	if (source_follows(s)) {
		s->from += count;
		return from;
	}
	source_join(s, count);
	return s->bytes;
}

/* Computes a row in which one input advances and the other is constant. */
static void run_table(const struct rule *r, const struct source *a, const struct source *b,
		      uint8_t *to, uint32_t count)
{
	uint8_t all[256], results[256];
	nnadev_table table;

	for (uint32_t i = 0; i < 256; i++)
		all[i] = (uint8_t)i;
	run_bytes(r, a->period ? a->bytes : all, b->period ? b->bytes : all, results, 256);
	table = nnadev_table_of(results);
	nnadev_table_look_up(&table, to, a->period ? b->from : a->from, count);
}

/* Computes rows; rows of the output are @apart. */
static void run_tile_rows(const struct rule *r, struct source *a, struct source *b, uint8_t *to,
			  const struct band *band, int64_t apart)
{
	const uint32_t length = band->run.count;
	const bool follows = apart == length;
	uint32_t left = length * band->count, most = band->most;
	uint8_t results[PIECE];

	if (follows && source_follows(a) && source_follows(b))
		most = left;
	while (left) {
		const uint32_t n = left < most ? left : most;
		const uint8_t *x = source_next(a, n), *y = source_next(b, n);

		run_bytes(r, x, y, follows ? to : results, n);
		for (uint32_t i = 0; i < n && !follows; i += length, to += apart)
			memcpy(to, results + i, length);
		to += follows ? n : 0;
		left -= n;
	}
}

/* Goes to the next rows. Return: false if there are none. */
static bool band_next(struct band *band, const struct nnadev_rows *rows)
{
	uint32_t length;

	if (!nnadev_run_next(&band->run, rows, UINT32_MAX))
		return false;
	length = band->run.count;
	band->count = 1;
	if (!rows->period[1] && !rows->period[2] && length <= LONG_ROW)
		band->count = nnadev_run_rows(&band->run, rows);
	band->most = band->count > 1 ? PIECE / length * length : PIECE;
	if (band->most > length * band->count)
		band->most = length * band->count;
	return true;
}

static uint32_t ewise8_tile(const struct nnadev_engine_command *cmd,
			    const struct nnadev_engine_plan *plan, uint32_t phase, uint32_t tile,
			    void *scratch, void *shared)
{
	const struct nnadev_engine_operand *o = cmd->operands;
	const struct nnadev_rows *rows = nnadev_state(plan);
	uint32_t begin, end;
	struct source a, b;
	struct band band;
	struct rule rule;

	rule_get(&rule, cmd);
	nnadev_tile_range(plan, tile, o[0].count, &begin, &end);
	nnadev_run_start(&band.run, rows, begin, end);
	while (band_next(&band, rows)) {
		uint8_t *to = (uint8_t *)o[0].data + band.run.offset[0];

		source_start(&a, &o[1], rows, &band, 1);
		source_start(&b, &o[2], rows, &band, 2);
		if (band.run.count >= TABLE_LEAST && ((a.period == 1 && source_follows(&b)) ||
						      (b.period == 1 && source_follows(&a))))
			run_table(&rule, &a, &b, to, band.run.count);
		else
			run_tile_rows(&rule, &a, &b, to, &band, rows_apart(rows, &band, 0));
	}
	return NNAHW_STATUS_OK;
}

/* True if rows are long, or short ones can be copied together. */
static bool is_worth_it(const struct nnadev_rows *rows)
{
	const uint32_t length = nnadev_rows_length(rows);

	if (length >= NNADEV_EWISE_SHORTEST_ROW)
		return true;
	return rows->rank > 1 && !rows->period[1] && !rows->period[2] &&
	       length * rows->dims[rows->rank - 2] >= TOGETHER_LEAST;
}

/* Accepts contiguous rows. */
static uint32_t ewise8_accepts(const struct nnadev_engine_command *cmd,
			       struct nnadev_engine_plan *plan)
{
	struct nnadev_rows rows;

	if (nnadev_ewise_rule(cmd) != NNADEV_RULE_QUANTISED || !nnadev_ewise_joins_bytes(cmd) ||
	    !nnadev_ewise_fits_in_32(cmd))
		return nnadev_accept(false);
	nnadev_ewise_rows_get(&rows, cmd);
	return nnadev_accept(nnadev_ewise_rows_are_dense(&rows) && is_worth_it(&rows));
}

NNADEV_STATE_FITS(struct nnadev_rows);
NNADEV_VECTOR_KERNEL(ewise8) = { NNAHW_OP_EWISE, NNADEV_SET_ISA, ewise8_accepts,
				 nnadev_ewise_rows_plan, ewise8_tile };
