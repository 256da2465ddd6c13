// SPDX-License-Identifier: MIT
/* NORM8, by definition. */
#include "device/nna/engine/root.h"

#define TILE_ELEMENTS 8192u
#define ONE_BITS 7 /* the output's scale is 2^-7 */

static void norm_row(const struct nnadev_engine_command *cmd, uint32_t row)
{
	const struct nnadev_engine_operand *output = &cmd->operands[NNAHW_NORM8_OUTPUT],
					*input = &cmd->operands[NNAHW_NORM8_INPUT];
	const bool late = output->desc.type == NNAHW_TYPE_S8;
	const int64_t from = (int64_t)row * input->desc.strides[0],
		      to = (int64_t)row * output->desc.strides[0];
	uint32_t sum = 0;
	int32_t factor, shift;

	for (uint32_t i = 0; i < input->desc.dims[1]; i++) {
		const int64_t x = nnadev_load_centred(input, from +
							     (int64_t)i * input->desc.strides[1]);

		sum += (uint32_t)(uint64_t)(x * x);
	}
	factor = nnadev_reciprocal_root((int32_t)sum, &shift);
	for (uint32_t i = 0; i < input->desc.dims[1]; i++) {
		const int64_t x = nnadev_load_centred(input, from +
							     (int64_t)i * input->desc.strides[1]);
		const int64_t q = late ? nnadev_requantize((int32_t)x, factor, shift - ONE_BITS) :
					 nnadev_requantize((int32_t)(x * (1 << ONE_BITS)), factor,
							   shift);

		nnadev_store_centred(output, to + (int64_t)i * output->desc.strides[1], q,
				     INT32_MIN, INT32_MAX);
	}
}

static uint32_t norm_tile(const struct nnadev_engine_command *cmd,
			  const struct nnadev_engine_plan *plan, uint32_t phase, uint32_t tile,
			  void *scratch, void *shared)
{
	uint32_t begin, end;

	nnadev_tile_range(plan, tile, cmd->operands[NNAHW_NORM8_OUTPUT].desc.dims[0], &begin,
			  &end);
	for (uint32_t row = begin; row < end; row++)
		norm_row(cmd, row);
	return NNAHW_STATUS_OK;
}

static uint32_t norm_accepts(const struct nnadev_engine_command *cmd,
			     struct nnadev_engine_plan *plan)
{
	const struct nnadev_engine_operand *output = &cmd->operands[NNAHW_NORM8_OUTPUT],
					*input = &cmd->operands[NNAHW_NORM8_INPUT];

	if (input->desc.type != output->desc.type)
		return nnadev_bad_operand(plan, NNAHW_NORM8_INPUT);
	if (output->desc.rank != 2 || !nnadev_same_dims(&input->desc, &output->desc) ||
	    input->desc.dims[1] > NNAHW_LIMIT_NORM8_LENGTH)
		return NNAHW_STATUS_BAD_SHAPE;
	return NNAHW_STATUS_OK;
}

static void norm_plan(const struct nnadev_engine_command *cmd, uint32_t threads,
		      struct nnadev_engine_plan *plan)
{
	const uint32_t *dims = cmd->operands[NNAHW_NORM8_OUTPUT].desc.dims;

	nnadev_cut(plan, dims[0], TILE_ELEMENTS / (dims[1] + 1) + 1);
}

NNADEV_KERNEL(norm8) = { NNAHW_OP_NORM8, NNADEV_ENGINE_SCALAR, norm_accepts, norm_plan,
			 norm_tile };
