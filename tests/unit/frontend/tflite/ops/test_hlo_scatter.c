// SPDX-License-Identifier: MIT
/* Windows of updates put where indices say, on the loopback, against values computed by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/frontend/tflite/model_text.h"
#include "tests/unit/frontend/tflite/one_operator.h"

/* The update alone. */
#define REPLACE "|RETURN f f"

/* Runs a STABLEHLO_SCATTER, given behind its name. */
static void run_scatter(const char *model, const void *const *in, void *out)
{
	struct writer *w = calloc(1, sizeof(*w));
	char text[256];

	assert_non_null(w);
	snprintf(text, sizeof(text), "STABLEHLO_SCATTER@135:,%s", model);
	write_text(w, text);
	run_written(w, 0, in, (void *[]){ out }, 1);
	free(w);
}

static const float square[] = { 1, 2, 3, 4, 5, 6 }, rows[] = { 10, 20, 30, 40, 50, 60, 70, 80 };
/* The last update of a row remains; rows beyond the operand are dropped. */
static const int32_t numbers[] = { 2, -1, 2, 3 };

static void check_rows(const char *body, const float *want)
{
	float out[6];
	char text[160];

	snprintf(text, sizeof(text),
		 "(1),(0),(0),1,,1 f[3,2] i[4,1]={2,-1,2,3} f[4,2] -> f[3,2]%s", body);
	run_scatter(text, (const void *[]){ square, rows }, out);
	check_floats(out, want, 6);
	snprintf(text, sizeof(text), "(1),(0),(0),1,,1 f[3,2] i[4,1] f[4,2] -> f[3,2]%s", body);
	run_scatter(text, (const void *[]){ square, numbers, rows }, out);
	check_floats(out, want, 6);
}

static void test_rows(void **state)
{
	check_rows(REPLACE, (const float[]){ 1, 2, 3, 4, 50, 60 });
	check_rows("|STABLEHLO_ADD f f -> f", (const float[]){ 1, 2, 3, 4, 65, 86 });
	check_rows("|STABLEHLO_MULTIPLY f f -> f", (const float[]){ 1, 2, 3, 4, 2500, 7200 });
	check_rows("|STABLEHLO_MAXIMUM f f -> f", (const float[]){ 1, 2, 3, 4, 50, 60 });
	check_rows("|STABLEHLO_MINIMUM f f -> f", (const float[]){ 1, 2, 3, 4, 5, 6 });
}

/*
 * Windows of 1 by 2 in the first and the last column: one of them lies half beyond the operand. The
 * dimension of the indices comes last, or first.
 */
static void test_windows(void **state)
{
	static const int64_t starts[] = { 0, 2, 1, -1 }, turned[] = { 0, 1, 2, -1 };
	static const float updates[] = { 10, 20, 30, 40 }, want[] = { 1, 2, 10, 40, 5, 6 };
	float out[6];

	run_scatter("(1 2),(),(0 1),1,,1 f[2,3] l[2,2] f[2,1,2] -> f[2,3]" REPLACE,
		    (const void *[]){ square, starts, updates }, out);
	check_floats(out, want, 6);
	run_scatter("(1 2),(),(0 1),0,,1 f[2,3] l[2,2]={0,1,2,-1} f[2,1,2] -> f[2,3]" REPLACE,
		    (const void *[]){ square, updates }, out);
	check_floats(out, want, 6);
	run_scatter("(1 2),(),(0 1),0,,1 f[2,3] l[2,2] f[2,1,2] -> f[2,3]" REPLACE,
		    (const void *[]){ square, turned, updates }, out);
	check_floats(out, want, 6);
}

/* Columns: the windows are the first dimension of the updates, and the last one has the indices. */
static void test_columns(void **state)
{
	static const int32_t column[] = { 2, 0 };
	static const float updates[] = { 10, 20, 30, 40 }, want[] = { 20, 2, 10, 40, 5, 30 };
	float out[6];

	run_scatter("(0),(1),(1),1,,1 f[2,3] i[2] f[2,2] -> f[2,3]" REPLACE,
		    (const void *[]){ square, column, updates }, out);
	check_floats(out, want, 6);
}

/* Sums of stored numbers lose the bits that they have no place for, whatever the scales are. */
static void test_bytes(void **state)
{
	static const int8_t in[] = { 100, -100, 7 }, updates[] = { 100, -100, 1 };
	static const int8_t want[] = { -56, 56, 8 };
	int8_t out[3];

	run_scatter("(),(0),(0),1,,1 a[3]*0.5 i[3,1]={0,1,2} a[3]*0.25 -> a[3]*2|"
		    "STABLEHLO_ADD a a -> a", (const void *[]){ in, updates }, out);
	assert_memory_equal(out, want, sizeof(want));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows),
		cmocka_unit_test(test_windows),
		cmocka_unit_test(test_columns),
		cmocka_unit_test(test_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
