// SPDX-License-Identifier: MIT
/*
 * GATHER of single elements of a table, as look-ups of functions of 8 and 16 bits are: the input
 * has one dim, and output and indices are contiguous.
 */
#include "device/nna/engine/simd/simd.h"

#define TILE_ELEMENTS 32768u
#define TILE_BYTES 131072u /* of results of a function of a byte */
#define TABLE_LEAST 1024u /* elements that are worth a copy of the table */

/*
 * Reads each index once, because the guest may change it at any time. Elements are copied by their
 * size, whatever their type.
 */
#define LOOK_UP(bytes, type, name, first) \
	case bytes: \
		for (uint32_t i = begin; i < end; i++) { \
			const int64_t pick = \
				(int64_t)__atomic_load_n((const name *)indices->data + i, \
							 __ATOMIC_RELAXED) - (first); \
			if (pick < 0 || pick >= dim) \
				return NNAHW_STATUS_BAD_INDEX; \
			((type *)output->data)[i] = ((const type *)input->data)[pick * step]; \
		} \
		return NNAHW_STATUS_OK

#define LOOK_UP_BY(name, first) \
	switch (nnahw_type_size(output->desc.type)) { \
	LOOK_UP(1, uint8_t, name, first); \
	LOOK_UP(2, uint16_t, name, first); \
	LOOK_UP(4, uint32_t, name, first); \
	LOOK_UP(8, uint64_t, name, first); \
	}

/* True for a function of a byte to a byte, of enough elements. */
static bool is_of_bytes(const struct nnadev_engine_command *cmd)
{
	const struct nnadev_engine_operand *output = &cmd->operands[NNAHW_GATHER_OUTPUT],
					*indices = &cmd->operands[NNAHW_GATHER_INDICES];

	return nnahw_type_size(output->desc.type) == 1 &&
	       nnahw_type_size(indices->desc.type) == 1 &&
	       cmd->operands[NNAHW_GATHER_INPUT].desc.dims[0] == 256 &&
	       output->count >= TABLE_LEAST;
}

static void look_up_bytes(const struct nnadev_engine_command *cmd, uint32_t begin, uint32_t end)
{
	const struct nnadev_engine_operand *input = &cmd->operands[NNAHW_GATHER_INPUT],
					*indices = &cmd->operands[NNAHW_GATHER_INDICES];
	const uint32_t flip = indices->desc.type == NNAHW_TYPE_S8 ? 0x80 : 0;
	const int64_t step = input->desc.strides[0];
	uint8_t values[256];
	nnadev_table table;

	/* Order the table by the bits of the index: an S8 index of -128 reads entry 0. */
	for (uint32_t i = 0; i < 256; i++)
		values[i ^ flip] = ((const uint8_t *)input->data)[i * step];
	table = nnadev_table_of(values);
	nnadev_table_look_up(&table, (uint8_t *)cmd->operands[NNAHW_GATHER_OUTPUT].data + begin,
			     (const uint8_t *)indices->data + begin, end - begin);
}

static uint32_t lookup_tile(const struct nnadev_engine_command *cmd,
			    const struct nnadev_engine_plan *plan, uint32_t phase, uint32_t tile,
			    void *scratch, void *shared)
{
	const struct nnadev_engine_operand *output = &cmd->operands[NNAHW_GATHER_OUTPUT],
					*input = &cmd->operands[NNAHW_GATHER_INPUT],
					*indices = &cmd->operands[NNAHW_GATHER_INDICES];
	const int64_t dim = input->desc.dims[0], step = input->desc.strides[0];
	uint32_t begin, end;

	nnadev_tile_range(plan, tile, output->count, &begin, &end);
	if (is_of_bytes(cmd)) {
		look_up_bytes(cmd, begin, end);
		return NNAHW_STATUS_OK;
	}
	if (indices->desc.type == NNAHW_TYPE_S64)
		LOOK_UP_BY(int64_t, 0)
	else if (indices->desc.type == NNAHW_TYPE_U8)
		LOOK_UP_BY(uint8_t, 0)
	else if (indices->desc.type == NNAHW_TYPE_S8)
		LOOK_UP_BY(int8_t, INT8_MIN)
	else
		LOOK_UP_BY(int32_t, 0)
	return NNAHW_STATUS_INTERNAL;
}

static uint32_t lookup_accepts(const struct nnadev_engine_command *cmd,
			       struct nnadev_engine_plan *plan)
{
	return nnadev_accept(cmd->operands[NNAHW_GATHER_INPUT].desc.rank == 1 &&
			     cmd->operands[NNAHW_GATHER_OUTPUT].contiguous &&
			     cmd->operands[NNAHW_GATHER_INDICES].contiguous);
}

static void lookup_plan(const struct nnadev_engine_command *cmd, uint32_t threads,
			struct nnadev_engine_plan *plan)
{
	nnadev_cut(plan, cmd->operands[NNAHW_GATHER_OUTPUT].count,
		   is_of_bytes(cmd) ? TILE_BYTES : TILE_ELEMENTS);
}

NNADEV_VECTOR_KERNEL(lookup) = { NNAHW_OP_GATHER, NNADEV_SET_ISA, lookup_accepts, lookup_plan,
				 lookup_tile };
