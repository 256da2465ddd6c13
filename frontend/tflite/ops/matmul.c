// SPDX-License-Identifier: MIT
/* FULLY_CONNECTED and BATCH_MATMUL. */
#include "frontend/tflite/rescale.h"

/* Number of products of halves of INT16, each at most 128 * 128, whose sum is exact in FLOAT32. */
#define MAX_PIECE 1024u

/* Sums of products of integers in FLOAT32, without bias: [rows, units]. */
static struct tflite_value integer_rows(struct tflite_translation *t, uint32_t type,
					struct tflite_value x, struct tflite_value weights)
{
	uint32_t units = weights.o.dims[0];
	struct tflite_operand_desc bias = { .desc = { .type = NNA_OPERAND_TENSOR_FLOAT32,
						      .rank = 1 },
					    .dims = { units } };
	struct tflite_value sum = x;

	sum.o.dims[1] = units;
	sum.operand = tflite_add_operand(t, &sum.o);
	tflite_push(t, x.operand);
	tflite_push(t, weights.operand);
	tflite_push(t, tflite_add_constant(t, &bias, NULL, (size_t)units * 4));
	tflite_push_i32(t, 0);
	tflite_emit_to(t, type, sum.operand);
	return sum;
}

static void hybrid_fully_connected(struct tflite_translation *t, uint32_t type, uint32_t rows)
{
	struct tflite_value q, scale = { 0 };

	q = tflite_hybrid_input(t, rows, t->op->options.asymmetric, &scale);
	q = integer_rows(t, type, q, tflite_hybrid_weights(t, 1));
	tflite_finish_hybrid(t, q, scale);
}

static void wide_fully_connected(struct tflite_translation *t, uint32_t type, uint32_t rows)
{
	const struct tflite_tensor *w = tflite_input(t, 1);
	struct tflite_value weights = tflite_hybrid_weights(t, 1), parts[2];

	for (int i = 0; i < 2; i++) {
		parts[i] = tflite_reshaped(t, tflite_wide_input(t, !i), 2,
					   (uint32_t[]){ rows, w->dims[1] });
		parts[i] = integer_rows(t, type, parts[i], weights);
	}
	tflite_finish_wide(t, parts[0], parts[1], w->dims[0]);
}

void tflite_translate_fully_connected(struct tflite_translation *t, uint32_t type)
{
	const struct tflite_tensor *x, *w, *y;
	struct tflite_operand_desc o;

	tflite_need(t, 2, 1);
	x = tflite_input(t, 0);
	w = tflite_input(t, 1);
	y = tflite_output(t, 0);
	tflite_need_rank(t, w, 2);
	if (t->op->options.weights_format)
		tflite_unsupported(t, NULL, "weights format %d", "0, which is not shuffled",
				   t->op->options.weights_format);
	if (t->ret)
		return;
	if (tflite_is_hybrid(t) || tflite_is_wide(t)) {
		uint32_t rows = w->dims[1] ? (uint32_t)(x->elements / w->dims[1]) : 0;

		if (!rows || !w->dims[0] || (uint64_t)rows * w->dims[1] != x->elements)
			tflite_refuse(t, w, "%u rows of %u elements",
				      "1 or more rows, of a divisor of the input's %llu elements",
				      w->dims[0], w->dims[1], (unsigned long long)x->elements);
		else if (tflite_is_wide(t))
			wide_fully_connected(t, type, rows);
		else
			hybrid_fully_connected(t, type, rows);
		return;
	}
	tflite_push_input(t, 0);
	tflite_push_weights(t, 1, x);
	tflite_push_bias(t, 2, x, w, w->dims[0]);
	tflite_push_i32(t, tflite_fused(t));
	if (y->rank == 2) {
		tflite_finish(t, type);
		return;
	}
	if (t->op->options.activation != tflite_fused(t) || !w->dims[0]) {
		tflite_unsupported(t, y, "%u dimensions with fused activation %d and %u units",
				   "2 dimensions; any number of 1 or more units without TANH",
				   y->rank, t->op->options.activation, w->dims[0]);
		return;
	}
	tflite_describe(t, y, &o);
	o.desc.rank = 2;
	o.dims[0] = (uint32_t)(y->elements / w->dims[0]);
	o.dims[1] = w->dims[0];
	tflite_finish_reshaped(t, type, &o);
}

