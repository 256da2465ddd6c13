// SPDX-License-Identifier: MIT
/*
 * ARG of 8-bit numbers, in three ways:
 *
 *   rows     numbers along the axis are contiguous: finds the best number, 16 at a time, then its
 *            first occurrence
 *   short    8 to 32 contiguous numbers: each becomes the upper byte of 16 bits, its index is the
 *            lower byte; the minimum is the first occurrence of the best number
 *   columns  numbers of neighbouring results are contiguous: up to 32 columns at a time, each with
 *            its best number so far and the index of that number
 */
#include <immintrin.h>

#include "device/nna/engine/x86/arg.h"

#define LANES 16u
#define SHORT_LEAST 8u
#define SHORT_MOST 32u
#define COLUMNS 32u
#define COLUMNS_LEAST 8u
#define LONGEST (1u << 14) /* of columns: a tile may have to compare some one by one */
#define PLACES 64u /* results that are stored together */

enum way { WAY_NONE, WAY_ROWS, WAY_SHORT, WAY_COLUMNS };

/* Loads numbers and XORs them with the key, so that the number sought is the least unsigned one. */
static inline __m128i load_keyed(const uint8_t *from, __m128i key)
{
	return _mm_xor_si128(_mm_loadu_si128((const __m128i *)from), key);
}

/* Broadcasts the least number to all lanes. */
static inline __m128i least(__m128i v)
{
	/* The lesser of each pair of bytes; vphminposuw takes the minimum of these. */
	v = _mm_and_si128(_mm_min_epu8(v, _mm_srli_epi16(v, 8)), _mm_set1_epi16(255));
	return _mm_broadcastb_epi8(_mm_minpos_epu16(v));
}

/*
 * Return: index of the first best number of a row of at least LANES numbers. The guest may change
 * the row meanwhile; the result is an index into the row nevertheless.
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

/* Does so for a row of any length. */
static inline uint32_t find_first_any(const uint8_t *row, uint32_t count, __m128i key)
{
	uint8_t part[LANES];

	if (count >= LANES)
		return find_first(row, count, key);
	/* Padding repeats the first number, so the index found is never in the padding. */
	memcpy(part, row, count);
	memset(part + count, part[0], LANES - count);
	return find_first(part, LANES, key);
}

static uint32_t rows_tile(const struct nnadev_engine_command *cmd,
			  const struct nnadev_engine_plan *plan, uint32_t phase, uint32_t tile,
			  void *scratch, void *shared)
{
	const struct nnahw_cmd_arg *p = (const struct nnahw_cmd_arg *)cmd->raw;
	const struct nnadev_engine_operand *output = &cmd->operands[NNAHW_ARG_OUTPUT];
	const struct nnadev_engine_operand *input = &cmd->operands[NNAHW_ARG_INPUT];
	const uint32_t length = input->desc.dims[p->axis];
	const __m128i key = _mm_set1_epi8((char)nnadev_arg_key(p, &input->desc));
	const struct nnadev_rows *rows = nnadev_state(plan);
	struct nnadev_run run;
	uint32_t begin, end;

	/* The output has one element along the axis, so the joined rows count the input's rows. */
	nnadev_tile_range(plan, tile, output->count, &begin, &end);
	nnadev_run_start(&run, rows, begin, end);
	while (nnadev_run_next(&run, rows, UINT32_MAX)) {
		const int64_t to = nnadev_rows_step(rows, NNAHW_ARG_OUTPUT),
			      from = nnadev_rows_step(rows, NNAHW_ARG_INPUT);
		const uint8_t *row = (const uint8_t *)input->data + run.offset[NNAHW_ARG_INPUT];

		for (uint32_t i = 0; i < run.count; i++)
			nnadev_store_integer(output, run.offset[NNAHW_ARG_OUTPUT] + i * to,
					     find_first_any(row + i * from, length, key));
	}
	return NNAHW_STATUS_OK;
}

/* Stores contiguous results. */
static void store_places(const struct nnadev_engine_operand *output, int64_t at,
			 const uint32_t *where, uint32_t count)
{
	if (output->desc.type == NNAHW_TYPE_S32)
		memcpy((uint32_t *)output->data + at, where, count * sizeof(*where));
	else if (output->desc.type == NNAHW_TYPE_S64)
		for (uint32_t i = 0; i < count; i++)
			((uint64_t *)output->data)[at + i] = where[i];
	else
		for (uint32_t i = 0; i < count; i++)
			nnadev_store_integer(output, at + i, where[i]);
}

/*
 * Loads two parts of a row: two of 16 bytes as the halves of a vector, or, with @eights, two of 8
 * bytes as each half.
 */
