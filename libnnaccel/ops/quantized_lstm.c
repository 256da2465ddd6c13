// SPDX-License-Identifier: MIT
/*
 * QUANTIZED_16BIT_LSTM: one step of an LSTM on 8-bit numbers with a 16-bit cell state.
 *
 *	in 0	input			QUANT8_ASYMM [batch, K]
 *	in 1-4	input weights		QUANT8_ASYMM [units, K]		of the gates input, forget,
 *									cell, output; of one
 *									quantisation
 *	in 5-8	recurrent weights	Q1 [units, units]
 *	in 9-12	biases			INT32 [units]
 *	in 13	cell state		QUANT16_SYMM [batch, units]	scale 1/2048
 *	in 14	last output		QUANT8_ASYMM [batch, units]
 *	out 0	cell state		Q13 [batch, units]
 *	out 1	output			Q14 [batch, units]
 *
 * QUANTIZED_LSTM: the same with peepholes, projection and layer norm.
 *
 *	in 0		input			QUANT8_ASYMM_SIGNED	[batch, K]
 *	in 1-4		input weights		QUANT8_SYMM [units, K]	of the gates input?, forget,
 *									cell, output
 *	in 5-8		recurrent weights	QUANT8_SYMM		[units, outputs]
 *	in 9-11		peephole weights?	QUANT16_SYMM [units]	of the gates input, forget,
 *									output
 *	in 12-15	biases			INT32 [units]
 *	in 16		projection weights?	QUANT8_SYMM		[outputs, units]
 *	in 17		projection bias?	INT32 [outputs]
 *	in 18		output state		QUANT8_ASYMM_SIGNED	[batch, outputs]
 *	in 19		cell state		QUANT16_SYMM		[batch, units]; the scale is
 *									a power of two, 2^-15 to
 *									2^-9
 *	in 20-23	norm weights?		QUANT16_SYMM [units]	layer norm of the four gates
 *	in 24		cell clip		FLOAT32			0: none
 *	in 25		projection clip		FLOAT32			0: none
 *	in 26-29	gate scales		FLOAT32			of the four gates before
 *									their norm
 *	in 30		hidden zero point	INT32			of the hidden state, in
 *									[-128, 127]
 *	in 31		hidden scale		FLOAT32			above 0
 *	out 0		output state		QUANT8_ASYMM_SIGNED	[batch, outputs]
 *	out 1		cell state		Q19 [batch, units]
 *	out 2		output			QUANT8_ASYMM_SIGNED	[batch, outputs]
 *
 * All arithmetic is that of integers, as the operations define it: sums of products in 32 bits are
 * requantised to gates of 16 bits (in 1/4096, or in the stated scale before a norm), which go
 * through the 16-bit activations of fixed_point.h (in 1/32768) and are multiplied.
 */
#include <math.h>

#include "libnnaccel/ops/fixed_point.h"
#include "libnnaccel/ops/recurrent.h"

/* The scale of a gate before its activation, and its integer bits; the scale behind it. */
#define GATE_SCALE 0x1p-12f
#define GATE_BITS 3
#define ACTIVE_SCALE 0x1p-15f

/**
 * struct gate - the operands of one gate: numbers of values, NNA_NO_VALUE where omitted
 * @input: weights of the input
 * @recurrent: weights of the output state
 * @peephole: weights of the cell state
 * @bias: S32
 * @norm: weights of the layer norm
 * @scale: of the sum, before the norm if there is one
 */
struct gate {
	uint32_t input, recurrent, peephole, bias, norm;
	float scale;
};

/* Scratch memory of S16, of the dims of @like. */
static int64_t scratch16(struct nna_lower *l, uint32_t like, float scale)
{
	uint32_t dims[2] = { nna_lower_value(l, like)->dims[0], nna_lower_value(l, like)->dims[1] };

	return nna_lower_scratch(l, NNA_TYPE_S16, 2, dims, scale, 0);
}

