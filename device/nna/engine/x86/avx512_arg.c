// SPDX-License-Identifier: MIT
/*
 * ARG of 8-bit numbers. Along an outer axis: up to 64 columns at a time, each with its best number
 * so far and the index of that number. Along the innermost axis of up to 32 numbers: each number
 * becomes the upper byte of 16 bits, its index the lower byte; the minimum is the first occurrence
 * of the best number.
 */
#include <immintrin.h>

#include "device/nna/engine/x86/arg.h"

#define COLUMNS 64u
#define LONGEST (1u << 16) /* a tile of this length takes less than 1 ms */
#define SHORTEST_ROW 8u
#define MOST_SHORT 32u /* numbers along the innermost axis */

/* Finds the first best numbers of @count columns, whose rows are @step apart. */
static inline void find_first(uint32_t *where, const uint8_t *from, uint32_t count, int64_t step,
			      uint32_t length, __m512i key)
{
	const __mmask64 mask = ~0ull >> (COLUMNS - count);
	__m512i best = _mm512_xor_si512(_mm512_maskz_loadu_epi8(mask, from), key), at[4];

	for (uint32_t i = 0; i < 4; i++)
		at[i] = _mm512_setzero_si512();
	for (uint32_t k = 1; k < length; k++) {
		const __m512i v = _mm512_xor_si512(
			_mm512_maskz_loadu_epi8(mask, from + k * step), key);
		const __mmask64 better = _mm512_mask_cmplt_epu8_mask(mask, v, best);

		/* Rare after a few rows. */
		if (__builtin_expect(!better, 1))
			continue;
		best = _mm512_min_epu8(best, v);
		for (uint32_t i = 0; i < 4; i++)
			at[i] = _mm512_mask_mov_epi32(at[i], (__mmask16)(better >> 16 * i),
						      _mm512_set1_epi32((int32_t)k));
	}
	for (uint32_t i = 0; i < 4; i++)
		_mm512_storeu_si512(where + 16 * i, at[i]);
}

/* Return: index of the first best number of those in @mask. @flip: key and index of each number. */
static inline uint32_t find_in_short(const uint8_t *row, __mmask32 mask, __m512i flip)
{
	const __m512i v = _mm512_xor_si512(
		_mm512_slli_epi16(_mm512_cvtepu8_epi16(_mm256_maskz_loadu_epi8(mask, row)), 8),
		flip);
	const __m256i half = _mm256_min_epu16(_mm512_castsi512_si256(v),
					      _mm512_extracti64x4_epi64(v, 1));
	const __m128i quarter = _mm_min_epu16(_mm256_castsi256_si128(half),
					      _mm256_extracti128_si256(half, 1));

	return (uint32_t)_mm_cvtsi128_si32(_mm_minpos_epu16(quarter)) & 0xff;
}

static uint32_t short_tile(const struct nnadev_engine_command *cmd,
			   const struct nnadev_engine_plan *plan, uint32_t phase, uint32_t tile,
			   void *scratch, void *shared)
{
	const struct nnahw_cmd_arg *p = (const struct nnahw_cmd_arg *)cmd->raw;
	const struct nnadev_engine_operand *output = &cmd->operands[NNAHW_ARG_OUTPUT];
	const struct nnadev_engine_operand *input = &cmd->operands[NNAHW_ARG_INPUT];
	const __mmask32 mask = ~0u >> (MOST_SHORT - input->desc.dims[p->axis]);
	const struct nnadev_rows *rows = nnadev_state(plan);
	const int64_t step = nnadev_rows_step(rows, NNAHW_ARG_INPUT);
	uint16_t places[MOST_SHORT];
	uint32_t begin, end;
	struct nnadev_run run;
	__m512i flip;

	/* Missing numbers become the greatest 16 bits. */
	for (uint32_t i = 0; i < MOST_SHORT; i++)
		places[i] = (uint16_t)(nnadev_arg_key(p, &input->desc) << 8 | i);
	flip = _mm512_mask_blend_epi16(mask, _mm512_set1_epi16(-1), _mm512_loadu_si512(places));
	nnadev_tile_range(plan, tile, output->count, &begin, &end);
	nnadev_run_start(&run, rows, begin, end);
	while (nnadev_run_next(&run, rows, UINT32_MAX)) {
		const uint8_t *row = (const uint8_t *)input->data + run.offset[NNAHW_ARG_INPUT];
		const int64_t at = run.offset[NNAHW_ARG_OUTPUT];

		if (output->desc.type == NNAHW_TYPE_S32)
			for (uint32_t i = 0; i < run.count; i++)
				((uint32_t *)output->data)[at + i] =
					find_in_short(row + i * step, mask, flip);
		else if (output->desc.type == NNAHW_TYPE_S64)
			for (uint32_t i = 0; i < run.count; i++)
				((uint64_t *)output->data)[at + i] =
					find_in_short(row + i * step, mask, flip);
		else
			for (uint32_t i = 0; i < run.count; i++)
				nnadev_store_integer(output, at + i,
						     find_in_short(row + i * step, mask, flip));
	}
	return NNAHW_STATUS_OK;
}

