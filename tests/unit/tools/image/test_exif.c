// SPDX-License-Identifier: MIT
/* The orientation of Exif data, whole, cut and damaged. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "tools/image/image.h"

static const uint8_t LITTLE[] = {
	'I', 'I', '*', 0, 8, 0, 0, 0, 2, 0,
	0x00, 0x01, 3, 0, 1, 0, 0, 0, 0x40, 0x06, 0, 0,
	0x12, 0x01, 3, 0, 1, 0, 0, 0, 6, 0, 0, 0,
};
static const uint8_t BIG[] = {
	'M', 'M', 0, '*', 0, 0, 0, 9, 0, 0, 1,
	0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, 8, 0, 0,
};

/* In memory of its own, for a sanitizer's sake. */
static uint32_t orientation(const uint8_t *data, size_t size)
{
	uint8_t *own = malloc(size ? size : 1);
	uint32_t found;

	assert_non_null(own);
	memcpy(own, data, size);
	found = image_exif_orientation(own, size);
	free(own);
	return found;
}

static void test_whole(void **state)
{
	assert_int_equal(orientation(LITTLE, sizeof(LITTLE)), 6);
	assert_int_equal(orientation(BIG, sizeof(BIG)), 8);
}

static void test_cut(void **state)
{
	for (size_t size = 0; size < sizeof(LITTLE); size++)
		assert_int_equal(orientation(LITTLE, size), 1);
	for (size_t size = 0; size < sizeof(BIG); size++)
		assert_int_equal(orientation(BIG, size), 1);
}

static void test_damaged(void **state)
{
	uint8_t data[sizeof(LITTLE)];

	for (size_t i = 0; i < sizeof(data); i++) {
		for (uint32_t value = 0; value < 256; value++) {
			uint32_t found;

			memcpy(data, LITTLE, sizeof(data));
			data[i] = (uint8_t)value;
			found = orientation(data, sizeof(data));
			assert_true(found >= 1 && found <= 8);
		}
	}
	/* A directory behind the end, and one of more entries than there are. */
	memcpy(data, LITTLE, sizeof(data));
	memset(data + 4, 0xff, 4);
	assert_int_equal(orientation(data, sizeof(data)), 1);
	memcpy(data, LITTLE, sizeof(data));
	memset(data + 8, 0xff, 2);
	assert_int_equal(orientation(data, sizeof(data)), 6);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_whole),
		cmocka_unit_test(test_cut),
		cmocka_unit_test(test_damaged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
