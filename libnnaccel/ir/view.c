// SPDX-License-Identifier: MIT
/* Views: other values over the same bytes. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libnnaccel/ir/ir.h"

/*
 * Return: the dim of @to with as many elements as the channel dim of @from, and as many elements
 * outside and inside of it.
 */
static bool reshape_channels(const struct nna_value *from, struct nna_value *to)
{
	uint64_t before = 1, outer = 1;

	for (uint32_t k = 0; k < from->channel_dim; k++)
		before *= from->dims[k];
	for (uint32_t k = 0; k < to->rank; outer *= to->dims[k++]) {
		if (outer != before || to->dims[k] != from->channel_count)
			continue;
		nna_value_take_channels(to, from);
		to->channel_dim = k;
		return true;
	}
	return false;
}

/*
 * Gives the strides of a view of @v with other dims; false if there are none. Walks both shapes
 * from the innermost dim outwards, in groups of equal element count; the old dims of a group must
 * merge into one run of elements.
 */
static bool reshape_strides(const struct nna_value *v, uint32_t rank, const uint32_t *dims,
			    int32_t *strides)
{
	int old = v->rank - 1, new = (int)rank - 1;

	while (old >= 0 || new >= 0) {
		uint64_t have = 1, want = 1;
		int64_t run;

		while (old >= 0 && v->dims[old] == 1)
			old--;
		if (old < 0) {
			for (; new >= 0; new--)
				strides[new] = 1; /* the remaining dims are 1 */
			break;
		}
		run = v->strides[old];
		have = v->dims[old--];
		do {
			if (new < 0)
				return false;
			if (want > have) {
				/* Adds another old dim to the run. */
				while (old >= 0 && v->dims[old] == 1)
					old--;
				if (old < 0 || v->strides[old] != run * (int64_t)have)
					return false;
				have *= v->dims[old--];
				continue;
			}
			if (run * (int64_t)want > INT32_MAX || run * (int64_t)want < INT32_MIN)
				return false;
			strides[new] = run * (int64_t)want;
			want *= dims[new--];
		} while (want != have);
	}
	return true;
}

bool nna_value_reshape(const struct nna_value *v, uint32_t rank, const uint32_t *dims,
		       struct nna_value *to)
{
	struct nna_value plain;

	if (nna_value_plain(&plain, v->type, rank, dims, v->scale, v->zero_point) ||
	    nna_value_elements(&plain) != nna_value_elements(v))
		return false;
	plain.storage = v->storage;
	plain.offset = v->offset;
	*to = plain;
	return nna_value_contiguous(v) || reshape_strides(v, rank, dims, to->strides);
}

int64_t nna_view_reshape(struct nna_lower *l, uint32_t value, uint32_t rank, const uint32_t *dims)
{
	struct nna_value v, plain;
	int ret;

	if (value >= l->value_count)
		return -EINVAL;
	v = l->values[value];
	ret = nna_value_plain(&plain, v.type, rank, dims, v.scale, v.zero_point);
	if (ret)
		return ret;
	if (nna_value_elements(&plain) != nna_value_elements(&v))
		return -EINVAL;
	plain.storage = v.storage;
	plain.offset = v.offset;
	if (v.channel_scales && !reshape_channels(&v, &plain))
		return nna_scales_lost(l, "a reshape");
	if (nna_value_contiguous(&v) || reshape_strides(&v, rank, dims, plain.strides))
		return nna_value_add(l, &plain);
	return NNA_NO_VALUE;
}

int64_t nna_view_permute(struct nna_lower *l, uint32_t value, const uint32_t *axes)
{
	struct nna_value v, out;
	uint32_t seen = 0;

	if (value >= l->value_count)
		return -EINVAL;
	v = l->values[value];
	out = v;
	for (uint32_t k = 0; k < v.rank; k++) {
		if (axes[k] >= v.rank || seen & (1u << axes[k]))
			return -EINVAL;
		seen |= 1u << axes[k];
		out.dims[k] = v.dims[axes[k]];
		out.strides[k] = v.strides[axes[k]];
		if (v.channel_scales && axes[k] == v.channel_dim)
			out.channel_dim = k;
	}
	return nna_value_add(l, &out);
}

