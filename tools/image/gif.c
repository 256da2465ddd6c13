// SPDX-License-Identifier: MIT
/*
 * GIF files, through giflib: the first picture of the file. Its interface is structures, so that
 * its header has to be there at build, and the library where the program runs.
 */
#include <errno.h>
#include <stdio.h>

#include "tools/image/image.h"
#include "tools/image/library.h"

#if __has_include(<gif_lib.h>)
#include <dlfcn.h>
#include <gif_lib.h>
#include <stdlib.h>
#include <string.h>

/**
 * struct file - the bytes of a file, which giflib reads by a function
 * @at: of the next read
 */
struct file {
	const uint8_t *data;
	size_t size, at;
};

/* The functions, in the order of NAMES. */
struct gif {
	__typeof__(&DGifOpen) open;
	__typeof__(&DGifGetRecordType) get_record;
	__typeof__(&DGifGetImageDesc) get_picture;
	__typeof__(&DGifGetLine) get_line;
	__typeof__(&DGifGetExtension) get_extension;
	__typeof__(&DGifGetExtensionNext) get_extension_next;
	__typeof__(&DGifCloseFile) close;
};

static const char *const NAMES[] = {
	"DGifOpen", "DGifGetRecordType", "DGifGetImageDesc", "DGifGetLine", "DGifGetExtension",
	"DGifGetExtensionNext", "DGifCloseFile", NULL,
};

#define FUNCTIONS (sizeof(NAMES) / sizeof(NAMES[0]) - 1)
_Static_assert(sizeof(struct gif) == FUNCTIONS * sizeof(image_function), "one for each name");

static const struct image_library GIF = {
	.kind = "a GIF picture",
	.sonames = { "libgif.so.7" },
	.package = "libgif7",
	.functions = NAMES,
};

static int read_file(GifFileType *gif, GifByteType *to, int size)
{
	struct file *file = gif->UserData;
	size_t n = file->size - file->at;

	n = size > 0 ? (n < (size_t)size ? n : (size_t)size) : 0;
	memcpy(to, file->data + file->at, n);
	file->at += n;
	return (int)n;
}

/* Go on to the first picture. Return: whether there is one. */
static bool find_picture(const struct gif *gif, GifFileType *g)
{
	GifRecordType record;
	GifByteType *block;
	int code;

	while (gif->get_record(g, &record) == GIF_OK) {
		if (record == IMAGE_DESC_RECORD_TYPE)
			return gif->get_picture(g) == GIF_OK;
		if (record != EXTENSION_RECORD_TYPE ||
		    gif->get_extension(g, &code, &block) != GIF_OK)
			return false;
		while (block)
			if (gif->get_extension_next(g, &block) != GIF_OK)
				return false;
	}
	return false;
}

/* One row of the file, at @left and @y of the picture; what is outside of it is left out. */
static bool put_row(const ColorMapObject *map, const GifPixelType *row, int count, int left, int y,
		    struct image *image)
{
	for (int x = 0; x < count; x++) {
		uint8_t *to;

		if (row[x] >= map->ColorCount)
			return false;
		if (y < 0 || y >= (int)image->height || left + x < 0 ||
		    left + x >= (int)image->width)
			continue;
		to = image->pixels + ((size_t)y * image->width + (size_t)(left + x)) * 3;
		to[0] = map->Colors[row[x]].Red;
		to[1] = map->Colors[row[x]].Green;
		to[2] = map->Colors[row[x]].Blue;
	}
	return true;
}

/* Rows in the order of the file: interlaced ones come in four passes. */
static bool read_rows(const struct gif *gif, GifFileType *g, GifPixelType *row, struct image *image)
{
	static const struct { int first, step; } passes[] = {
		{ 0, 8 }, { 4, 8 }, { 2, 4 }, { 1, 2 },
	};
	const ColorMapObject *map = g->Image.ColorMap ? g->Image.ColorMap : g->SColorMap;
	const GifImageDesc *picture = &g->Image;

	if (!map)
		return false;
	for (int pass = 0; pass < (picture->Interlace ? 4 : 1); pass++) {
		const int first = picture->Interlace ? passes[pass].first : 0;
		const int step = picture->Interlace ? passes[pass].step : 1;

		for (int y = first; y < picture->Height; y += step)
			if (gif->get_line(g, row, picture->Width) != GIF_OK ||
			    !put_row(map, row, picture->Width, picture->Left, picture->Top + y,
				     image))
				return false;
	}
	return true;
}

static int decode(const struct gif *gif, GifFileType *g, struct image *image, char *error)
{
	GifPixelType *row;
	int ret;
	bool good;

	ret = image_create_decoded(image, "GIF", g->SWidth, g->SHeight, error);
	if (ret)
		return ret;
	good = find_picture(gif, g) && g->Image.Width > 0 && g->Image.Width <= IMAGE_MAX_SIDE &&
	       g->Image.Height <= IMAGE_MAX_SIDE;
	row = good ? malloc((size_t)g->Image.Width) : NULL;
	good = row && read_rows(gif, g, row, image);
	free(row);
	if (good)
		return 0;
	image_free(image);
	snprintf(error, IMAGE_ERROR_SIZE, "damaged GIF");
	return -EINVAL;
}

int image_decode_gif(const uint8_t *data, size_t size, struct image *image, char *error)
{
	struct file file = { data, size, 0 };
	image_function functions[FUNCTIONS];
	GifFileType *g;
	struct gif gif;
	void *library;
	int ret, code;

	library = image_library_open(&GIF, functions, error);
	if (!library)
		return -ENOTSUP;
	memcpy(&gif, functions, sizeof(gif));
	g = gif.open(&file, read_file, &code);
	if (g) {
		ret = decode(&gif, g, image, error);
		gif.close(g, &code);
	} else {
		snprintf(error, IMAGE_ERROR_SIZE, "damaged GIF");
		ret = -EINVAL;
	}
	dlclose(library);
	return ret;
}

#else

int image_decode_gif(const uint8_t *data, size_t size, struct image *image, char *error)
{
	snprintf(error, IMAGE_ERROR_SIZE, "a GIF picture, which this build cannot decode: "
		 "install the package libgif-dev and build again, or save it as PNG");
	return -ENOTSUP;
}

#endif
