// SPDX-License-Identifier: MIT
/*
 * LSTM: one step of a long short-term memory.
 *
 *	in 0		input			FLOAT [batch, K]
 *	in 1-4		input weights		T0 [units, K]		of the gates input?, forget,
 *									cell, output
 *	in 5-8		recurrent weights	T0 [units, outputs]	of the same gates
 *	in 9-11		peephole weights?	T0 [units]		of the gates input, forget,
 *									output
 *	in 12-15	biases			T0 [units]		of the four gates
 *	in 16		projection weights?	T0 [outputs, units]
 *	in 17		projection bias?	T0 [outputs]
 *	in 18		output state		T0 [batch, outputs]
 *	in 19		cell state		T0 [batch, units]
 *	in 20		activation		INT32			enum nna_cell_act
 *	in 21		cell clip		FLOAT			0: none
 *	in 22		projection clip		FLOAT			0: none
 *	in 23-26	norm weights?		T0 [units]		layer norm of the four
 *									gates; there are 23 inputs
 *									or 27
 *	out 0		scratch			T0			[batch, units * 4], without
 *									an input gate * 3; zeros
 *	out 1		output state		T0 [batch, outputs]
 *	out 2		cell state		T0 [batch, units]
 *	out 3		output			T0 [batch, outputs]
 *
 * UNIDIRECTIONAL_SEQUENCE_LSTM: a step for each element of a sequence.
 *
 *	in 0		input		FLOAT			[time, batch, K], or [batch, time,
 *								K]
 *	in 1-22		cell		as for LSTM
 *	in 23		time major	BOOL
 *	in 24-27	norm weights?	as for LSTM		there are 24 inputs or 28
 *	out 0		outputs		T0			[time, batch, outputs] in the layout
 *								of the input
 *	out 1		output state?	T0 [batch, outputs]	after the last step
 *	out 2		cell state?	T0 [batch, units]	given if and only if output 1 is
 *
 * quantized_lstm.c has the form for quantised types.
 *
 * BIDIRECTIONAL_SEQUENCE_LSTM: one cell runs forward over the sequence, another one backward.
 *
 *	in 0		input			FLOAT			[time, batch, K], or [batch,
 *									time, K]
 *	in 1-17		forward cell		as in 1-17 of LSTM
 *	in 18-34	backward cell		as in 1-17 of LSTM
 *	in 35, 36	forward states		as in 18, 19 of LSTM
 *	in 37, 38	backward states		as in 18, 19 of LSTM
 *	in 39		aux input?		T0			a second input of both
 *									cells; without weights it is
 *									the input of the backward
 *									cell
 *	in 40-43	forward aux weights?	T0 [units, aux K]
 *	in 44-47	backward aux weights?	T0 [units, aux K]
 *	in 48-50	parameters		as in 20-22 of LSTM	of both cells
 *	in 51		merge			BOOL			output 0 holds both
 *									directions' outputs
 *	in 52		time major		BOOL
 *	in 53-56	forward norm?		as in 23-26 of LSTM
 *	in 57-60	backward norm?		as in 23-26 of LSTM
 *	out 0		forward outputs		T0			merged: the backward ones
 *									follow along the last axis
 *	out 1		backward outputs	T0			unless merged
 *	out next 4	states?			T0			forward output and cell
 *									state, backward output and
 *									cell state
 *
 * An input gate without weights is 1 - forget gate. Peephole weights are all given or all omitted,
 * and so are the weights of the projection and of the norm. recurrent.h says how layers are
 * lowered.
 */
#include "libnnaccel/ops/recurrent.h"

/**
 * struct layout - numbers of the inputs at which groups of a cell begin, NNA_NONE for no such group
 * @cell: the weights of the input; CELL_* are offsets from here
 * @aux_weights: the weights of the auxiliary input
 * @h: the output state
 * @c: the cell state
 * @norm: the weights of the layer norm
 */
struct layout {
	uint32_t cell, aux_weights, h, c, norm;
};

/* Offsets of groups of inputs from the first weights of a cell. */
enum {
	CELL_RECURRENT = 4,
	CELL_PEEPHOLE = 8,
	CELL_BIAS = 11,
	CELL_PROJECTION = 15,
};

