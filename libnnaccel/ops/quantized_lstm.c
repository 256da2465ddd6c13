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
 * UNIDIRECTIONAL_SEQUENCE_LSTM of QUANT8_ASYMM_SIGNED: a step of QUANTIZED_LSTM for each element of
 * a sequence, without projection and layer norm. NNAPI's text defines the operation for floats
 * only; TFLite's NNAPI delegate uses it for an INT8 layer. lstm.c lists the inputs. These have
 * types other than those above:
 *
 *	in 0		input			QUANT8_ASYMM_SIGNED	[time, batch, K], or [batch,
 *									time, K]
 *	in 1-8		weights			QUANT8_ASYMM_SIGNED	of zero point 0, or
 *									QUANT8_SYMM
 *	in 20		activation		INT32			TANH
 *	out 0		outputs			Q18			in the layout of the input
 *
 * The operations define integer arithmetic. Sums of products in 32 bits are requantised to gates of
 * 16 bits, in 1/4096 or in the stated scale before a norm. The 16-bit activations of fixed_point.h
 * map gates to 1/32768; then they are multiplied.
 *
 * A gate of QUANTIZED_LSTM is the sum of the products of the input, the output state and the cell
 * state, in this order. Each product is requantised to 32 bits and added to the partial sum. Only
 * the sum saturates to 16 bits: a product beyond 16 bits may be balanced by the next one.
 * QUANTIZED_16BIT_LSTM requantises one sum. It multiplies numbers with 15 fraction bits
 * (NNA_IR_ROUNDS_IN_Q15), while QUANTIZED_LSTM shifts its cell state and scales its output.
 */
#include <math.h>

#include "libnnaccel/ops/fixed_point.h"
#include "libnnaccel/ops/recurrent.h"

/* The scale and the integer bits of a gate before its activation; its scale after it. */
#define GATE_SCALE 0x1p-12f
#define GATE_BITS NNA_FIXED_GATE_BITS
#define ACTIVE_SCALE 0x1p-15f
/* A number this far from 0 saturates in 16 bits even after a 16-bit number is added. */
#define BEYOND (1 << 17)

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

/* Adds scratch memory of S16, of the dims of @like. */
static int64_t scratch16(struct nna_lower *l, uint32_t like, float scale)
{
	uint32_t dims[2] = { nna_lower_value(l, like)->dims[0], nna_lower_value(l, like)->dims[1] };

	return nna_lower_scratch(l, NNA_TYPE_S16, 2, dims, scale, 0);
}

/*
 * Emits out = in [batch, K] x weights [units, K] + bias in integers, rounded to the scale of @out,
 * which is S16 or S8. Then @sum, S16 of that scale, is added if it is not NNA_NO_VALUE.
 */
static int linear(struct nna_lower *l, uint32_t out, uint32_t in, uint32_t weights, uint32_t bias,
		  uint32_t sum)
{
	uint32_t rows = nna_lower_value(l, in)->dims[0], size = nna_lower_value(l, in)->dims[1];
	uint32_t units = nna_lower_value(l, weights)->dims[0];
	const uint32_t dims[4] = { rows, 1, 1, units };
	struct nna_ir_op op = {
		.kind = NNA_IR_CONV2D,
		.rounding = NNA_IR_ROUNDS_IN_TWO,
		.conv2d = {
			.groups = 1, .kernel_h = 1, .kernel_w = 1, .stride_h = 1, .stride_w = 1,
			.dilation_h = 1, .dilation_w = 1,
		},
		.sum = { .bounds = { .q_min = -BEYOND, .q_max = BEYOND } },
	};

	if (nna_value_is_empty(l, out))
		return 0;
	nna_type_limits(nna_lower_value(l, out)->type, &op.bounds.q_min, &op.bounds.q_max);
	op.sum.scale = nna_lower_value(l, out)->scale;
	NNA_VALUE(images, nna_emit_reshape(l, in, 4, (uint32_t[]){ rows, 1, 1, size }));
	NNA_VALUE(filter, nna_emit_reshape(l, weights, 4, (uint32_t[]){ units, 1, 1, size }));
	NNA_VALUE(result, nna_emit_reshape(l, out, 4, dims));
	if (sum != NNA_NO_VALUE) {
		NNA_VALUE(residual, nna_emit_reshape(l, sum, 4, dims));
		sum = residual;
	}
	return nna_ir_add(l, &op,
			  (uint32_t[]){ result, images, filter, bias, NNA_NO_VALUE, sum });
}

