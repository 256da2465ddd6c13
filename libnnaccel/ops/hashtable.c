// SPDX-License-Identifier: MIT
/*
 * HASHTABLE_LOOKUP: rows of a table by their keys.
 *
 *	in 0	lookups	INT32 [K]
 *	in 1	keys	INT32 [N]
 *	in 2	values	FLOAT, INT32, QUANT8 [N, ...]
 *	out 0	output	Q2 [K, ...]		the row of each lookup, zeros if no key matches
 *	out 1	hits	QUANT8_ASYMM [K]	1 if a key matches, else 0
 *
 * Lowered to: a BINARY that compares every lookup with every key, an ARG that finds the first
 * match, a GATHER of its row, a REDUCE ANY that tells whether a key matches, and a SELECT that
 * writes zeros if none does.
 */
#include "libnnaccel/ops/op_util.h"

static int check(struct nna_op_context *op)
{
	return nna_check_dim(op, 2, 0, nna_known_dim(&op->in[1], 0)) ?:
	       nna_check_out_quant(op, 0, 2);
}

static int infer(struct nna_op_context *op)
{
	uint32_t dims[NNACCEL_MAX_RANK];

	memcpy(dims, op->in[2].dims, sizeof(dims));
	dims[0] = op->in[0].dims[0];
	return nna_set_dims(op, 0, op->in[2].rank, dims) ?: nna_set_dims(op, 1, 1, dims);
}

static int lower(struct nna_op_context *op)
{
	uint32_t count = op->in[0].dims[0], keys = op->in[1].dims[0], rank = op->in[2].rank;
	uint32_t pairs[2] = { count, keys };
	uint32_t column[NNACCEL_MAX_RANK] = { count, 1, 1, 1, 1, 1, 1, 1 };
	struct nna_ir_op arg = { .kind = NNA_IR_ARG, .arg.axis = 1 };
	struct nna_ir_op gather = { .kind = NNA_IR_GATHER };
	struct nna_lower *l = op->lower;
	int ret;

	NNA_VALUE(lookups, nna_lower_in(op, 0));
	NNA_VALUE(all_keys, nna_lower_in(op, 1));
	NNA_VALUE(rows, nna_lower_in(op, 2));
	NNA_VALUE(out, nna_lower_out(op, 0));
	NNA_VALUE(hits, nna_lower_out(op, 1));
	if (!keys)
		return nna_do_zero(l, out) ?: nna_emit_fill(l, hits, 0);
	if (!count || nna_value_is_empty(l, rows))
		return 0;
	NNA_VALUE(wanted, nna_emit_reshape(l, lookups, 2, column));
	NNA_VALUE(matches, nna_lower_scratch(l, NNA_TYPE_BOOL8, 2, pairs, 0, 0));
	NNA_VALUE(number, nna_lower_scratch(l, NNA_TYPE_S32, 2, column, 0, 0));
	NNA_VALUE(found, nna_lower_scratch(l, NNA_TYPE_BOOL8, 2, column, 0, 0));
	ret = nna_do_ewise(l, NNA_FN_EQUAL, matches, wanted, all_keys, NNA_NO_VALUE) ?:
	      nna_ir_add(l, &arg, (uint32_t[]){ number, matches }) ?:
	      nna_emit_reduce(l, NNA_REDUCE_ANY, found, matches, 1u << 1);
	if (ret)
		return ret;
	NNA_VALUE(indices, nna_emit_reshape(l, number, 1, &count));
	NNA_VALUE(gathered, nna_lower_scratch(l, nna_lower_value(l, out)->type, rank,
					      op->out[0].dims, nna_lower_value(l, out)->scale,
					      nna_lower_value(l, out)->zero_point));
	ret = nna_ir_add(l, &gather, (uint32_t[]){ gathered, rows, indices });
	if (ret)
		return ret;
	NNA_VALUE(mask, nna_emit_reshape(l, found, rank, column));
	NNA_VALUE(zero, nna_lower_scratch(l, nna_lower_value(l, out)->type, 0, NULL,
					  nna_lower_value(l, out)->scale,
					  nna_lower_value(l, out)->zero_point));
	NNA_VALUE(flags, nna_emit_reshape(l, found, 1, &count));
	NNA_VALUE(bytes, nna_view_retype(l, hits, NNA_TYPE_U8, 0, 0));
	return nna_do_zero(l, zero) ?:
	       nna_do_ewise(l, NNA_FN_SELECT, out, mask, gathered, zero) ?:
	       nna_do_ewise(l, NNA_FN_CAST, bytes, flags, NNA_NO_VALUE, NNA_NO_VALUE);
}

const struct nna_op nna_op_hashtable_lookup = {
	.type = NNA_OPERATION_HASHTABLE_LOOKUP,
	.check = check, .infer = infer, .lower = lower,
};
