// SPDX-License-Identifier: MIT
/* Converts real factors to integers. */
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
		/* The factor is too large: every accumulator saturates. */
		m = INT32_MAX;
		s = 1;
	} else if (s > 62) {
		/*
		 * The result is below half a step for every accumulator, so the multiplier may lose
		 * bits to the shift.
		 */
		m = s - 62 < 31 ? m >> (s - 62) : 0;
		s = 62;
	}
	*multiplier = m;
	*shift = s;
}

double nna_channel_factor(const struct nna_value *in, const struct nna_value *weights,
			  const struct nna_value *out, uint32_t channel, uint8_t rounding)
{
	const float scale = weights->channel_scales ? weights->channel_scales[channel]
						    : weights->scale;
	const bool exact = rounding == NNA_IR_ROUNDS_AS_TFLITE_ONCE ||
			   (rounding == NNA_IR_ROUNDS_AS_TFLITE && weights->type == NNA_TYPE_S8) ||
			   (weights->channel_scales && !weights->joined);

	if (rounding == NNA_IR_ROUNDS_IN_TWO)
		return (double)(in->scale * scale / out->scale);
	/*
	 * One scale: the product is rounded to a float, the scale of the bias, because models are
	 * calibrated with that. TFLite does so only for u8 convolutions.
	 */
	return (exact ? (double)in->scale * scale : (double)(in->scale * scale)) / out->scale;
}