bool tflite_is_matmul16(const struct tflite_translation *t)
{
	const struct tflite_ints in = t->op->inputs, out = t->op->outputs;
	const struct tflite_tensor *b;

	if (t->op->code != TFLITE_BATCH_MATMUL || in.count != 2 || in.at[0] < 0 || in.at[1] < 0 ||
	    out.count != 1)
		return false;
	b = &t->sub->tensors[in.at[1]];
	return tflite_is_symmetric16(&t->sub->tensors[in.at[0]]) &&
	       tflite_is_symmetric16(&t->sub->tensors[out.at[0]]) &&
	       t->sub->tensors[in.at[0]].rank >= 2 && b->rank >= 2 &&
	       (tflite_is_symmetric16(b) ||
		(b->type == TFLITE_INT8 && b->scale_count == 1 && !tflite_zero_point(b)));
}

/* The product of two FLOAT32 in the shape of the output. */
static struct tflite_value multiplied(struct tflite_translation *t, uint32_t type,
				      struct tflite_value a, struct tflite_value b)
{
	struct tflite_value y;

	tflite_describe(t, tflite_output(t, 0), &y.o);
	y = tflite_like(t, &y, NNA_OPERAND_TENSOR_FLOAT32);
	tflite_push(t, a.operand);
	tflite_push(t, b.operand);
	tflite_push_bool(t, t->op->options.adj_x);
	tflite_push_bool(t, t->op->options.adj_y);
	tflite_emit_to(t, type, y.operand);
	return y;
}

/*
 * Multiplies halves of the numbers in FLOAT32. A sum of up to MAX_PIECE products is exact; longer
 * sums are computed in pieces.
 */
static void matmul16(struct tflite_translation *t, uint32_t type)
{
	const struct tflite_tensor *x = tflite_input(t, 0), *w = tflite_input(t, 1);
	const uint32_t axis = x->rank - (t->op->options.adj_x ? 2 : 1),
		       other = w->rank - (t->op->options.adj_y ? 1 : 2), terms = x->dims[axis];
	const bool both = w->type == TFLITE_INT16;
	struct tflite_value a[2], b[2], sum = { 0 };
	struct tflite_factor factor =
		tflite_factor_of((double)(tflite_scale(x) * tflite_scale(w)) /
				 (double)tflite_scale(tflite_output(t, 0)));

	if (w->dims[other] != terms || !terms) {
		tflite_refuse(t, w, "%u terms of a sum", "%u, those of input 0, and 1 or more",
			      w->dims[other], terms);
		return;
	}
	for (int i = 0; i < 2; i++) {
		a[i] = tflite_wide_part(t, tflite_value(t, 0), !i);
		if (both)
			b[i] = tflite_wide_part(t, tflite_value(t, 1), !i);
	}
	if (!both)
		b[0] = tflite_cast(t, tflite_value(t, 1), NNA_OPERAND_TENSOR_FLOAT32);
	for (uint32_t from = 0; from < terms && !t->ret; from += MAX_PIECE) {
		uint32_t count = terms - from < MAX_PIECE ? terms - from : MAX_PIECE;
		struct tflite_value columns[2];

		for (int k = 0; k < (both ? 2 : 1); k++) {
			struct tflite_value rows[2], right = b[k];

			if (count < terms)
				right = tflite_part(t, right, other, from, count);
			for (int i = 0; i < 2; i++) {
				rows[i] = a[i];
				if (count < terms)
					rows[i] = tflite_part(t, rows[i], axis, from, count);
				rows[i] = multiplied(t, type, rows[i], right);
			}
			columns[k] = tflite_wide_sum(t, rows[0], rows[1]);
		}
		if (both)
			columns[0] = tflite_wide_sum(t, columns[0], columns[1]);
		sum = from ? tflite_binary(t, NNA_OPERATION_ADD, sum, columns[0]) : columns[0];
	}
	tflite_store(t, tflite_rescaled(t, sum, &factor, 1, TFLITE_RULE_64));
}

void tflite_translate_batch_matmul(struct tflite_translation *t, uint32_t type)
{
	tflite_need(t, 2, 1);
	if (!t->ret && tflite_is_matmul16(t)) {
		matmul16(t, type);
		return;
	}
	tflite_push_input(t, 0);
	tflite_push_input(t, 1);
	tflite_push_bool(t, t->op->options.adj_x);
	tflite_push_bool(t, t->op->options.adj_y);
	tflite_emit_outputs(t, type);
}
