// SPDX-License-Identifier: MIT
/*
 * SOFTMAX, LOG_SOFTMAX: e^(beta * x) divided by the sum of these along an axis, and the logarithm
 * of this quotient.
 *
 *	in 0	input	FLOAT, QUANT8 [...]	no QUANT8 for LOG_SOFTMAX
 *	in 1	beta	FLOAT			above 0 for SOFTMAX
 *	in 2	axis?	INT32			in [-rank, rank), -1 by default; LOG_SOFTMAX always
 *						states it
 *	out 0	output	T0 [...]		QUANT8: scale 1/256, zero point 0, signed -128
 *
 * Lowered to one SOFTMAX.
 */
#include "libnnaccel/ops/op_util.h"

static int read_params(const struct nna_op_context *op, float *beta, uint32_t *axis)
{
	bool log = op->operation->type == NNA_OPERATION_LOG_SOFTMAX;
	int32_t number;
	int ret = (log ? nna_op_scalar_f32(op, 1, beta) :
			 nna_param_positive(op, 1, "beta", beta)) ?:
		  nna_param_i32(op, 2, -1, &number);

	if (!ret && op->in[0].rank_known)
		ret = nna_param_axis(op, 2, number, op->in[0].rank, axis);
	return ret;
}

static int check_quant(const struct nna_op_context *op)
{
	const struct nna_shape *out = &op->out[0];
	int32_t zero = out->type == NNA_OPERAND_TENSOR_QUANT8_ASYMM_SIGNED ? -128 : 0;

	return nna_operand_type_is_quantised(out->type) ?
		       nna_check_quant(op, NNA_OUT(0), 1.0f / 256, zero) : 0;
}

static int check(struct nna_op_context *op)
{
	uint32_t axis;
	float beta;

	return check_quant(op) ?: nna_later(read_params(op, &beta, &axis));
}

static int lower(struct nna_op_context *op)
{
	struct nna_ir_op command = { .kind = NNA_IR_SOFTMAX };
	uint32_t values[2];
	int ret = read_params(op, &command.softmax.beta, &command.softmax.axis);

	if (ret)
		return ret;
	NNA_VALUE(in, nna_lower_in(op, 0));
	NNA_VALUE(out, nna_lower_out(op, 0));
	if (nna_value_is_empty(op->lower, out))
		return 0;
	command.softmax.log = op->operation->type == NNA_OPERATION_LOG_SOFTMAX;
	values[NNA_IR_OUT] = out;
	values[NNA_IR_IN] = in;
	return nna_ir_add(op->lower, &command, values);
}

#define SOFTMAX(name, number) \
	const struct nna_op nna_op_##name = { \
		.type = number, \
		.check = check, .infer = nna_infer_like_first, .lower = lower, \
	}

SOFTMAX(softmax, NNA_OPERATION_SOFTMAX);
SOFTMAX(log_softmax, NNA_OPERATION_LOG_SOFTMAX);
