// SPDX-License-Identifier: MIT
/*
 * Products of matrices. One with a constant matrix is a FULLY_CONNECTED, whose weights are [N, K]:
 * the compiler packs them once.
 */
#include "frontend/onnx/translation.h"

#include <math.h>
#include <string.h>

/* A constant [K, N] as [N, K]; @add is added to numbers of 8 bits. */
static const void *turned(struct onnx_translation *t, const struct onnx_tensor *w, bool turns,
			  int32_t add)
{
	const uint64_t rows = (uint64_t)w->dims[0], columns = (uint64_t)w->dims[1];
	const uint32_t size = onnx_type_bits(w->type) / 8;
	const uint8_t *from = w->data;
	uint8_t *to;

	if (!turns && !add)
		return from;
	to = onnx_make(t, w->size);
	if (!to)
		return NULL;
	for (uint64_t y = 0; y < rows; y++)
		for (uint64_t x = 0; x < columns; x++) {
			const uint64_t put = turns ? x * rows + y : y * columns + x;

			if (size == 1)
				to[put] = (uint8_t)(from[y * columns + x] + add);
			else
				memcpy(to + put * size, from + (y * columns + x) * size, size);
		}
	return to;
}

/* Weights [N, K] of the type of @like, from [K, N] if they turn. */
static struct onnx_operand weights(struct onnx_translation *t, const struct onnx_tensor *w,
				   bool turns, struct onnx_operand like, int32_t add)
{
	const void *data = turned(t, w, turns, add);

	like.rank = 2;
	like.dims[0] = (uint32_t)w->dims[turns ? 1 : 0];
	like.dims[1] = (uint32_t)w->dims[turns ? 0 : 1];
	if (!data)
		return like;
	return onnx_add_constant(t, like, data, w->size, data == w->data && !t->node->attributes);
}

static struct onnx_operand connected(struct onnx_translation *t, struct onnx_operand x,
				     struct onnx_operand w, uint32_t bias, uint32_t bias_type,
				     struct onnx_operand like, int32_t activation)
{
	like.rank = 2;
	like.dims[0] = onnx_count(&x) / (w.dims[1] ? w.dims[1] : 1);
	like.dims[1] = w.dims[0];
	onnx_push(t, x.number);
	onnx_push(t, w.number);
	if (bias == ONNX_ABSENT)
		onnx_push_omitted(t, bias_type);
	else
		onnx_push(t, bias);
	onnx_push_i32(t, activation);
	return onnx_emit(t, NNA_OPERATION_FULLY_CONNECTED, like);
}

/* The dims of a product of @x [..., K] with a matrix of @n columns. */
static struct onnx_operand with_rows(struct onnx_translation *t, struct onnx_operand y,
				     const struct onnx_operand *x, uint32_t n)
{
	uint32_t dims[ONNX_MAX_RANK];

	memcpy(dims, x->dims, sizeof(dims));
	dims[x->rank - 1] = n;
	return onnx_reshape(t, y, x->rank, dims);
}

/* A matrix for a vector: [K] as [1, K] on the left, as [K, 1] on the right. */
static struct onnx_operand as_matrix(struct onnx_translation *t, struct onnx_operand x, bool left)
{
	if (x.rank != 1)
		return x;
	return onnx_reshape(t, x, 2, left ? (uint32_t[]){ 1, x.dims[0] } :
					    (uint32_t[]){ x.dims[0], 1 });
}

static struct onnx_operand batch(struct onnx_translation *t, struct onnx_operand a,
				 struct onnx_operand b, bool turn_a, bool turn_b,
				 const struct onnx_unit *unit)
{
	const uint32_t rank = a.rank > b.rank ? a.rank : b.rank;
	struct onnx_operand out = onnx_like(&a, a.type);

	if (t->ret || a.rank < 2 || b.rank < 2) {
		onnx_wrong(t, "a scalar or vector is no matrix");
		return out;
	}
	out.rank = rank;
	for (uint32_t k = 0; k + 2 < rank; k++) {
		const uint32_t x = k + a.rank < rank ? 1 : a.dims[k + a.rank - rank];
		const uint32_t y = k + b.rank < rank ? 1 : b.dims[k + b.rank - rank];

		if (x != y && x != 1 && y != 1)
			onnx_wrong(t, "dimensions of %u and %u do not agree", x, y);
		out.dims[k] = x == 1 ? y : x;
	}
	out.dims[rank - 2] = a.dims[a.rank - (turn_a ? 1 : 2)];
	out.dims[rank - 1] = b.dims[b.rank - (turn_b ? 2 : 1)];
	if (!t->ret && a.dims[a.rank - (turn_a ? 2 : 1)] != b.dims[b.rank - (turn_b ? 1 : 2)])
		onnx_wrong(t, "columns and rows of both matrices do not agree");
	if (!t->ret && a.type != b.type)
		onnx_wrong(t, "both matrices are not of one type");
	onnx_push(t, a.number);
	onnx_push(t, b.number);
	onnx_push_bool(t, turn_a);
	onnx_push_bool(t, turn_b);
	return onnx_emit(t, NNA_OPERATION_BATCH_MATMUL, unit ? onnx_unit_like(unit, &out) : out);
}