/* in [batch, K] x weights [units, K] + bias in integers, then rounded to S16 of @scale. */
static int64_t product(struct nna_lower *l, uint32_t in, uint32_t weights, uint32_t bias,
		       float scale)
{
	uint32_t dims[2] = { nna_lower_value(l, in)->dims[0],
			     nna_lower_value(l, weights)->dims[0] };
	int ret;

	NNA_VALUE(out, nna_lower_scratch(l, NNA_TYPE_S16, 2, dims, scale, 0));
	ret = nna_do_linear(l, out, in, weights, bias);
	return ret ? ret : (int64_t)out;
}

/* The value of input @i, NNA_NO_VALUE where it is omitted. */
static int64_t given(struct nna_op_context *op, uint32_t i)
{
	return nna_op_has_input(op, i) ? nna_lower_in(op, i) : NNA_NO_VALUE;
}

/* a + b, both S16 of one scale. */
static int64_t add16(struct nna_lower *l, uint32_t a, uint32_t b, float scale)
{
	int ret;

	NNA_VALUE(out, scratch16(l, a, scale));
	ret = nna_do_ewise(l, NNA_FN_ADD, out, a, b, NNA_NO_VALUE);
	return ret ? ret : (int64_t)out;
}

/* A gate after its layer norm: one NORM16 command. */
static int64_t norm16(struct nna_lower *l, uint32_t in, uint32_t weights, uint32_t bias)
{
	struct nna_ir_op norm = { .kind = NNA_IR_NORM16 };
	int ret;

	nna_requantize_from((double)nna_lower_value(l, weights)->scale / GATE_SCALE,
			    &norm.norm16.multiplier, &norm.norm16.shift);
	NNA_VALUE(out, scratch16(l, in, GATE_SCALE));
	ret = nna_ir_add(l, &norm, (uint32_t[]){ out, in, weights, bias });
	return ret ? ret : (int64_t)out;
}

/* A gate of QUANTIZED_LSTM before its activation; x input, h output state, c cell state. */
static int64_t raw_gate(struct nna_lower *l, const struct gate *g, uint32_t x, uint32_t h,
			uint32_t c)
{
	int ret;

	NNA_VALUE(from_input, product(l, x, g->input,
				      g->norm == NNA_NO_VALUE ? g->bias : NNA_NO_VALUE, g->scale));
	NNA_VALUE(from_state, product(l, h, g->recurrent, NNA_NO_VALUE, g->scale));
	NNA_VALUE(both, add16(l, from_input, from_state, g->scale));
	if (g->peephole != NNA_NO_VALUE) {
		NNA_VALUE(seen, scratch16(l, both, g->scale));
		ret = nna_do_ewise(l, NNA_FN_MUL, seen, c, g->peephole, NNA_NO_VALUE);
		if (ret)
			return ret;
		NNA_VALUE(all, add16(l, both, seen, g->scale));
		both = all;
	}
	if (g->norm == NNA_NO_VALUE)
		return both;
	return norm16(l, both, g->norm, g->bias);
}

static int64_t activate(struct nna_lower *l, enum nna_fixed_function function, uint32_t bits,
			uint32_t raw)
{
	int ret;

	NNA_VALUE(table, nna_fixed_table(l, function, bits));
	NNA_VALUE(out, scratch16(l, raw, ACTIVE_SCALE));
	ret = nna_fixed_lookup(l, out, raw, table);
	return ret ? ret : (int64_t)out;
}

static enum nna_fixed_function gate_function(uint32_t g)
{
	return g == NNA_GATE_CELL ? NNA_FIXED_TANH : NNA_FIXED_LOGISTIC;
}

/* c_out = forget * c_in + in * update, clipped to [-clip, clip] where clip is above 0. */
static int next_cell(struct nna_lower *l, uint32_t c_out, uint32_t c_in, uint32_t forget,
		     uint32_t in, uint32_t update, float clip)
{
	float scale = nna_lower_value(l, c_in)->scale;
	int ret;

	NNA_VALUE(kept, scratch16(l, c_in, scale));
	NNA_VALUE(fresh, scratch16(l, c_in, scale));
	NNA_VALUE(mixed, scratch16(l, c_in, scale));
	ret = nna_do_ewise(l, NNA_FN_MUL, kept, forget, c_in, NNA_NO_VALUE) ?:
	      nna_do_ewise(l, NNA_FN_MUL, fresh, in, update, NNA_NO_VALUE) ?:
	      nna_do_ewise(l, NNA_FN_ADD, mixed, kept, fresh, NNA_NO_VALUE);
	return ret ?: nna_do_clip(l, c_out, mixed, clip);
}

