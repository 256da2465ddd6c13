// SPDX-License-Identifier: MIT
/*
 * EWISE with AVX-512: sums and products of 8-bit numbers, rounded in stages as TFLite does. 64
 * results at a time are estimated as in avx512_fixed.h. If one of them is not proven exact, all are
 * computed by the exact steps. A product is requantised as an accumulator is. A sum
 *
 *   (x * a_scale * 2^(20-a_shift) + y * b_scale * 2^(20-b_shift)) * multiplier * 2^-shift
 *
 * of numbers minus their zero points is estimated with two fp32 factors. The errors of the factors
 * and of the stages' rounding are added up when the command begins.
 *
 * In a long row with one constant operand, results are a function of the other operand's byte: they
 * are computed for all 256 bytes and looked up.
 */
#include "device/nna/engine/x86/avx512_epilogue.h"
#include "device/nna/engine/x86/avx512_fixed.h"
#include "device/nna/engine/x86/avx512_table.h"
#include "device/nna/engine/x86/ewise.h"

#define TABLE_LEAST 1024u /* elements of a row that are worth a table */

/**
 * struct source - an input, as numbers minus the zero point
 * @is_signed: S8
 * @moves: not constant in a row
 * @period: number of elements that the input repeats; 0 if it does not repeat
 * @advance: 16 modulo @period
 * @zero: zero point
 * @from: the next element
 * @still: the element of a constant input
 * @phase: index in the period of the next element
 * @repeated: the repeated elements and at least 15 more
 */
struct source {
	bool is_signed, moves;
	uint32_t period, advance;
	__m512i zero;
	const uint8_t *from;
	__m512i still;
	uint32_t phase;
	int32_t *repeated;
};

/**
 * struct rule - how results are computed
 * @p: parameters of the command
 * @fixed: limits; for a product also the constants, in vector 0
 * @limits: of results
 * @a, @b: factors of a sum, in units of 2^-16
 * @estimated: the estimate is valid
 */
struct rule {
	const struct nnahw_cmd_ewise *p;
	struct nnadev_fixed fixed;
	struct nnadev_fixed_limits limits;
	__m512 a, b;
	bool estimated;
};

/* Loads up to 16 bytes as numbers minus the zero point. */
static inline __m512i load16(const struct source *s, const uint8_t *from, __mmask16 mask)
{
	const __m128i v = _mm_maskz_loadu_epi8(mask, from);

	return _mm512_sub_epi32(s->is_signed ? _mm512_cvtepi8_epi32(v) : _mm512_cvtepu8_epi32(v),
				s->zero);
}

static inline __mmask16 mask_of(uint32_t count)
{
	return count < 16 ? (__mmask16)((1u << count) - 1) : 0xffff;
}

/* Sets the members that are the same for all rows. */
static void source_get(struct source *s, const struct nnadev_engine_operand *o,
		       const struct nnadev_rows *rows, uint32_t operand, int32_t *repeated)
{
	s->is_signed = o->desc.type == NNAHW_TYPE_S8;
	s->moves = nnadev_rows_step(rows, operand);
	s->period = rows->period[operand];
	s->advance = s->period ? 16 % s->period : 0;
	s->zero = _mm512_set1_epi32(o->desc.zero_point);
	s->repeated = repeated;
}

/* Starts a piece of a row. */
static inline void source_start(struct source *s, const struct nnadev_engine_operand *o,
				const struct nnadev_run *run, uint32_t operand)
{
	s->from = (const uint8_t *)o->data + run->offset[operand];
	if (!s->moves) {
		s->still = _mm512_broadcastd_epi32(_mm512_castsi512_si128(load16(s, s->from, 1)));
		return;
	}
	if (!s->period)
		return;
	s->phase = run->phase[operand];
	for (uint32_t i = 0; i < s->period; i += 16)
		_mm512_storeu_si512(s->repeated + i,
				    load16(s, s->from + i, mask_of(s->period - i)));
	for (uint32_t i = s->period; i < s->period + 16; i++)
		s->repeated[i] = s->repeated[i - s->period];
}

/* Return: the next 16 elements; only those of @mask are present. */
static inline __attribute__((always_inline)) __m512i source_next(struct source *s, __mmask16 mask)
{
	__m512i v;

	if (!s->moves)
		return s->still;
	if (!s->period) {
		v = load16(s, s->from, mask);
		s->from += 16;
		return v;
	}
	v = _mm512_loadu_si512(s->repeated + s->phase);
	s->phase += s->advance;
	s->phase -= s->phase >= s->period ? s->period : 0;
	return v;
}

/* First stage of a sum. For the operand of the larger scale it halves x * 2^20, which is exact. */
static inline __m512i stage16(__m512i x, int32_t scale, int32_t shift)
{
	if (scale == 1 << 30 && shift == 31)
		return _mm512_slli_epi32(x, 19);
	return nnadev_scale16(_mm512_slli_epi32(x, 20), scale, shift);
}

