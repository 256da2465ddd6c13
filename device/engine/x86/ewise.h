/* SPDX-License-Identifier: MIT */
/* What the vector kernels of EWISE have in common: rows of which operands may repeat, and tables. */
#ifndef NNADEV_X86_EWISE_H
#define NNADEV_X86_EWISE_H

#include "device/engine/ewise.h"
#include "device/engine/x86/rows.h"

#define NNADEV_EWISE_TILE 32768u /* elements */
#define NNADEV_EWISE_SHORTEST_ROW 8u
#define NNADEV_EWISE_REPEATED_MOST 64u /* elements that an operand may repeat within a row */

/**
 * struct nnadev_ewise_table - state of kernels for a function of one byte
 * @rows: of output and input
 * @output: for each input
 */
struct nnadev_ewise_table {
	struct nnadev_rows rows;
	uint8_t output[256];
};
NNADEV_STATE_FITS(struct nnadev_ewise_table);

/* The rows of a command, of which operands may repeat. */
static inline void nnadev_ewise_rows_get(struct nnadev_rows *rows,
					 const struct nnadev_engine_command *cmd)
{
	const struct nnahw_cmd_ewise *p = (const struct nnahw_cmd_ewise *)cmd->raw;

	nnadev_rows_get(rows, cmd, nnadev_ewise_inputs(p->op) + 1);
	nnadev_rows_repeat(rows, NNADEV_EWISE_REPEATED_MOST);
}

/* Plans a kernel that takes such rows, and has them in the plan's state. */
static inline void nnadev_ewise_rows_plan(const struct nnadev_engine_command *cmd, uint32_t threads,
					  struct nnadev_engine_plan *plan)
{
	nnadev_ewise_rows_get(nnadev_state_new(plan), cmd);
	nnadev_cut(plan, cmd->operands[0].count, NNADEV_EWISE_TILE);
}

#endif
