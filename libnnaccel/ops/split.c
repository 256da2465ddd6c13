// SPDX-License-Identifier: MIT
/*
 * SPLIT: equal parts along an axis.
 *
 *	in 0		input	ANY [...]
 *	in 1		axis	INT32	in [-rank, rank)
 *	in 2		parts	INT32	the number of outputs
 *	out 0 ...	outputs	Q0 [...]
 *
 * UNPACK: slices along an axis, which is removed.
 *
 *	in 0		input	ANY [...]
 *	in 1		axis	INT32		in [-rank, rank)
 *	out 0 ...	outputs	Q0 [...]	as many as the axis is long; [1] where no dim is
 *						left
 *
 * Lowered to a COPY for each output.
 */
#include "libnnaccel/ops/op_util.h"

static int check(struct nna_op_context *op)
{
	bool split = op->operation->type == NNA_OPERATION_SPLIT;
	uint32_t outputs = op->operation->output_count, axis;
	int32_t count = (int32_t)outputs;
	int ret = split ? nna_later(nna_op_scalar_i32(op, 2, &count)) : 0;

	for (uint32_t i = 0; i < outputs && !ret; i++)
		ret = nna_check_out_quant(op, i, 0);
	if (!ret && (count < 0 || (uint32_t)count != outputs))
		ret = nna_op_refuse(op, NNA_OUTPUTS, "%u are given", "%d, the value of input 2",
				    outputs, count);
	return ret ?: nna_later(nna_param_input_axis(op, 1, &axis));
}

static int infer(struct nna_op_context *op)
{
	const struct nna_shape *in = &op->in[0];
	uint32_t outputs = op->operation->output_count, dims[NNACCEL_MAX_RANK], axis, rank;
	bool split = op->operation->type == NNA_OPERATION_SPLIT;
	int ret = nna_param_input_axis(op, 1, &axis);

	if (ret)
		return ret;
	if (!split)
		ret = nna_require_dim(op, 0, axis, outputs, "the number of outputs");
	else if (in->dims[axis] % outputs)
		ret = nna_op_refuse(op, NNA_IN(0), "dimension %u is %u",
				    "a multiple of %u, the number of outputs", axis,
				    in->dims[axis], outputs);
	if (ret)
		return ret;
	rank = 0;
	for (uint32_t k = 0; k < in->rank; k++) {
		if (k != axis)
			dims[rank++] = in->dims[k];
		else if (split)
			dims[rank++] = in->dims[k] / outputs;
	}
	if (!rank)
		dims[rank++] = 1;
	for (uint32_t i = 0; i < outputs && !ret; i++)
		ret = nna_set_dims(op, i, rank, dims);
	return ret;
}

static int lower(struct nna_op_context *op)
{
	uint32_t outputs = op->operation->output_count, axis, count;
	int ret = nna_param_input_axis(op, 1, &axis);

	if (ret)
		return ret;
	count = op->in[0].dims[axis] / outputs;
	NNA_VALUE(in, nna_lower_in(op, 0));
	for (uint32_t i = 0; i < outputs && !ret; i++) {
		NNA_VALUE(out, nna_lower_out(op, i));
		if (nna_value_is_empty(op->lower, out))
			continue;
		NNA_VALUE(part, nna_view_range(op->lower, in, axis, i * count, count));
		if (op->operation->type == NNA_OPERATION_UNPACK && op->in[0].rank > 1) {
			NNA_VALUE(slice, nna_view_drop(op->lower, part, axis));
			part = slice;
		}
		ret = nna_do_move(op->lower, out, part);
	}
	return ret;
}

const struct nna_op nna_op_split = {
	.type = NNA_OPERATION_SPLIT,
	.check = check, .infer = infer, .lower = lower,
};

const struct nna_op nna_op_unpack = {
	.type = NNA_OPERATION_UNPACK,
	.check = check, .infer = infer, .lower = lower,
};
