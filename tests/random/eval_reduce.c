// SPDX-License-Identifier: MIT
/* Reductions, ARGMAX and ARGMIN, TOPK_V2. */
#include <errno.h>
#include <stdlib.h>

#include "tests/random/eval.h"

#define U NNR_EVAL_U

/*
 * What is known of the elements that one output element is made of. @peak, @trough: the largest and
 * the smallest that a partial product may be.
 */
struct gathered {
	double sum, total, product, peak, trough, least, most;
	size_t count, zeros;
	bool nan;
};

static void reduce_store(const struct nnr_eval *e, struct nnr_eval_tensor *out, size_t i,
			 const struct gathered *g)
{
	double n = (double)g->count;

	switch (e->type) {
	case NNA_OPERATION_REDUCE_ALL:
		out->v[i] = !g->zeros;
		break;
	case NNA_OPERATION_REDUCE_ANY:
		out->v[i] = g->zeros != g->count;
		break;
	case NNA_OPERATION_REDUCE_MAX:
	case NNA_OPERATION_REDUCE_MIN:
		out->v[i] = e->type == NNA_OPERATION_REDUCE_MAX ? g->most : g->least;
		/* Without elements there is no largest one. */
		out->err[i] = g->nan || !g->count ? INFINITY : 0;
		break;
	case NNA_OPERATION_REDUCE_PROD:
		out->v[i] = g->product;
		/* A partial product may leave the range of fp32, in one order or another. */
		out->err[i] = n * U * fabs(g->product) + 0x1p-126;
		if (g->peak > 1e37 || (g->product != 0 && g->trough < 1e-30))
			out->err[i] = INFINITY;
		break;
	case NNA_OPERATION_REDUCE_SUM:
		out->v[i] = g->sum;
		out->err[i] = (n + 2) * U * g->total;
		break;
	default: /* MEAN */
		out->v[i] = g->sum / n;
		out->err[i] = g->count ? (n + 4) * U * g->total / n : INFINITY;
		break;
	}
}

static int eval_reduce(struct nnr_eval *e)
{
	const struct nnr_eval_tensor *in = &e->in[0];
	struct nnr_eval_tensor *out = &e->out[0];
	uint32_t rank = 0, dims[NNACCEL_MAX_RANK], full[NNACCEL_MAX_RANK], p[NNACCEL_MAX_RANK];
	bool keep = nnr_eval_int(e, 2, 0) > 0, reduced[NNACCEL_MAX_RANK] = { false };
	struct gathered *g;
	int ret;

	for (size_t i = 0; i < e->in[1].count; i++) {
		int axis = nnr_eval_axis((int64_t)e->in[1].v[i], in->rank);

		if (axis < 0)
			return -EINVAL;
		reduced[axis] = true;
	}
	for (uint32_t k = 0; k < in->rank; k++) {
		full[k] = reduced[k] ? 1 : in->dims[k];
		if (!reduced[k] || keep)
			dims[rank++] = full[k];
	}
	if (!rank)
		dims[rank++] = 1;
	ret = nnr_eval_out(e, 0, rank, dims);
	if (ret)
		return ret;
	out->exact = e->type == NNA_OPERATION_REDUCE_MAX || e->type == NNA_OPERATION_REDUCE_MIN;
	g = calloc(out->count + 1, sizeof(*g));
	if (!g)
		return -ENOMEM;
	for (size_t i = 0; i < out->count; i++)
		g[i] = (struct gathered){
			.product = 1, .peak = 1, .trough = 1, .least = INFINITY, .most = -INFINITY
		};
	for (size_t i = 0; i < in->count; i++) {
		struct gathered *to;
		double v = in->v[i];

		nnr_eval_unravel(i, in->rank, in->dims, p);
		for (uint32_t k = 0; k < in->rank; k++)
			p[k] = reduced[k] ? 0 : p[k];
		to = &g[nnr_eval_ravel(in->rank, full, p)];
		to->sum += v;
		to->total += fabs(v);
		to->product *= v;
		to->peak *= fmax(fabs(v), 1);
		to->trough *= fmin(fabs(v), 1);
		to->least = fmin(to->least, v);
		to->most = fmax(to->most, v);
		to->nan |= isnan(v);
		to->zeros += v == 0;
		to->count++;
	}
	for (size_t i = 0; i < out->count; i++)
		reduce_store(e, out, i, &g[i]);
	free(g);
	return 0;
}

