// SPDX-License-Identifier: MIT
/* Numbers between the elements of a tensor and around them, on the loopback. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/frontend/tflite/model_text.h"
#include "tests/unit/frontend/tflite/one_operator.h"

static const float square[] = { 1, 2, 3, 4, 5, 6 };

static void run_padded(const char *text, const void *const *in, void *out)
{
	struct writer *w = calloc(1, sizeof(*w));

	assert_non_null(w);
	write_text(w, text);
	run_written(w, 0, in, (void *[]){ out }, 1);
	free(w);
}

static void check(const char *text, const float *want, uint32_t count)
{
	float out[64];

	assert_true(count <= 64);
	run_padded(text, (const void *[]){ square }, out);
	check_floats(out, want, count);
}

static void test_dilate(void **state)
{
	check("DILATE f[2,3] i[2]={2,3} f={9} -> f[3,7]", (const float[]){
		1, 9, 9, 2, 9, 9, 3,
		9, 9, 9, 9, 9, 9, 9,
		4, 9, 9, 5, 9, 9, 6 }, 21);
	/* The shape follows where the file leaves it open. */
	check("DILATE f[2,3]~ i[2]={3,1} f={0} -> f[1,1]~", (const float[]){
		1, 2, 3, 0, 0, 0, 0, 0, 0, 4, 5, 6 }, 12);
}

/* An input is what the tensor is padded with. */
static void test_number_of_a_run(void **state)
{
	static const int8_t in[] = { -1, 2 }, pad[] = { -128 }, want[] = { -128, -1, -128, 2 };
	int8_t out[4];

	run_padded("STABLEHLO_PAD@138:(1),(0),(1) a[2]*0.5 a*0.25 -> a[4]*0.5",
	    (const void *[]){ in, pad }, out);
	assert_memory_equal(out, want, sizeof(want));
}

static void test_pad(void **state)
{
	check("STABLEHLO_PAD@138:(1 0),(0 2),(0 1) f[2,3] f={9} -> f[3,7]", (const float[]){
		9, 9, 9, 9, 9, 9, 9,
		1, 9, 2, 9, 3, 9, 9,
		4, 9, 5, 9, 6, 9, 9 }, 21);
	/* What is taken away counts the numbers between the elements. */
	check("STABLEHLO_PAD@138:(-1 -2),(0 -1),(2 1) f[2,3] f={9} -> f[3,2]", (const float[]){
		9, 9, 9, 9, 5, 9 }, 6);
	/* One element has no neighbour, however far it would be. */
	check("STABLEHLO_PAD@138:(0 1),(0 0),(2147483646 0) f[1,6] f={9} -> f[1,7]",
	      (const float[]){ 9, 1, 2, 3, 4, 5, 6 }, 7);
	/* No element is left. */
	check("STABLEHLO_PAD@138:(-2 0),(1 0),(0 0) f[2,3] f={9} -> f[1,3]~", (const float[]){
		9, 9, 9 }, 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_dilate),
		cmocka_unit_test(test_number_of_a_run),
		cmocka_unit_test(test_pad),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
