// SPDX-License-Identifier: MIT
/* One step of RNN, LSTM and SVDF, and sequences of RNN. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tests/random/nna_eval.h"

#define U NNA_EVAL_U
#define MAX_UNITS 256

/* A value and how far off the device's arithmetic may be. */
struct loose {
	double v, err;
};

/* Layers of fp16 keep what they compute on the way in fp16, too. */
static struct loose rounded(const struct nna_eval *e, struct loose x)
{
	bool fp16 = e->in[0].type == NNA_TENSOR_FLOAT16;

	x.err += fp16 ? 0x1p-11 * fabs(x.v) + 0x1p-25 : U * fabs(x.v);
	return x;
}

/* Recurrent layers know two more activations. */
static struct loose squash(const struct nna_eval *e, int64_t activation, struct loose x)
{
	double y;

	switch (activation) {
	case 4:
		y = tanh(x.v);
		return rounded(e, (struct loose){ y, x.err + 8 * U * fabs(y) });
	case 6:
		y = 1 / (1 + exp(-x.v));
		return rounded(e, (struct loose){ y, x.err / 4 + 8 * U * fabs(y) });
	default:
		return (struct loose){ nna_eval_activate(activation, x.v), x.err };
	}
}

/* @sum += row @row of @weights times @x; @x_err may be NULL. */
static void dot(const struct nna_eval *e, struct loose *sum, const struct nna_eval_tensor *weights,
		size_t row, const double *x, const double *x_err)
{
	size_t size = weights->dims[weights->rank - 1];
	struct loose part = { 0 };

	for (size_t k = 0; k < size; k++) {
		double w = weights->v[row * size + k];

		part.v += w * x[k];
		part.err +=
			((double)size + 4) * U * fabs(w * x[k]) + (x_err ? fabs(w) * x_err[k] : 0);
	}
	part = rounded(e, part);
	*sum = rounded(e, (struct loose){ sum->v + part.v, sum->err + part.err });
}

static void add(const struct nna_eval *e, struct loose *sum, double v)
{
	sum->v += v;
	sum->err += U * fabs(v);
	*sum = rounded(e, *sum);
}

static bool is_matrix(const struct nna_eval_tensor *t, size_t rows, size_t columns)
{
	return t->given && t->rank == 2 && t->dims[0] == rows && t->dims[1] == columns;
}

/*
 * One step of all batches: @h is the state before and becomes the one after; @fresh has room for
 * it.
 */
static void rnn_step(const struct nna_eval *e, const double *x, struct loose *h,
		     struct loose *fresh)
{
	const struct nna_eval_tensor *w = &e->in[1], *r = &e->in[2];
	uint32_t units = w->dims[0], size = w->dims[1], batch = e->in[4].dims[0];
	double v[MAX_UNITS], err[MAX_UNITS];

	for (uint32_t b = 0; b < batch; b++) {
		for (uint32_t k = 0; k < units; k++) {
			v[k] = h[b * units + k].v;
			err[k] = h[b * units + k].err;
		}
		for (uint32_t u = 0; u < units; u++) {
			struct loose sum = { 0 };

			dot(e, &sum, w, u, x + (size_t)b * size, NULL);
			dot(e, &sum, r, u, v, err);
			add(e, &sum, e->in[3].v[u]);
			fresh[b * units + u] = squash(e, nna_eval_int(e, 5, 0), sum);
		}
	}
	/* What goes to the next step is as exact as the type. */
	for (uint32_t i = 0; i < batch * units; i++)
		h[i] = rounded(e, fresh[i]);
}

static void put(struct nna_eval_tensor *t, size_t i, struct loose x)
{
	t->v[i] = x.v;
	t->err[i] = x.err;
}

/*
 * RNN: input, weights, recurrent weights, bias, state, activation -> state, output.
 * UNIDIRECTIONAL_SEQUENCE_RNN: the same with time in the input's first or, if not time major,
 * second dimension -> outputs, state?
 */
