// SPDX-License-Identifier: MIT
/* Reads bytes at positions; each position is checked against the end of the buffer first. */
#include "frontend/tflite/flatbuffer.h"

#include <string.h>

static bool read_at(const struct flatbuffer *fb, uint64_t at, uint32_t size, void *to)
{
	if (at > fb->size || fb->size - at < size)
		return false;
	memcpy(to, fb->base + at, size);
	return true;
}

static bool table_at(const struct flatbuffer *fb, uint64_t at, struct flatbuffer_table *table)
{
	uint16_t sizes[2];
	int64_t vtable;
	int32_t back;

	if (at % 4 || !read_at(fb, at, sizeof(back), &back))
		return false;
	vtable = (int64_t)at - back;
	if (vtable < 0 || vtable % 2 || !read_at(fb, (uint64_t)vtable, sizeof(sizes), sizes))
		return false;
	if (sizes[0] < 4 || sizes[0] % 2 || sizes[1] < 4)
		return false;
	if (fb->size - (uint64_t)vtable < sizes[0] || fb->size - at < sizes[1])
		return false;
	table->at = at;
	table->vtable = (uint64_t)vtable;
	table->vtable_size = sizes[0];
	table->size = sizes[1];
	return true;
}

/* The position of a field of @size bytes; 0 when it is absent. */
static bool field_at(const struct flatbuffer *fb, const struct flatbuffer_table *table,
		     uint32_t field, uint32_t size, uint64_t *at)
{
	uint64_t entry = 4 + 2 * (uint64_t)field;
	uint16_t offset;

	*at = 0;
	if (entry + 2 > table->vtable_size)
		return true;
	if (!read_at(fb, table->vtable + entry, sizeof(offset), &offset))
		return false;
	if (!offset)
		return true;
	if (offset < 4 || (uint32_t)offset + size > table->size)
		return false;
	*at = table->at + offset;
	return true;
}

/* The position that a field refers to; 0 when the field is absent. */
static bool follow(const struct flatbuffer *fb, const struct flatbuffer_table *table,
		   uint32_t field, uint64_t *to)
{
	uint32_t distance;
	uint64_t at;

	*to = 0;
	if (!field_at(fb, table, field, 4, &at))
		return false;
	if (!at)
		return true;
	if (!read_at(fb, at, sizeof(distance), &distance) || !distance)
		return false;
	*to = at + distance;
	return *to < fb->size;
}

bool flatbuffer_root(const struct flatbuffer *fb, struct flatbuffer_table *table)
{
	uint32_t distance;

	return read_at(fb, 0, sizeof(distance), &distance) && distance >= 4 &&
	       table_at(fb, distance, table);
}

bool flatbuffer_scalar(const struct flatbuffer *fb, const struct flatbuffer_table *table,
		       uint32_t field, uint32_t size, void *value)
{
	uint64_t at;

	if (!field_at(fb, table, field, size, &at))
		return false;
	return !at || read_at(fb, at, size, value);
}

bool flatbuffer_table(const struct flatbuffer *fb, const struct flatbuffer_table *table,
		      uint32_t field, struct flatbuffer_table *child, bool *present)
{
	uint64_t at;

	*present = false;
	if (!follow(fb, table, field, &at))
		return false;
	if (!at)
		return true;
	*present = true;
	return table_at(fb, at, child);
}

bool flatbuffer_vector(const struct flatbuffer *fb, const struct flatbuffer_table *table,
		       uint32_t field, uint32_t element, struct flatbuffer_vector *vector)
{
	uint64_t at;

	*vector = (struct flatbuffer_vector){ 0 };
	if (!follow(fb, table, field, &at))
		return false;
	if (!at)
		return true;
	if (at % 4 || !read_at(fb, at, 4, &vector->count))
		return false;
	vector->at = at + 4;
	vector->present = true;
	if (fb->size - vector->at < (uint64_t)vector->count * element)
		return false;
	return true;
}

bool flatbuffer_string(const struct flatbuffer *fb, const struct flatbuffer_table *table,
		       uint32_t field, const char **string)
{
	struct flatbuffer_vector v;

	*string = "";
	if (!flatbuffer_vector(fb, table, field, 1, &v))
		return false;
	if (!v.present)
		return true;
	if (v.at + v.count >= fb->size || fb->base[v.at + v.count])
		return false;
	*string = (const char *)fb->base + v.at;
	return true;
}

bool flatbuffer_element(const struct flatbuffer *fb, const struct flatbuffer_vector *vector,
			uint32_t index, struct flatbuffer_table *table)
{
	uint64_t at = vector->at + 4 * (uint64_t)index;
	uint32_t distance;

	if (index >= vector->count || !read_at(fb, at, sizeof(distance), &distance))
		return false;
	return table_at(fb, at + distance, table);
}
