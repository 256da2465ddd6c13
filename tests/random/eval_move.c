// SPDX-License-Identifier: MIT
/*
 * Operations that move elements. Each computes the dimensions of the result and says, for each
 * element of it, which element of the input it is; NOWHERE is the padding.
 */
#include <errno.h>
#include <string.h>

#include "tests/random/eval.h"

#define NOWHERE SIZE_MAX
#define RANK NNACCEL_MAX_RANK

/* Input @i, a list of @count numbers; 0: of any number. */
static int read_list(const struct nnr_eval *e, uint32_t i, size_t count, int64_t *list)
{
	const struct nnr_eval_tensor *t = &e->in[i];

	if (!nnr_eval_has(e, i) || t->count > 2 * RANK || (count && t->count != count))
		return -EINVAL;
	for (size_t k = 0; k < t->count; k++)
		list[k] = (int64_t)t->v[k];
	return 0;
}

/* Output 0 of @dims: the same elements in the same order. */
static int as_they_are(struct nnr_eval *e, uint32_t rank, const uint32_t *dims)
{
	int ret = nnr_eval_out(e, 0, rank, dims);

	if (ret || e->out[0].count != e->in[0].count)
		return ret ? ret : -EINVAL;
	e->out[0].exact = true;
	memcpy(e->out[0].v, e->in[0].v, e->in[0].count * sizeof(double));
	return 0;
}

static int eval_reshape(struct nnr_eval *e)
{
	uint32_t dims[2 * RANK] = { 0 };
	int64_t list[2 * RANK], rest = (int64_t)e->in[0].count;
	int open = -1, ret = read_list(e, 1, 0, list);

	for (uint32_t k = 0; !ret && k < e->in[1].count; k++) {
		if (list[k] == -1) {
			ret = open >= 0 ? -EINVAL : 0;
			open = (int)k;
			continue;
		}
		if (list[k] < 0 || (list[k] ? rest % list[k] : rest))
			return -EINVAL;
		dims[k] = (uint32_t)list[k];
		rest = list[k] ? rest / list[k] : rest;
	}
	if (ret)
		return ret;
	if (open >= 0)
		dims[open] = (uint32_t)rest;
	return as_they_are(e, (uint32_t)e->in[1].count, dims);
}

static int eval_squeeze(struct nnr_eval *e)
{
	const struct nnr_eval_tensor *in = &e->in[0];
	uint32_t rank = 0, dims[RANK];
	bool gone[RANK] = { false };
	int64_t list[2 * RANK];
	int ret = 0;

	if (nnr_eval_has(e, 1) && e->in[1].count) {
		ret = read_list(e, 1, 0, list);
		for (size_t k = 0; !ret && k < e->in[1].count; k++) {
			if (list[k] < 0 || list[k] >= in->rank || in->dims[list[k]] != 1)
				return -EINVAL;
			gone[list[k]] = true;
		}
	} else {
		for (uint32_t k = 0; k < in->rank; k++)
			gone[k] = in->dims[k] == 1;
	}
	for (uint32_t k = 0; k < in->rank; k++) {
		if (!gone[k])
			dims[rank++] = in->dims[k];
	}
	if (!rank)
		dims[rank++] = 1;
	return ret ? ret : as_they_are(e, rank, dims);
}

static int eval_expand_dims(struct nnr_eval *e)
{
	const struct nnr_eval_tensor *in = &e->in[0];
	int axis = nnr_eval_axis(nnr_eval_int(e, 1, 0), in->rank + 1);
	uint32_t dims[RANK + 1];

	if (axis < 0 || in->rank >= RANK)
		return -EINVAL;
	for (uint32_t k = 0; k <= in->rank; k++)
		dims[k] = k == (uint32_t)axis ? 1 : in->dims[k - (k > (uint32_t)axis)];
	return as_they_are(e, in->rank + 1, dims);
}

/**
 * struct mover - a movement
 * @rank, @dims: of the output
 * @from: number of the input's element for the output's element at @p
 * @a, @b, @c: for @from, whose comment says what they are
 * @pad: what stands where @from says NOWHERE
 */
