// SPDX-License-Identifier: MIT
/* RNN in one step and in sequences, SVDF; and how all recurrent layers run. */
#include "tests/random/eval_recurrent.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define U NNR_EVAL_U
#define NONE NNR_EVAL_NONE

struct nnr_loose nnr_loose_round(const struct nnr_eval *e, struct nnr_loose x)
{
	bool fp16 = e->in[0].type == NNA_OPERAND_TENSOR_FLOAT16;

	x.err += fp16 ? 0x1p-11 * fabs(x.v) + 0x1p-25 : U * fabs(x.v);
	/* What may leave the range of the type leaves all that follows open. */
	if (!(fabs(x.v) + x.err < (fp16 ? 6e4 : 1e38)))
		x.err = INFINITY;
	return x;
}

struct nnr_loose nnr_loose_activate(const struct nnr_eval *e, int64_t activation,
				    struct nnr_loose x)
{
	double y;

	switch (activation) {
	case 4:
		y = tanh(x.v);
		return nnr_loose_round(e, (struct nnr_loose){ y, x.err + 8 * U * fabs(y) });
	case 6:
		y = 1 / (1 + exp(-x.v));
		return nnr_loose_round(e, (struct nnr_loose){ y, x.err / 4 + 8 * U * fabs(y) });
	default:
		return (struct nnr_loose){ nnr_eval_activate(activation, x.v), x.err };
	}
}

struct nnr_loose nnr_loose_times(const struct nnr_eval *e, struct nnr_loose a, struct nnr_loose b)
{
	struct nnr_loose x = { a.v * b.v, fabs(a.v) * b.err + fabs(b.v) * a.err + a.err * b.err };

	return nnr_loose_round(e, x);
}

void nnr_loose_dot(const struct nnr_eval *e, struct nnr_loose *sum,
		   const struct nnr_eval_tensor *weights, size_t row, const struct nnr_loose *x)
{
	size_t size = weights->dims[weights->rank - 1];
	struct nnr_loose part = { 0 };

	for (size_t k = 0; k < size; k++) {
		double w = weights->v[row * size + k];

		part.v += w * x[k].v;
		part.err += ((double)size + 4) * U * fabs(w * x[k].v) + fabs(w) * x[k].err;
	}
	part = nnr_loose_round(e, part);
	*sum = nnr_loose_round(e, (struct nnr_loose){ sum->v + part.v, sum->err + part.err });
}

void nnr_loose_add(const struct nnr_eval *e, struct nnr_loose *sum, double v)
{
	sum->v += v;
	sum->err += U * fabs(v);
	*sum = nnr_loose_round(e, *sum);
}

static void put(struct nnr_eval_tensor *t, size_t i, struct nnr_loose x)
{
	t->v[i] = x.v;
	t->err[i] = x.err;
}

static uint32_t steps_of(const struct nnr_eval_layer *layer)
{
	return layer->x->rank == 3 ? layer->x->dims[layer->major ? 0 : 1] : 1;
}

/* Row of batch @b at time @t of an operand in @layer's order. */
static size_t row_of(const struct nnr_eval_layer *layer, uint32_t t, uint32_t b)
{
	return layer->major ? (size_t)t * nnr_eval_batch(layer) + b
			    : (size_t)b * steps_of(layer) + t;
}

static void load_row(const struct nnr_eval_tensor *from, size_t row, struct nnr_loose *to)
{
	uint32_t size = from ? from->dims[from->rank - 1] : 0;

	for (uint32_t k = 0; k < size; k++)
		to[k] = (struct nnr_loose){ from->v[row * size + k], 0 };
}

int nnr_eval_layer_out(struct nnr_eval *e, const struct nnr_eval_layer *layer, uint32_t columns)
{
	const struct nnr_eval_tensor *x = layer->x, *aux = layer->aux;
	uint32_t dims[NNACCEL_MAX_RANK];

	if (layer->aux && (aux->rank != x->rank ||
			   memcmp(aux->dims, x->dims, (x->rank - 1) * sizeof(x->dims[0]))))
		return -EINVAL;
	memcpy(dims, x->dims, sizeof(dims));
	dims[x->rank - 1] = columns;
	return nnr_eval_out(e, layer->out, x->rank, dims);
}

