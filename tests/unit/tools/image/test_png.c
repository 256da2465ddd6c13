// SPDX-License-Identifier: MIT
/* PNG files: written, read again, and cut. */
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

#include "tools/image/image.h"

static char error[IMAGE_ERROR_SIZE];

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
	size_t size, n, i;
	uint8_t *png;
	int fd;

	fd = mkstemp(path);
	assert_true(fd >= 0);
	close(fd);
	assert_int_equal(image_create(&image, 6, 4), 0);
	for (i = 0; i < 6 * 4 * 3; i++)
		image.pixels[i] = (uint8_t)(3 * i);
	assert_int_equal(image_save_png(&image, path, error), 0);
	assert_int_equal(image_load(path, &again, error), 0);
	assert_int_equal(again.width, 6);
	assert_int_equal(again.height, 4);
	assert_memory_equal(again.pixels, image.pixels, 6 * 4 * 3);
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_png),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
