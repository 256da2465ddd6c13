// SPDX-License-Identifier: MIT
/* Operations whose elements look at a window of an image: convolutions, pooling, resizing. */
#include <errno.h>
#include <string.h>

#include "tests/random/eval.h"

#define U NNR_EVAL_U
#define MAX_WORK 4000000

/* An image in either layout. */
struct image {
	uint32_t n, h, w, c;
	bool nchw;
};

static struct image image_of(const struct nnr_eval_tensor *t, bool nchw)
{
	const uint32_t *d = t->dims;

	return nchw ? (struct image){ d[0], d[2], d[3], d[1], true }
		    : (struct image){ d[0], d[1], d[2], d[3], false };
}

static size_t at(const struct image *m, uint32_t n, uint32_t y, uint32_t x, uint32_t c)
{
	return m->nchw ? (((size_t)n * m->c + c) * m->h + y) * m->w + x
		       : (((size_t)n * m->h + y) * m->w + x) * m->c + c;
}

static int out_image(struct nnr_eval *e, const struct image *m)
{
	uint32_t nchw[] = { m->n, m->c, m->h, m->w }, nhwc[] = { m->n, m->h, m->w, m->c };

	return nnr_eval_out(e, 0, 4, m->nchw ? nchw : nhwc);
}

/* A window in one direction. */
struct span {
	int64_t size, filter, stride, dilation, before, after, out;
};

struct window {
	struct span y, x;
	int64_t extra, activation;
	bool nchw;
};

static int place(struct span *s, bool same)
{
	int64_t reach = (s->filter - 1) * s->dilation + 1, need;

	if (s->size < 1 || s->filter < 1 || s->stride < 1 || s->dilation < 1)
		return -EINVAL;
	if (same) {
		s->out = (s->size + s->stride - 1) / s->stride;
		need = (s->out - 1) * s->stride + reach - s->size;
		s->before = need > 0 ? need / 2 : 0;
		return 0;
	}
	if (s->size + s->before + s->after < reach)
		return -EINVAL;
	s->out = (s->size + s->before + s->after - reach) / s->stride + 1;
	return 0;
}

/* Reads the scalars from input @i on, in the HAL's order. @pool: with the size of the filter. */
static int read_window(const struct nnr_eval *e, uint32_t i, bool pool, bool extra, bool dilation,
		       struct window *w)
{
	/* With a padding scheme there are three scalars fewer; these follow in both forms. */
	uint32_t rest = 2 + (pool ? 2 : 0) + (extra ? 1 : 0) + 1;
	bool scheme = e->input_count < i + 4 + rest ||
		      (i + 1 + rest < e->input_count &&
		       e->in[i + 1 + rest].type == NNA_OPERAND_BOOL);
	struct image m;
	bool same = false;

	memset(w, 0, sizeof(*w));
	w->x.dilation = w->y.dilation = 1;
	if (scheme) {
		same = nnr_eval_int(e, i, 0) == 1;
		i++;
	} else {
		w->x.before = nnr_eval_int(e, i, 0);
		w->x.after = nnr_eval_int(e, i + 1, 0);
		w->y.before = nnr_eval_int(e, i + 2, 0);
		w->y.after = nnr_eval_int(e, i + 3, 0);
		i += 4;
	}
	w->x.stride = nnr_eval_int(e, i, 0);
	w->y.stride = nnr_eval_int(e, i + 1, 0);
	i += 2;
	if (pool) {
		w->x.filter = nnr_eval_int(e, i, 0);
		w->y.filter = nnr_eval_int(e, i + 1, 0);
		i += 2;
	} else {
		w->y.filter = e->in[1].dims[1];
		w->x.filter = e->in[1].dims[2];
	}
	if (extra)
		w->extra = nnr_eval_int(e, i++, 1);
	w->activation = nnr_eval_int(e, i, 0);
	w->nchw = nnr_eval_int(e, i + 1, 0);
	if (dilation) {
		w->x.dilation = nnr_eval_int(e, i + 2, 1);
		w->y.dilation = nnr_eval_int(e, i + 3, 1);
	}
	m = image_of(&e->in[0], w->nchw);
	w->y.size = m.h;
	w->x.size = m.w;
	return place(&w->y, same) ? -EINVAL : place(&w->x, same);
}

