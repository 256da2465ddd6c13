// SPDX-License-Identifier: MIT
/* GATHER of bytes of a table by byte indices with AVX2, as functions of 8-bit numbers are. */
#include "device/nna/engine/kernel.h"
#include "device/nna/engine/x86/avx2_table.h"

#define TILE_ELEMENTS 131072u
#define TABLE_LEAST 1024u /* elements that are worth a copy of the table */

static uint32_t lookup_tile(const struct nnadev_engine_command *cmd,
			    const struct nnadev_engine_plan *plan, uint32_t phase, uint32_t tile,
			    void *scratch, void *shared)
{
	const struct nnadev_engine_operand *output = &cmd->operands[NNAHW_GATHER_OUTPUT],
					*input = &cmd->operands[NNAHW_GATHER_INPUT],
					*indices = &cmd->operands[NNAHW_GATHER_INDICES];
	const uint32_t flip = indices->desc.type == NNAHW_TYPE_S8 ? 0x80 : 0;
	const int64_t step = input->desc.strides[0];
	uint32_t begin, end;
	uint8_t table[256];

	/* Order the table by the bits of the index: an S8 index of -128 reads entry 0. */
	for (uint32_t i = 0; i < 256; i++)
		table[i ^ flip] = ((const uint8_t *)input->data)[i * step];
	nnadev_tile_range(plan, tile, output->count, &begin, &end);
	nnadev_table_look_up(table, (uint8_t *)output->data + begin,
			     (const uint8_t *)indices->data + begin, end - begin);
	return NNAHW_STATUS_OK;
}

/* Accepts a table with one entry per byte. */
static uint32_t lookup_accepts(const struct nnadev_engine_command *cmd,
			       struct nnadev_engine_plan *plan)
{
	const struct nnadev_engine_operand *output = &cmd->operands[NNAHW_GATHER_OUTPUT],
					*input = &cmd->operands[NNAHW_GATHER_INPUT],
					*indices = &cmd->operands[NNAHW_GATHER_INDICES];

	return nnadev_accept(nnahw_type_size(output->desc.type) == 1 &&
			     nnahw_type_size(indices->desc.type) == 1 && input->desc.rank == 1 &&
			     input->desc.dims[0] == 256 && output->contiguous &&
			     indices->contiguous && output->count >= TABLE_LEAST);
}

static void lookup_plan(const struct nnadev_engine_command *cmd, uint32_t threads,
			struct nnadev_engine_plan *plan)
{
	nnadev_cut(plan, cmd->operands[NNAHW_GATHER_OUTPUT].count, TILE_ELEMENTS);
}

NNADEV_KERNEL(avx2_lookup) = { NNAHW_OP_GATHER, NNADEV_ENGINE_AVX2, lookup_accepts, lookup_plan,
			       lookup_tile };
