// SPDX-License-Identifier: MIT
/* Lowers recurrent layers, unrolled: see recurrent.h. */
#include "libnnaccel/ops/recurrent.h"

/* Added to the variance in a layer norm. */
#define NORM_EPSILON 1e-8f

int nna_param_cell_act(const struct nna_op_context *op, uint32_t i, enum nna_cell_act *act)
{
	int32_t value;
	int ret = nna_op_scalar_i32(op, i, &value);

	if (ret)
		return ret;
	if (value < NNA_CELL_NONE || value > NNA_CELL_SIGMOID || value == 5)
		return nna_op_refuse(op, NNA_IN(i), "the value is %d",
				     "an activation, 0 to 4 or 6", value);
	*act = (enum nna_cell_act)value;
	return 0;
}

int nna_refuse_directions(const struct nna_op_context *op, uint32_t i, bool merge, uint32_t states)
{
	uint32_t least = merge ? 1 : 2;

	return nna_op_refuse(op, NNA_OUTPUTS, "%u are given", "%u or %u, because input %u is %s",
			     op->operation->output_count, least, least + states, i,
			     merge ? "true" : "false");
}

int64_t nna_do_matrix(struct nna_lower *l, uint8_t type, uint32_t rows, uint32_t columns)
{
	return nna_lower_scratch(l, type, 2, (uint32_t[]){ rows, columns }, 0, 0);
}

int nna_do_linear(struct nna_lower *l, uint32_t out, uint32_t in, uint32_t weights, uint32_t bias)
{
	uint32_t rows = nna_lower_value(l, in)->dims[0], size = nna_lower_value(l, in)->dims[1];
	uint32_t units = nna_lower_value(l, weights)->dims[0];

	NNA_VALUE(images, nna_emit_reshape(l, in, 4, (uint32_t[]){ rows, 1, 1, size }));
	NNA_VALUE(filter, nna_emit_reshape(l, weights, 4, (uint32_t[]){ units, 1, 1, size }));
	NNA_VALUE(result, nna_emit_reshape(l, out, 4, (uint32_t[]){ rows, 1, 1, units }));
	return nna_emit_conv2d(l, result, images, filter, bias, &nna_conv_plain);
}

int nna_do_cell_act(struct nna_lower *l, enum nna_cell_act act, uint32_t out, uint32_t in)
{
	static const enum nna_activation fused[] = { NNA_ACT_NONE, NNA_ACT_RELU, NNA_ACT_RELU1,
						     NNA_ACT_RELU6 };

	if (act == NNA_CELL_TANH)
		return nna_do_ewise(l, NNA_FN_TANH, out, in, NNA_NO_VALUE, NNA_NO_VALUE);
	if (act == NNA_CELL_SIGMOID)
		return nna_do_ewise(l, NNA_FN_LOGISTIC, out, in, NNA_NO_VALUE, NNA_NO_VALUE);
	return nna_emit_ewise(l, NNA_FN_IDENTITY, out, in, NNA_NO_VALUE, NNA_NO_VALUE,
			      fused[act], 0);
}

/* Return: true if a clip to @limit changes no number that a quantised value can have. */
static bool is_beyond(const struct nna_value *v, float limit)
{
	double low = v->type == NNA_TYPE_S16 ? INT16_MIN : INT8_MIN, high = -1 - low;

	return (v->type == NNA_TYPE_S16 || v->type == NNA_TYPE_S8) && v->scale > 0 &&
	       (low - v->zero_point) * (double)v->scale >= -(double)limit &&
	       (high - v->zero_point) * (double)v->scale <= (double)limit;
}

int nna_do_clip(struct nna_lower *l, uint32_t out, uint32_t in, float limit)
{
	int ret;

	if (limit <= 0 || is_beyond(nna_lower_value(l, in), limit))
		return nna_do_move(l, out, in);
	NNA_VALUE(high, nna_do_constant_f32(l, limit));
	NNA_VALUE(low, nna_do_constant_f32(l, -limit));
	NNA_VALUE(below, nna_do_scratch_like(l, nna_lower_value(l, in)->type, in));
	ret = nna_do_ewise(l, NNA_FN_MINIMUM, below, in, high, NNA_NO_VALUE);
	return ret ?: nna_do_ewise(l, NNA_FN_MAXIMUM, out, below, low, NNA_NO_VALUE);
}

