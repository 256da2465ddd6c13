// SPDX-License-Identifier: MIT
/*
 * L2_NORMALIZATION: each row divided by its L2 norm, or by 1e-6 if that is larger.
 *
 *	in 0	input	FLOAT, QUANT8 [...]
 *	in 1	axis?	INT32		in [-rank, rank), -1 by default
 *	out 0	output	T0 [...]	QUANT8: scale 1/128, zero point 128, signed 0
 *
 * LOCAL_RESPONSE_NORMALIZATION: x / (bias + alpha * sum of squares of the neighbours) ^ beta.
 *
 *	in 0	input	FLOAT [...]
 *	in 1	radius	INT32	neighbours on either side along the axis
 *	in 2	bias	FLOAT
 *	in 3	alpha	FLOAT
 *	in 4	beta	FLOAT
 *	in 5	axis?	INT32	in [-rank, rank), -1 by default
 *	out 0	output	T0 [...]
 *
 * INSTANCE_NORMALIZATION: each channel of each image to mean 0 and variance 1, times gamma plus
 * beta.
 *
 *	in 0	input	FLOAT [b, h, w, c]	[b, c, h, w] with nchw
 *	in 1	gamma	FLOAT
 *	in 2	beta	FLOAT
 *	in 3	epsilon	FLOAT			added to the variance
 *	in 4	nchw	BOOL
 *	out 0	output	T0 [b, h, w, c]
 *
 * In a graph with TFLite's rounding, L2_NORMALIZATION of 8-bit numbers along the last axis is
 * lowered to one NORM8. Everything else is lowered to element-wise operations and REDUCE, whose
 * intermediate results are fp32 in scratch memory.
 */
#include "libnnaccel/ops/window.h"

/* The lower bound of the divisor of L2_NORMALIZATION. */
#define L2_EPSILON 1e-6f

static int ewise(struct nna_lower *l, uint8_t kind, uint32_t out, uint32_t a, uint32_t b)
{
	return nna_emit_ewise(l, kind, out, a, b, NNA_NO_VALUE, NNA_ACT_NONE, 0);
}

static int l2_check(struct nna_op_context *op)
{
	bool is_signed = op->out[0].type == NNA_OPERAND_TENSOR_QUANT8_ASYMM_SIGNED;
	uint32_t axis;
	int ret = nna_later(nna_param_input_axis(op, 1, &axis));

	if (!ret && nna_operand_type_is_quantised(op->out[0].type))
		ret = nna_check_quant(op, NNA_OUT(0), 1.0f / 128, is_signed ? 0 : 128);
	return ret;
}

/* Emits a NORM8, which normalises rows of @n 8-bit numbers as TFLite does. */
static int l2_lower_integers(struct nna_lower *l, uint32_t out, uint32_t in, uint32_t n)
{
	struct nna_ir_op command = { .kind = NNA_IR_NORM8 };
	uint32_t count, values[2];

	if (!nna_value_count(nna_lower_value(l, out), &count))
		return -ENOTSUP;
	NNA_VALUE(rows_in, nna_emit_reshape(l, in, 2, (uint32_t[]){ count / n, n }));
	NNA_VALUE(rows_out, nna_emit_reshape(l, out, 2, (uint32_t[]){ count / n, n }));
	values[NNA_IR_OUT] = rows_out;
	values[NNA_IR_IN] = rows_in;
	return nna_ir_add(l, &command, values);
}

