// SPDX-License-Identifier: MIT
/* Properties of values: elements, bytes, order. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libnnaccel/ir/ir.h"

bool nna_value_count(const struct nna_value *v, uint32_t *count)
{
	uint64_t product = 1;
	bool empty = false;

	for (uint32_t k = 0; k < v->rank; k++) {
		if (!v->dims[k])
			empty = true;
		else if (__builtin_mul_overflow(product, (uint64_t)v->dims[k], &product) ||
			 product > INT32_MAX)
			return false;
	}
	*count = empty ? 0 : product;
	return true;
}

uint32_t nna_value_elements(const struct nna_value *v)
{
	uint32_t count = 0;

	nna_value_count(v, &count);
	return count;
}

bool nna_value_contiguous(const struct nna_value *v)
{
	int64_t stride = 1;

	if (!nna_value_elements(v))
		return true;
	for (uint32_t k = v->rank; k-- > 0;) {
		if (v->dims[k] != 1 && v->strides[k] != stride)
			return false;
		stride *= v->dims[k];
	}
	return true;
}

void nna_value_extent(const struct nna_value *v, uint64_t *begin, uint64_t *end)
{
	int64_t low = 0, high = 0;
	uint32_t size = nna_type_size(v->type);

	*begin = v->offset;
	*end = v->offset;
	if (!nna_value_elements(v))
		return;
	for (uint32_t k = 0; k < v->rank; k++) {
		int64_t reach = (int64_t)(v->dims[k] - 1) * v->strides[k];

		if (reach < 0)
			low += reach;
		else
			high += reach;
	}
	*begin = v->offset + low * size;
	*end = v->offset + (high + 1) * size;
}

bool nna_value_whole(const struct nna_lower *l, const struct nna_value *v)
{
	return !v->offset && nna_value_contiguous(v) &&
	       (uint64_t)nna_value_elements(v) * nna_type_size(v->type) ==
		       l->storages[v->storage].size;
}

bool nna_value_same_dims(const struct nna_value *a, const struct nna_value *b)
{
	return a->rank == b->rank && !memcmp(a->dims, b->dims, sizeof(a->dims[0]) * a->rank);
}

void nna_value_fold(struct nna_value *a, struct nna_value *b)
{
	uint32_t rank = 0;

	for (uint32_t k = 0; k < a->rank; k++) {
		uint32_t dim = a->dims[k], last = rank - 1;

		if (dim == 1)
			continue;
		if (rank && a->strides[last] == (int64_t)a->strides[k] * dim &&
		    b->strides[last] == (int64_t)b->strides[k] * dim)
			dim *= a->dims[last];
		else
			last = rank++;
		a->dims[last] = b->dims[last] = dim;
		a->strides[last] = a->strides[k];
		b->strides[last] = b->strides[k];
	}
	a->rank = b->rank = rank;
}

bool nna_value_overlap(const struct nna_value *a, const struct nna_value *b)
{
	uint64_t a_begin, a_end, b_begin, b_end;

	if (a->storage != b->storage)
		return false;
	nna_value_extent(a, &a_begin, &a_end);
	nna_value_extent(b, &b_begin, &b_end);
	if (a_begin >= b_end || b_begin >= a_end)
		return false;
	/*
	 * Slices of one tensor may interleave in memory without a common element: they have the
	 * same strides, and disjoint ranges of indices in one dim.
	 */
	if (a->rank == b->rank && nna_type_size(a->type) == nna_type_size(b->type)) {
		uint32_t size = nna_type_size(a->type);
		int64_t a_at = a->offset / size, b_at = b->offset / size;

		if (a->offset % size || b->offset % size)
			return true;
		for (uint32_t k = 0; k < a->rank; k++)
			if (a->strides[k] != b->strides[k] || a->strides[k] <= 0 ||
			    (k && a->strides[k] > a->strides[k - 1]))
				return true;
		for (uint32_t k = 0; k < a->rank; k++) {
			int64_t a_first = a_at / a->strides[k], b_first = b_at / a->strides[k];
			int64_t room = k ? a->strides[k - 1] / a->strides[k] : INT64_MAX;

			if (k && a->strides[k - 1] % a->strides[k])
				return true;
			/* Indices that carry into the next dim cannot be compared. */
			if (a_first + a->dims[k] > room || b_first + b->dims[k] > room)
				return true;
			if (a_first + a->dims[k] <= b_first || b_first + b->dims[k] <= a_first)
				return false;
			a_at %= a->strides[k];
			b_at %= a->strides[k];
		}
	}
	return true;
}

bool nna_value_is_quantised(const struct nna_value *v)
{
	return v->scale != 0 && nna_type_size(v->type) <= 2 && v->type != NNA_TYPE_F16;
}

void nna_value_set_strides(struct nna_value *v)
{
	int64_t stride = 1;

	for (uint32_t k = v->rank; k-- > 0;) {
		v->strides[k] = stride > INT32_MAX ? INT32_MAX : stride;
		stride *= v->dims[k] ? v->dims[k] : 1;
		if (stride > INT32_MAX)
			stride = INT32_MAX;
	}
}

/* Makes a row-major value without a storage. */
int nna_value_plain(struct nna_value *v, uint8_t type, uint32_t rank, const uint32_t *dims,
		       float scale, int32_t zero_point)
{
	uint32_t count;

	if (rank > NNACCEL_MAX_RANK || !nna_type_size(type))
		return -EINVAL;
	*v = (struct nna_value){
		.type = type,
		.rank = rank,
		.scale = scale,
		.zero_point = zero_point,
	};
	if (rank)
		memcpy(v->dims, dims, sizeof(*dims) * rank);
	if (!nna_value_count(v, &count))
		return -ENOTSUP;
	nna_value_set_strides(v);
	return 0;
}

/* True if two values have the same scales per channel, or none. */
bool nna_value_same_channels(const struct nna_value *a, const struct nna_value *b)
{
	if (!a->channel_scales || !b->channel_scales)
		return !a->channel_scales && !b->channel_scales;
	return a->joined == b->joined && a->channel_count == b->channel_count &&
	       a->channel_dim == b->channel_dim &&
	       !memcmp(a->channel_scales, b->channel_scales,
		       sizeof(a->channel_scales[0]) * a->channel_count);
}

void nna_value_take_channels(struct nna_value *to, const struct nna_value *from)
{
	to->channel_scales = from->channel_scales;
	to->channel_count = from->channel_count;
	to->channel_dim = from->channel_dim;
	to->joined = from->joined;
}

bool nna_value_same_view(const struct nna_value *a, const struct nna_value *b)
{
	return a->storage == b->storage && a->offset == b->offset && a->type == b->type &&
	       a->scale == b->scale && a->zero_point == b->zero_point &&
	       nna_value_same_dims(a, b) &&
	       !memcmp(a->strides, b->strides, sizeof(a->strides[0]) * a->rank);
}

bool nna_value_number(const struct nna_lower *l, const struct nna_value *v, float *number)
{
	const struct nna_storage *s = &l->storages[v->storage];

	if (s->kind != NNA_STORAGE_CONSTANT || !s->data || s->fill || v->type != NNA_TYPE_F32)
		return false;
	for (uint32_t k = 0; k < v->rank; k++)
		if (v->dims[k] > 1 && v->strides[k])
			return false;
	if (v->offset > s->size || s->size - v->offset < sizeof(*number))
		return false;
	memcpy(number, (const uint8_t *)s->data + v->offset, sizeof(*number));
	return true;
}