int64_t nna_view_step(struct nna_lower *l, uint32_t sequence, bool time_major, uint32_t t)
{
	uint32_t axis = time_major ? 0 : 1;

	NNA_VALUE(part, nna_view_range(l, sequence, axis, t, 1));
	return nna_view_drop(l, part, axis);
}

/* Emits the product with weights [N, K] for all steps: a sequence [.., .., N] from [.., .., K]. */
static int64_t sequence_product(struct nna_lower *l, uint32_t sequence, uint32_t weights,
				uint32_t bias)
{
	uint32_t dims[3] = { nna_lower_value(l, sequence)->dims[0],
			     nna_lower_value(l, sequence)->dims[1],
			     nna_lower_value(l, weights)->dims[0] };
	uint32_t rows = dims[0] * dims[1], size = nna_lower_value(l, sequence)->dims[2];
	uint8_t type = nna_lower_value(l, sequence)->type;
	int ret;

	NNA_VALUE(all, nna_lower_scratch(l, type, 3, dims, 0, 0));
	NNA_VALUE(in, nna_emit_reshape(l, sequence, 2, (uint32_t[]){ rows, size }));
	NNA_VALUE(out, nna_emit_reshape(l, all, 2, (uint32_t[]){ rows, dims[2] }));
	ret = nna_do_linear(l, out, in, weights, bias);
	return ret ? ret : (int64_t)all;
}

/* Emits a + b to new scratch memory. Return: its value; @a if @b is NNA_NO_VALUE. */
static int64_t sum(struct nna_lower *l, uint32_t a, uint32_t b)
{
	int ret;

	if (b == NNA_NO_VALUE)
		return a;
	NNA_VALUE(out, nna_do_scratch_like(l, nna_lower_value(l, a)->type, a));
	ret = nna_do_ewise(l, NNA_FN_ADD, out, a, b, NNA_NO_VALUE);
	return ret ? ret : (int64_t)out;
}

/* Emits a layer norm: each row to mean 0 and variance 1, then times weights plus bias. */
static int64_t normalise(struct nna_lower *l, uint32_t in, uint32_t weights, uint32_t bias)
{
	uint32_t rows = nna_lower_value(l, in)->dims[0];
	uint8_t type = nna_lower_value(l, in)->type;
	int ret;

	NNA_VALUE(means, nna_do_matrix(l, NNA_TYPE_F32, rows, 1));
	NNA_VALUE(centred, nna_do_scratch_like(l, NNA_TYPE_F32, in));
	NNA_VALUE(squares, nna_do_scratch_like(l, NNA_TYPE_F32, in));
	NNA_VALUE(variances, nna_do_matrix(l, NNA_TYPE_F32, rows, 1));
	NNA_VALUE(epsilon, nna_do_constant_f32(l, NORM_EPSILON));
	NNA_VALUE(shifted, nna_do_matrix(l, NNA_TYPE_F32, rows, 1));
	NNA_VALUE(factors, nna_do_matrix(l, NNA_TYPE_F32, rows, 1));
	NNA_VALUE(normal, nna_do_scratch_like(l, NNA_TYPE_F32, in));
	NNA_VALUE(out, nna_do_scratch_like(l, type, in));
	ret = nna_emit_reduce(l, NNA_REDUCE_MEAN, means, in, 1u << 1) ?:
	      nna_do_ewise(l, NNA_FN_SUB, centred, in, means, NNA_NO_VALUE) ?:
	      nna_do_ewise(l, NNA_FN_MUL, squares, centred, centred, NNA_NO_VALUE) ?:
	      nna_emit_reduce(l, NNA_REDUCE_MEAN, variances, squares, 1u << 1) ?:
	      nna_do_ewise(l, NNA_FN_ADD, shifted, variances, epsilon, NNA_NO_VALUE) ?:
	      nna_do_ewise(l, NNA_FN_RSQRT, factors, shifted, NNA_NO_VALUE, NNA_NO_VALUE) ?:
	      nna_do_ewise(l, NNA_FN_MUL, normal, centred, factors, NNA_NO_VALUE) ?:
	      nna_do_ewise(l, bias == NNA_NO_VALUE ? NNA_FN_MUL : NNA_FN_MUL_ADD,
			   out, normal, weights, bias);
	return ret ? ret : (int64_t)out;
}

/*
 * Emits a gate before its activation: the sum of the contributions of the input, the output state
 * and, with peepholes, the cell state, then the norm.
 */