/* out = gate * tanh(c), where c has @bits integer bits */
static int hidden_state(struct nna_lower *l, uint32_t out, uint32_t gate, uint32_t c, uint32_t bits)
{
	NNA_VALUE(active, activate(l, NNA_FIXED_TANH, bits, c));
	return nna_do_ewise(l, NNA_FN_MUL, out, gate, active, NNA_NO_VALUE);
}

/* ------------------------------------------------------------------------- QUANTIZED_16BIT_LSTM */

/* Integer bits and scale of its cell state. */
#define Q16_CELL_BITS 4
#define Q16_CELL_SCALE 0x1p-11f

enum {
	Q16_INPUT = 0,
	Q16_WEIGHTS = 1,
	Q16_RECURRENT = 5,
	Q16_BIAS = 9,
	Q16_CELL = 13,
	Q16_OUTPUT = 14,
};

static int check16(struct nna_op_context *op)
{
	nna_types u8 = NNA_BIT(NNA_OPERAND_TENSOR_QUANT8_ASYMM),
		  s16 = NNA_BIT(NNA_OPERAND_TENSOR_QUANT16_SYMM);
	uint32_t units = nna_known_dim(&op->in[Q16_WEIGHTS], 0);
	int ret = nna_check_in(op, Q16_INPUT, u8) ?: nna_check_rank(op, Q16_INPUT, 2, 2);

	for (uint32_t g = 0; g < NNA_GATES && !ret; g++)
		ret = nna_check_in(op, Q16_WEIGHTS + g, u8) ?:
		      nna_check_rank(op, Q16_WEIGHTS + g, 2, 2) ?:
		      nna_check_dim(op, Q16_WEIGHTS + g, 0, units) ?:
		      nna_check_dim(op, Q16_WEIGHTS + g, 1, nna_known_dim(&op->in[Q16_INPUT], 1)) ?:
		      nna_check_in_quant(op, Q16_WEIGHTS + g, Q16_WEIGHTS) ?:
		      nna_check_in_quant(op, Q16_RECURRENT + g, Q16_WEIGHTS) ?:
		      nna_check_rank(op, Q16_RECURRENT + g, 2, 2) ?:
		      nna_check_dim(op, Q16_RECURRENT + g, 0, units) ?:
		      nna_check_dim(op, Q16_RECURRENT + g, 1, units) ?:
		      nna_check_in(op, Q16_BIAS + g, NNA_T_INT32) ?:
		      nna_check_rank(op, Q16_BIAS + g, 1, 1) ?:
		      nna_check_dim(op, Q16_BIAS + g, 0, units);
	if (!ret && op->in[Q16_CELL].scale != Q16_CELL_SCALE)
		ret = nna_op_fail(op, "the cell state needs a scale of 1/2048");
	return ret ?: nna_check_in(op, Q16_CELL, s16) ?: nna_check_rank(op, Q16_CELL, 2, 2) ?:
	       nna_check_dim(op, Q16_CELL, 1, units) ?: nna_check_in(op, Q16_OUTPUT, u8) ?:
	       nna_check_rank(op, Q16_OUTPUT, 2, 2) ?: nna_check_dim(op, Q16_OUTPUT, 1, units) ?:
	       nna_check_out_quant(op, 0, Q16_CELL) ?: nna_check_out_quant(op, 1, Q16_OUTPUT);
}

static int infer16(struct nna_op_context *op)
{
	if (op->in[Q16_CELL].dims[0] != op->in[0].dims[0] ||
	    op->in[Q16_OUTPUT].dims[0] != op->in[0].dims[0])
		return nna_op_fail(op, "input and states have different batches");
	return nna_set_like(op, 0, Q16_CELL) ?: nna_set_like(op, 1, Q16_OUTPUT);
}

