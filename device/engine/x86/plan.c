// SPDX-License-Identifier: MIT
#include "nna_x86.h"

void nna_x86_plan(enum nna_engine_isa isa, uint32_t threads, const struct nna_engine_command *cmd,
		  struct nna_engine_plan *plan)
{
}
