// SPDX-License-Identifier: MIT
#include "libnnaccel/backend/ethosu/walk.h"

#include <string.h>

static bool is_bit(uint32_t set, uint32_t n)
{
	return set >> n & 1;
}

/* Takes dims that have more than one element, and merges neighbours. */
static void fold(struct nna_ethosu_walk *w, const struct nna_value *const *values, bool bytes)
{
	const struct nna_value *first = values[0];

	w->rank = 0;
	for (uint32_t k = 0; k < first->rank + (bytes ? 1u : 0u); k++) {
		const bool inner = k == first->rank;
		const uint32_t dim = inner ? nna_type_size(first->type) : first->dims[k];
		int64_t strides[NNA_ETHOSU_WALK_OPERANDS];
		bool merges = w->rank > 0;

		if (dim == 1)
			continue;
		for (uint32_t i = 0; i < w->count; i++) {
			strides[i] = inner ? 1 : (int64_t)values[i]->strides[k] *
							 nna_type_size(values[i]->type);
			merges = merges && w->strides[i][w->rank - 1] == strides[i] * dim;
		}
		/* A dim of more elements than a map takes is cut anyhow. */
		if (merges && (uint64_t)w->dims[w->rank - 1] * dim > UINT32_MAX)
			merges = false;
		if (merges)
			w->dims[w->rank - 1] *= dim;
		else
			w->dims[w->rank++] = dim;
		for (uint32_t i = 0; i < w->count; i++)
			w->strides[i][w->rank - 1] = strides[i];
	}
}

/* Whether a dim can be one of a map: strides are positive, or 0 where an operand is broadcast. */
static bool fits(const struct nna_ethosu_walk *w, uint32_t dim, uint32_t broadcast)
{
	for (uint32_t i = 0; i < w->count; i++)
		if (w->strides[i][dim] < 0 || (!w->strides[i][dim] && !is_bit(broadcast, i)))
			return false;
	return true;
}

/* Whether a dim can be that of channels. */
static bool is_contiguous(const struct nna_ethosu_walk *w, const struct nna_value *const *values,
			  uint32_t dim, bool bytes)
{
	for (uint32_t i = 0; i < w->count; i++)
		if (w->strides[i][dim] &&
		    w->strides[i][dim] != (bytes ? 1 : nna_type_size(values[i]->type)))
			return false;
	return true;
}

static void append(struct nna_ethosu_walk *to, const struct nna_ethosu_walk *from, uint32_t dim)
{
	const bool none = dim >= from->rank;

	for (uint32_t i = 0; i < to->count; i++)
		to->strides[i][to->rank] = none ? 0 : from->strides[i][dim];
	to->dims[to->rank++] = none ? 1 : from->dims[dim];
}

/* Brings height, width and depth of the map to the end. */
static void choose(struct nna_ethosu_walk *w, const struct nna_value *const *values,
		   uint32_t broadcast, bool bytes)
{
	const struct nna_ethosu_walk folded = *w;
	uint32_t map[3] = { NNA_NONE, NNA_NONE, NNA_NONE }, left = 3, chosen = 0;

	for (uint32_t k = folded.rank; k-- > 0 && left;) {
		if (!fits(&folded, k, broadcast))
			continue;
		if (left == 3 && !is_contiguous(&folded, values, k, bytes))
			left--;
		map[--left] = k;
		chosen |= 1u << k;
	}
	w->rank = 0;
	for (uint32_t k = 0; k < folded.rank; k++)
		if (!is_bit(chosen, k))
			append(w, &folded, k);
	for (uint32_t i = 0; i < 3; i++)
		append(w, &folded, map[i]);
}

static uint32_t divide(uint32_t n, uint32_t by)
{
	return n / by + (n % by != 0);
}

/*
 * Pieces for the same dims in any strides: passes keep the innermost dim, and may part others that
 * are one here.
 */
static uint64_t most_pieces(const struct nna_value *value, uint32_t in_map)
{
	uint64_t pieces = 1;
	uint32_t seen = 0;

	for (uint32_t k = value->rank; k-- > 0;) {
		if (value->dims[k] == 1)
			continue;
		pieces *= seen++ < in_map ? divide(value->dims[k], NNA_ETHOSU_SIZE_MOST) :
					      value->dims[k];
		if (pieces > NNA_ETHOSU_WALK_PIECES)
			return pieces;
	}
	return pieces;
}

bool nna_ethosu_walk_begin(struct nna_ethosu_walk *w, const struct nna_value *const *values,
			   uint32_t count, uint32_t broadcast, bool bytes)
{
	memset(w, 0, sizeof(*w));
	w->count = count;
	for (uint32_t i = 0; i < count; i++)
		w->starts[i] = values[i]->offset;
	fold(w, values, bytes);
	choose(w, values, broadcast, bytes);
	w->pieces = 1;
	for (uint32_t k = 0; k < w->rank; k++) {
		const bool inside = k + 3 >= w->rank;

		w->sizes[k] = !inside ? 1 : w->dims[k] < NNA_ETHOSU_SIZE_MOST ?
					 w->dims[k] : NNA_ETHOSU_SIZE_MOST;
		w->steps[k] = divide(w->dims[k], w->sizes[k]);
		w->pieces *= w->steps[k];
		if (w->pieces > NNA_ETHOSU_WALK_PIECES)
			return false;
	}
	return most_pieces(values[0], bytes && nna_type_size(values[0]->type) > 1 ? 2 : 3) <=
	       NNA_ETHOSU_WALK_PIECES;
}

void nna_ethosu_walk_map(const struct nna_ethosu_walk *w, uint64_t piece, uint32_t operand,
			 struct nna_ethosu_map *map)
{
	const int64_t *strides = w->strides[operand] + w->rank - 3;
	uint32_t sizes[3];
	int64_t offset = 0;

	for (uint32_t k = w->rank; k-- > 0;) {
		const uint32_t at = (uint32_t)(piece % w->steps[k]) * w->sizes[k];

		piece /= w->steps[k];
		offset += w->strides[operand][k] * at;
		if (k + 3 >= w->rank)
			sizes[k + 3 - w->rank] = w->dims[k] - at < w->sizes[k] ? w->dims[k] - at :
										 w->sizes[k];
	}
	map->offset = w->starts[operand] + (uint64_t)offset;
	/* A dim along which it is broadcast has one element. */
	map->height = strides[0] || !operand ? sizes[0] : 1;
	map->width = strides[1] || !operand ? sizes[1] : 1;
	map->depth = strides[2] || !operand ? sizes[2] : 1;
	map->stride_y = (uint64_t)strides[0];
	map->stride_x = (uint64_t)strides[1];
	map->stride_c = (uint64_t)strides[2];
}
