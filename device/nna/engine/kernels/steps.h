/* SPDX-License-Identifier: MIT */
/*
 * The operations of ROWS on arrays of numbers, a register at a time. They round as the scalar
 * kernel does, except EXP, LOGISTIC, TANH, ELU and ERF. hw/nna.toml allows an error for these five,
 * so they are computed in fp32. For EXP, LOGISTIC, TANH and ELU this takes a quarter of the time.
 */
#ifndef NNADEV_STEPS_H
#define NNADEV_STEPS_H

#include "device/nna/engine/simd/simd.h"

/*
 * Return: e^r - 1, by a polynomial with an error of 2^-23, where x = *k * ln(2) + r and r is at
 * most ln(2) / 2.
 */
static inline nnadev_floats nnadev_floats_expm1_reduced(nnadev_floats x, nnadev_floats *k)
{
	static const float factors[] = { 1.3981999507e-3f, 8.3334519073e-3f, 4.1665795894e-2f,
					 1.6666665459e-1f, 5.0000001201e-1f };
	nnadev_floats r, y = nnadev_floats_of(1.9875691500e-4f);

	*k = nnadev_floats_round(nnadev_floats_mul(x, nnadev_floats_of(1.44269504f)));
	r = nnadev_floats_fma(*k, nnadev_floats_of(-0.693359375f), x);
	r = nnadev_floats_fma(*k, nnadev_floats_of(2.12194440e-4f), r);
	for (uint32_t i = 0; i < 5; i++)
		y = nnadev_floats_fma(y, r, nnadev_floats_of(factors[i]));
	return nnadev_floats_fma(y, nnadev_floats_mul(r, r), r);
}

/*
 * e^x, where @x is not a NaN. The result is infinity at the upper limit of @x and above. Results
 * less than 2^-126 become 0, because arithmetic on such numbers takes many times as long.
 */
static inline nnadev_floats nnadev_floats_exp_number(nnadev_floats x)
{
	nnadev_floats k, y;

	y = nnadev_floats_expm1_reduced(nnadev_floats_limit(x, -87.33f, 89), &k);
	y = nnadev_floats_scale(nnadev_floats_add(y, nnadev_floats_of(1)), k);
	return nnadev_floats_select(y, nnadev_floats_zero(),
				    nnadev_floats_less(x, nnadev_floats_of(-87.337f)));
}

static inline nnadev_floats nnadev_floats_exp(nnadev_floats x)
{
	return nnadev_floats_keep_nan(nnadev_floats_exp_number(x), x);
}

/* e^x - 1, for |x| < 60. */
static inline nnadev_floats nnadev_floats_expm1(nnadev_floats x)
{
	const nnadev_floats one = nnadev_floats_of(1);
	nnadev_floats k, power, y = nnadev_floats_expm1_reduced(x, &k);

	power = nnadev_floats_scale(one, k);
	return nnadev_floats_fma(power, y, nnadev_floats_sub(power, one));
}

static inline nnadev_floats nnadev_floats_logistic(nnadev_floats x)
{
	const nnadev_floats one = nnadev_floats_of(1);
	const nnadev_floats e = nnadev_floats_exp(nnadev_floats_xor(x, nnadev_floats_of(-0.0f)));

	return nnadev_floats_div(one, nnadev_floats_add(one, e));
}

/* From 10 on it is 1. A 0 keeps its sign. */
static inline nnadev_floats nnadev_floats_tanh(nnadev_floats x)
{
	const nnadev_floats most = nnadev_floats_limit(x, -11, 11);
	const nnadev_floats e = nnadev_floats_expm1(nnadev_floats_add(most, most));
	const nnadev_floats y = nnadev_floats_div(e, nnadev_floats_add(e, nnadev_floats_of(2)));

	const nnadev_floats zero = nnadev_floats_zero();

	return nnadev_floats_select(
		y, x, nnadev_lanes_or(nnadev_floats_equal(x, zero), nnadev_floats_is_nan(x)));
}

