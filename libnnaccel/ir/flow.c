// SPDX-License-Identifier: MIT
/*
 * Which operations use a value, and where code branches. Passes ask this before they move
 * operations.
 */

#include "libnnaccel/ir/ir.h"

bool nna_ir_has_flow(const struct nna_lower *l, uint32_t from, uint32_t to)
{
	if (!l->label_count)
		return false;
	for (uint32_t i = 0; i < l->label_count; i++)
		if (l->labels[i] != NNA_NONE && l->labels[i] > from && l->labels[i] <= to)
			return true;
	for (uint32_t i = from; i < to; i++)
		if (!l->ops[i].dead && l->ops[i].label != NNA_NONE)
			return true;
	return false;
}

bool nna_ir_touched(const struct nna_lower *l, uint32_t from, uint32_t to, uint32_t except,
		    const struct nna_value *value, bool writes_only)
{
	for (uint32_t i = from; i < to; i++) {
		const struct nna_ir_op *c = &l->ops[i];

		if (c->dead || i == except)
			continue;
		for (uint32_t k = 0; k < c->operand_count; k++) {
			if (c->values[k] == NNA_NO_VALUE ||
			    (writes_only && !nna_ir_is_output(c, k)))
				continue;
			if (nna_value_overlap(&l->values[c->values[k]], value))
				return true;
		}
	}
	return false;
}

bool nna_ir_writes(const struct nna_lower *l, const struct nna_ir_op *c, uint32_t s)
{
	for (uint32_t k = 0; !c->dead && k < c->operand_count; k++)
		if (nna_ir_is_output(c, k) && c->values[k] != NNA_NO_VALUE &&
		    l->values[c->values[k]].storage == s)
			return true;
	return false;
}
