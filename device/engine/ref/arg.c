// SPDX-License-Identifier: MIT
/* ARG, by definition. */
#include "device/engine/kernel.h"

#define TILE_ELEMENTS 32768u

static uint32_t arg_tile(const struct nnadev_engine_command *cmd,
			 const struct nnadev_engine_plan *plan, uint32_t phase, uint32_t tile,
			 void *scratch, void *shared)
{
	const struct nnahw_cmd_arg *p = (const struct nnahw_cmd_arg *)cmd->raw;
	const struct nnadev_engine_operand *output = &cmd->operands[NNAHW_ARG_OUTPUT],
					*input = &cmd->operands[NNAHW_ARG_INPUT];
	const bool is_float = nnadev_type_is_float(input->desc.type);
	const int64_t step = input->desc.strides[p->axis];
	uint32_t index[NNAHW_MAX_RANK], begin, end;

	nnadev_tile_range(plan, tile, output->count, &begin, &end);
	nnadev_unflatten(output->desc.dims, output->desc.rank, begin, index);
	for (uint32_t i = begin; i < end;
	     i++, nnadev_advance(output->desc.dims, output->desc.rank, index)) {
		const int64_t from = nnadev_offset(&input->desc, index);
		int64_t best = is_float ? 0 : nnadev_load_integer(input, from);
		float best_float = is_float ? nnadev_load_float(input, from) : 0;
		int64_t where = 0;

		for (int64_t k = 1; k < input->desc.dims[p->axis]; k++) {
			if (is_float) {
				const float x = nnadev_load_float(input, from + k * step);

				if (p->minimum ? x < best_float : x > best_float) {
					best_float = x;
					where = k;
				}
			} else {
				const int64_t x = nnadev_load_integer(input, from + k * step);

				if (p->minimum ? x < best : x > best) {
					best = x;
					where = k;
				}
			}
		}
		nnadev_store_integer(output, nnadev_offset(&output->desc, index), where);
	}
	return NNAHW_STATUS_OK;
}

static uint32_t arg_accepts(const struct nnadev_engine_command *cmd,
			    struct nnadev_engine_plan *plan)
{
	const struct nnahw_cmd_arg *p = (const struct nnahw_cmd_arg *)cmd->raw;
	const struct nnadev_engine_operand *output = &cmd->operands[NNAHW_ARG_OUTPUT],
					*input = &cmd->operands[NNAHW_ARG_INPUT];
	uint32_t length;

	if (p->axis >= input->desc.rank || p->minimum > 1)
		return NNAHW_STATUS_BAD_COMMAND;
	if (output->desc.rank != input->desc.rank)
		return NNAHW_STATUS_BAD_SHAPE;
	for (uint32_t k = 0; k < input->desc.rank; k++)
		if (output->desc.dims[k] != (k == p->axis ? 1 : input->desc.dims[k]))
			return NNAHW_STATUS_BAD_SHAPE;
	length = input->desc.dims[p->axis];
	if (!length || length > NNAHW_LIMIT_ARG_LENGTH)
		return NNAHW_STATUS_BAD_SHAPE;
	return NNAHW_STATUS_OK;
}

static void arg_plan(const struct nnadev_engine_command *cmd, uint32_t threads,
		     struct nnadev_engine_plan *plan)
{
	const struct nnahw_cmd_arg *p = (const struct nnahw_cmd_arg *)cmd->raw;

	nnadev_cut(plan, cmd->operands[NNAHW_ARG_OUTPUT].count,
		   TILE_ELEMENTS / cmd->operands[NNAHW_ARG_INPUT].desc.dims[p->axis]);
}

NNADEV_KERNEL(arg) = { NNAHW_OP_ARG, NNADEV_ENGINE_SCALAR, arg_accepts, arg_plan, arg_tile };
