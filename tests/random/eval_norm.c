// SPDX-License-Identifier: MIT
/* Softmax and the normalisations. */
#include <errno.h>

#include "tests/random/eval.h"

#define U NNR_EVAL_U

/* A line of elements along an axis: element k of line @i is v[first + k * step]. */
struct line {
	size_t lines, size, step;
};

static int line_along(const struct nnr_eval_tensor *t, int64_t axis, struct line *l)
{
	int a = nnr_eval_axis(axis, t->rank);

	if (a < 0)
		return -EINVAL;
	l->size = t->dims[a];
	l->step = 1;
	for (uint32_t k = (uint32_t)a + 1; k < t->rank; k++)
		l->step *= t->dims[k];
	l->lines = l->size ? t->count / l->size : 0;
	return 0;
}

static size_t line_first(const struct line *l, size_t i)
{
	return i / l->step * l->step * l->size + i % l->step;
}

static int eval_softmax(struct nnr_eval *e)
{
	bool log_too = e->type == NNA_OPERATION_LOG_SOFTMAX;
	double beta = nnr_eval_scalar(e, 1, 1);
	struct nnr_eval_tensor *out = &e->out[0];
	const double *in = e->in[0].v;
	struct line l;
	int ret = line_along(&e->in[0], nnr_eval_int(e, 2, -1), &l);

	if (!ret)
		ret = nnr_eval_out(e, 0, e->in[0].rank, e->in[0].dims);
	for (size_t i = 0; !ret && i < l.lines; i++) {
		size_t first = line_first(&l, i);
		double most = -INFINITY, sum = 0, off = 0;

		for (size_t k = 0; k < l.size; k++)
			most = fmax(most, in[first + k * l.step]);
		for (size_t k = 0; k < l.size; k++) {
			double x = (in[first + k * l.step] - most) * beta;

			sum += exp(x);
			off += exp(x) * 2 * U * (fabs(x) + 2);
		}
		off = off / sum + (double)l.size * U;
		for (size_t k = 0; k < l.size; k++) {
			size_t at = first + k * l.step;
			double x = (in[at] - most) * beta;

			out->v[at] = log_too ? x - log(sum) : exp(x) / sum;
			out->err[at] =
				log_too ? off + 2 * U * (fabs(x) + 3 * log(sum) + 1)
					: out->v[at] * (off + 2 * U * (fabs(x) + 3)) + 0x1p-126;
		}
	}
	return ret;
}

static int eval_l2(struct nnr_eval *e)
{
	struct nnr_eval_tensor *out = &e->out[0];
	const double *in = e->in[0].v;
	struct line l;
	int ret = line_along(&e->in[0], nnr_eval_int(e, 1, -1), &l);

	if (!ret)
		ret = nnr_eval_out(e, 0, e->in[0].rank, e->in[0].dims);
	for (size_t i = 0; !ret && i < l.lines; i++) {
		size_t first = line_first(&l, i);
		double sum = 0;

		for (size_t k = 0; k < l.size; k++)
			sum += in[first + k * l.step] * in[first + k * l.step];
		for (size_t k = 0; k < l.size; k++) {
			size_t at = first + k * l.step;

			out->v[at] = sum == 0 ? 0 : in[at] / sqrt(sum);
			out->err[at] = ((double)l.size + 8) * U * fabs(out->v[at]);
			/* A tiny norm may be limited, and squares may leave fp32. */
			if ((sum != 0 && sum < 1e-11) || sum > 1e37)
				out->err[at] = INFINITY;
		}
	}
	return ret;
}

