// SPDX-License-Identifier: MIT
/*
 * LSTM in one step and in sequences of one and of two directions. A cell's operands in their order:
 * 4 input weights, 4 recurrent weights, 3 peephole weights, 4 biases, projection weights and bias.
 */
#include <errno.h>
#include <float.h>
#include <string.h>

#include "tests/random/eval_recurrent.h"

#define U NNR_EVAL_U
#define NONE NNR_EVAL_NONE

enum gate { INPUT, FORGET, CELL, OUTPUT, GATES };

enum { RECURRENT = 4, PEEPHOLE = 8, BIAS = 11, PROJECTION = 15, PROJECTION_BIAS };

/* Each gate's number among the three peephole weights. */
static const uint32_t peephole_of[] = { [INPUT] = 0, [FORGET] = 1, [OUTPUT] = 2 };

static bool is_normed(const struct nnr_eval *e, const struct nnr_eval_layer *layer)
{
	return layer->norm != NONE && nnr_eval_has(e, layer->norm + FORGET);
}

/* (x - mean) / deviation over all units, times the weights of @norm. */
static void normalise(const struct nnr_eval *e, const struct nnr_eval_tensor *norm, uint32_t units,
		      struct nnr_loose *x)
{
	double mean = 0, variance = 0, off = 0, most = 0, deviation, least;

	for (uint32_t u = 0; u < units; u++) {
		mean += x[u].v / units;
		/* An infinite bound times 0 would be NaN. */
		off = x[u].err < INFINITY ? fmax(off, x[u].err + units * U * fabs(x[u].v))
					  : INFINITY;
		most = fmax(most, fabs(x[u].v));
	}
	for (uint32_t u = 0; u < units; u++)
		variance += (x[u].v - mean) * (x[u].v - mean) / units;
	deviation = sqrt(variance);
	least = deviation - 2 * off;
	for (uint32_t u = 0; u < units; u++) {
		double d = x[u].v - mean, n = d / deviation;
		/* Implementations add a little to the variance, which keeps it from 0. */
		double err = 2 * off / least + fabs(d) * 2 * off / (least * least) +
			     fabs(n) * (0.5e-8 / (least * least) + (units + 8) * U);

		/* Left open where all units are nearly alike, or squares exceed a float. */
		x[u] = least > 1e-3 && units * most * most < FLT_MAX
			       ? (struct nnr_loose){ n, err }
			       : (struct nnr_loose){ 0, INFINITY };
		x[u] = nnr_loose_times(e, nnr_loose_round(e, x[u]),
				       (struct nnr_loose){ norm->v[u], 0 });
	}
}

static void open_gate(const struct nnr_eval *e, const struct nnr_eval_layer *layer, enum gate g,
		      const struct nnr_loose *x, const struct nnr_loose *aux,
		      const struct nnr_loose *h, const struct nnr_loose *c, struct nnr_loose *gate)
{
	const struct nnr_eval_tensor *cell = &e->in[layer->cell];
	int64_t activation = g == CELL ? nnr_eval_int(e, layer->act, 0) : 6;

	for (uint32_t u = 0; u < layer->units; u++) {
		struct nnr_loose sum = { 0 };

		nnr_loose_dot(e, &sum, &cell[g], u, x);
		if (layer->aux_weights != NONE)
			nnr_loose_dot(e, &sum, &e->in[layer->aux_weights + g], u, aux);
		nnr_loose_dot(e, &sum, &cell[RECURRENT + g], u, h);
		if (g != CELL && cell[PEEPHOLE + peephole_of[g]].given) {
			double w = cell[PEEPHOLE + peephole_of[g]].v[u];

			nnr_loose_add(e, &sum, w * c[u].v);
			sum.err += fabs(w) * c[u].err;
		}
		gate[u] = sum;
	}
	if (is_normed(e, layer))
		normalise(e, &e->in[layer->norm + g], layer->units, gate);
	for (uint32_t u = 0; u < layer->units; u++) {
		nnr_loose_add(e, &gate[u], cell[BIAS + g].v[u]);
		gate[u] = nnr_loose_activate(e, activation, gate[u]);
	}
}

