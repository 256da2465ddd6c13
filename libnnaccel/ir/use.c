// SPDX-License-Identifier: MIT
/*
 * Counts how often live operations use each storage, so that a pass need not visit all operations.
 */
#include <stdlib.h>

#include "libnnaccel/ir/ir.h"

/* Adds @sign times the uses of an operation; all numbers wrap. */
static void count(const struct nna_lower *l, struct nna_ir_use *uses, uint32_t op, uint32_t sign)
{
	const struct nna_ir_op *c = &l->ops[op];

	for (uint32_t k = 0; !c->dead && k < c->operand_count; k++) {
		struct nna_ir_use *use;

		if (c->values[k] == NNA_NO_VALUE)
			continue;
		use = &uses[l->values[c->values[k]].storage];
		if (nna_ir_is_output(c, k)) {
			use->writes += sign;
			use->writers += sign * op;
		} else {
			use->reads += sign;
		}
	}
}

struct nna_ir_use *nna_ir_uses_get(const struct nna_lower *l)
{
	struct nna_ir_use *uses = calloc(l->storage_count + (size_t)1, sizeof(*uses));

	for (uint32_t i = 0; uses && i < l->op_count; i++)
		count(l, uses, i, 1);
	return uses;
}

void nna_ir_uses_add(const struct nna_lower *l, struct nna_ir_use *uses, uint32_t op)
{
	count(l, uses, op, 1);
}

void nna_ir_uses_remove(const struct nna_lower *l, struct nna_ir_use *uses, uint32_t op)
{
	count(l, uses, op, (uint32_t)-1);
}

uint32_t nna_ir_only_writer(const struct nna_lower *l, const struct nna_ir_use *uses, uint32_t s)
{
	const struct nna_ir_use *use = &uses[s];

	if (use->writes != 1 || l->values[l->ops[use->writers].values[0]].storage != s)
		return NNA_NONE;
	return use->writers;
}
