// SPDX-License-Identifier: MIT
/*
 * QUANTIZED_16BIT_LSTM and QUANTIZED_LSTM: the cell in real numbers, and how far 16-bit numbers on
 * the way may take a result from it. Bounds are of one step, so they stay small: some units of what
 * is stored.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tests/random/eval_recurrent.h"

#define U NNR_EVAL_U
#define GATE_STEP 0x1p-12
#define GATE_LIMIT 8 /* of 16 bits in such steps */
/* Fixed-point functions in 1/32768 are right to some units. */
#define FUNCTION_ERROR (14 * 0x1p-15)
/* QUANTIZED_16BIT_LSTM rounds products to such steps before it rescales them. */
#define PRODUCT_STEP 0x1p-15

enum gate { INPUT, FORGET, CELL, OUTPUT, GATES };

static double limited(double v, double limit)
{
	return fmin(fmax(v, -limit), limit);
}

static struct nnr_loose limit(struct nnr_loose x, double most)
{
	return (struct nnr_loose){ limited(x.v, most), x.err };
}

static struct nnr_loose stepped(struct nnr_loose x, double step)
{
	x.err += step / 2;
	return x;
}

static struct nnr_loose squashed(bool logistic, struct nnr_loose x)
{
	double y = logistic ? 1 / (1 + exp(-x.v)) : tanh(x.v);

	return (struct nnr_loose){ y, x.err * (logistic ? 0.25 : 1) + FUNCTION_ERROR };
}

static struct nnr_loose product(struct nnr_loose a, struct nnr_loose b)
{
	return (struct nnr_loose){ a.v * b.v,
				   fabs(a.v) * b.err + fabs(b.v) * a.err + a.err * b.err };
}

static struct nnr_loose sum(struct nnr_loose a, struct nnr_loose b)
{
	return (struct nnr_loose){ a.v + b.v, a.err + b.err };
}

/* @weights: rows of what @x has. */
static struct nnr_loose dot(const struct nnr_eval_tensor *weights, size_t row, const double *x)
{
	struct nnr_loose total = { 0 };
	uint32_t size = weights->dims[1];

	for (uint32_t k = 0; k < size; k++) {
		double p = weights->v[row * size + k] * x[k];

		total.v += p;
		total.err += (size + 4) * U * fabs(p);
	}
	return total;
}

/* What a bias says, whatever scale its operand states. */
static double bias_of(const struct nnr_eval_tensor *bias, size_t i, double scale)
{
	return bias->scale != 0 ? bias->v[i] / (double)bias->scale * scale : bias->v[i] * scale;
}

static void put(struct nnr_eval_tensor *t, size_t i, struct nnr_loose x)
{
	t->v[i] = x.v;
	t->err[i] = x.err;
}

/* forget * c + in * fresh in 16 bits of @step. */
static struct nnr_loose next_cell(double c, struct nnr_loose forget, struct nnr_loose in,
				  struct nnr_loose fresh, double step)
{
	struct nnr_loose kept = stepped(product(forget, (struct nnr_loose){ c, 0 }), step);

	return limit(sum(kept, stepped(product(in, fresh), step)), 32767 * step);
}

/* ---- QUANTIZED_16BIT_LSTM */

/*
 * One gate of unit @u. All implementations multiply [input, last output] by [recurrent weights,
 * input weights], in these orders, and the vectors expect it; the text says otherwise.
 */
static struct nnr_loose gate16(const struct nnr_eval *e, enum gate g, uint32_t u,
			       const double *data)
{
	uint32_t units = e->in[1].dims[0];
	struct nnr_loose total =
		sum(dot(&e->in[5 + g], u, data), dot(&e->in[1 + g], u, data + units));

	total.v += bias_of(&e->in[9 + g], u, (double)e->in[0].scale * (double)e->in[1].scale);
	return squashed(g != CELL, limit(stepped(total, GATE_STEP), GATE_LIMIT));
}

/*
 * input [batch, size], 4 input weights, 4 recurrent weights, 4 biases, cell state, last output ->
 * cell state, output
 */