/* The columns of a, then those of b, in the quantisation of a. */
static int64_t beside(struct nna_lower *l, uint32_t a, uint32_t b)
{
	uint32_t rows = nna_lower_value(l, a)->dims[0], left = nna_lower_value(l, a)->dims[1];
	uint32_t right = nna_lower_value(l, b)->dims[1];
	int ret;

	NNA_VALUE(out, nna_lower_scratch(l, nna_lower_value(l, a)->type, 2,
					 (uint32_t[]){ rows, left + right },
					 nna_lower_value(l, a)->scale,
					 nna_lower_value(l, a)->zero_point));
	NNA_VALUE(first, nna_view_range(l, out, 1, 0, left));
	NNA_VALUE(second, nna_view_range(l, out, 1, left, right));
	ret = nna_do_move(l, first, a) ?: nna_do_move(l, second, b);
	return ret ? ret : (int64_t)out;
}

/*
 * An activated gate, from one sum of products that is then requantised. NNAPI's reference computes,
 * and its tests expect, the product of [input, last output] and [recurrent weights, input weights]:
 * data and weights in opposite orders.
 */
static int64_t gate16(struct nna_op_context *op, uint32_t g, uint32_t data)
{
	struct nna_lower *l = op->lower;

	NNA_VALUE(input, nna_lower_in(op, Q16_WEIGHTS + g));
	NNA_VALUE(recurrent, nna_lower_in(op, Q16_RECURRENT + g));
	NNA_VALUE(weights, beside(l, recurrent, input));
	NNA_VALUE(bias, nna_lower_in(op, Q16_BIAS + g));
	NNA_VALUE(raw, product(l, data, weights, bias, GATE_SCALE));
	return activate(l, gate_function(g), GATE_BITS, raw);
}

static int lower16(struct nna_op_context *op)
{
	struct nna_lower *l = op->lower;

	NNA_VALUE(x, nna_lower_in(op, Q16_INPUT));
	NNA_VALUE(h, nna_lower_in(op, Q16_OUTPUT));
	NNA_VALUE(c, nna_lower_in(op, Q16_CELL));
	NNA_VALUE(c_out, nna_lower_out(op, 0));
	NNA_VALUE(out, nna_lower_out(op, 1));
	if (nna_value_is_empty(l, out))
		return 0;
	NNA_VALUE(data, beside(l, x, h));
	NNA_VALUE(in, gate16(op, NNA_GATE_INPUT, data));
	NNA_VALUE(forget, gate16(op, NNA_GATE_FORGET, data));
	NNA_VALUE(update, gate16(op, NNA_GATE_CELL, data));
	NNA_VALUE(gate, gate16(op, NNA_GATE_OUTPUT, data));
	return next_cell(l, c_out, c, forget, in, update, 0) ?:
	       hidden_state(l, out, gate, c_out, Q16_CELL_BITS);
}

/* ------------------------------------------------------------------------------- QUANTIZED_LSTM */

enum {
	Q_WEIGHTS = 1,
	Q_RECURRENT = 5,
	Q_PEEPHOLE = 9,
	Q_BIAS = 12,
	Q_PROJECTION = 16,
	Q_PROJECTION_BIAS = 17,
	Q_OUTPUT = 18,
	Q_CELL = 19,
	Q_NORM = 20,
	Q_CELL_CLIP = 24,
	Q_PROJECTION_CLIP = 25,
	Q_SCALES = 26,
	Q_HIDDEN_ZERO = 30,
	Q_HIDDEN_SCALE = 31,
};

/* Number of the input with the peephole weights of a gate; NNA_NONE for the gate without. */
static const uint32_t peephole_of[] = { Q_PEEPHOLE, Q_PEEPHOLE + 1, NNA_NONE, Q_PEEPHOLE + 2 };