/* All steps of one batch; @h and @c hold its states. */
static void run_batch(struct nnr_eval *e, const struct nnr_eval_layer *layer, uint32_t b,
		      struct nnr_loose *h, struct nnr_loose *c)
{
	struct nnr_loose x[NNR_EVAL_MAX_UNITS], aux[NNR_EVAL_MAX_UNITS];
	struct nnr_eval_tensor *out = &e->out[layer->out];
	uint32_t steps = steps_of(layer), width = out->dims[out->rank - 1];

	for (uint32_t n = 0; n < steps; n++) {
		size_t row = row_of(layer, layer->backward ? steps - 1 - n : n, b);

		load_row(layer->x, row, x);
		load_row(layer->aux, row, aux);
		layer->step(e, layer, x, aux, h, c);
		for (uint32_t u = 0; u < layer->outputs; u++) {
			put(out, row * width + layer->column + u, h[u]);
			if (n + 1 == steps && layer->h_out != NONE)
				put(&e->out[layer->h_out], b * layer->outputs + u, h[u]);
			h[u] = nnr_loose_round(e, h[u]);
		}
		for (uint32_t u = 0; u < layer->units && layer->c != NONE; u++) {
			if (n + 1 == steps && layer->c_out != NONE)
				put(&e->out[layer->c_out], b * layer->units + u, c[u]);
			c[u] = nnr_loose_round(e, c[u]);
		}
	}
}

int nnr_eval_layer_run(struct nnr_eval *e, const struct nnr_eval_layer *layer)
{
	const struct nnr_eval_tensor *x = layer->x, *h_in = &e->in[layer->h];
	uint32_t batch = nnr_eval_batch(layer);
	int ret = 0;

	if (x->dims[x->rank - 1] > NNR_EVAL_MAX_UNITS || layer->units > NNR_EVAL_MAX_UNITS ||
	    layer->outputs > NNR_EVAL_MAX_UNITS ||
	    (layer->aux && layer->aux->dims[2] > NNR_EVAL_MAX_UNITS))
		return -E2BIG;
	if (!nnr_eval_is_matrix(h_in, batch, layer->outputs) ||
	    (layer->c != NONE && !nnr_eval_is_matrix(&e->in[layer->c], batch, layer->units)))
		return -EINVAL;
	if (layer->h_out != NONE)
		ret = nnr_eval_out(e, layer->h_out, 2, h_in->dims);
	if (!ret && layer->c_out != NONE)
		ret = nnr_eval_out(e, layer->c_out, 2, e->in[layer->c].dims);
	for (uint32_t b = 0; !ret && b < batch; b++) {
		struct nnr_loose h[NNR_EVAL_MAX_UNITS], c[NNR_EVAL_MAX_UNITS];

		load_row(h_in, b, h);
		load_row(layer->c == NONE ? NULL : &e->in[layer->c], b, c);
		run_batch(e, layer, b, h, c);
	}
	return ret;
}

int nnr_eval_both_run(struct nnr_eval *e, struct nnr_eval_layer *forward,
		      struct nnr_eval_layer *backward, bool merge)
{
	int ret;

	if (memcmp(backward->x->dims, forward->x->dims, 2 * sizeof(forward->x->dims[0])))
		return -EINVAL;
	backward->backward = true;
	backward->out = merge ? 0 : 1;
	backward->column = merge ? forward->outputs : 0;
	ret = nnr_eval_layer_out(e, forward, forward->outputs + (merge ? backward->outputs : 0));
	if (!ret && !merge)
		ret = nnr_eval_layer_out(e, backward, backward->outputs);
	if (!ret)
		ret = nnr_eval_layer_run(e, forward);
	return ret ? ret : nnr_eval_layer_run(e, backward);
}

