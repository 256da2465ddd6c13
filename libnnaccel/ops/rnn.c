// SPDX-License-Identifier: MIT
/*
 * RNN: one step; output = act(input x weights + state x recurrent weights + bias), the next state.
 *
 *	in 0	input			FLOAT [batch, K]
 *	in 1	weights			T0 [units, K]
 *	in 2	recurrent weights	T0 [units, units]
 *	in 3	bias			T0 [units]
 *	in 4	state			T0 [batch, units]
 *	in 5	activation		INT32	enum nna_cell_act
 *	out 0	state			T0 [batch, units]
 *	out 1	output			T0 [batch, units]
 *
 * UNIDIRECTIONAL_SEQUENCE_RNN: a step for each element of a sequence.
 *
 *	in 0	input		FLOAT	[time, batch, K], or [batch, time, K]
 *	in 1-5	cell		as for RNN
 *	in 6	time major	INT32	0: batch first
 *	out 0	outputs		T0	[time, batch, units] in the layout of the input
 *	out 1	last state?	T0 [batch, units]
 *
 * BIDIRECTIONAL_SEQUENCE_RNN: one cell runs forward over the sequence, another one backward.
 *
 *	in 0		input			FLOAT			[time, batch, K], or [batch,
 *									time, K]
 *	in 1-4		forward cell		as in 1-4 of RNN
 *	in 5-8		backward cell		as in 1-4 of RNN
 *	in 9		aux input?		T0			a second input of both
 *									cells; without weights it is
 *									the input of the backward
 *									cell
 *	in 10		forward aux weights?	T0 [units, aux K]
 *	in 11		backward aux weights?	T0 [units, aux K]
 *	in 12		activation		INT32			of both cells
 *	in 13		time major		BOOL
 *	in 14		merge			BOOL			output 0 holds both
 *									directions' outputs
 *	out 0		forward outputs		T0			merged: the backward ones
 *									follow along the last axis
 *	out 1		backward outputs	T0			unless merged
 *	out next 2	last states?		T0 [batch, units]	forward, backward
 *
 * recurrent.h says how layers are lowered.
 */
#include "libnnaccel/ops/recurrent.h"

/*
 * Compares the sizes of a cell: inputs @from to @from + 3 are its weights, recurrent weights, bias,
 * state.
 */
static int check_cell(const struct nna_op_context *op, uint32_t from)
{
	uint32_t units = nna_known_dim(&op->in[from], 0);

	return nna_check_dim(op, from + 1, 0, units) ?: nna_check_dim(op, from + 1, 1, units) ?:
	       nna_check_dim(op, from + 2, 0, units) ?: nna_check_dim(op, from + 3, 1, units);
}

/* With complete shapes: the last dimension of input @in is that of input @weights. */
static int check_size(const struct nna_op_context *op, uint32_t in, uint32_t weights)
{
	uint32_t size = op->in[in].dims[op->in[in].rank - 1];

	return nna_require_dim(op, weights, 1, size, "the last dimension of its input") ?:
	       nna_require_elements(op, weights, 3);
}

static int rnn_check(struct nna_op_context *op)
{
	enum nna_cell_act act;

	return check_cell(op, 1) ?: nna_later(nna_param_cell_act(op, 5, &act));
}

static int rnn_infer(struct nna_op_context *op)
{
	uint32_t dims[2] = { op->in[0].dims[0], op->in[1].dims[0] };

	return check_size(op, 0, 1) ?: nna_set_dims(op, 0, 2, dims) ?: nna_set_dims(op, 1, 2, dims);
}

/* Reads the values of a cell and of its first state. */
static int cell_values(struct nna_op_context *op, uint32_t from, struct nna_rnn *cell,
		       uint32_t *state)
{
	NNA_VALUE(input, nna_lower_in(op, from));
	NNA_VALUE(recurrent, nna_lower_in(op, from + 1));
	NNA_VALUE(bias, nna_lower_in(op, from + 2));
	NNA_VALUE(first, nna_lower_in(op, from + 3));
	*cell = (struct nna_rnn){
		.input = input, .aux = NNA_NO_VALUE, .recurrent = recurrent, .bias = bias,
	};
	*state = first;
	return 0;
}