int64_t nna_view_slice(struct nna_lower *l, uint32_t value, uint32_t axis, uint32_t start,
		       int32_t step, uint32_t count)
{
	struct nna_value v;
	int64_t last, stride;

	if (value >= l->value_count)
		return -EINVAL;
	v = l->values[value];
	if (axis >= v.rank)
		return -EINVAL;
	if (count) {
		last = (int64_t)start + (int64_t)step * (count - 1);
		if (start >= v.dims[axis] || last < 0 || last >= v.dims[axis])
			return -EINVAL;
		v.offset += (int64_t)start * v.strides[axis] * nna_type_size(v.type);
	}
	if (count > 1) {
		stride = (int64_t)v.strides[axis] * step;
		if (stride > INT32_MAX || stride < INT32_MIN)
			return -ENOTSUP;
		v.strides[axis] = stride;
	}
	if (v.channel_scales && v.channel_dim == axis) {
		if (step == 1 && count) {
			v.channel_scales += start;
			v.channel_count = count;
		} else if (count != v.dims[axis] || step != 1) {
			return -ENOTSUP;
		}
	}
	v.dims[axis] = count;
	return nna_value_add(l, &v);
}

int64_t nna_view_broadcast(struct nna_lower *l, uint32_t value, uint32_t rank, const uint32_t *dims)
{
	struct nna_value v, out;

	if (value >= l->value_count)
		return -EINVAL;
	v = l->values[value];
	if (rank > NNACCEL_MAX_RANK || v.rank > rank)
		return -EINVAL;
	out = v;
	out.rank = rank;
	for (uint32_t k = 0; k < rank; k++) {
		uint32_t gap = rank - v.rank;

		out.dims[k] = dims[k];
		out.strides[k] = 0;
		if (k < gap)
			continue;
		if (v.dims[k - gap] == dims[k])
			out.strides[k] = v.strides[k - gap];
		else if (v.dims[k - gap] != 1)
			return -EINVAL;
	}
	out.channel_dim += rank - v.rank;
	return nna_value_add(l, &out);
}

int64_t nna_view_retype(struct nna_lower *l, uint32_t value, uint8_t type, float scale,
			int32_t zero_point)
{
	struct nna_value v;

	if (value >= l->value_count)
		return -EINVAL;
	v = l->values[value];
	if (nna_type_size(type) != nna_type_size(v.type))
		return -EINVAL;
	/* A single channel has one scale, which becomes the scale of the value. */
	if (v.channel_scales && (v.channel_count != 1 || v.channel_scales[0] != scale))
		return nna_scales_lost(l, "another type or scale for a tensor");
	v.type = type;
	v.scale = scale;
	v.zero_point = zero_point;
	v.channel_scales = NULL;
	v.channel_count = 0;
	v.joined = false;
	return nna_value_add(l, &v);
}

int64_t nna_view_joined(struct nna_lower *l, uint32_t value, uint32_t axis, const float *scales)
{
	struct nna_value v;
	int64_t constant;

	if (value >= l->value_count || axis >= l->values[value].rank)
		return -EINVAL;
	v = l->values[value];
	constant = nna_lower_constant(l, NNA_TYPE_F32, 1, &v.dims[axis], 0, 0, scales);
	if (constant < 0)
		return constant;
	v.scale = 0;
	v.channel_scales = nna_lower_constant_data(l, (uint32_t)constant);
	v.channel_count = v.dims[axis];
	v.channel_dim = axis;
	v.joined = true;
	return nna_value_add(l, &v);
}

int64_t nna_view_expand(struct nna_lower *l, uint32_t value, uint32_t axis)
{
	struct nna_value v;

	if (value >= l->value_count)
		return -EINVAL;
	v = l->values[value];
	if (axis > v.rank || v.rank == NNACCEL_MAX_RANK)
		return -EINVAL;
	for (uint32_t k = v.rank; k > axis; k--) {
		v.dims[k] = v.dims[k - 1];
		v.strides[k] = v.strides[k - 1];
	}
	/* The stride of a dim of 1 is arbitrary: this one keeps a row-major value row-major. */
	v.strides[axis] = 1;
	if (axis < v.rank) {
		int64_t stride = (int64_t)v.dims[axis + 1] * v.strides[axis + 1];

		if (stride >= INT32_MIN && stride <= INT32_MAX)
			v.strides[axis] = stride;
	}
	v.dims[axis] = 1;
	v.rank++;
	if (v.channel_scales && axis <= v.channel_dim)
		v.channel_dim++;
	return nna_value_add(l, &v);
}

int64_t nna_view_drop(struct nna_lower *l, uint32_t value, uint32_t axis)
{
	struct nna_value v;

	if (value >= l->value_count)
		return -EINVAL;
	v = l->values[value];
	if (axis >= v.rank || v.dims[axis] != 1)
		return -EINVAL;
	for (uint32_t k = axis; k + 1 < v.rank; k++) {
		v.dims[k] = v.dims[k + 1];
		v.strides[k] = v.strides[k + 1];
	}
	v.rank--;
	if (v.channel_scales) {
		if (axis == v.channel_dim)
			return -EINVAL;
		if (axis < v.channel_dim)
			v.channel_dim--;
	}
	return nna_value_add(l, &v);
}
