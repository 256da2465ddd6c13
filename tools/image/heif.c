// SPDX-License-Identifier: MIT
/*
 * AVIF and HEIC files, through libheif where it is installed. It turns a picture as the file says.
 */
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "tools/image/image.h"
#include "tools/image/library.h"

/* Of libheif's interface. */
#define COLORSPACE_RGB 1
#define CHROMA_INTERLEAVED_RGB 10
#define CHANNEL_INTERLEAVED 10

/* What its functions return: 0 in @code, or an error. */
struct heif_result {
	int code, subcode;
	const char *message;
};

/**
 * struct heif - the functions, in the order of NAMES
 *
 * Pointers are to objects that only the library knows.
 */
struct heif {
	void *(*create)(void);
	void (*destroy)(void *context);
	struct heif_result (*read)(void *context, const void *data, size_t size,
				   const void *options);
	struct heif_result (*get_primary)(void *context, void **handle);
	int (*get_width)(const void *handle);
	int (*get_height)(const void *handle);
	struct heif_result (*decode)(const void *handle, void **picture, int colorspace, int chroma,
				     const void *options);
	const uint8_t *(*get_plane)(const void *picture, int channel, int *stride);
	int (*get_plane_width)(const void *picture, int channel);
	int (*get_plane_height)(const void *picture, int channel);
	void (*release_picture)(const void *picture);
	void (*release_handle)(const void *handle);
};

static const char *const NAMES[] = {
	"heif_context_alloc", "heif_context_free", "heif_context_read_from_memory_without_copy",
	"heif_context_get_primary_image_handle", "heif_image_handle_get_width",
	"heif_image_handle_get_height", "heif_decode_image", "heif_image_get_plane_readonly",
	"heif_image_get_width", "heif_image_get_height", "heif_image_release",
	"heif_image_handle_release", NULL,
};

#define FUNCTIONS (sizeof(NAMES) / sizeof(NAMES[0]) - 1)
_Static_assert(sizeof(struct heif) == FUNCTIONS * sizeof(image_function), "one for each name");

static const struct image_library HEIF = {
	.kind = "an AVIF or HEIC picture",
	.sonames = { "libheif.so.1" },
	.package = "libheif1",
	.functions = NAMES,
};

static int refuse(const struct heif_result *result, char *error)
{
	snprintf(error, IMAGE_ERROR_SIZE, "AVIF or HEIC that libheif does not decode (%.90s)",
		 result->message ? result->message : "it does not say why");
	return -EINVAL;
}

/* Copy the rows of a decoded picture, whose sides may have been exchanged. */
static int copy_rows(const struct heif *heif, const void *picture, struct image *image, char *error)
{
	const int width = heif->get_plane_width(picture, CHANNEL_INTERLEAVED);
	const int height = heif->get_plane_height(picture, CHANNEL_INTERLEAVED);
	const uint8_t *plane;
	int stride = 0, ret;

	plane = heif->get_plane(picture, CHANNEL_INTERLEAVED, &stride);
	if (!plane || width <= 0 || stride < 3 * width)
		return refuse(&(struct heif_result){ .message = "it has no RGB" }, error);
	ret = image_create_decoded(image, "AVIF or HEIC", width, height, error);
	for (uint32_t y = 0; !ret && y < image->height; y++)
		memcpy(image->pixels + (size_t)y * image->width * 3,
		       plane + (size_t)y * (size_t)stride, (size_t)image->width * 3);
	return ret;
}

static int decode(const struct heif *heif, void *context, const uint8_t *data, size_t size,
		  struct image *image, char *error)
{
	void *handle = NULL, *picture = NULL;
	struct heif_result result;
	int ret;

	result = heif->read(context, data, size, NULL);
	if (!result.code)
		result = heif->get_primary(context, &handle);
	if (result.code)
		return refuse(&result, error);
	ret = image_check_sides("AVIF or HEIC", heif->get_width(handle), heif->get_height(handle),
				error);
	if (!ret) {
		result = heif->decode(handle, &picture, COLORSPACE_RGB, CHROMA_INTERLEAVED_RGB,
				      NULL);
		ret = result.code ? refuse(&result, error) : copy_rows(heif, picture, image, error);
	}
	if (picture)
		heif->release_picture(picture);
	heif->release_handle(handle);
	return ret;
}

int image_decode_heif(const uint8_t *data, size_t size, struct image *image, char *error)
{
	image_function functions[FUNCTIONS];
	struct heif heif;
	void *library, *context;
	int ret = -ENOMEM;

	library = image_library_open(&HEIF, functions, error);
	if (!library)
		return -ENOTSUP;
	memcpy(&heif, functions, sizeof(heif));
	context = heif.create();
	if (context)
		ret = decode(&heif, context, data, size, image, error);
	else
		snprintf(error, IMAGE_ERROR_SIZE, "out of memory");
	heif.destroy(context);
	dlclose(library);
	return ret;
}
