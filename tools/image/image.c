// SPDX-License-Identifier: MIT
/* Pictures in memory, how an encoder writes one to a file, and scaling. */
#include "tools/image/image.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int image_create(struct image *image, uint32_t width, uint32_t height)
{
	*image = (struct image){ 0 };
	if (!width || !height || width > IMAGE_MAX_SIDE || height > IMAGE_MAX_SIDE)
		return -EINVAL;
	image->pixels = calloc((size_t)width * height, 3);
	if (!image->pixels)
		return -ENOMEM;
	image->width = width;
	image->height = height;
	return 0;
}

void image_free(struct image *image)
{
	free(image->pixels);
	*image = (struct image){ 0 };
}

int image_write(const struct image *image, const char *path, char *error,
		int (*encode)(const struct image *image, FILE *file, char *error))
{
	FILE *file = fopen(path, "we");
	int ret;

	if (!file) {
		ret = -errno;
		snprintf(error, IMAGE_ERROR_SIZE, "%s", strerror(-ret));
		return ret;
	}
	ret = encode(image, file, error);
	if (fclose(file) && !ret) {
		ret = -errno;
		snprintf(error, IMAGE_ERROR_SIZE, "%s", strerror(-ret));
	}
	if (ret)
		unlink(path);
	return ret;
}

int image_resize(const struct image *from, struct image *to, uint32_t width, uint32_t height)
{
	float step_x, step_y;
	uint32_t x, y, c;
	int ret;

	ret = image_create(to, width, height);
	if (ret)
		return ret;
	step_x = (float)from->width / (float)width;
	step_y = (float)from->height / (float)height;
	for (y = 0; y < height; y++) {
		float at_y = (float)y * step_y, part_y;
		uint32_t y0 = (uint32_t)at_y, y1;

		y0 = y0 < from->height ? y0 : from->height - 1;
		y1 = y0 + 1 < from->height ? y0 + 1 : y0;
		part_y = at_y - (float)y0;
		for (x = 0; x < width; x++) {
			float at_x = (float)x * step_x, part_x;
			uint32_t x0 = (uint32_t)at_x, x1;

			x0 = x0 < from->width ? x0 : from->width - 1;
			x1 = x0 + 1 < from->width ? x0 + 1 : x0;
			part_x = at_x - (float)x0;
			for (c = 0; c < 3; c++) {
#define AT(row, column) ((float)from->pixels[((size_t)(row) * from->width + (column)) * 3 + c])
				float top = AT(y0, x0) + (AT(y0, x1) - AT(y0, x0)) * part_x;
				float bottom = AT(y1, x0) + (AT(y1, x1) - AT(y1, x0)) * part_x;
#undef AT
				to->pixels[((size_t)y * width + x) * 3 + c] =
					(uint8_t)lrintf(top + (bottom - top) * part_y);
			}
		}
	}
	return 0;
}
