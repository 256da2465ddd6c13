// SPDX-License-Identifier: MIT
/*
 * EWISE with AVX2: sums and products of 8-bit numbers by the integer rules.
 *
 * 32 results at a time are estimated in fp32, as integers in units of 2^-16. The estimated value is
 *
 *   v = the operand of the last rounding + zero point + 1/2
 *
 * The exact result is floor(v); for an integer v, the rounding of halves may also make it one less.
 * An estimate starts half a window above v, which is more than its error. If its lower half is at
 * least the window, its upper half is the exact result. If this does not hold for all 32, all are
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
#include "device/nna/engine/vector/fixed.h"
#include "device/nna/engine/x86/avx2_integer.h"
#include "device/nna/engine/x86/avx2_table.h"

#define BLOCK 32u /* elements that are estimated at once */
#define PIECE 1024u /* most elements in a buffer */
#define LONG_ROW 256u /* elements; longer rows are not copied together */
#define TOGETHER_LEAST 64u /* elements of short rows that are worth copying them together */
#define TABLE_LEAST 1024u /* elements that are worth a table */
#define HALF_WINDOW_MOST 512 /* above this, most blocks would need the exact steps */
#define REPEATED_MOST NNADEV_EWISE_REPEATED_MOST

/**
 * struct bytes - how 8 bytes are converted to fp32
 * @spread: shuffles a byte into 32 bits: as its value, or, if signed, as its value times 2^24
 * @scale: 1, or 2^-24 if signed
 */
struct bytes {
	__m256i spread;
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
	__m256 a_factor, b_factor, a_zero, b_zero, factor, nudge, added;
	__m256i window, low, high, flip;
	bool estimated;
};

static void bytes_get(struct bytes *b, const struct nnadev_engine_operand *o)
{
	const __m256i number = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);

	/* A byte of the shuffle control whose uppermost bit is set gives 0. */
	if (o->desc.type == NNAHW_TYPE_S8) {
		b->spread = _mm256_or_si256(_mm256_slli_epi32(number, 24),
					    _mm256_set1_epi32(0x00808080));
		b->scale = 0x1p-24f;
	} else {
		b->spread = _mm256_or_si256(number, _mm256_set1_epi32((int32_t)0x80808000));
		b->scale = 1;
	}
}

/* Loads 8 bytes as fp32, not yet multiplied by @b->scale. */
static inline __m256 bytes_load8(const struct bytes *b, const uint8_t *from)
{
	int64_t v;

	memcpy(&v, from, sizeof(v));
	return _mm256_cvtepi32_ps(_mm256_shuffle_epi8(_mm256_set1_epi64x(v), b->spread));
}

/*
 * Sets the start and the window of estimates that are off by at most @off units of 2^-16, rounding
 * by the conversion included.
 */
static void rule_set_window(struct rule *r, double off, double start)
{
	const int32_t half = off < HALF_WINDOW_MOST ? (int32_t)off + 1 : HALF_WINDOW_MOST;

	r->estimated = half < HALF_WINDOW_MOST;
	r->window = _mm256_set1_epi32(2 * half);
	r->added = _mm256_set1_ps((float)(start * NNADEV_FIXED_ONE + half));
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
	r->a_factor = _mm256_set1_ps((float)(sum.a * NNADEV_FIXED_ONE) * r->a.scale);
	r->b_factor = _mm256_set1_ps((float)(sum.b * NNADEV_FIXED_ONE) * r->b.scale);
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

	r->a_zero = _mm256_set1_ps(r->o[1].desc.zero_point / r->a.scale);
	r->b_zero = _mm256_set1_ps(r->o[2].desc.zero_point / r->b.scale);
	r->factor = _mm256_set1_ps((float)(p->a_scale * unit * NNADEV_FIXED_ONE) * r->a.scale *
				   r->b.scale);
	r->nudge = _mm256_set1_ps(two_steps ? (float)(unit * (1 << 30) * NNADEV_FIXED_ONE) : 0);
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
	r->low = _mm256_set1_epi8((int8_t)r->limits.low);
	r->high = _mm256_set1_epi8((int8_t)r->limits.high);
	r->flip = _mm256_set1_epi8((int8_t)r->limits.flip);
	if (p->op == NNAHW_EWISE_MUL)
		rule_get_product(r);
	else
		rule_get_sum(r);
}