struct mover {
	uint32_t rank, dims[RANK];
	size_t (*from)(const struct nnr_eval *e, const struct mover *m, const uint32_t *p);
	int64_t a[2 * RANK], b[2 * RANK], c[2 * RANK];
	double pad;
};

static int move(struct nnr_eval *e, const struct mover *m)
{
	uint32_t p[RANK];
	int ret = nnr_eval_out(e, 0, m->rank, m->dims);

	e->out[0].exact = true;
	for (size_t i = 0; !ret && i < e->out[0].count; i++) {
		size_t from;

		nnr_eval_unravel(i, m->rank, m->dims, p);
		from = m->from(e, m, p);
		if (from != NOWHERE && from >= e->in[0].count)
			return -EINVAL;
		e->out[0].v[i] = from == NOWHERE ? m->pad : e->in[0].v[from];
	}
	return ret;
}

static size_t transpose_from(const struct nnr_eval *e, const struct mover *m, const uint32_t *p)
{
	uint32_t q[RANK];

	for (uint32_t k = 0; k < m->rank; k++)
		q[m->a[k]] = p[k];
	return nnr_eval_ravel(m->rank, e->in[0].dims, q);
}

static int eval_transpose(struct nnr_eval *e)
{
	struct mover m = { .rank = e->in[0].rank, .from = transpose_from };
	uint32_t seen = 0;

	for (uint32_t k = 0; k < m.rank; k++)
		m.a[k] = m.rank - 1 - k;
	if (nnr_eval_has(e, 1) && read_list(e, 1, m.rank, m.a))
		return -EINVAL;
	for (uint32_t k = 0; k < m.rank; k++) {
		if (m.a[k] < 0 || m.a[k] >= m.rank || seen >> m.a[k] & 1)
			return -EINVAL;
		seen |= 1u << m.a[k];
		m.dims[k] = e->in[0].dims[m.a[k]];
	}
	return move(e, &m);
}

/* Start m->a, step m->b in each dimension; the result may have lost those where m->c is set. */
static size_t stride_from(const struct nnr_eval *e, const struct mover *m, const uint32_t *p)
{
	uint32_t q[RANK];

	for (uint32_t k = 0; k < e->in[0].rank; k++)
		q[k] = (uint32_t)(m->a[k] + (m->c[k] ? 0 : *p++ * m->b[k]));
	return nnr_eval_ravel(e->in[0].rank, e->in[0].dims, q);
}

static int eval_reverse(struct nnr_eval *e)
{
	struct mover m = { .rank = e->in[0].rank, .from = stride_from };
	int64_t list[2 * RANK];
	int ret = read_list(e, 1, 1, list);

	if (ret || list[0] < 0 || list[0] >= m.rank)
		return -EINVAL;
	for (uint32_t k = 0; k < m.rank; k++) {
		m.dims[k] = e->in[0].dims[k];
		m.b[k] = 1;
	}
	m.a[list[0]] = (int64_t)m.dims[list[0]] - 1;
	m.b[list[0]] = -1;
	return move(e, &m);
}

static int eval_slice(struct nnr_eval *e)
{
	struct mover m = { .rank = e->in[0].rank, .from = stride_from };
	int64_t size[2 * RANK];

	if (read_list(e, 1, m.rank, m.a) || read_list(e, 2, m.rank, size))
		return -EINVAL;
	for (uint32_t k = 0; k < m.rank; k++) {
		if (size[k] == -1)
			size[k] = e->in[0].dims[k] - m.a[k];
		if (m.a[k] < 0 || size[k] < 0 || m.a[k] + size[k] > e->in[0].dims[k])
			return -EINVAL;
		m.dims[k] = (uint32_t)size[k];
		m.b[k] = 1;
	}
	return move(e, &m);
}