/* A sum of products and what bounds its error. */
struct sum {
	double v, size;
	uint32_t terms;
};

static void sum_add(struct sum *s, double v)
{
	s->v += v;
	s->size += fabs(v);
	s->terms++;
}

static void sum_store(const struct sum *s, struct nnr_eval_tensor *out, size_t i,
		      int64_t activation)
{
	nnr_eval_store(out, i, activation, s->v, (s->terms + 4) * (U * s->size + 0x1p-149));
}

/* A bias of per-channel weights states no scale: it is that of the channel. */
static double bias_at(const struct nnr_eval *e, uint32_t c, double channel_scale)
{
	const struct nnr_eval_tensor *bias = &e->in[2];

	if (!nnr_eval_has(e, 2))
		return 0;
	if (bias->type == NNA_OPERAND_TENSOR_INT32 && bias->scale == 0)
		return bias->v[c] * (double)e->in[0].scale * channel_scale;
	return bias->v[c];
}

static int check_conv(const struct nnr_eval *e)
{
	return e->in[0].rank != 4 || e->in[1].rank != 4 || !e->in[1].count ? -EINVAL : 0;
}

/* CONV_2D, GROUPED_CONV_2D: filter [N, h, w, C / groups]; DEPTHWISE_CONV_2D: [1, h, w, N]. */
static int eval_conv(struct nnr_eval *e, const float *channel_scales)
{
	bool depthwise = e->type == NNA_OPERATION_DEPTHWISE_CONV_2D,
	     grouped = e->type == NNA_OPERATION_GROUPED_CONV_2D;
	const struct nnr_eval_tensor *f = &e->in[1];
	struct nnr_eval_tensor *out = &e->out[0];
	struct image in, result;
	uint32_t groups = 1, per_group, channels;
	struct window w;
	int ret = check_conv(e);

	if (!ret)
		ret = read_window(e, 3, false, depthwise || grouped, !grouped, &w);
	if (ret)
		return ret;
	in = image_of(&e->in[0], w.nchw);
	channels = f->dims[depthwise ? 3 : 0];
	if (grouped)
		groups = (uint32_t)w.extra;
	if (depthwise ? f->dims[0] != 1 || in.c * w.extra != channels
		      : f->dims[3] * groups != in.c || channels % groups)
		return -EINVAL;
	if (nnr_eval_has(e, 2) && e->in[2].count != channels)
		return -EINVAL;
	result = (struct image){ in.n, (uint32_t)w.y.out, (uint32_t)w.x.out, channels, w.nchw };
	ret = out_image(e, &result);
	if (ret)
		return ret;
	if (out->count * f->dims[1] * f->dims[2] * (depthwise ? 1 : f->dims[3]) > MAX_WORK)
		return -E2BIG;
	per_group = channels / groups;
	for (size_t i = 0; i < out->count; i++) {
		uint32_t p[4], n, oy, ox, c;
		struct sum s = { 0 };

		nnr_eval_unravel(i, 4, out->dims, p);
		n = p[0];
		c = p[w.nchw ? 1 : 3];
		oy = p[w.nchw ? 2 : 1];
		ox = p[w.nchw ? 3 : 2];
		for (uint32_t fy = 0; fy < f->dims[1]; fy++) {
			int64_t y = oy * w.y.stride - w.y.before + fy * w.y.dilation;

			for (uint32_t fx = 0; fx < f->dims[2]; fx++) {
				int64_t x = ox * w.x.stride - w.x.before + fx * w.x.dilation;

				if (y < 0 || y >= w.y.size || x < 0 || x >= w.x.size)
					continue;
				for (uint32_t k = 0; k < (depthwise ? 1 : f->dims[3]); k++) {
					uint32_t from = depthwise ? c / (uint32_t)w.extra
								  : c / per_group * f->dims[3] + k;
					uint32_t fi[] = { depthwise ? 0 : c, fy, fx,
							  depthwise ? c : k };

					sum_add(&s, e->in[0].v[at(&in, n, (uint32_t)y, (uint32_t)x,
								  from)] *
							    f->v[nnr_eval_ravel(4, f->dims, fi)]);
				}
			}
		}
		sum_add(&s, bias_at(e, c, channel_scales ? channel_scales[c] : 0));
		sum_store(&s, out, i, w.activation);
	}
	return 0;
}

