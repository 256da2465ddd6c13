// SPDX-License-Identifier: MIT
/*
 * How a camera was held: the tag Orientation in the first directory of a picture's Exif data, which
 * is a TIFF file without pixels. Everything else in there is left alone.
 */
#include <stdbool.h>
#include <string.h>

#include "tools/image/image.h"

#define ORIENTATION_TAG 0x0112
#define SHORT_TYPE 3
#define ENTRY_SIZE 12

static uint32_t number(const uint8_t *at, uint32_t bytes, bool big)
{
	uint32_t value = 0;

	for (uint32_t i = 0; i < bytes; i++)
		value |= (uint32_t)at[i] << 8 * (big ? bytes - 1 - i : i);
	return value;
}

/* 8 bytes of header, the last four of which are the offset of a directory: a count, and entries. */
uint32_t image_exif_orientation(const uint8_t *data, size_t size)
{
	uint32_t at, count, value;
	bool big;

	if (size < 8 || (memcmp(data, "II*\0", 4) && memcmp(data, "MM\0*", 4)))
		return 1;
	big = data[0] == 'M';
	at = number(data + 4, 4, big);
	if (at > size || size - at < 2)
		return 1;
	count = number(data + at, 2, big);
	at += 2;
	if ((size - at) / ENTRY_SIZE < count)
		count = (uint32_t)((size - at) / ENTRY_SIZE);
	for (const uint8_t *entry = data + at; count; count--, entry += ENTRY_SIZE) {
		if (number(entry, 2, big) != ORIENTATION_TAG ||
		    number(entry + 2, 2, big) != SHORT_TYPE || number(entry + 4, 4, big) != 1)
			continue;
		value = number(entry + 8, 2, big);
		return value >= 1 && value <= 8 ? value : 1;
	}
	return 1;
}
