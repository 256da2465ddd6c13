// SPDX-License-Identifier: MIT
/* PNG files, through libpng. */
#include "tools/image/image.h"

#include <errno.h>
#include <png.h>
#include <stdio.h>

int image_decode_png(const uint8_t *data, size_t size, struct image *image, char *error)
{
	png_image png = { .version = PNG_IMAGE_VERSION };
	png_color black = { 0 };
	int ret;

	if (!png_image_begin_read_from_memory(&png, data, size))
		goto damaged;
	png.format = PNG_FORMAT_RGB;
	/* Else libpng takes 16 bits without a gamma for linear light, which they are not. */
	png.flags |= PNG_IMAGE_FLAG_16BIT_sRGB;
	ret = image_create_decoded(image, "PNG", png.width, png.height, error);
	if (ret) {
		png_image_free(&png);
		return ret;
	}
	if (png_image_finish_read(&png, &black, image->pixels, 0, NULL))
		return 0;
	image_free(image);
damaged:
	snprintf(error, IMAGE_ERROR_SIZE, "damaged PNG (%s)", png.message);
	png_image_free(&png);
	return -EINVAL;
}

static int encode(const struct image *image, FILE *file, char *error)
{
	png_image png = { .version = PNG_IMAGE_VERSION, .width = image->width,
			  .height = image->height, .format = PNG_FORMAT_RGB };

	if (png_image_write_to_stdio(&png, file, 0, image->pixels, 0, NULL))
		return 0;
	snprintf(error, IMAGE_ERROR_SIZE, "%s", png.message);
	return -EIO;
}

int image_save_png(const struct image *image, const char *path, char *error)
{
	return image_write(image, path, error, encode);
}