static int64_t gate(struct nna_lower *l, const struct nna_lstm *cell, uint32_t g,
		    uint32_t from_input, uint32_t h, uint32_t c)
{
	uint32_t value = from_input;
	int ret;

	if (cell->recurrent[g] != NNA_NO_VALUE) {
		NNA_VALUE(from_state, nna_do_scratch_like(l, cell->type, value));
		ret = nna_do_linear(l, from_state, h, cell->recurrent[g], NNA_NO_VALUE);
		if (ret)
			return ret;
		NNA_VALUE(both, sum(l, value, from_state));
		value = both;
	}
	if (cell->peephole[g] != NNA_NO_VALUE) {
		NNA_VALUE(seen, nna_do_scratch_like(l, cell->type, value));
		ret = nna_do_ewise(l, NNA_FN_MUL_ADD, seen, c, cell->peephole[g], value);
		if (ret)
			return ret;
		value = seen;
	}
	if (cell->norm[g] != NNA_NO_VALUE)
		return normalise(l, value, cell->norm[g], cell->bias[g]);
	return value;
}

/* Emits a gate after its activation to new scratch memory. Return: its value. */
static int64_t open_gate(struct nna_lower *l, const struct nna_lstm *cell, uint32_t g,
			 enum nna_cell_act act, uint32_t from_input, uint32_t h, uint32_t c)
{
	int ret;

	NNA_VALUE(raw, gate(l, cell, g, from_input, h, c));
	NNA_VALUE(out, nna_do_scratch_like(l, cell->type, raw));
	ret = nna_do_cell_act(l, act, out, raw);
	return ret ? ret : (int64_t)out;
}

/* Emits the input gate; a cell without one uses 1 - forget gate. Return: its value. */
static int64_t input_gate(struct nna_lower *l, const struct nna_lstm *cell, uint32_t from_input,
			  uint32_t forget, uint32_t h, uint32_t c)
{
	int ret;

	if (cell->input[NNA_GATE_INPUT] != NNA_NO_VALUE)
		return open_gate(l, cell, NNA_GATE_INPUT, NNA_CELL_SIGMOID, from_input, h, c);
	NNA_VALUE(one, nna_do_constant_f32(l, 1));
	NNA_VALUE(out, nna_do_scratch_like(l, cell->type, forget));
	ret = nna_do_ewise(l, NNA_FN_SUB, out, one, forget, NNA_NO_VALUE);
	return ret ? ret : (int64_t)out;
}

/* Emits h_out = the hidden state, projected and clipped if the cell has a projection. */
static int project(struct nna_lower *l, const struct nna_lstm *cell, uint32_t h_out,
		   uint32_t hidden)
{
	int ret;

	if (cell->projection == NNA_NO_VALUE)
		return nna_do_move(l, h_out, hidden);
	if (cell->projection_clip <= 0)
		return nna_do_linear(l, h_out, hidden, cell->projection, cell->projection_bias);
	NNA_VALUE(projected, nna_do_scratch_like(l, cell->type, h_out));
	ret = nna_do_linear(l, projected, hidden, cell->projection, cell->projection_bias);
	return ret ?: nna_do_clip(l, h_out, projected, cell->projection_clip);
}

/*
 * Emits one step. @gates, a value [batch, units] for each gate, hold the contribution of the input,
 * and the bias unless the cell has a norm. @h_in and @c_in are the states before the step, @h_out
 * and
 * @c_out those after it.
 */
static int lstm_step(struct nna_lower *l, const struct nna_lstm *cell, const uint32_t *gates,
		     uint32_t h_in, uint32_t c_in, uint32_t h_out, uint32_t c_out)
{
	int ret;

	NNA_VALUE(forget, open_gate(l, cell, NNA_GATE_FORGET, NNA_CELL_SIGMOID,
				    gates[NNA_GATE_FORGET], h_in, c_in));
	NNA_VALUE(in, input_gate(l, cell, gates[NNA_GATE_INPUT], forget, h_in, c_in));
	NNA_VALUE(update,
		  open_gate(l, cell, NNA_GATE_CELL, cell->act, gates[NNA_GATE_CELL], h_in, c_in));
	NNA_VALUE(kept, nna_do_scratch_like(l, cell->type, c_in));
	NNA_VALUE(mixed, nna_do_scratch_like(l, cell->type, c_in));
	ret = nna_do_ewise(l, NNA_FN_MUL, kept, forget, c_in, NNA_NO_VALUE) ?:
	      nna_do_ewise(l, NNA_FN_MUL_ADD, mixed, in, update, kept) ?:
	      nna_do_clip(l, c_out, mixed, cell->cell_clip);
	if (ret)
		return ret;
	NNA_VALUE(out, open_gate(l, cell, NNA_GATE_OUTPUT, NNA_CELL_SIGMOID, gates[NNA_GATE_OUTPUT],
				 h_in, c_out));
	NNA_VALUE(active, nna_do_scratch_like(l, cell->type, c_in));
	NNA_VALUE(hidden, nna_do_scratch_like(l, cell->type, c_in));
	ret = nna_do_cell_act(l, cell->act, active, c_out) ?:
	      nna_do_ewise(l, NNA_FN_MUL, hidden, out, active, NNA_NO_VALUE);
	return ret ?: project(l, cell, h_out, hidden);
}