static const uint32_t peephole_gates[] = { NNA_GATE_INPUT, NNA_GATE_FORGET, NNA_GATE_OUTPUT };

static const struct layout step_layout = { 1, NNA_NONE, 18, 19, 23 };
static const struct layout sequence_layout = { 1, NNA_NONE, 18, 19, 24 };
static const struct layout forward_layout = { 1, 40, 35, 36, 53 };
static const struct layout backward_layout = { 18, 44, 37, 38, 57 };

enum { BI_AUX = 39, BI_ACT = 48, BI_MERGE = 51, BI_TIME = 52 };

/* Return: true if input @from + @i is given; false if the layout does not have the group. */
static bool has(const struct nna_op_context *op, uint32_t from, uint32_t i)
{
	return from != NNA_NONE && nna_op_has_input(op, from + i);
}

static int check_matrix(const struct nna_op_context *op, uint32_t i, uint32_t rows,
			uint32_t columns)
{
	return nna_check_dim(op, i, 0, rows) ?: nna_check_dim(op, i, 1, columns);
}

/* Checks operands that may be omitted only together. */
static int check_together(const struct nna_op_context *op, const struct layout *at)
{
	uint32_t cell = at->cell, peephole = cell + CELL_PEEPHOLE;
	bool coupled = !has(op, cell, NNA_GATE_INPUT);
	int ret = nna_check_both(op, cell, cell + CELL_RECURRENT) ?:
		  nna_check_both(op, cell, cell + CELL_BIAS) ?:
		  nna_check_both(op, peephole + 1, peephole + 2) ?:
		  nna_check_goes_with(op, cell + CELL_PROJECTION, cell + CELL_PROJECTION + 1);

	if (!ret && coupled)
		ret = nna_check_omitted(op, peephole, "because the input gate has no weights") ?:
		      nna_check_omitted(op, at->norm, "because the input gate has no weights");
	else if (!ret)
		ret = nna_check_both(op, peephole, peephole + 1);
	for (uint32_t g = 2; g < NNA_GATES && !ret; g++)
		ret = nna_check_both(op, at->norm + 1, at->norm + g);
	return ret;
}

static int check_cell(const struct nna_op_context *op, const struct layout *at)
{
	uint32_t cell = at->cell, units, outputs;
	int ret = check_together(op, at);

	if (ret)
		return ret;
	units = nna_known_dim(&op->in[cell + NNA_GATE_OUTPUT], 0);
	outputs = nna_known_dim(&op->in[cell + CELL_RECURRENT + NNA_GATE_OUTPUT], 1);
	for (uint32_t g = 0; g < NNA_GATES && !ret; g++) {
		ret = check_matrix(op, cell + g, units, 0) ?:
		      check_matrix(op, cell + CELL_RECURRENT + g, units, outputs) ?:
		      nna_check_dim(op, cell + CELL_BIAS + g, 0, units);
		if (!ret && at->aux_weights != NNA_NONE)
			ret = check_matrix(op, at->aux_weights + g, units, 0);
		if (!ret && has(op, at->norm, g))
			ret = nna_check_dim(op, at->norm + g, 0, units);
	}
	for (uint32_t i = 0; i < 3 && !ret; i++)
		ret = nna_check_dim(op, cell + CELL_PEEPHOLE + i, 0, units);
	return ret ?: check_matrix(op, cell + CELL_PROJECTION, outputs, units) ?:
	       nna_check_dim(op, cell + CELL_PROJECTION + 1, 0, outputs) ?:
	       nna_check_dim(op, at->h, 1, outputs) ?: nna_check_dim(op, at->c, 1, units);
}

/* Checks the parameters from input @from on: activation, cell clip, projection clip. */
static int check_params(const struct nna_op_context *op, uint32_t from)
{
	enum nna_cell_act act;

	return nna_later(nna_param_cell_act(op, from, &act));
}