static struct nnr_loose clip(struct nnr_loose x, double limit)
{
	if (limit > 0)
		x.v = fmin(fmax(x.v, -limit), limit);
	return x;
}

static void project(const struct nnr_eval *e, const struct nnr_eval_layer *layer,
		    const struct nnr_loose *result, struct nnr_loose *h)
{
	const struct nnr_eval_tensor *cell = &e->in[layer->cell];

	for (uint32_t u = 0; u < layer->outputs; u++) {
		h[u] = (struct nnr_loose){ 0 };
		nnr_loose_dot(e, &h[u], &cell[PROJECTION], u, result);
		if (cell[PROJECTION_BIAS].given)
			nnr_loose_add(e, &h[u], cell[PROJECTION_BIAS].v[u]);
		h[u] = clip(h[u], nnr_eval_scalar(e, layer->act + 2, 0));
	}
}

static void lstm_step(const struct nnr_eval *e, const struct nnr_eval_layer *layer,
		      const struct nnr_loose *x, const struct nnr_loose *aux, struct nnr_loose *h,
		      struct nnr_loose *c)
{
	struct nnr_loose in[NNR_EVAL_MAX_UNITS], forget[NNR_EVAL_MAX_UNITS],
		fresh[NNR_EVAL_MAX_UNITS], out[NNR_EVAL_MAX_UNITS];
	const struct nnr_eval_tensor *cell = &e->in[layer->cell];
	int64_t activation = nnr_eval_int(e, layer->act, 0);

	open_gate(e, layer, FORGET, x, aux, h, c, forget);
	open_gate(e, layer, CELL, x, aux, h, c, fresh);
	if (cell[INPUT].given)
		open_gate(e, layer, INPUT, x, aux, h, c, in);
	for (uint32_t u = 0; u < layer->units; u++) {
		struct nnr_loose kept = nnr_loose_times(e, forget[u], c[u]), added, sum;

		if (!cell[INPUT].given)
			in[u] = nnr_loose_round(
				e, (struct nnr_loose){ 1 - forget[u].v, forget[u].err });
		added = nnr_loose_times(e, in[u], fresh[u]);
		sum = (struct nnr_loose){ kept.v + added.v, kept.err + added.err };
		c[u] = clip(nnr_loose_round(e, sum), nnr_eval_scalar(e, layer->act + 1, 0));
	}
	open_gate(e, layer, OUTPUT, x, aux, h, c, out);
	for (uint32_t u = 0; u < layer->units; u++)
		out[u] = nnr_loose_times(e, out[u], nnr_loose_activate(e, activation, c[u]));
	if (cell[PROJECTION].given)
		project(e, layer, out, h);
	else
		memcpy(h, out, layer->units * sizeof(*h));
}

/* What is optional comes together, and all sizes fit. */
static int lstm_layer(const struct nnr_eval *e, struct nnr_eval_layer *layer)
{
	const struct nnr_eval_tensor *cell = &e->in[layer->cell];
	uint32_t size = layer->x->dims[layer->x->rank - 1], units = cell[OUTPUT].dims[0],
		 outputs = e->in[layer->h].dims[1];
	bool coupled = !cell[INPUT].given;

	for (uint32_t g = coupled ? FORGET : INPUT; g < GATES; g++) {
		if (!nnr_eval_is_matrix(&cell[g], units, size) ||
		    !nnr_eval_is_matrix(&cell[RECURRENT + g], units, outputs) ||
		    cell[BIAS + g].count != units ||
		    (layer->aux_weights != NONE &&
		     !nnr_eval_is_matrix(&e->in[layer->aux_weights + g], units,
					 layer->aux->dims[2])) ||
		    (is_normed(e, layer) && e->in[layer->norm + g].count != units))
			return -EINVAL;
	}
	if (cell[PROJECTION].given ? !nnr_eval_is_matrix(&cell[PROJECTION], outputs, units)
				   : outputs != units)
		return -EINVAL;
	layer->units = units;
	layer->outputs = outputs;
	layer->step = lstm_step;
	return 0;
}