/*
 * Emits the contribution of the inputs of all steps to a gate. Return: a sequence [.., .., units].
 */
static int64_t contribution(struct nna_lower *l, const struct nna_sequence *s, uint32_t weights,
			    uint32_t aux_weights, uint32_t bias)
{
	NNA_VALUE(own, sequence_product(l, s->in, weights, bias));
	if (s->aux == NNA_NO_VALUE || aux_weights == NNA_NO_VALUE)
		return own;
	NNA_VALUE(aux, sequence_product(l, s->aux, aux_weights, NNA_NO_VALUE));
	return sum(l, own, aux);
}

int nna_lstm_run(struct nna_lower *l, const struct nna_lstm *cell, const struct nna_sequence *s)
{
	uint32_t steps = nna_lower_value(l, s->in)->dims[s->time_major ? 0 : 1];
	uint32_t h = s->h, c = s->c, all[NNA_GATES], gates[NNA_GATES];
	int ret = 0;

	for (uint32_t g = 0; g < NNA_GATES; g++) {
		all[g] = gates[g] = NNA_NO_VALUE;
		if (cell->input[g] == NNA_NO_VALUE)
			continue;
		NNA_VALUE(part, contribution(l, s, cell->input[g], cell->aux[g],
					     cell->norm[g] == NNA_NO_VALUE ? cell->bias[g] :
									     NNA_NO_VALUE));
		all[g] = part;
	}
	for (uint32_t i = 0; i < steps; i++) {
		uint32_t t = s->backward ? steps - 1 - i : i;

		for (uint32_t g = 0; g < NNA_GATES; g++) {
			if (all[g] == NNA_NO_VALUE)
				continue;
			NNA_VALUE(part, nna_view_step(l, all[g], s->time_major, t));
			gates[g] = part;
		}
		NNA_VALUE(h_next, nna_do_scratch_like(l, cell->type, h));
		NNA_VALUE(c_next, nna_do_scratch_like(l, cell->type, c));
		NNA_VALUE(out, nna_view_step(l, s->out, s->time_major, t));
		ret = lstm_step(l, cell, gates, h, c, h_next, c_next) ?:
		      nna_do_move(l, out, h_next);
		if (ret)
			return ret;
		h = h_next;
		c = c_next;
	}
	if (s->h_last != NNA_NO_VALUE)
		ret = nna_do_move(l, s->h_last, h);
	if (!ret && s->c_last != NNA_NO_VALUE)
		ret = nna_do_move(l, s->c_last, c);
	return ret;
}

int nna_rnn_run(struct nna_lower *l, const struct nna_rnn *cell, const struct nna_sequence *s)
{
	uint32_t steps = nna_lower_value(l, s->in)->dims[s->time_major ? 0 : 1], h = s->h;
	uint8_t type = nna_lower_value(l, s->in)->type;
	int ret;

	NNA_VALUE(all, contribution(l, s, cell->input, cell->aux, cell->bias));
	for (uint32_t i = 0; i < steps; i++) {
		uint32_t t = s->backward ? steps - 1 - i : i;

		NNA_VALUE(own, nna_view_step(l, all, s->time_major, t));
		NNA_VALUE(state, nna_do_scratch_like(l, type, h));
		ret = nna_do_linear(l, state, h, cell->recurrent, NNA_NO_VALUE);
		if (ret)
			return ret;
		NNA_VALUE(raw, sum(l, own, state));
		NNA_VALUE(next, nna_do_scratch_like(l, type, h));
		NNA_VALUE(out, nna_view_step(l, s->out, s->time_major, t));
		ret = nna_do_cell_act(l, cell->act, next, raw) ?: nna_do_move(l, out, next);
		if (ret)
			return ret;
		h = next;
	}
	return s->h_last == NNA_NO_VALUE ? 0 : nna_do_move(l, s->h_last, h);
}
