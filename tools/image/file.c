// SPDX-License-Identifier: MIT
/* Files of any kind: their first bytes choose the decoder, the end of their name the encoder. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "tools/image/image.h"

#define MAX_FILE ((size_t)256 << 20)

/**
 * struct format - pictures of a kind
 * @mark: what their files have at @at, of @size bytes
 */
struct format {
	int (*decode)(const uint8_t *data, size_t size, struct image *image, char *error);
	size_t at, size;
	const char *mark;
};

static const struct format FORMATS[] = {
	{ image_decode_png, 0, 4, "\x89PNG" },
	{ image_decode_jpeg, 0, 3, "\xff\xd8\xff" },
	{ image_decode_webp, 8, 4, "WEBP" },
	{ image_decode_gif, 0, 4, "GIF8" },
	{ image_decode_tiff, 0, 4, "II*\0" },
	{ image_decode_tiff, 0, 4, "MM\0*" },
	{ image_decode_heif, 4, 8, "ftypavif" },
	{ image_decode_heif, 4, 8, "ftypavis" },
	{ image_decode_heif, 4, 8, "ftypheic" },
	{ image_decode_heif, 4, 8, "ftypheix" },
	{ image_decode_heif, 4, 8, "ftypmif1" },
	{ image_decode_bmp, 0, 2, "BM" },
};

/* Files that people give for pictures, and what is to be done with them. */
static const struct other {
	size_t at, size;
	const char *mark, *what;
} OTHERS[] = {
	{ 0, 6, "\x93NUMPY", "a NumPy array: give it with --input" },
	{ 0, 5, "%PDF-", "a PDF document: save its page as PNG" },
	{ 0, 4, "<svg", "an SVG drawing: save it as PNG" },
	{ 0, 5, "<?xml", "an XML document, such as an SVG drawing: save it as PNG" },
	{ 0, 9, "<!DOCTYPE", "an HTML page: download the picture itself" },
	{ 0, 5, "<html", "an HTML page: download the picture itself" },
	{ 0, 8, "version ", "a pointer of Git LFS, not the picture: get it with git lfs pull" },
	{ 4, 8, "ftypisom", "a video: save one of its pictures as PNG" },
	{ 4, 8, "ftypmp42", "a video: save one of its pictures as PNG" },
	{ 0, 2, "\xff\x0a", "a JPEG XL picture: save it as PNG" },
	{ 4, 8, "JXL \x0d\x0a\x87\x0a", "a JPEG XL picture: save it as PNG" },
	{ 4, 8, "jP  \x0d\x0a\x87\x0a", "a JPEG 2000 picture: save it as PNG" },
};

static bool has_mark(const uint8_t *data, size_t size, size_t at, const char *mark, size_t length)
{
	return size >= at + length && !memcmp(data + at, mark, length);
}

int image_decode(const uint8_t *data, size_t size, struct image *image, char *error)
{
	const char *what = size ? "not a BMP, PNG, JPEG, WebP, GIF, TIFF or AVIF picture" :
				  "an empty file";

	*image = (struct image){ 0 };
	error[0] = 0;
	for (size_t i = 0; i < sizeof(FORMATS) / sizeof(FORMATS[0]); i++)
		if (has_mark(data, size, FORMATS[i].at, FORMATS[i].mark, FORMATS[i].size))
			return FORMATS[i].decode(data, size, image, error);
	for (size_t i = 0; i < sizeof(OTHERS) / sizeof(OTHERS[0]); i++)
		if (has_mark(data, size, OTHERS[i].at, OTHERS[i].mark, OTHERS[i].size))
			what = OTHERS[i].what;
	snprintf(error, IMAGE_ERROR_SIZE, "%s", what);
	return -EINVAL;
}

static int (*find_saver(const char *path))(const struct image *image, const char *path, char *error)
{
	const char *end = strrchr(path, '.');

	if (end && !strcasecmp(end, ".png"))
		return image_save_png;
	if (end && (!strcasecmp(end, ".jpg") || !strcasecmp(end, ".jpeg")))
		return image_save_jpeg;
	return NULL;
}

bool image_can_save(const char *path)
{
	return find_saver(path) != NULL;
}

int image_save(const struct image *image, const char *path, char *error)
{
	int (*save)(const struct image *, const char *, char *) = find_saver(path);

	if (save)
		return save(image, path, error);
	snprintf(error, IMAGE_ERROR_SIZE, "pictures end with .png, .jpg or .jpeg");
	return -EINVAL;
}

/*
 * All that comes, be it from a file or a pipe. Return: 0, -EINVAL with a line in @error, or another
 * negative errno. *@data is the caller's in any case.
 */
static int read_all(int fd, uint8_t **data, size_t *size, char *error)
{
	size_t room = 0;

	for (;;) {
		ssize_t n;

		if (*size == room) {
			uint8_t *more;

			room += room ? room : 65536;
			more = realloc(*data, room);
			if (!more)
				return -ENOMEM;
			*data = more;
		}
		n = read(fd, *data + *size, room - *size);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n ? -errno : 0;
		*size += (size_t)n;
		if (*size > MAX_FILE) {
			snprintf(error, IMAGE_ERROR_SIZE,
				 "too large for a picture: more than %zu MiB", MAX_FILE >> 20);
			return -EINVAL;
		}
	}
}

int image_load(const char *path, struct image *image, char *error)
{
	const bool is_input = !strcmp(path, "-");
	uint8_t *data = NULL;
	size_t size = 0;
	int fd, ret;

	*image = (struct image){ 0 };
	error[0] = 0;
	fd = is_input ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
	ret = fd < 0 ? -errno : read_all(fd, &data, &size, error);
	if (!ret)
		ret = image_decode(data, size, image, error);
	else if (!error[0])
		snprintf(error, IMAGE_ERROR_SIZE, "%s", strerror(-ret));
	free(data);
	if (fd >= 0 && !is_input)
		close(fd);
	return ret;
}
