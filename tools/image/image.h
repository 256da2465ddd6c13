/* SPDX-License-Identifier: MIT */
/*
 * Pictures: reading, scaling, drawing and writing.
 *
 * A picture is rows of 8-bit RGB, top row first, without gaps; image_free() frees it. Files are
 * untrusted: sizes are limited to IMAGE_MAX_SIDE on each side, and whatever a file says is
 * checked. Nothing here is shared between threads.
 */
#ifndef IMAGE_H
#define IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define IMAGE_MAX_SIDE 16384
#define IMAGE_ERROR_SIZE 160

/**
 * struct image - a picture
 * @pixels: @width * @height * 3 bytes, owned
 */
struct image {
	uint32_t width, height;
	uint8_t *pixels;
};

/* A black picture. Return: 0, -EINVAL for an impossible size, -ENOMEM. */
int image_create(struct image *image, uint32_t width, uint32_t height);
void image_free(struct image *image);

/*
 * For decoders: whether a picture of the kind @kind may have such sides, and a black picture of
 * them. Return: 0, -EINVAL or -ENOMEM, with a line in @error.
 */
int image_check_sides(const char *kind, int64_t width, int64_t height, char *error);
int image_create_decoded(struct image *image, const char *kind, int64_t width, int64_t height,
			 char *error);

/**
 * image_load() - read a BMP, PNG or JPEG file, or one that an installed library decodes
 * @path: of a file or a pipe; "-" is the standard input
 * @image: filled on success
 * @error: IMAGE_ERROR_SIZE bytes for one line, without the path
 *
 * The kind is told by the first bytes, not by the name. Transparency is dropped, grey and CMYK
 * become RGB, 16 bits 8; a picture is turned as its Exif data says.
 *
 * Return: 0, a negative errno of reading, -EINVAL for a file that is none of them or damaged,
 * -ENOTSUP for one whose library is not installed, -ENOMEM.
 */
int image_load(const char *path, struct image *image, char *error);

/* The same from memory. */
int image_decode(const uint8_t *data, size_t size, struct image *image, char *error);

/* The decoders of one format each. */
int image_decode_bmp(const uint8_t *data, size_t size, struct image *image, char *error);
int image_decode_png(const uint8_t *data, size_t size, struct image *image, char *error);
int image_decode_jpeg(const uint8_t *data, size_t size, struct image *image, char *error);
int image_decode_webp(const uint8_t *data, size_t size, struct image *image, char *error);
int image_decode_gif(const uint8_t *data, size_t size, struct image *image, char *error);
int image_decode_tiff(const uint8_t *data, size_t size, struct image *image, char *error);
int image_decode_heif(const uint8_t *data, size_t size, struct image *image, char *error);

/**
 * image_write() - write a picture to a file, which a failure leaves behind nothing of
 * @encode: puts the picture into the file; returns 0, or a negative errno with a line in @error
 *
 * Return: 0 or a negative errno, with a line in @error.
 */
int image_write(const struct image *image, const char *path, char *error,
		int (*encode)(const struct image *image, FILE *file, char *error));

/* Write a PNG or a JPEG file. Return: 0 or a negative errno, with a line in @error. */
int image_save_png(const struct image *image, const char *path, char *error);
int image_save_jpeg(const struct image *image, const char *path, char *error);

/* The same by the end of the path: .png, .jpg or .jpeg; -EINVAL for any other. */
int image_save(const struct image *image, const char *path, char *error);
/* Whether the end of a path is one of these. */
bool image_can_save(const char *path);

/**
 * image_resize() - bilinear, as TFLite's RESIZE_BILINEAR without half-pixel centres does it
 * @from: source
 * @to: created with @width and @height; values are rounded to nearest
 *
 * Return: 0, -EINVAL, -ENOMEM.
 */
int image_resize(const struct image *from, struct image *to, uint32_t width, uint32_t height);

/*
 * The orientation in Exif data, which begins with "II" or "MM": 1 to 8; 1, which leaves a picture
 * as it is, where there is none that makes sense.
 */
uint32_t image_exif_orientation(const uint8_t *data, size_t size);

/* Turn and mirror a picture of an orientation, such that it stands upright. Return: 0, -ENOMEM. */
int image_orient(struct image *image, uint32_t orientation);

/* 0 to 255 each. */
struct image_color {
	uint8_t r, g, b;
};

/* Drawing outside of the picture is cut off. */

/* A filled rectangle with its top left corner at @x, @y. */
void image_fill(struct image *image, int x, int y, int width, int height, struct image_color color);

/* The edges of a rectangle; @thickness grows inwards. */
void image_rectangle(struct image *image, int x, int y, int width, int height, int thickness,
		     struct image_color color);

/* A line, ends included; @thickness grows to both sides. */
void image_line(struct image *image, int x0, int y0, int x1, int y1, int thickness,
		struct image_color color);

/* A filled circle around @x, @y. */
void image_disc(struct image *image, int x, int y, int radius, struct image_color color);

/*
 * A line of text with its top left corner at @x, @y. Characters are 8 * @scale wide and high; those
 * that are not ASCII letters, digits and common signs are blank.
 */
void image_text(struct image *image, int x, int y, int scale, const char *text,
		struct image_color color);

#endif