/* With complete shapes: compares the sizes of input, weights and states. */
static int check_sizes(const struct nna_op_context *op, const struct layout *at, uint32_t in)
{
	uint32_t size = op->in[in].dims[op->in[in].rank - 1];

	for (uint32_t g = 0; g < NNA_GATES; g++) {
		int ret = 0;

		if (has(op, at->cell, g))
			ret = nna_require_dim(op, at->cell + g, 1, size,
					      "the last dimension of its input") ?:
			      nna_require_elements(op, at->cell + g, 3);
		if (ret)
			return ret;
	}
	return nna_require_dim(op, at->c, 0, op->in[at->h].dims[0],
			       "the batch of the output state") ?:
	       (has(op, at->cell, CELL_PROJECTION) ? 0 :
		nna_require_dim(op, at->h, 1, op->in[at->c].dims[1],
				"the units, without a projection"));
}

/* Return: the value of input @from + @i, NNA_NO_VALUE if it is omitted. */
static int64_t given(struct nna_op_context *op, uint32_t from, uint32_t i)
{
	return has(op, from, i) ? nna_lower_in(op, from + i) : NNA_NO_VALUE;
}

static int cell_values(struct nna_op_context *op, const struct layout *at, uint32_t params,
		       struct nna_lstm *cell)
{
	uint32_t c = at->cell;

	*cell = (struct nna_lstm){ .type = nna_lower_type(op->in[0].type) };
	for (uint32_t g = 0; g < NNA_GATES; g++) {
		NNA_VALUE(input, given(op, c, g));
		NNA_VALUE(recurrent, given(op, c, CELL_RECURRENT + g));
		NNA_VALUE(bias, given(op, c, CELL_BIAS + g));
		NNA_VALUE(aux, given(op, at->aux_weights, g));
		NNA_VALUE(norm, given(op, at->norm, g));
		cell->input[g] = input;
		cell->recurrent[g] = recurrent;
		cell->bias[g] = bias;
		cell->aux[g] = aux;
		cell->norm[g] = norm;
		cell->peephole[g] = NNA_NO_VALUE;
	}
	for (uint32_t i = 0; i < 3; i++) {
		NNA_VALUE(peephole, given(op, c, CELL_PEEPHOLE + i));
		cell->peephole[peephole_gates[i]] = peephole;
	}
	NNA_VALUE(projection, given(op, c, CELL_PROJECTION));
	NNA_VALUE(projection_bias, given(op, c, CELL_PROJECTION + 1));
	cell->projection = projection;
	cell->projection_bias = projection_bias;
	return nna_param_cell_act(op, params, &cell->act) ?:
	       nna_op_scalar_f32(op, params + 1, &cell->cell_clip) ?:
	       nna_op_scalar_f32(op, params + 2, &cell->projection_clip);
}

/* Reads the values of the states before the first step. */
static int first_states(struct nna_op_context *op, const struct layout *at, struct nna_sequence *s)
{
	NNA_VALUE(h, nna_lower_in(op, at->h));
	NNA_VALUE(c, nna_lower_in(op, at->c));
	s->h = h;
	s->c = c;
	return 0;
}

/* Return: the value of output @i, NNA_NO_VALUE if the operation has fewer outputs. */
static int64_t optional_out(struct nna_op_context *op, uint32_t i)
{
	return i < op->operation->output_count ? nna_lower_out(op, i) : NNA_NO_VALUE;
}

static int step_check(struct nna_op_context *op)
{
	return check_cell(op, &step_layout) ?: check_params(op, 20);
}

static int step_infer(struct nna_op_context *op)
{
	uint32_t units = op->in[step_layout.c].dims[1];
	uint32_t gates = has(op, step_layout.cell, NNA_GATE_INPUT) ? 4 : 3;
	uint32_t scratch[2] = { op->in[0].dims[0], units * gates };
	const uint32_t *h = op->in[step_layout.h].dims, *c = op->in[step_layout.c].dims;

	return check_sizes(op, &step_layout, 0) ?: nna_set_dims(op, 0, 2, scratch) ?:
	       nna_set_dims(op, 1, 2, h) ?: nna_set_dims(op, 2, 2, c) ?: nna_set_dims(op, 3, 2, h);
}