static int eval_16bit(struct nnr_eval *e)
{
	uint32_t batch = e->in[0].dims[0], size = e->in[0].dims[1], units = e->in[1].dims[0];
	double *data;
	int ret = 0;

	if (e->in[0].rank != 2 || !nnr_eval_is_matrix(&e->in[13], batch, units) ||
	    !nnr_eval_is_matrix(&e->in[14], batch, units) || e->in[13].scale != 0x1p-11f)
		return -EINVAL;
	for (uint32_t g = 0; g < GATES; g++) {
		if (!nnr_eval_is_matrix(&e->in[1 + g], units, size) ||
		    !nnr_eval_is_matrix(&e->in[5 + g], units, units) || e->in[9 + g].count != units)
			return -EINVAL;
	}
	for (uint32_t i = 0; i < 2 && !ret; i++)
		ret = nnr_eval_out(e, i, 2, (uint32_t[]){ batch, units });
	data = calloc(size + units + 1, sizeof(*data));
	if (!data)
		return -ENOMEM;
	for (uint32_t b = 0; b < batch && !ret; b++) {
		memcpy(data, e->in[0].v + (size_t)b * size, size * sizeof(*data));
		memcpy(data + size, e->in[14].v + (size_t)b * units, units * sizeof(*data));
		for (uint32_t u = 0; u < units; u++) {
			size_t i = (size_t)b * units + u;
			struct nnr_loose c = next_cell(e->in[13].v[i], gate16(e, FORGET, u, data),
						       gate16(e, INPUT, u, data),
						       gate16(e, CELL, u, data), 0x1p-11);

			c = stepped(c, PRODUCT_STEP);
			put(&e->out[0], i, c);
			put(&e->out[1], i,
			    stepped(product(gate16(e, OUTPUT, u, data), squashed(false, c)),
				    PRODUCT_STEP));
		}
	}
	free(data);
	return ret;
}

/* ---- QUANTIZED_LSTM */

enum {
	WEIGHTS = 1,
	RECURRENT = 5,
	PEEPHOLE = 9,
	BIAS = 12,
	PROJECTION = 16,
	LAST = 18,
	STATE = 19,
	NORM = 20,
	CELL_CLIP = 24,
	PROJECTION_CLIP = 25,
	NORM_SCALE = 26,
	HIDDEN_ZERO = 30,
	HIDDEN_SCALE = 31,
};

static const uint32_t peephole_of[] = { [INPUT] = 9, [FORGET] = 10, [OUTPUT] = 11 };

/* In 1/1024, as the 16-bit norm counts. */
static void normalise(const struct nnr_eval *e, enum gate g, uint32_t units, struct nnr_loose *x)
{
	double mean = 0, variance = 0, off = 0, deviation, least;
	const struct nnr_eval_tensor *norm = &e->in[NORM + g];

	for (uint32_t u = 0; u < units; u++) {
		mean += x[u].v / units;
		off = x[u].err < INFINITY ? fmax(off, x[u].err) : INFINITY;
	}
	for (uint32_t u = 0; u < units; u++)
		variance += (x[u].v - mean) * (x[u].v - mean) / units;
	deviation = sqrt(variance);
	least = deviation - 2 * off;
	for (uint32_t u = 0; u < units; u++) {
		double d = x[u].v - mean, n = d / deviation;
		struct nnr_loose y = { n, 2 * off / least + fabs(d) * 2 * off / (least * least) +
						  0x1p-9 * (1 + fabs(n)) };

		if (!(least > 32 * nnr_eval_scalar(e, NORM_SCALE + g, 1)))
			y = (struct nnr_loose){ 0, INFINITY };
		y.v = y.v * norm->v[u] +
		      bias_of(&e->in[BIAS + g], u, 0x1p-10 * (double)norm->scale);
		y.err *= fabs(norm->v[u]);
		x[u] = limit(stepped(y, GATE_STEP), GATE_LIMIT);
	}
}

/* One gate of all units of batch @b; @c: the cell state that its peephole sees. */
static void open_gate(const struct nnr_eval *e, enum gate g, uint32_t b, const struct nnr_loose *c,
		      struct nnr_loose *gate)
{
	uint32_t units = e->in[STATE].dims[1];
	bool norm = nnr_eval_has(e, NORM + g);
	double step = norm ? nnr_eval_scalar(e, NORM_SCALE + g, 1) : GATE_STEP;

	for (uint32_t u = 0; u < units; u++) {
		struct nnr_loose x =
			dot(&e->in[WEIGHTS + g], u, e->in[0].v + (size_t)b * e->in[0].dims[1]);
		struct nnr_loose h = dot(&e->in[RECURRENT + g], u,
					 e->in[LAST].v + (size_t)b * e->in[LAST].dims[1]);

		if (!norm)
			x.v += bias_of(&e->in[BIAS + g], u,
				       (double)e->in[0].scale * (double)e->in[WEIGHTS + g].scale);
		/* What is added has 32 bits, and only the sum 16. */
		x = limit(stepped(x, step), 32767 * step);
		gate[u] = limit(sum(x, stepped(h, step)), 32767 * step);
		if (g != CELL && nnr_eval_has(e, peephole_of[g])) {
			struct nnr_loose w = { e->in[peephole_of[g]].v[u], 0 };
			struct nnr_loose p = stepped(product(w, c[u]), step);

			gate[u] = limit(sum(gate[u], p), 32767 * step);
		}
	}
	if (norm)
		normalise(e, g, units, gate);
	for (uint32_t u = 0; u < units; u++)
		gate[u] = squashed(g != CELL, gate[u]);
}