static int eval_rnn(struct nna_eval *e)
{
	bool sequence = e->type == NNA_UNIDIRECTIONAL_SEQUENCE_RNN,
	     major = sequence && nna_eval_int(e, 6, 0);
	const struct nna_eval_tensor *x = &e->in[0], *w = &e->in[1], *state = &e->in[4];
	uint32_t batch = state->dims[0], units = w->dims[0], size = w->dims[1], steps = 1, dims[3];
	struct loose *h, *fresh;
	double *now;
	int ret;

	if (x->rank != 2u + sequence || units > MAX_UNITS || !is_matrix(w, units, size) ||
	    !is_matrix(&e->in[2], units, units) || !is_matrix(state, batch, units) ||
	    e->in[3].count != units || x->dims[x->rank - 1] != size ||
	    x->dims[major ? 1 : 0] != batch)
		return -EINVAL;
	if (sequence)
		steps = x->dims[major ? 0 : 1];
	memcpy(dims, x->dims, sizeof(dims));
	dims[x->rank - 1] = units;
	ret = nna_eval_out(e, sequence ? 0 : 1, x->rank, dims);
	if (!ret && (!sequence || e->output_count > 1))
		ret = nna_eval_out(e, sequence ? 1 : 0, 2, state->dims);
	h = calloc(2 * ((size_t)batch * units + 1), sizeof(*h));
	now = calloc((size_t)batch * size + 1, sizeof(*now));
	if (!h || !now)
		ret = -ENOMEM;
	fresh = h ? h + (size_t)batch * units : NULL;
	for (size_t i = 0; !ret && i < state->count; i++)
		h[i].v = state->v[i];
	for (uint32_t t = 0; !ret && t < steps; t++) {
		for (size_t i = 0; i < (size_t)batch * size; i++)
			now[i] = x->v[major ? t * batch * size + i
					    : (i / size * steps + t) * size + i % size];
		rnn_step(e, now, h, fresh);
		for (size_t i = 0; i < (size_t)batch * units; i++) {
			size_t at = major ? t * batch * units + i
					  : (i / units * steps + t) * units + i % units;

			put(&e->out[sequence ? 0 : 1], at, fresh[i]);
			if (!sequence || (e->output_count > 1 && t + 1 == steps))
				put(&e->out[sequence ? 1 : 0], i, fresh[i]);
		}
	}
	free(h);
	free(now);
	return ret;
}

/*
 * input, feature weights [filters, size], time weights [filters, memory], bias? [units], state,
 * rank, activation -> state, output. The state holds the last results of each filter, oldest first,
 * in memory - 1 places and one that is free. (The text states a size without the free one; the
 * vectors and all that is in use have it.)
 */
static int eval_svdf(struct nna_eval *e)
{
	const struct nna_eval_tensor *x = &e->in[0], *f = &e->in[1], *t = &e->in[2],
				     *state = &e->in[4];
	uint32_t rank = (uint32_t)nna_eval_int(e, 5, 1), batch = x->dims[0], size = x->dims[1];
	uint32_t filters = f->dims[0], memory = t->dims[1], units;
	struct nna_eval_tensor *kept = &e->out[0], *out = &e->out[1];
	int ret;

	if (x->rank != 2 || !rank || filters % rank || !is_matrix(f, filters, size) ||
	    !is_matrix(t, filters, memory) || !is_matrix(state, batch, memory * filters))
		return -EINVAL;
	units = filters / rank;
	ret = nna_eval_out(e, 0, 2, state->dims);
	if (!ret)
		ret = nna_eval_out(e, 1, 2, (uint32_t[]){ batch, units });
	for (size_t i = 0; !ret && i < (size_t)batch * filters; i++) {
		const double *w = t->v + i % filters * memory;
		struct loose fresh = { 0 }, part = { 0 };
		size_t unit = i / filters * units + i % filters / rank;

		dot(e, &fresh, f, i % filters, x->v + i / filters * size, NULL);
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
		part = rounded(e, part);
		out->v[unit] += part.v;
		out->err[unit] += part.err + rounded(e, (struct loose){ out->v[unit], 0 }).err;
	}
	for (size_t i = 0; !ret && i < out->count; i++) {
		struct loose sum = { out->v[i], out->err[i] };

		if (nna_eval_has(e, 3))
			add(e, &sum, e->in[3].v[i % units]);
		sum = squash(e, nna_eval_int(e, 6, 0), sum);
		out->v[i] = sum.v;
		out->err[i] = sum.err;
	}
	return ret;
}

enum gate { INPUT, FORGET, CELL, OUTPUT };

/*
 * Of an LSTM with inputs as the HAL numbers them: 1 - 4 and 5 - 8 weights, 9 - 11 peepholes, 12 -
 * 15 biases.
 */
static struct loose gate(const struct nna_eval *e, enum gate g, uint32_t unit, const double *x,
			 const double *h, double cell, double cell_err)
{
	static const uint32_t peephole[] = { [INPUT] = 9, [FORGET] = 10, [OUTPUT] = 11 };
	struct loose sum = { 0 };

	dot(e, &sum, &e->in[1 + g], unit, x, NULL);
	dot(e, &sum, &e->in[5 + g], unit, h, NULL);
	if (g != CELL && nna_eval_has(e, peephole[g])) {
		double w = e->in[peephole[g]].v[unit];

		add(e, &sum, w * cell);
		sum.err += fabs(w) * cell_err;
	}
	add(e, &sum, e->in[12 + g].v[unit]);
	return g == CELL ? squash(e, nna_eval_int(e, 20, 0), sum) : squash(e, 6, sum);
}

