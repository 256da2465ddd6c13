// SPDX-License-Identifier: MIT
/*
 * MULTINOMIAL, by definition: phase 0 computes the cumulative distribution of each row, phase 1
 * draws samples.
 */
#include "device/nna/engine/kernel.h"

#define TILE_ELEMENTS 8192u
#define TILE_SAMPLES 1024u

/* Philox 4x32: the block of a counter under a key. */
static void philox(const uint64_t counter[2], uint64_t key, uint32_t block[4])
{
	uint32_t low = (uint32_t)key, high = (uint32_t)(key >> 32);

	block[0] = (uint32_t)counter[0];
	block[1] = (uint32_t)(counter[0] >> 32);
	block[2] = (uint32_t)counter[1];
	block[3] = (uint32_t)(counter[1] >> 32);
	for (int round = 0; round < 10; round++, low += 0x9e3779b9, high += 0xbb67ae85) {
		const uint64_t a = (uint64_t)block[0] * 0xd2511f53,
			       b = (uint64_t)block[2] * 0xcd9e8d57;

		block[0] = (uint32_t)(b >> 32) ^ block[1] ^ low;
		block[1] = (uint32_t)b;
		block[2] = (uint32_t)(a >> 32) ^ block[3] ^ high;
		block[3] = (uint32_t)a;
	}
}

/* Return: number @q of a sequence, in [0, 1). */
static double uniform(const int64_t seeds[2], uint64_t q)
{
	const uint64_t counter[2] = { q / 2, (uint64_t)seeds[1] };
	const uint32_t word = 2 * (uint32_t)(q % 2);
	uint32_t block[4];

	philox(counter, (uint64_t)seeds[0], block);
	return (double)((uint64_t)(block[word] & 0xfffff) << 32 | block[word + 1]) * 0x1p-52;
}

/* Return: the largest of @max and the finite classes [begin, end) of a row. */
static float find_max(const struct nnadev_engine_operand *input, int64_t row, uint32_t begin,
		      uint32_t end, float max)
{
	const int64_t from = row * input->desc.strides[0], step = input->desc.strides[1];

	for (uint32_t k = begin; k < end; k++) {
		const float x = nnadev_load_float(input, from + k * step);

		if (x - x == 0 && x > max)
			max = x;
	}
	return max;
}

/*
 * Stores the cumulative sums of classes [begin, end) of a row to @cdf, which no guest can change.
 */
static void sum_up(const struct nnadev_engine_operand *input, int64_t row, uint32_t begin,
		   uint32_t end, float max, double *cdf)
{
	const int64_t from = row * input->desc.strides[0], step = input->desc.strides[1];
	double total = begin ? cdf[begin - 1] : 0;

	for (uint32_t k = begin; k < end; k++) {
		const float x = nnadev_load_float(input, from + k * step);

		if (x - x == 0)
			total += nnadev_exp((double)x - (double)max);
		cdf[k] = total;
	}
}

/*
 * Phase 0: a tile is a range of rows, or a step of a row that is too long for a tile. The first
 * half of such a row's steps finds the maximum, which is kept in the place of the last sum; the
 * second half computes the sums.
 */
static void sum_tile(const struct nnadev_engine_operand *input,
		     const struct nnadev_engine_plan *plan, uint32_t tile, double *sums)
{
	const uint32_t rows = input->desc.dims[0], classes = input->desc.dims[1],
		       *rows_per_tile = nnadev_state(plan);
	uint32_t begin, end, row, step;
	float max = -__FLT_MAX__;

	if (plan->steps) {
		if (!nnadev_step_get(plan, tile, rows, &row, &step))
			return;
		begin = step % (plan->steps / 2) * TILE_ELEMENTS;
		end = classes - begin < TILE_ELEMENTS ? classes : begin + TILE_ELEMENTS;
		sums += (size_t)row * classes;
		if (step)
			max = (float)sums[classes - 1];
		if (step < plan->steps / 2)
			sums[classes - 1] = find_max(input, row, begin, end, max);
		else
			sum_up(input, row, begin, end, max, sums);
		return;
	}
	begin = tile * *rows_per_tile;
	end = rows - begin > *rows_per_tile ? begin + *rows_per_tile : rows;
	for (row = begin; row < end; row++) {
		max = find_max(input, row, 0, classes, -__FLT_MAX__);
		sum_up(input, row, 0, classes, max, sums + (size_t)row * classes);
	}
}

