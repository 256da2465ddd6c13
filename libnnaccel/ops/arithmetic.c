// SPDX-License-Identifier: MIT
/*
 * ADD, SUB, MUL, DIV: arithmetic on two tensors, which are broadcast as in numpy.
 *
 *	in 0	a		FLOAT, INT32, INT64, QUANT8, QUANT16_SYMM [...]
 *						DIV: no QUANT8, no QUANT16_SYMM
 *	in 1	b		T0 [...]
 *	in 2	activation?	INT32				fused; none for integers
 *	out 0	output		T0 [...]
 *
 * DIV of integers rounds towards minus infinity. In a graph with TFLite's rounding it rounds
 * towards zero, as TFLite's kernels do.
 *
 * Lowered to one element-wise operation of the ir.
 */
#include "libnnaccel/ops/op_util.h"

static int check(struct nna_op_context *op)
{
	enum nna_activation act = NNA_ACT_NONE;
	int ret = nna_later(nna_param_activation(op, 2, &act));

	if (!ret && act != NNA_ACT_NONE && (NNA_BIT(op->in[0].type) & (NNA_T_INT32 | NNA_T_INT64)))
		ret = nna_op_refuse(op, NNA_IN(2), "activation %d",
				    "NONE (%d), because input 0 has integers", act, NNA_ACT_NONE);
	return ret;
}

static int lower(struct nna_op_context *op)
{
	static const uint8_t kinds[] = {
		[NNA_OPERATION_ADD] = NNA_FN_ADD,
		[NNA_OPERATION_SUB] = NNA_FN_SUB,
		[NNA_OPERATION_MUL] = NNA_FN_MUL,
		[NNA_OPERATION_DIV] = NNA_FN_DIV,
	};
	uint8_t kind = kinds[op->operation->type];
	enum nna_activation act;
	int ret = nna_param_activation(op, 2, &act);

	if (ret)
		return ret;
	if (kind == NNA_FN_DIV && nna_ir_rounding(op->lower) != NNA_IR_ROUNDS_AS_NNAPI &&
	    NNA_BIT(op->in[0].type) & (NNA_T_INT32 | NNA_T_INT64))
		kind = NNA_FN_TRUNCATE_DIV;
	NNA_VALUE(a, nna_lower_in(op, 0));
	NNA_VALUE(b, nna_lower_in(op, 1));
	NNA_VALUE(out, nna_lower_out(op, 0));
	if (nna_value_is_empty(op->lower, out))
		return 0;
	return nna_emit_arithmetic(op->lower, kind, out, a, b, act);
}

#define ARITHMETIC(name, number) \
	const struct nna_op nna_op_##name = { \
		.type = number, \
		.check = check, .infer = nna_infer_broadcast, .lower = lower, \
	}

ARITHMETIC(add, NNA_OPERATION_ADD);
ARITHMETIC(sub, NNA_OPERATION_SUB);
ARITHMETIC(mul, NNA_OPERATION_MUL);
ARITHMETIC(div, NNA_OPERATION_DIV);
