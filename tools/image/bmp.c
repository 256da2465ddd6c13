// SPDX-License-Identifier: MIT
/* Uncompressed BMP files, by hand: the format is a header and rows. */
#include "tools/image/image.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static uint32_t u16(const uint8_t *at)
{
	return at[0] | (uint32_t)at[1] << 8;
}

static uint32_t u32(const uint8_t *at)
{
	return u16(at) | u16(at + 2) << 16;
}

static int refuse(char *error, const char *why)
{
	snprintf(error, IMAGE_ERROR_SIZE, "%s", why);
	return -EINVAL;
}

/*
 * 14 bytes of file header (offset of the pixels at 10), then an info header of its own size: width,
 * height (negative: top row first), planes, bits, compression. Rows are padded to 4 bytes. With 8
 * bits a palette of BGRx follows the header; with 24 and 32 bits pixels are BGR and BGRx.
 */
int image_decode_bmp(const uint8_t *data, size_t size, struct image *image, char *error)
{
	uint32_t pixels, header, bits, compression, colors, row, x, y;
	int32_t width, height;
	const uint8_t *palette;
	bool top_down;
	int ret;

	if (size < 54)
		return refuse(error, "truncated BMP");
	pixels = u32(data + 10);
	header = u32(data + 14);
	width = (int32_t)u32(data + 18);
	height = (int32_t)u32(data + 22);
	bits = u16(data + 28);
	compression = u32(data + 30);
	colors = u32(data + 46);
	if (header < 40 || header > size - 14)
		return refuse(error, "BMP with an unknown header");
	/* Compression 3 states bit masks; the usual ones are BGRx. */
	if (compression == 3 && bits == 32) {
		if (size < 66 || u32(data + 54) != 0xff0000 || u32(data + 58) != 0xff00 ||
		    u32(data + 62) != 0xff)
			return refuse(error, "BMP with unusual masks");
	} else if (compression || (bits != 8 && bits != 24 && bits != 32)) {
		return refuse(error, "BMP that is not uncompressed with 8, 24 or 32 bits");
	}
	top_down = height < 0;
	if (height == INT32_MIN || width <= 0 || !height)
		return refuse(error, "BMP of an impossible size");
	height = top_down ? -height : height;
	if (width > IMAGE_MAX_SIDE || height > IMAGE_MAX_SIDE)
		return refuse(error, "BMP that is too large");
	palette = data + 14 + header;
	if (bits == 8) {
		colors = colors ? colors : 256;
		if (colors > 256 || size - 14 - header < (size_t)colors * 4)
			return refuse(error, "truncated BMP (palette)");
	}
	row = ((uint32_t)width * bits / 8 + 3) / 4 * 4;
	if (pixels > size || size - pixels < (uint64_t)row * (uint32_t)height)
		return refuse(error, "truncated BMP (pixels)");
	ret = image_create(image, (uint32_t)width, (uint32_t)height);
	if (ret)
		return refuse(error, "out of memory") ? ret : 0;
	for (y = 0; y < image->height; y++) {
		const uint8_t *from = data + pixels;
		uint8_t *to = image->pixels + (size_t)y * image->width * 3;

		from += (size_t)row * (top_down ? y : image->height - 1 - y);
		for (x = 0; x < image->width; x++, to += 3) {
			const uint8_t *bgr = from + (size_t)x * (bits / 8);

			if (bits == 8) {
				if (*bgr >= colors) {
					image_free(image);
					return refuse(error,
						      "BMP with a colour outside its palette");
				}
				bgr = palette + (size_t)*bgr * 4;
			}
			to[0] = bgr[2];
			to[1] = bgr[1];
			to[2] = bgr[0];
		}
	}
	return 0;
}
