// SPDX-License-Identifier: MIT
/* COPY and FILL, by definition. */
#include "device/nna/engine/kernel.h"

#define TILE_ELEMENTS 16384u

/* Copies one element. Elements wider than a byte are aligned to their size. */
static void move(void *to, const void *from, uint32_t size)
{
	switch (size) {
	case 1:
		*(uint8_t *)to = *(const uint8_t *)from;
		break;
	case 2:
		*(uint16_t *)to = *(const uint16_t *)from;
		break;
	case 4:
		*(uint32_t *)to = *(const uint32_t *)from;
		break;
	default:
		*(uint64_t *)to = *(const uint64_t *)from;
		break;
	}
}

static uint32_t copy_tile(const struct nnadev_engine_command *cmd,
			  const struct nnadev_engine_plan *plan, uint32_t phase, uint32_t tile,
			  void *scratch, void *shared)
{
	const struct nnadev_engine_operand *output = &cmd->operands[NNAHW_COPY_OUTPUT],
					*input = &cmd->operands[NNAHW_COPY_INPUT];
	const int64_t size = nnahw_type_size(output->desc.type);
	uint32_t index[NNAHW_MAX_RANK], begin, end;

	nnadev_tile_range(plan, tile, output->count, &begin, &end);
	nnadev_unflatten(output->desc.dims, output->desc.rank, begin, index);
	for (uint32_t i = begin; i < end;
	     i++, nnadev_advance(output->desc.dims, output->desc.rank, index))
		move((uint8_t *)output->data + size * nnadev_offset(&output->desc, index),
		     (const uint8_t *)input->data + size * nnadev_offset(&input->desc, index),
		     (uint32_t)size);
	return NNAHW_STATUS_OK;
}

static uint32_t copy_accepts(const struct nnadev_engine_command *cmd,
			     struct nnadev_engine_plan *plan)
{
	const struct nnadev_engine_operand *output = &cmd->operands[NNAHW_COPY_OUTPUT],
					*input = &cmd->operands[NNAHW_COPY_INPUT];

	if (nnahw_type_size(input->desc.type) != nnahw_type_size(output->desc.type))
		return nnadev_bad_operand(plan, NNAHW_COPY_INPUT);
	if (!nnadev_same_dims(&input->desc, &output->desc))
		return NNAHW_STATUS_BAD_SHAPE;
	return NNAHW_STATUS_OK;
}

static void copy_plan(const struct nnadev_engine_command *cmd, uint32_t threads,
		      struct nnadev_engine_plan *plan)
{
	nnadev_cut(plan, cmd->operands[NNAHW_COPY_OUTPUT].count, TILE_ELEMENTS);
}

NNADEV_KERNEL(copy) = { NNAHW_OP_COPY, NNADEV_ENGINE_SCALAR, copy_accepts, copy_plan, copy_tile };

static uint32_t fill_tile(const struct nnadev_engine_command *cmd,
			  const struct nnadev_engine_plan *plan, uint32_t phase, uint32_t tile,
			  void *scratch, void *shared)
{
	const struct nnahw_cmd_fill *p = (const struct nnahw_cmd_fill *)cmd->raw;
	const struct nnadev_engine_operand *output = &cmd->operands[NNAHW_FILL_OUTPUT];
	const int64_t size = nnahw_type_size(output->desc.type);
	const uint64_t value = p->value; /* little-endian: low bytes first */
	uint32_t index[NNAHW_MAX_RANK], begin, end;

	nnadev_tile_range(plan, tile, output->count, &begin, &end);
	nnadev_unflatten(output->desc.dims, output->desc.rank, begin, index);
	for (uint32_t i = begin; i < end;
	     i++, nnadev_advance(output->desc.dims, output->desc.rank, index))
		memcpy((uint8_t *)output->data + size * nnadev_offset(&output->desc, index), &value,
		       (size_t)size);
	return NNAHW_STATUS_OK;
}

static uint32_t fill_accepts(const struct nnadev_engine_command *cmd,
			     struct nnadev_engine_plan *plan)
{
	return NNAHW_STATUS_OK;
}

static void fill_plan(const struct nnadev_engine_command *cmd, uint32_t threads,
		      struct nnadev_engine_plan *plan)
{
	nnadev_cut(plan, cmd->operands[NNAHW_FILL_OUTPUT].count, TILE_ELEMENTS);
}

NNADEV_KERNEL(fill) = { NNAHW_OP_FILL, NNADEV_ENGINE_SCALAR, fill_accepts, fill_plan, fill_tile };
