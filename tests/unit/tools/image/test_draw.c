// SPDX-License-Identifier: MIT
/* Drawing: nothing outside the picture, and letters of either case. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tools/image/image.h"

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
		cmocka_unit_test(test_drawing_is_clipped),
		cmocka_unit_test(test_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