static struct loose times(const struct nna_eval *e, struct loose a, struct loose b)
{
	return rounded(e, (struct loose){ a.v * b.v,
					  fabs(a.v) * b.err + fabs(b.v) * a.err + a.err * b.err });
}

static struct loose clip(struct loose x, double limit)
{
	if (limit > 0)
		x.v = fmin(fmax(x.v, -limit), limit);
	return x;
}

/* One step with 23 inputs and no layer norm: -> scratch, output state, cell state, output. */
static int eval_lstm(struct nna_eval *e)
{
	const struct nna_eval_tensor *x = &e->in[0], *h = &e->in[18], *c = &e->in[19];
	uint32_t batch = x->dims[0], size = x->dims[1], units = e->in[2].dims[0],
		 outputs = h->dims[1];
	bool coupled = !nna_eval_has(e, 1), projects = nna_eval_has(e, 16);
	struct loose *result;
	int ret = 0;

	if (e->input_count != 23 || x->rank != 2 || h->rank != 2 || !is_matrix(c, batch, units))
		return -EINVAL;
	for (uint32_t g = coupled ? FORGET : INPUT; g <= OUTPUT; g++) {
		if (!is_matrix(&e->in[1 + g], units, size) ||
		    !is_matrix(&e->in[5 + g], units, outputs) || e->in[12 + g].count != units)
			return -EINVAL;
	}
	if (projects ? !is_matrix(&e->in[16], outputs, units) : outputs != units)
		return -EINVAL;
	ret = nna_eval_out(e, 0, 2, (uint32_t[]){ batch, units * (coupled ? 3 : 4) });
	for (uint32_t i = 1; i < 4 && !ret; i++)
		ret = nna_eval_out(e, i, 2, (uint32_t[]){ batch, i == 2 ? units : outputs });
	result = calloc(units + 1, sizeof(*result));
	if (!result)
		return -ENOMEM;
	for (size_t i = 0; !ret && i < e->out[0].count; i++)
		e->out[0].err[i] = INFINITY; /* scratch holds anything */
	for (uint32_t b = 0; !ret && b < batch; b++) {
		const double *in = x->v + (size_t)b * size, *state = h->v + (size_t)b * outputs;

		for (uint32_t u = 0; u < units; u++) {
			size_t at = (size_t)b * units + u;
			struct loose f = gate(e, FORGET, u, in, state, c->v[at], 0);
			struct loose n = gate(e, CELL, u, in, state, 0, 0), i, cell, o;

			if (coupled)
				i = rounded(e, (struct loose){ 1 - f.v, f.err });
			else
				i = gate(e, INPUT, u, in, state, c->v[at], 0);
			f = times(e, f, (struct loose){ c->v[at], 0 });
			n = times(e, i, n);
			cell = clip(rounded(e, (struct loose){ f.v + n.v, f.err + n.err }),
				    nna_eval_scalar(e, 21, 0));
			e->out[2].v[at] = cell.v;
			e->out[2].err[at] = cell.err;
			o = gate(e, OUTPUT, u, in, state, cell.v, cell.err);
			result[u] = times(e, o, squash(e, nna_eval_int(e, 20, 0), cell));
		}
		for (uint32_t u = 0; u < outputs; u++) {
			size_t at = (size_t)b * outputs + u;
			struct loose y = { 0 };

			for (uint32_t k = 0; projects && k < units; k++) {
				double w = e->in[16].v[(size_t)u * units + k];

				y.v += w * result[k].v;
				y.err += (units + 4) * U * fabs(w * result[k].v) +
					 fabs(w) * result[k].err;
			}
			if (projects && nna_eval_has(e, 17))
				add(e, &y, e->in[17].v[u]);
			y = projects ? clip(y, nna_eval_scalar(e, 22, 0)) : result[u];
			e->out[1].v[at] = e->out[3].v[at] = y.v;
			e->out[1].err[at] = e->out[3].err[at] = y.err;
		}
	}
	free(result);
	return ret;
}

int nna_eval_recurrent(struct nna_eval *e)
{
	switch (e->type) {
	case NNA_RNN:
	case NNA_UNIDIRECTIONAL_SEQUENCE_RNN:
		return eval_rnn(e);
	case NNA_SVDF:
		return eval_svdf(e);
	case NNA_LSTM:
		return eval_lstm(e);
	default:
		return -ENOTSUP;
	}
}
