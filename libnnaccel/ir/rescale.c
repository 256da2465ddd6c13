// SPDX-License-Identifier: MIT
/* Real factors as integers. */
#include <math.h>

#include "libnnaccel/ir/builder.h"

void nna_requantize_from(double factor, int32_t *multiplier, int32_t *shift)
{
	int exponent;
	double mantissa;
	int64_t m;
	int s;

	*multiplier = 0;
	*shift = 1;
	if (!(factor > 0) || isinf(factor))
		return;
	mantissa = frexp(factor, &exponent); /* [0.5, 1) */
	m = llround(ldexp(mantissa, 31));
	s = 31 - exponent;
	if (m == (int64_t)1 << 31) {
		m >>= 1;
		s--;
	}
	if (s < 1) {
		/* Beyond what the accumulator can be scaled by: everything saturates. */
		m = INT32_MAX;
		s = 1;
	} else if (s > 62) {
		/*
		 * Below half of the smallest step for any accumulator: the multiplier loses bits to
		 * the shift.
		 */
		m = s - 62 < 31 ? m >> (s - 62) : 0;
		s = 62;
	}
	*multiplier = m;
	*shift = s;
}