static int check_gate(const struct nna_op_context *op, uint32_t g, uint32_t units, uint32_t outputs)
{
	nna_types s8 = NNA_BIT(NNA_OPERAND_TENSOR_QUANT8_SYMM),
		  s16 = NNA_BIT(NNA_OPERAND_TENSOR_QUANT16_SYMM);
	int ret = nna_check_optional(op, Q_WEIGHTS + g, s8) ?:
		  nna_check_rank(op, Q_WEIGHTS + g, 2, 2) ?:
		  nna_check_dim(op, Q_WEIGHTS + g, 0, units) ?:
		  nna_check_dim(op, Q_WEIGHTS + g, 1, nna_known_dim(&op->in[0], 1)) ?:
		  nna_check_optional(op, Q_RECURRENT + g, s8) ?:
		  nna_check_rank(op, Q_RECURRENT + g, 2, 2) ?:
		  nna_check_dim(op, Q_RECURRENT + g, 0, units) ?:
		  nna_check_dim(op, Q_RECURRENT + g, 1, outputs) ?:
		  nna_check_optional(op, Q_BIAS + g, NNA_T_INT32) ?:
		  nna_check_rank(op, Q_BIAS + g, 1, 1) ?:
		  nna_check_dim(op, Q_BIAS + g, 0, units) ?:
		  nna_check_optional(op, Q_NORM + g, s16) ?:
		  nna_check_rank(op, Q_NORM + g, 1, 1) ?: nna_check_dim(op, Q_NORM + g, 0, units) ?:
		  nna_check_in(op, Q_SCALES + g, NNA_BIT(NNA_OPERAND_FLOAT32));

	if (!ret && peephole_of[g] != NNA_NONE)
		ret = nna_check_optional(op, peephole_of[g], s16) ?:
		      nna_check_rank(op, peephole_of[g], 1, 1) ?:
		      nna_check_dim(op, peephole_of[g], 0, units);
	if (!ret && g != NNA_GATE_INPUT &&
	    (!nna_op_has_input(op, Q_WEIGHTS + g) || !nna_op_has_input(op, Q_RECURRENT + g) ||
	     !nna_op_has_input(op, Q_BIAS + g)))
		ret = nna_op_fail(op, "weights or bias of gate %u are missing", g);
	return ret;
}

/* Integer bits of the cell state, whose scale is a power of two. */
static int cell_bits(const struct nna_op_context *op, uint32_t *bits)
{
	float exponent = log2f(op->in[Q_CELL].scale), nearest = roundf(exponent);

	/* Models state it in a few decimal digits. */
	if (fabsf(exponent - nearest) > 1e-3f || nearest < -15 || nearest > -9)
		return nna_op_fail(op, "the cell state has a scale of %g, which is no power of two "
				   "from 2^-15 to 2^-9", (double)op->in[Q_CELL].scale);
	*bits = (uint32_t)((int)nearest + 15);
	return 0;
}

static int check_cell_scale(const struct nna_op_context *op)
{
	uint32_t bits;

	return cell_bits(op, &bits);
}

static int check(struct nna_op_context *op)
{
	nna_types s8 = NNA_BIT(NNA_OPERAND_TENSOR_QUANT8_ASYMM_SIGNED),
		  s16 = NNA_BIT(NNA_OPERAND_TENSOR_QUANT16_SYMM);
	uint32_t units = nna_known_dim(&op->in[Q_WEIGHTS + NNA_GATE_OUTPUT], 0);
	uint32_t outputs = nna_known_dim(&op->in[Q_RECURRENT + NNA_GATE_OUTPUT], 1);
	int ret = nna_check_in(op, 0, s8) ?: nna_check_rank(op, 0, 2, 2);

	for (uint32_t g = 0; g < NNA_GATES && !ret; g++)
		ret = check_gate(op, g, units, outputs);
	if (!ret && (nna_op_has_input(op, Q_WEIGHTS) != nna_op_has_input(op, Q_RECURRENT) ||
		     nna_op_has_input(op, Q_WEIGHTS) != nna_op_has_input(op, Q_BIAS)))
		ret = nna_op_fail(op,
				  "weights and bias of the input gate come together or not at all");
	return ret ?:
	       nna_check_optional(op, Q_PROJECTION, NNA_BIT(NNA_OPERAND_TENSOR_QUANT8_SYMM)) ?:
	       nna_check_rank(op, Q_PROJECTION, 2, 2) ?:
	       nna_check_dim(op, Q_PROJECTION, 0, outputs) ?:
	       nna_check_dim(op, Q_PROJECTION, 1, units) ?:
	       nna_check_optional(op, Q_PROJECTION_BIAS, NNA_T_INT32) ?:
	       nna_check_rank(op, Q_PROJECTION_BIAS, 1, 1) ?:
	       nna_check_dim(op, Q_PROJECTION_BIAS, 0, outputs) ?: nna_check_in(op, Q_OUTPUT, s8) ?:
	       nna_check_rank(op, Q_OUTPUT, 2, 2) ?: nna_check_dim(op, Q_OUTPUT, 1, outputs) ?:
	       nna_check_in(op, Q_CELL, s16) ?: nna_check_rank(op, Q_CELL, 2, 2) ?:
	       nna_check_dim(op, Q_CELL, 1, units) ?:
	       nna_check_in(op, Q_CELL_CLIP, NNA_BIT(NNA_OPERAND_FLOAT32)) ?:
	       nna_check_in(op, Q_PROJECTION_CLIP, NNA_BIT(NNA_OPERAND_FLOAT32)) ?:
	       nna_check_in(op, Q_HIDDEN_ZERO, NNA_BIT(NNA_OPERAND_INT32)) ?:
	       nna_check_in(op, Q_HIDDEN_SCALE, NNA_BIT(NNA_OPERAND_FLOAT32)) ?:
	       nna_check_out(op, 0, s8) ?:
	       nna_check_out_quant(op, 1, Q_CELL) ?: nna_check_out(op, 2, s8) ?:
	       check_cell_scale(op);
}