static int eval_strided_slice(struct nnr_eval *e)
{
	int64_t no_begin = nnr_eval_int(e, 4, 0), no_end = nnr_eval_int(e, 5, 0);
	int64_t shrink = nnr_eval_int(e, 6, 0), end[2 * RANK];
	struct mover m = { .from = stride_from };
	uint32_t rank = e->in[0].rank;

	if (read_list(e, 1, rank, m.a) || read_list(e, 2, rank, end) || read_list(e, 3, rank, m.b))
		return -EINVAL;
	for (uint32_t k = 0; k < rank; k++) {
		int64_t size = e->in[0].dims[k], low, high, count;

		if (!m.b[k])
			return -EINVAL;
		low = m.b[k] > 0 ? 0 : -1;
		high = m.b[k] > 0 ? size : size - 1;
		m.a[k] += m.a[k] < 0 ? size : 0;
		end[k] += end[k] < 0 ? size : 0;
		m.a[k] = m.a[k] < low ? low : m.a[k] > high ? high : m.a[k];
		end[k] = end[k] < low ? low : end[k] > high ? high : end[k];
		if (no_begin >> k & 1)
			m.a[k] = m.b[k] > 0 ? low : high;
		if (no_end >> k & 1)
			end[k] = m.b[k] > 0 ? high : low;
		count = m.b[k] > 0 ? (end[k] - m.a[k] + m.b[k] - 1) / m.b[k]
				   : (m.a[k] - end[k] - m.b[k] - 1) / -m.b[k];
		m.c[k] = shrink >> k & 1;
		if (m.c[k] && (m.a[k] < 0 || m.a[k] >= size || m.b[k] < 0))
			return -EINVAL;
		if (!m.c[k])
			m.dims[m.rank++] = count > 0 ? (uint32_t)count : 0;
	}
	if (!m.rank)
		m.dims[m.rank++] = 1;
	return move(e, &m);
}

static size_t pad_from(const struct nnr_eval *e, const struct mover *m, const uint32_t *p)
{
	uint32_t q[RANK];

	for (uint32_t k = 0; k < m->rank; k++) {
		int64_t at = p[k] - m->a[2 * k], size = e->in[0].dims[k];

		if (m->b[0] && at < 0)
			at = -at - m->b[1];
		else if (m->b[0] && at >= size)
			at = 2 * size - 2 - at + m->b[1];
		if (at < 0 || at >= size)
			return NOWHERE;
		q[k] = (uint32_t)at;
	}
	return nnr_eval_ravel(m->rank, e->in[0].dims, q);
}

/* b[0]: mirrored, b[1]: with the edge itself (SYMMETRIC). */
static int eval_pad(struct nnr_eval *e)
{
	const struct nnr_eval_tensor *in = &e->in[0];
	struct mover m = { .rank = in->rank, .from = pad_from };

	if (read_list(e, 1, 2 * in->rank, m.a))
		return -EINVAL;
	if (e->type == NNA_OPERATION_MIRROR_PAD) {
		m.b[0] = 1;
		m.b[1] = nnr_eval_int(e, 2, 0);
	} else if (e->type == NNA_OPERATION_PAD_V2) {
		m.pad = nnr_eval_scalar(e, 2, 0);
		/* It is given as a stored number. */
		if (nnr_is_quantised(in->type))
			m.pad = (m.pad - in->zero_point) * (double)in->scale;
	}
	for (uint32_t k = 0; k < m.rank; k++) {
		int64_t most = m.b[0] ? (int64_t)in->dims[k] - 1 + m.b[1] : NNR_MAX_ELEMENTS;

		if (m.a[2 * k] < 0 || m.a[2 * k + 1] < 0 || m.a[2 * k] > most ||
		    m.a[2 * k + 1] > most)
			return -EINVAL;
		m.dims[k] = in->dims[k] + (uint32_t)(m.a[2 * k] + m.a[2 * k + 1]);
	}
	return move(e, &m);
}

static size_t tile_from(const struct nnr_eval *e, const struct mover *m, const uint32_t *p)
{
	uint32_t q[RANK];

	for (uint32_t k = 0; k < m->rank; k++)
		q[k] = p[k] % e->in[0].dims[k];
	return nnr_eval_ravel(m->rank, e->in[0].dims, q);
}

static int eval_tile(struct nnr_eval *e)
{
	struct mover m = { .rank = e->in[0].rank, .from = tile_from };

	if (read_list(e, 1, m.rank, m.a))
		return -EINVAL;
	for (uint32_t k = 0; k < m.rank; k++) {
		if (m.a[k] < 0 || m.a[k] > NNR_MAX_ELEMENTS)
			return -EINVAL;
		m.dims[k] = (uint32_t)m.a[k] * e->in[0].dims[k];
	}
	return move(e, &m);
}

