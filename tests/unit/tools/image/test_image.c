// SPDX-License-Identifier: MIT
/* Files that are no pictures, and scaling. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>

#include "tools/image/image.h"

static char error[IMAGE_ERROR_SIZE];

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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_other),
		cmocka_unit_test(test_resize),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