static uint32_t arg_tile(const struct nnadev_engine_command *cmd,
			 const struct nnadev_engine_plan *plan, uint32_t phase, uint32_t tile,
			 void *scratch, void *shared)
{
	const struct nnahw_cmd_arg *p = (const struct nnahw_cmd_arg *)cmd->raw;
	const struct nnadev_engine_operand *output = &cmd->operands[NNAHW_ARG_OUTPUT];
	const struct nnadev_engine_operand *input = &cmd->operands[NNAHW_ARG_INPUT];
	const __m512i key = _mm512_set1_epi8((char)nnadev_arg_key(p, &input->desc));
	const struct nnadev_rows *rows = nnadev_state(plan);
	uint32_t where[COLUMNS], begin, end;
	struct nnadev_run run;

	nnadev_tile_range(plan, tile, output->count, &begin, &end);
	nnadev_run_start(&run, rows, begin, end);
	while (nnadev_run_next(&run, rows, COLUMNS)) {
		find_first(where, (const uint8_t *)input->data + run.offset[NNAHW_ARG_INPUT],
			   run.count, input->desc.strides[p->axis], input->desc.dims[p->axis], key);
		for (uint32_t i = 0; i < run.count; i++)
			nnadev_store_integer(output, run.offset[NNAHW_ARG_OUTPUT] + i, where[i]);
	}
	return NNAHW_STATUS_OK;
}

/* Accepts contiguous columns in input and output. */
static uint32_t arg_accepts(const struct nnadev_engine_command *cmd,
			    struct nnadev_engine_plan *plan)
{
	const struct nnahw_cmd_arg *p = (const struct nnahw_cmd_arg *)cmd->raw;
	const struct nnadev_engine_operand *input = &cmd->operands[NNAHW_ARG_INPUT];
	struct nnadev_rows rows;

	if (!nnadev_type_is_quant8(input->desc.type) || input->desc.dims[p->axis] > LONGEST)
		return nnadev_accept(false);
	nnadev_rows_get(&rows, cmd, 2);
	return nnadev_accept(nnadev_rows_step(&rows, NNAHW_ARG_OUTPUT) == 1 &&
			     nnadev_rows_step(&rows, NNAHW_ARG_INPUT) == 1 &&
			     nnadev_rows_length(&rows) >= SHORTEST_ROW);
}

/* Accepts few and contiguous numbers along the axis, and contiguous results. */
static uint32_t short_accepts(const struct nnadev_engine_command *cmd,
			      struct nnadev_engine_plan *plan)
{
	const struct nnahw_cmd_arg *p = (const struct nnahw_cmd_arg *)cmd->raw;
	const struct nnadev_engine_operand *input = &cmd->operands[NNAHW_ARG_INPUT];
	struct nnadev_rows rows;

	if (p->axis != input->desc.rank - 1u || !nnadev_type_is_quant8(input->desc.type) ||
	    !nnadev_innermost_dense(input) || input->desc.dims[p->axis] > MOST_SHORT)
		return nnadev_accept(false);
	nnadev_rows_get(&rows, cmd, 2);
	/* Contiguous rows of one number belong to the kernel of columns. */
	return nnadev_accept(nnadev_rows_step(&rows, NNAHW_ARG_OUTPUT) == 1 &&
			     nnadev_rows_step(&rows, NNAHW_ARG_INPUT) != 1);
}

NNADEV_STATE_FITS(struct nnadev_rows);
NNADEV_KERNEL(avx512_arg_short) = { NNAHW_OP_ARG, NNADEV_ENGINE_AVX512, short_accepts,
				    nnadev_arg_plan, short_tile };
NNADEV_KERNEL(avx512_arg) = { NNAHW_OP_ARG, NNADEV_ENGINE_AVX512, arg_accepts, nnadev_arg_plan,
			      arg_tile };
