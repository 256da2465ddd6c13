// SPDX-License-Identifier: MIT
/*
 * AXIS_ALIGNED_BBOX_TRANSFORM, ROI_ALIGN, ROI_POOLING, HEATMAP_MAX_KEYPOINT. Where the text does
 * not say what happens at an edge, this does what all implementations do; a comment says so.
 */
#include "tests/random/eval_box.h"

#include <errno.h>
#include <string.h>

#define U NNR_EVAL_U

struct nnr_eval_box nnr_eval_box_load(const double *at)
{
	return (struct nnr_eval_box){ .low = { at[0], at[1] }, .high = { at[2], at[3] } };
}

struct nnr_eval_box nnr_eval_box_move(struct nnr_eval_box box, const double *delta,
				      const double most[2])
{
	struct nnr_eval_box moved = { .err = box.err };

	for (int k = 0; k < 2; k++) {
		double size = box.high[k] - box.low[k], factor = exp(delta[2 + k]);
		double centre = (box.low[k] + box.high[k]) / 2 + delta[k] * size;
		double reach = size * factor / 2;

		moved.low[k] = fmin(fmax(centre - reach, 0), most[k]);
		moved.high[k] = fmin(fmax(centre + reach, 0), most[k]);
		moved.err += 16 * U *
			     (fabs(box.low[k]) + fabs(box.high[k]) + fabs(delta[k] * size) +
			      fabs(reach) * (2 + fabs(delta[2 + k])));
		moved.err += box.err * (factor + fabs(delta[k]));
	}
	return moved;
}

void nnr_eval_box_put(struct nnr_eval_tensor *out, size_t i, const struct nnr_eval_box *box)
{
	double corners[] = { box->low[0], box->low[1], box->high[0], box->high[1] };

	for (size_t k = 0; k < 4; k++) {
		out->v[4 * i + k] = corners[k];
		out->err[4 * i + k] = box->err;
	}
}

/* boxes [n, 4], deltas [n, classes * 4], image of each [n], image sizes (height, width) */
static int eval_transform(struct nnr_eval *e)
{
	const struct nnr_eval_tensor *boxes = &e->in[0], *deltas = &e->in[1], *image = &e->in[2],
				     *sizes = &e->in[3];
	uint32_t n = boxes->dims[0], classes = deltas->dims[1] / 4;
	int ret;

	if (boxes->rank != 2 || boxes->dims[1] != 4 || deltas->rank != 2 || deltas->dims[0] != n ||
	    deltas->dims[1] % 4 || image->count != n || sizes->rank != 2 || sizes->dims[1] != 2)
		return -EINVAL;
	ret = nnr_eval_out(e, 0, 2, deltas->dims);
	for (size_t i = 0; !ret && i < (size_t)n * classes; i++) {
		double at = image->v[i / classes];
		struct nnr_eval_box box = nnr_eval_box_load(boxes->v + i / classes * 4);
		const double *size;

		if (!(at >= 0 && at < sizes->dims[0]))
			return -EINVAL;
		size = sizes->v + 2 * (size_t)at;
		if (!nnr_eval_box_valid(&box, size))
			return -EINVAL;
		box = nnr_eval_box_move(box, deltas->v + 4 * i, (double[]){ size[1], size[0] });
		nnr_eval_box_put(&e->out[0], i, &box);
	}
	return ret;
}

/* ---- regions of images */

/**
 * struct region - a region of an image, divided into bins; index 0 is y, 1 is x
 * @size: of the image, in pixels
 * @bins: how many there are in each direction
 * @low, @high: the region's edges, in pixels of the image
 * @samples: in each direction of a bin; 0: as many as there are pixels
 */
struct region {
	const struct nnr_eval_tensor *in;
	bool nchw;
	uint32_t image, size[2], bins[2], channels;
	double low[2], high[2];
	double samples[2];
};

static size_t image_at(const struct nnr_eval_tensor *in, bool nchw, uint32_t n, uint32_t y,
		       uint32_t x, uint32_t c)
{
	uint32_t nhwc_index[] = { n, y, x, c }, nchw_index[] = { n, c, y, x };

	return nnr_eval_ravel(4, in->dims, nchw ? nchw_index : nhwc_index);
}

static double pixel(const struct region *r, uint32_t y, uint32_t x, uint32_t c)
{
	return r->in->v[image_at(r->in, r->nchw, r->image, y, x, c)];
}