/* The hidden state in 8 bits, and by the projection the output. */
static void put_output(struct nnr_eval *e, uint32_t b, struct nnr_loose *hidden)
{
	double step = nnr_eval_scalar(e, HIDDEN_SCALE, 1),
	       zero = nnr_eval_scalar(e, HIDDEN_ZERO, 0);
	double most = nnr_eval_scalar(e, PROJECTION_CLIP, 0);
	uint32_t units = e->in[STATE].dims[1], outputs = e->in[LAST].dims[1];
	const struct nnr_eval_tensor *weights = &e->in[PROJECTION];

	for (uint32_t u = 0; u < units; u++) {
		hidden[u] = stepped(hidden[u], step);
		hidden[u].v = fmin(fmax(hidden[u].v, (-128 - zero) * step), (127 - zero) * step);
	}
	for (uint32_t o = 0; o < outputs; o++) {
		struct nnr_loose y = { 0 };

		if (!weights->given)
			y = hidden[o];
		for (uint32_t u = 0; u < units && weights->given; u++) {
			struct nnr_loose w = { weights->v[(size_t)o * units + u], 0 };

			y = sum(y, product(w, hidden[u]));
			y.err += (units + 4) * U * fabs(w.v * hidden[u].v);
		}
		if (nnr_eval_has(e, PROJECTION + 1))
			y.v += bias_of(&e->in[PROJECTION + 1], o, step * (double)weights->scale);
		if (weights->given && most > 0)
			y = limit(y, most);
		put(&e->out[0], (size_t)b * outputs + o, y);
		put(&e->out[2], (size_t)b * outputs + o, y);
	}
}

static void run_batch(struct nnr_eval *e, uint32_t b)
{
	struct nnr_loose in[NNR_EVAL_MAX_UNITS], forget[NNR_EVAL_MAX_UNITS],
		fresh[NNR_EVAL_MAX_UNITS], out[NNR_EVAL_MAX_UNITS], c[NNR_EVAL_MAX_UNITS] = { 0 };
	uint32_t units = e->in[STATE].dims[1];
	double step = e->in[STATE].scale, most = nnr_eval_scalar(e, CELL_CLIP, 0);

	for (uint32_t u = 0; u < units; u++)
		c[u] = (struct nnr_loose){ e->in[STATE].v[(size_t)b * units + u], 0 };
	open_gate(e, FORGET, b, c, forget);
	open_gate(e, CELL, b, c, fresh);
	if (nnr_eval_has(e, WEIGHTS))
		open_gate(e, INPUT, b, c, in);
	for (uint32_t u = 0; u < units; u++) {
		if (!nnr_eval_has(e, WEIGHTS))
			in[u] = (struct nnr_loose){ 1 - forget[u].v, forget[u].err + 0x1p-15 };
		c[u] = next_cell(c[u].v, forget[u], in[u], fresh[u], step);
		if (most > 0)
			c[u] = limit(c[u], most);
		put(&e->out[1], (size_t)b * units + u, c[u]);
	}
	open_gate(e, OUTPUT, b, c, out);
	for (uint32_t u = 0; u < units; u++)
		out[u] = product(out[u], squashed(false, c[u]));
	put_output(e, b, out);
}

/*
 * input, the operands of LSTM's cell, last output, cell state, 4 norms?, cell clip, projection
 * clip, scales of 4 sums before their norm, zero point and scale of the hidden state -> output
 * state, cell state, output
 */
static int eval_8bit(struct nnr_eval *e)
{
	const struct nnr_eval_tensor *h = &e->in[LAST], *c = &e->in[STATE];
	uint32_t batch = e->in[0].dims[0], units = c->dims[1], outputs = h->dims[1];
	int ret = 0;

	if (e->input_count != 32 || e->in[0].rank != 2 || units > NNR_EVAL_MAX_UNITS ||
	    !nnr_eval_is_matrix(c, batch, units) || !nnr_eval_is_matrix(h, batch, outputs))
		return -EINVAL;
	for (uint32_t g = nnr_eval_has(e, WEIGHTS) ? INPUT : FORGET; g < GATES; g++) {
		if (!nnr_eval_is_matrix(&e->in[WEIGHTS + g], units, e->in[0].dims[1]) ||
		    !nnr_eval_is_matrix(&e->in[RECURRENT + g], units, outputs) ||
		    e->in[BIAS + g].count != units)
			return -EINVAL;
	}
	if (nnr_eval_has(e, PROJECTION) ? !nnr_eval_is_matrix(&e->in[PROJECTION], outputs, units)
					: outputs != units)
		return -EINVAL;
	for (uint32_t i = 0; i < 3 && !ret; i++)
		ret = nnr_eval_out(e, i, 2, i == 1 ? c->dims : h->dims);
	for (uint32_t b = 0; b < batch && !ret; b++)
		run_batch(e, b);
	return ret;
}

int nnr_eval_quantized_lstm(struct nnr_eval *e)
{
	switch (e->type) {
	case NNA_OPERATION_QUANTIZED_16BIT_LSTM:
		return eval_16bit(e);
	case NNA_OPERATION_QUANTIZED_LSTM:
		return eval_8bit(e);
	default:
		return -ENOTSUP;
	}
}