static int eval_arg(struct nnr_eval *e)
{
	const struct nnr_eval_tensor *in = &e->in[0];
	int axis = nnr_eval_axis(nnr_eval_int(e, 1, 0), in->rank);
	uint32_t rank = 0, dims[NNACCEL_MAX_RANK], size;
	size_t step = 1;
	int ret;

	if (axis < 0 || !in->count)
		return -EINVAL;
	size = in->dims[axis];
	for (uint32_t k = 0; k < in->rank; k++) {
		if (k != (uint32_t)axis)
			dims[rank++] = in->dims[k];
		if (k > (uint32_t)axis)
			step *= in->dims[k];
	}
	if (!rank)
		dims[rank++] = 1;
	ret = nnr_eval_out(e, 0, rank, dims);
	for (size_t i = 0; !ret && i < e->out[0].count; i++) {
		const double *v = in->v + i / step * step * size + i % step;
		uint32_t best = 0;

		for (uint32_t k = 0; k < size; k++) {
			double x = v[k * step], y = v[best * step];

			if (e->type == NNA_OPERATION_ARGMIN ? x < y : x > y)
				best = k;
			if (isnan(x))
				e->out[0].err[i] = INFINITY;
		}
		e->out[0].v[i] = best;
	}
	return ret;
}

static int eval_topk(struct nnr_eval *e)
{
	const struct nnr_eval_tensor *in = &e->in[0];
	uint32_t dims[NNACCEL_MAX_RANK], size;
	int64_t k = nnr_eval_int(e, 1, 0);
	bool *taken;
	int ret;

	if (!in->rank || k < 1 || k > in->dims[in->rank - 1])
		return -EINVAL;
	size = in->dims[in->rank - 1];
	for (uint32_t i = 0; i < in->rank; i++)
		dims[i] = in->dims[i];
	dims[in->rank - 1] = (uint32_t)k;
	ret = nnr_eval_out(e, 0, in->rank, dims);
	if (!ret)
		ret = nnr_eval_out(e, 1, in->rank, dims);
	taken = calloc(size, sizeof(*taken));
	if (!taken)
		return -ENOMEM;
	e->out[0].exact = true;
	for (size_t i = 0; !ret && i < e->out[0].count; i++) {
		const double *v = in->v + i / (size_t)k * size;
		uint32_t best = size, equals = 0;

		for (uint32_t j = 0; j < size; j++) {
			if (i % (size_t)k == 0)
				taken[j] = false;
			if (isnan(v[j]))
				e->out[0].err[i] = e->out[1].err[i] = INFINITY;
		}
		for (uint32_t j = 0; j < size; j++) {
			if (!taken[j] && (best == size || v[j] > v[best]))
				best = j;
		}
		for (uint32_t j = 0; j < size; j++)
			equals += v[j] == v[best];
		taken[best] = true;
		e->out[0].v[i] = v[best];
		e->out[1].v[i] = best;
		/*
		 * NNAPI's text and its reference do not agree about the order of equals. TFLite
		 * takes that with the lower index first.
		 */
		if (equals > 1 && !e->graph->as_tflite)
			e->out[1].err[i] = INFINITY;
	}
	free(taken);
	return ret;
}

int nnr_eval_reduce(struct nnr_eval *e)
{
	switch (e->type) {
	case NNA_OPERATION_REDUCE_ALL:
	case NNA_OPERATION_REDUCE_ANY:
	case NNA_OPERATION_REDUCE_MAX:
	case NNA_OPERATION_REDUCE_MIN:
	case NNA_OPERATION_REDUCE_PROD:
	case NNA_OPERATION_REDUCE_SUM:
	case NNA_OPERATION_MEAN:
		return eval_reduce(e);
	case NNA_OPERATION_ARGMAX:
	case NNA_OPERATION_ARGMAX_INT64:
	case NNA_OPERATION_ARGMIN:
		return eval_arg(e);
	case NNA_OPERATION_TOPK_V2:
		return eval_topk(e);
	default:
		return -ENOTSUP;
	}
}