/*
 * TRANSPOSE_CONV_2D: every input element adds its product with the filter [N, h, w, C] to the
 * output, at its place times the stride less the padding before.
 */
static int eval_transpose_conv(struct nnr_eval *e, const float *channel_scales)
{
	const struct nnr_eval_tensor *f = &e->in[1];
	struct nnr_eval_tensor *out = &e->out[0];
	bool scheme = e->in[3].type == NNA_OPERAND_TENSOR_INT32;
	uint32_t i = scheme ? 5 : 7;
	int64_t stride_x = nnr_eval_int(e, i, 1), stride_y = nnr_eval_int(e, i + 1, 1);
	int64_t activation = nnr_eval_int(e, i + 2, 0), top, left, height, width;
	bool nchw = nnr_eval_int(e, i + 3, 0);
	struct image in, result;
	int ret = check_conv(e);

	if (ret)
		return ret;
	in = image_of(&e->in[0], nchw);
	if (f->dims[3] != in.c || e->in[2].count != f->dims[0] || stride_x < 1 || stride_y < 1)
		return -EINVAL;
	if (scheme) {
		int64_t over_y, over_x;

		if (e->in[3].count != 4)
			return -EINVAL;
		height = (int64_t)e->in[3].v[nchw ? 2 : 1];
		width = (int64_t)e->in[3].v[nchw ? 3 : 2];
		over_y = (in.h - 1) * stride_y + f->dims[1] - height;
		over_x = (in.w - 1) * stride_x + f->dims[2] - width;
		top = nnr_eval_int(e, 4, 0) == 1 && over_y > 0 ? over_y / 2 : 0;
		left = nnr_eval_int(e, 4, 0) == 1 && over_x > 0 ? over_x / 2 : 0;
	} else {
		left = nnr_eval_int(e, 3, 0);
		top = nnr_eval_int(e, 5, 0);
		width = (in.w - 1) * stride_x + f->dims[2] - left - nnr_eval_int(e, 4, 0);
		height = (in.h - 1) * stride_y + f->dims[1] - top - nnr_eval_int(e, 6, 0);
	}
	if (width < 1 || height < 1)
		return -EINVAL;
	result = (struct image){ in.n, (uint32_t)height, (uint32_t)width, f->dims[0], nchw };
	ret = out_image(e, &result);
	if (ret)
		return ret;
	if (out->count * f->dims[1] * f->dims[2] * in.c > MAX_WORK)
		return -E2BIG;
	for (size_t o = 0; o < out->count; o++) {
		uint32_t p[4], c, oy, ox;
		struct sum s = { 0 };

		nnr_eval_unravel(o, 4, out->dims, p);
		c = p[nchw ? 1 : 3];
		oy = p[nchw ? 2 : 1];
		ox = p[nchw ? 3 : 2];
		for (uint32_t fy = 0; fy < f->dims[1]; fy++) {
			int64_t y = (int64_t)oy + top - fy;

			if (y < 0 || y % stride_y || y / stride_y >= in.h)
				continue;
			for (uint32_t fx = 0; fx < f->dims[2]; fx++) {
				int64_t x = (int64_t)ox + left - fx;

				if (x < 0 || x % stride_x || x / stride_x >= in.w)
					continue;
				for (uint32_t k = 0; k < in.c; k++) {
					uint32_t fi[] = { c, fy, fx, k };

					sum_add(&s,
						e->in[0].v[at(&in, p[0], (uint32_t)(y / stride_y),
							      (uint32_t)(x / stride_x), k)] *
							f->v[nnr_eval_ravel(4, f->dims, fi)]);
				}
			}
		}
		sum_add(&s, bias_at(e, c, channel_scales ? channel_scales[c] : 0));
		sum_store(&s, out, o, activation);
	}
	return 0;
}

