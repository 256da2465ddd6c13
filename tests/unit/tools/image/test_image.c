// SPDX-License-Identifier: MIT
/* Files that are no pictures, scaling and turning. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <string.h>

#include "tools/image/image.h"

static char error[IMAGE_ERROR_SIZE];

static void test_other(void **state)
{
	struct image image;

	assert_int_equal(image_decode((const uint8_t *)"words", 5, &image, error), -EINVAL);
	assert_int_equal(image_decode((const uint8_t *)"", 0, &image, error), -EINVAL);
	assert_int_equal(image_load("/", &image, error), -EISDIR);
	assert_int_equal(image_load("/dev/zero", &image, error), -EINVAL);
	assert_non_null(strstr(error, "too large"));
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

/* Pixels 0 and 1, stored in a row of 2 x 1, by orientation: as they stand then. */
static void test_orient(void **state)
{
	static const struct { uint32_t width; uint8_t first; } expected[] = {
		{ 2, 0 }, { 2, 0 }, { 2, 1 }, { 2, 1 }, { 2, 0 },
		{ 1, 0 }, { 1, 0 }, { 1, 1 }, { 1, 1 }, { 2, 0 },
	};
	struct image image;

	for (uint32_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++) {
		assert_int_equal(image_create(&image, 2, 1), 0);
		memset(image.pixels + 3, 1, 3);
		assert_int_equal(image_orient(&image, i), 0);
		assert_int_equal(image.width, expected[i].width);
		assert_int_equal(image.height, 3 - expected[i].width);
		assert_int_equal(image.pixels[2], expected[i].first);
		assert_int_equal(image.pixels[5], 1 - expected[i].first);
		image_free(&image);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_other),
		cmocka_unit_test(test_resize),
		cmocka_unit_test(test_orient),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