static inline __attribute__((always_inline)) __m256i load_parts(const uint8_t *first,
								 const uint8_t *second,
								 const bool eights)
{
	__m128i a, b;

	if (!eights)
		return _mm256_inserti128_si256(
			_mm256_castsi128_si256(_mm_loadu_si128((const __m128i *)first)),
			_mm_loadu_si128((const __m128i *)second), 1);
	a = _mm_loadl_epi64((const __m128i *)first);
	b = _mm_loadl_epi64((const __m128i *)second);
	a = _mm_unpacklo_epi64(a, b);
	return _mm256_inserti128_si256(_mm256_castsi128_si256(a), a, 1);
}

/*
 * Return: index of the first best number of a row. @places: index of each byte as load_parts()
 * loads them.
 */
static inline __attribute__((always_inline)) uint32_t find_in_short(const uint8_t *row,
								     uint32_t last, __m256i places,
								     __m256i key, const bool eights)
{
	const __m256i v = _mm256_xor_si256(load_parts(row, row + last, eights), key),
		      least = _mm256_min_epu16(_mm256_unpacklo_epi8(places, v),
					       _mm256_unpackhi_epi8(places, v));

	return (uint32_t)_mm_cvtsi128_si32(
		       _mm_minpos_epu16(_mm_min_epu16(_mm256_castsi256_si128(least),
						      _mm256_extracti128_si256(least, 1)))) &
	       UINT8_MAX;
}

static uint32_t short_tile(const struct nnadev_engine_command *cmd,
			   const struct nnadev_engine_plan *plan, uint32_t phase, uint32_t tile,
			   void *scratch, void *shared)
{
	const struct nnahw_cmd_arg *p = (const struct nnahw_cmd_arg *)cmd->raw;
	const struct nnadev_engine_operand *output = &cmd->operands[NNAHW_ARG_OUTPUT];
	const struct nnadev_engine_operand *input = &cmd->operands[NNAHW_ARG_INPUT];
	const uint32_t length = input->desc.dims[p->axis];
	const bool eights = length < 16;
	const uint32_t last = length - (eights ? 8 : 16);
	const __m256i key = _mm256_set1_epi8((char)nnadev_arg_key(p, &input->desc));
	const struct nnadev_rows *rows = nnadev_state(plan);
	const int64_t step = nnadev_rows_step(rows, NNAHW_ARG_INPUT);
	uint32_t where[PLACES], begin, end;
	uint8_t number[SHORT_MOST];
	struct nnadev_run run;
	__m256i places;

	for (uint32_t i = 0; i < SHORT_MOST; i++)
		number[i] = (uint8_t)i;
	places = load_parts(number, number + last, eights);
	nnadev_tile_range(plan, tile, output->count, &begin, &end);
	nnadev_run_start(&run, rows, begin, end);
	while (nnadev_run_next(&run, rows, PLACES)) {
		const uint8_t *row = (const uint8_t *)input->data + run.offset[NNAHW_ARG_INPUT];

		for (uint32_t i = 0; i < run.count && eights; i++)
			where[i] = find_in_short(row + i * step, last, places, key, true);
		for (uint32_t i = 0; i < run.count && !eights; i++)
			where[i] = find_in_short(row + i * step, last, places, key, false);
		store_places(output, run.offset[NNAHW_ARG_OUTPUT], where, run.count);
	}
	return NNAHW_STATUS_OK;
}

/* Finds the first best numbers of columns, which are two parts @last columns apart. */
static inline __attribute__((always_inline)) void
find_in_parts(uint32_t *where, const uint8_t *from, uint32_t last, int64_t step, uint32_t length,
	      __m256i key, const bool eights)
{
	const uint32_t part = eights ? 8 : 16;
	__m256i best = _mm256_xor_si256(load_parts(from, from + last, eights), key);

	memset(where, 0, (last + part) * sizeof(*where));
	for (uint32_t k = 1; k < length; k++) {
		const uint8_t *row = from + k * step;
		const __m256i v = _mm256_xor_si256(load_parts(row, row + last, eights), key),
			      as_good = _mm256_cmpeq_epi8(_mm256_min_epu8(v, best), best);
		uint32_t better = ~(uint32_t)_mm256_movemask_epi8(as_good);

		/*
		 * Rare after a few rows; the best number of a column can improve at most 255 times.
		 */
		if (__builtin_expect(!better, 1))
			continue;
		best = _mm256_min_epu8(v, best);
		for (better &= eights ? UINT16_MAX : UINT32_MAX; better; better &= better - 1) {
			const uint32_t i = (uint32_t)__builtin_ctz(better);

			where[i < part ? i : last + i - part] = k;
		}
	}
}

