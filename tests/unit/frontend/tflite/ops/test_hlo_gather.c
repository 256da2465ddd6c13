// SPDX-License-Identifier: MIT
/* Slices at indices, on the loopback, against values computed by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/frontend/tflite/model_text.h"
#include "tests/unit/frontend/tflite/one_operator.h"

/* Runs a STABLEHLO_GATHER of 3 by 4 numbers, given behind its name. */
static void check(const char *model, const void *indices, const float *want, uint32_t count)
{
	static const float x[] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12 };
	struct writer *w = calloc(1, sizeof(*w));
	char text[256];
	float out[64];

	assert_non_null(w);
	assert_true(count <= 64);
	snprintf(text, sizeof(text), "STABLEHLO_GATHER@144:%s", model);
	write_text(w, text);
	run_written(w, 0, (const void *[]){ x, indices }, (void *[]){ out }, 1);
	check_floats(out, want, count);
	free(w);
}

/* A begin that leaves no place moves inwards. */
static void test_rows(void **state)
{
	static const int32_t numbers[] = { 2, -7, 9 };
	static const float want[] = { 9, 10, 11, 12, 1, 2, 3, 4, 9, 10, 11, 12 };

	check("(1),(0),(0),1,(1 4) f[3,4] i[3,1] -> f[3,4]", numbers, want, 12);
	check("(1),(0),(0),1,(1 4) f[3,4] i[3,1]={2,-7,9} -> f[3,4]~", NULL, want, 12);
	/* Each index is a number: the indices have no dimension for it. */
	check("(1),(0),(0),1,(1 4) f[3,4] i[3] -> f[3,4]", numbers, want, 12);
}

/* Windows of 2 by 2; the elements of an index are those of the columns and of the rows. */
static void test_windows(void **state)
{
	static const int64_t starts[] = { 1, 0, 3, INT64_MAX };
	static const float want[] = { 2, 3, 6, 7, 7, 8, 11, 12 };

	check("(1 2),(),(1 0),1,(2 2) f[3,4] l[2,2] -> f[2,2,2]", starts, want, 8);
}

/* The dimensions of slices come first, or on both sides of those of the indices. */
static void test_order(void **state)
{
	static const int32_t columns[] = { 3, 0 };
	static const float first[] = { 4, 1, 8, 5, 12, 9 };
	static const float around[] = { 3, 4, 1, 2, 7, 8, 5, 6, 11, 12, 9, 10 };

	check("(0),(1),(1),1,(3 1) f[3,4] i[2,1] -> f[3,2]", columns, first, 6);
	check("(0 2),(),(1),1,(3 2) f[3,4] i[2,1] -> f[3,2,2]", columns, around, 12);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows),
		cmocka_unit_test(test_windows),
		cmocka_unit_test(test_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
