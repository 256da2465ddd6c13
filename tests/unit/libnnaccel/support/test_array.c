// SPDX-License-Identifier: MIT
/* Arrays that grow: elements stay, moves are few, and sizes that overflow are refused. */
#include "libnnaccel/support/array.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static void elements_stay(void **state)
{
	uint64_t *list = NULL;
	uint32_t room = 0, moves = 0;

	(void)state;
	for (uint32_t i = 0; i < 10000; i++) {
		const uint32_t before = room;
		uint64_t *grown = nna_array_reserve(list, (uint64_t)i + 1, &room, sizeof(*list));

		assert_non_null(grown);
		assert_true(room > i);
		list = grown;
		moves += room != before;
		list[i] = i * 7ull;
	}
	for (uint32_t i = 0; i < 10000; i++)
		assert_int_equal(list[i], i * 7ull);
	assert_true(moves <= 11);
	free(list);
}

static void room_for_many_at_once(void **state)
{
	uint32_t room = 0;
	char *list = nna_array_reserve(NULL, 1000, &room, 3);

	(void)state;
	assert_non_null(list);
	assert_int_equal(room, 1000);
	assert_ptr_equal(nna_array_reserve(list, 1000, &room, 3), list);
	list[2999] = 1;
	free(list);
}

static void overflow_is_refused(void **state)
{
	uint32_t room = 0, full = UINT32_MAX;
	char one;

	(void)state;
	assert_null(nna_array_reserve(NULL, 1ull << 32, &room, 1));
	assert_int_equal(room, 0);
	assert_null(nna_array_reserve(NULL, 16, &room, SIZE_MAX / 15));
	assert_int_equal(room, 0);
	assert_null(nna_array_reserve(&one, 1ull << 32, &full, 1));
	assert_int_equal(full, UINT32_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(elements_stay),
		cmocka_unit_test(room_for_many_at_once),
		cmocka_unit_test(overflow_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