/* The dimensions that are batch, height, width, channels. */
static const uint32_t nhwc_axes[] = { 0, 1, 2, 3 }, nchw_axes[] = { 0, 2, 3, 1 };

static void blocks_of(const struct nnr_eval *e, bool nchw, uint32_t d[4])
{
	const uint32_t *axes = nchw ? nchw_axes : nhwc_axes;

	for (int k = 0; k < 4; k++)
		d[k] = e->in[0].dims[axes[k]];
}

/* a[0], a[1]: block height, width; a[2]: nchw; a[3], a[4]: padding before; @p is in n, h, w, c. */
static size_t block_from(const struct nnr_eval *e, const struct mover *m, const uint32_t *p)
{
	const uint32_t *axes = m->a[2] ? nchw_axes : nhwc_axes;
	uint32_t bh = (uint32_t)m->a[0], bw = (uint32_t)m->a[1], d[4], o[4], q[4], r[4];

	blocks_of(e, m->a[2], d);
	for (int k = 0; k < 4; k++)
		o[k] = p[axes[k]];
	switch (e->type) {
	case NNA_OPERATION_DEPTH_TO_SPACE:
		q[0] = o[0];
		q[1] = o[1] / bh;
		q[2] = o[2] / bw;
		q[3] = (o[1] % bh * bw + o[2] % bw) * (d[3] / (bh * bw)) + o[3];
		break;
	case NNA_OPERATION_SPACE_TO_DEPTH:
		q[0] = o[0];
		q[1] = o[1] * bh + o[3] / d[3] / bw;
		q[2] = o[2] * bw + o[3] / d[3] % bw;
		q[3] = o[3] % d[3];
		break;
	case NNA_OPERATION_BATCH_TO_SPACE_ND:
		q[0] = (o[1] % bh * bw + o[2] % bw) * (d[0] / (bh * bw)) + o[0];
		q[1] = o[1] / bh;
		q[2] = o[2] / bw;
		q[3] = o[3];
		break;
	default: /* SPACE_TO_BATCH_ND */
		q[0] = o[0] % d[0];
		q[1] = o[1] * bh + o[0] / d[0] / bw - (uint32_t)m->a[3];
		q[2] = o[2] * bw + o[0] / d[0] % bw - (uint32_t)m->a[4];
		q[3] = o[3];
		if (q[1] >= d[1] || q[2] >= d[2])
			return NOWHERE;
		break;
	}
	for (int k = 0; k < 4; k++)
		r[axes[k]] = q[k];
	return nnr_eval_ravel(4, e->in[0].dims, r);
}

static int eval_blocks(struct nnr_eval *e)
{
	bool batches = e->type == NNA_OPERATION_BATCH_TO_SPACE_ND ||
		       e->type == NNA_OPERATION_SPACE_TO_BATCH_ND;
	struct mover m = { .rank = 4, .from = block_from };
	uint32_t nchw_at = e->type == NNA_OPERATION_SPACE_TO_BATCH_ND ? 3 : 2, d[4], area;
	int64_t pads[2 * RANK] = { 0 };
	const uint32_t *axes;
	bool nchw = nnr_eval_int(e, nchw_at, 0);

	if (e->in[0].rank != 4)
		return -EINVAL;
	if (batches ? read_list(e, 1, 2, m.a) : 0)
		return -EINVAL;
	if (!batches)
		m.a[0] = m.a[1] = nnr_eval_int(e, 1, 0);
	if (e->type == NNA_OPERATION_SPACE_TO_BATCH_ND && read_list(e, 2, 4, pads))
		return -EINVAL;
	if (m.a[0] < 1 || m.a[1] < 1)
		return -EINVAL;
	m.a[2] = nchw;
	m.a[3] = pads[0];
	m.a[4] = pads[2];
	blocks_of(e, nchw, d);
	area = (uint32_t)(m.a[0] * m.a[1]);
	switch (e->type) {
	case NNA_OPERATION_DEPTH_TO_SPACE:
	case NNA_OPERATION_BATCH_TO_SPACE_ND:
		if (d[batches ? 0 : 3] % area)
			return -EINVAL;
		d[batches ? 0 : 3] /= area;
		d[1] *= (uint32_t)m.a[0];
		d[2] *= (uint32_t)m.a[1];
		break;
	default:
		d[1] += (uint32_t)(pads[0] + pads[1]);
		d[2] += (uint32_t)(pads[2] + pads[3]);
		if (d[1] % (uint32_t)m.a[0] || d[2] % (uint32_t)m.a[1])
			return -EINVAL;
		d[batches ? 0 : 3] *= area;
		d[1] /= (uint32_t)m.a[0];
		d[2] /= (uint32_t)m.a[1];
		break;
	}
	axes = nchw ? nchw_axes : nhwc_axes;
	for (int k = 0; k < 4; k++)
		m.dims[axes[k]] = d[k];
	return move(e, &m);
}

