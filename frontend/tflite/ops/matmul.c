// SPDX-License-Identifier: MIT
/* FULLY_CONNECTED and BATCH_MATMUL. */
#include "frontend/tflite/rescale.h"

#include <string.h>

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
	const struct tflite_tensor *w = tflite_input(t, 1);
	const struct tflite_weights shape = { w->dims[1], 1, 1, w->dims };
	const bool asymmetric = t->op->options.asymmetric;
	struct tflite_value q, scale = { 0 }, zero, sums;
	const bool exact = asymmetric && tflite_hybrid_sums(t, &shape, &sums);

	q = tflite_hybrid_input(t, rows, asymmetric, &scale, exact ? &zero : NULL);
	q = integer_rows(t, type, q, tflite_hybrid_weights(t, 1));
	if (exact)
		q = tflite_hybrid_centred(t, q, zero, sums);
	tflite_finish_hybrid(t, q, scale);
}

/* The scale of element @i of @scales, FLOAT16 or FLOAT32. */
static float block_scale(const struct tflite_tensor *scales, uint64_t i)
{
	if (scales->type == TFLITE_FLOAT16)
		return tflite_half_to_float(((const uint16_t *)scales->data)[i]);
	return ((const float *)scales->data)[i];
}

/* Weights with scales of blocks as real numbers: FLOAT32 [units, terms]. */
static struct tflite_value block_weights(struct tflite_translation *t)
{
	const struct tflite_tensor *w = tflite_input(t, 1), *scales;
	const uint32_t terms = w->dims[1], size = w->block_size, blocks = terms / size;
	struct tflite_value v = { .operand = TFLITE_NO_OPERAND };
	float *reals = NULL;

	scales = &t->sub->tensors[w->block_scales];
	if (terms % size)
		tflite_refuse(t, w, "blocks of %u", "a divisor of %u, the elements of a row", size,
			      terms);
	tflite_need_elements(t, scales, (uint64_t)w->dims[0] * blocks, "one for each block");
	if (!scales->data || !tflite_is_float(scales->type))
		tflite_refuse(t, scales, "no scales", "a constant of FLOAT16 or FLOAT32");
	if (!t->ret)
		reals = tflite_derive(t->model, w->elements * sizeof(*reals));
	if (!reals) {
		tflite_no_memory(t);
		return v;
	}
	for (uint64_t i = 0; i < w->elements; i++)
		reals[i] = (float)((const int8_t *)w->data)[i] *
			   block_scale(scales, i / terms * blocks + i % terms / size);
	v.o = (struct tflite_operand_desc){ .desc = { .type = NNA_OPERAND_TENSOR_FLOAT32,
						      .rank = 2 },
					    .dims = { w->dims[0], terms } };
	v.operand = tflite_add_operand(t, &v.o);
	tflite_set_constant(t, v.operand, reals, w->elements * sizeof(*reals));
	return v;
}

