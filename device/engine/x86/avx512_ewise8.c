// SPDX-License-Identifier: MIT
/*
 * EWISE with AVX-512: sums, products and requantisation of 8-bit numbers, rounded in stages as
 * TFLite does. All steps are the exact ones, on 16 numbers at once; an operand that stands still or
 * repeats some elements goes through its first stage once, and where the first stage halves
 * without a rest, as it does of the operand with the larger scale, it is a shift.
 */
#include "device/engine/ewise.h"
#include "device/engine/x86/avx512_epilogue.h"
#include "device/engine/x86/rows.h"

#define TILE_ELEMENTS 32768u
#define SHORTEST_ROW 8u
#define REPEATED_MOST 64u /* elements that an operand may repeat within a row */

/**
 * struct source - an input, as numbers minus the zero point that have been through their stage
 * @data: of the operand
 * @at: the next element
 * @is_signed: S8
 * @zero: zero point
 * @scale, @shift: of the first stage
 * @is_sum: there is such a stage
 * @moves: does not stand still
 * @still: the element of one that does
 * @period: it repeats so many elements; 0: it does not
 * @phase: the next one of these
 * @advance: 16 modulo @period
 * @repeated: these elements, and 15 more or more
 */
struct source {
	const uint8_t *data;
	int64_t at;
	bool is_signed, is_sum, moves;
	int32_t zero, scale, shift;
	__m512i still;
	uint32_t period, phase, advance;
	int32_t repeated[REPEATED_MOST + 32];
};

/* The first stage. */
static inline __m512i stage16(const struct source *s, __m512i x)
{
	if (!s->is_sum)
		return x;
	if (s->scale == 1 << 30 && s->shift == 31)
		return _mm512_slli_epi32(x, 19);
	return nnadev_scale16(_mm512_slli_epi32(x, 20), s->scale, s->shift);
}

/* Up to 16 bytes as numbers minus the zero point. */
static inline __m512i load16(const struct source *s, const uint8_t *from, __mmask16 mask)
{
	const __m128i v = _mm_maskz_loadu_epi8(mask, from);

	return _mm512_sub_epi32(s->is_signed ? _mm512_cvtepi8_epi32(v) : _mm512_cvtepu8_epi32(v),
				_mm512_set1_epi32(s->zero));
}

static inline __mmask16 mask_of(uint32_t count)
{
	return count < 16 ? (__mmask16)((1u << count) - 1) : 0xffff;
}

/* What stays the same for all rows. */
static void source_get(struct source *s, const struct nnadev_engine_operand *o,
		       const struct nnadev_rows *rows, uint32_t operand, bool is_sum, int32_t scale,
		       int32_t shift)
{
	s->data = o->data;
	s->is_signed = o->desc.type == NNAHW_TYPE_S8;
	s->zero = o->desc.zero_point;
	s->is_sum = is_sum;
	s->scale = scale;
	s->shift = shift;
	s->moves = nnadev_rows_step(rows, operand);
	s->period = rows->period[operand];
	s->advance = s->period ? 16 % s->period : 0;
}

/* Begins a piece of a row. */
static inline void source_start(struct source *s, const struct nnadev_run *run, uint32_t operand)
{
	s->at = run->offset[operand];
	if (!s->moves) {
		const uint8_t byte = s->data[s->at];
		const int32_t x = s->is_signed ? (int8_t)byte : byte;

		s->still = stage16(s, _mm512_set1_epi32(x - s->zero));
		return;
	}
	if (!s->period)
		return;
	s->phase = run->phase[operand];
	for (uint32_t i = 0; i < s->period; i += 16)
		_mm512_storeu_si512(s->repeated + i, stage16(s, load16(s, s->data + s->at + i,
								       mask_of(s->period - i))));
	for (uint32_t i = s->period; i < s->period + 16; i++)
		s->repeated[i] = s->repeated[i - s->period];
}

/* The next 16 elements, of which those of @mask are there. */
static inline __m512i source_next(struct source *s, __mmask16 mask)
{
	__m512i v;

	if (!s->moves)
		return s->still;
	if (!s->period) {
		v = stage16(s, load16(s, s->data + s->at, mask));
		s->at += 16;
		return v;
	}
	v = _mm512_loadu_si512(s->repeated + s->phase);
	s->phase += s->advance;
	s->phase -= s->phase >= s->period ? s->period : 0;
	return v;
}

/* Return: whether an operation is the sum of two that have been scaled. */
static inline bool is_sum(uint32_t op)
{
	return op == NNAHW_EWISE_ADD || op == NNAHW_EWISE_SUB;
}

/* Return: whether what is not a sum stays as it is, as between u8 and s8. */
static inline bool is_unscaled(const struct nnahw_cmd_ewise *p)
{
	return !is_sum(p->op) && p->a_scale == 1 << 30 && p->shift == 30;
}

