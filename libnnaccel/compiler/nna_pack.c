// SPDX-License-Identifier: MIT
#include "compiler/nna_ir.h"

int nna_pass_pack(struct nna_lower *l)
{
	return 0;
}
