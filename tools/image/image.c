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

int image_check_sides(const char *kind, int64_t width, int64_t height, char *error)
{
	if (width >= 1 && height >= 1 && width <= IMAGE_MAX_SIDE && height <= IMAGE_MAX_SIDE)
		return 0;
	snprintf(error, IMAGE_ERROR_SIZE,
		 width < 1 || height < 1 ? "damaged %s: it has no size" :
		 "%s that is too large: a side has more than %d pixels", kind, IMAGE_MAX_SIDE);
	return -EINVAL;
}

int image_create_decoded(struct image *image, const char *kind, int64_t width, int64_t height,
			 char *error)
{
	int ret = image_check_sides(kind, width, height, error);

	if (ret)
		return ret;
	ret = image_create(image, (uint32_t)width, (uint32_t)height);
	if (ret)
		snprintf(error, IMAGE_ERROR_SIZE, "out of memory");
	return ret;
}

int image_orient(struct image *image, uint32_t orientation)
{
	/* By the format: 5 to 8 exchange the sides; then columns, rows or both run backwards. */
	const bool turned = orientation >= 5 && orientation <= 8;
	const bool back_x = orientation == 2 || orientation == 3 || orientation == 7 ||
			    orientation == 8;
	const bool back_y = orientation == 3 || orientation == 4 || orientation == 6 ||
			    orientation == 7;
	struct image upright;
	uint32_t x, y;

	if (orientation < 2 || orientation > 8)
		return 0;
	if (image_create(&upright, turned ? image->height : image->width,
			 turned ? image->width : image->height))
		return -ENOMEM;
	for (y = 0; y < upright.height; y++) {
		for (x = 0; x < upright.width; x++) {
			const uint32_t column = turned ? y : x, row = turned ? x : y;
			const uint32_t from_x = back_x ? image->width - 1 - column : column;
			const uint32_t from_y = back_y ? image->height - 1 - row : row;

			memcpy(upright.pixels + ((size_t)y * upright.width + x) * 3,
			       image->pixels + ((size_t)from_y * image->width + from_x) * 3, 3);
		}
	}
	image_free(image);
	*image = upright;
	return 0;
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