static size_t shuffle_from(const struct nnr_eval *e, const struct mover *m, const uint32_t *p)
{
	uint32_t q[RANK], groups = (uint32_t)m->a[0], axis = (uint32_t)m->a[1];

	memcpy(q, p, sizeof(*q) * m->rank);
	q[axis] = p[axis] % groups * (m->dims[axis] / groups) + p[axis] / groups;
	return nnr_eval_ravel(m->rank, e->in[0].dims, q);
}

static int eval_channel_shuffle(struct nnr_eval *e)
{
	struct mover m = { .rank = e->in[0].rank, .from = shuffle_from };
	int axis = nnr_eval_axis(nnr_eval_int(e, 2, 0), m.rank);

	m.a[0] = nnr_eval_int(e, 1, 0);
	m.a[1] = axis;
	if (axis < 0 || m.a[0] < 1 || e->in[0].dims[axis] % m.a[0])
		return -EINVAL;
	memcpy(m.dims, e->in[0].dims, sizeof(m.dims));
	return move(e, &m);
}

/* Slices of @values along @axis, at @indices. */
static int gather(struct nnr_eval *e, const struct nnr_eval_tensor *values, uint32_t axis,
		  const struct nnr_eval_tensor *indices)
{
	struct nnr_eval_tensor *out = &e->out[0];
	uint32_t rank = 0, dims[2 * RANK], size = values->dims[axis];
	size_t inner = 1;
	int ret;

	if (values->rank + indices->rank - 1 > RANK)
		return -EINVAL;
	for (uint32_t k = 0; k < axis; k++)
		dims[rank++] = values->dims[k];
	for (uint32_t k = 0; k < indices->rank; k++)
		dims[rank++] = indices->dims[k];
	for (uint32_t k = axis + 1; k < values->rank; k++) {
		dims[rank++] = values->dims[k];
		inner *= values->dims[k];
	}
	for (size_t i = 0; i < indices->count; i++) {
		if (!(indices->v[i] >= 0 && indices->v[i] < size))
			return -EINVAL;
	}
	ret = nnr_eval_out(e, 0, rank, dims);
	out->exact = true;
	for (size_t i = 0; !ret && i < out->count; i++) {
		size_t which = i / inner % indices->count, outer = i / inner / indices->count;

		out->v[i] =
			values->v[(outer * size + (size_t)indices->v[which]) * inner + i % inner];
	}
	return ret;
}

static int eval_gather(struct nnr_eval *e)
{
	int axis = nnr_eval_axis(nnr_eval_int(e, 1, 0), e->in[0].rank);

	return axis < 0 ? -EINVAL : gather(e, &e->in[0], (uint32_t)axis, &e->in[2]);
}

