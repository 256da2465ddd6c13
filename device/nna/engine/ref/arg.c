// SPDX-License-Identifier: MIT
/* ARG, by definition. */
#include "device/nna/engine/kernel.h"

#define TILE_ELEMENTS 65536u

/* The best element found so far: its number or value, and its index. */
struct best {
	int64_t integer, where;
	float real;
};

/*
 * Compares elements [begin, end) of a row with the best one. The best one starts as the row's first
 * element.
 */
static void arg_look(const struct nnadev_engine_command *cmd, const uint32_t *index, int64_t begin,
		     int64_t end, struct best *best)
{
	const struct nnahw_cmd_arg *p = (const struct nnahw_cmd_arg *)cmd->raw;
	const struct nnadev_engine_operand *input = &cmd->operands[NNAHW_ARG_INPUT];
	const int64_t from = nnadev_offset(&input->desc, index),
		      step = input->desc.strides[p->axis];
	struct best b = *best;

	if (nnadev_type_is_float(input->desc.type)) {
		if (!begin)
			b.real = nnadev_load_float(input, from);
		for (int64_t k = begin ? begin : 1; k < end; k++) {
			const float x = nnadev_load_float(input, from + k * step);

			if (p->minimum ? x < b.real : x > b.real) {
				b.real = x;
				b.where = k;
			}
		}
	} else {
		if (!begin)
			b.integer = nnadev_load_integer(input, from);
		for (int64_t k = begin ? begin : 1; k < end; k++) {
			const int64_t x = nnadev_load_integer(input, from + k * step);

			if (p->minimum ? x < b.integer : x > b.integer) {
				b.integer = x;
				b.where = k;
			}
		}
	}
	*best = b;
}

static uint32_t arg_tile(const struct nnadev_engine_command *cmd,
			 const struct nnadev_engine_plan *plan, uint32_t phase, uint32_t tile,
			 void *scratch, void *shared)
{
	const struct nnahw_cmd_arg *p = (const struct nnahw_cmd_arg *)cmd->raw;
	const struct nnadev_engine_operand *output = &cmd->operands[NNAHW_ARG_OUTPUT];
	const uint32_t length = cmd->operands[NNAHW_ARG_INPUT].desc.dims[p->axis],
		       *dims = output->desc.dims, rank = output->desc.rank;
	uint32_t index[NNAHW_MAX_RANK], begin, end, step;

	if (plan->steps) { /* a row is more than a tile */
		struct best *best = (struct best *)shared + tile;

		if (!nnadev_step_get(plan, tile, output->count, &begin, &step))
			return NNAHW_STATUS_OK;
		nnadev_unflatten(dims, rank, begin, index);
		if (!step)
			*best = (struct best){ 0 };
		begin = step * TILE_ELEMENTS;
		arg_look(cmd, index, begin,
			 length - begin < TILE_ELEMENTS ? length : begin + TILE_ELEMENTS, best);
		if (step == plan->steps - 1)
			nnadev_store_integer(output, nnadev_offset(&output->desc, index),
					     best->where);
		return NNAHW_STATUS_OK;
	}
	nnadev_tile_range(plan, tile, output->count, &begin, &end);
	nnadev_unflatten(dims, rank, begin, index);
	for (uint32_t i = begin; i < end; i++, nnadev_advance(dims, rank, index)) {
		struct best best = { 0 };

		arg_look(cmd, index, 0, length, &best);
		nnadev_store_integer(output, nnadev_offset(&output->desc, index), best.where);
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
	const uint32_t count = cmd->operands[NNAHW_ARG_OUTPUT].count,
		       length = cmd->operands[NNAHW_ARG_INPUT].desc.dims[p->axis];

	if (length > TILE_ELEMENTS)
		nnadev_cut_steps(plan, count, nnadev_div_up(length, TILE_ELEMENTS),
				 sizeof(struct best));
	else
		nnadev_cut(plan, count, TILE_ELEMENTS / (length + 16));
}

NNADEV_KERNEL(arg) = { NNAHW_OP_ARG, NNADEV_ENGINE_SCALAR, arg_accepts, arg_plan, arg_tile };
