// SPDX-License-Identifier: MIT
/*
 * Elementary functions: argument reduction and a Taylor polynomial in double, one rounding to fp32.
 */
#include "device/nna/engine/math.h"

#include <stdbool.h>

/* c[0] + c[1] x + ... */
static double polynomial(double x, const double *c, int n)
{
	double y = c[--n];

	while (n > 0)
		y = y * x + c[--n];
	return y;
}

static double power_of_two(int k)
{
	uint64_t u = (uint64_t)(k + 1023) << 52;
	double d;

	memcpy(&d, &u, sizeof(d));
	return d;
}

/* Return: e^r - 1; *scale = 2^k, with x = k ln 2 + r, |r| <= ln 2 / 2. Requires |x| < 700. */
static double expm1_reduced(double x, double *scale)
{
	int k = (int)(x * NNADEV_LOG2_E + (x < 0 ? -0.5 : 0.5));
	double r = (x - k * NNADEV_LN2_HIGH) - k * NNADEV_LN2_LOW;

	*scale = power_of_two(k);
	return r * polynomial(r, NNADEV_EXPM1, NNADEV_EXPM1_TERMS);
}

static double expm1_double(double x)
{
	double scale, y = expm1_reduced(x, &scale);

	return scale * y + (scale - 1);
}

static double exp_double(double x)
{
	double scale, y = expm1_reduced(x, &scale);

	return scale * y + scale;
}

/*
 * With x = 2^k m, m in [sqrt(1/2), sqrt(2)]: log m = 2 artanh((m - 1) / (m + 1)). Requires a
 * positive and normal x.
 */
static double log_double(double x)
{
	static const double c[] = {
		2.0,	  2.0 / 3,  2.0 / 5,  2.0 / 7,	2.0 / 9,  2.0 / 11,
		2.0 / 13, 2.0 / 15, 2.0 / 17, 2.0 / 19, 2.0 / 21,
	};
	uint64_t u;
	double m, s;
	int k;

	memcpy(&u, &x, sizeof(u));
	k = (int)(u >> 52) - 1023;
	u = (u & 0xfffffffffffffull) | 0x3ff0000000000000ull;
	memcpy(&m, &u, sizeof(m));
	if (m > 0x1.6a09e667f3bcdp0) {
		m *= 0.5;
		k++;
	}
	s = (m - 1) / (m + 1);
	return k * NNADEV_LN2_HIGH + (s * polynomial(s * s, c, 11) + k * NNADEV_LN2_LOW);
}

double nnadev_exp(double x)
{
	return x < -700 ? 0 : exp_double(x);
}

float nnadev_expf(float x)
{
	if (x != x)
		return x;
	if (x > 89)
		return __builtin_inff();
	return x < -105 ? 0 : (float)exp_double(x);
}

float nnadev_expm1f(float x)
{
	if (x != x || x == 0)
		return x;
	if (x > 89)
		return __builtin_inff();
	return x < -105 ? -1 : (float)expm1_double(x);
}

float nnadev_logf(float x)
{
	if (x != x || x < 0)
		return __builtin_nanf("");
	if (x == 0)
		return -__builtin_inff();
	return x == __builtin_inff() ? x : (float)log_double(x);
}

float nnadev_tanhf(float x)
{
	double e;

	if (x != x || x == 0)
		return x;
	if (x > 10 || x < -10)
		return x > 0 ? 1 : -1;
	e = expm1_double(2 * (double)x);
	return (float)(e / (e + 2));
}

float nnadev_logisticf(float x)
{
	if (x != x)
		return x;
	if (x > 40)
		return 1;
	return x < -110 ? 0 : (float)(1 / (1 + exp_double(-(double)x)));
}

/* 2 / sqrt(pi) * e^(-x^2) * (x + 2/3 x^3 + 4/15 x^5 + ...), terms of one sign. */
float nnadev_erff(float x)
{
	const double square = 2 * (double)x * x;
	double term = x, sum = x;

	if (x != x || x == 0)
		return x;
	if (x > 4 || x < -4)
		return x > 0 ? 1 : -1;
	/* For 4 as for 0 the rest is less than 2^-30. */
	for (int k = 3; k < 161; k += 2) {
		term *= square / k;
		sum += term;
	}
	return (float)(0x1.20dd750429b6dp0 * exp_double(square * -0.5) * sum);
}

float nnadev_powf(float x, float y)
{
	bool integer = nnadev_floorf(y) == y, odd, negative;
	float half = y * 0.5f, inf = __builtin_inff();
	double a, e;

	if (y == 0 || x == 1)
		return 1;
	if (x != x || y != y)
		return __builtin_nanf("");
	odd = integer && nnadev_floorf(half) != half;
	negative = nnadev_float_bits(x) >> 31 && odd;
	if (x == 0 || x == inf || x == -inf)
		return ((x == 0) == (y > 0) ? 0.0f : inf) * (negative ? -1.0f : 1.0f);
	a = x < 0 ? -(double)x : x;
	if (y == inf || y == -inf)
		return a == 1 ? 1 : (a > 1) == (y > 0) ? inf : 0;
	if (x < 0 && !integer)
		return __builtin_nanf("");
	e = y * log_double(a);
	e = e > 100 ? 100 : e < -150 ? -150 : e;
	return (float)(negative ? -exp_double(e) : exp_double(e));
}

