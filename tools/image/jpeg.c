// SPDX-License-Identifier: MIT
/* JPEG files, through libjpeg. */
#include "tools/image/image.h"

#include <errno.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <jpeglib.h>
#include <jerror.h>

/* A few bytes of a progressive file can ask for any number of scans over the whole picture. */
#define MAX_SCANS 100

/*
 * libjpeg has its caller leave an error by longjmp(); image_decode_jpeg() frees everything where it
 * arrives.
 */
struct failure {
	struct jpeg_error_mgr base;
	jmp_buf back;
	char text[JMSG_LENGTH_MAX];
};

static void give_up(j_common_ptr jpeg)
{
	struct failure *f = (struct failure *)jpeg->err;

	f->base.format_message(jpeg, f->text);
	longjmp(f->back, 1);
}

/* Warnings, which have a negative level, are counted and not printed. */
static void keep_quiet(j_common_ptr jpeg, int level)
{
	if (level < 0)
		jpeg->err->num_warnings++;
}

static void watch(j_common_ptr common)
{
	j_decompress_ptr jpeg = (j_decompress_ptr)common;

	if (jpeg->input_scan_number > MAX_SCANS) {
		snprintf(((struct failure *)jpeg->err)->text, JMSG_LENGTH_MAX, "too many scans");
		longjmp(((struct failure *)jpeg->err)->back, 1);
	}
}

/* Adobe's files have ink of 255 for none of it; others have 0. */
static void put_cmyk(const JSAMPLE *ink, bool inverted, uint32_t width, uint8_t *to)
{
	for (uint32_t x = 0; x < width; x++, ink += 4, to += 3)
		for (uint32_t c = 0; c < 3; c++) {
			const uint32_t color = inverted ? ink[c] : 255u - ink[c];
			const uint32_t light = inverted ? ink[3] : 255u - ink[3];

			to[c] = (uint8_t)((color * light + 127) / 255);
		}
}

/* The orientation of the first marker with Exif data. */
static uint32_t orientation_of(const struct jpeg_decompress_struct *jpeg)
{
	for (const struct jpeg_marker_struct *m = jpeg->marker_list; m; m = m->next)
		if (m->marker == JPEG_APP0 + 1 && m->data_length > 6 &&
		    !memcmp(m->data, "Exif\0\0", 6))
			return image_exif_orientation(m->data + 6, m->data_length - 6);
	return 1;
}

static int begin(struct jpeg_decompress_struct *jpeg, struct image *image, char *error)
{
	int ret;

	jpeg_save_markers(jpeg, JPEG_APP0 + 1, 65535);
	jpeg_read_header(jpeg, TRUE);
	ret = image_check_sides("JPEG", jpeg->image_width, jpeg->image_height, error);
	if (ret)
		return ret;
	if (jpeg->jpeg_color_space == JCS_CMYK || jpeg->jpeg_color_space == JCS_YCCK)
		jpeg->out_color_space = JCS_CMYK;
	else
		jpeg->out_color_space = JCS_RGB;
	jpeg_start_decompress(jpeg);
	return image_create_decoded(image, "JPEG", jpeg->output_width, jpeg->output_height, error);
}

static void read_rows(struct jpeg_decompress_struct *jpeg, struct image *image)
{
	const bool is_cmyk = jpeg->out_color_space == JCS_CMYK;
	JSAMPARRAY ink = NULL;

	/* libjpeg frees it with the rest. */
	if (is_cmyk)
		ink = jpeg->mem->alloc_sarray((j_common_ptr)jpeg, JPOOL_IMAGE,
					      jpeg->output_width * 4, 1);
	while (jpeg->output_scanline < jpeg->output_height) {
		JSAMPROW row = image->pixels + (size_t)jpeg->output_scanline * image->width * 3;

		jpeg_read_scanlines(jpeg, is_cmyk ? ink : &row, 1);
		if (is_cmyk)
			put_cmyk(ink[0], jpeg->saw_Adobe_marker, image->width, row);
	}
}

/* An error of libjpeg's, in the words of who has the file. */
static void explain(const struct failure *failure, char *error)
{
	if (failure->base.msg_code == JERR_BAD_PRECISION)
		snprintf(error, IMAGE_ERROR_SIZE,
			 "JPEG of %d bits for a colour: save it with 8, or as PNG",
			 failure->base.msg_parm.i[0]);
	else
		snprintf(error, IMAGE_ERROR_SIZE, "damaged JPEG (%.100s)", failure->text);
}

int image_decode_jpeg(const uint8_t *data, size_t size, struct image *image, char *error)
{
	struct jpeg_progress_mgr progress = { .progress_monitor = watch };
	struct jpeg_decompress_struct jpeg = { 0 };
	struct failure failure = { 0 };
	uint32_t orientation;
	int ret;

	jpeg.err = jpeg_std_error(&failure.base);
	failure.base.error_exit = give_up;
	failure.base.emit_message = keep_quiet;
	if (setjmp(failure.back)) {
		jpeg_destroy_decompress(&jpeg);
		image_free(image);
		explain(&failure, error);
		return -EINVAL;
	}
	jpeg_create_decompress(&jpeg);
	jpeg.progress = &progress;
	jpeg_mem_src(&jpeg, data, size);
	ret = begin(&jpeg, image, error);
	if (ret) {
		jpeg_destroy_decompress(&jpeg);
		return ret;
	}
	read_rows(&jpeg, image);
	/* libjpeg fills in for data that is missing, and warns. */
	if (failure.base.num_warnings) {
		jpeg_destroy_decompress(&jpeg);
		image_free(image);
		snprintf(error, IMAGE_ERROR_SIZE, "truncated or damaged JPEG");
		return -EINVAL;
	}
	orientation = orientation_of(&jpeg);
	jpeg_finish_decompress(&jpeg);
	jpeg_destroy_decompress(&jpeg);
	ret = image_orient(image, orientation);
	if (!ret)
		return 0;
	image_free(image);
	snprintf(error, IMAGE_ERROR_SIZE, "out of memory");
	return ret;
}

#define JPEG_QUALITY 90

static int encode(const struct image *image, FILE *file, char *error)
{
	struct failure failure = { .text = "" };
	struct jpeg_compress_struct jpeg = { .err = jpeg_std_error(&failure.base) };

	failure.base.error_exit = give_up;
	if (setjmp(failure.back)) {
		jpeg_destroy_compress(&jpeg);
		snprintf(error, IMAGE_ERROR_SIZE, "%.150s", failure.text);
		return -EIO;
	}
	jpeg_create_compress(&jpeg);
	jpeg_stdio_dest(&jpeg, file);
	jpeg.image_width = image->width;
	jpeg.image_height = image->height;
	jpeg.input_components = 3;
	jpeg.in_color_space = JCS_RGB;
	jpeg_set_defaults(&jpeg);
	jpeg_set_quality(&jpeg, JPEG_QUALITY, TRUE);
	jpeg_start_compress(&jpeg, TRUE);
	while (jpeg.next_scanline < jpeg.image_height) {
		JSAMPROW row = image->pixels + (size_t)jpeg.next_scanline * image->width * 3;

		jpeg_write_scanlines(&jpeg, &row, 1);
	}
	jpeg_finish_compress(&jpeg);
	jpeg_destroy_compress(&jpeg);
	return 0;
}

int image_save_jpeg(const struct image *image, const char *path, char *error)
{
	return image_write(image, path, error, encode);
}