/* Emits linear() to new scratch memory, S16 of @scale. Return: its value. */
static int64_t product(struct nna_lower *l, uint32_t in, uint32_t weights, uint32_t bias,
		       float scale, uint32_t sum)
{
	uint32_t dims[2] = { nna_lower_value(l, in)->dims[0],
			     nna_lower_value(l, weights)->dims[0] };
	int ret;

	NNA_VALUE(out, nna_lower_scratch(l, NNA_TYPE_S16, 2, dims, scale, 0));
	ret = linear(l, out, in, weights, bias, sum);
	return ret ? ret : (int64_t)out;
}

/*
 * Emits out = a * b, plus @c if it is not NNA_NO_VALUE; @c is S16 of the scale of @out. The result
 * is clamped to [-limit, limit] if @limit is above 0. @a has the dims of @out; @b is broadcast
 * along the batch.
 */
static int multiply(struct nna_lower *l, enum nna_ir_rounding rounding, uint32_t out, uint32_t a,
		    uint32_t b, uint32_t c, int32_t limit)
{
	const bool add = c != NNA_NO_VALUE;
	struct nna_ir_op op = {
		.kind = add ? NNA_IR_MUL_ADD : NNA_IR_BINARY,
		.rounding = rounding,
		.elementwise.function = add ? NNA_FN_MUL_ADD : NNA_FN_MUL,
	};
	uint32_t dims[2];

	if (nna_value_is_empty(l, out))
		return 0;
	memcpy(dims, nna_lower_value(l, out)->dims, sizeof(dims));
	nna_type_limits(nna_lower_value(l, out)->type, &op.bounds.q_min, &op.bounds.q_max);
	if (limit > 0) {
		op.bounds.q_min = -limit;
		op.bounds.q_max = limit;
	}
	NNA_VALUE(factor, nna_view_broadcast(l, b, 2, dims));
	return nna_ir_add(l, &op, (uint32_t[]){ out, a, factor, c });
}

/* Return: the value of input @i, NNA_NO_VALUE if it is omitted. */
static int64_t given(struct nna_op_context *op, uint32_t i)
{
	return nna_op_has_input(op, i) ? nna_lower_in(op, i) : NNA_NO_VALUE;
}

/* Emits the layer norm of a gate, one NORM16. Return: its value. */
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

/*
 * Emits a gate of QUANTIZED_LSTM before its activation: @x is the input, @h the output state, @c
 * the cell state. Return: its value.
 */
