// SPDX-License-Identifier: MIT
#include "compiler/nna_ir.h"

int nna_pass_elide(struct nna_lower *l)
{
	return 0;
}
