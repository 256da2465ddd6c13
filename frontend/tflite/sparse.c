// SPDX-License-Identifier: MIT
/* The walk over a sparse constant; sparse.h describes the format. */
#include "frontend/tflite/sparse.h"

#include <string.h>

#define MAX_LEVELS (2 * TFLITE_MAX_RANK)

/* A list of indices of 1, 2 or 4 bytes in the file. */
struct list {
	const uint8_t *at;
	uint32_t count, width;
};

/**
 * struct level - a step of the walk
 * @dim: dimension of the tensor that it walks along
 * @size: number of indices
 * @block: it walks inside the blocks of @dim
 * @compressed: it visits the indices of a list alone
 * @segments: compressed: for each index of the level above the start of its range in @indices, and
 *	the end of the last range
 * @indices: compressed: the indices of all ranges
 */
struct level {
	uint32_t dim, size;
	bool block, compressed;
	struct list segments, indices;
};

/**
 * struct walk - a walk over one constant
 * @block_size: of each dimension; 1 if it is not cut into blocks
 * @index: current index of each level
 * @used: elements of @data that have been copied
 */
struct walk {
	const struct tflite_tensor *tensor;
	struct level levels[MAX_LEVELS];
	uint32_t count;
	uint32_t block_size[TFLITE_MAX_RANK];
	uint32_t index[MAX_LEVELS];
	const uint8_t *data;
	uint8_t *dense;
	uint64_t used, stored;
	uint32_t element;
};

static uint32_t number(const struct list *l, uint32_t i)
{
	const uint8_t *at = l->at + (uint64_t)i * l->width;
	uint32_t value = 0;

	for (uint32_t k = 0; k < l->width; k++)
		value |= (uint32_t)at[k] << (8 * k);
	return value;
}

/* A union of vectors: field @field is its type, the next one a table that holds the vector. */
static bool read_list(const struct flatbuffer *fb, const struct flatbuffer_table *table,
		      uint32_t field, struct list *l)
{
	static const uint32_t widths[] = { 0, 4, 2, 1 };
	struct flatbuffer_table holder;
	struct flatbuffer_vector v;
	uint8_t type = 0;
	bool present;

	if (!flatbuffer_scalar(fb, table, field, 1, &type) || !type || type > 3 ||
	    !flatbuffer_table(fb, table, field + 1, &holder, &present) || !present ||
	    !flatbuffer_vector(fb, &holder, 0, widths[type], &v))
		return false;
	*l = (struct list){ fb->base + v.at, v.count, widths[type] };
	return true;
}

static bool read_level(const struct flatbuffer *fb, const struct flatbuffer_vector *metadata,
		       uint32_t i, struct level *l)
{
	struct flatbuffer_table table;
	int32_t size = 0;
	uint8_t format = 0;

	if (!flatbuffer_element(fb, metadata, i, &table) ||
	    !flatbuffer_scalar(fb, &table, 0, 1, &format) || format > 1)
		return false;
	l->compressed = format == 1;
	if (l->compressed)
		return read_list(fb, &table, 2, &l->segments) &&
		       read_list(fb, &table, 4, &l->indices);
	return flatbuffer_scalar(fb, &table, 1, 4, &size) && size >= 0 && (uint32_t)size == l->size;
}

static int32_t entry(const struct flatbuffer *fb, const struct flatbuffer_vector *v, uint32_t i)
{
	int32_t value;

	memcpy(&value, fb->base + v->at + 4 * (uint64_t)i, sizeof(value));
	return value;
}

/* Reads all levels: those of the dimensions come first, then those inside the blocks. */
static const char *read_levels(const struct flatbuffer *fb, const struct flatbuffer_table *table,
			       struct walk *w)
{
	struct flatbuffer_vector order, map, metadata;
	uint32_t rank = w->tensor->rank, seen = 0, i;