static int64_t raw_gate(struct nna_lower *l, const struct gate *g, uint32_t x, uint32_t h,
			uint32_t c)
{
	int ret;

	NNA_VALUE(from_input,
		  product(l, x, g->input, g->norm == NNA_NO_VALUE ? g->bias : NNA_NO_VALUE,
			  g->scale, NNA_NO_VALUE));
	NNA_VALUE(both, product(l, h, g->recurrent, NNA_NO_VALUE, g->scale, from_input));
	if (g->peephole != NNA_NO_VALUE) {
		NNA_VALUE(all, scratch16(l, both, g->scale));
		ret = multiply(l, NNA_IR_ROUNDS_IN_TWO, all, c, g->peephole, both, 0);
		if (ret)
			return ret;
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

/*
 * Emits c_out = forget * c_in + in * update, clamped to [-clip, clip] if @clip is above 0. @clip is
 * in units of the cell state's scale.
 */
static int next_cell(struct nna_lower *l, enum nna_ir_rounding rounding, uint32_t c_out,
		     uint32_t c_in, uint32_t forget, uint32_t in, uint32_t update, int32_t clip)
{
	NNA_VALUE(kept, scratch16(l, c_in, nna_lower_value(l, c_in)->scale));
	return multiply(l, rounding, kept, forget, c_in, NNA_NO_VALUE, 0) ?:
	       multiply(l, rounding, c_out, in, update, kept, clip);
}

/* Emits out = gate * tanh(c); @c has @bits integer bits. */
static int hidden_state(struct nna_lower *l, enum nna_ir_rounding rounding, uint32_t out,
			uint32_t gate, uint32_t c, uint32_t bits)
{
	NNA_VALUE(active, activate(l, NNA_FIXED_TANH, bits, c));
	return multiply(l, rounding, out, gate, active, NNA_NO_VALUE, 0);
}

/* With complete shapes: the states, inputs @cell and @output, have the batch of input 0. */
static int check_batches(const struct nna_op_context *op, uint32_t cell, uint32_t output)
{
	return nna_require_dim(op, cell, 0, op->in[0].dims[0], "the batch of input 0") ?:
	       nna_require_dim(op, output, 0, op->in[0].dims[0], "the batch of input 0");
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
	uint32_t units = nna_known_dim(&op->in[Q16_WEIGHTS], 0);
	int ret = 0;

	for (uint32_t g = 0; g < NNA_GATES && !ret; g++)
		ret = nna_check_dim(op, Q16_WEIGHTS + g, 0, units) ?:
		      nna_check_dim(op, Q16_WEIGHTS + g, 1, nna_known_dim(&op->in[Q16_INPUT], 1)) ?:
		      nna_check_in_quant(op, Q16_WEIGHTS + g, Q16_WEIGHTS) ?:
		      nna_check_in_quant(op, Q16_RECURRENT + g, Q16_WEIGHTS) ?:
		      nna_check_dim(op, Q16_RECURRENT + g, 0, units) ?:
		      nna_check_dim(op, Q16_RECURRENT + g, 1, units) ?:
		      nna_check_dim(op, Q16_BIAS + g, 0, units);
	if (!ret)
		ret = nna_check_quant(op, NNA_IN(Q16_CELL), Q16_CELL_SCALE,
				      op->in[Q16_CELL].zero_point);
	return ret ?: nna_check_dim(op, Q16_CELL, 1, units) ?:
	       nna_check_dim(op, Q16_OUTPUT, 1, units) ?:
	       nna_check_out_quant(op, 0, Q16_CELL) ?: nna_check_out_quant(op, 1, Q16_OUTPUT);
}

static int infer16(struct nna_op_context *op)
{
	return check_batches(op, Q16_CELL, Q16_OUTPUT) ?: nna_set_like(op, 0, Q16_CELL) ?:
	       nna_set_like(op, 1, Q16_OUTPUT);
}

/* Emits the columns of @a followed by those of @b, in the quantisation of @a. Return: its value. */
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
 * Emits a gate after its activation, from one sum of products. NNAPI's reference multiplies [input,
 * last output] by [recurrent weights, input weights]: data and weights have opposite orders, and
 * NNAPI's tests expect that. Return: its value.
 */
static int64_t gate16(struct nna_op_context *op, uint32_t g, uint32_t data)
{
	struct nna_lower *l = op->lower;

	NNA_VALUE(input, nna_lower_in(op, Q16_WEIGHTS + g));
	NNA_VALUE(recurrent, nna_lower_in(op, Q16_RECURRENT + g));
	NNA_VALUE(weights, beside(l, recurrent, input));
	NNA_VALUE(bias, nna_lower_in(op, Q16_BIAS + g));
	NNA_VALUE(raw, product(l, data, weights, bias, GATE_SCALE, NNA_NO_VALUE));
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
	return next_cell(l, NNA_IR_ROUNDS_IN_Q15, c_out, c, forget, in, update, 0) ?:
	       hidden_state(l, NNA_IR_ROUNDS_IN_Q15, out, gate, c_out, Q16_CELL_BITS);
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

/* Number of the input with the peephole weights of each gate; NNA_NONE for the cell gate. */
static const uint32_t peephole_of[] = { Q_PEEPHOLE, Q_PEEPHOLE + 1, NNA_NONE, Q_PEEPHOLE + 2 };

/* Compares the sizes of the operands of gate @g, without its norm. */
static int check_weights(const struct nna_op_context *op, uint32_t g, uint32_t units,
			 uint32_t outputs, uint32_t size)
{
	int ret = nna_check_dim(op, Q_WEIGHTS + g, 0, units) ?:
		  nna_check_dim(op, Q_WEIGHTS + g, 1, size) ?:
		  nna_check_dim(op, Q_RECURRENT + g, 0, units) ?:
		  nna_check_dim(op, Q_RECURRENT + g, 1, outputs) ?:
		  nna_check_dim(op, Q_BIAS + g, 0, units);

	if (!ret && peephole_of[g] != NNA_NONE)
		ret = nna_check_dim(op, peephole_of[g], 0, units);
	return ret;
}

static int check_gate(const struct nna_op_context *op, uint32_t g, uint32_t units, uint32_t outputs)
{
	return check_weights(op, g, units, outputs, nna_known_dim(&op->in[0], 1)) ?:
	       nna_check_dim(op, Q_NORM + g, 0, units);
}

static int check_coupling(const struct nna_op_context *op)
{
	return nna_check_both(op, Q_WEIGHTS, Q_RECURRENT) ?:
	       nna_check_both(op, Q_WEIGHTS, Q_BIAS);
}

/* Computes the integer bits of the cell state from its scale, which is a power of two. */
static int cell_bits(const struct nna_op_context *op, uint32_t *bits)
{
	float exponent = log2f(op->in[Q_CELL].scale), nearest = roundf(exponent);

	/* Models state the scale with a few decimal digits only. */
	if (fabsf(exponent - nearest) > 1e-3f || nearest < -15 || nearest > -9)
		return nna_op_refuse(op, NNA_IN(Q_CELL), "scale %g",
				     "a power of two from 2^-15 to 2^-9",
				     (double)op->in[Q_CELL].scale);
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
	uint32_t units = nna_known_dim(&op->in[Q_WEIGHTS + NNA_GATE_OUTPUT], 0);
	uint32_t outputs = nna_known_dim(&op->in[Q_RECURRENT + NNA_GATE_OUTPUT], 1);
	int ret = 0;

	for (uint32_t g = 0; g < NNA_GATES && !ret; g++)
		ret = check_gate(op, g, units, outputs);
	return ret ?: check_coupling(op) ?: nna_check_dim(op, Q_PROJECTION, 0, outputs) ?:
	       nna_check_dim(op, Q_PROJECTION, 1, units) ?:
	       nna_check_dim(op, Q_PROJECTION_BIAS, 0, outputs) ?:
	       nna_check_dim(op, Q_OUTPUT, 1, outputs) ?: nna_check_dim(op, Q_CELL, 1, units) ?:
	       nna_check_out_quant(op, 1, Q_CELL) ?: check_cell_scale(op);
}

static int infer(struct nna_op_context *op)
{
	int ret = check_batches(op, Q_CELL, Q_OUTPUT);

	if (!ret && !nna_op_has_input(op, Q_PROJECTION))
		ret = nna_require_dim(op, Q_OUTPUT, 1, op->in[Q_CELL].dims[1],
				      "the units, without a projection");
	return ret ?: nna_set_like(op, 0, Q_OUTPUT) ?: nna_set_like(op, 1, Q_CELL) ?:
	       nna_set_like(op, 2, Q_OUTPUT);
}

/**
 * struct cell - the operands and parameters that all steps share
 * @gates: an input gate without weights is 1 - forget gate
 * @clip: of the cell state, in units of its scale; 0 for none
 * @bits: integer bits of the cell state
 */
struct cell {
	struct gate gates[NNA_GATES];
	int32_t clip;
	uint32_t bits;
};

/* Return: a clip in units of @scale, rounded down and at most INT16_MAX; 0 for none. */
static int32_t clip_steps(float clip, float scale)
{
	return clip > 0 ? (int32_t)fminf(clip / scale, INT16_MAX) : 0;
}

/* Reads a cell without its layer norm. @clip: the number of the input with the cell clip. */
static int cell_values(struct nna_op_context *op, uint32_t clip, struct cell *cell)
{
	float limit;
	int ret;

	for (uint32_t g = 0; g < NNA_GATES; g++) {
		NNA_VALUE(input, given(op, Q_WEIGHTS + g));
		NNA_VALUE(recurrent, given(op, Q_RECURRENT + g));
		NNA_VALUE(bias, given(op, Q_BIAS + g));
		NNA_VALUE(peephole,
			  peephole_of[g] == NNA_NONE ? NNA_NO_VALUE : given(op, peephole_of[g]));
		cell->gates[g] = (struct gate){ input, recurrent, peephole, bias, NNA_NO_VALUE,
						GATE_SCALE };
	}
	ret = cell_bits(op, &cell->bits) ?: nna_op_scalar_f32(op, clip, &limit);
	if (!ret)
		cell->clip = clip_steps(limit, op->in[Q_CELL].scale);
	return ret;
}

/*
 * Views a cell state with the power of two as its scale, which the model states with a few decimal
 * digits only. NNA_NO_VALUE stays as it is.
 */
static int64_t exact_cell(struct nna_lower *l, uint32_t c, const struct cell *cell)
{
	const float scale = ldexpf(1, (int)cell->bits - 15);

	if (c == NNA_NO_VALUE || nna_lower_value(l, c)->scale == scale)
		return c;
	return nna_view_retype(l, c, NNA_TYPE_S16, scale, 0);
}

/* Reads the layer norm of a gate, if it has one. */
static int gate_norm(struct nna_op_context *op, uint32_t g, struct gate *gate)
{
	float scale;
	int ret;

	if (!nna_op_has_input(op, Q_NORM + g))
		return nna_op_scalar_f32(op, Q_SCALES + g, &scale);
	ret = nna_param_positive(op, Q_SCALES + g, "the scale of a gate before its norm", &scale);
	if (ret)
		return ret;
	NNA_VALUE(norm, nna_lower_in(op, Q_NORM + g));
	gate->norm = norm;
	gate->scale = scale;
	return 0;
}

/* Emits a gate after its activation. Return: its value. */
static int64_t open_gate(struct nna_lower *l, const struct cell *cell, uint32_t g, uint32_t x,
			 uint32_t h, uint32_t c)
{
	NNA_VALUE(raw, raw_gate(l, &cell->gates[g], x, h, c));
	return activate(l, gate_function(g), GATE_BITS, raw);
}

/*
 * Emits the input gate. Without weights it is 1 - forget gate, where 1 is the largest value of a
 * gate. Return: its value.
 */
static int64_t input_gate(struct nna_lower *l, const struct cell *cell, uint32_t x, uint32_t h,
			  uint32_t c, uint32_t forget)
{
	int ret;

	if (cell->gates[NNA_GATE_INPUT].input != NNA_NO_VALUE)
		return open_gate(l, cell, NNA_GATE_INPUT, x, h, c);
	NNA_VALUE(one, nna_do_constant_f32(l, INT16_MAX * ACTIVE_SCALE));
	NNA_VALUE(out, scratch16(l, forget, ACTIVE_SCALE));
	ret = nna_do_ewise(l, NNA_FN_SUB, out, one, forget, NNA_NO_VALUE);
	return ret ? ret : (int64_t)out;
}

/* Emits the next cell state @c_out from @c. Return: the output gate. */
static int64_t step(struct nna_lower *l, const struct cell *cell, uint32_t x, uint32_t h,
		    uint32_t c, uint32_t c_out)
{
	int ret;

	NNA_VALUE(forget, open_gate(l, cell, NNA_GATE_FORGET, x, h, c));
	NNA_VALUE(in, input_gate(l, cell, x, h, c, forget));
	NNA_VALUE(update, open_gate(l, cell, NNA_GATE_CELL, x, h, c));
	ret = next_cell(l, NNA_IR_ROUNDS_BY_SHIFT, c_out, c, forget, in, update, cell->clip);
	return ret ?: open_gate(l, cell, NNA_GATE_OUTPUT, x, h, c_out);
}

/* Emits the output: the hidden state in 8 bits, or its projection. */
static int project(struct nna_op_context *op, uint32_t out, uint32_t gate, uint32_t c,
		   uint32_t bits)
{
	uint32_t dims[2] = { op->in[Q_CELL].dims[0], op->in[Q_CELL].dims[1] };
	struct nna_lower *l = op->lower;
	float scale, clip;
	uint32_t number;
	int32_t zero;
	int ret = nna_param_positive(op, Q_HIDDEN_SCALE, "the scale of the hidden state", &scale) ?:
		  nna_param_number(op, Q_HIDDEN_ZERO, "the zero point of the hidden state",
				   INT8_MIN, INT8_MAX, &number) ?:
		  nna_op_scalar_f32(op, Q_PROJECTION_CLIP, &clip);

	if (ret)
		return ret;
	zero = (int32_t)number;
	if (!nna_op_has_input(op, Q_PROJECTION)) {
		NNA_VALUE(hidden_out, nna_view_retype(l, out, NNA_TYPE_S8, scale, zero));
		return hidden_state(l, NNA_IR_ROUNDS_IN_TWO, hidden_out, gate, c, bits);
	}
	NNA_VALUE(hidden, nna_lower_scratch(l, NNA_TYPE_S8, 2, dims, scale, zero));
	ret = hidden_state(l, NNA_IR_ROUNDS_IN_TWO, hidden, gate, c, bits);
	if (ret)
		return ret;
	NNA_VALUE(weights, nna_lower_in(op, Q_PROJECTION));
	NNA_VALUE(bias, given(op, Q_PROJECTION_BIAS));
	if (clip <= 0)
		return linear(l, out, hidden, weights, bias, NNA_NO_VALUE);
	NNA_VALUE(projected, nna_do_scratch_like(l, NNA_TYPE_S8, out));
	return linear(l, projected, hidden, weights, bias, NNA_NO_VALUE) ?:
	       nna_do_clip(l, out, projected, clip);
}

static int lower(struct nna_op_context *op)
{
	struct nna_lower *l = op->lower;
	struct cell cell;
	int ret = cell_values(op, Q_CELL_CLIP, &cell);

	for (uint32_t g = 0; g < NNA_GATES && !ret; g++)
		ret = gate_norm(op, g, &cell.gates[g]);
	if (ret)
		return ret;
	NNA_VALUE(x, nna_lower_in(op, 0));
	NNA_VALUE(h, nna_lower_in(op, Q_OUTPUT));
	NNA_VALUE(stated_c, nna_lower_in(op, Q_CELL));
	NNA_VALUE(state, nna_lower_out(op, 0));
	NNA_VALUE(stated_c_out, nna_lower_out(op, 1));
	NNA_VALUE(out, nna_lower_out(op, 2));
	if (nna_value_is_empty(l, out))
		return 0;
	NNA_VALUE(c, exact_cell(l, stated_c, &cell));
	NNA_VALUE(c_out, exact_cell(l, stated_c_out, &cell));
	NNA_VALUE(gate, step(l, &cell, x, h, c, c_out));
	ret = project(op, out, gate, c_out, cell.bits);
	return ret ?: nna_emit_copy(l, state, out);
}

/* -------------------------------------------------- UNIDIRECTIONAL_SEQUENCE_LSTM of 8-bit types */

enum {
	S_ACT = 20,
	S_CELL_CLIP = 21,
	S_PROJECTION_CLIP = 22,
	S_TIME_MAJOR = 23,
	S_NORM = 24,
};

/* Weights have a zero point of 0; the type QUANT8_ASYMM_SIGNED allows others. */
static int check_centred(const struct nna_op_context *op)
{
	for (uint32_t i = Q_WEIGHTS; i < Q_PEEPHOLE; i++) {
		int ret = nna_op_has_input(op, i) ?
				  nna_check_quant(op, NNA_IN(i), op->in[i].scale, 0) : 0;

		if (ret)
			return ret;
	}
	return 0;
}

/* Refuses an activation other than TANH, a layer norm, and a projection. */
static int check_plain(const struct nna_op_context *op)
{
	enum nna_cell_act act = NNA_CELL_TANH;
	int ret = nna_later(nna_param_cell_act(op, S_ACT, &act));

	if (ret)
		return ret;
	if (act != NNA_CELL_TANH)
		return nna_op_refuse(op, NNA_IN(S_ACT), "activation %d",
				     "TANH (%d), because input 0 is quantised", act,
				     NNA_CELL_TANH);
	for (uint32_t i = S_NORM; i < op->operation->input_count && !ret; i++)
		ret = nna_check_omitted(op, i, "because input 0 is quantised");
	return ret ?: nna_check_omitted(op, Q_PROJECTION, "because input 0 is quantised") ?:
	       nna_check_omitted(op, Q_PROJECTION_BIAS, "because input 0 is quantised");
}

int nna_quantized_sequence_check(const struct nna_op_context *op)
{
	uint32_t units = nna_known_dim(&op->in[Q_WEIGHTS + NNA_GATE_OUTPUT], 0);
	int ret = 0;

	for (uint32_t g = 0; g < NNA_GATES && !ret; g++)
		ret = check_weights(op, g, units, units, nna_known_dim(&op->in[0], 2));
	ret = ret ?: check_coupling(op) ?: check_centred(op) ?:
	      nna_check_dim(op, Q_OUTPUT, 1, units) ?: nna_check_dim(op, Q_CELL, 1, units) ?:
	      check_plain(op) ?: check_cell_scale(op);
	for (uint32_t i = 0; i < op->operation->output_count && !ret; i++)
		ret = nna_check_out_quant(op, i, i == 2 ? Q_CELL : Q_OUTPUT);
	return ret;
}

/**
 * struct joined - the gates of a cell, concatenated: a step needs one product and one look-up for
 *	all gates, and one product for all steps computes the contribution of the inputs
 * @gates: numbers of the gates: first those with the logistic function, then the cell gate
 * @count: 4, or 3 where the input gate is 1 - forget gate
 * @units: of each gate
 * @recurrent: weights of the output state [@count * @units, units]
 * @tables: nna_fixed_gate_tables()
 * @lowest: subtracted from raw gates to make indices of @tables [@count * @units]
 * @inputs: contribution of the inputs of all steps: a sequence [.., .., @count * @units]
 */
struct joined {
	uint32_t gates[NNA_GATES], count, units;
	uint32_t recurrent, tables, lowest, inputs;
};

/*
 * Return: true if gates can be concatenated: weights and biases are constants, and no gate depends
 * on the cell state.
 */
static bool can_join(const struct nna_lower *l, const struct cell *cell)
{
	for (uint32_t g = 0; g < NNA_GATES; g++) {
		const struct gate *gate = &cell->gates[g];

		if (gate->input == NNA_NO_VALUE)
			continue;
		if (gate->peephole != NNA_NO_VALUE || !nna_lower_constant_data(l, gate->input) ||
		    !nna_lower_constant_data(l, gate->recurrent) ||
		    !nna_lower_constant_data(l, gate->bias))
			return false;
	}
	return true;
}

/* Return: the operand of a gate at offset @member of struct gate. */
static uint32_t gate_operand(const struct cell *cell, uint32_t g, size_t member)
{
	return *(const uint32_t *)((const char *)&cell->gates[g] + member);
}

/* Adds a constant with the rows of one operand of all gates. @scales: written, one for each row. */
static int64_t join_rows(struct nna_lower *l, const struct joined *j, const struct cell *cell,
			 size_t member, float *scales)
{
	const struct nna_value first = *nna_lower_value(l, gate_operand(cell, j->gates[0], member));
	const uint32_t dims[2] = { j->count * j->units, first.rank > 1 ? first.dims[1] : 1 };
	const size_t bytes = (size_t)j->units * dims[1] * nna_type_size(first.type);
	char *rows = calloc(j->count, bytes ? bytes : 1);
	int64_t value;

	if (!rows)
		return -ENOMEM;
	for (uint32_t i = 0; i < j->count; i++) {
		const uint32_t part = gate_operand(cell, j->gates[i], member);

		memcpy(rows + i * bytes, nna_lower_constant_data(l, part), bytes);
		for (uint32_t k = 0; k < j->units; k++)
			scales[i * j->units + k] = nna_lower_value(l, part)->scale;
	}
	value = nna_lower_constant(l, first.type, first.rank, dims, 0, 0, rows);
	free(rows);
	return value;
}

/* Adds the weights of all gates as one matrix with a scale for each row. */
static int64_t join_weights(struct nna_lower *l, const struct joined *j, const struct cell *cell,
			    size_t member, float *scales)
{
	NNA_VALUE(rows, join_rows(l, j, cell, member, scales));
	return nna_view_joined(l, rows, 0, scales);
}

/* Emits the contribution of the inputs of all steps to all gates. */
static int64_t join_inputs(struct nna_lower *l, const struct joined *j, uint32_t sequence,
			   uint32_t weights, uint32_t bias)
{
	const struct nna_value in = *nna_lower_value(l, sequence);
	const uint32_t flat[2] = { in.dims[0] * in.dims[1], in.dims[2] };
	const uint32_t dims[3] = { in.dims[0], in.dims[1], j->count * j->units };

	NNA_VALUE(rows, nna_emit_reshape(l, sequence, 2, flat));
	NNA_VALUE(all, product(l, rows, weights, bias, GATE_SCALE, NNA_NO_VALUE));
	return nna_view_reshape(l, all, 3, dims);
}

/* Adds the constant for @lowest of struct joined. @lowest: scratch, one number for each row. */
static int64_t join_lowest(struct nna_lower *l, const struct joined *j, int32_t *lowest)
{
	const uint32_t count = j->count * j->units;

	for (uint32_t i = 0; i < count; i++)
		lowest[i] = INT16_MIN - (int32_t)(gate_function(j->gates[i / j->units]) *
						  NNA_FIXED_ENTRIES);
	return nna_lower_constant(l, NNA_TYPE_S32, 1, &count, 0, 0, lowest);
}

static int join_values(struct nna_lower *l, const struct nna_sequence *s, const struct cell *cell,
		       struct joined *j, float *scales, int32_t *lowest)
{
	NNA_VALUE(weights, join_weights(l, j, cell, offsetof(struct gate, input), scales));
	NNA_VALUE(recurrent, join_weights(l, j, cell, offsetof(struct gate, recurrent), scales));
	NNA_VALUE(bias, join_rows(l, j, cell, offsetof(struct gate, bias), scales));
	NNA_VALUE(inputs, join_inputs(l, j, s->in, weights, bias));
	NNA_VALUE(tables, nna_fixed_gate_tables(l));
	NNA_VALUE(from, join_lowest(l, j, lowest));
	j->recurrent = recurrent;
	j->inputs = inputs;
	j->tables = tables;
	j->lowest = from;
	return 0;
}

static int join(struct nna_lower *l, const struct nna_sequence *s, const struct cell *cell,
		struct joined *j)
{
	static const uint32_t order[] = { NNA_GATE_INPUT, NNA_GATE_FORGET, NNA_GATE_OUTPUT,
					  NNA_GATE_CELL };
	int32_t *lowest;
	float *scales;
	int ret = -ENOMEM;

	j->count = 0;
	for (uint32_t i = 0; i < NNA_GATES; i++)
		if (cell->gates[order[i]].input != NNA_NO_VALUE)
			j->gates[j->count++] = order[i];
	j->units = nna_lower_value(l, s->c)->dims[1];
	lowest = calloc((size_t)j->count * j->units, sizeof(*lowest));
	scales = calloc((size_t)j->count * j->units, sizeof(*scales));
	if (lowest && scales)
		ret = join_values(l, s, cell, j, scales, lowest);
	free(lowest);
	free(scales);
	return ret;
}

/*
 * Emits all gates after their activation. @x: contribution of the input. @gates: written, by
 * number.
 */
static int open_gates(struct nna_lower *l, const struct joined *j, uint32_t x, uint32_t h,
		      uint32_t *gates)
{
	int ret;

	NNA_VALUE(raw, product(l, h, j->recurrent, NNA_NO_VALUE, GATE_SCALE, x));
	NNA_VALUE(active, scratch16(l, raw, ACTIVE_SCALE));
	ret = nna_fixed_lookup_from(l, active, raw, j->tables, j->lowest);
	for (uint32_t i = 0; i < j->count && !ret; i++) {
		NNA_VALUE(part, nna_view_range(l, active, 1, i * j->units, j->units));
		gates[j->gates[i]] = part;
	}
	return ret;
}

/* As step(), for concatenated gates. */
static int64_t joined_step(struct nna_lower *l, const struct cell *cell, const struct joined *j,
			   uint32_t x, uint32_t h, uint32_t c, uint32_t c_out)
{
	uint32_t gates[NNA_GATES];
	int ret = open_gates(l, j, x, h, gates);

	if (ret)
		return ret;
	NNA_VALUE(in, j->count == NNA_GATES ? gates[NNA_GATE_INPUT] :
					      input_gate(l, cell, x, h, c, gates[NNA_GATE_FORGET]));
	ret = next_cell(l, NNA_IR_ROUNDS_BY_SHIFT, c_out, c, gates[NNA_GATE_FORGET], in,
			gates[NNA_GATE_CELL], cell->clip);
	return ret ? ret : (int64_t)gates[NNA_GATE_OUTPUT];
}

/*
 * Emits step @t. The contribution of the input comes from @j; if @j is NULL, it is computed from
 * the input in @s. Return: the output gate.
 */
static int64_t sequence_step(struct nna_lower *l, const struct nna_sequence *s,
			     const struct cell *cell, const struct joined *j, uint32_t t,
			     uint32_t h, uint32_t c, uint32_t c_out)
{
	int ret;

	NNA_VALUE(part, nna_view_step(l, j ? j->inputs : s->in, s->time_major, t));
	if (j)
		return joined_step(l, cell, j, part, h, c, c_out);
	NNA_VALUE(x, nna_do_scratch_like(l, NNA_TYPE_S8, part));
	ret = nna_do_move(l, x, part);
	return ret ? ret : step(l, cell, x, h, c, c_out);
}

int nna_quantized_sequence_lower(struct nna_op_context *op, const struct nna_sequence *s)
{
	uint32_t steps = op->in[0].dims[s->time_major ? 0 : 1], h = s->h, c;
	struct nna_lower *l = op->lower;
	const struct joined *j = NULL;
	struct joined joined;
	struct cell cell;
	int ret = cell_values(op, S_CELL_CLIP, &cell);

	if (ret)
		return ret;
	NNA_VALUE(first_c, exact_cell(l, s->c, &cell));
	NNA_VALUE(last_c, exact_cell(l, s->c_last, &cell));
	c = first_c;
	if (can_join(l, &cell) && !nna_value_is_empty(l, s->out)) {
		ret = join(l, s, &cell, &joined);
		j = &joined;
	}
	for (uint32_t t = 0; t < steps && !ret; t++) {
		NNA_VALUE(out, nna_view_step(l, s->out, s->time_major, t));
		NNA_VALUE(h_next, nna_do_scratch_like(l, NNA_TYPE_S8, h));
		NNA_VALUE(c_next, nna_do_scratch_like(l, NNA_TYPE_S16, c));
		NNA_VALUE(gate, sequence_step(l, s, &cell, j, t, h, c, c_next));
		ret = hidden_state(l, NNA_IR_ROUNDS_IN_TWO, h_next, gate, c_next, cell.bits) ?:
		      nna_do_move(l, out, h_next);
		h = h_next;
		c = c_next;
	}
	if (!ret && s->h_last != NNA_NO_VALUE)
		ret = nna_do_move(l, s->h_last, h);
	if (!ret && last_c != NNA_NO_VALUE)
		ret = nna_do_move(l, last_c, c);
	return ret;
}

const struct nna_op nna_op_quantized_16bit_lstm = {
	.type = NNA_OPERATION_QUANTIZED_16BIT_LSTM,
	.check = check16, .infer = infer16, .lower = lower16,
};

const struct nna_op nna_op_quantized_lstm = {
	.type = NNA_OPERATION_QUANTIZED_LSTM,
	.check = check, .infer = infer, .lower = lower,
};
