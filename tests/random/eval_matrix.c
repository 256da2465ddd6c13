// SPDX-License-Identifier: MIT
/* FULLY_CONNECTED and BATCH_MATMUL. */
#include <errno.h>

#include "tests/random/eval.h"

#define U NNR_EVAL_U

static int eval_fully_connected(struct nnr_eval *e)
{
	const struct nnr_eval_tensor *in = &e->in[0], *w = &e->in[1], *bias = &e->in[2];
	uint32_t units, size, dims[2];
	int ret;

	if (in->rank < 2 || w->rank != 2 || !w->dims[1] || in->count % w->dims[1] ||
	    bias->count != w->dims[0])
		return -EINVAL;
	units = w->dims[0];
	size = w->dims[1];
	dims[0] = (uint32_t)(in->count / size);
	dims[1] = units;
	ret = nnr_eval_out(e, 0, 2, dims);
	for (size_t i = 0; !ret && i < e->out[0].count; i++) {
		const double *x = in->v + i / units * size, *y = w->v + i % units * size;
		double sum = bias->v[i % units], total = fabs(sum);

		for (uint32_t k = 0; k < size; k++) {
			sum += x[k] * y[k];
			total += fabs(x[k] * y[k]);
		}
		nnr_eval_store(&e->out[0], i, nnr_eval_int(e, 3, 0), sum,
			       (size + 5) * (U * total + 0x1p-149));
	}
	return ret;
}

static int eval_batch_matmul(struct nnr_eval *e)
{
	const struct nnr_eval_tensor *a = &e->in[0], *b = &e->in[1];
	struct nnr_eval_tensor *out = &e->out[0];
	bool flip_a = nnr_eval_int(e, 2, 0), flip_b = nnr_eval_int(e, 3, 0);
	uint32_t rank = a->rank, dims[NNACCEL_MAX_RANK], rows, columns, inner;
	int ret;

	if (rank < 2 || rank != b->rank)
		return -EINVAL;
	for (uint32_t k = 0; k < rank - 2; k++) {
		if (a->dims[k] != b->dims[k])
			return -EINVAL;
		dims[k] = a->dims[k];
	}
	rows = a->dims[rank - (flip_a ? 1 : 2)];
	inner = a->dims[rank - (flip_a ? 2 : 1)];
	columns = b->dims[rank - (flip_b ? 2 : 1)];
	if (b->dims[rank - (flip_b ? 1 : 2)] != inner)
		return -EINVAL;
	dims[rank - 2] = rows;
	dims[rank - 1] = columns;
	ret = nnr_eval_out(e, 0, rank, dims);
	for (size_t i = 0; !ret && i < out->count; i++) {
		size_t batch = i / columns / rows, r = i / columns % rows, c = i % columns;
		const double *x = a->v + batch * rows * inner, *y = b->v + batch * inner * columns;
		double total = 0;

		for (uint32_t k = 0; k < inner; k++) {
			double product = x[flip_a ? k * rows + r : r * inner + k] *
					 y[flip_b ? c * inner + k : k * columns + c];

			out->v[i] += product;
			total += fabs(product);
		}
		if (!nnr_is_float(out->type) && !nnr_is_quantised(out->type))
			out->err[i] = total > INT32_MAX ? INFINITY : 0;
		else
			out->err[i] = (inner + 4) * (U * total + 0x1p-149);
	}
	return ret;
}

int nnr_eval_matrix(struct nnr_eval *e)
{
	switch (e->type) {
	case NNA_OPERATION_FULLY_CONNECTED:
		return eval_fully_connected(e);
	case NNA_OPERATION_BATCH_MATMUL:
		return eval_batch_matmul(e);
	default:
		return -ENOTSUP;
	}
}
