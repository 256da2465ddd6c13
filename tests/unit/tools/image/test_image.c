// SPDX-License-Identifier: MIT
/* Pictures: formats, damage, scaling, drawing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <jpeglib.h>

#include "tools/image/image.h"

static char error[IMAGE_ERROR_SIZE];

static void put16(uint8_t *at, uint32_t v)
{
	at[0] = (uint8_t)v;
	at[1] = (uint8_t)(v >> 8);
}

static void put32(uint8_t *at, uint32_t v)
{
	put16(at, v);
	put16(at + 2, v >> 16);
}

/* A BMP whose pixel (x, y) is (10 x, 20 y, 7) in RGB. Return: its size. */
static size_t write_bmp(uint8_t *to, uint32_t width, uint32_t height, uint32_t bits, bool top_down)
{
	uint32_t row = (width * bits / 8 + 3) / 4 * 4, palette = bits == 8 ? 256 * 4 : 0, x, y;
	size_t size = 54 + palette + (size_t)row * height;

	memset(to, 0, size);
	to[0] = 'B';
	to[1] = 'M';
	put32(to + 2, (uint32_t)size);
	put32(to + 10, 54 + palette);
	put32(to + 14, 40);
	put32(to + 18, width);
	put32(to + 22, top_down ? -height : height);
	put16(to + 26, 1);
	put16(to + 28, bits);
	for (y = 0; y < height; y++) {
		uint8_t *at = to + 54 + palette + (size_t)row * (top_down ? y : height - 1 - y);

		for (x = 0; x < width; x++) {
			uint8_t *p = at + x * (bits / 8);

			if (bits == 8) {
				/* Every pixel has a colour of its own. */
				*p = (uint8_t)(y * width + x);
				p = to + 54 + 4 * *p;
			}
			p[0] = 7;
			p[1] = (uint8_t)(20 * y);
			p[2] = (uint8_t)(10 * x);
		}
	}
	return size;
}

static void check_pattern(const struct image *image)
{
	uint32_t x, y;

	for (y = 0; y < image->height; y++) {
		for (x = 0; x < image->width; x++) {
			const uint8_t *p = image->pixels + (y * image->width + x) * 3;

			assert_int_equal(p[0], 10 * x);
			assert_int_equal(p[1], 20 * y);
			assert_int_equal(p[2], 7);
		}
	}
}

static void test_bmp(void **state)
{
	static const uint32_t bits[] = { 8, 24, 32 };
	struct image image;
	uint8_t bmp[2048];
	size_t size, n;
	int i, top_down;

	for (i = 0; i < 3; i++) {
		for (top_down = 0; top_down < 2; top_down++) {
			size = write_bmp(bmp, 5, 3, bits[i], top_down);
			assert_int_equal(image_decode(bmp, size, &image, error), 0);
			assert_int_equal(image.width, 5);
			assert_int_equal(image.height, 3);
			check_pattern(&image);
			image_free(&image);
			for (n = 0; n < size; n++) {
				uint8_t *exact = malloc(n + 1);

				memcpy(exact, bmp, n);
				assert_int_equal(image_decode(exact, n, &image, error),
						 -EINVAL);
				assert_true(error[0]);
				free(exact);
			}
		}
	}
}

static void test_bmp_refuses(void **state)
{
	static const struct {
		uint32_t at, value;
	} changes[] = {
		{ 10, 0xffffff00 }, { 14, 4000000000u }, { 14, 12 }, { 18, 0 }, { 18, 0x7fffffff },
		{ 22, 0 }, { 22, 0x80000000 }, { 22, 0x7fffffff }, { 30, 1 }, { 28, 16 },
	};
	struct image image;
	uint8_t bmp[512];
	size_t size, i;

	for (i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
		size = write_bmp(bmp, 5, 3, 24, false);
		put32(bmp + changes[i].at, changes[i].value);
		assert_int_equal(image_decode(bmp, size, &image, error), -EINVAL);
	}
}

static uint8_t *slurp(const char *path, size_t *size)
{
	FILE *file = fopen(path, "re");
	uint8_t *data;

	assert_non_null(file);
	fseek(file, 0, SEEK_END);
	*size = (size_t)ftell(file);
	rewind(file);
	data = malloc(*size);
	assert_int_equal(fread(data, 1, *size, file), *size);
	fclose(file);
	return data;
}

static void test_png(void **state)
{
	char path[] = "/tmp/nna-test-image.XXXXXX";
	struct image image, again;
	uint8_t bmp[512], *png;
	size_t size, n;
	int fd;

	fd = mkstemp(path);
	assert_true(fd >= 0);
	close(fd);
	size = write_bmp(bmp, 6, 4, 24, false);
	assert_int_equal(image_decode(bmp, size, &image, error), 0);
	assert_int_equal(image_save_png(&image, path, error), 0);
	assert_int_equal(image_load(path, &again, error), 0);
	check_pattern(&again);
	image_free(&again);
	image_free(&image);
	png = slurp(path, &size);
	/* The last chunk, 12 bytes, says that the file ends: pixels are complete without it. */
	for (n = 4; n + 16 < size; n++)
		assert_int_equal(image_decode(png, n, &again, error), -EINVAL);
	free(png);
	unlink(path);
	assert_int_equal(image_load(path, &again, error), -ENOENT);
	assert_int_equal(image_save_png(&image, "/nonexistent/x.png", error), -ENOENT);
}

