// SPDX-License-Identifier: MIT
/*
 * EWISE with AVX-512: functions of one 8-bit input. The AVX2 kernel fills the table; this kernel
 * looks up 64 bytes at a time.
 */
#include "device/nna/engine/x86/avx512_table.h"
#include "device/nna/engine/x86/ewise.h"

extern NNADEV_KERNEL(avx2_ewise_table);

static uint32_t table_tile(const struct nnadev_engine_command *cmd,
			   const struct nnadev_engine_plan *plan, uint32_t phase, uint32_t tile,
			   void *scratch, void *shared)
{
	const struct nnadev_engine_operand *output = &cmd->operands[0], *input = &cmd->operands[1];
	const struct nnadev_ewise_table *state = nnadev_state(plan);
	uint32_t begin, end;
	struct nnadev_run run;
	__m512i table[4];

	nnadev_table_get(table, state->output);
	nnadev_tile_range(plan, tile, output->count, &begin, &end);
	nnadev_run_start(&run, &state->rows, begin, end);
	while (nnadev_run_next(&run, &state->rows, UINT32_MAX))
		nnadev_table_look_up(table, (uint8_t *)output->data + run.offset[0],
				     (const uint8_t *)input->data + run.offset[1], run.count);
	return NNAHW_STATUS_OK;
}

/* Accepts contiguous rows of input and output. */
static uint32_t table_accepts(const struct nnadev_engine_command *cmd,
			      struct nnadev_engine_plan *plan)
{
	struct nnadev_rows rows;

	if (nnadev_kernel_avx2_ewise_table.accepts(cmd, plan) != NNAHW_STATUS_OK)
		return nnadev_accept(false);
	nnadev_rows_get(&rows, cmd, 2);
	return nnadev_accept(nnadev_rows_step(&rows, 1) == 1);
}

static void table_plan(const struct nnadev_engine_command *cmd, uint32_t threads,
		       struct nnadev_engine_plan *plan)
{
	nnadev_kernel_avx2_ewise_table.plan(cmd, threads, plan);
}

NNADEV_KERNEL(avx512_ewise_table) = { NNAHW_OP_EWISE, NNADEV_ENGINE_AVX512, table_accepts,
				      table_plan, table_tile };
