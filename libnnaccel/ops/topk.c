// SPDX-License-Identifier: MIT
/*
 * TOPK_V2: the largest elements of each row, in descending order.
 *
 *	in 0	input	FLOAT, INT32, INT64, QUANT8 [..., n]
 *	in 1	k	INT32		1 to n
 *	out 0	values	Q0 [..., k]
 *	out 1	indices	INT32 [..., k]	their indices in the row
 *
 * Among equal elements the one with the higher index comes first. In a graph with TFLite's rounding
 * the one with the lower index does, as in TFLite's kernels.
 *
 * Lowered to one TOPK.
 */
#include "libnnaccel/ops/op_util.h"

static int read_k(const struct nna_op_context *op, uint32_t *k)
{
	return nna_param_number(op, 1, "the number of elements", 1, INT32_MAX, k);
}

static int check(struct nna_op_context *op)
{
	uint32_t k;

	return nna_check_out_quant(op, 0, 0) ?: nna_later(read_k(op, &k));
}

static int infer(struct nna_op_context *op)
{
	uint32_t dims[NNACCEL_MAX_RANK], last = op->in[0].rank - 1, k;
	int ret = read_k(op, &k);

	if (ret)
		return ret;
	memcpy(dims, op->in[0].dims, sizeof(dims));
	if (k > dims[last])
		return nna_op_refuse(op, NNA_IN(1), "the value is %u",
				     "%u at most, the last dimension of input 0", k, dims[last]);
	dims[last] = k;
	return nna_set_dims(op, 0, last + 1, dims) ?: nna_set_dims(op, 1, last + 1, dims);
}

static int lower(struct nna_op_context *op)
{
	struct nna_ir_op command = { .kind = NNA_IR_TOPK };
	uint32_t values[3];

	NNA_VALUE(in, nna_lower_in(op, 0));
	NNA_VALUE(out, nna_lower_out(op, 0));
	NNA_VALUE(indices, nna_lower_out(op, 1));
	if (nna_value_is_empty(op->lower, out))
		return 0;
	command.topk.lower_first = nna_ir_rounding(op->lower) != NNA_IR_ROUNDS_AS_NNAPI;
	values[NNA_TOPK_VALUES] = out;
	values[NNA_TOPK_INDICES] = indices;
	values[NNA_TOPK_INPUT] = in;
	return nna_ir_add(op->lower, &command, values);
}

const struct nna_op nna_op_topk = {
	.type = NNA_OPERATION_TOPK_V2,
	.check = check, .infer = infer, .lower = lower,
};
