// SPDX-License-Identifier: MIT
/* Numbers of a map in a flexbuffer, and what is left of it after damage. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/tflite/flexbuffer.h"

/* {"count": 300, "scale": 2.5, "less": -3, "on": true} */
static const uint8_t map[] = {
	0x63, 0x6f, 0x75, 0x6e, 0x74, 0x00, 0x73, 0x63, 0x61, 0x6c, 0x65, 0x00,
	0x6c, 0x65, 0x73, 0x73, 0x00, 0x6f, 0x6e, 0x00, 0x04, 0x15, 0x0a, 0x06,
	0x12, 0x00, 0x00, 0x00, 0x07, 0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00,
	0x04, 0x00, 0x00, 0x00, 0x2c, 0x01, 0x00, 0x00, 0xfd, 0xff, 0xff, 0xff,
	0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0x20, 0x40, 0x06, 0x06, 0x6a, 0x0e,
	0x14, 0x26, 0x01,
};

static void check(const char *key, double want)
{
	double value = 0;

	assert_true(flexbuffer_number(map, sizeof(map), key, &value));
	assert_true(value == want);
}

static void test_finds_numbers(void **state)
{
	double value = 7;

	check("count", 300);
	check("scale", 2.5);
	check("less", -3);
	check("on", 1);
	assert_false(flexbuffer_number(map, sizeof(map), "coun", &value));
	assert_false(flexbuffer_number(map, sizeof(map), "counts", &value));
	assert_true(value == 7);
}

/* In memory of exactly its size, so that a read outside is seen by a sanitizer. */
static void test_survives_damage(void **state)
{
	for (size_t size = 0; size <= sizeof(map); size++)
		for (size_t i = 0; i < size; i++)
			for (unsigned int v = 0; v < 256; v += 17) {
				uint8_t *copy = malloc(size);
				double value;

				assert_non_null(copy);
				/* The end of the buffer is where it is read from. */
				memcpy(copy, map + sizeof(map) - size, size);
				copy[i] = (uint8_t)v;
				flexbuffer_number(copy, size, "less", &value);
				free(copy);
			}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_finds_numbers),
		cmocka_unit_test(test_survives_damage),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