/* x >= 0 ? x : alpha * (e^x - 1) */
static inline nnadev_floats nnadev_floats_elu(nnadev_floats x, nnadev_floats alpha)
{
	const nnadev_floats y = nnadev_floats_mul(
		alpha, nnadev_floats_expm1(nnadev_floats_limit(x, -50, 50)));

	return nnadev_floats_select(x, y, nnadev_floats_less(x, nnadev_floats_zero()));
}

/*
 * 1 - e^(-x^2) * polynomial of 1 / (1 + 0.3275911 |x|) with the sign of x, which is off by 1.5e-7
 * at most (Abramowitz and Stegun, 7.1.26).
 */
static inline nnadev_floats nnadev_floats_erf(nnadev_floats x)
{
	static const float factors[] = { -1.453152027f, 1.421413741f, -0.284496736f,
					 0.254829592f };
	const nnadev_floats one = nnadev_floats_of(1), sign = nnadev_floats_of(-0.0f);
	const nnadev_floats size = nnadev_floats_xor(x, nnadev_floats_and(x, sign));
	const nnadev_floats square = nnadev_floats_mul(x, x);
	const nnadev_floats e = nnadev_floats_exp_number(nnadev_floats_xor(square, sign));
	const nnadev_floats k = nnadev_floats_div(
		one, nnadev_floats_fma(size, nnadev_floats_of(0.3275911f), one));
	nnadev_floats y = nnadev_floats_of(1.061405429f);

	for (uint32_t i = 0; i < 4; i++)
		y = nnadev_floats_fma(y, k, nnadev_floats_of(factors[i]));
	y = nnadev_floats_sub(one, nnadev_floats_mul(nnadev_floats_mul(y, k), e));
	y = nnadev_floats_or(y, nnadev_floats_and(x, sign));
	return nnadev_floats_keep_nan(y, x);
}

/* As nnadev_round_whole(). */
static inline nnadev_floats nnadev_floats_round_whole(nnadev_floats x)
{
	const nnadev_floats zero = nnadev_floats_zero(),
			    half = nnadev_floats_of(0x1.fffffep-2f);
	const nnadev_floats own = nnadev_floats_and(x, nnadev_floats_of(-0.0f));
	nnadev_floats whole =
		nnadev_floats_truncate(nnadev_floats_add(x, nnadev_floats_or(half, own)));

	whole = nnadev_floats_select(whole, zero, nnadev_floats_is_nan(x));
	/* The sum turns -0 into 0. */
	return nnadev_floats_add(zero, whole);
}

/**
 * struct nnadev_numbers - an argument
 * @first: its numbers, a register or a multiple of that
 * @mask: all ones; 0: a register of numbers that repeat
 */
struct nnadev_numbers {
	const float *first;
	uint32_t mask;
};

/* True if nnadev_step_compute() knows an operation. */
static inline bool nnadev_step_is_known(uint32_t op)
{
	switch (op) {
	case NNAHW_EWISE_POW:
	case NNAHW_EWISE_LOG:
	case NNAHW_EWISE_SIN:
	case NNAHW_EWISE_COS:
	case NNAHW_EWISE_FLOOR_MOD:
		return false;
	default:
		return true;
	}
}

/* The register at @i of argument @k. */
#define GET(k) nnadev_floats_load(x[k].first + (i & x[k].mask))
#define EACH1(expression)                                                                         \
	do {                                                                                       \
		for (uint32_t i = 0; i < n; i += NNADEV_FLOATS) {                                  \
			const nnadev_floats a = GET(0);                                            \
												   \
			nnadev_floats_store(to + i, (expression));                                 \
		}                                                                                  \
	} while (0)
#define EACH2(expression)                                                                          \
	do {                                                                                       \
		for (uint32_t i = 0; i < n; i += NNADEV_FLOATS) {                                  \
			const nnadev_floats a = GET(0), b = GET(1);                                \
												   \
			nnadev_floats_store(to + i, (expression));                                 \
		}                                                                                  \
	} while (0)
