// SPDX-License-Identifier: MIT
/*
 * TRANSPOSE: permutes the axes.
 *
 *	in 0	input		ANY [...]
 *	in 1	permutation?	INT32 [rank]	the input's axis for each of the output's; by
 *						default all in reverse order
 *	out 0	output		Q0 [...]
 *
 * REVERSE: reverses one axis.
 *
 *	in 0	input	ANY [...]
 *	in 1	axis	INT32 [1]	in [-rank, rank)
 *	out 0	output	Q0 [...]
 *
 * Lowered to one COPY of a view.
 */
#include "libnnaccel/ops/op_util.h"

static int read_permutation(const struct nna_op_context *op, uint32_t *axes)
{
	uint32_t rank = op->in[0].rank, seen = 0;
	int32_t numbers[NNACCEL_MAX_RANK];
	int ret;

	if (!op->in[0].rank_known)
		return -EAGAIN;
	if (!nna_op_has_input(op, 1)) {
		for (uint32_t k = 0; k < rank; k++)
			axes[k] = rank - 1 - k;
		return 0;
	}
	ret = nna_param_numbers(op, 1, rank, "the rank of input 0", numbers);
	for (uint32_t k = 0; k < rank && !ret; k++) {
		if (numbers[k] < 0 || (uint32_t)numbers[k] >= rank || seen >> numbers[k] & 1)
			ret = nna_op_refuse(op, NNA_IN(1), "element %u is axis %d",
					    "each axis from 0 to %u once", k, numbers[k], rank - 1);
		else
			seen |= 1u << numbers[k];
		axes[k] = (uint32_t)numbers[k];
	}
	return ret;
}

static int transpose_check(struct nna_op_context *op)
{
	uint32_t axes[NNACCEL_MAX_RANK];

	return nna_check_out_quant(op, 0, 0) ?: nna_later(read_permutation(op, axes));
}

static int transpose_infer(struct nna_op_context *op)
{
	uint32_t axes[NNACCEL_MAX_RANK], dims[NNACCEL_MAX_RANK];
	int ret = read_permutation(op, axes);

	if (ret)
		return ret;
	for (uint32_t k = 0; k < op->in[0].rank; k++)
		dims[k] = op->in[0].dims[axes[k]];
	return nna_set_dims(op, 0, op->in[0].rank, dims);
}

static int transpose_lower(struct nna_op_context *op)
{
	uint32_t axes[NNACCEL_MAX_RANK];
	int ret = read_permutation(op, axes);

	if (ret)
		return ret;
	NNA_VALUE(in, nna_lower_in(op, 0));
	NNA_VALUE(out, nna_lower_out(op, 0));
	NNA_VALUE(turned, nna_view_permute(op->lower, in, axes));
	return nna_do_move(op->lower, out, turned);
}

static int read_axis(const struct nna_op_context *op, uint32_t *axis)
{
	int32_t number;

	if (!op->in[0].rank_known)
		return -EAGAIN;
	return nna_param_numbers(op, 1, 1, "an axis", &number) ?:
	       nna_param_axis(op, 1, number, op->in[0].rank, axis);
}

static int reverse_check(struct nna_op_context *op)
{
	uint32_t axis;

	return nna_check_out_quant(op, 0, 0) ?: nna_later(read_axis(op, &axis));
}

static int reverse_lower(struct nna_op_context *op)
{
	uint32_t axis, count;
	int ret = read_axis(op, &axis);

	if (ret)
		return ret;
	count = op->in[0].dims[axis];
	NNA_VALUE(in, nna_lower_in(op, 0));
	NNA_VALUE(out, nna_lower_out(op, 0));
	if (nna_value_is_empty(op->lower, out))
		return 0;
	NNA_VALUE(backwards, nna_view_slice(op->lower, in, axis, count - 1, -1, count));
	return nna_do_move(op->lower, out, backwards);
}

const struct nna_op nna_op_transpose = {
	.type = NNA_OPERATION_TRANSPOSE,
	.check = transpose_check, .infer = transpose_infer, .lower = transpose_lower,
};

const struct nna_op nna_op_reverse = {
	.type = NNA_OPERATION_REVERSE,
	.check = reverse_check, .infer = nna_infer_like_first, .lower = reverse_lower,
};