static int step_lower(struct nna_op_context *op)
{
	struct nna_sequence s = { .aux = NNA_NO_VALUE, .time_major = true };
	struct nna_lower *l = op->lower;
	struct nna_lstm cell;
	int ret = cell_values(op, &step_layout, 20, &cell) ?: first_states(op, &step_layout, &s);

	if (ret)
		return ret;
	NNA_VALUE(in, nna_lower_in(op, 0));
	NNA_VALUE(scratch, nna_lower_out(op, 0));
	NNA_VALUE(h_last, nna_lower_out(op, 1));
	NNA_VALUE(c_last, nna_lower_out(op, 2));
	NNA_VALUE(out, nna_lower_out(op, 3));
	if (nna_value_is_empty(l, out))
		return 0;
	NNA_VALUE(in_sequence, nna_view_expand(l, in, 0));
	NNA_VALUE(out_sequence, nna_view_expand(l, out, 0));
	s.in = in_sequence;
	s.out = out_sequence;
	s.h_last = h_last;
	s.c_last = c_last;
	return nna_do_zero(l, scratch) ?: nna_lstm_run(l, &cell, &s);
}

/* Return: true if quantized_lstm.c lowers the sequence. */
static bool is_quantised(const struct nna_op_context *op)
{
	return op->in[0].type == NNA_OPERAND_TENSOR_QUANT8_ASYMM_SIGNED;
}

static int sequence_check(struct nna_op_context *op)
{
	if (is_quantised(op))
		return nna_quantized_sequence_check(op);
	return check_cell(op, &sequence_layout) ?: check_params(op, 20);
}

static int sequence_infer(struct nna_op_context *op)
{
	const uint32_t *h = op->in[sequence_layout.h].dims, *c = op->in[sequence_layout.c].dims;
	uint32_t dims[3] = { op->in[0].dims[0], op->in[0].dims[1], h[1] };
	int ret = check_sizes(op, &sequence_layout, 0) ?: nna_set_dims(op, 0, 3, dims);

	if (!ret && op->operation->output_count > 1)
		ret = nna_set_dims(op, 1, 2, h) ?: nna_set_dims(op, 2, 2, c);
	return ret;
}

static int sequence_lower(struct nna_op_context *op)
{
	struct nna_sequence s = { .aux = NNA_NO_VALUE };
	struct nna_lstm cell;
	int ret = first_states(op, &sequence_layout, &s) ?:
		  nna_op_scalar_bool(op, 23, &s.time_major);

	if (ret)
		return ret;
	NNA_VALUE(in, nna_lower_in(op, 0));
	NNA_VALUE(out, nna_lower_out(op, 0));
	NNA_VALUE(h_last, optional_out(op, 1));
	NNA_VALUE(c_last, optional_out(op, 2));
	s.in = in;
	s.out = out;
	s.h_last = h_last;
	s.c_last = c_last;
	if (is_quantised(op))
		return nna_quantized_sequence_lower(op, &s);
	return cell_values(op, &sequence_layout, 20, &cell) ?: nna_lstm_run(op->lower, &cell, &s);
}

/* Return: true if an operation with this number of outputs merges both directions. */
static bool merged(uint32_t outputs)
{
	return outputs == 1 || outputs == 5;
}

static int bi_check(struct nna_op_context *op)
{
	uint32_t outputs = op->operation->output_count, forward, backward;
	bool merge = merged(outputs);
	int ret = check_cell(op, &forward_layout) ?: check_cell(op, &backward_layout) ?:
		  check_params(op, BI_ACT) ?: nna_later(nna_op_scalar_bool(op, BI_MERGE, &merge));

	if (ret)
		return ret;
	if (merge != merged(outputs))
		return nna_refuse_directions(op, BI_MERGE, merge, 4);
	forward = forward_layout.aux_weights + 1;
	backward = backward_layout.aux_weights + 1;
	return nna_check_both(op, forward, backward) ?: nna_check_goes_with(op, BI_AUX, forward);
}

/* An auxiliary input without weights is the input of the backward cell. */
static uint32_t backward_input(const struct nna_op_context *op)
{
	return nna_op_has_input(op, BI_AUX) && !has(op, forward_layout.aux_weights, 1) ? BI_AUX : 0;
}

