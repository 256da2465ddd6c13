// SPDX-License-Identifier: MIT
/* Tells which two operations one command can do, and which inputs a result may overwrite. */
#include "libnnaccel/backend/nna/nna.h"

/* True if the command of @op has bounds (and a zero point) that can be changed. */
static bool takes_bounds(const struct nna_ir_op *op, bool moves)
{
	switch (op->kind) {
	case NNA_IR_CONV2D:
	case NNA_IR_MATMUL:
	case NNA_IR_BINARY:
	case NNA_IR_MUL_ADD:
	case NNA_IR_SELECT:
	case NNA_IR_RESCALE:
	case NNA_IR_CLAMP:
		return true;
	case NNA_IR_UNARY:
		/* Only quantised results have quantised bounds. */
		return op->elementwise.function != NNA_FN_CAST;
	case NNA_IR_POOL:
		/* Pooling works on the stored numbers. */
		return !moves;
	default:
		return false;
	}
}

/* True if the epilogue of @conv can do the addition @add. */
static bool takes_sum(const struct nna_lower *l, const struct nna_ir_op *add)
{
	const struct nna_value *out = &l->values[add->values[NNA_ELEMENTWISE_OUT]];
	struct nnahw_cmd_ewise sum;

	if (out->type == NNA_TYPE_U8 || out->type == NNA_TYPE_S8) {
		nna_hw_sum(&sum, out, &l->values[add->values[NNA_ELEMENTWISE_A]],
			   &l->values[add->values[NNA_ELEMENTWISE_B]], add->rounding);
		return sum.a_scale != 0;
	}
	/* Two commands round F16 twice, one command rounds it once. */
	return out->type == NNA_TYPE_F32;
}

bool nna_hw_can_fuse(const struct nna_lower *l, const struct nna_ir_op *first,
		     const struct nna_ir_op *second)
{
	switch (second->kind) {
	case NNA_IR_CLAMP:
	case NNA_IR_RESCALE:
		return takes_bounds(first, l->values[second->values[NNA_IR_OUT]].zero_point !=
						   l->values[second->values[NNA_IR_IN]].zero_point);
	case NNA_IR_BINARY:
		return takes_sum(l, second);
	case NNA_IR_CONV2D:
		return first->kind == NNA_IR_COPY;
	default:
		return false;
	}
}

uint32_t nna_hw_in_place(const struct nna_ir_op *op)
{
	switch (op->kind) {
	case NNA_IR_UNARY:
	case NNA_IR_BINARY:
	case NNA_IR_MUL_ADD:
	case NNA_IR_SELECT:
	case NNA_IR_RESCALE:
	case NNA_IR_CLAMP:
		return 1u << NNA_ELEMENTWISE_A | 1u << NNA_ELEMENTWISE_B | 1u << NNA_ELEMENTWISE_C;
	case NNA_IR_CONV2D:
	case NNA_IR_MATMUL:
		return 1u << NNA_CONV2D_RESIDUAL;
	case NNA_IR_ROWS:
		return ((1u << NNA_IR_ROWS_INPUTS) - 1) << NNA_ROWS_IN;
	default:
		return 0;
	}
}
