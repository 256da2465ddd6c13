// SPDX-License-Identifier: MIT
/* DYNAMIC_UPDATE_SLICE at a start of the file, and at one that is known at run time. */
#include "tests/unit/frontend/tflite/run_text.h"

static const float x[] = { 1, 2, 3, 4, 5, 6 }, pair[] = { 10, 20 };

/* A start that is too far is moved back. */
static void test_constant_start(void **state)
{
	static const float want[] = { 1, 2, 3, 4, 10, 20 };
	float out[6];

	run_text("DYNAMIC_UPDATE_SLICE f[2,3] f[1,2] i[2]={1,5} -> f[2,3]",
		 (const void *[]){ x, pair }, (void *[]){ out });
	assert_memory_equal(out, want, sizeof(want));
}

static void check_start(int32_t row, int32_t column, const float *want)
{
	const int32_t narrow[] = { row, column };
	const int64_t wide[] = { row * (1ll << 31), column * (1ll << 31) };
	float out[6];

	run_text("DYNAMIC_UPDATE_SLICE f[2,3] f[1,2] i[2] -> f[2,3]",
		 (const void *[]){ x, pair, narrow }, (void *[]){ out });
	assert_memory_equal(out, want, sizeof(out));
	/* Of 33 bits: what is not 0 is too far. */
	if (row > 1 || row < 0 || column > 1 || column < 0) {
		run_text("DYNAMIC_UPDATE_SLICE f[2,3] f[1,2] l[2] -> f[2,3]",
			 (const void *[]){ x, pair, wide }, (void *[]){ out });
		assert_memory_equal(out, want, sizeof(out));
	}
}

static void test_start_at_run_time(void **state)
{
	check_start(0, 0, (const float[]){ 10, 20, 3, 4, 5, 6 });
	check_start(1, 0, (const float[]){ 1, 2, 3, 10, 20, 6 });
	check_start(0, 1, (const float[]){ 1, 10, 20, 4, 5, 6 });
	check_start(2, 3, (const float[]){ 1, 2, 3, 4, 10, 20 });
	check_start(-1, -7, (const float[]){ 10, 20, 3, 4, 5, 6 });
}

/* The whole input is replaced, or nothing of it. */
static void test_extremes(void **state)
{
	static const float all[] = { 6, 5, 4, 3, 2, 1 };
	static const int32_t start[] = { 1, 1 };
	float out[6];

	run_text("DYNAMIC_UPDATE_SLICE f[2,3] f[2,3] i[2] -> f[2,3]",
		 (const void *[]){ x, all, start }, (void *[]){ out });
	assert_memory_equal(out, all, sizeof(out));
	run_text("DYNAMIC_UPDATE_SLICE f[2,3] f[0,3]={} i[2] -> f[2,3]",
		 (const void *[]){ x, start }, (void *[]){ out });
	assert_memory_equal(out, x, sizeof(out));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_constant_start),
		cmocka_unit_test(test_start_at_run_time),
		cmocka_unit_test(test_extremes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