/*
 * A product of quantised numbers with a quantised constant [K, N], or [N, K]. Return: whether it is
 * one operation, which has been added.
 */
static bool quantised(struct onnx_translation *t, bool turns)
{
	struct onnx_operand x, like, w, bias = { .number = ONNX_ABSENT, .rank = 1,
						 .type = NNA_OPERAND_TENSOR_INT32 };
	struct onnx_quantisation q, bq;
	struct onnx_tensor numbers, stored;
	struct nna_operand_desc desc;
	struct onnx_unit unit;
	uint32_t n, axis = turns ? 1 : 0;
	int32_t *sums, add;
	int ret;

	if (!onnx_is_unit(t, 1, true, &unit) || !onnx_weights(t, 1, &q, &numbers) ||
	    numbers.rank != 2 || !onnx_type_is_int8(q.type) || q.block ||
	    (q.count > 1 && (q.axis != axis || q.type != ONNX_INT8)) || numbers.dims[0] < 1 ||
	    numbers.dims[1] < 1)
		return false;
	for (uint32_t i = 0; i < q.count; i++)
		if (q.count > 1 && q.zeros[i])
			return false;
	n = (uint32_t)numbers.dims[axis];
	if (q.count > 1 && q.count != n)
		return false;
	x = onnx_stored(t, 0, ONNX_PLAIN);
	if (t->ret || !x.rank || x.dims[x.rank - 1] != (uint32_t)numbers.dims[!axis])
		return false;
	if (onnx_has(t, 2)) {
		if (!onnx_weights(t, 2, &bq, &stored) || onnx_elements(&stored) != n ||
		    !stored.rank || stored.dims[stored.rank - 1] != (int64_t)n ||
		    (bq.count > 1 && bq.count != n))
			return false;
		sums = onnx_make(t, (uint64_t)n * sizeof(*sums));
		for (uint32_t i = 0; sums && i < n; i++) {
			const float scale = q.scales[q.count > 1 ? i : 0] * x.scale;
			const float own = bq.scales[bq.count > 1 ? i : 0];
			const double v = (double)(onnx_int_at(&stored, i) -
						  bq.zeros[bq.count > 1 ? i : 0]) *
					 (double)own / (double)scale;

			if (!(fabs(v) < 0x1p31))
				return false;
			sums[i] = (int32_t)nearbyint(v);
		}
		bias.dims[0] = n;
		bias.scale = q.count > 1 ? 0 : q.scales[0] * x.scale;
		bias = onnx_add_constant(t, bias, sums, (uint64_t)n * sizeof(*sums), false);
	}
	like = x;
	like.scale = q.scales[0];
	add = q.count > 1 ? 0 :
	      q.type == ONNX_INT8 && x.type == NNA_OPERAND_TENSOR_QUANT8_ASYMM ? 128 :
	      q.type == ONNX_UINT8 && x.type != NNA_OPERAND_TENSOR_QUANT8_ASYMM ? -128 : 0;
	like.zero = q.zeros[0] + add;
	if (q.count == 1) {
		w = weights(t, &numbers, turns, like, add);
	} else {
		const void *data = turned(t, &numbers, turns, 0);

		w = like;
		w.rank = 2;
		w.dims[0] = n;
		w.dims[1] = (uint32_t)numbers.dims[!axis];
		desc = (struct nna_operand_desc){
			.type = NNA_OPERAND_TENSOR_QUANT8_SYMM_PER_CHANNEL,
			.rank = 2,
			.dims = w.dims,
			.channel_count = n,
			.channel_scales = q.scales,
		};
		ret = t->ret ?: nna_graph_add_operand(t->graph, 0, &desc);
		if (ret >= 0) {
			w.number = (uint32_t)ret;
			ret = nna_graph_set_constant(t->graph, 0, w.number, data, numbers.size,
						     false);
		}
		if (ret < 0)
			onnx_wrong(t, "weights were refused: %s", strerror(-ret));
	}
	like = connected(t, x, w, bias.number, NNA_OPERAND_TENSOR_INT32,
			 onnx_unit_like(&unit, &x), unit.activation);
	if (!t->ret)
		onnx_set_unit(t, &unit, with_rows(t, like, &x, n), ONNX_PLAIN);
	return true;
}

/* A constant matrix of the type of input 0: the model's, or what DequantizeLinear gives. */
static const struct onnx_tensor *constant_matrix(struct onnx_translation *t)
{
	const struct onnx_state *s = onnx_input(t, 1);
	const struct onnx_tensor *w = &s->tensor;

	if (t->ret || w->rank != 2 || w->type != onnx_tensor(t, 0)->type ||
	    (!w->data && s->dequantizer == ONNX_ABSENT) || !onnx_type_is_float(w->type))
		return NULL;
	w = onnx_constant(t, 1);
	return t->ret || w->dims[0] < 1 || w->dims[1] < 1 ? NULL : w;
}

