/* SPDX-License-Identifier: MIT */
/* Common parts of the vector kernels of ARG. */
#ifndef NNADEV_X86_ARG_H
#define NNADEV_X86_ARG_H

#include "device/nna/engine/shape/rows.h"

#define NNADEV_ARG_TILE (1u << 19) /* elements of input */

/* Return: XOR mask after which the number sought is the least unsigned one. */
static inline uint8_t nnadev_arg_key(const struct nnahw_cmd_arg *p,
				     const struct nnahw_tensor *input)
{
	const uint8_t sign = input->type == NNAHW_TYPE_S8 ? 0x80 : 0;

	return p->minimum ? sign : (uint8_t)(sign ^ 0xff);
}

/* Plans a kernel whose state is the rows of output and input. */
static inline void nnadev_arg_plan(const struct nnadev_engine_command *cmd, uint32_t threads,
				   struct nnadev_engine_plan *plan)
{
	const struct nnahw_cmd_arg *p = (const struct nnahw_cmd_arg *)cmd->raw;

	nnadev_rows_get(nnadev_state_new(plan), cmd, 2);
	nnadev_cut(plan, cmd->operands[NNAHW_ARG_OUTPUT].count,
		   NNADEV_ARG_TILE / (cmd->operands[NNAHW_ARG_INPUT].desc.dims[p->axis] + 32));
}

#endif
