// SPDX-License-Identifier: MIT
/*
 * The engine's functions on fp32 against libm in double precision, and binary16 against its
 * definition.
 */
#include "tests/unit/device/nna/engine/engine.h"

#include "device/nna/engine/math.h"

/* Distance in units of the last place of the fp32 nearest to `exact`. */
static double ulps(float got, double exact)
{
	float nearest = (float)exact;
	int e;

	if (isnan(exact))
		return isnan(got) ? 0 : 1e9;
	if (isinf(nearest) || isinf(got))
		return got == nearest ? 0 : 1e9;
	frexp(exact, &e);
	e = e < -125 ? -125 : e;
	return fabs((double)got - exact) / ldexp(1, e - 24);
}

struct function {
	const char *name;
	float (*ours)(float);
	double (*exact)(double);
};

static double logistic(double x)
{
	return 1 / (1 + exp(-x));
}

static void test_functions(void **state)
{
	static const struct function functions[] = {
		{ "exp", nnadev_expf, exp },
		{ "expm1", nnadev_expm1f, expm1 },
		{ "log", nnadev_logf, log },
		{ "sin", nnadev_sinf, sin },
		{ "cos", nnadev_cosf, cos },
		{ "tanh", nnadev_tanhf, tanh },
		{ "logistic", nnadev_logisticf, logistic },
		{ "erf", nnadev_erff, erf },
		{ "sqrt", nnadev_sqrtf, sqrt },
		{ "floor", nnadev_floorf, floor },
	};
	struct rng r = { 1 };

	for (size_t f = 0; f < sizeof(functions) / sizeof(functions[0]); f++) {
		double worst = 0;

		for (int i = 0; i < 400000; i++) {
			/* all bit patterns, and the range where functions do something */
			float x = i & 1 ? nnadev_bits_float((uint32_t)rng_next(&r))
					: rng_float(&r, -100, 100),
			      y;
			double d;

			if (i < 64)
				x = ldexpf((i & 1 ? -1.f : 1.f) * (float)(i / 2), i % 7 - 3);
			y = functions[f].ours(x);
			d = ulps(y, functions[f].exact(x));
			if (d > 0.501) /* rounding once from double */
				fail_msg("%s(%a) = %a, %f ulp", functions[f].name, (double)x,
					 (double)y, d);
			worst = d > worst ? d : worst;
		}
		print_message("%s: within %.4f ulp\n", functions[f].name, worst);
	}
}

static void test_pow(void **state)
{
	static const float special[] = {
		0.0f,	    -0.0f,	    1,		-1,	   2,	-2,    3,      -3,
		0.5f,	    -0.5f,	    INFINITY,	-INFINITY, NAN, 1e38f, -1e38f, 1e-40f,
		16777216.f, 16777217.f * 2, 0.99999994f
	};
	struct rng r = { 2 };

	for (size_t i = 0; i < sizeof(special) / 4; i++)
		for (size_t k = 0; k < sizeof(special) / 4; k++) {
			float y = nnadev_powf(special[i], special[k]);

			if (ulps(y, pow((double)special[i], (double)special[k])) > 0.501)
				fail_msg("pow(%a, %a) = %a", (double)special[i], (double)special[k],
					 (double)y);
		}
	for (int i = 0; i < 400000; i++) {
		float a = i & 1 ? nnadev_bits_float((uint32_t)rng_next(&r)) : rng_float(&r, 0, 8);
		float b = i & 2 ? nnadev_bits_float((uint32_t)rng_next(&r)) :
				  rng_float(&r, -20, 20);
		float y = nnadev_powf(a, i & 4 ? b : roundf(b));
		double exact = pow((double)a, (double)(i & 4 ? b : roundf(b)));

		if (ulps(y, exact) > 0.501)
			fail_msg("pow(%a, %a) = %a, not %a", (double)a, (double)b, (double)y,
				 exact);
	}
}

static void test_fmod(void **state)
{
	static const float special[] = {
		0.0f, -0.0f, 1, -1, 0.5f, 3, -3, INFINITY, -INFINITY, NAN, 3.4e38f, -3.4e38f,
		0x1p-149f, -0x1p-149f, 0x1.fffffep-127f, 0x1p-126f, 16777215.f, 0.99999994f
	};
	const size_t count = sizeof(special) / sizeof(special[0]);
	struct rng r = { 4 };

	for (size_t i = 0; i < count * count + 400000; i++) {
		const bool listed = i < count * count;
		const float a = listed ? special[i / count] :
					 nnadev_bits_float((uint32_t)rng_next(&r)),
			    b = listed	? special[i % count] :
				i & 1 ? nnadev_bits_float((uint32_t)rng_next(&r)) :
					  nnadev_bits_float(nnadev_float_bits(a) -
							    ((uint32_t)rng_next(&r) & 0x7ffffffu)),
			    y = nnadev_fmodf(a, b), want = fmodf(a, b);

		if (isnan(want) ? !isnan(y) : nnadev_float_bits(y) != nnadev_float_bits(want))
			fail_msg("fmod(%a, %a) = %a, not %a", (double)a, (double)b, (double)y,
				 (double)want);
	}
}

static void test_half(void **state)
{
	struct rng r = { 3 };

	for (uint32_t h = 0; h < 65536; h++) {
		double d = half_to_double((uint16_t)h);
		float f = nnadev_half_to_float((uint16_t)h);

		if (isnan(d)) {
			assert_true(isnan(f) &&
				    isnan(nnadev_half_to_float(nnadev_float_to_half(f))));
			continue;
		}
		assert_true((double)f == d && !signbit(f) == !signbit(d));
		assert_int_equal(nnadev_float_to_half(f), h);
	}
	for (int i = 0; i < 2000000; i++) {
		/* nearest of all: no neighbour is nearer, and of two as near the even one */
		float f = i & 1 ? rng_float(&r, -70000, 70000)
				: nnadev_bits_float((uint32_t)rng_next(&r));
		uint16_t h = nnadev_float_to_half(f);
		double d = half_to_double(h), error, up, down;

		if (isnan(f) || fabsf(f) >= 65520) {
			assert_true(isnan(f) ? isnan(d) : isinf(d));
			continue;
		}
		assert_true(!signbit(f) == !signbit(d) || f == 0);
		error = fabs(d - (double)f);
		up = (h & 0x7fff) == 0x7bff ? 65536
					    : fabs(half_to_double((uint16_t)((h & 0x7fff) + 1)));
		up = fabs(up - fabs((double)f));
		down = h & 0x7fff ? fabs(fabs(half_to_double((uint16_t)((h & 0x7fff) - 1))) -
					 fabs((double)f))
				  : 1e9;
		assert_true(error <= up && error <= down &&
			    ((error < up && error < down) || !(h & 1)));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_functions),
		cmocka_unit_test(test_pow),
		cmocka_unit_test(test_fmod),
		cmocka_unit_test(test_half),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
