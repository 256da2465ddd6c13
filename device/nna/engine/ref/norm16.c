// SPDX-License-Identifier: MIT
/* NORM16, by definition. */
#include "device/nna/engine/root.h"

#define TILE_ELEMENTS 8192u

struct sums {
	int64_t sum, squares;
};

/* Adds elements [begin, end) of a row to the sums. */
static void norm_add(const struct nnadev_engine_command *cmd, int64_t row, int64_t begin,
		     int64_t end, struct sums *sums)
{
	const struct nnadev_engine_operand *input = &cmd->operands[NNAHW_NORM16_INPUT];
	const int64_t from = row * input->desc.strides[0], step = input->desc.strides[1];

	for (int64_t i = begin; i < end; i++) {
		const int64_t x = nnadev_load_integer(input, from + i * step);

		sums->sum += x;
		sums->squares += x * x;
	}
}

/* Normalises and stores elements [begin, end) of a row. */
static void norm_write(const struct nnadev_engine_command *cmd, int64_t row, int64_t begin,
		       int64_t end, const struct sums *sums)
{
	const struct nnahw_cmd_norm16 *p = (const struct nnahw_cmd_norm16 *)cmd->raw;
	const struct nnadev_engine_operand *output = &cmd->operands[NNAHW_NORM16_OUTPUT],
					*input = &cmd->operands[NNAHW_NORM16_INPUT],
					*weights = &cmd->operands[NNAHW_NORM16_WEIGHTS],
					*bias = &cmd->operands[NNAHW_NORM16_BIAS];
	const int64_t n = input->desc.dims[1], from = row * input->desc.strides[0],
		      step = input->desc.strides[1];
	const int64_t mean = sums->sum * 1024 / n,
		      variance = (sums->squares * ((1 << 20) / n) - mean * mean) / (1 << 20);
	int32_t factor, shift;

	factor = nnadev_reciprocal_root((int32_t)nnadev_clamp_s64(variance, 1, 1 << 30), &shift);
	for (int64_t i = begin; i < end; i++) {
		const int64_t x = 1024 * nnadev_load_integer(input, from + i * step) - mean;
		int64_t z = nnadev_requantize((int32_t)x, factor, shift) *
				    nnadev_load_integer(weights, i * weights->desc.strides[0]) +
			    nnadev_load_integer(bias, i * bias->desc.strides[0]);

		z = nnadev_clamp_s64((z + (z > 0 ? 512 : -512)) / 1024, INT32_MIN, INT32_MAX);
		z = nnadev_requantize((int32_t)z, p->multiplier, p->shift);
		nnadev_store_integer(output,
				     row * output->desc.strides[0] + i * output->desc.strides[1],
				     nnadev_clamp_s64(z, INT16_MIN, INT16_MAX));
	}
}

/*
 * Computes one step of a row that is too long for a tile. The first half of the steps adds, the
 * second half stores.
 */
static void norm_step(const struct nnadev_engine_command *cmd,
		      const struct nnadev_engine_plan *plan, uint32_t tile, struct sums *sums)
{
	const uint32_t *dims = cmd->operands[NNAHW_NORM16_OUTPUT].desc.dims;
	uint32_t row, step, begin, end;

	if (!nnadev_step_get(plan, tile, dims[0], &row, &step))
		return;
	begin = step % (plan->steps / 2) * TILE_ELEMENTS;
	end = dims[1] - begin < TILE_ELEMENTS ? dims[1] : begin + TILE_ELEMENTS;
	if (!step)
		*sums = (struct sums){ 0 };
	if (step < plan->steps / 2)
		norm_add(cmd, row, begin, end, sums);
	else
		norm_write(cmd, row, begin, end, sums);
}

static uint32_t norm16_tile(const struct nnadev_engine_command *cmd,
			    const struct nnadev_engine_plan *plan, uint32_t phase, uint32_t tile,
			    void *scratch, void *shared)
{
	const uint32_t *dims = cmd->operands[NNAHW_NORM16_OUTPUT].desc.dims;
	uint32_t begin, end;

	if (plan->steps) {
		norm_step(cmd, plan, tile, (struct sums *)shared + tile);
		return NNAHW_STATUS_OK;
	}
	nnadev_tile_range(plan, tile, dims[0], &begin, &end);
	for (uint32_t row = begin; row < end; row++) {
		struct sums sums = { 0 };

		norm_add(cmd, row, 0, dims[1], &sums);
		norm_write(cmd, row, 0, dims[1], &sums);
	}
	return NNAHW_STATUS_OK;
}

static uint32_t norm16_accepts(const struct nnadev_engine_command *cmd,
			       struct nnadev_engine_plan *plan)
{
	const struct nnahw_tensor *output = &cmd->operands[NNAHW_NORM16_OUTPUT].desc;
	const uint32_t n = output->dims[1];

	if (output->rank != 2 || !n || n > NNAHW_LIMIT_NORM16_LENGTH ||
	    !nnadev_same_dims(&cmd->operands[NNAHW_NORM16_INPUT].desc, output) ||
	    !nnadev_has_dims(&cmd->operands[NNAHW_NORM16_WEIGHTS].desc, 1, (uint64_t[]){ n }) ||
	    !nnadev_has_dims(&cmd->operands[NNAHW_NORM16_BIAS].desc, 1, (uint64_t[]){ n }))
		return NNAHW_STATUS_BAD_SHAPE;
	return NNAHW_STATUS_OK;
}

static void norm16_plan(const struct nnadev_engine_command *cmd, uint32_t threads,
			struct nnadev_engine_plan *plan)
{
	const uint32_t *dims = cmd->operands[NNAHW_NORM16_OUTPUT].desc.dims;

	if (dims[1] > TILE_ELEMENTS)
		nnadev_cut_steps(plan, dims[0], 2 * nnadev_div_up(dims[1], TILE_ELEMENTS),
				 sizeof(struct sums));
	else
		nnadev_cut(plan, dims[0], TILE_ELEMENTS / (dims[1] + 16));
}

NNADEV_KERNEL(norm16) = { NNAHW_OP_NORM16, NNADEV_ENGINE_SCALAR, norm16_accepts, norm16_plan,
			  norm16_tile };
