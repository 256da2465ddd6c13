// SPDX-License-Identifier: MIT
/* BFLOAT16 as FLOAT32: results and inputs of a model are rounded, halves to even. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "tests/unit/frontend/tflite/model_text.h"
#include "tests/unit/frontend/tflite/one_operator.h"

static void run_model(const char *model, const float *in, void *out)
{
	struct writer *w = calloc(1, sizeof(*w));
	char text[64];

	assert_non_null(w);
	snprintf(text, sizeof(text), "%s", model);
	write_text(w, text);
	run_written(w, 0, (const void *[]){ in }, (void *[]){ out }, 1);
	free(w);
}

/* Two ties, one to each side, their negatives, a number that is none, limits and NaN. */
static const float in[] = { 0x1.01p0f, 0x1.03p0f, -0x1.01p0f, -0x1.03p0f, 0x1.010002p0f,
			    0x1.fffffep127f, -INFINITY, -0.0f, 0x1p-149f, NAN };
static const float want[] = { 1, 0x1.04p0f, -1, -0x1.04p0f, 0x1.02p0f,
			      INFINITY, -INFINITY, -0.0f, 0, NAN };

static void test_result(void **state)
{
	float out[10];

	run_model("CAST f[10] -> B[10]", in, out);
	assert_memory_equal(out, want, 9 * sizeof(*want));
	assert_true(isnan(out[9]));
}

/* An input that an operator takes, and one that is a result itself. */
static void test_input(void **state)
{
	float out[10];

	run_model("CAST B[10] -> f[10]", in, out);
	assert_memory_equal(out, want, 9 * sizeof(*want));
	assert_true(isnan(out[9]));
	run_model("NEG B[10] -> B[10]; RETURN %0", in, out);
	assert_memory_equal(out, want, 9 * sizeof(*want));
	assert_true(isnan(out[9]));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_result),
		cmocka_unit_test(test_input),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
