// SPDX-License-Identifier: MIT
/* The table of ranges against a bitmap of pages. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <errno.h>
#include <string.h>

#include <cmocka.h>

#include "device/transport/ranges.h"

static uint32_t next_random(uint64_t *seed)
{
	*seed = *seed * 6364136223846793005ull + 1442695040888963407ull;
	return (uint32_t)(*seed >> 33);
}

static void test_ranges(void **state)
{
	struct nnadev_ranges ranges;
	uint8_t owner[64] = { 0 }; /* page -> id of its range, 0: none */
	uint64_t seed = 7;
	size_t index, count, backed;

	nnadev_ranges_init(&ranges, 40);
	for (int i = 0; i < 20000; i++) {
		uint32_t first = next_random(&seed) % 64, size = 1 + next_random(&seed) % 6;
		bool overlap = false, split = false;
		size_t inside = 0;

		if (first + size > 64)
			size = 64 - first;
		for (uint32_t p = first; p < first + size; p++)
			overlap |= owner[p] != 0;
		if (next_random(&seed) % 2) {
			assert_int_equal(nnadev_ranges_add(&ranges, first, size, true),
					 overlap ? -EEXIST : 0);
			if (!overlap)
				memset(owner + first, 1 + (i & 0x7f), size);
			/* Neighbours must differ: give the new range a number of its own. */
			for (uint32_t p = first; !overlap && p < first + size; p++)
				owner[p] = (uint8_t)(first + 1);
			continue;
		}
		split = owner[first] && first && owner[first - 1] == owner[first];
		split |= owner[first + size - 1] && first + size < 64 &&
			 owner[first + size] == owner[first + size - 1];
		for (uint32_t p = first; p < first + size; p++)
			inside += owner[p] && (p == first || owner[p - 1] != owner[p]);
		assert_int_equal(nnadev_ranges_find(&ranges, first, first + size - 1, &index,
						    &count, &backed),
				 split ? -EINVAL : 0);
		if (split)
			continue;
		assert_int_equal(count, inside);
		assert_int_equal(backed, inside);
		nnadev_ranges_remove(&ranges, index, count);
		memset(owner + first, 0, size);
	}
	nnadev_ranges_fini(&ranges);
	assert_int_equal(nnadev_ranges_add(&ranges, 0, 1, true), -ENOSPC);
	nnadev_ranges_init(&ranges, 1);
	assert_int_equal(nnadev_ranges_add(&ranges, ~0ull, 1, true), 0);
	assert_int_equal(nnadev_ranges_add(&ranges, ~0ull, 2, true), -EINVAL);
	assert_int_equal(nnadev_ranges_add(&ranges, 0, 1, true), -ENOSPC);
	nnadev_ranges_fini(&ranges);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ranges),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