static int eval_response(struct nnr_eval *e)
{
	int64_t radius = nnr_eval_int(e, 1, 0);
	double bias = nnr_eval_scalar(e, 2, 0), alpha = nnr_eval_scalar(e, 3, 0);
	double beta = nnr_eval_scalar(e, 4, 0);
	struct nnr_eval_tensor *out = &e->out[0];
	const double *in = e->in[0].v;
	struct line l;
	int ret = line_along(&e->in[0], nnr_eval_int(e, 5, -1), &l);

	if (!ret)
		ret = nnr_eval_out(e, 0, e->in[0].rank, e->in[0].dims);
	for (size_t i = 0; !ret && i < l.lines; i++) {
		size_t first = line_first(&l, i);

		for (int64_t k = 0; k < (int64_t)l.size; k++) {
			size_t at = first + (size_t)k * l.step;
			double sum = 0, base, off;

			for (int64_t j = k - radius; j <= k + radius; j++) {
				if (j >= 0 && j < (int64_t)l.size)
					sum += in[first + (size_t)j * l.step] *
					       in[first + (size_t)j * l.step];
			}
			base = bias + alpha * sum;
			off = (2 * (double)radius + 8) * U * (fabs(alpha) * sum + fabs(bias)) /
			      fabs(base);
			out->v[at] = in[at] * pow(base, -beta);
			out->err[at] = fabs(out->v[at]) * (fabs(beta) * off + 8 * U) +
				       0x1p-120 * fabs(in[at]);
			if (base <= 0 || sum > 1e37)
				out->err[at] = INFINITY;
		}
	}
	return ret;
}

static int eval_instance(struct nnr_eval *e)
{
	double gamma = nnr_eval_scalar(e, 1, 1), beta = nnr_eval_scalar(e, 2, 0);
	double epsilon = nnr_eval_scalar(e, 3, 0);
	bool nchw = nnr_eval_int(e, 4, 0);
	struct nnr_eval_tensor *out = &e->out[0];
	const struct nnr_eval_tensor *in = &e->in[0];
	size_t pixels, images, step;
	int ret;

	if (in->rank != 4)
		return -EINVAL;
	ret = nnr_eval_out(e, 0, 4, in->dims);
	if (ret)
		return ret;
	pixels = nchw ? in->dims[2] * in->dims[3] : in->dims[1] * in->dims[2];
	step = nchw ? 1 : in->dims[3];
	images = pixels ? in->count / pixels : 0;
	for (size_t i = 0; i < images; i++) {
		size_t first = i / step * step * pixels + i % step;
		double mean = 0, total = 0, variance = 0, off_variance = 0, off_mean, factor,
		       off_factor;

		for (size_t k = 0; k < pixels; k++) {
			mean += in->v[first + k * step] / (double)pixels;
			total += fabs(in->v[first + k * step]) / (double)pixels;
		}
		off_mean = ((double)pixels + 3) * U * total;
		for (size_t k = 0; k < pixels; k++) {
			double c = in->v[first + k * step] - mean;

			variance += c * c / (double)pixels;
			off_variance +=
				(2 * fabs(c) * (off_mean + U * fabs(c)) + off_mean * off_mean) /
				(double)pixels;
		}
		off_variance += ((double)pixels + 4) * U * variance;
		factor = 1 / sqrt(variance + epsilon);
		off_factor = off_variance / (2 * (variance + epsilon)) + 4 * U;
		for (size_t k = 0; k < pixels; k++) {
			size_t at = first + k * step;
			double c = in->v[at] - mean;

			out->v[at] = gamma * c * factor + beta;
			out->err[at] =
				fabs(gamma) * factor * (off_mean + fabs(c) * (off_factor + 3 * U)) +
				2 * U * fabs(beta);
			/* First-order bounds hold for small errors only. */
			if (!(off_factor < 0.05) || variance > 1e37)
				out->err[at] = INFINITY;
		}
	}
	return 0;
}

int nnr_eval_norm(struct nnr_eval *e)
{
	switch (e->type) {
	case NNA_OPERATION_SOFTMAX:
		return eval_softmax(e);
	case NNA_OPERATION_LOG_SOFTMAX:
		return eval_softmax(e);
	case NNA_OPERATION_L2_NORMALIZATION:
		return eval_l2(e);
	case NNA_OPERATION_LOCAL_RESPONSE_NORMALIZATION:
		return eval_response(e);
	case NNA_OPERATION_INSTANCE_NORMALIZATION:
		return eval_instance(e);
	default:
		return -ENOTSUP;
	}
}