/*
 * Bilinear between pixels; beyond the outermost ones, these (not in the text). *slope: how much
 * the result changes per pixel, also where fp32 takes the pixels beside these: next to a whole
 * position.
 */
static double interpolate(const struct region *r, const double at[2], uint32_t c, double *slope)
{
	uint32_t low[2], high[2], begin[2], end[2];
	double part[2], corner[4];

	for (int k = 0; k < 2; k++) {
		double last = r->size[k] - 1, p = fmin(at[k], last);

		low[k] = (uint32_t)floor(p);
		high[k] = low[k] + 1 < r->size[k] ? low[k] + 1 : low[k];
		part[k] = p - low[k];
		begin[k] = low[k] - (low[k] && part[k] < NNR_EVAL_CLOSE);
		end[k] = high[k] + (high[k] < last && part[k] > 1 - NNR_EVAL_CLOSE) + 1;
	}
	corner[0] = pixel(r, low[0], low[1], c);
	corner[1] = pixel(r, low[0], high[1], c);
	corner[2] = pixel(r, high[0], low[1], c);
	corner[3] = pixel(r, high[0], high[1], c);
	*slope = 0;
	for (uint32_t y = begin[0]; y < end[0]; y++) {
		for (uint32_t x = begin[1]; x < end[1]; x++)
			*slope += 2 * fabs(pixel(r, y, x, c));
	}
	return (1 - part[0]) * ((1 - part[1]) * corner[0] + part[1] * corner[1]) +
	       part[0] * ((1 - part[1]) * corner[2] + part[1] * corner[3]);
}

static void align_bin(const struct region *r, const uint32_t bin[2], uint32_t c, double *v,
		      double *err)
{
	double total = 0, slopes = 0, count = r->samples[0] * r->samples[1];

	for (uint32_t i = 0; i < count; i++) {
		uint32_t n[2] = { i / (uint32_t)r->samples[1], i % (uint32_t)r->samples[1] };
		double at[2], slope;

		for (int k = 0; k < 2; k++) {
			double step = (r->high[k] - r->low[k]) / r->bins[k];

			at[k] = r->low[k] + step * (bin[k] + (n[k] + 0.5) / r->samples[k]);
		}
		total += interpolate(r, at, c, &slope);
		slopes += slope;
	}
	*v = total / count;
	/* Positions are off by some steps of fp32, and slopes are no less than values. */
	*err = slopes / count * U * (16 * (r->size[0] + r->size[1]) + 4 * count);
}

/* Pixels [begin, end) of bin @k; @wide: one more where a quotient in fp32 may round to it. */
static void bin_range(const struct region *r, int d, uint32_t k, bool wide, uint32_t *begin,
		      uint32_t *end)
{
	uint32_t start = (uint32_t)r->low[d], size = (uint32_t)(r->high[d] - r->low[d]) + 1;
	uint32_t n = r->bins[d], first = k * size, last = (k + 1) * size;

	*begin = start + first / n;
	*end = start + (last + n - 1) / n;
	if (wide && first % n == 0 && k)
		*begin -= 1;
	if (wide && last % n == 0)
		*end += 1;
	*begin = *begin < r->size[d] ? *begin : r->size[d];
	*end = *end < r->size[d] ? *end : r->size[d];
}

/* The largest pixel of a bin, 0 of an empty one. */
static double bin_max(const struct region *r, const uint32_t bin[2], uint32_t c, bool wide)
{
	uint32_t begin[2], end[2];
	double best = -INFINITY;

	for (int k = 0; k < 2; k++)
		bin_range(r, k, bin[k], wide, &begin[k], &end[k]);
	for (uint32_t y = begin[0]; y < end[0]; y++) {
		for (uint32_t x = begin[1]; x < end[1]; x++)
			best = fmax(best, pixel(r, y, x, c));
	}
	return isinf(best) ? 0 : best;
}

static void pool_bin(const struct region *r, const uint32_t bin[2], uint32_t c, double *v,
		     double *err)
{
	*v = bin_max(r, bin, c, false);
	*err = bin_max(r, bin, c, true) == *v ? 0 : INFINITY;
}