	if (!flatbuffer_vector(fb, table, 0, 4, &order) ||
	    !flatbuffer_vector(fb, table, 1, 4, &map) ||
	    !flatbuffer_vector(fb, table, 2, 4, &metadata))
		return "truncated";
	w->count = order.count;
	if (map.count > rank || order.count != rank + map.count || metadata.count != order.count)
		return "levels that do not fit its dimensions";
	for (i = 0; i < rank; i++)
		w->block_size[i] = 1;
	/* The level inside a block is dense and states the size of the block. */
	for (i = 0; i < order.count; i++) {
		int32_t which = entry(fb, &order, i);
		struct flatbuffer_table level;
		int32_t size = 0, dim;

		if (which < 0 || (uint32_t)which >= order.count || seen >> which & 1 ||
		    ((uint32_t)which < rank) != (i < rank))
			return "an order of levels that makes no sense";
		seen |= 1u << which;
		if (i < rank)
			continue;
		dim = entry(fb, &map, (uint32_t)which - rank);
		if (dim < 0 || (uint32_t)dim >= rank || w->block_size[dim] != 1 ||
		    !flatbuffer_element(fb, &metadata, i, &level) ||
		    !flatbuffer_scalar(fb, &level, 1, 4, &size) || size < 1 ||
		    w->tensor->dims[dim] % (uint32_t)size)
			return "blocks that do not fit its dimensions";
		w->block_size[dim] = (uint32_t)size;
		w->levels[i].dim = (uint32_t)dim;
		w->levels[i].block = true;
	}
	for (i = 0; i < order.count; i++) {
		struct level *l = &w->levels[i];

		if (!l->block)
			l->dim = (uint32_t)entry(fb, &order, i);
		l->size = l->block ? w->block_size[l->dim] :
				     w->tensor->dims[l->dim] / w->block_size[l->dim];
		if (!read_level(fb, &metadata, i, l))
			return "a level that does not fit its dimension";
	}
	return NULL;
}

static const char *place(struct walk *w)
{
	uint64_t at = 0;
	uint32_t index[TFLITE_MAX_RANK], i;

	for (i = 0; i < w->count; i++) {
		const struct level *l = &w->levels[i];

		if (l->block)
			index[l->dim] = index[l->dim] * l->size + w->index[i];
		else
			index[l->dim] = w->index[i];
	}
	for (i = 0; i < w->tensor->rank; i++)
		at = at * w->tensor->dims[i] + index[i];
	if (w->used == w->stored)
		return "more places than elements";
	memcpy(w->dense + at * w->element, w->data + w->used++ * w->element, w->element);
	return NULL;
}

/*
 * Walks level @level within index number @above of the level before it. Indices must be in range
 * and ascend: then no element is written twice, and the dense size bounds the work.
 */
static const char *descend(struct walk *w, uint32_t level, uint64_t above)
{
	const struct level *l = &w->levels[level];
	const char *wrong = NULL;
	uint32_t i, end, last = 0;

	if (level == w->count)
		return place(w);
	if (!l->compressed) {
		for (i = 0; i < l->size && !wrong; i++) {
			w->index[level] = i;
			wrong = descend(w, level + 1, above * l->size + i);
		}
		return wrong;
	}
	if (above + 1 >= l->segments.count)
		return "too few ranges";
	i = number(&l->segments, (uint32_t)above);
	end = number(&l->segments, (uint32_t)above + 1);
	if (i > end || end > l->indices.count)
		return "a range outside its list";
	for (; i < end && !wrong; i++) {
		w->index[level] = number(&l->indices, i);
		if (w->index[level] >= l->size || w->index[level] < last)
			return "an index outside its dimension, or twice";
		last = w->index[level] + 1;
		wrong = descend(w, level + 1, i);
	}
	return wrong;
}

const char *tflite_densify(const struct flatbuffer *fb, const struct flatbuffer_table *table,
			   const struct tflite_tensor *tensor, const void *data, uint64_t size,
			   void *dense)
{
	struct walk w = { .tensor = tensor, .data = data, .dense = dense,
			  .element = tflite_type_size(tensor->type) };
	const char *wrong;

	if (!w.element)
		return "elements of a type that is not known";
	w.stored = size / w.element;
	wrong = read_levels(fb, table, &w);
	return wrong ? wrong : descend(&w, 0, 0);
}
