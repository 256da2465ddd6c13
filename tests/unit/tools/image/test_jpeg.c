// SPDX-License-Identifier: MIT
/* JPEG files: read, cut, damaged in the middle, and written. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <jpeglib.h>

#include "tools/image/image.h"

static char error[IMAGE_ERROR_SIZE];

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

static void test_save(void **state)
{
	char folder[] = "/tmp/test_jpeg.XXXXXX", path[64];
	struct image image, back;

	assert_non_null(mkdtemp(folder));
	assert_int_equal(image_create(&image, 20, 9), 0);
	image_fill(&image, 0, 0, 20, 9, (struct image_color){ 200, 100, 50 });
	snprintf(path, sizeof(path), "%s/a.JPEG", folder);
	assert_true(image_can_save(path));
	assert_int_equal(image_save(&image, path, error), 0);
	assert_int_equal(image_load(path, &back, error), 0);
	assert_int_equal(back.width, 20);
	assert_int_equal(back.height, 9);
	assert_in_range(back.pixels[0], 195, 205);
	assert_in_range(back.pixels[3 * 9 * 20 - 1], 45, 55);
	image_free(&back);
	assert_int_equal(unlink(path), 0);
	snprintf(path, sizeof(path), "%s/none/a.jpg", folder);
	assert_int_equal(image_save(&image, path, error), -ENOENT);
	snprintf(path, sizeof(path), "%s/a.bmp", folder);
	assert_false(image_can_save(path));
	assert_int_equal(image_save(&image, path, error), -EINVAL);
	image_free(&image);
	/* A full disk. */
	assert_int_equal(image_create(&image, 2000, 2000), 0);
	if (!access("/dev/full", W_OK)) {
		assert_int_equal(symlink("/dev/full", strcat(strcpy(path, folder), "/b.jpg")), 0);
		assert_true(image_save(&image, path, error) < 0);
	}
	image_free(&image);
	unlink(path);
	assert_int_equal(rmdir(folder), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_jpeg),
		cmocka_unit_test(test_save),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