static uint32_t ewise8_tile(const struct nnadev_engine_command *cmd,
			    const struct nnadev_engine_plan *plan, uint32_t phase, uint32_t tile,
			    void *scratch, void *shared)
{
	const struct nnahw_cmd_ewise *p = (const struct nnahw_cmd_ewise *)cmd->raw;
	const struct nnadev_engine_operand *o = cmd->operands;
	const struct nnadev_rows *rows = nnadev_state(plan);
	const uint32_t op = p->op;
	const bool sum = is_sum(op), two = nnadev_ewise_inputs(op) > 1, unscaled = is_unscaled(p);
	const int32_t multiplier = sum ? p->multiplier : p->a_scale, shift = p->shift;
	const __m512i zero = _mm512_set1_epi32(o[0].desc.zero_point);
	__m512i least, most;
	int64_t low, high;
	uint32_t begin, end;
	struct nnadev_run run;
	struct source a, b;

	nnadev_type_range(o[0].desc.type, &low, &high);
	least = _mm512_set1_epi32((int32_t)nnadev_clamp_s64(p->q_min, low, high));
	most = _mm512_set1_epi32((int32_t)nnadev_clamp_s64(p->q_max, low, high));
	source_get(&a, &o[1], rows, 1, sum, p->a_scale, p->a_shift);
	if (two)
		source_get(&b, &o[2], rows, 2, sum, p->b_scale, p->b_shift);
	nnadev_tile_range(plan, tile, o[0].count, &begin, &end);
	nnadev_run_start(&run, rows, begin, end);
	while (nnadev_run_next(&run, rows, UINT32_MAX)) {
		uint8_t *to = (uint8_t *)o[0].data + run.offset[0];

		source_start(&a, &run, 1);
		if (two)
			source_start(&b, &run, 2);
		for (uint32_t i = 0; i < run.count; i += 16) {
			const __mmask16 mask = mask_of(run.count - i);
			__m512i x = source_next(&a, mask);

			if (two) {
				const __m512i y = source_next(&b, mask);

				x = op == NNAHW_EWISE_ADD   ? _mm512_add_epi32(x, y)
				    : op == NNAHW_EWISE_SUB ? _mm512_sub_epi32(x, y)
							    : _mm512_mullo_epi32(x, y);
			}
			if (!unscaled)
				x = nnadev_scale16(x, multiplier, shift);
			x = _mm512_add_epi32(x, zero);
			x = _mm512_min_epi32(_mm512_max_epi32(x, least), most);
			_mm_mask_storeu_epi8(to + i, mask, _mm512_cvtepi32_epi8(x));
		}
	}
	return NNAHW_STATUS_OK;
}

static void get_rows(struct nnadev_rows *rows, const struct nnadev_engine_command *cmd)
{
	const struct nnahw_cmd_ewise *p = (const struct nnahw_cmd_ewise *)cmd->raw;

	nnadev_rows_get(rows, cmd, nnadev_ewise_inputs(p->op) + 1);
	nnadev_rows_repeat(rows, REPEATED_MOST);
}

/* Rules in stages on bytes, in rows that are contiguous; shifts leave results of 32 bits. */
static uint32_t ewise8_accepts(const struct nnadev_engine_command *cmd,
			       struct nnadev_engine_plan *plan)
{
	const struct nnahw_cmd_ewise *p = (const struct nnahw_cmd_ewise *)cmd->raw;
	const uint32_t inputs = nnadev_ewise_inputs(p->op);
	struct nnadev_rows rows;

	if (!p->staged || p->op == NNAHW_EWISE_LEAKY_RELU ||
	    (!nnadev_scales8(p->shift) && !is_unscaled(p)) ||
	    nnadev_ewise_rule(cmd) != NNADEV_RULE_QUANTISED)
		return nnadev_accept(false);
	if (is_sum(p->op) && (!nnadev_scales8(p->a_shift) || !nnadev_scales8(p->b_shift)))
		return nnadev_accept(false);
	get_rows(&rows, cmd);
	if (nnadev_rows_step(&rows, 0) != 1 || nnadev_rows_length(&rows) < SHORTEST_ROW)
		return nnadev_accept(false);
	for (uint32_t i = 0; i <= inputs; i++)
		if (!nnadev_type_is_quant8(cmd->operands[i].desc.type) ||
		    (nnadev_rows_step(&rows, i) != 1 && nnadev_rows_step(&rows, i) != 0))
			return nnadev_accept(false);
	return nnadev_accept(true);
}

static void ewise8_plan(const struct nnadev_engine_command *cmd, uint32_t threads,
			struct nnadev_engine_plan *plan)
{
	get_rows(nnadev_state_new(plan), cmd);
	nnadev_cut(plan, cmd->operands[0].count, TILE_ELEMENTS);
}

NNADEV_STATE_FITS(struct nnadev_rows);
NNADEV_KERNEL(avx512_ewise8) = { NNAHW_OP_EWISE, NNADEV_ENGINE_AVX512, ewise8_accepts, ewise8_plan,
				 ewise8_tile };
