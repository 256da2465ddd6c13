// SPDX-License-Identifier: MIT
/* A step of the basic LSTM, on the loopback, against the formula. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "tests/unit/frontend/tflite/model_text.h"
#include "tests/unit/frontend/tflite/one_operator.h"

static float logistic(float x)
{
	return 1 / (1 + expf(-x));
}

/* One unit and one input. The rows are the gates input, new input, forget and output. */
static void test_step(void **state)
{
	static const float x[] = { 0.5f }, h[] = { -2 }, c[] = { 3 };
	static const float sums[] = { 1 * 0.5f + 2 * -2 + 1, 3 * 0.5f + 1 * -2,
				      -1 * 0.5f + 1 * -2 + 2, 2 * 0.5f - 1 * -2 - 1 };
	struct writer *w = calloc(1, sizeof(*w));
	char text[] = "LSTM@14:4,0.0,0.0,1 f[1,1] f[1,1] f[4,2]={1,2,3,1,-1,1,2,-1} f[4]={1,0,2,-1} "
		      "f[1,1] -> f[1,1] f[1,1] f[1,2] f[1,4]";
	float out[1], cell[1], beside[2], gates[4], want;

	assert_non_null(w);
	write_text(w, text);
	run_written(w, 0, (const void *[]){ x, h, c }, (void *[]){ out, cell, beside, gates }, 1);
	free(w);
	check_floats(gates, sums, 4);
	check_floats(beside, (float[]){ 0.5f, -2 }, 2);
	want = logistic(sums[0]) * tanhf(sums[1]) + logistic(sums[2]) * 3;
	assert_float_equal(cell[0], want, 1e-5);
	assert_float_equal(out[0], logistic(sums[3]) * tanhf(want), 1e-5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_step),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
