// SPDX-License-Identifier: MIT
/* BMP files: every kind, cut at every byte, and headers that lie. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bmp),
		cmocka_unit_test(test_bmp_refuses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
