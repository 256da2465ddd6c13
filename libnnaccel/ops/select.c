// SPDX-License-Identifier: MIT
/*
 * SELECT: elements of one of two tensors, by a condition.
 *
 *	in 0	condition	BOOL8 [...]
 *	in 1	a		FLOAT, INT32, QUANT8 [...]	elements for a true condition
 *	in 2	b		T1 [...]			elements for a false one
 *	out 0	output		T1 [...]
 *
 * All have the same dims. Lowered to one SELECT of the ir.
 */
#include "libnnaccel/ops/op_util.h"

static int infer(struct nna_op_context *op)
{
	char dims[128], wanted[128];

	for (uint32_t i = 1; i < 3; i++) {
		if (op->in[i].rank != op->in[0].rank ||
		    memcmp(op->in[i].dims, op->in[0].dims, sizeof(op->in[0].dims)))
			return nna_op_refuse(op, NNA_IN(i), "dimensions %s",
					     "%s, those of input 0",
					     nna_shape_text(&op->in[i], dims, sizeof(dims)),
					     nna_shape_text(&op->in[0], wanted, sizeof(wanted)));
	}
	return nna_set_like(op, 0, 0);
}

static int lower(struct nna_op_context *op)
{
	NNA_VALUE(condition, nna_lower_in(op, 0));
	NNA_VALUE(a, nna_lower_in(op, 1));
	NNA_VALUE(b, nna_lower_in(op, 2));
	NNA_VALUE(out, nna_lower_out(op, 0));
	if (nna_value_is_empty(op->lower, out))
		return 0;
	return nna_emit_ewise(op->lower, NNA_FN_SELECT, out, condition, a, b,
			      NNA_ACT_NONE, 0);
}

const struct nna_op nna_op_select = {
	.type = NNA_OPERATION_SELECT,
	.infer = infer, .lower = lower,
};