static int eval_gather_nd(struct nnr_eval *e)
{
	const struct nnr_eval_tensor *in = &e->in[0], *at = &e->in[1];
	struct nnr_eval_tensor *out = &e->out[0];
	uint32_t rank = 0, dims[2 * RANK], depth;
	size_t inner = 1;
	int ret;

	if (!at->rank || at->dims[at->rank - 1] > in->rank || at->rank + in->rank > RANK)
		return -EINVAL;
	depth = at->dims[at->rank - 1];
	for (uint32_t k = 0; k + 1 < at->rank; k++)
		dims[rank++] = at->dims[k];
	for (uint32_t k = depth; k < in->rank; k++) {
		dims[rank++] = in->dims[k];
		inner *= in->dims[k];
	}
	if (!rank || !depth)
		return -EINVAL;
	for (size_t i = 0; i < at->count; i++) {
		if (!(at->v[i] >= 0 && at->v[i] < in->dims[i % depth]))
			return -EINVAL;
	}
	ret = nnr_eval_out(e, 0, rank, dims);
	out->exact = true;
	for (size_t i = 0; !ret && i < out->count; i++) {
		size_t from = 0;

		for (uint32_t k = 0; k < depth; k++)
			from = from * in->dims[k] + (size_t)at->v[i / inner * depth + k];
		out->v[i] = in->v[from * inner + i % inner];
	}
	return ret;
}

static int eval_hashtable(struct nnr_eval *e)
{
	const struct nnr_eval_tensor *lookups = &e->in[0], *keys = &e->in[1], *values = &e->in[2];
	uint32_t dims[RANK];
	size_t inner;
	int ret;

	if (values->rank < 2 || keys->count != values->dims[0] || lookups->rank != 1)
		return -EINVAL;
	inner = values->dims[0] ? values->count / values->dims[0] : 0;
	memcpy(dims, values->dims, sizeof(dims));
	dims[0] = lookups->dims[0];
	ret = nnr_eval_out(e, 0, values->rank, dims);
	if (!ret)
		ret = nnr_eval_out(e, 1, 1, lookups->dims);
	e->out[0].exact = e->out[1].exact = true;
	for (size_t i = 0; !ret && i < lookups->count; i++) {
		for (size_t k = 0; k < keys->count; k++) {
			if (keys->v[k] != lookups->v[i])
				continue;
			e->out[1].v[i] = 1;
			memcpy(e->out[0].v + i * inner, values->v + k * inner,
			       inner * sizeof(double));
			break;
		}
	}
	return ret;
}

/* CONCATENATION (the axis last) and PACK (first; every input gets a dimension of 1 there). */
static int eval_concat(struct nnr_eval *e)
{
	bool pack = e->type == NNA_OPERATION_PACK;
	uint32_t first = pack ? 1 : 0, end = pack ? e->input_count : e->input_count - 1;
	uint32_t rank = e->in[first].rank + pack, dims[RANK + 1], start = 0;
	int axis = nnr_eval_axis(nnr_eval_int(e, pack ? 0 : end, 0), rank);
	struct nnr_eval_tensor *out = &e->out[0];
	size_t outer = 1, inner = 1;
	int ret;

	if (axis < 0 || end <= first || rank > RANK)
		return -EINVAL;
	for (uint32_t k = 0; k < rank; k++) {
		dims[k] = pack && k == (uint32_t)axis
				  ? 0
				  : e->in[first].dims[k - (pack && k > (uint32_t)axis)];
		if (k < (uint32_t)axis)
			outer *= dims[k];
		if (k > (uint32_t)axis)
			inner *= dims[k];
	}
	dims[axis] = 0;
	out->exact = true;
	for (uint32_t i = first; i < end; i++) {
		const struct nnr_eval_tensor *in = &e->in[i];
		uint32_t part = pack ? 1 : in->dims[axis];

		if (in->count != outer * inner * part || in->rank + pack != rank)
			return -EINVAL;
		dims[axis] += part;
		if (in->scale != out->scale || in->zero_point != out->zero_point)
			out->exact = false;
	}
	ret = nnr_eval_out(e, 0, rank, dims);
	for (uint32_t i = first; !ret && i < end; i++) {
		uint32_t part = pack ? 1 : e->in[i].dims[axis];
		size_t run = part * inner;

		for (size_t o = 0; o < outer; o++)
			memcpy(out->v + (o * dims[axis] + start) * inner, e->in[i].v + o * run,
			       run * sizeof(double));
		start += part;
	}
	return ret;
}