static int eval_pool(struct nnr_eval *e)
{
	struct nnr_eval_tensor *out = &e->out[0];
	struct image in, result;
	struct window w;
	int ret;

	if (e->in[0].rank != 4)
		return -EINVAL;
	ret = read_window(e, 1, true, false, false, &w);
	if (ret)
		return ret;
	in = image_of(&e->in[0], w.nchw);
	result = (struct image){ in.n, (uint32_t)w.y.out, (uint32_t)w.x.out, in.c, w.nchw };
	ret = out_image(e, &result);
	if (ret)
		return ret;
	if (out->count * (uint64_t)(w.y.filter * w.x.filter) > MAX_WORK)
		return -E2BIG;
	out->exact = e->type == NNA_OPERATION_MAX_POOL_2D && w.activation == 0;
	for (size_t i = 0; i < out->count; i++) {
		double most = -INFINITY;
		struct sum s = { 0 };
		bool nan = false;
		uint32_t p[4];

		nnr_eval_unravel(i, 4, out->dims, p);
		for (int64_t fy = 0; fy < w.y.filter; fy++) {
			int64_t y = p[w.nchw ? 2 : 1] * w.y.stride - w.y.before + fy;

			for (int64_t fx = 0; fx < w.x.filter; fx++) {
				int64_t x = p[w.nchw ? 3 : 2] * w.x.stride - w.x.before + fx;
				double v;

				if (y < 0 || y >= w.y.size || x < 0 || x >= w.x.size)
					continue;
				v = e->in[0].v[at(&in, p[0], (uint32_t)y, (uint32_t)x,
						  p[w.nchw ? 1 : 3])];
				sum_add(&s, e->type == NNA_OPERATION_L2_POOL_2D ? v * v : v);
				most = fmax(most, v);
				nan |= isnan(v);
			}
		}
		if (!s.terms)
			return -EINVAL; /* a window that lies in the padding */
		if (e->type == NNA_OPERATION_MAX_POOL_2D) {
			out->v[i] = nnr_eval_activate(w.activation, most);
			out->err[i] = nan ? INFINITY : 0;
			continue;
		}
		s.v /= s.terms;
		s.size /= s.terms;
		sum_store(&s, out, i, e->type == NNA_OPERATION_L2_POOL_2D ? 0 : w.activation);
		if (e->type == NNA_OPERATION_L2_POOL_2D) {
			/* The root halves the relative error. */
			nnr_eval_store(out, i, w.activation, sqrt(s.v),
				       (s.terms + 6) * U * sqrt(s.v) + 0x1p-126);
			/* Squares may leave the range of fp32. */
			if (s.v > 1e36 || (s.v != 0 && s.v < 1e-30))
				out->err[i] = INFINITY;
		}
	}
	return 0;
}

/*
 * Where row @o of the result lies in @size rows, in fp32 as the reference does: positions decide
 * about neighbours.
 */
static float position(uint32_t o, uint32_t size, uint32_t out, bool align, bool half)
{
	float scale =
		align && out > 1 ? (float)(size - 1) / (float)(out - 1) : (float)size / (float)out;

	return half ? ((float)o + 0.5f) * scale - 0.5f : (float)o * scale;
}

static uint32_t nearest(uint32_t o, uint32_t size, uint32_t out, bool align, bool half)
{
	float scale =
		align && out > 1 ? (float)(size - 1) / (float)(out - 1) : (float)size / (float)out;
	float p = ((float)o + (half ? 0.5f : 0)) * scale;
	float whole = align ? roundf(p) : floorf(p);

	return whole > (float)(size - 1) ? size - 1 : (uint32_t)whole;
}

struct blend {
	uint32_t low, high;
	double part;
};

static struct blend blend_at(uint32_t o, uint32_t size, uint32_t out, bool align, bool half)
{
	double p = fmax(position(o, size, out, align, half), 0);
	struct blend b = { .low = (uint32_t)p };

	if (b.low > size - 1)
		b.low = size - 1;
	b.high = b.low + 1 < size ? b.low + 1 : size - 1;
	b.part = p - b.low;
	return b;
}

/*
 * How far TFLite's bilinear result in fixed point, with scales of a whole number of 1/1024, may be
 * from NNAPI's: either position is off by half of that per row and at the start, and the slope
 * there is at most the difference of the numbers around.
 */
static double fixed_point_error(const struct nnr_eval *e, const struct image *in,
				const uint32_t *where, const struct blend *y, const struct blend *x)
{
	double least = INFINITY, most = -INFINITY;
	uint32_t c = where[in->nchw ? 1 : 3];

	for (uint32_t j = y->low ? y->low - 1 : 0; j <= y->high + 1 && j < in->h; j++) {
		for (uint32_t i = x->low ? x->low - 1 : 0; i <= x->high + 1 && i < in->w; i++) {
			double v = e->in[0].v[at(in, where[0], j, i, c)];

			least = fmin(least, v);
			most = fmax(most, v);
		}
	}
	return (most - least) * (where[in->nchw ? 2 : 1] + where[in->nchw ? 3 : 2] + 4) / 2048;
}