/* Computes a block of results by the exact steps. */
static __attribute__((noinline)) void exact_block(const struct rule *r, const uint8_t *x,
						  const uint8_t *y, uint8_t *to)
{
	const __m256i zero = _mm256_set1_epi32(r->limits.zero),
		      low = _mm256_set1_epi32(r->limits.low),
		      high = _mm256_set1_epi32(r->limits.high);
	__m256i v[BLOCK / 8];

	for (uint32_t i = 0; i < BLOCK / 8; i++) {
		v[i] = nnadev_ewise_integer8(r->p, NNADEV_STAGED_BITS8,
					     nnadev_load_centred8(&r->o[1], x + 8 * i),
					     nnadev_load_centred8(&r->o[2], y + 8 * i));
		v[i] = _mm256_add_epi32(v[i], zero);
		v[i] = _mm256_min_epi32(_mm256_max_epi32(v[i], low), high);
	}
	v[0] = _mm256_packus_epi16(_mm256_packs_epi32(v[0], v[1]), _mm256_packs_epi32(v[2], v[3]));
	v[0] = _mm256_permutevar8x32_epi32(v[0], _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7));
	NNADEV_STORE(to, _mm256_xor_si256(v[0], r->flip));
}

/* Estimates 8 results. */
static inline __attribute__((always_inline)) __m256i
estimate8(const struct rule *r, const uint8_t *from_x, const uint8_t *from_y, const bool product)
{
	__m256 x = bytes_load8(&r->a, from_x), y = bytes_load8(&r->b, from_y);

	if (!product)
		return _mm256_cvtps_epi32(_mm256_fmadd_ps(
			x, r->a_factor, _mm256_fmadd_ps(y, r->b_factor, r->added)));
	x = _mm256_mul_ps(_mm256_sub_ps(x, r->a_zero), _mm256_sub_ps(y, r->b_zero));
	y = _mm256_or_ps(r->nudge, _mm256_and_ps(x, _mm256_set1_ps(-0.0f)));
	return _mm256_cvtps_epi32(_mm256_add_ps(_mm256_fmadd_ps(x, r->factor, y), r->added));
}

/* Computes a block of results. */
static inline __attribute__((always_inline)) void run_block(const struct rule *r, const uint8_t *x,
							     const uint8_t *y, uint8_t *to,
							     const bool product)
{
	__m256i t[BLOCK / 8], least, q;

#pragma GCC unroll 4
	for (uint32_t i = 0; i < BLOCK / 8; i++)
		t[i] = estimate8(r, x + 8 * i, y + 8 * i, product);
	least = _mm256_min_epu16(_mm256_min_epu16(t[0], t[1]), _mm256_min_epu16(t[2], t[3]));
	if (__builtin_expect(!r->estimated || !nnadev_least_is_exact(least, r->window), 0)) {
		exact_block(r, x, y, to);
		return;
	}
	q = _mm256_packus_epi16(nnadev_turns(t[0], t[1]), nnadev_turns(t[2], t[3]));
	q = _mm256_min_epu8(_mm256_max_epu8(q, r->low), r->high);
	q = _mm256_xor_si256(nnadev_turns_apart(q), r->flip);
	NNADEV_STORE(to, _mm256_permutevar8x32_epi32(q, _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7)));
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
			NNADEV_STORE(s->bytes + at + i, _mm256_set1_epi8((char)*s->from));
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

	for (uint32_t i = 0; i < 256; i++)
		all[i] = (uint8_t)i;
	run_bytes(r, a->period ? a->bytes : all, b->period ? b->bytes : all, results, 256);
	nnadev_table_look_up(results, to, a->period ? b->from : a->from, count);
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
NNADEV_KERNEL(avx2_ewise8) = { NNAHW_OP_EWISE, NNADEV_ENGINE_AVX2, ewise8_accepts,
			       nnadev_ewise_rows_plan, ewise8_tile };
