// SPDX-License-Identifier: MIT
/* Windows that dilate, on the loopback, against values computed by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/frontend/tflite/model_text.h"
#include "tests/unit/frontend/tflite/one_operator.h"

/* Runs a STABLEHLO_REDUCE_WINDOW, given behind its name. */
static void run_window(const char *model, const void *in, void *out)
{
	struct writer *w = calloc(1, sizeof(*w));
	char text[256];

	assert_non_null(w);
	snprintf(text, sizeof(text), "STABLEHLO_REDUCE_WINDOW@141:%s", model);
	write_text(w, text);
	run_written(w, 0, (const void *[]){ in }, (void *[]){ out }, 1);
	free(w);
}

/* Sizes 2 and 3, strides 1 and 2, dilations 2 and 1; a column of padding in front counts as 4. */
static void test_maximum(void **state)
{
	static const float in[] = { 1, 2, 3, 9, 5, 6, 7, 8, 0, 1, 2, 3 },
			   want[] = { 4, 9 };
	static const int8_t bytes[] = { 1, 2, 3, 9, 5, 6, 7, 8, 0, 1, 2, 3 }, want8[] = { 4, 9 };
	float out[2];
	int8_t out8[2];

	run_window("(2 3),(1 2),(1 1),(2 1),(0 0 1 0),1 f[3,4] f={4} -> f[1,2]|MAXIMUM f f -> f",
		   in, out);
	check_floats(out, want, 2);
	run_window("(2 3),(1 2),(1 1),(2 1),(0 0 1 0),1 a[3,4]*0.5 a={4}*0.5 -> a[1,2]*0.5|"
		   "MAXIMUM a*0.5 a*0.5 -> a*0.5", bytes, out8);
	assert_memory_equal(out8, want8, sizeof(want8));
}

/* The initial value counts once in each window; its shape follows where the file leaves it open. */
static void test_sum(void **state)
{
	static const int32_t in[] = { 1, 2, 3, 4, 5 }, want[] = { 14, 16, 18 };
	int32_t out[3];

	run_window("(2),(1),(1),(2),(0 0),1 i[5]~ i={10} -> i[3]~|ADD i i -> i", in, out);
	assert_memory_equal(out, want, sizeof(want));
}

/* Sums of stored numbers lose the bits that they have no place for. */
static void test_wraps(void **state)
{
	static const int8_t in[] = { 100, 100, -100, -100 }, want[] = { -56, 0, 56 };
	int8_t out[3];

	run_window("(2),(1),(1),(1),(0 0),1 a[4]*0.5 a={0}*0.5 -> a[3]*0.5|ADD a*0.5 a*0.5 -> a*0.5",
		   in, out);
	assert_memory_equal(out, want, sizeof(want));
}

/* REDUCE_WINDOW: sizes, strides and dilations are inputs, and so may be the initial value. */
static void test_plain(void **state)
{
	static const int32_t in[] = { 1, 2, 0, 4, 5, 6 }, first[] = { 1 };
	static const int32_t sums[] = { 2, 11 }, all[] = { 0, 1 };
	const void *both[] = { in, first };
	struct writer *w = calloc(1, sizeof(*w));
	int32_t out[2];

	assert_non_null(w);
	write_text(w, "REDUCE_WINDOW@148:1 i[6] i={1} l[1]={2} l[1]={3} l[1]={2} -> i[2]");
	run_written(w, 0, both, (void *[]){ out }, 1);
	assert_memory_equal(out, sums, sizeof(sums));
	write_text(w, "REDUCE_WINDOW@148:5 i[6]~ i[1] l[1]={3} l[1]={3} l[1]={1} -> i[2]~");
	run_written(w, 0, both, (void *[]){ out }, 1);
	assert_memory_equal(out, all, sizeof(all));
	free(w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_maximum),
		cmocka_unit_test(test_sum),
		cmocka_unit_test(test_wraps),
		cmocka_unit_test(test_plain),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
