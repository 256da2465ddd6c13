// SPDX-License-Identifier: MIT
/*
 * ARG of 8-bit numbers along the innermost axis: the best one of a row, 16 at a time, then the
 * first that is as good.
 */
#include "device/engine/x86/avx2_epilogue.h"
#include "device/engine/x86/rows.h"

#define TILE_ELEMENTS (1u << 19)
#define LANES 16u

/* Loads numbers and flips their bits by key, so that the least unsigned one is the one sought. */
static inline __m128i load_keyed(const uint8_t *from, __m128i key)
{
	return _mm_xor_si128(_mm_loadu_si128((const __m128i *)from), key);
}

/* The least number, in all places. */
static inline __m128i least(__m128i v)
{
	/* The lesser of each pair, of which vphminposuw takes the least. */
	v = _mm_and_si128(_mm_min_epu8(v, _mm_srli_epi16(v, 8)), _mm_set1_epi16(255));
	return _mm_broadcastb_epi8(_mm_minpos_epu16(v));
}

/*
 * count is at least LANES. The guest may change the row meanwhile; what is returned is an index
 * into it all the same.
 */
static inline uint32_t find_first(const uint8_t *row, uint32_t count, __m128i key)
{
	const uint32_t last = count - LANES;
	__m128i best = load_keyed(row + last, key);
	uint32_t k, equal;

	for (k = 0; k < last; k += LANES)
		best = _mm_min_epu8(best, load_keyed(row + k, key));
	best = least(best);
	for (k = 0; k < last; k += LANES) {
		equal = (uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(load_keyed(row + k, key), best));
		if (equal)
			return k + (uint32_t)__builtin_ctz(equal);
	}
	equal = (uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(load_keyed(row + last, key), best));
	return equal ? last + (uint32_t)__builtin_ctz(equal) : 0;
}

/* The same for a row of any length. */
static inline uint32_t find_first_any(const uint8_t *row, uint32_t count, __m128i key)
{
	uint8_t part[LANES];

	if (count >= LANES)
		return find_first(row, count, key);
	/* What stands behind is as good as the first, and later. */
	memcpy(part, row, count);
	memset(part + count, part[0], LANES - count);
	return find_first(part, LANES, key);
}

static uint32_t arg_tile(const struct nnadev_engine_command *cmd,
			 const struct nnadev_engine_plan *plan, uint32_t phase, uint32_t tile,
			 void *scratch, void *shared)
{
	const struct nnahw_cmd_arg *p = (const struct nnahw_cmd_arg *)cmd->raw;
	const struct nnadev_engine_operand *output = &cmd->operands[NNAHW_ARG_OUTPUT];
	const struct nnadev_engine_operand *input = &cmd->operands[NNAHW_ARG_INPUT];
	const uint32_t length = input->desc.dims[p->axis];
	const int sign = input->desc.type == NNAHW_TYPE_S8 ? 0x80 : 0;
	const __m128i key = _mm_set1_epi8((char)(p->minimum ? sign : sign ^ 0xff));
	struct nnadev_rows rows;
	struct nnadev_run run;
	uint32_t begin, end;

	/* Along the axis the output has a single element: what is left are the input's rows. */
	nnadev_rows_get(&rows, cmd, 2);
	nnadev_tile_range(plan, tile, output->count, &begin, &end);
	nnadev_run_start(&run, &rows, begin, end);
	while (nnadev_run_next(&run, &rows, UINT32_MAX)) {
		const int64_t to = nnadev_rows_step(&rows, NNAHW_ARG_OUTPUT),
			      from = nnadev_rows_step(&rows, NNAHW_ARG_INPUT);
		const uint8_t *row = (const uint8_t *)input->data + run.offset[NNAHW_ARG_INPUT];

		for (uint32_t i = 0; i < run.count; i++)
			nnadev_store_integer(output, run.offset[NNAHW_ARG_OUTPUT] + i * to,
					     find_first_any(row + i * from, length, key));
	}
	return NNAHW_STATUS_OK;
}

/* The elements of a row are contiguous bytes. */
static uint32_t arg_accepts(const struct nnadev_engine_command *cmd,
			    struct nnadev_engine_plan *plan)
{
	const struct nnahw_cmd_arg *p = (const struct nnahw_cmd_arg *)cmd->raw;
	const struct nnadev_engine_operand *input = &cmd->operands[NNAHW_ARG_INPUT];

	return nnadev_accept(p->axis == input->desc.rank - 1u &&
			     nnadev_type_is_quant8(input->desc.type) &&
			     nnadev_innermost_dense(input));
}

static void arg_plan(const struct nnadev_engine_command *cmd, uint32_t threads,
		     struct nnadev_engine_plan *plan)
{
	const struct nnahw_cmd_arg *p = (const struct nnahw_cmd_arg *)cmd->raw;

	nnadev_cut(plan, cmd->operands[NNAHW_ARG_OUTPUT].count,
		   TILE_ELEMENTS / (cmd->operands[NNAHW_ARG_INPUT].desc.dims[p->axis] + 32));
}

NNADEV_KERNEL(avx2_arg) = { NNAHW_OP_ARG, NNADEV_ENGINE_AVX2, arg_accepts, arg_plan, arg_tile };
