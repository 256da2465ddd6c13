// SPDX-License-Identifier: MIT
/* The 16-bit functions of quantised LSTMs against the functions of real numbers. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "libnnaccel/support/fixed_function.h"

/* How far off fixed-point arithmetic may be, in 1/32768. */
#define TANH_OFF 13
#define LOGISTIC_OFF 7

static void test_everywhere(void **state)
{
	for (uint32_t bits = 0; bits <= 6; bits++) {
		for (int32_t raw = INT16_MIN; raw <= INT16_MAX; raw++) {
			double x = ldexp(raw, (int)bits - 15);
			double t = 32768 * tanh(x) -
				   nna_fixed_evaluate(NNA_FIXED_TANH, bits, (int16_t)raw);
			double l = 32768 / (1 + exp(-x)) -
				   nna_fixed_evaluate(NNA_FIXED_LOGISTIC, bits, (int16_t)raw);

			if (fabs(t) > TANH_OFF || fabs(l) > LOGISTIC_OFF)
				fail_msg("%u integer bits, %g: tanh is off by %g, logistic by %g",
					 bits, x, t, l);
		}
	}
}

static void test_tanh_is_odd(void **state)
{
	for (uint32_t bits = 0; bits <= 6; bits++) {
		for (int32_t raw = 1; raw <= INT16_MAX; raw += 7)
			assert_int_equal(nna_fixed_evaluate(NNA_FIXED_TANH, bits, (int16_t)raw),
					 -nna_fixed_evaluate(NNA_FIXED_TANH, bits, (int16_t)-raw));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_everywhere),
		cmocka_unit_test(test_tanh_is_odd),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
