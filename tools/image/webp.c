// SPDX-License-Identifier: MIT
/* WebP files, through libwebp where it is installed. */
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>

#include "tools/image/image.h"
#include "tools/image/library.h"

typedef int (*info_function)(const uint8_t *data, size_t size, int *width, int *height);
typedef uint8_t *(*decode_function)(const uint8_t *data, size_t size, uint8_t *to, size_t room,
				    int stride);

static const char *const NAMES[] = { "WebPGetInfo", "WebPDecodeRGBInto", NULL };

static const struct image_library WEBP = {
	.kind = "a WebP picture",
	.sonames = { "libwebp.so.7" },
	.package = "libwebp7",
	.functions = NAMES,
};

static int decode(image_function *functions, const uint8_t *data, size_t size, struct image *image,
		  char *error)
{
	info_function get_info = (info_function)functions[0];
	decode_function decode_into = (decode_function)functions[1];
	int width, height, ret;

	if (!get_info(data, size, &width, &height)) {
		snprintf(error, IMAGE_ERROR_SIZE, "damaged WebP");
		return -EINVAL;
	}
	ret = image_create_decoded(image, "WebP", width, height, error);
	if (ret)
		return ret;
	if (decode_into(data, size, image->pixels, (size_t)width * (size_t)height * 3, width * 3))
		return 0;
	image_free(image);
	snprintf(error, IMAGE_ERROR_SIZE, "damaged WebP, or an animation: save one picture of it");
	return -EINVAL;
}

int image_decode_webp(const uint8_t *data, size_t size, struct image *image, char *error)
{
	image_function functions[2];
	void *library = image_library_open(&WEBP, functions, error);
	int ret;

	if (!library)
		return -ENOTSUP;
	ret = decode(functions, data, size, image, error);
	dlclose(library);
	return ret;
}