static int l2_lower(struct nna_op_context *op)
{
	struct nna_lower *l = op->lower;
	uint32_t axis, dims[NNACCEL_MAX_RANK];
	int ret = nna_param_input_axis(op, 1, &axis);

	if (ret)
		return ret;
	memcpy(dims, op->in[0].dims, sizeof(dims));
	dims[axis] = 1;
	NNA_VALUE(in, nna_lower_in(op, 0));
	NNA_VALUE(out, nna_lower_out(op, 0));
	if (nna_value_is_empty(l, out))
		return 0;
	if (nna_ir_rounding(l) == NNA_IR_ROUNDS_AS_TFLITE && axis == op->in[0].rank - 1 &&
	    nna_operand_type_is_quantised(op->out[0].type))
		return l2_lower_integers(l, out, in, op->in[0].dims[axis]);
	NNA_VALUE(squares, nna_do_scratch_like(l, NNA_TYPE_F32, in));
	NNA_VALUE(sums, nna_lower_scratch(l, NNA_TYPE_F32, op->in[0].rank, dims, 0, 0));
	NNA_VALUE(roots, nna_lower_scratch(l, NNA_TYPE_F32, op->in[0].rank, dims, 0, 0));
	NNA_VALUE(norms, nna_lower_scratch(l, NNA_TYPE_F32, op->in[0].rank, dims, 0, 0));
	NNA_VALUE(epsilon, nna_do_constant_f32(l, L2_EPSILON));
	return ewise(l, NNA_FN_MUL, squares, in, in) ?:
	       nna_emit_reduce(l, NNA_REDUCE_SUM, sums, squares, 1u << axis) ?:
	       ewise(l, NNA_FN_SQRT, roots, sums, NNA_NO_VALUE) ?:
	       ewise(l, NNA_FN_MAXIMUM, norms, roots, epsilon) ?:
	       ewise(l, NNA_FN_DIV, out, in, norms);
}

/* The parameters of LOCAL_RESPONSE_NORMALIZATION. */
struct response {
	uint32_t axis, radius;
	float bias, alpha, beta;
};

static int read_response(const struct nna_op_context *op, struct response *r)
{
	int ret = nna_param_number(op, 1, "the radius", 0, INT32_MAX, &r->radius) ?:
		  nna_op_scalar_f32(op, 2, &r->bias) ?:
		  nna_op_scalar_f32(op, 3, &r->alpha) ?: nna_op_scalar_f32(op, 4, &r->beta);

	return ret ?: nna_param_input_axis(op, 5, &r->axis);
}

static int lrn_check(struct nna_op_context *op)
{
	struct response r;

	return nna_later(read_response(op, &r));
}

/* Emits sums over a window along axis 1 of [outer, size, inner, 1]: a convolution with ones. */
static int window_sums(struct nna_lower *l, uint32_t out, uint32_t in, uint32_t radius)
{
	uint32_t size = nna_lower_value(l, in)->dims[1];
	struct nna_conv_params params = nna_conv_plain;
	uint32_t dims[4] = { 1, 1, 1, 1 };
	int64_t weights;
	float *ones;

	/* No element has a neighbour more than size - 1 elements away. */
	if (radius > size - 1)
		radius = size - 1;
	dims[1] = 2 * radius + 1;
	params.pad_top = radius;
	ones = malloc(dims[1] * sizeof(*ones));
	if (!ones)
		return -ENOMEM;
	for (uint32_t i = 0; i < dims[1]; i++)
		ones[i] = 1;
	weights = nna_lower_constant(l, NNA_TYPE_F32, 4, dims, 0, 0, ones);
	free(ones);
	if (weights < 0)
		return (int)weights;
	return nna_emit_conv2d(l, out, in, (uint32_t)weights, NNA_NO_VALUE, &params);
}

static int lrn_lower(struct nna_op_context *op)
{
	struct nna_lower *l = op->lower;
	uint32_t image[4] = { 1, 1, 1, 1 };
	struct response r;
	int ret = read_response(op, &r);

	if (ret)
		return ret;
	for (uint32_t k = 0; k < op->in[0].rank; k++)
		image[k < r.axis ? 0 : k == r.axis ? 1 : 2] *= op->in[0].dims[k];
	NNA_VALUE(in, nna_lower_in(op, 0));
	NNA_VALUE(out, nna_lower_out(op, 0));
	if (nna_value_is_empty(l, out))
		return 0;
	NNA_VALUE(source, nna_emit_reshape(l, in, 4, image));
	NNA_VALUE(result, nna_emit_reshape(l, out, 4, image));
	NNA_VALUE(squares, nna_do_scratch_like(l, NNA_TYPE_F32, source));
	NNA_VALUE(sums, nna_do_scratch_like(l, NNA_TYPE_F32, source));
	NNA_VALUE(bases, nna_do_scratch_like(l, NNA_TYPE_F32, source));
	NNA_VALUE(powers, nna_do_scratch_like(l, NNA_TYPE_F32, source));
	NNA_VALUE(alpha, nna_do_constant_f32(l, r.alpha));
	NNA_VALUE(bias, nna_do_constant_f32(l, r.bias));
	NNA_VALUE(exponent, nna_do_constant_f32(l, -r.beta));
	return ewise(l, NNA_FN_MUL, squares, source, source) ?:
	       window_sums(l, sums, squares, r.radius) ?:
	       nna_emit_ewise(l, NNA_FN_MUL_ADD, bases, sums, alpha, bias,
			      NNA_ACT_NONE, 0) ?:
	       ewise(l, NNA_FN_POW, powers, bases, exponent) ?:
	       ewise(l, NNA_FN_MUL, result, source, powers);
}