/* SPLIT and UNPACK */
static int eval_split(struct nnr_eval *e)
{
	const struct nnr_eval_tensor *in = &e->in[0];
	bool unpack = e->type == NNA_OPERATION_UNPACK;
	int axis = nnr_eval_axis(nnr_eval_int(e, 1, 0), in->rank), ret = 0;
	uint32_t rank = 0, dims[RANK], part;
	size_t inner = 1;

	if (axis < 0 || in->dims[axis] % e->output_count ||
	    (unpack ? in->dims[axis] != e->output_count : nnr_eval_int(e, 2, 0) != e->output_count))
		return -EINVAL;
	part = in->dims[axis] / e->output_count;
	for (uint32_t k = 0; k < in->rank; k++) {
		if (k != (uint32_t)axis || !unpack)
			dims[rank++] = k == (uint32_t)axis ? part : in->dims[k];
		if (k > (uint32_t)axis)
			inner *= in->dims[k];
	}
	for (uint32_t i = 0; i < e->output_count && !ret; i++) {
		size_t run = part * inner;

		ret = nnr_eval_out(e, i, rank, dims);
		e->out[i].exact = true;
		for (size_t k = 0; !ret && k < e->out[i].count; k++)
			e->out[i].v[k] = in->v[(k / run * e->output_count + i) * run + k % run];
	}
	return ret;
}

static int eval_fill(struct nnr_eval *e)
{
	uint32_t dims[2 * RANK];
	int64_t list[2 * RANK];
	int ret = read_list(e, 0, 0, list);

	for (size_t k = 0; !ret && k < e->in[0].count; k++) {
		if (list[k] < 0 || list[k] > NNR_MAX_ELEMENTS)
			return -EINVAL;
		dims[k] = (uint32_t)list[k];
	}
	if (!ret)
		ret = nnr_eval_out(e, 0, (uint32_t)e->in[0].count, dims);
	for (size_t i = 0; !ret && i < e->out[0].count; i++)
		e->out[0].v[i] = nnr_eval_scalar(e, 1, 0);
	return ret;
}

static int eval_rank(struct nnr_eval *e)
{
	int ret = nnr_eval_out(e, 0, 0, NULL);

	if (!ret)
		e->out[0].v[0] = e->in[0].rank;
	return ret;
}

int nnr_eval_move(struct nnr_eval *e)
{
	switch (e->type) {
	case NNA_OPERATION_RESHAPE:
		return eval_reshape(e);
	case NNA_OPERATION_SQUEEZE:
		return eval_squeeze(e);
	case NNA_OPERATION_EXPAND_DIMS:
		return eval_expand_dims(e);
	case NNA_OPERATION_TRANSPOSE:
		return eval_transpose(e);
	case NNA_OPERATION_REVERSE:
		return eval_reverse(e);
	case NNA_OPERATION_SLICE:
		return eval_slice(e);
	case NNA_OPERATION_STRIDED_SLICE:
		return eval_strided_slice(e);
	case NNA_OPERATION_PAD:
	case NNA_OPERATION_PAD_V2:
	case NNA_OPERATION_MIRROR_PAD:
		return eval_pad(e);
	case NNA_OPERATION_TILE:
		return eval_tile(e);
	case NNA_OPERATION_DEPTH_TO_SPACE:
	case NNA_OPERATION_SPACE_TO_DEPTH:
	case NNA_OPERATION_BATCH_TO_SPACE_ND:
	case NNA_OPERATION_SPACE_TO_BATCH_ND:
		return eval_blocks(e);
	case NNA_OPERATION_CHANNEL_SHUFFLE:
		return eval_channel_shuffle(e);
	case NNA_OPERATION_GATHER:
		return eval_gather(e);
	case NNA_OPERATION_EMBEDDING_LOOKUP:
		return e->in[1].rank ? gather(e, &e->in[1], 0, &e->in[0]) : -EINVAL;
	case NNA_OPERATION_GATHER_ND:
		return eval_gather_nd(e);
	case NNA_OPERATION_HASHTABLE_LOOKUP:
		return eval_hashtable(e);
	case NNA_OPERATION_CONCATENATION:
	case NNA_OPERATION_PACK:
		return eval_concat(e);
	case NNA_OPERATION_SPLIT:
	case NNA_OPERATION_UNPACK:
		return eval_split(e);
	case NNA_OPERATION_FILL:
		return eval_fill(e);
	case NNA_OPERATION_RANK:
		return eval_rank(e);
	default:
		return -ENOTSUP;
	}
}