/*
 * Computes 16 results by the exact steps, in units of 2^-16, clamped to -1 to 256, just beyond the
 * range of bytes.
 */
static inline __m512i exact16(const struct rule *r, __m512i x, __m512i y, const bool product)
{
	const struct nnahw_cmd_ewise *p = r->p;

	if (product) {
		x = nnadev_scale16(_mm512_mullo_epi32(x, y), p->a_scale, p->shift);
	} else {
		x = stage16(x, p->a_scale, p->a_shift);
		y = stage16(y, p->b_scale, p->b_shift);
		x = p->op == NNAHW_EWISE_SUB ? _mm512_sub_epi32(x, y) : _mm512_add_epi32(x, y);
		x = nnadev_scale16(x, p->multiplier, p->shift);
	}
	x = _mm512_add_epi32(x, _mm512_set1_epi32(r->limits.zero));
	x = _mm512_max_epi32(x, _mm512_set1_epi32(-1));
	return _mm512_slli_epi32(_mm512_min_epi32(x, _mm512_set1_epi32(256)), 16);
}

/* Computes the next 64 results, or the last @left. */
static inline __attribute__((always_inline)) void
finish(const struct rule *r, struct source *a, struct source *b, uint8_t *to, uint32_t left,
       const bool product, const bool whole)
{
	const __m512i order = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11,
						15);
	const struct nnadev_fixed *f = &r->fixed;
	__m512i x[4], y[4], t[4], bytes;

#pragma GCC unroll 4
	for (uint32_t i = 0; i < 4; i++) {
		const __mmask16 mask = whole ? 0xffff : mask_of(left > 16 * i ? left - 16 * i : 0);

		if (!mask) {
			x[i] = y[i] = _mm512_setzero_si512();
			t[i] = _mm512_set1_epi32(NNADEV_FIXED_WINDOW);
			continue;
		}
		x[i] = source_next(a, mask);
		y[i] = source_next(b, mask);
		if (product)
			t[i] = nnadev_fixed_estimate(_mm512_mullo_epi32(x[i], y[i]),
						     _mm512_load_ps(f->scale[0]),
						     _mm512_load_ps(f->nudge[0]), f->added, true);
		else
			t[i] = _mm512_cvtps_epi32(_mm512_fmadd_ps(
				_mm512_cvtepi32_ps(x[i]), r->a,
				_mm512_fmadd_ps(_mm512_cvtepi32_ps(y[i]), r->b, f->added)));
	}
	if (__builtin_expect(!r->estimated || !nnadev_fixed_is_exact(t), 0)) {
#pragma GCC unroll 4
		for (uint32_t i = 0; i < 4; i++)
			t[i] = exact16(r, x[i], y[i], product);
	}
	bytes = _mm512_permutexvar_epi32(order, nnadev_fixed_bytes(f, t));
	if (whole)
		_mm512_storeu_si512(to, bytes);
	else
		_mm512_mask_storeu_epi8(to, ~0ull >> (64 - left), bytes);
}

/* Computes all results of a piece of a row. */
static inline __attribute__((always_inline)) void
run_piece(const struct rule *r, struct source *a, struct source *b, uint8_t *to, uint32_t count,
	  const bool product)
{
	uint32_t i = 0;

	for (; i + 64 <= count; i += 64)
		finish(r, a, b, to + i, 64, product, true);
	if (i < count)
		finish(r, a, b, to + i, count - i, product, false);
}

/* Computes a piece in which one operand is constant by a table of the other operand's bytes. */
static inline __attribute__((always_inline)) void
run_table(const struct rule *r, struct source *a, struct source *b, uint8_t *to, uint32_t count,
	  const bool product)
{
	struct source *moves = a->moves ? a : b;
	const uint8_t *from = moves->from;
	uint8_t all[256], results[256];
	__m512i table[4];

	for (uint32_t i = 0; i < 256; i++)
		all[i] = (uint8_t)i;
	moves->from = all;
	run_piece(r, a, b, results, 256, product);
	nnadev_table_get(table, results);
	nnadev_table_look_up(table, to, from, count);
}