/* ---- RNN: a cell's operands are weights, recurrent weights, bias, state */

static void rnn_step(const struct nnr_eval *e, const struct nnr_eval_layer *layer,
		     const struct nnr_loose *x, const struct nnr_loose *aux, struct nnr_loose *h,
		     struct nnr_loose *c)
{
	const struct nnr_eval_tensor *cell = &e->in[layer->cell];
	struct nnr_loose fresh[NNR_EVAL_MAX_UNITS];

	for (uint32_t u = 0; u < layer->units; u++) {
		struct nnr_loose sum = { 0 };

		nnr_loose_dot(e, &sum, &cell[0], u, x);
		if (layer->aux_weights != NONE)
			nnr_loose_dot(e, &sum, &e->in[layer->aux_weights], u, aux);
		nnr_loose_dot(e, &sum, &cell[1], u, h);
		nnr_loose_add(e, &sum, cell[2].v[u]);
		fresh[u] = nnr_loose_activate(e, nnr_eval_int(e, layer->act, 0), sum);
	}
	memcpy(h, fresh, layer->units * sizeof(*h));
}

static int rnn_layer(struct nnr_eval *e, struct nnr_eval_layer *layer)
{
	const struct nnr_eval_tensor *cell = &e->in[layer->cell];
	uint32_t units = cell[0].dims[0];

	if (!nnr_eval_is_matrix(&cell[0], units, layer->x->dims[layer->x->rank - 1]) ||
	    !nnr_eval_is_matrix(&cell[1], units, units) || cell[2].count != units ||
	    (layer->aux_weights != NONE &&
	     !nnr_eval_is_matrix(&e->in[layer->aux_weights], units, layer->aux->dims[2])))
		return -EINVAL;
	layer->units = layer->outputs = units;
	layer->c = layer->c_out = NONE;
	layer->h = layer->cell + 3;
	layer->step = rnn_step;
	return 0;
}

/*
 * RNN: input, cell, activation -> state, output.
 * UNIDIRECTIONAL_SEQUENCE_RNN: the same, time major -> outputs, state?
 */
static int eval_rnn(struct nnr_eval *e)
{
	bool sequence = e->type == NNA_OPERATION_UNIDIRECTIONAL_SEQUENCE_RNN;
	struct nnr_eval_layer layer = {
		.x = &e->in[0],
		.major = sequence && nnr_eval_int(e, 6, 0),
		.cell = 1,
		.aux_weights = NONE,
		.act = 5,
		.out = sequence ? 0 : 1,
		.h_out = !sequence	       ? 0
			 : e->output_count > 1 ? 1
					       : NONE,
	};
	int ret = rnn_layer(e, &layer);

	if (ret || layer.x->rank != 2u + sequence)
		return -EINVAL;
	ret = nnr_eval_layer_out(e, &layer, layer.outputs);
	return ret ? ret : nnr_eval_layer_run(e, &layer);
}

/*
 * BIDIRECTIONAL_SEQUENCE_RNN: input, cell forward, cell backward, auxiliary input?, its weights
 * forward? and backward?, activation, time major, merge -> outputs, outputs backward unless merged,
 * states?. Without weights an auxiliary input is what the backward cell reads.
 */
static int eval_rnn_both(struct nnr_eval *e)
{
	bool merge = nnr_eval_int(e, 14, 0), cross = nnr_eval_has(e, 10), aux = nnr_eval_has(e, 9);
	uint32_t state = merge ? 1 : 2;
	bool states = e->output_count > state;
	struct nnr_eval_layer forward =
				      {
					      .x = &e->in[0],
					      .aux = cross ? &e->in[9] : NULL,
					      .major = nnr_eval_int(e, 13, 0),
					      .cell = 1,
					      .aux_weights = cross ? 10 : NONE,
					      .act = 12,
					      .h_out = states ? state : NONE,
				      },
			      backward = forward;

	if (e->in[0].rank != 3 || cross != nnr_eval_has(e, 11) || (cross && !aux) ||
	    (aux && e->in[9].rank != 3))
		return -EINVAL;
	backward.cell = 5;
	backward.aux_weights = cross ? 11 : NONE;
	backward.h_out = states ? state + 1 : NONE;
	if (aux && !cross)
		backward.x = &e->in[9];
	if (rnn_layer(e, &forward) || rnn_layer(e, &backward))
		return -EINVAL;
	return nnr_eval_both_run(e, &forward, &backward, merge);
}