static int eval_resize(struct nnr_eval *e)
{
	bool linear = e->type == NNA_OPERATION_RESIZE_BILINEAR;
	bool nchw = nnr_eval_int(e, 3, 0), align = nnr_eval_int(e, 4, 0),
	     half = nnr_eval_int(e, 5, 0);
	struct nnr_eval_tensor *out = &e->out[0];
	struct image in, result;
	double w, h;
	int ret;

	if (e->in[0].rank != 4)
		return -EINVAL;
	in = image_of(&e->in[0], nchw);
	w = nnr_eval_scalar(e, 1, 0);
	h = nnr_eval_scalar(e, 2, 0);
	if (e->in[1].type != NNA_OPERAND_INT32) {
		float fw = (float)w * (float)in.w, fh = (float)h * (float)in.h;

		w = floorf(fw);
		h = floorf(fh);
	}
	if (w < 1 || h < 1 || w > 1000 || h > 1000 || !in.h || !in.w)
		return -EINVAL;
	result = (struct image){ in.n, (uint32_t)h, (uint32_t)w, in.c, nchw };
	ret = out_image(e, &result);
	out->exact = !linear;
	for (size_t i = 0; !ret && i < out->count; i++) {
		uint32_t p[4], y, x, c;
		const double *v = e->in[0].v;
		struct blend by, bx;
		struct sum s = { 0 };

		nnr_eval_unravel(i, 4, out->dims, p);
		c = p[nchw ? 1 : 3];
		y = p[nchw ? 2 : 1];
		x = p[nchw ? 3 : 2];
		if (!linear) {
			out->v[i] = v[at(&in, p[0], nearest(y, in.h, result.h, align, half),
					 nearest(x, in.w, result.w, align, half), c)];
			continue;
		}
		by = blend_at(y, in.h, result.h, align, half);
		bx = blend_at(x, in.w, result.w, align, half);
		sum_add(&s, (1 - by.part) * (1 - bx.part) * v[at(&in, p[0], by.low, bx.low, c)]);
		sum_add(&s, (1 - by.part) * bx.part * v[at(&in, p[0], by.low, bx.high, c)]);
		sum_add(&s, by.part * (1 - bx.part) * v[at(&in, p[0], by.high, bx.low, c)]);
		sum_add(&s, by.part * bx.part * v[at(&in, p[0], by.high, bx.high, c)]);
		out->v[i] = s.v;
		/* Fractions are differences of fp32 positions: as exact as the largest position. */
		s.size = fabs(v[at(&in, p[0], by.low, bx.low, c)]) +
			 fabs(v[at(&in, p[0], by.low, bx.high, c)]) +
			 fabs(v[at(&in, p[0], by.high, bx.low, c)]) +
			 fabs(v[at(&in, p[0], by.high, bx.high, c)]);
		out->err[i] = 8 * U * s.size;
		if (out->type == NNA_OPERAND_TENSOR_QUANT8_ASYMM_SIGNED)
			out->err[i] += fixed_point_error(e, &in, p, &by, &bx);
	}
	return ret;
}

int nnr_eval_window(struct nnr_eval *e)
{
	switch (e->type) {
	case NNA_OPERATION_CONV_2D:
	case NNA_OPERATION_GROUPED_CONV_2D:
	case NNA_OPERATION_DEPTHWISE_CONV_2D:
		return eval_conv(e, e->in[1].channel_scales);
	case NNA_OPERATION_TRANSPOSE_CONV_2D:
		return eval_transpose_conv(e, e->in[1].channel_scales);
	case NNA_OPERATION_AVERAGE_POOL_2D:
	case NNA_OPERATION_MAX_POOL_2D:
	case NNA_OPERATION_L2_POOL_2D:
		return eval_pool(e);
	case NNA_OPERATION_RESIZE_BILINEAR:
	case NNA_OPERATION_RESIZE_NEAREST_NEIGHBOR:
		return eval_resize(e);
	default:
		return -ENOTSUP;
	}
}