/* FLOAT32 by weights with scales of blocks: LiteRT's kernel is always asymmetric there. */
static void block_fully_connected(struct tflite_translation *t, uint32_t type, uint32_t rows)
{
	struct tflite_value q, scale = { 0 };

	q = tflite_hybrid_input(t, rows, true, &scale, NULL);
	q = integer_rows(t, type, q, block_weights(t));
	tflite_finish_biased(t, tflite_binary(t, NNA_OPERATION_MUL, q, scale));
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

bool tflite_is_full16(const struct tflite_translation *t)
{
	const struct tflite_ints in = t->op->inputs, out = t->op->outputs;
	const struct tflite_tensor *w;

	if (t->op->code != TFLITE_FULLY_CONNECTED || in.count < 2 || in.at[0] < 0 ||
	    in.at[1] < 0 || (in.count > 2 && in.at[2] >= 0) || out.count != 1)
		return false;
	w = &t->sub->tensors[in.at[1]];
	return tflite_is_symmetric16(&t->sub->tensors[in.at[0]]) && tflite_is_symmetric16(w) &&
	       tflite_is_symmetric16(&t->sub->tensors[out.at[0]]) && w->rank == 2 &&
	       w->dims[1] <= MAX_PIECE && t->op->options.activation <= TFLITE_ACT_RELU6;
}

/* INT16 by INT16 without a bias: the sums of products of halves are exact in FLOAT32. */
static void full16(struct tflite_translation *t, uint32_t type, uint32_t rows)
{
	const struct tflite_tensor *x = tflite_input(t, 0), *w = tflite_input(t, 1);
	struct tflite_factor factor =
		tflite_factor_of((double)(tflite_scale(x) * tflite_scale(w)) /
				 (double)tflite_scale(tflite_output(t, 0)));
	struct tflite_value a[2], b[2], columns[2];

	for (int i = 0; i < 2; i++) {
		a[i] = tflite_reshaped(t, tflite_wide_part(t, tflite_value(t, 0), !i), 2,
				       (uint32_t[]){ rows, w->dims[1] });
		b[i] = tflite_wide_part(t, tflite_value(t, 1), !i);
	}
	for (int k = 0; k < 2; k++)
		columns[k] = tflite_wide_sum(t, integer_rows(t, type, a[0], b[k]),
					     integer_rows(t, type, a[1], b[k]));
	tflite_store(t, tflite_rescaled(t, tflite_wide_sum(t, columns[0], columns[1]), &factor, 1,
					TFLITE_RULE_64));
}

void tflite_translate_fully_connected(struct tflite_translation *t, uint32_t type)
{
	const struct tflite_tensor *x, *w, *y;
	struct tflite_operand_desc o;
	bool blocks, full;

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
	blocks = x->type == TFLITE_FLOAT32 && w->type == TFLITE_INT8 && w->data && w->block_size;
	full = tflite_is_full16(t);
	if (blocks || full || tflite_is_hybrid(t) || tflite_is_wide(t)) {
		uint32_t rows = w->dims[1] ? (uint32_t)(x->elements / w->dims[1]) : 0;

		if (!rows || !w->dims[0] || (uint64_t)rows * w->dims[1] != x->elements)
			tflite_refuse(t, w, "%u rows of %u elements",
				      "1 or more rows, of a divisor of the input's %llu elements",
				      w->dims[0], w->dims[1], (unsigned long long)x->elements);
		else if (blocks)
			block_fully_connected(t, type, rows);
		else if (full)
			full16(t, type, rows);
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
		(b->type == TFLITE_INT8 &&
		 (b->scale_count > 1 || (b->scale_count == 1 && !tflite_zero_point(b)))));
}

/* The product of two FLOAT32 in the shape of the output. */
static struct tflite_value multiplied(struct tflite_translation *t, uint32_t type,
				      struct tflite_value a, bool adj_a, struct tflite_value b)
{
	struct tflite_value y;

	tflite_describe(t, tflite_output(t, 0), &y.o);
	y = tflite_like(t, &y, NNA_OPERAND_TENSOR_FLOAT32);
	tflite_push(t, a.operand);
	tflite_push(t, b.operand);
	tflite_push_bool(t, adj_a);
	tflite_push_bool(t, t->op->options.adj_y);
	tflite_emit_to(t, type, y.operand);
	return y;
}

/* The number of products in a sum; 0 after an error. */
static uint32_t count_terms(struct tflite_translation *t)
{
	const struct tflite_tensor *x = tflite_input(t, 0), *w = tflite_input(t, 1);
	const uint32_t terms = x->dims[x->rank - (t->op->options.adj_x ? 2 : 1)],
		       others = w->dims[w->rank - (t->op->options.adj_y ? 1 : 2)];

	if (others == terms && terms)
		return terms;
	tflite_refuse(t, w, "%u terms of a sum", "%u, those of input 0, and 1 or more", others,
		      terms);
	return 0;
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

	if (!count_terms(t))
		return;
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
				rows[i] = multiplied(t, type, rows[i],
						     t->op->options.adj_x, right);
			}
			columns[k] = tflite_wide_sum(t, rows[0], rows[1]);
		}
		if (both)
			columns[0] = tflite_wide_sum(t, columns[0], columns[1]);
		sum = from ? tflite_binary(t, NNA_OPERATION_ADD, sum, columns[0]) : columns[0];
	}
	tflite_store(t, tflite_rescaled(t, sum, &factor, 1, TFLITE_RULE_64));
}

/* Input 1 as whole numbers in FLOAT32. */
static struct tflite_value whole_weights(struct tflite_translation *t)
{
	if (tflite_input(t, 1)->data)
		return tflite_hybrid_weights(t, 1);
	return tflite_cast(t, tflite_value(t, 1), NNA_OPERAND_TENSOR_FLOAT32);
}

/* The sums of the columns of input 1, [..., 1, n]. Return: as tflite_hybrid_sums(). */
static bool column_sums(struct tflite_translation *t, uint32_t terms, struct tflite_value *sums)
{
	const struct tflite_tensor *w = tflite_input(t, 1);
	const uint32_t columns = w->dims[w->rank - (t->op->options.adj_y ? 2 : 1)];
	uint32_t dims[TFLITE_MAX_RANK];
	struct tflite_weights shape = { terms, t->op->options.adj_y ? 1 : columns, w->rank, dims };

	memcpy(dims, w->dims, w->rank * sizeof(dims[0]));
	dims[w->rank - 2] = 1;
	dims[w->rank - 1] = columns;
	return tflite_hybrid_sums(t, &shape, sums);
}