/*
 * input, feature weights [filters, size], time weights [filters, memory], bias? [units], state,
 * rank, activation -> state, output. The state holds the last results of each filter, oldest first,
 * in memory - 1 places and one that is free. (The text states a size without the free one; the
 * vectors and all that is in use have it.)
 */
static int eval_svdf(struct nnr_eval *e)
{
	const struct nnr_eval_tensor *x = &e->in[0], *f = &e->in[1], *t = &e->in[2],
				     *state = &e->in[4];
	uint32_t rank = (uint32_t)nnr_eval_int(e, 5, 1), batch = x->dims[0], size = x->dims[1];
	uint32_t filters = f->dims[0], memory = t->dims[1], units;
	struct nnr_eval_tensor *kept = &e->out[0], *out = &e->out[1];
	struct nnr_loose in[NNR_EVAL_MAX_UNITS];
	int ret;

	if (size > NNR_EVAL_MAX_UNITS)
		return -E2BIG;
	if (x->rank != 2 || !rank || filters % rank || !nnr_eval_is_matrix(f, filters, size) ||
	    !nnr_eval_is_matrix(t, filters, memory) ||
	    !nnr_eval_is_matrix(state, batch, memory * filters))
		return -EINVAL;
	units = filters / rank;
	ret = nnr_eval_out(e, 0, 2, state->dims);
	if (!ret)
		ret = nnr_eval_out(e, 1, 2, (uint32_t[]){ batch, units });
	for (size_t i = 0; !ret && i < (size_t)batch * filters; i++) {
		const double *w = t->v + i % filters * memory;
		struct nnr_loose fresh = { 0 }, part = { 0 };
		size_t unit = i / filters * units + i % filters / rank;

		load_row(x, i / filters, in);
		nnr_loose_dot(e, &fresh, f, i % filters, in);
		for (uint32_t k = 0; k < memory; k++) {
			bool last = k == memory - 1;
			double v = last ? fresh.v : state->v[i * memory + k];

			if (k) {
				kept->v[i * memory + k - 1] = v;
				kept->err[i * memory + k - 1] = last ? fresh.err : 0;
			}
			part.v += w[k] * v;
			part.err += (memory + 4) * U * fabs(w[k] * v) +
				    (last ? fabs(w[k]) * fresh.err : 0);
		}
		part = nnr_loose_round(e, part);
		out->v[unit] += part.v;
		out->err[unit] += part.err;
		out->err[unit] += nnr_loose_round(e, (struct nnr_loose){ out->v[unit], 0 }).err;
	}
	for (size_t i = 0; !ret && i < out->count; i++) {
		struct nnr_loose sum = { out->v[i], out->err[i] };

		if (nnr_eval_has(e, 3))
			nnr_loose_add(e, &sum, e->in[3].v[i % units]);
		sum = nnr_loose_activate(e, nnr_eval_int(e, 6, 0), sum);
		out->v[i] = sum.v;
		out->err[i] = sum.err;
	}
	return ret;
}

int nnr_eval_recurrent(struct nnr_eval *e)
{
	switch (e->type) {
	case NNA_OPERATION_RNN:
	case NNA_OPERATION_UNIDIRECTIONAL_SEQUENCE_RNN:
		return eval_rnn(e);
	case NNA_OPERATION_BIDIRECTIONAL_SEQUENCE_RNN:
		return eval_rnn_both(e);
	case NNA_OPERATION_SVDF:
		return eval_svdf(e);
	default:
		return -ENOTSUP;
	}
}
