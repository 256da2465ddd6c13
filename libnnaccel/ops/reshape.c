// SPDX-License-Identifier: MIT
/*
 * RESHAPE: other dims.
 *
 *	in 0	input	ANY [...]
 *	in 1	dims	INT32 [rank of the output]	one may be -1: it follows from the others
 *	out 0	output	Q0 [...]
 *
 * SQUEEZE: removes dims of 1.
 *
 *	in 0	input	ANY [...]
 *	in 1	axes?	INT32 [...]	in [-rank, rank), of size 1; by default all of size 1
 *	out 0	output	Q0 [...]	[1] where no dim is left
 *
 * EXPAND_DIMS: inserts a dim of 1.
 *
 *	in 0	input	ANY [...]
 *	in 1	axis	INT32	in [-(rank + 1), rank]
 *	out 0	output	Q0 [...]
 *
 * BITCAST: the same bytes as elements of another type of the same size, or in another quantisation.
 *
 *	in 0	input	ANY [...]
 *	out 0	output	ANY [...]	the dims of the input
 *
 * The output is a view of the input's elements: lowered to no operation of the ir.
 */
#include "libnnaccel/ops/op_util.h"

static int check(struct nna_op_context *op)
{
	return nna_check_out_quant(op, 0, 0);
}

static int reshape_dims(struct nna_op_context *op, const int32_t *wanted, uint32_t count)
{
	uint32_t dims[NNACCEL_MAX_RANK], open = NNA_NONE;
	uint64_t elements, rest = 1;
	int ret = nna_require_count(op, 0, &elements);

	if (ret)
		return ret;
	if (count > NNACCEL_MAX_RANK)
		return nna_op_refuse(op, NNA_IN(1), "%u dimensions", "%u at most", count,
				     NNACCEL_MAX_RANK);
	for (uint32_t k = 0; k < count; k++) {
		if (wanted[k] == -1 && open == NNA_NONE) {
			open = k;
			continue;
		}
		if (wanted[k] < 0 || __builtin_mul_overflow(rest, (uint32_t)wanted[k], &rest))
			return nna_op_refuse(op, NNA_IN(1), "element %u is %d",
					     "0 or more, or one -1", k, wanted[k]);
		dims[k] = (uint32_t)wanted[k];
	}
	if (open != NNA_NONE) {
		if (!rest || elements % rest)
			return nna_op_refuse(op, NNA_IN(1), "its dimensions multiply to %llu",
					     "a divisor of the %llu elements of input 0",
					     (unsigned long long)rest,
					     (unsigned long long)elements);
		dims[open] = (uint32_t)(elements / rest);
	} else if (rest != elements) {
		return nna_op_refuse(op, NNA_IN(1), "its dimensions multiply to %llu",
				     "%llu, the elements of input 0", (unsigned long long)rest,
				     (unsigned long long)elements);
	}
	return nna_set_dims(op, 0, count, dims);
}

static int reshape_infer(struct nna_op_context *op)
{
	uint32_t count;
	int32_t *wanted;
	int ret = nna_op_tensor_i32(op, 1, &wanted, &count);

	if (ret)
		return ret;
	ret = reshape_dims(op, wanted, count);
	free(wanted);
	return ret;
}

static int squeeze_infer(struct nna_op_context *op)
{
	const struct nna_shape *in = &op->in[0];
	uint32_t dims[NNACCEL_MAX_RANK], rank = 0, drop = 0, count = 0;
	int32_t *axes = NULL;
	int ret = 0;

	if (nna_op_has_input(op, 1))
		ret = nna_op_tensor_i32(op, 1, &axes, &count);
	if (ret)
		return ret;
	for (uint32_t i = 0; i < count && !ret; i++) {
		uint32_t axis;

		ret = nna_param_axis(op, 1, axes[i], in->rank, &axis) ?:
		      nna_require_dim(op, 0, axis, 1, "the size of a dimension that goes");
		if (!ret)
			drop |= 1u << axis;
	}
	free(axes);
	if (ret)
		return ret;
	for (uint32_t k = 0; k < in->rank; k++) {
		if (count ? !(drop >> k & 1) : in->dims[k] != 1)
			dims[rank++] = in->dims[k];
	}
	/* No tensor has rank 0. */
	if (!rank)
		dims[rank++] = 1;
	return nna_set_dims(op, 0, rank, dims);
}

static int expand_infer(struct nna_op_context *op)
{
	const struct nna_shape *in = &op->in[0];
	uint32_t dims[NNACCEL_MAX_RANK + 1], axis;
	int32_t number;
	int ret = nna_op_scalar_i32(op, 1, &number) ?:
		  nna_param_axis(op, 1, number, in->rank + 1, &axis);

	if (ret)
		return ret;
	for (uint32_t k = 0; k <= in->rank; k++)
		dims[k] = k < axis ? in->dims[k] : k == axis ? 1 : in->dims[k - 1];
	return nna_set_dims(op, 0, in->rank + 1, dims);
}

static int bitcast_check(struct nna_op_context *op)
{
	if (nna_operand_type_size(op->in[0].type) == nna_operand_type_size(op->out[0].type))
		return 0;
	return nna_op_refuse(op, NNA_OUT(0), "elements of %s", "those of a type of the size of %s",
			     nna_operand_type_name(op->out[0].type),
			     nna_operand_type_name(op->in[0].type));
}

const struct nna_op nna_op_bitcast = {
	.type = NNA_OPERATION_BITCAST,
	.check = bitcast_check, .infer = nna_infer_like_first, .lower = nna_do_reshape,
};

const struct nna_op nna_op_reshape = {
	.type = NNA_OPERATION_RESHAPE,
	.check = check, .infer = reshape_infer, .lower = nna_do_reshape,
};

const struct nna_op nna_op_squeeze = {
	.type = NNA_OPERATION_SQUEEZE,
	.check = check, .infer = squeeze_infer, .lower = nna_do_reshape,
};

const struct nna_op nna_op_expand_dims = {
	.type = NNA_OPERATION_EXPAND_DIMS,
	.check = check, .infer = expand_infer, .lower = nna_do_reshape,
};
