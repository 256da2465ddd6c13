// SPDX-License-Identifier: MIT
/* Maps of numbers in a flexbuffer; flexbuffer.h describes the layout. */
#include "frontend/tflite/flexbuffer.h"

#include <string.h>

/* Types: the upper 6 bits of a byte of type, whose lower 2 hold a width. */
enum { FLEX_INT = 1, FLEX_UINT = 2, FLEX_FLOAT = 3, FLEX_INDIRECT_INT = 6, FLEX_INDIRECT_UINT = 7,
       FLEX_INDIRECT_FLOAT = 8, FLEX_MAP = 9, FLEX_BOOL = 26 };

/* A buffer and its size. */
struct bytes {
	const uint8_t *data;
	size_t size;
};

/* An unsigned number of 1, 2, 4 or 8 bytes. */
static bool read_unsigned(const struct bytes *b, size_t at, size_t width, uint64_t *value)
{
	if (width != 1 && width != 2 && width != 4 && width != 8)
		return false;
	if (at > b->size || b->size - at < width)
		return false;
	*value = 0;
	for (size_t i = 0; i < width; i++)
		*value |= (uint64_t)b->data[at + i] << (8 * i);
	return true;
}

/* The position that lies before @at by the distance stored at @at. */
static bool follow(const struct bytes *b, size_t at, size_t width, size_t *to)
{
	uint64_t distance;

	if (!read_unsigned(b, at, width, &distance) || distance > at)
		return false;
	*to = at - (size_t)distance;
	return true;
}

static bool read_number(const struct bytes *b, size_t at, size_t width, uint8_t type, double *value)
{
	uint32_t single;
	uint64_t bits;
	float f;

	if (type >= FLEX_INDIRECT_INT && type <= FLEX_INDIRECT_FLOAT)
		return false;
	if (!read_unsigned(b, at, width, &bits))
		return false;
	switch (type) {
	case FLEX_INT:
		/* The shift to the right copies the sign into the upper bits. */
		*value = (double)((int64_t)(bits << (64 - 8 * width)) >> (64 - 8 * width));
		return true;
	case FLEX_UINT:
	case FLEX_BOOL:
		*value = (double)bits;
		return true;
	case FLEX_FLOAT:
		if (width == 8) {
			memcpy(value, &bits, sizeof(*value));
			return true;
		}
		if (width != 4)
			return false;
		single = (uint32_t)bits;
		memcpy(&f, &single, sizeof(f));
		*value = (double)f;
		return true;
	default:
		return false;
	}
}

/* The same, also for a value that @at only points to; @packed has the type and its width. */
static bool read_value(const struct bytes *b, size_t at, size_t width, uint8_t packed,
		       double *value)
{
	uint8_t type = packed >> 2;

	if (type < FLEX_INDIRECT_INT || type > FLEX_INDIRECT_FLOAT)
		return read_number(b, at, width, type, value);
	return follow(b, at, width, &at) &&
	       read_number(b, at, (size_t)1 << (packed & 3), type - FLEX_INDIRECT_INT + FLEX_INT,
			   value);
}

static bool is_key(const struct bytes *b, size_t at, const char *key)
{
	size_t length = strlen(key) + 1;

	return at <= b->size && b->size - at >= length && !memcmp(b->data + at, key, length);
}

bool flexbuffer_number(const uint8_t *data, size_t size, const char *key, double *value)
{
	const struct bytes b = { data, size };
	size_t root, width, values, keys, at;
	uint64_t count, key_width, i;

	if (size < 3)
		return false;
	width = data[size - 1];
	if (data[size - 2] >> 2 != FLEX_MAP || width > size - 2)
		return false;
	root = size - 2 - width;
	if (!follow(&b, root, width, &values))
		return false;
	width = (size_t)1 << (data[size - 2] & 3);
	if (values < 3 * width || !read_unsigned(&b, values - width, width, &count) ||
	    !read_unsigned(&b, values - 2 * width, width, &key_width) ||
	    !follow(&b, values - 3 * width, width, &keys))
		return false;
	if (!key_width || count > size / width || count > size / key_width)
		return false;
	for (i = 0; i < count; i++) {
		if (!follow(&b, keys + i * key_width, key_width, &at))
			return false;
		if (!is_key(&b, at, key))
			continue;
		at = values + count * width + i;
		return at < size && read_value(&b, values + i * width, width, data[at], value);
	}
	return false;
}