void onnx_translate_matmul(struct onnx_translation *t)
{
	const uint32_t type = onnx_tensor(t, 0)->type;
	const struct onnx_tensor *w;
	struct onnx_operand a, b, y;
	struct onnx_unit unit;
	bool is_unit;

	if (t->ret || quantised(t, true) || t->ret)
		return;
	is_unit = onnx_is_unit(t, 2, false, &unit);
	w = is_unit ? NULL : constant_matrix(t);
	if (!t->ret && !onnx_type_is_float(type) && type != ONNX_INT32)
		onnx_unsupported(t, "matrices of %s", onnx_type_name(type));
	a = is_unit ? onnx_stored(t, 0, ONNX_PLAIN) : onnx_plain(t, 0);
	if (!t->ret && !a.rank)
		onnx_wrong(t, "a scalar is no matrix");
	if (t->ret)
		return;
	if (w) {
		if (a.dims[a.rank - 1] != (uint32_t)w->dims[0]) {
			onnx_wrong(t, "rows of %u by %lld columns", a.dims[a.rank - 1],
				   (long long)w->dims[0]);
			return;
		}
		b = weights(t, w, true, onnx_like(&a, a.type), 0);
		y = connected(t, a, b, ONNX_ABSENT, a.type, onnx_like(&a, a.type), NNA_ACT_NONE);
		if (!t->ret)
			onnx_set(t, 0, with_rows(t, y, &a, (uint32_t)w->dims[1]), ONNX_PLAIN);
		return;
	}
	b = is_unit ? onnx_stored(t, 1, ONNX_PLAIN) : onnx_plain(t, 1);
	if (t->ret || !b.rank) {
		onnx_wrong(t, "a scalar is no matrix");
		return;
	}
	y = batch(t, as_matrix(t, a, true), as_matrix(t, b, false), false, false,
		  is_unit ? &unit : NULL);
	if (!t->ret && (a.rank == 1 || b.rank == 1)) {
		uint32_t dims[ONNX_MAX_RANK], n = 0;

		for (uint32_t k = 0; k < y.rank; k++)
			if (!(a.rank == 1 && k + 2 == y.rank) && !(b.rank == 1 && k + 1 == y.rank))
				dims[n++] = y.dims[k];
		y = onnx_reshape(t, y, n, dims);
	}
	if (is_unit)
		onnx_set_unit(t, &unit, y, ONNX_PLAIN);
	else
		onnx_set(t, 0, y, ONNX_PLAIN);
}

void onnx_translate_gemm(struct onnx_translation *t)
{
	const bool turn_a = onnx_attribute_int(t, "transA", 0);
	const bool turn_b = onnx_attribute_int(t, "transB", 0);
	const float alpha = onnx_attribute_float(t, "alpha", 1);
	const float beta = onnx_attribute_float(t, "beta", 1);
	const struct onnx_tensor *w, *c = NULL;
	struct onnx_operand a, b, y, bias = onnx_no_operand();
	bool fused;

	onnx_need_float(t, 0);
	onnx_need_rank(t, 0, 2, 2);
	onnx_need_rank(t, 1, 2, 2);
	if (t->ret || (!turn_a && alpha == 1 && beta == 1 && quantised(t, !turn_b)) || t->ret)
		return;
	a = onnx_plain(t, 0);
	if (turn_a)
		a = onnx_transpose(t, a, (uint32_t[]){ 1, 0 });
	if (onnx_has(t, 2))
		c = onnx_tensor(t, 2);
	w = constant_matrix(t);
	if (t->ret)
		return;
	if (w && a.dims[1] != (uint32_t)w->dims[turn_b ? 1 : 0]) {
		onnx_wrong(t, "columns and rows of both matrices do not agree");
		return;
	}
	fused = w && c && alpha == 1 && beta == 1 && c->rank >= 1 && c->type == w->type &&
		(uint64_t)c->dims[c->rank - 1] == onnx_elements(c) &&
		c->dims[c->rank - 1] == w->dims[turn_b ? 0 : 1];
	if (fused) {
		bias = onnx_plain(t, 2);
		bias = onnx_reshape(t, bias, 1, &bias.dims[bias.rank - 1]);
	}
	if (w) {
		b = weights(t, w, !turn_b, onnx_like(&a, a.type), 0);
		y = connected(t, a, b, bias.number, a.type, onnx_like(&a, a.type), NNA_ACT_NONE);
	} else {
		y = batch(t, a, onnx_plain(t, 1), false, turn_b, NULL);
	}
	if (alpha != 1)
		y = onnx_binary(t, NNA_OPERATION_MUL, y, onnx_number(t, &y, (double)alpha));
	if (c && !fused) {
		bias = onnx_plain(t, 2);
		if (beta != 1)
			bias = onnx_binary(t, NNA_OPERATION_MUL, bias,
					   onnx_number(t, &bias, (double)beta));
		y = onnx_binary(t, NNA_OPERATION_ADD, y, bias);
	}
	onnx_set(t, 0, y, ONNX_PLAIN);
}