static int rnn_lower(struct nna_op_context *op)
{
	struct nna_sequence s = { .aux = NNA_NO_VALUE, .c_last = NNA_NO_VALUE, .time_major = true };
	struct nna_rnn cell;
	int ret = cell_values(op, 1, &cell, &s.h) ?: nna_param_cell_act(op, 5, &cell.act);

	if (ret)
		return ret;
	NNA_VALUE(in, nna_lower_in(op, 0));
	NNA_VALUE(last, nna_lower_out(op, 0));
	NNA_VALUE(out, nna_lower_out(op, 1));
	if (nna_value_is_empty(op->lower, out))
		return 0;
	NNA_VALUE(in_sequence, nna_view_expand(op->lower, in, 0));
	NNA_VALUE(out_sequence, nna_view_expand(op->lower, out, 0));
	s.in = in_sequence;
	s.out = out_sequence;
	s.h_last = last;
	return nna_rnn_run(op->lower, &cell, &s);
}

static int uni_time_major(const struct nna_op_context *op, bool *time_major)
{
	int32_t value;
	int ret = nna_op_scalar_i32(op, 6, &value);

	if (!ret)
		*time_major = value != 0;
	return ret;
}

static int uni_check(struct nna_op_context *op)
{
	enum nna_cell_act act;

	return check_cell(op, 1) ?: nna_later(nna_param_cell_act(op, 5, &act));
}

static int uni_infer(struct nna_op_context *op)
{
	uint32_t dims[3] = { op->in[0].dims[0], op->in[0].dims[1], op->in[1].dims[0] };
	int ret = check_size(op, 0, 1) ?: nna_set_dims(op, 0, 3, dims);

	if (!ret && op->operation->output_count > 1)
		ret = nna_set_dims(op, 1, 2, op->in[4].dims);
	return ret;
}

/* Return: the value of output @i, NNA_NO_VALUE if the operation has fewer outputs. */
static int64_t optional_out(struct nna_op_context *op, uint32_t i)
{
	return i < op->operation->output_count ? nna_lower_out(op, i) : NNA_NO_VALUE;
}

static int uni_lower(struct nna_op_context *op)
{
	struct nna_sequence s = { .aux = NNA_NO_VALUE, .c_last = NNA_NO_VALUE };
	struct nna_rnn cell;
	int ret = cell_values(op, 1, &cell, &s.h) ?: nna_param_cell_act(op, 5, &cell.act) ?:
		  uni_time_major(op, &s.time_major);

	if (ret)
		return ret;
	NNA_VALUE(in, nna_lower_in(op, 0));
	NNA_VALUE(out, nna_lower_out(op, 0));
	NNA_VALUE(last, optional_out(op, 1));
	s.in = in;
	s.out = out;
	s.h_last = last;
	return nna_rnn_run(op->lower, &cell, &s);
}

enum { BI_FORWARD = 1, BI_BACKWARD = 5, BI_AUX = 9, BI_ACT = 12, BI_TIME = 13, BI_MERGE = 14 };

static int bi_check(struct nna_op_context *op)
{
	uint32_t outputs = op->operation->output_count;
	enum nna_cell_act act;
	bool merge = outputs == 1 || outputs == 3;
	int ret = check_cell(op, BI_FORWARD) ?: check_cell(op, BI_BACKWARD);

	ret = ret ?: nna_check_both(op, BI_AUX + 1, BI_AUX + 2) ?:
	      nna_check_goes_with(op, BI_AUX, BI_AUX + 1) ?:
	      nna_later(nna_param_cell_act(op, BI_ACT, &act));
	if (ret)
		return ret;
	ret = nna_later(nna_op_scalar_bool(op, BI_MERGE, &merge));
	if (!ret && merge != (outputs == 1 || outputs == 3))
		ret = nna_refuse_directions(op, BI_MERGE, merge, 2);
	return ret;
}

