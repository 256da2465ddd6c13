// SPDX-License-Identifier: MIT
/*
 * SELECT: elements of one of two tensors, by a condition; the inputs are broadcast as numpy does.
 *
 *	in 0	condition	BOOL8 [...]
 *	in 1	a		FLOAT, INT32, INT64, QUANT8, BOOL8 [...]	for a true condition
 *	in 2	b		T1 [...]					for a false one
 *	out 0	output		T1 [...]
 *
 * Lowered to one SELECT of the ir.
 */
#include "libnnaccel/ops/op_util.h"

static int infer(struct nna_op_context *op)
{
	struct nna_shape both = { 0 };
	uint32_t rank, dims[NNACCEL_MAX_RANK];

	return nna_broadcast_dims(op, &op->in[0], &op->in[1], &both.rank, both.dims) ?:
	       nna_broadcast_dims(op, &both, &op->in[2], &rank, dims) ?:
	       nna_set_dims(op, 0, rank, dims);
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