/* Finds the first best number of a single column. */
static uint32_t find_in_column(const uint8_t *from, int64_t step, uint32_t length, uint8_t key)
{
	uint8_t best = *from ^ key;
	uint32_t where = 0;

	for (uint32_t k = 1; k < length; k++) {
		const uint8_t v = from[k * step] ^ key;

		where = v < best ? k : where;
		best = v < best ? v : best;
	}
	return where;
}

/* Finds the first best numbers of @count columns, at most COLUMNS. */
static void find_in_columns(uint32_t *where, const uint8_t *from, uint32_t count, int64_t step,
			    uint32_t length, uint8_t key)
{
	const __m256i keys = _mm256_set1_epi8((char)key);

	if (count >= 16)
		find_in_parts(where, from, count - 16, step, length, keys, false);
	else if (count >= 8)
		find_in_parts(where, from, count - 8, step, length, keys, true);
	else
		for (uint32_t i = 0; i < count; i++)
			where[i] = find_in_column(from + i, step, length, key);
}

static uint32_t columns_tile(const struct nnadev_engine_command *cmd,
			     const struct nnadev_engine_plan *plan, uint32_t phase, uint32_t tile,
			     void *scratch, void *shared)
{
	const struct nnahw_cmd_arg *p = (const struct nnahw_cmd_arg *)cmd->raw;
	const struct nnadev_engine_operand *output = &cmd->operands[NNAHW_ARG_OUTPUT];
	const struct nnadev_engine_operand *input = &cmd->operands[NNAHW_ARG_INPUT];
	const struct nnadev_rows *rows = nnadev_state(plan);
	uint32_t where[COLUMNS], begin, end;
	struct nnadev_run run;

	nnadev_tile_range(plan, tile, output->count, &begin, &end);
	nnadev_run_start(&run, rows, begin, end);
	while (nnadev_run_next(&run, rows, COLUMNS)) {
		find_in_columns(where, (const uint8_t *)input->data + run.offset[NNAHW_ARG_INPUT],
				run.count, input->desc.strides[p->axis],
				input->desc.dims[p->axis], nnadev_arg_key(p, &input->desc));
		store_places(output, run.offset[NNAHW_ARG_OUTPUT], where, run.count);
	}
	return NNAHW_STATUS_OK;
}

/* Return: how a command is computed. */
static enum way decide(const struct nnadev_engine_command *cmd)
{
	const struct nnahw_cmd_arg *p = (const struct nnahw_cmd_arg *)cmd->raw;
	const struct nnahw_tensor *input = &cmd->operands[NNAHW_ARG_INPUT].desc;
	const uint32_t length = input->dims[p->axis];
	struct nnadev_rows rows;
	bool dense;

	if (!nnadev_type_is_quant8(input->type))
		return WAY_NONE;
	nnadev_rows_get(&rows, cmd, 2);
	dense = nnadev_rows_step(&rows, NNAHW_ARG_OUTPUT) == 1;
	if (dense && nnadev_rows_step(&rows, NNAHW_ARG_INPUT) == 1 &&
	    nnadev_rows_length(&rows) >= COLUMNS_LEAST && length <= LONGEST)
		return WAY_COLUMNS;
	if (input->strides[p->axis] != 1 && length > 1)
		return WAY_NONE;
	return dense && length >= SHORT_LEAST && length <= SHORT_MOST ? WAY_SHORT : WAY_ROWS;
}

static uint32_t rows_accepts(const struct nnadev_engine_command *cmd,
			     struct nnadev_engine_plan *plan)
{
	return nnadev_accept(decide(cmd) == WAY_ROWS);
}

static uint32_t short_accepts(const struct nnadev_engine_command *cmd,
			      struct nnadev_engine_plan *plan)
{
	return nnadev_accept(decide(cmd) == WAY_SHORT);
}

static uint32_t columns_accepts(const struct nnadev_engine_command *cmd,
				struct nnadev_engine_plan *plan)
{
	return nnadev_accept(decide(cmd) == WAY_COLUMNS);
}

NNADEV_STATE_FITS(struct nnadev_rows);
NNADEV_KERNEL(avx2_arg) = { NNAHW_OP_ARG, NNADEV_ENGINE_AVX2, rows_accepts, nnadev_arg_plan,
			    rows_tile };
NNADEV_KERNEL(avx2_arg_short) = { NNAHW_OP_ARG, NNADEV_ENGINE_AVX2, short_accepts, nnadev_arg_plan,
				  short_tile };
NNADEV_KERNEL(avx2_arg_columns) = { NNAHW_OP_ARG, NNADEV_ENGINE_AVX2, columns_accepts,
				    nnadev_arg_plan, columns_tile };