static int instance_lower(struct nna_op_context *op)
{
	struct nna_lower *l = op->lower;
	uint32_t dims[4], axes;
	bool nchw;
	int ret = nna_op_scalar_bool(op, 4, &nchw);

	if (ret)
		return ret;
	memcpy(dims, op->in[0].dims, sizeof(dims));
	dims[nna_axis_h(nchw)] = 1;
	dims[nna_axis_w(nchw)] = 1;
	axes = 1u << nna_axis_h(nchw) | 1u << nna_axis_w(nchw);
	NNA_VALUE(in, nna_lower_in(op, 0));
	NNA_VALUE(gamma, nna_lower_in(op, 1));
	NNA_VALUE(beta, nna_lower_in(op, 2));
	NNA_VALUE(epsilon, nna_lower_in(op, 3));
	NNA_VALUE(out, nna_lower_out(op, 0));
	if (nna_value_is_empty(l, out))
		return 0;
	NNA_VALUE(means, nna_lower_scratch(l, NNA_TYPE_F32, 4, dims, 0, 0));
	NNA_VALUE(centred, nna_do_scratch_like(l, NNA_TYPE_F32, in));
	NNA_VALUE(squares, nna_do_scratch_like(l, NNA_TYPE_F32, in));
	NNA_VALUE(variances, nna_lower_scratch(l, NNA_TYPE_F32, 4, dims, 0, 0));
	NNA_VALUE(shifted, nna_lower_scratch(l, NNA_TYPE_F32, 4, dims, 0, 0));
	NNA_VALUE(factors, nna_lower_scratch(l, NNA_TYPE_F32, 4, dims, 0, 0));
	NNA_VALUE(normal, nna_do_scratch_like(l, NNA_TYPE_F32, in));
	return nna_emit_reduce(l, NNA_REDUCE_MEAN, means, in, axes) ?:
	       ewise(l, NNA_FN_SUB, centred, in, means) ?:
	       ewise(l, NNA_FN_MUL, squares, centred, centred) ?:
	       nna_emit_reduce(l, NNA_REDUCE_MEAN, variances, squares, axes) ?:
	       ewise(l, NNA_FN_ADD, shifted, variances, epsilon) ?:
	       ewise(l, NNA_FN_RSQRT, factors, shifted, NNA_NO_VALUE) ?:
	       ewise(l, NNA_FN_MUL, normal, centred, factors) ?:
	       nna_emit_ewise(l, NNA_FN_MUL_ADD, out, normal, gamma, beta,
			      NNA_ACT_NONE, 0);
}

const struct nna_op nna_op_l2_normalization = {
	.type = NNA_OPERATION_L2_NORMALIZATION,
	.check = l2_check, .infer = nna_infer_like_first, .lower = l2_lower,
};

const struct nna_op nna_op_local_response_normalization = {
	.type = NNA_OPERATION_LOCAL_RESPONSE_NORMALIZATION,
	.check = lrn_check, .infer = nna_infer_like_first, .lower = lrn_lower,
};

const struct nna_op nna_op_instance_normalization = {
	.type = NNA_OPERATION_INSTANCE_NORMALIZATION,
	.infer = nna_infer_like_first, .lower = instance_lower,
};
