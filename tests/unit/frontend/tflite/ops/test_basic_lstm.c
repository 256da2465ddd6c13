// SPDX-License-Identifier: MIT
/* A step of the basic LSTM, on the loopback, against the formula. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "libnnaccel/support/fixed_function.h"
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

/* ------------------------------------------------------------------------------- whole numbers */

#define ZERO 128

static int32_t saturated(int64_t x)
{
	return x < INT16_MIN ? INT16_MIN : x > INT16_MAX ? INT16_MAX : (int32_t)x;
}

/* Products of numbers with 15 bits behind the point: halves up. */
static int32_t times(int32_t a, int32_t b)
{
	return (a * b + (1 << 14)) >> 15;
}

static int32_t halved(int32_t x, int bits)
{
	return (x + (1 << (bits - 1)) - (x < 0)) >> bits;
}

static int32_t gate(bool tangent, int32_t x)
{
	return nna_fixed_evaluate(tangent ? NNA_FIXED_TANH : NNA_FIXED_LOGISTIC, 3, (int16_t)x);
}

/* @sum times 2^@exponent: half of it, and what is left of the factor; halves up both times. */
static int32_t scaled(int32_t sum, int exponent)
{
	int left = exponent + 1 > 0 ? exponent + 1 : 0, right = left - exponent - 1;
	int64_t half = ((int64_t)sum * (1 << left) + 1) >> 1;

	return saturated(right ? (half + (1 << (right - 1))) >> right : half);
}

/* One input and one unit; the weights have a zero point of 100, the bias a scale of 2^@bits. */
static void check_whole(uint8_t x, uint8_t h, int16_t c, int bits)
{
	static const int32_t rows[4][2] = { { 7, -100 }, { 155, 3 }, { -1, 60 }, { 99, -77 } };
	static const int32_t bias[4] = { 1001, -2003, 77, 9 };
	struct writer *w = calloc(1, sizeof(*w));
	uint8_t out[1], beside[2];
	int32_t sums[4], cell, last;
	int16_t state[1], gates[4];
	char text[256];

	assert_non_null(w);
	snprintf(text, sizeof(text), "LSTM@14:4,0.0,0.0,1 u[1,1]*0.0078125+128 "
		 "u[1,1]*0.0078125+128 u[4,2]={107,0,255,103,99,160,199,23}*0.5+100 "
		 "i[4]={1001,-2003,77,9}*%.9g w[1,1]*0.00048828125 -> u[1,1]*0.0078125+128 "
		 "w[1,1]*0.00048828125 u[1,2]*0.0078125+128 w[1,4]*0.000244140625",
		 ldexp(1, bits));
	write_text(w, text);
	run_written(w, 0, (const void *[]){ &x, &h, &c }, (void *[]){ out, state, beside, gates },
		    1);
	free(w);
	assert_int_equal(beside[0], x);
	assert_int_equal(beside[1], h);
	for (int g = 0; g < 4; g++) {
		sums[g] = scaled(bias[g] + rows[g][0] * (x - ZERO) + rows[g][1] * (h - ZERO),
				 12 + bits);
		assert_int_equal(gates[g], sums[g]);
	}
	cell = saturated(halved(times(gate(false, sums[0]), gate(true, sums[1])), 4) +
			 times(gate(false, sums[2]), c));
	assert_int_equal(state[0], cell);
	last = halved(times(gate(false, sums[3]), gate(true, saturated(2 * cell))), 8);
	assert_int_equal(out[0], ZERO + (last < ZERO ? last : ZERO - 1));
}

static void test_whole_numbers(void **state)
{
	for (int i = 0; i < 24; i++) {
		uint8_t x = (uint8_t)(i * 77 + 3), h = (uint8_t)(i * 131);
		int16_t c = (int16_t)(i * 5077 - 32768);

		check_whole(x, h, c, -8);
		check_whole(x, h, c, -13);
		check_whole(x, h, c, -15);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_step),
		cmocka_unit_test(test_whole_numbers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