/* Computes the rows of a tile. */
static inline __attribute__((always_inline)) void
run_rows(const struct rule *r, const struct nnadev_engine_command *cmd,
	 const struct nnadev_engine_plan *plan, uint32_t tile, const bool product)
{
	int32_t repeated[2][NNADEV_EWISE_REPEATED_MOST + 32];
	const struct nnadev_rows *rows = nnadev_state(plan);
	const struct nnadev_engine_operand *o = cmd->operands;
	uint32_t begin, end;
	struct nnadev_run run;
	struct source a, b;

	source_get(&a, &o[1], rows, 1, repeated[0]);
	source_get(&b, &o[2], rows, 2, repeated[1]);
	nnadev_tile_range(plan, tile, o[0].count, &begin, &end);
	nnadev_run_start(&run, rows, begin, end);
	while (nnadev_run_next(&run, rows, UINT32_MAX)) {
		uint8_t *to = (uint8_t *)o[0].data + run.offset[0];

		source_start(&a, &o[1], &run, 1);
		source_start(&b, &o[2], &run, 2);
		if (run.count >= TABLE_LEAST && a.moves != b.moves && !a.period && !b.period)
			run_table(r, &a, &b, to, run.count, product);
		else
			run_piece(r, &a, &b, to, run.count, product);
	}
}

/* Computes the constants of a product. */
static void rule_get_product(struct rule *r)
{
	struct nnadev_fixed *f = &r->fixed;

	_mm512_store_si512(f->multiplier[0], _mm512_set1_epi32(r->p->a_scale));
	_mm512_store_si512(f->shift[0], _mm512_set1_epi32(r->p->shift));
	nnadev_fixed_set(f, &r->limits, 0);
	r->estimated = true;
}

/*
 * Computes the factors of a sum. The factors and the two fp32 additions have an error of at most
 * 2^-24 of the largest value. The sum of these errors, of the stages' error and of the conversion's
 * 1/2, in units of 2^-16, must be less than half of the window.
 */
static void rule_get_sum(struct rule *r)
{
	struct nnadev_ewise_sum sum;
	double most;

	nnadev_ewise_sum_get(&sum, r->p);
	most = UINT8_MAX * (nnadev_magnitude(sum.a) + nnadev_magnitude(sum.b)) + 257;
	r->a = _mm512_set1_ps((float)(sum.a * NNADEV_FIXED_ONE));
	r->b = _mm512_set1_ps((float)(sum.b * NNADEV_FIXED_ONE));
	r->estimated = 3 * most * 0x1p-24 * NNADEV_FIXED_ONE + sum.off * NNADEV_FIXED_ONE + 0.5 <
		       NNADEV_FIXED_WINDOW / 2;
}

static uint32_t ewise8_tile(const struct nnadev_engine_command *cmd,
			    const struct nnadev_engine_plan *plan, uint32_t phase, uint32_t tile,
			    void *scratch, void *shared)
{
	const struct nnahw_cmd_ewise *p = (const struct nnahw_cmd_ewise *)cmd->raw;
	const struct nnahw_tensor *out = &cmd->operands[0].desc;
	struct rule rule;

	rule.p = p;
	nnadev_fixed_limits_get(&rule.limits, out->type, out->zero_point, p->q_min, p->q_max,
				false);
	rule.limits.rectified = false; /* the nudge of a product takes the product's sign */
	nnadev_fixed_start(&rule.fixed, &rule.limits);
	if (p->op == NNAHW_EWISE_MUL) {
		rule_get_product(&rule);
		run_rows(&rule, cmd, plan, tile, true);
	} else {
		rule_get_sum(&rule);
		run_rows(&rule, cmd, plan, tile, false);
	}
	return NNAHW_STATUS_OK;
}

/* Accepts staged rules on bytes in contiguous rows, if shifts give results of 32 bits. */
static uint32_t ewise8_accepts(const struct nnadev_engine_command *cmd,
			       struct nnadev_engine_plan *plan)
{
	const struct nnahw_cmd_ewise *p = (const struct nnahw_cmd_ewise *)cmd->raw;
	struct nnadev_rows rows;

	if (!p->staged || !nnadev_ewise_joins_bytes(cmd) || !nnadev_scales8(p->shift) ||
	    nnadev_ewise_rule(cmd) != NNADEV_RULE_QUANTISED)
		return nnadev_accept(false);
	if (p->op != NNAHW_EWISE_MUL &&
	    (!nnadev_scales8(p->a_shift) || !nnadev_scales8(p->b_shift)))
		return nnadev_accept(false);
	nnadev_ewise_rows_get(&rows, cmd);
	if (nnadev_rows_step(&rows, 0) != 1 ||
	    nnadev_rows_length(&rows) < NNADEV_EWISE_SHORTEST_ROW)
		return nnadev_accept(false);
	for (uint32_t i = 0; i <= 2; i++)
		if (nnadev_rows_step(&rows, i) != 1 && nnadev_rows_step(&rows, i) != 0)
			return nnadev_accept(false);
	return nnadev_accept(true);
}

NNADEV_STATE_FITS(struct nnadev_rows);
NNADEV_KERNEL(avx512_ewise8) = { NNAHW_OP_EWISE, NNADEV_ENGINE_AVX512, ewise8_accepts,
				 nnadev_ewise_rows_plan, ewise8_tile };