/* The bits of 2 / pi after the binary point. */
static const uint32_t TWO_OVER_PI[] = {
	0xa2f9836e, 0x4e441529, 0xfc2757d1, 0xf534ddc0,
	0xdb629599, 0x3c439041, 0xfe5163ab, 0xdebbc561,
};

/*
 * Return: r with x = quadrant * pi/2 + r, |r| <= pi/4. The quadrant is modulo 4. Requires a finite
 * x.
 */
static double reduce_quadrant(float x, unsigned int *quadrant)
{
	__extension__ typedef unsigned __int128 u128;
	uint32_t u = nnadev_float_bits(x);
	int e = (int)(u >> 23 & 255) - 150, first;
	uint64_t fraction;
	double r;
	u128 w = 0;

	/*
	 * |x| < 2^25: pi / 2 is split into three parts whose products with integers below 2^25 are
	 * exact.
	 */
	if (e < 2) {
		int k = (int)(x * 0x1.45f306dc9c883p-1 + (x < 0 ? -0.5 : 0.5));

		*quadrant = (unsigned int)k & 3;
		return ((x - k * 0x1.921fb50000000p0) - k * 0x1.110b460000000p-26) -
		       k * 0x1.1a62633145c07p-54;
	}
	/* The bits of 2/pi before word @first add multiples of 4 alone. */
	first = (e - 2) / 32;
	for (int i = 0; i < 4; i++)
		w = w << 32 | TWO_OVER_PI[first + i];
	w *= (u & 0x7fffffu) | 0x800000u;
	e -= 32 * first; /* 2 to 33: bits of w before the binary point */
	fraction = (uint64_t)(w << e >> 64);
	*quadrant = (unsigned int)((uint64_t)(w >> (128 - e)) + (fraction >> 63)) & 3;
	r = (double)(int64_t)fraction * (0x1p-64 * 0x1.921fb54442d18p0);
	if (u >> 31) {
		*quadrant = -*quadrant & 3;
		r = -r;
	}
	return r;
}

static float sine(float x, unsigned int quarter_turns)
{
	static const double s[] = {
		1.0,	      -1.0 / 6,	       1.0 / 120,	 -1.0 / 5040,
		1.0 / 362880, -1.0 / 39916800, 1.0 / 6227020800, -1.0 / 1307674368000,
	};
	static const double c[] = {
		1.0, -1.0 / 2, 1.0 / 24, -1.0 / 720, 1.0 / 40320, -1.0 / 3628800, 1.0 / 479001600,
		-1.0 / 87178291200,
	};
	unsigned int quadrant;
	double r, y;

	if (!(x - x == 0))
		return __builtin_nanf("");
	r = reduce_quadrant(x, &quadrant);
	quadrant = (quadrant + quarter_turns) & 3;
	y = quadrant & 1 ? polynomial(r * r, c, 8) : r * polynomial(r * r, s, 8);
	return (float)(quadrant & 2 ? -y : y);
}

float nnadev_sinf(float x)
{
	return x == 0 ? x : sine(x, 0);
}

float nnadev_cosf(float x)
{
	return sine(x, 1);
}

/* The bits of a finite number that is not 0 as mantissa * 2^(exponent - 150). */
static uint64_t split(uint32_t bits, int *exponent)
{
	const uint32_t e = bits >> 23 & 0xffu;

	*exponent = e ? (int)e : 1;
	return (bits & 0x7fffffu) | (e ? 0x800000u : 0);
}

float nnadev_fmodf(float x, float y)
{
	const uint32_t sign = nnadev_float_bits(x) & 0x80000000u,
		       a = nnadev_float_bits(x) & 0x7fffffffu,
		       b = nnadev_float_bits(y) & 0x7fffffffu;
	uint64_t rest, divisor;
	float unit;
	int e, shift;

	if (a >= 0x7f800000u || b > 0x7f800000u || !b)
		return __builtin_nanf("");
	if (a < b)
		return x;
	rest = split(a, &shift);
	divisor = split(b, &e);
	shift -= e;
	rest %= divisor;
	/* The remainder is below 2^24: 32 bits more do not leave 64. */
	for (; shift > 0; shift -= 32)
		rest = (rest << (shift < 32 ? shift : 32)) % divisor;
	unit = nnadev_bits_float(e > 23 ? (uint32_t)(e - 23) << 23 : 1u << (e - 1));
	return nnadev_bits_float(nnadev_float_bits((float)rest * unit) | sign);
}