static int bi_infer(struct nna_op_context *op)
{
	uint32_t forward = op->in[BI_FORWARD].dims[0], backward = op->in[BI_BACKWARD].dims[0];
	uint32_t next = 0;
	uint32_t dims[3] = { op->in[0].dims[0], op->in[0].dims[1], forward };
	bool merge, has_aux = nna_op_has_input(op, BI_AUX);
	bool has_weights = nna_op_has_input(op, BI_AUX + 1);
	uint32_t backward_in = has_aux && !has_weights ? BI_AUX : 0;
	int ret = nna_op_scalar_bool(op, BI_MERGE, &merge) ?: check_size(op, 0, BI_FORWARD) ?:
		  check_size(op, backward_in, BI_BACKWARD);

	if (!ret && has_weights)
		ret = check_size(op, BI_AUX, BI_AUX + 1) ?: check_size(op, BI_AUX, BI_AUX + 2);
	if (ret)
		return ret;
	if (merge)
		dims[2] += backward;
	ret = nna_set_dims(op, next++, 3, dims);
	dims[2] = backward;
	if (!ret && !merge)
		ret = nna_set_dims(op, next++, 3, dims);
	if (!ret && next < op->operation->output_count)
		ret = nna_set_dims(op, next, 2, op->in[BI_FORWARD + 3].dims) ?:
		      nna_set_dims(op, next + 1, 2, op->in[BI_BACKWARD + 3].dims);
	return ret;
}

static int bi_lower(struct nna_op_context *op)
{
	bool has_aux = nna_op_has_input(op, BI_AUX), cross = nna_op_has_input(op, BI_AUX + 1);
	uint32_t forward_units = op->in[BI_FORWARD].dims[0];
	uint32_t backward_units = op->in[BI_BACKWARD].dims[0];
	struct nna_sequence f = { .c_last = NNA_NO_VALUE };
	struct nna_sequence b = { .c_last = NNA_NO_VALUE, .backward = true };
	struct nna_rnn forward, backward;
	struct nna_lower *l = op->lower;
	bool merge;
	int ret = cell_values(op, BI_FORWARD, &forward, &f.h) ?:
		  cell_values(op, BI_BACKWARD, &backward, &b.h) ?:
		  nna_param_cell_act(op, BI_ACT, &forward.act) ?:
		  nna_op_scalar_bool(op, BI_TIME, &f.time_major) ?:
		  nna_op_scalar_bool(op, BI_MERGE, &merge);

	if (ret)
		return ret;
	backward.act = forward.act;
	b.time_major = f.time_major;
	NNA_VALUE(in, nna_lower_in(op, 0));
	NNA_VALUE(aux, has_aux ? nna_lower_in(op, BI_AUX) : NNA_NO_VALUE);
	NNA_VALUE(forward_aux, cross ? nna_lower_in(op, BI_AUX + 1) : NNA_NO_VALUE);
	NNA_VALUE(backward_aux, cross ? nna_lower_in(op, BI_AUX + 2) : NNA_NO_VALUE);
	NNA_VALUE(out, nna_lower_out(op, 0));
	NNA_VALUE(forward_out, merge ? nna_view_range(l, out, 2, 0, forward_units) : out);
	NNA_VALUE(backward_out, merge ? nna_view_range(l, out, 2, forward_units, backward_units) :
					nna_lower_out(op, 1));
	NNA_VALUE(forward_last, optional_out(op, merge ? 1 : 2));
	NNA_VALUE(backward_last, optional_out(op, merge ? 2 : 3));
	forward.aux = forward_aux;
	backward.aux = backward_aux;
	f.in = in;
	f.aux = b.aux = cross ? aux : NNA_NO_VALUE;
	b.in = has_aux && !cross ? aux : in;
	f.out = forward_out;
	b.out = backward_out;
	f.h_last = forward_last;
	b.h_last = backward_last;
	return nna_rnn_run(l, &forward, &f) ?: nna_rnn_run(l, &backward, &b);
}

const struct nna_op nna_op_rnn = {
	.type = NNA_OPERATION_RNN,
	.check = rnn_check, .infer = rnn_infer, .lower = rnn_lower,
};

const struct nna_op nna_op_unidirectional_rnn = {
	.type = NNA_OPERATION_UNIDIRECTIONAL_SEQUENCE_RNN,
	.check = uni_check, .infer = uni_infer, .lower = uni_lower,
};

const struct nna_op nna_op_bidirectional_rnn = {
	.type = NNA_OPERATION_BIDIRECTIONAL_SEQUENCE_RNN,
	.check = bi_check, .infer = bi_infer, .lower = bi_lower,
};