/* Return: the first class whose cumulative sum is above @target, or the last class. */
static uint32_t find(const double *cdf, uint32_t classes, double target)
{
	uint32_t low = 0, high = classes - 1;

	while (low < high) {
		const uint32_t middle = low + (high - low) / 2;

		if (cdf[middle] > target)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

static uint32_t multinomial_tile(const struct nnadev_engine_command *cmd,
				 const struct nnadev_engine_plan *plan, uint32_t phase,
				 uint32_t tile, void *scratch, void *shared)
{
	const struct nnahw_cmd_multinomial *p = (const struct nnahw_cmd_multinomial *)cmd->raw;
	const struct nnadev_engine_operand *output = &cmd->operands[NNAHW_MULTINOMIAL_OUTPUT],
					*input = &cmd->operands[NNAHW_MULTINOMIAL_INPUT],
					*operand = &cmd->operands[NNAHW_MULTINOMIAL_SEEDS];
	const uint32_t classes = input->desc.dims[1];
	int64_t seeds[2] = { nnadev_load_integer(operand, 0),
			     nnadev_load_integer(operand, operand->desc.strides[0]) };
	uint32_t index[2], begin, end;

	if (phase == 0) {
		sum_tile(input, plan, tile, shared);
		return NNAHW_STATUS_OK;
	}
	if (!seeds[0] && !seeds[1]) {
		seeds[0] = (int64_t)cmd->entropy;
		seeds[1] = (int64_t)(cmd->entropy >> 32);
	}
	nnadev_tile_range(plan, tile, output->count, &begin, &end);
	nnadev_unflatten(output->desc.dims, 2, begin, index);
	for (uint32_t i = begin; i < end; i++, nnadev_advance(output->desc.dims, 2, index)) {
		const double *cdf = (const double *)shared + (uint64_t)index[0] * classes;

		nnadev_store_integer(
			output, nnadev_offset(&output->desc, index),
			find(cdf, classes, uniform(seeds, p->first + i) * cdf[classes - 1]));
	}
	return NNAHW_STATUS_OK;
}

static uint32_t multinomial_accepts(const struct nnadev_engine_command *cmd,
				    struct nnadev_engine_plan *plan)
{
	const struct nnadev_engine_operand *output = &cmd->operands[NNAHW_MULTINOMIAL_OUTPUT];
	const struct nnahw_tensor *input = &cmd->operands[NNAHW_MULTINOMIAL_INPUT].desc;
	const uint32_t rows = input->dims[0], classes = input->dims[1];

	if (output->desc.rank != 2 || input->rank != 2 || output->desc.dims[0] != rows ||
	    !nnadev_has_dims(&cmd->operands[NNAHW_MULTINOMIAL_SEEDS].desc, 1, (uint64_t[]){ 2 }) ||
	    !classes || classes > NNAHW_LIMIT_MULTINOMIAL_CLASSES ||
	    (uint64_t)rows * classes > NNAHW_LIMIT_MULTINOMIAL_SUMS)
		return NNAHW_STATUS_BAD_SHAPE;
	return NNAHW_STATUS_OK;
}

static void multinomial_plan(const struct nnadev_engine_command *cmd, uint32_t threads,
			     struct nnadev_engine_plan *plan)
{
	const uint32_t *dims = cmd->operands[NNAHW_MULTINOMIAL_INPUT].desc.dims;
	uint32_t *rows_per_tile = nnadev_state_new(plan), samples;

	nnadev_cut(plan, cmd->operands[NNAHW_MULTINOMIAL_OUTPUT].count, TILE_SAMPLES);
	if (!plan->phases)
		return;
	samples = plan->phase_tiles[0];
	*rows_per_tile = dims[1] < TILE_ELEMENTS ? TILE_ELEMENTS / dims[1] : 1;
	plan->phase_tiles[0] = nnadev_div_up(dims[0], *rows_per_tile);
	if (dims[1] > TILE_ELEMENTS)
		nnadev_cut_steps(plan, dims[0], 2 * nnadev_div_up(dims[1], TILE_ELEMENTS), 0);
	plan->shared_size = dims[0] * dims[1] * (uint32_t)sizeof(double);
	plan->phases = 2;
	plan->phase_tiles[1] = samples;
}

NNADEV_KERNEL(multinomial) = { NNAHW_OP_MULTINOMIAL, NNADEV_ENGINE_SCALAR, multinomial_accepts,
			       multinomial_plan, multinomial_tile };
