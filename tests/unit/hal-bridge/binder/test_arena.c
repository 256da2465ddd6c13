// SPDX-License-Identifier: MIT
/* What lives as long as a call: zeros, limits, and the order in which things are given back. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdalign.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "hal-bridge/binder/arena.h"
#include "hal-bridge/binder/object.h"

static void memory(void **state)
{
	struct nnb_arena arena = { 0 };
	unsigned char *at[200];

	for (size_t i = 0; i < 200; i++) {
		at[i] = nnb_arena_alloc(&arena, i, 7);
		assert_non_null(at[i]);
		assert_int_equal((uintptr_t)at[i] % alignof(max_align_t), 0);
		for (size_t j = 0; j < i * 7; j++)
			assert_int_equal(at[i][j], 0);
		memset(at[i], (int)i, i * 7);
	}
	for (size_t i = 0; i < 200; i++) {
		for (size_t j = 0; j < i * 7; j++)
			assert_int_equal(at[i][j], i);
	}
	assert_null(nnb_arena_alloc(&arena, SIZE_MAX / 2, 3));
	assert_null(nnb_arena_alloc(&arena, SIZE_MAX, 1));
	nnb_arena_fini(&arena);
}

static void limit(void **state)
{
	struct nnb_arena arena = { .limit = 10000 };

	assert_null(nnb_arena_alloc(&arena, 10001, 1));
	assert_non_null(nnb_arena_alloc(&arena, 6000, 1));
	assert_null(nnb_arena_alloc(&arena, 6000, 1));
	nnb_arena_fini(&arena);
	assert_int_equal(arena.limit, 10000);
	assert_non_null(nnb_arena_alloc(&arena, 6000, 1));
	nnb_arena_fini(&arena);
}

static char order[8];

static void note(void *data)
{
	strcat(order, data);
}

static void deferred(void **state)
{
	struct nnb_arena arena = { 0 };
	int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);

	assert_true(fd >= 0);
	order[0] = 0;
	assert_int_equal(nnb_arena_defer(&arena, note, "a"), 0);
	assert_int_equal(nnb_arena_own_fd(&arena, fd), 0);
	assert_int_equal(nnb_arena_defer(&arena, note, "b"), 0);
	assert_int_not_equal(fcntl(fd, F_GETFD), -1);
	assert_string_equal(order, "");
	nnb_arena_fini(&arena);
	assert_string_equal(order, "ba");
	assert_int_equal(fcntl(fd, F_GETFD), -1);
}

/* What cannot be remembered is done at once. */
static void no_room(void **state)
{
	struct nnb_arena arena = { .limit = 4096 };

	order[0] = 0;
	assert_non_null(nnb_arena_alloc(&arena, 4096, 1));
	assert_int_equal(nnb_arena_defer(&arena, note, "a"), -ENOMEM);
	assert_string_equal(order, "a");
	nnb_arena_fini(&arena);
	assert_string_equal(order, "a");
}

static void release(struct nnb_object *object)
{
	strcat(order, "r");
}

static void objects(void **state)
{
	static const struct nnb_object_ops ops = { .release = release };
	struct nnb_arena arena = { 0 };
	struct nnb_object object;

	order[0] = 0;
	nnb_object_init(&object, &ops);
	assert_int_equal(nnb_arena_own_object(&arena, nnb_object_ref(&object)), 0);
	nnb_object_unref(&object);
	assert_string_equal(order, "");
	nnb_arena_fini(&arena);
	assert_string_equal(order, "r");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(memory), cmocka_unit_test(limit), cmocka_unit_test(deferred),
		cmocka_unit_test(no_room), cmocka_unit_test(objects),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
