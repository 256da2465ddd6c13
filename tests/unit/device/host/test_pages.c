// SPDX-License-Identifier: MIT
/* Memory in large pages, and whether it is there from the start, as the kernel says. */
#include "device/host/pages.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

static const uint64_t sizes[] = { 1, 4096, 100000, 2 << 20, (3 << 20) + 5 };

static void test_there(void **state)
{
	const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	unsigned char resident;

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		uint8_t *p = nnadev_pages_create(sizes[i], true);

		assert_non_null(p);
		assert_int_equal((uintptr_t)p % NNADEV_PAGES_LARGE, 0);
		for (uint64_t at = 0; at < sizes[i]; at += page) {
			if (mincore(p + at, 1, &resident) || !(resident & 1)) {
				nnadev_pages_destroy(p, sizes[i]);
				/* Linux before 5.14. */
				skip();
			}
		}
		for (uint64_t at = 0; at < sizes[i]; at++) {
			assert_int_equal(p[at], 0);
			p[at] = 1;
		}
		nnadev_pages_destroy(p, sizes[i]);
	}
}

static void test_touched(void **state)
{
	unsigned char resident;

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		uint8_t *p = nnadev_pages_create(sizes[i], false);

		assert_non_null(p);
		assert_int_equal((uintptr_t)p % NNADEV_PAGES_LARGE, 0);
		assert_int_equal(mincore(p, 1, &resident), 0);
		assert_false(resident & 1);
		for (uint64_t at = 0; at < sizes[i]; at++) {
			assert_int_equal(p[at], 0);
			p[at] = 1;
		}
		assert_int_equal(mincore(p, 1, &resident), 0);
		assert_true(resident & 1);
		nnadev_pages_destroy(p, sizes[i]);
	}
}

static void test_refused(void **state)
{
	assert_null(nnadev_pages_create(0, true));
	assert_null(nnadev_pages_create(UINT64_MAX, false));
	assert_null(nnadev_pages_create(UINT64_MAX / 2, true));
	nnadev_pages_destroy(NULL, 4096);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_there),
		cmocka_unit_test(test_touched),
		cmocka_unit_test(test_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
