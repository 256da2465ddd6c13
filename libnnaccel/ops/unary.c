// SPDX-License-Identifier: MIT
/*
 * Functions of one element.
 *
 *	in 0	input	see below [...]
 *	in 1	alpha	FLOAT		ELU and LEAKY_RELU only
 *	out 0	output	T0 [...]	RELU, RELU1, RELU6: Q0. With QUANT8: TANH has scale 1/128
 *					and zero point 128, LOGISTIC 1/256 and 0; signed zero points
 *					are 128 less
 *
 *	FLOOR, EXP, LOG, SQRT, SIN, COS, ELU					FLOAT
 *	ABS, NEG								FLOAT, INT32, INT64
 *	RELU, RELU1, RELU6, TANH, LOGISTIC, RSQRT, HARD_SWISH, LEAKY_RELU	FLOAT, QUANT8
 *	LOGICAL_NOT								BOOL8
 *
 * Lowered to one element-wise operation of the ir.
 */
#include "libnnaccel/ops/op_util.h"

/* The quantisation that the output must have. */
enum output { ANY, AS_INPUT, OF_TANH, OF_LOGISTIC };

/**
 * struct function - an operation of this file
 * @operation: its type
 * @ewise: its function, enum nna_function
 * @act: enum nna_activation, for functions that are a clamp
 * @output: enum output
 */
struct function {
	enum nna_operation_type operation;
	uint8_t ewise;
	uint8_t act;
	uint8_t output;
};

static const struct function functions[] = {
	{ NNA_OPERATION_FLOOR, NNA_FN_FLOOR, NNA_ACT_NONE, ANY },
	{ NNA_OPERATION_RELU, NNA_FN_IDENTITY, NNA_ACT_RELU, AS_INPUT },
	{ NNA_OPERATION_RELU1, NNA_FN_IDENTITY, NNA_ACT_RELU1, AS_INPUT },
	{ NNA_OPERATION_RELU6, NNA_FN_IDENTITY, NNA_ACT_RELU6, AS_INPUT },
	{ NNA_OPERATION_TANH, NNA_FN_TANH, NNA_ACT_NONE, OF_TANH },
	{ NNA_OPERATION_LOGISTIC, NNA_FN_LOGISTIC, NNA_ACT_NONE, OF_LOGISTIC },
	{ NNA_OPERATION_ABS, NNA_FN_ABS, NNA_ACT_NONE, ANY },
	{ NNA_OPERATION_NEG, NNA_FN_NEG, NNA_ACT_NONE, ANY },
	{ NNA_OPERATION_EXP, NNA_FN_EXP, NNA_ACT_NONE, ANY },
	{ NNA_OPERATION_LOG, NNA_FN_LOG, NNA_ACT_NONE, ANY },
	{ NNA_OPERATION_SQRT, NNA_FN_SQRT, NNA_ACT_NONE, ANY },
	{ NNA_OPERATION_RSQRT, NNA_FN_RSQRT, NNA_ACT_NONE, ANY },
	{ NNA_OPERATION_SIN, NNA_FN_SIN, NNA_ACT_NONE, ANY },
	{ NNA_OPERATION_COS, NNA_FN_COS, NNA_ACT_NONE, ANY },
	{ NNA_OPERATION_LOGICAL_NOT, NNA_FN_LOGICAL_NOT, NNA_ACT_NONE, ANY },
	{ NNA_OPERATION_HARD_SWISH, NNA_FN_HARD_SWISH, NNA_ACT_NONE, ANY },
	{ NNA_OPERATION_ELU, NNA_FN_ELU, NNA_ACT_NONE, ANY },
	{ NNA_OPERATION_LEAKY_RELU, NNA_FN_LEAKY_RELU, NNA_ACT_NONE, ANY },
};

static const struct function *find(enum nna_operation_type type)
{
	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
		if (functions[i].operation == type)
			return &functions[i];
	}
	return NULL;
}

/* TANH and LOGISTIC map [-1, 1) and [0, 1) to the whole range of the type. */
static int check(struct nna_op_context *op)
{
	const struct function *f = find(op->operation->type);
	const struct nna_shape *out = &op->out[0];
	bool is_signed = out->type == NNA_OPERAND_TENSOR_QUANT8_ASYMM_SIGNED;
	float scale = f->output == OF_TANH ? 1.0f / 128 : 1.0f / 256;
	int32_t zero = (f->output == OF_TANH ? 128 : 0) - (is_signed ? 128 : 0);

	if (f->output == AS_INPUT)
		return nna_check_out_quant(op, 0, 0);
	if (f->output == ANY || !nna_operand_type_is_quantised(out->type))
		return 0;
	return nna_check_quant(op, NNA_OUT(0), scale, zero);
}

static int lower(struct nna_op_context *op)
{
	const struct function *f = find(op->operation->type);
	float alpha;
	int ret = nna_param_f32(op, 1, 0, &alpha);

	if (ret)
		return ret;
	NNA_VALUE(in, nna_lower_in(op, 0));
	NNA_VALUE(out, nna_lower_out(op, 0));
	if (nna_value_is_empty(op->lower, out))
		return 0;
	return nna_emit_ewise(op->lower, f->ewise, out, in, NNA_NO_VALUE, NNA_NO_VALUE,
			      (enum nna_activation)f->act, alpha);
}

#define UNARY(name, number) \
	const struct nna_op nna_op_##name = { \
		.type = number, \
		.check = check, .infer = nna_infer_like_first, .lower = lower, \
	}

UNARY(floor, NNA_OPERATION_FLOOR);
UNARY(relu, NNA_OPERATION_RELU);
UNARY(relu1, NNA_OPERATION_RELU1);
UNARY(relu6, NNA_OPERATION_RELU6);
UNARY(tanh, NNA_OPERATION_TANH);
UNARY(logistic, NNA_OPERATION_LOGISTIC);
UNARY(abs, NNA_OPERATION_ABS);
UNARY(neg, NNA_OPERATION_NEG);
UNARY(exp, NNA_OPERATION_EXP);
UNARY(log, NNA_OPERATION_LOG);
UNARY(sqrt, NNA_OPERATION_SQRT);
UNARY(rsqrt, NNA_OPERATION_RSQRT);
UNARY(sin, NNA_OPERATION_SIN);
UNARY(cos, NNA_OPERATION_COS);
UNARY(logical_not, NNA_OPERATION_LOGICAL_NOT);
UNARY(hard_swish, NNA_OPERATION_HARD_SWISH);
UNARY(elu, NNA_OPERATION_ELU);
UNARY(leaky_relu, NNA_OPERATION_LEAKY_RELU);