/* FLOAT32 by INT8: each row of input 0 is quantised by its own range. */
static void hybrid_matmul(struct tflite_translation *t, uint32_t type)
{
	const struct tflite_tensor *w = tflite_input(t, 1);
	struct tflite_value x = tflite_value(t, 0), scale = { 0 }, q, factor, zero, sums;
	const uint32_t rank = x.o.desc.rank, terms = count_terms(t),
		       column = w->rank - (t->op->options.adj_y ? 2 : 1);
	uint32_t dims[TFLITE_MAX_RANK + 1], rows;
	bool exact;

	if (!terms)
		return;
	if (t->op->options.adj_x) {
		int32_t axes[TFLITE_MAX_RANK + 1];

		for (uint32_t i = 0; i < rank; i++)
			axes[i] = (int32_t)i;
		axes[rank - 2] = (int32_t)rank - 1;
		axes[rank - 1] = (int32_t)rank - 2;
		x = tflite_transposed(t, x, axes);
	}
	if (w->scale_count > 1 && w->channel_dim != column)
		tflite_unsupported(t, w, "scales along dimension %u", "%u, the columns",
				   w->channel_dim, column);
	rows = (uint32_t)(tflite_input(t, 0)->elements / terms);
	if (!rows) {
		tflite_refuse(t, tflite_input(t, 0), "no rows", "1 or more");
		return;
	}
	q = tflite_reshaped(t, x, 2, (uint32_t[]){ rows, terms });
	exact = t->op->options.asymmetric && column_sums(t, terms, &sums);
	q = tflite_hybrid_rows(t, q, t->op->options.asymmetric, &scale, exact ? &zero : NULL);
	q = tflite_reshaped(t, q, rank, x.o.dims);
	for (uint32_t i = 0; i < rank; i++)
		dims[i] = i + 1 < rank ? x.o.dims[i] : 1;
	scale = tflite_reshaped(t, scale, rank, dims);
	q = multiplied(t, type, q, false, whole_weights(t));
	if (exact)
		q = tflite_hybrid_centred(t, q, tflite_reshaped(t, zero, rank, dims), sums);
	factor = w->scale_count ? tflite_float_tensor(t, 1, &w->scale_count, w->scales) :
				  tflite_float(t, 1);
	factor = tflite_binary(t, NNA_OPERATION_MUL, scale, factor);
	tflite_result(t, tflite_binary(t, NNA_OPERATION_MUL, q, factor), 0);
}

/*
 * Whole numbers by a matrix with a scale for each channel: 0. LiteRT's kernels take the scale of
 * the matrix as a whole, which is 0 then, so the output is its zero point everywhere.
 */
static void matmul_by_nothing(struct tflite_translation *t)
{
	const struct tflite_tensor *y = tflite_output(t, 0);
	const size_t size = y->elements * tflite_type_size(y->type);
	uint8_t *data = tflite_derive(t->model, size);

	if (!data) {
		tflite_no_memory(t);
		return;
	}
	/* An INT16 has zero point 0. */
	if (tflite_is_quant8(y->type))
		memset(data, tflite_zero_point(y), size);
	tflite_define(t, 0, data, size);
}

void tflite_translate_batch_matmul(struct tflite_translation *t, uint32_t type)
{
	const struct tflite_tensor *x, *w;

	tflite_need(t, 2, 1);
	x = tflite_input(t, 0);
	w = tflite_input(t, 1);
	tflite_need_least_rank(t, x, 2);
	tflite_need_least_rank(t, w, 2);
	if (t->ret)
		return;
	if (tflite_is_quantised(x->type) && tflite_is_quantised(w->type) &&
	    (x->scale_count > 1 || w->scale_count > 1)) {
		matmul_by_nothing(t);
	} else if (tflite_is_matmul16(t)) {
		matmul16(t, type);
	} else if (!t->real && x->type == TFLITE_FLOAT32 && w->type == TFLITE_INT8) {
		hybrid_matmul(t, type);
	} else {
		tflite_push_input(t, 0);
		tflite_push_input(t, 1);
		tflite_push_bool(t, t->op->options.adj_x);
		tflite_push_bool(t, t->op->options.adj_y);
		tflite_emit_outputs(t, type);
	}
}
