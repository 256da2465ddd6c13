// SPDX-License-Identifier: MIT
/*
 * ARG of 8-bit numbers along another axis than the innermost one: up to 64 neighbours at a time,
 * each with its best number so far and where that is.
 */
#include <immintrin.h>

#include "device/engine/x86/rows.h"

#define COLUMNS 64u
#define TILE_ELEMENTS (1u << 19)
#define LONGEST (1u << 16) /* of which a tile takes less than 1 ms */
#define SHORTEST_ROW 8u

/* Where the first of the best numbers of @count columns are, of which rows are @step apart. */
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

		/* After a few rows, it seldom is. */
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

static uint32_t arg_tile(const struct nnadev_engine_command *cmd,
			 const struct nnadev_engine_plan *plan, uint32_t phase, uint32_t tile,
			 void *scratch, void *shared)
{
	const struct nnahw_cmd_arg *p = (const struct nnahw_cmd_arg *)cmd->raw;
	const struct nnadev_engine_operand *output = &cmd->operands[NNAHW_ARG_OUTPUT];
	const struct nnadev_engine_operand *input = &cmd->operands[NNAHW_ARG_INPUT];
	const int sign = input->desc.type == NNAHW_TYPE_S8 ? 0x80 : 0;
	/* Flips the bits so that the least unsigned number is the one sought. */
	const __m512i key = _mm512_set1_epi8((char)(p->minimum ? sign : sign ^ 0xff));
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

/* Neighbours lie so in input and output. */
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

static void arg_plan(const struct nnadev_engine_command *cmd, uint32_t threads,
		     struct nnadev_engine_plan *plan)
{
	const struct nnahw_cmd_arg *p = (const struct nnahw_cmd_arg *)cmd->raw;

	nnadev_rows_get(nnadev_state_new(plan), cmd, 2);
	nnadev_cut(plan, cmd->operands[NNAHW_ARG_OUTPUT].count,
		   TILE_ELEMENTS / (cmd->operands[NNAHW_ARG_INPUT].desc.dims[p->axis] + 32));
}

NNADEV_STATE_FITS(struct nnadev_rows);
NNADEV_KERNEL(avx512_arg) = { NNAHW_OP_ARG, NNADEV_ENGINE_AVX512, arg_accepts, arg_plan, arg_tile };