static int infer(struct nna_op_context *op)
{
	if (op->in[Q_CELL].dims[0] != op->in[0].dims[0] ||
	    op->in[Q_OUTPUT].dims[0] != op->in[0].dims[0])
		return nna_op_fail(op, "input and states have different batches");
	if (!nna_op_has_input(op, Q_PROJECTION) &&
	    op->in[Q_CELL].dims[1] != op->in[Q_OUTPUT].dims[1])
		return nna_op_fail(op, "%u outputs of %u units need a projection",
				   op->in[Q_OUTPUT].dims[1], op->in[Q_CELL].dims[1]);
	return nna_set_like(op, 0, Q_OUTPUT) ?: nna_set_like(op, 1, Q_CELL) ?:
	       nna_set_like(op, 2, Q_OUTPUT);
}

static int gate_values(struct nna_op_context *op, uint32_t g, struct gate *gate)
{
	bool norm = nna_op_has_input(op, Q_NORM + g);
	int ret = nna_op_scalar_f32(op, Q_SCALES + g, &gate->scale);

	if (ret)
		return ret;
	if (!norm)
		gate->scale = GATE_SCALE;
	else if (!(gate->scale > 0))
		return nna_op_fail(op, "the scale of gate %u before its norm is %g", g,
				   (double)gate->scale);
	NNA_VALUE(input, nna_lower_in(op, Q_WEIGHTS + g));
	NNA_VALUE(recurrent, nna_lower_in(op, Q_RECURRENT + g));
	NNA_VALUE(bias, nna_lower_in(op, Q_BIAS + g));
	NNA_VALUE(norm_weights, given(op, Q_NORM + g));
	NNA_VALUE(peephole, peephole_of[g] == NNA_NONE ? NNA_NO_VALUE : given(op, peephole_of[g]));
	gate->input = input;
	gate->recurrent = recurrent;
	gate->bias = bias;
	gate->norm = norm_weights;
	gate->peephole = peephole;
	return 0;
}

/* A gate of QUANTIZED_LSTM after its activation. */
static int64_t open_gate(struct nna_op_context *op, uint32_t g, uint32_t x, uint32_t h, uint32_t c)
{
	struct gate gate;
	int ret = gate_values(op, g, &gate);

	if (ret)
		return ret;
	NNA_VALUE(raw, raw_gate(op->lower, &gate, x, h, c));
	return activate(op->lower, gate_function(g), GATE_BITS, raw);
}

/* The input gate. Without weights it is 1 - forget gate, 1 being the largest value of a gate. */
static int64_t input_gate(struct nna_op_context *op, uint32_t x, uint32_t h, uint32_t c,
			  uint32_t forget)
{
	int ret;

	if (nna_op_has_input(op, Q_WEIGHTS))
		return open_gate(op, NNA_GATE_INPUT, x, h, c);
	NNA_VALUE(one, nna_do_constant_f32(op->lower, INT16_MAX * ACTIVE_SCALE));
	NNA_VALUE(out, scratch16(op->lower, forget, ACTIVE_SCALE));
	ret = nna_do_ewise(op->lower, NNA_FN_SUB, out, one, forget, NNA_NO_VALUE);
	return ret ? ret : (int64_t)out;
}

