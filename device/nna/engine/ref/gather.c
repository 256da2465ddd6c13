// SPDX-License-Identifier: MIT
/*
 * GATHER, by definition.
 *
 * The output's dims are the input's, with one axis replaced by the dims of the indices. Elements
 * are copied as bytes, whatever their type, and together where they lie side by side. An index out
 * of range ends the job.
 */
#include "device/nna/engine/kernel.h"

#define TILE_ELEMENTS 8192u

/* Reads an index once, because the guest may change it at any time. */
static int64_t load_index(const struct nnadev_engine_operand *o, int64_t at)
{
	switch (o->desc.type) {
	case NNAHW_TYPE_S64:
		return __atomic_load_n((const int64_t *)o->data + at, __ATOMIC_RELAXED);
	case NNAHW_TYPE_U8:
		return __atomic_load_n((const uint8_t *)o->data + at, __ATOMIC_RELAXED);
	case NNAHW_TYPE_S8:
		return __atomic_load_n((const int8_t *)o->data + at, __ATOMIC_RELAXED) - INT8_MIN;
	default:
		break;
	}
	return __atomic_load_n((const int32_t *)o->data + at, __ATOMIC_RELAXED);
}

/* Return: the elements along the innermost dim that lie side by side in input and output. */
static uint32_t gather_run(const struct nnadev_engine_operand *output,
			   const struct nnadev_engine_operand *input, uint32_t axis)
{
	const struct nnahw_tensor *to = &output->desc, *from = &input->desc;

	return axis + 1 < from->rank && to->strides[to->rank - 1] == 1 &&
			       from->strides[from->rank - 1] == 1 ?
		       to->dims[to->rank - 1] :
		       1;
}

static uint32_t gather_tile(const struct nnadev_engine_command *cmd,
			    const struct nnadev_engine_plan *plan, uint32_t phase, uint32_t tile,
			    void *scratch, void *shared)
{
	const struct nnahw_cmd_gather *p = (const struct nnahw_cmd_gather *)cmd->raw;
	const struct nnadev_engine_operand *output = &cmd->operands[NNAHW_GATHER_OUTPUT],
					*input = &cmd->operands[NNAHW_GATHER_INPUT],
					*indices = &cmd->operands[NNAHW_GATHER_INDICES];
	const size_t size = nnahw_type_size(output->desc.type);
	const uint32_t picked = indices->desc.rank, after = input->desc.rank - p->axis - 1;
	const uint32_t run = gather_run(output, input, p->axis), last = output->desc.rank - 1u;
	uint32_t index[NNAHW_MAX_RANK], from[NNAHW_MAX_RANK], begin, end, n;

	nnadev_tile_range(plan, tile, output->count, &begin, &end);
	nnadev_unflatten(output->desc.dims, output->desc.rank, begin, index);
	for (uint32_t i = begin; i < end; i += n) {
		const int64_t pick = load_index(indices,
						nnadev_offset(&indices->desc, index + p->axis));

		if (pick < 0 || pick >= input->desc.dims[p->axis])
			return NNAHW_STATUS_BAD_INDEX;
		n = run > 1 ? run - index[last] : 1;
		n = n < end - i ? n : end - i;
		memcpy(from, index, sizeof(from[0]) * p->axis);
		from[p->axis] = (uint32_t)pick;
		memcpy(from + p->axis + 1, index + p->axis + picked, sizeof(from[0]) * after);
		memmove((uint8_t *)output->data +
				(int64_t)size * nnadev_offset(&output->desc, index),
			(const uint8_t *)input->data +
				(int64_t)size * nnadev_offset(&input->desc, from),
			size * n);
		if (run > 1)
			index[last] += n - 1;
		nnadev_advance(output->desc.dims, output->desc.rank, index);
	}
	return NNAHW_STATUS_OK;
}

static uint32_t gather_accepts(const struct nnadev_engine_command *cmd,
			       struct nnadev_engine_plan *plan)
{
	const struct nnahw_cmd_gather *p = (const struct nnahw_cmd_gather *)cmd->raw;
	const struct nnadev_engine_operand *output = &cmd->operands[NNAHW_GATHER_OUTPUT],
					*input = &cmd->operands[NNAHW_GATHER_INPUT],
					*indices = &cmd->operands[NNAHW_GATHER_INDICES];
	const uint32_t picked = indices->desc.rank;

	if (nnahw_type_size(input->desc.type) != nnahw_type_size(output->desc.type))
		return nnadev_bad_operand(plan, NNAHW_GATHER_INPUT);
	if (p->axis >= input->desc.rank)
		return NNAHW_STATUS_BAD_COMMAND;
	if (output->desc.rank != input->desc.rank - 1 + picked)
		return NNAHW_STATUS_BAD_SHAPE;
	for (uint32_t k = 0; k < output->desc.rank; k++) {
		const uint32_t dim = k < p->axis ? input->desc.dims[k] :
				     k < p->axis + picked ? indices->desc.dims[k - p->axis] :
				     input->desc.dims[k - picked + 1];

		if (output->desc.dims[k] != dim)
			return NNAHW_STATUS_BAD_SHAPE;
	}
	return NNAHW_STATUS_OK;
}

static void gather_plan(const struct nnadev_engine_command *cmd, uint32_t threads,
			struct nnadev_engine_plan *plan)
{
	nnadev_cut(plan, cmd->operands[NNAHW_GATHER_OUTPUT].count, TILE_ELEMENTS);
}

NNADEV_KERNEL(gather) = { NNAHW_OP_GATHER, NNADEV_ENGINE_SCALAR, gather_accepts, gather_plan,
			  gather_tile };