/* Region @i. -EINVAL: it is no region; -EDOM: in fp32 it may become another one. */
static int load_region(const struct nnr_eval *e, uint32_t i, struct region *r)
{
	bool align = e->type == NNA_OPERATION_ROI_ALIGN;
	const double *corner = e->in[1].v + 4 * (size_t)i;
	double image = e->in[2].v[i];

	if (!(image >= 0 && image < r->in->dims[0]))
		return -EINVAL;
	r->image = (uint32_t)image;
	for (int k = 0; k < 2; k++) {
		double ratio = nnr_eval_scalar(e, 5 + (uint32_t)k, 1);

		r->low[k] = corner[1 - k] / ratio;
		r->high[k] = corner[3 - k] / ratio;
		if (!(r->low[k] >= 0 && r->low[k] <= r->high[k] && r->high[k] <= r->size[k]))
			return -EINVAL;
		if (r->high[k] > r->size[k] - NNR_EVAL_CLOSE)
			return -EDOM;
		if (!align) {
			double halves[] = { r->low[k] - 0.5, r->high[k] - 0.5 };

			for (int n = 0; n < 2; n++) {
				if (nnr_eval_too_close(halves[n], round(halves[n])))
					return -EDOM;
			}
			r->low[k] = round(r->low[k]);
			r->high[k] = round(r->high[k]);
			continue;
		}
		/* That a region is one pixel at least is not in the text. */
		if (r->high[k] - r->low[k] < 1 + NNR_EVAL_CLOSE)
			return -EDOM;
		r->samples[k] = nnr_eval_scalar(e, 7 + (uint32_t)k, 0);
		if (r->samples[k] == 0) {
			double step = (r->high[k] - r->low[k]) / r->bins[k];

			if (nnr_eval_too_close(step, round(step)))
				return -EDOM;
			r->samples[k] = ceil(step);
		}
	}
	return 0;
}

/*
 * images, regions [n, 4], image of each [n], height, width, ratios (height, width), [samples
 * (height, width; 0: as many as there are pixels),] nchw
 */
static int eval_roi(struct nnr_eval *e)
{
	bool align = e->type == NNA_OPERATION_ROI_ALIGN;
	struct region r = { .in = &e->in[0], .nchw = nnr_eval_int(e, align ? 9 : 7, 0) };
	const uint32_t *d = r.in->dims;
	uint32_t n = e->in[1].dims[0], dims[4], index[4];
	struct nnr_eval_tensor *out = &e->out[0];
	int ret;

	if (r.in->rank != 4 || e->in[1].rank != 2 || e->in[1].dims[1] != 4 || e->in[2].count != n)
		return -EINVAL;
	for (int k = 0; k < 2; k++) {
		r.size[k] = d[(r.nchw ? 2 : 1) + k];
		r.bins[k] = (uint32_t)nnr_eval_int(e, 3 + (uint32_t)k, 0);
		dims[(r.nchw ? 2 : 1) + k] = r.bins[k];
	}
	r.channels = d[r.nchw ? 1 : 3];
	dims[0] = n;
	dims[r.nchw ? 1 : 3] = r.channels;
	ret = nnr_eval_out(e, 0, 4, dims);
	out->exact = !align;
	for (size_t i = 0; !ret && i < out->count; i++) {
		uint32_t bin[2];

		nnr_eval_unravel(i, 4, dims, index);
		memcpy(bin, index + (r.nchw ? 2 : 1), sizeof(bin));
		ret = load_region(e, index[0], &r);
		if (ret)
			return ret;
		(align ? align_bin : pool_bin)(&r, bin, index[r.nchw ? 1 : 3], &out->v[i],
					       &out->err[i]);
	}
	return ret;
}

/* ---- keypoints */

struct map {
	const struct nnr_eval_tensor *in;
	bool nchw;
	uint32_t image, size, channel;
};

/* Beyond its edges a map is mirrored (not in the text). */
static double map_at(const struct map *m, int y, int x)
{
	int last = (int)m->size - 1;

	y = y < 0 ? -y : y > last ? 2 * last - y : y;
	x = x < 0 ? -x : x > last ? 2 * last - x : x;
	return m->in->v[image_at(m->in, m->nchw, m->image, (uint32_t)y, (uint32_t)x, m->channel)];
}

/* The largest element. Return: false when another one is about as large. */
static bool find_peak(const struct map *m, int *y, int *x)
{
	double best = -INFINITY, second = -INFINITY;

	for (int i = 0; i < (int)(m->size * m->size); i++) {
		double v = map_at(m, i / (int)m->size, i % (int)m->size);

		if (v > best) {
			second = best;
			best = v;
			*y = i / (int)m->size;
			*x = i % (int)m->size;
		} else if (v > second) {
			second = v;
		}
	}
	return best > second;
}

