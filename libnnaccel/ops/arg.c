// SPDX-License-Identifier: MIT
/*
 * ARGMAX, ARGMIN, ARGMAX_INT64: the index of the first largest or smallest element along an axis.
 *
 *	in 0	input	FLOAT, INT32, INT64, QUANT8, BOOL8 [...]
 *	in 1	axis	INT32		in [-rank, rank)
 *	out 0	indices	INT32 [...]	INT64 for ARGMAX_INT64; the dims of the input without the
 *					axis, [1] where none is left
 *
 * Lowered to one ARG of the ir, which keeps the axis with a size of 1.
 */
#include "libnnaccel/ops/op_util.h"

static int check(struct nna_op_context *op)
{
	uint32_t axis;

	return nna_later(nna_param_input_axis(op, 1, &axis));
}

static int infer(struct nna_op_context *op)
{
	uint32_t axis, rank = 0, dims[NNACCEL_MAX_RANK];
	int ret = nna_param_input_axis(op, 1, &axis);

	if (ret)
		return ret;
	ret = nna_require_elements(op, 0, 1u << axis);
	if (ret)
		return ret;
	for (uint32_t k = 0; k < op->in[0].rank; k++) {
		if (k != axis)
			dims[rank++] = op->in[0].dims[k];
	}
	if (!rank)
		dims[rank++] = 1;
	return nna_set_dims(op, 0, rank, dims);
}

static int lower(struct nna_op_context *op)
{
	struct nna_ir_op command = { .kind = NNA_IR_ARG };
	uint32_t dims[NNACCEL_MAX_RANK], values[2];
	int ret = nna_param_input_axis(op, 1, &command.arg.axis);

	if (ret)
		return ret;
	memcpy(dims, op->in[0].dims, sizeof(dims));
	dims[command.arg.axis] = 1;
	command.arg.minimum = op->operation->type == NNA_OPERATION_ARGMIN;
	NNA_VALUE(in, nna_lower_in(op, 0));
	NNA_VALUE(out, nna_lower_out(op, 0));
	if (nna_value_is_empty(op->lower, out))
		return 0;
	NNA_VALUE(kept, nna_emit_reshape(op->lower, out, op->in[0].rank, dims));
	values[NNA_IR_OUT] = kept;
	values[NNA_IR_IN] = in;
	return nna_ir_add(op->lower, &command, values);
}

#define ARG(name, number) \
	const struct nna_op nna_op_##name = { \
		.type = number, \
		.check = check, .infer = infer, .lower = lower, \
	}

ARG(argmax, NNA_OPERATION_ARGMAX);
ARG(argmin, NNA_OPERATION_ARGMIN);
ARG(argmax_int64, NNA_OPERATION_ARGMAX_INT64);