/* 1 where @lanes has a lane, else 0. */
#define TRUTH(lanes) nnadev_floats_select(zero, one, lanes)
#define IS_TRUE(v) nnadev_floats_differ(v, zero)

/*
 * to = operation of the arguments @x; @n numbers, rounded up to a register. @to may be one of the
 * arguments. @number: parameter of the operation.
 */
static inline void nnadev_step_compute(uint32_t op, float number, float *to,
				       const struct nnadev_numbers *x, uint32_t n)
{
	const nnadev_floats zero = nnadev_floats_zero(), one = nnadev_floats_of(1),
			    sign = nnadev_floats_of(-0.0f), p0 = nnadev_floats_of(number);

	switch (op) {
	case NNAHW_EWISE_ADD:
		EACH2(nnadev_floats_add(a, b));
		break;
	case NNAHW_EWISE_SUB:
		EACH2(nnadev_floats_sub(a, b));
		break;
	case NNAHW_EWISE_MUL:
		EACH2(nnadev_floats_mul(a, b));
		break;
	case NNAHW_EWISE_DIV:
		EACH2(nnadev_floats_div(a, b));
		break;
	case NNAHW_EWISE_MAXIMUM:
		EACH2(nnadev_floats_select(b, a,
					   nnadev_lanes_or(nnadev_floats_less(b, a),
							   nnadev_floats_is_nan(a))));
		break;
	case NNAHW_EWISE_MINIMUM:
		EACH2(nnadev_floats_select(b, a,
					   nnadev_lanes_or(nnadev_floats_less(a, b),
							   nnadev_floats_is_nan(a))));
		break;
	case NNAHW_EWISE_EQUAL:
		EACH2(TRUTH(nnadev_floats_equal(a, b)));
		break;
	case NNAHW_EWISE_NOT_EQUAL:
		EACH2(TRUTH(nnadev_floats_differ(a, b)));
		break;
	case NNAHW_EWISE_LESS:
		EACH2(TRUTH(nnadev_floats_less(a, b)));
		break;
	case NNAHW_EWISE_LESS_EQUAL:
		EACH2(TRUTH(nnadev_floats_at_most(a, b)));
		break;
	case NNAHW_EWISE_GREATER:
		EACH2(TRUTH(nnadev_floats_less(b, a)));
		break;
	case NNAHW_EWISE_GREATER_EQUAL:
		EACH2(TRUTH(nnadev_floats_at_most(b, a)));
		break;
	case NNAHW_EWISE_LOGICAL_AND:
		EACH2(TRUTH(nnadev_lanes_and(IS_TRUE(a), IS_TRUE(b))));
		break;
	case NNAHW_EWISE_LOGICAL_OR:
		EACH2(TRUTH(nnadev_lanes_or(IS_TRUE(a), IS_TRUE(b))));
		break;
	case NNAHW_EWISE_LOGICAL_NOT:
		EACH1(TRUTH(nnadev_floats_equal(a, zero)));
		break;
	case NNAHW_EWISE_SELECT:
		EACH2(nnadev_floats_select(GET(2), b, IS_TRUE(a)));
		break;
	case NNAHW_EWISE_PRELU:
		EACH2(nnadev_floats_select(nnadev_floats_mul(a, b), a,
					   nnadev_floats_at_most(zero, a)));
		break;
	case NNAHW_EWISE_ABS:
		EACH1(nnadev_floats_and(a, nnadev_floats_of(nnadev_bits_float(0x7fffffff))));
		break;
	case NNAHW_EWISE_NEG:
		EACH1(nnadev_floats_xor(sign, a));
		break;
	case NNAHW_EWISE_SQRT:
		EACH1(nnadev_floats_sqrt(a));
		break;
	case NNAHW_EWISE_RSQRT:
		EACH1(nnadev_floats_div(one, nnadev_floats_sqrt(a)));
		break;
	case NNAHW_EWISE_FLOOR:
		EACH1(nnadev_floats_floor(a));
		break;
	case NNAHW_EWISE_FLOOR_DIV:
		EACH2(nnadev_floats_floor(nnadev_floats_div(a, b)));
		break;
	case NNAHW_EWISE_HARD_SWISH:
		EACH1(nnadev_floats_div(
			nnadev_floats_mul(a, nnadev_floats_clamp(
						     nnadev_floats_add(a, nnadev_floats_of(3)),
						     zero, nnadev_floats_of(6))),
			nnadev_floats_of(6)));
		break;
	case NNAHW_EWISE_LEAKY_RELU:
		EACH1(nnadev_floats_select(nnadev_floats_mul(p0, a), a,
					   nnadev_floats_at_most(zero, a)));
		break;
	case NNAHW_EWISE_SQUARED_DIFFERENCE:
		EACH2(nnadev_floats_mul(nnadev_floats_sub(a, b), nnadev_floats_sub(a, b)));
		break;
	case NNAHW_EWISE_MUL_ADD:
		EACH2(nnadev_floats_add(nnadev_floats_mul(a, b), GET(2)));
		break;
	case NNAHW_EWISE_EXP:
		EACH1(nnadev_floats_exp(a));
		break;
	case NNAHW_EWISE_TANH:
		EACH1(nnadev_floats_tanh(a));
		break;
	case NNAHW_EWISE_LOGISTIC:
		EACH1(nnadev_floats_logistic(a));
		break;
	case NNAHW_EWISE_ELU:
		EACH1(nnadev_floats_elu(a, p0));
		break;
	case NNAHW_EWISE_ERF:
		EACH1(nnadev_floats_erf(a));
		break;
	case NNAHW_ROW_ROUND:
		EACH1(nnadev_floats_round_whole(a));
		break;
	default: /* IDENTITY */
		if (to != x[0].first)
			EACH1(a);
		break;
	}
}

