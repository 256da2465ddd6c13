// SPDX-License-Identifier: MIT
/*
 * BATCH_MATMUL: products of matrices; the axes before the last two are broadcast as in numpy.
 *
 *	in 0	a		FLOAT, QUANT8, INT32 [..., M, K]
 *	in 1	b		T0 [..., K, N]
 *	in 2	transpose a?	BOOL	false by default; a is [..., K, M]
 *	in 3	transpose b?	BOOL	false by default; b is [..., N, K]
 *	out 0	output		T0 [..., M, N]
 *
 * MATMUL of the ir takes one batch axis, so one MATMUL is emitted for each index of the outer axes
 * before it. MATMUL does not take INT32: such a product is an element-wise product of [x, M, N, K]
 * elements and a REDUCE over the last axis.
 */
#include "libnnaccel/ops/op_util.h"

/**
 * struct product - the matrices to multiply
 * @turn_a: a is transposed
 * @turn_b: b is transposed
 * @m: rows of a and of the output
 * @n: columns of b and of the output
 * @k: terms of each sum
 * @outer: number of axes before the last two, after broadcasting
 * @dims: of the output, @outer + 2 of them
 */
struct product {
	bool turn_a, turn_b;
	uint32_t m, n, k;
	uint32_t outer, dims[NNACCEL_MAX_RANK];
};

static int read_product(const struct nna_op_context *op, struct product *p)
{
	struct nna_shape a = op->in[0], b = op->in[1];
	int ret = nna_param_bool(op, 2, false, &p->turn_a) ?:
		  nna_param_bool(op, 3, false, &p->turn_b);

	if (ret)
		return ret;
	a.rank -= 2;
	b.rank -= 2;
	p->m = a.dims[a.rank + (p->turn_a ? 1 : 0)];
	p->k = a.dims[a.rank + (p->turn_a ? 0 : 1)];
	p->n = b.dims[b.rank + (p->turn_b ? 0 : 1)];
	ret = nna_require_dim(op, 1, b.rank + (p->turn_b ? 1 : 0), p->k, p->turn_a ?
			      "the rows of input 0, which is transposed" :
			      "the columns of input 0") ?:
	      nna_broadcast_dims(op, &a, &b, &p->outer, p->dims);
	if (ret)
		return ret;
	p->dims[p->outer] = p->m;
	p->dims[p->outer + 1] = p->n;
	return 0;
}

static int infer(struct nna_op_context *op)
{
	struct product p;

	return read_product(op, &p) ?: nna_set_dims(op, 0, p.outer + 2, p.dims);
}

/* Views a value as matrices [..., rows, columns], broadcast to the output's outer axes. */
static int64_t matrices(struct nna_lower *l, uint32_t value, const struct product *p, bool turn,
			uint32_t rows, uint32_t columns)
{
	uint32_t dims[NNACCEL_MAX_RANK], axes[NNACCEL_MAX_RANK];
	uint32_t rank = nna_lower_value(l, value)->rank;
	int64_t view = value;

	for (uint32_t k = 0; k < rank; k++)
		axes[k] = k;
	axes[rank - 2] = rank - (turn ? 1 : 2);
	axes[rank - 1] = rank - (turn ? 2 : 1);
	if (turn)
		view = nna_view_permute(l, value, axes);
	memcpy(dims, p->dims, sizeof(dims));
	dims[p->outer] = rows;
	dims[p->outer + 1] = columns;
	return view < 0 ? view : nna_view_broadcast(l, (uint32_t)view, p->outer + 2, dims);
}

/*
 * Views one index of all outer axes but the last: [x, rows, columns] of [x0, x1, ..., x, rows,
 * columns]. @number is that index in row-major order.
 */
static int64_t pick(struct nna_lower *l, uint32_t value, const struct product *p, uint64_t number)
{
	int64_t view = value;

	for (uint32_t k = p->outer - 1; k-- > 0 && view >= 0;) {
		view = nna_view_range(l, (uint32_t)view, k, (uint32_t)(number % p->dims[k]), 1);
		number /= p->dims[k];
		if (view >= 0)
			view = nna_view_drop(l, (uint32_t)view, k);
	}
	return view;
}

/* Emits a product of INT32 matrices: all products of two elements, then their sums. */
static int emit_int32(struct nna_lower *l, uint32_t out, uint32_t a, uint32_t b)
{
	const struct nna_value *va = nna_lower_value(l, a), *vb = nna_lower_value(l, b);
	static const uint32_t turn[] = { 0, 2, 1 };
	uint32_t dims[4] = { va->dims[0], va->dims[1], vb->dims[2], va->dims[2] };
	int ret;

	NNA_VALUE(rows, nna_view_expand(l, a, 2));
	NNA_VALUE(turned, nna_view_permute(l, b, turn));
	NNA_VALUE(columns, nna_view_expand(l, turned, 1));
	NNA_VALUE(products, nna_lower_scratch(l, NNA_TYPE_S32, 4, dims, 0, 0));
	ret = nna_emit_ewise(l, NNA_FN_MUL, products, rows, columns, NNA_NO_VALUE,
			     NNA_ACT_NONE, 0);
	if (ret)
		return ret;
	NNA_VALUE(sums, nna_view_expand(l, out, 3));
	return nna_emit_reduce(l, NNA_REDUCE_SUM, sums, products, 1u << 3);
}

static int lower(struct nna_op_context *op)
{
	struct nna_lower *l = op->lower;
	struct product p;
	uint64_t count = 1;
	int ret = read_product(op, &p);

	if (ret)
		return ret;
	NNA_VALUE(a, nna_lower_in(op, 0));
	NNA_VALUE(b, nna_lower_in(op, 1));
	NNA_VALUE(out, nna_lower_out(op, 0));
	if (nna_value_is_empty(l, out))
		return 0;
	if (!p.k)
		return nna_do_zero(l, out);
	NNA_VALUE(all_a, matrices(l, a, &p, p.turn_a, p.m, p.k));
	NNA_VALUE(all_b, matrices(l, b, &p, p.turn_b, p.k, p.n));
	if (!p.outer) {
		NNA_VALUE(one_a, nna_view_expand(l, all_a, 0));
		NNA_VALUE(one_b, nna_view_expand(l, all_b, 0));
		NNA_VALUE(one_out, nna_view_expand(l, out, 0));
		all_a = one_a;
		all_b = one_b;
		out = one_out;
		p.outer = 1;
	}
	/* One MATMUL for each index of the axes before its batch axis. */
	for (uint32_t k = 0; k + 1 < p.outer; k++)
		count *= p.dims[k];
	for (uint64_t i = 0; i < count && !ret; i++) {
		NNA_VALUE(x, pick(l, all_a, &p, i));
		NNA_VALUE(y, pick(l, all_b, &p, i));
		NNA_VALUE(z, pick(l, out, &p, i));
		if (op->in[0].type == NNA_OPERAND_TENSOR_INT32)
			ret = emit_int32(l, z, x, y);
		else
			ret = nna_emit_matmul(l, z, x, y);
	}
	return ret;
}

const struct nna_op nna_op_batch_matmul = {
	.type = NNA_OPERATION_BATCH_MATMUL,
	.infer = infer, .lower = lower,
};
