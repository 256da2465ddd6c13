// SPDX-License-Identifier: MIT
/*
 * TIFF files, through libtiff where it is installed: the first picture, in 8 bits of RGB, whatever
 * bits and colours the file has.
 */
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/image/image.h"
#include "tools/image/library.h"

/* Of libtiff's interface, and of the format. */
#define TAG_WIDTH 256
#define TAG_HEIGHT 257
#define TAG_ORIENTATION 274
#define TOP_LEFT 1

/**
 * struct file - the bytes of a file, which libtiff reads by functions
 * @at: of the next read
 */
struct file {
	const uint8_t *data;
	uint64_t size, at;
};

typedef ptrdiff_t (*io_function)(void *file, void *data, ptrdiff_t size);
typedef uint64_t (*seek_function)(void *file, uint64_t offset, int whence);
typedef void (*handler)(const char *module, const char *format, va_list arguments);

/* The functions, in the order of NAMES; a TIFF is an object that only the library knows. */
struct tiff {
	void *(*open)(const char *name, const char *mode, void *file, io_function read,
		      io_function write, seek_function seek, int (*close)(void *file),
		      uint64_t (*size)(void *file), int (*map)(void *file, void **base,
							       uint64_t *size),
		      void (*unmap)(void *file, void *base, uint64_t size));
	void (*close)(void *tiff);
	int (*get_field)(void *tiff, uint32_t tag, ...);
	int (*set_field)(void *tiff, uint32_t tag, ...);
	int (*is_decodable)(void *tiff, char error[1024]);
	int (*read)(void *tiff, uint32_t width, uint32_t height, uint32_t *pixels, int orientation,
		    int stop_on_error);
	handler (*set_error_handler)(handler what);
	handler (*set_warning_handler)(handler what);
};

static const char *const NAMES[] = {
	"TIFFClientOpen", "TIFFClose", "TIFFGetField", "TIFFSetField", "TIFFRGBAImageOK",
	"TIFFReadRGBAImageOriented", "TIFFSetErrorHandler", "TIFFSetWarningHandler", NULL,
};

#define FUNCTIONS (sizeof(NAMES) / sizeof(NAMES[0]) - 1)
_Static_assert(sizeof(struct tiff) == FUNCTIONS * sizeof(image_function), "one for each name");

static const struct image_library TIFF = {
	.kind = "a TIFF picture",
	.sonames = { "libtiff.so.6", "libtiff.so.5" },
	.package = "libtiff6",
	.functions = NAMES,
};

static ptrdiff_t read_file(void *data, void *to, ptrdiff_t size)
{
	struct file *file = data;
	uint64_t n = file->at < file->size ? file->size - file->at : 0;

	if (size < 0)
		return -1;
	n = n < (uint64_t)size ? n : (uint64_t)size;
	if (n)
		memcpy(to, file->data + file->at, n);
	file->at += n;
	return (ptrdiff_t)n;
}

static ptrdiff_t write_file(void *data, void *from, ptrdiff_t size)
{
	return -1;
}

static uint64_t seek_file(void *data, uint64_t offset, int whence)
{
	struct file *file = data;

	if (whence == SEEK_CUR)
		offset += file->at;
	else if (whence == SEEK_END)
		offset += file->size;
	file->at = offset;
	return offset;
}

static int close_file(void *data)
{
	return 0;
}

static uint64_t size_of_file(void *data)
{
	return ((struct file *)data)->size;
}

static int map_file(void *data, void **base, uint64_t *size)
{
	return 0;
}

static void unmap_file(void *data, void *base, uint64_t size)
{
}

static int read_pixels(const struct tiff *tiff, void *t, struct image *image, char *error)
{
	const size_t pixels = (size_t)image->width * image->height;
	uint32_t *packed = malloc(pixels * sizeof(*packed));
	uint16_t orientation = TOP_LEFT;

	if (!packed) {
		snprintf(error, IMAGE_ERROR_SIZE, "out of memory");
		return -ENOMEM;
	}
	/* libtiff mirrors, but does not turn: it gets no orientation to follow. */
	if (!tiff->get_field(t, TAG_ORIENTATION, &orientation))
		orientation = TOP_LEFT;
	tiff->set_field(t, TAG_ORIENTATION, TOP_LEFT);
	if (!tiff->read(t, image->width, image->height, packed, TOP_LEFT, 1)) {
		free(packed);
		snprintf(error, IMAGE_ERROR_SIZE, "damaged TIFF");
		return -EINVAL;
	}
	for (size_t i = 0; i < pixels; i++) {
		image->pixels[3 * i] = (uint8_t)packed[i];
		image->pixels[3 * i + 1] = (uint8_t)(packed[i] >> 8);
		image->pixels[3 * i + 2] = (uint8_t)(packed[i] >> 16);
	}
	free(packed);
	if (!image_orient(image, orientation))
		return 0;
	snprintf(error, IMAGE_ERROR_SIZE, "out of memory");
	return -ENOMEM;
}

static int decode(const struct tiff *tiff, void *t, struct image *image, char *error)
{
	uint32_t width = 0, height = 0;
	char why[1024] = "";
	int ret;

	if (!tiff->get_field(t, TAG_WIDTH, &width) || !tiff->get_field(t, TAG_HEIGHT, &height)) {
		snprintf(error, IMAGE_ERROR_SIZE, "damaged TIFF");
		return -EINVAL;
	}
	if (!tiff->is_decodable(t, why)) {
		snprintf(error, IMAGE_ERROR_SIZE, "TIFF that libtiff does not decode (%.90s)", why);
		return -EINVAL;
	}
	ret = image_create_decoded(image, "TIFF", width, height, error);
	if (ret)
		return ret;
	ret = read_pixels(tiff, t, image, error);
	if (ret)
		image_free(image);
	return ret;
}

int image_decode_tiff(const uint8_t *data, size_t size, struct image *image, char *error)
{
	struct file file = { data, size, 0 };
	image_function functions[FUNCTIONS];
	void *library, *t;
	struct tiff tiff;
	int ret = -EINVAL;

	library = image_library_open(&TIFF, functions, error);
	if (!library)
		return -ENOTSUP;
	memcpy(&tiff, functions, sizeof(tiff));
	/* It would print what is wrong; the caller does. */
	tiff.set_error_handler(NULL);
	tiff.set_warning_handler(NULL);
	t = tiff.open("picture", "rm", &file, read_file, write_file, seek_file, close_file,
		      size_of_file, map_file, unmap_file);
	if (t) {
		ret = decode(&tiff, t, image, error);
		tiff.close(t);
	} else {
		snprintf(error, IMAGE_ERROR_SIZE, "damaged TIFF");
	}
	dlclose(library);
	return ret;
}
