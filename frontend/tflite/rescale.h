/* SPDX-License-Identifier: MIT */
/*
 * TFLite's fixed-point factors, and numbers multiplied by them.
 *
 * A real factor is multiplier * 2^(shift - 31), its multiplier in [2^30, 2^31) or 0. TFLite has two
 * rules. A number of 32 bits is scaled by all 31 bits of the multiplier and rounded twice: the
 * product at bit 31, halves up, then at the shift, halves away from zero. A number of 64 bits is
 * scaled by the upper 15 bits of the multiplier and rounded once, halves up.
 */
#ifndef TFLITE_RESCALE_H
#define TFLITE_RESCALE_H

#include "frontend/tflite/compose.h"

/**
 * struct tflite_factor - a factor in integers
 * @multiplier: 31 bits, with a sign
 * @shift: to the left; to the right below 0
 */
struct tflite_factor {
	int32_t multiplier, shift;
};

/* A real number as a factor. One below 2^-32 is 0. */
struct tflite_factor tflite_factor_of(double value);

/* @x times @factor by the rule of 32 bits; wraps where TFLite's product overflows. */
int32_t tflite_scaled(int32_t x, struct tflite_factor factor);

/* @x / 2^@bits, rounded to the nearest, halves away from zero; @bits is 0 to 31. */
int32_t tflite_halved(int32_t x, int32_t bits);

/**
 * enum tflite_rule - by which numbers are scaled
 * @TFLITE_RULE_32: all bits of the multiplier, rounded twice
 * @TFLITE_RULE_64: 15 bits, rounded once
 * @TFLITE_RULE_64_FULL: all bits, rounded once
 * @TFLITE_RULE_64_LONG: the same where the product needs more than 64 bits
 */
enum tflite_rule { TFLITE_RULE_32, TFLITE_RULE_64, TFLITE_RULE_64_FULL, TFLITE_RULE_64_LONG };

/*
 * @x, an INT64 tensor, times @factors, none of them negative: @count of them along the last axis, or
 * 1. The products must fit in 64 bits; by TFLITE_RULE_64_LONG, those with the upper 15 bits of a
 * multiplier.
 */
struct tflite_value tflite_rescaled(struct tflite_translation *t, struct tflite_value x,
				    const struct tflite_factor *factors, uint32_t count,
				    enum tflite_rule rule);

/* One INT64: [1]. */
struct tflite_value tflite_long(struct tflite_translation *t, int64_t value);

/*
 * The output 0 of the operator is @x, an INT32 or INT64 tensor of stored numbers minus the zero
 * point: within the fused activation and the type of the output, in the shape of the output.
 */
void tflite_store(struct tflite_translation *t, struct tflite_value x);
/* The same of @real, an operand of FLOAT32 in the shape of an INT16 output, rounded. */
void tflite_store_rounded(struct tflite_translation *t, uint32_t real);

#endif