#undef GET
#undef EACH1
#undef EACH2
#undef TRUTH
#undef IS_TRUE

/* Return: the sum of @n numbers, in partial sums of fp64. */
static inline double nnadev_row_sum(const float *x, uint32_t n)
{
	nnadev_sums sums = nnadev_sums_zero();
	uint32_t i = 0;

	for (; i + NNADEV_FLOATS <= n; i += NNADEV_FLOATS)
		nnadev_sums_add(&sums, nnadev_floats_load(x + i));
	if (i < n)
		nnadev_sums_add(&sums, nnadev_floats_load_or(x + i, n - i, nnadev_floats_zero()));
	return nnadev_sums_total(&sums);
}

/* Return: the largest (@sign 0) or smallest (@sign -0) of @n numbers; a NaN if there is one. */
static inline float nnadev_row_extreme(const float *x, uint32_t n, float sign)
{
	const nnadev_floats flip = nnadev_floats_of(sign);
	nnadev_floats most = nnadev_floats_xor(nnadev_floats_of(x[0]), flip), v;
	nnadev_lanes odd = nnadev_floats_is_nan(most);
	uint32_t i = 0;

	for (; i < n; i += NNADEV_FLOATS) {
		if (i + NNADEV_FLOATS <= n)
			v = nnadev_floats_load(x + i);
		else
			v = nnadev_floats_load_or(x + i, n - i, nnadev_floats_of(x[0]));
		v = nnadev_floats_xor(v, flip);
		odd = nnadev_lanes_or(odd, nnadev_floats_is_nan(v));
		most = nnadev_floats_max(v, most);
	}
	if (nnadev_lanes_any(odd))
		return __builtin_nanf("");
	return nnadev_bits_float(nnadev_float_bits(nnadev_floats_largest(most)) ^
				 nnadev_float_bits(sign));
}

#endif
