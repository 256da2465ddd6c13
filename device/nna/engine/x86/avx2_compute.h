/* SPDX-License-Identifier: MIT */
/*
 * Operations of EWISE by the rule in fp32, on arrays of numbers; all round as the scalar kernel
 * does. Include only from files compiled for AVX2.
 */
#ifndef NNADEV_AVX2_COMPUTE_H
#define NNADEV_AVX2_COMPUTE_H

#include "device/nna/engine/kernels/steps.h"
#include "device/nna/engine/x86/avx2_double.h"
#include "hw/gen/nnahw.h"

/* True if nnadev_compute8() knows an operation in fp32. */
static inline bool nnadev_computes8(uint32_t op)
{
	switch (op) {
	case NNAHW_EWISE_POW:
	case NNAHW_EWISE_LOG:
	case NNAHW_EWISE_SIN:
	case NNAHW_EWISE_COS:
	case NNAHW_EWISE_CAST:
	case NNAHW_EWISE_FLOOR_MOD:
		return false;
	default:
		return true;
	}
}

/* Numbers @i to @i + 7 of argument @k. */
#define GET(k) _mm256_loadu_ps(x[k] + i)
#define EACH(expression)                                                                          \
	do {                                                                                      \
		for (uint32_t i = 0; i < n; i += 8) {                                             \
			const __m256 a = GET(0), b = GET(1);        \
												  \
			(void)b;                                                                  \
			_mm256_storeu_ps(x[0] + i, (expression));                                 \
		}                                                                                 \
	} while (0)
#define COMPARE(how) EACH(_mm256_and_ps(_mm256_cmp_ps(a, b, how), one))
#define IS(how, u, v) _mm256_cmp_ps(u, v, how)

/*
 * x[0] = operation of the arguments @x, of which all three are readable. @n numbers, rounded up
 * to 8. @number: parameter of the operation.
 */
static inline void nnadev_compute8(uint32_t op, float number, float *const *x, uint32_t n)
{
	const __m256 zero = _mm256_setzero_ps(), one = _mm256_set1_ps(1),
		     sign = _mm256_set1_ps(-0.0f);
	const __m256 p0 = _mm256_set1_ps(number), three = _mm256_set1_ps(3),
		     six = _mm256_set1_ps(6);

	switch (op) {
	case NNAHW_EWISE_ADD:
		EACH(_mm256_add_ps(a, b));
		break;
	case NNAHW_EWISE_SUB:
		EACH(_mm256_sub_ps(a, b));
		break;
	case NNAHW_EWISE_MUL:
		EACH(_mm256_mul_ps(a, b));
		break;
	case NNAHW_EWISE_DIV:
		EACH(_mm256_div_ps(a, b));
		break;
	case NNAHW_EWISE_MAXIMUM:
		EACH(nnadev_select8(b, a, _mm256_or_ps(IS(_CMP_GT_OQ, a, b),
						       IS(_CMP_UNORD_Q, a, a))));
		break;
	case NNAHW_EWISE_MINIMUM:
		EACH(nnadev_select8(b, a, _mm256_or_ps(IS(_CMP_LT_OQ, a, b),
						       IS(_CMP_UNORD_Q, a, a))));
		break;
	case NNAHW_EWISE_EQUAL:
		COMPARE(_CMP_EQ_OQ);
		break;
	case NNAHW_EWISE_NOT_EQUAL:
		COMPARE(_CMP_NEQ_UQ);
		break;
	case NNAHW_EWISE_LESS:
		COMPARE(_CMP_LT_OQ);
		break;
	case NNAHW_EWISE_LESS_EQUAL:
		COMPARE(_CMP_LE_OQ);
		break;
	case NNAHW_EWISE_GREATER:
		COMPARE(_CMP_GT_OQ);
		break;
	case NNAHW_EWISE_GREATER_EQUAL:
		COMPARE(_CMP_GE_OQ);
		break;
	case NNAHW_EWISE_LOGICAL_AND:
		EACH(_mm256_and_ps(one, _mm256_and_ps(IS(_CMP_NEQ_UQ, a, zero),
						      IS(_CMP_NEQ_UQ, b, zero))));
		break;
	case NNAHW_EWISE_LOGICAL_OR:
		EACH(_mm256_and_ps(one, _mm256_or_ps(IS(_CMP_NEQ_UQ, a, zero),
						     IS(_CMP_NEQ_UQ, b, zero))));
		break;
	case NNAHW_EWISE_LOGICAL_NOT:
		EACH(_mm256_and_ps(one, IS(_CMP_EQ_OQ, a, zero)));
		break;
	case NNAHW_EWISE_SELECT:
		EACH(nnadev_select8(GET(2), b, IS(_CMP_NEQ_UQ, a, zero)));
		break;
	case NNAHW_EWISE_PRELU:
		EACH(nnadev_select8(_mm256_mul_ps(a, b), a, IS(_CMP_GE_OQ, a, zero)));
		break;
	case NNAHW_EWISE_ABS:
		EACH(_mm256_andnot_ps(sign, a));
		break;
	case NNAHW_EWISE_NEG:
		EACH(_mm256_xor_ps(sign, a));
		break;
	case NNAHW_EWISE_SQRT:
		EACH(_mm256_sqrt_ps(a));
		break;
	case NNAHW_EWISE_RSQRT:
		EACH(_mm256_div_ps(one, _mm256_sqrt_ps(a)));
		break;
	case NNAHW_EWISE_FLOOR:
		EACH(_mm256_floor_ps(a));
		break;
	case NNAHW_EWISE_FLOOR_DIV:
		EACH(_mm256_floor_ps(_mm256_div_ps(a, b)));
		break;
	case NNAHW_EWISE_HARD_SWISH:
		EACH(_mm256_div_ps(
			_mm256_mul_ps(
				a,
				_mm256_min_ps(six, _mm256_max_ps(zero, _mm256_add_ps(a, three)))),
			six));
		break;
	case NNAHW_EWISE_LEAKY_RELU:
		EACH(nnadev_select8(_mm256_mul_ps(p0, a), a, IS(_CMP_GE_OQ, a, zero)));
		break;
	case NNAHW_EWISE_SQUARED_DIFFERENCE:
		EACH(_mm256_mul_ps(_mm256_sub_ps(a, b), _mm256_sub_ps(a, b)));
		break;
	case NNAHW_EWISE_MUL_ADD:
		EACH(_mm256_add_ps(_mm256_mul_ps(a, b), GET(2)));
		break;
	case NNAHW_EWISE_EXP:
		EACH(nnadev_exp8(a));
		break;
	case NNAHW_EWISE_TANH:
		EACH(nnadev_tanh8(a));
		break;
	case NNAHW_EWISE_LOGISTIC:
		EACH(nnadev_logistic8(a));
		break;
	case NNAHW_EWISE_ELU:
		EACH(nnadev_select8(_mm256_mul_ps(p0, nnadev_expm1_8(a)), a,
				    IS(_CMP_GE_OQ, a, zero)));
		break;
	case NNAHW_EWISE_ERF:
		EACH(nnadev_floats_erf(a));
		break;
	default: /* IDENTITY, CAST */
		break;
	}
}

#undef EACH
#undef COMPARE
#undef IS
#undef GET

#endif