/* -> scratch, output state, cell state, output */
static int eval_lstm(struct nnr_eval *e)
{
	struct nnr_eval_layer layer = {
		.x = &e->in[0],
		.cell = 1,
		.aux_weights = NONE,
		.norm = e->input_count > 23 ? 23 : NONE,
		.h = 18,
		.c = 19,
		.act = 20,
		.out = 3,
		.h_out = 1,
		.c_out = 2,
	};
	uint32_t gates = nnr_eval_has(e, 1) ? 4 : 3;
	int ret;

	if (layer.x->rank != 2 || lstm_layer(e, &layer))
		return -EINVAL;
	ret = nnr_eval_out(e, 0, 2, (uint32_t[]){ layer.x->dims[0], layer.units * gates });
	for (size_t i = 0; !ret && i < e->out[0].count; i++)
		e->out[0].err[i] = INFINITY; /* scratch holds anything */
	if (!ret)
		ret = nnr_eval_layer_out(e, &layer, layer.outputs);
	return ret ? ret : nnr_eval_layer_run(e, &layer);
}

/* As LSTM, time major, norm? -> outputs, (output state, cell state)? */
static int eval_sequence(struct nnr_eval *e)
{
	struct nnr_eval_layer layer = {
		.x = &e->in[0],
		.major = nnr_eval_int(e, 23, 0),
		.cell = 1,
		.aux_weights = NONE,
		.norm = e->input_count > 24 ? 24 : NONE,
		.h = 18,
		.c = 19,
		.act = 20,
		.h_out = e->output_count > 1 ? 1 : NONE,
		.c_out = e->output_count > 1 ? 2 : NONE,
	};
	int ret;

	if (layer.x->rank != 3 || lstm_layer(e, &layer))
		return -EINVAL;
	ret = nnr_eval_layer_out(e, &layer, layer.outputs);
	return ret ? ret : nnr_eval_layer_run(e, &layer);
}

/*
 * input, cell forward, cell backward, 4 states, auxiliary input?, its weights forward? and
 * backward?, activation, 2 clips, merge, time major, norm forward?, norm backward? -> outputs,
 * outputs backward unless merged, 4 states?. Without weights an auxiliary input is what the
 * backward cell reads.
 */
static int eval_both(struct nnr_eval *e)
{
	bool merge = nnr_eval_int(e, 51, 0), aux = nnr_eval_has(e, 39), cross = nnr_eval_has(e, 41);
	uint32_t state = merge ? 1 : 2;
	bool states = e->output_count > state;
	struct nnr_eval_layer forward =
				      {
					      .x = &e->in[0],
					      .aux = cross ? &e->in[39] : NULL,
					      .major = nnr_eval_int(e, 52, 0),
					      .cell = 1,
					      .aux_weights = cross ? 40 : NONE,
					      .norm = 53,
					      .h = 35,
					      .c = 36,
					      .act = 48,
					      .h_out = states ? state : NONE,
					      .c_out = states ? state + 1 : NONE,
				      },
			      backward = forward;

	if (e->input_count != 61 || e->in[0].rank != 3 || (cross && !aux) ||
	    cross != nnr_eval_has(e, 45) || (aux && e->in[39].rank != 3))
		return -EINVAL;
	backward.cell = 18;
	backward.aux_weights = cross ? 44 : NONE;
	backward.norm = 57;
	backward.h = 37;
	backward.c = 38;
	backward.h_out = states ? state + 2 : NONE;
	backward.c_out = states ? state + 3 : NONE;
	if (aux && !cross)
		backward.x = &e->in[39];
	if (lstm_layer(e, &forward) || lstm_layer(e, &backward))
		return -EINVAL;
	return nnr_eval_both_run(e, &forward, &backward, merge);
}

int nnr_eval_lstm(struct nnr_eval *e)
{
	switch (e->type) {
	case NNA_OPERATION_LSTM:
		return eval_lstm(e);
	case NNA_OPERATION_UNIDIRECTIONAL_SEQUENCE_LSTM:
		return eval_sequence(e);
	case NNA_OPERATION_BIDIRECTIONAL_SEQUENCE_LSTM:
		return eval_both(e);
	default:
		return -ENOTSUP;
	}
}