static int bi_infer(struct nna_op_context *op)
{
	uint32_t forward = op->in[forward_layout.h].dims[1];
	uint32_t backward = op->in[backward_layout.h].dims[1];
	uint32_t dims[3] = { op->in[0].dims[0], op->in[0].dims[1], forward }, next = 1;
	bool merge = merged(op->operation->output_count);
	int ret = check_sizes(op, &forward_layout, 0) ?:
		  check_sizes(op, &backward_layout, backward_input(op));

	if (ret)
		return ret;
	if (merge)
		dims[2] += backward;
	ret = nna_set_dims(op, 0, 3, dims);
	dims[2] = backward;
	if (!ret && !merge)
		ret = nna_set_dims(op, next++, 3, dims);
	if (!ret && next < op->operation->output_count)
		ret = nna_set_dims(op, next, 2, op->in[forward_layout.h].dims) ?:
		      nna_set_dims(op, next + 1, 2, op->in[forward_layout.c].dims) ?:
		      nna_set_dims(op, next + 2, 2, op->in[backward_layout.h].dims) ?:
		      nna_set_dims(op, next + 3, 2, op->in[backward_layout.c].dims);
	return ret;
}

static int bi_lower(struct nna_op_context *op)
{
	uint32_t forward_size = op->in[forward_layout.h].dims[1], states;
	uint32_t backward_size = op->in[backward_layout.h].dims[1];
	bool merge = merged(op->operation->output_count);
	bool cross = has(op, forward_layout.aux_weights, 1);
	struct nna_sequence f = { 0 }, b = { .backward = true };
	struct nna_lstm forward, backward;
	struct nna_lower *l = op->lower;
	int ret = cell_values(op, &forward_layout, BI_ACT, &forward) ?:
		  cell_values(op, &backward_layout, BI_ACT, &backward) ?:
		  first_states(op, &forward_layout, &f) ?: first_states(op, &backward_layout, &b) ?:
		  nna_op_scalar_bool(op, BI_TIME, &f.time_major);

	if (ret)
		return ret;
	states = merge ? 1 : 2;
	NNA_VALUE(in, nna_lower_in(op, 0));
	NNA_VALUE(backward_in, nna_lower_in(op, backward_input(op)));
	NNA_VALUE(aux, cross ? nna_lower_in(op, BI_AUX) : NNA_NO_VALUE);
	NNA_VALUE(out, nna_lower_out(op, 0));
	NNA_VALUE(forward_out, merge ? nna_view_range(l, out, 2, 0, forward_size) : out);
	NNA_VALUE(backward_out, merge ? nna_view_range(l, out, 2, forward_size, backward_size) :
					nna_lower_out(op, 1));
	NNA_VALUE(forward_h, optional_out(op, states));
	NNA_VALUE(forward_c, optional_out(op, states + 1));
	NNA_VALUE(backward_h, optional_out(op, states + 2));
	NNA_VALUE(backward_c, optional_out(op, states + 3));
	b.time_major = f.time_major;
	f.in = in;
	b.in = backward_in;
	f.aux = b.aux = aux;
	f.out = forward_out;
	b.out = backward_out;
	f.h_last = forward_h;
	f.c_last = forward_c;
	b.h_last = backward_h;
	b.c_last = backward_c;
	return nna_lstm_run(l, &forward, &f) ?: nna_lstm_run(l, &backward, &b);
}

const struct nna_op nna_op_lstm = {
	.type = NNA_OPERATION_LSTM,
	.check = step_check, .infer = step_infer, .lower = step_lower,
};

const struct nna_op nna_op_unidirectional_lstm = {
	.type = NNA_OPERATION_UNIDIRECTIONAL_SEQUENCE_LSTM,
	.check = sequence_check, .infer = sequence_infer, .lower = sequence_lower,
};

const struct nna_op nna_op_bidirectional_lstm = {
	.type = NNA_OPERATION_BIDIRECTIONAL_SEQUENCE_LSTM,
	.check = bi_check, .infer = bi_infer, .lower = bi_lower,
};
