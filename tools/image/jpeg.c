// SPDX-License-Identifier: MIT
/* JPEG files, through libjpeg. */
#include "tools/image/image.h"

#include <errno.h>
#include <setjmp.h>
#include <stdio.h>

#include <jpeglib.h>

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

int image_decode_jpeg(const uint8_t *data, size_t size, struct image *image, char *error)
{
	struct jpeg_progress_mgr progress = { .progress_monitor = watch };
	struct jpeg_decompress_struct jpeg = { 0 };
	struct failure failure = { 0 };
	int ret;

	jpeg.err = jpeg_std_error(&failure.base);
	failure.base.error_exit = give_up;
	failure.base.emit_message = keep_quiet;
	if (setjmp(failure.back)) {
		jpeg_destroy_decompress(&jpeg);
		image_free(image);
		snprintf(error, IMAGE_ERROR_SIZE, "damaged JPEG (%.100s)", failure.text);
		return -EINVAL;
	}
	jpeg_create_decompress(&jpeg);
	jpeg.progress = &progress;
	jpeg_mem_src(&jpeg, data, size);
	jpeg_read_header(&jpeg, TRUE);
	if (jpeg.image_width > IMAGE_MAX_SIDE || jpeg.image_height > IMAGE_MAX_SIDE) {
		jpeg_destroy_decompress(&jpeg);
		snprintf(error, IMAGE_ERROR_SIZE, "JPEG that is too large");
		return -EINVAL;
	}
	jpeg.out_color_space = JCS_RGB;
	jpeg_start_decompress(&jpeg);
	ret = image_create(image, jpeg.output_width, jpeg.output_height);
	if (ret) {
		jpeg_destroy_decompress(&jpeg);
		snprintf(error, IMAGE_ERROR_SIZE, "out of memory");
		return ret;
	}
	while (jpeg.output_scanline < jpeg.output_height) {
		JSAMPROW row = image->pixels + (size_t)jpeg.output_scanline * image->width * 3;

		jpeg_read_scanlines(&jpeg, &row, 1);
	}
	/* libjpeg fills in for data that is missing, and warns. */
	if (failure.base.num_warnings) {
		jpeg_destroy_decompress(&jpeg);
		image_free(image);
		snprintf(error, IMAGE_ERROR_SIZE, "truncated or damaged JPEG");
		return -EINVAL;
	}
	jpeg_finish_decompress(&jpeg);
	jpeg_destroy_decompress(&jpeg);
	return 0;
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