/*
 * The top of the quadratic surface through the peak's surroundings, @d (x, y) away from it. Return:
 * how ill-conditioned that is, INFINITY where nothing can be said.
 */
static double taylor(const struct map *m, int y, int x, double d[2], double *score)
{
	double f = map_at(m, y, x), most = 0;
	double gx = (map_at(m, y, x + 1) - map_at(m, y, x - 1)) / 2;
	double gy = (map_at(m, y + 1, x) - map_at(m, y - 1, x)) / 2;
	double xx = map_at(m, y, x + 1) - 2 * f + map_at(m, y, x - 1);
	double yy = map_at(m, y + 1, x) - 2 * f + map_at(m, y - 1, x);
	double xy = (map_at(m, y + 1, x + 1) - map_at(m, y + 1, x - 1) - map_at(m, y - 1, x + 1) +
		     map_at(m, y - 1, x - 1)) /
		    4;
	double det = xx * yy - xy * xy;

	for (int k = 0; k < 9; k++)
		most = fmax(most, fabs(map_at(m, y + k / 3 - 1, x + k % 3 - 1)));
	d[0] = (xy * gy - yy * gx) / det;
	d[1] = (xy * gx - xx * gy) / det;
	*score = f + gx * d[0] + gy * d[1] +
		 (xx * d[0] * d[0] + 2 * xy * d[0] * d[1] + yy * d[1] * d[1]) / 2;
	/* The text says nothing of a top that lies beyond the surroundings. */
	if (!(fabs(det) > 0.05) || fmax(fabs(d[0]), fabs(d[1])) > 1.4)
		return INFINITY;
	return (most + 1) * (most + 1) * (most + 1) / fabs(det);
}

/* heat maps, boxes [n, 4], nchw -> scores [n, keypoints], places [n, keypoints, 2] */
static int eval_keypoint(struct nnr_eval *e)
{
	struct map m = { .in = &e->in[0], .nchw = nnr_eval_int(e, 2, 0) };
	struct nnr_eval_tensor *scores = &e->out[0], *places = &e->out[1];
	uint32_t n = m.in->dims[0], channels = m.in->dims[m.nchw ? 1 : 3];
	int ret, y = 0, x = 0;

	m.size = m.in->dims[2];
	if (m.in->rank != 4 || m.in->dims[m.nchw ? 3 : 1] != m.size || m.size < 2 ||
	    e->in[1].rank != 2 || e->in[1].dims[0] != n || e->in[1].dims[1] != 4)
		return -EINVAL;
	ret = nnr_eval_out(e, 0, 2, (uint32_t[]){ n, channels });
	if (!ret)
		ret = nnr_eval_out(e, 1, 3, (uint32_t[]){ n, channels, 2 });
	for (size_t i = 0; !ret && i < scores->count; i++) {
		struct nnr_eval_box box = nnr_eval_box_load(e->in[1].v + i / channels * 4);
		double d[2] = { 0, 0 }, bad;

		m.image = (uint32_t)i / channels;
		m.channel = (uint32_t)i % channels;
		bad = find_peak(&m, &y, &x) ? taylor(&m, y, x, d, &scores->v[i]) : INFINITY;
		scores->err[i] = isinf(bad) ? INFINITY : 64 * U * bad;
		for (size_t k = 0; k < 2; k++) {
			double size = box.high[k] - box.low[k], at = k ? y + d[1] : x + d[0];

			if (size < 0)
				return -EINVAL;
			places->v[2 * i + k] = (at + 0.5) / m.size * size + box.low[k];
			places->err[2 * i + k] =
				isinf(bad) ? INFINITY
					   : 64 * U * (bad * size / m.size + fabs(box.high[k]) + 1);
		}
	}
	return ret;
}

int nnr_eval_box(struct nnr_eval *e)
{
	switch (e->type) {
	case NNA_OPERATION_AXIS_ALIGNED_BBOX_TRANSFORM:
		return eval_transform(e);
	case NNA_OPERATION_ROI_ALIGN:
	case NNA_OPERATION_ROI_POOLING:
		return eval_roi(e);
	case NNA_OPERATION_HEATMAP_MAX_KEYPOINT:
		return eval_keypoint(e);
	default:
		return -ENOTSUP;
	}
}