/* The hidden state in 8 bits is the output; with a projection, what is projected. */
static int project(struct nna_op_context *op, uint32_t out, uint32_t gate, uint32_t c)
{
	uint32_t dims[2] = { op->in[Q_CELL].dims[0], op->in[Q_CELL].dims[1] };
	struct nna_lower *l = op->lower;
	float scale, clip;
	uint32_t bits;
	int32_t zero;
	int ret = cell_bits(op, &bits) ?: nna_op_scalar_f32(op, Q_HIDDEN_SCALE, &scale) ?:
		  nna_op_scalar_i32(op, Q_HIDDEN_ZERO, &zero) ?:
		  nna_op_scalar_f32(op, Q_PROJECTION_CLIP, &clip);

	if (ret)
		return ret;
	if (!(scale > 0) || zero < INT8_MIN || zero > INT8_MAX)
		return nna_op_fail(op, "the hidden state has scale %g and zero point %d",
				   (double)scale, zero);
	if (!nna_op_has_input(op, Q_PROJECTION)) {
		NNA_VALUE(hidden_out, nna_view_retype(l, out, NNA_TYPE_S8, scale, zero));
		return hidden_state(l, hidden_out, gate, c, bits);
	}
	NNA_VALUE(hidden, nna_lower_scratch(l, NNA_TYPE_S8, 2, dims, scale, zero));
	ret = hidden_state(l, hidden, gate, c, bits);
	if (ret)
		return ret;
	NNA_VALUE(weights, nna_lower_in(op, Q_PROJECTION));
	NNA_VALUE(bias, given(op, Q_PROJECTION_BIAS));
	if (clip <= 0)
		return nna_do_linear(l, out, hidden, weights, bias);
	NNA_VALUE(projected, nna_do_scratch_like(l, NNA_TYPE_S8, out));
	return nna_do_linear(l, projected, hidden, weights, bias) ?:
	       nna_do_clip(l, out, projected, clip);
}

static int lower(struct nna_op_context *op)
{
	struct nna_lower *l = op->lower;
	float clip;
	int ret = nna_op_scalar_f32(op, Q_CELL_CLIP, &clip);

	if (ret)
		return ret;
	NNA_VALUE(x, nna_lower_in(op, 0));
	NNA_VALUE(h, nna_lower_in(op, Q_OUTPUT));
	NNA_VALUE(c, nna_lower_in(op, Q_CELL));
	NNA_VALUE(state, nna_lower_out(op, 0));
	NNA_VALUE(c_out, nna_lower_out(op, 1));
	NNA_VALUE(out, nna_lower_out(op, 2));
	if (nna_value_is_empty(l, out))
		return 0;
	NNA_VALUE(forget, open_gate(op, NNA_GATE_FORGET, x, h, c));
	NNA_VALUE(in, input_gate(op, x, h, c, forget));
	NNA_VALUE(update, open_gate(op, NNA_GATE_CELL, x, h, c));
	ret = next_cell(l, c_out, c, forget, in, update, clip);
	if (ret)
		return ret;
	NNA_VALUE(gate, open_gate(op, NNA_GATE_OUTPUT, x, h, c_out));
	ret = project(op, out, gate, c_out);
	return ret ?: nna_emit_copy(l, state, out);
}

const struct nna_op nna_op_quantized_16bit_lstm = {
	.type = NNA_OPERATION_QUANTIZED_16BIT_LSTM,
	.min_inputs = 15, .max_inputs = 15, .min_outputs = 2, .max_outputs = 2,
	.check = check16, .infer = infer16, .lower = lower16,
};

const struct nna_op nna_op_quantized_lstm = {
	.type = NNA_OPERATION_QUANTIZED_LSTM,
	.min_inputs = 32, .max_inputs = 32, .min_outputs = 3, .max_outputs = 3,
	.check = check, .infer = infer, .lower = lower,
};