static void test_jpeg(void **state)
{
	struct jpeg_compress_struct jpeg;
	struct jpeg_error_mgr manager;
	unsigned char *file = NULL;
	unsigned long size = 0;
	struct image image;
	uint8_t row[16 * 3];
	int x, y;

	jpeg.err = jpeg_std_error(&manager);
	jpeg_create_compress(&jpeg);
	jpeg_mem_dest(&jpeg, &file, &size);
	jpeg.image_width = 16;
	jpeg.image_height = 16;
	jpeg.input_components = 3;
	jpeg.in_color_space = JCS_RGB;
	jpeg_set_defaults(&jpeg);
	jpeg_start_compress(&jpeg, TRUE);
	for (y = 0; y < 16; y++) {
		JSAMPROW rows = row;

		for (x = 0; x < 16; x++) {
			row[3 * x] = 200;
			row[3 * x + 1] = 100;
			row[3 * x + 2] = 50;
		}
		jpeg_write_scanlines(&jpeg, &rows, 1);
	}
	jpeg_finish_compress(&jpeg);
	jpeg_destroy_compress(&jpeg);

	assert_int_equal(image_decode(file, size, &image, error), 0);
	assert_int_equal(image.width, 16);
	assert_in_range(image.pixels[0], 195, 205);
	assert_in_range(image.pixels[1], 95, 105);
	assert_in_range(image.pixels[2], 45, 55);
	image_free(&image);
	assert_int_equal(image_decode(file, size / 2, &image, error), -EINVAL);
	assert_int_equal(image_decode(file, size - 20, &image, error), -EINVAL);
	/* An end mark in the middle of the tables. */
	file[size / 2] = 0xff;
	file[size / 2 + 1] = 0xd9;
	if (!image_decode(file, size, &image, error))
		image_free(&image);
	free(file);
}

static void test_other(void **state)
{
	struct image image;

	assert_int_equal(image_decode((const uint8_t *)"GIF89a", 6, &image, error), -EINVAL);
	assert_int_equal(image_decode((const uint8_t *)"", 0, &image, error), -EINVAL);
	assert_int_equal(image_load("/", &image, error), -EINVAL);
}

static void test_resize(void **state)
{
	struct image image, to;
	int i;

	assert_int_equal(image_create(&image, 2, 1), 0);
	image.pixels[3] = 100;
	image.pixels[4] = 200;
	/* Columns lie at 0, 0.5, 1, 1.5; what is beyond the last column repeats it. */
	assert_int_equal(image_resize(&image, &to, 4, 1), 0);
	assert_int_equal(to.pixels[0], 0);
	assert_int_equal(to.pixels[3], 50);
	assert_int_equal(to.pixels[6], 100);
	assert_int_equal(to.pixels[9], 100);
	assert_int_equal(to.pixels[7], 200);
	image_free(&to);
	assert_int_equal(image_resize(&image, &to, 2, 1), 0);
	for (i = 0; i < 6; i++)
		assert_int_equal(to.pixels[i], image.pixels[i]);
	image_free(&to);
	assert_int_equal(image_resize(&image, &to, 0, 1), -EINVAL);
	assert_int_equal(image_resize(&image, &to, IMAGE_MAX_SIDE + 1, 1), -EINVAL);
	image_free(&image);
}

static uint32_t lit(const struct image *image)
{
	uint32_t n = 0, i;

	for (i = 0; i < image->width * image->height; i++)
		n += image->pixels[3 * i] != 0;
	return n;
}

static void test_drawing_is_clipped(void **state)
{
	static const struct image_color white = { 255, 255, 255 };
	struct image image;

	assert_int_equal(image_create(&image, 20, 10), 0);
	image_fill(&image, -5, -5, 10, 10, white);
	assert_int_equal(lit(&image), 25);
	image_fill(&image, 18, 8, 0x7fffffff, 0x7fffffff, white);
	assert_int_equal(lit(&image), 29);
	image_fill(&image, 100, 100, 5, 5, white);
	image_rectangle(&image, -10, -10, 400, 400, 2, white);
	image_disc(&image, 500, -500, 10, white);
	image_disc(&image, 19, 0, 3, white);
	image_text(&image, -30, -3, 3, "Clip ~\x80\xff", white);
	image_text(&image, 15, 8, 2, "Clip", white);
	image_free(&image);
}

static void test_text(void **state)
{
	static const struct image_color white = { 255, 255, 255 };
	struct image image;
	uint32_t upper;

	assert_int_equal(image_create(&image, 80, 10), 0);
	image_text(&image, 0, 0, 1, "NNA 1", white);
	upper = lit(&image);
	assert_true(upper > 40);
	image_free(&image);
	assert_int_equal(image_create(&image, 80, 10), 0);
	image_text(&image, 0, 0, 1, "nna 1", white);
	assert_int_equal(lit(&image), upper);
	image_free(&image);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bmp),
		cmocka_unit_test(test_bmp_refuses),
		cmocka_unit_test(test_png),
		cmocka_unit_test(test_jpeg),
		cmocka_unit_test(test_other),
		cmocka_unit_test(test_resize),
		cmocka_unit_test(test_drawing_is_clipped),
		cmocka_unit_test(test_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
