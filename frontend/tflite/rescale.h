/* SPDX-License-Identifier: MIT */
/*
 * TFLite's fixed-point factors, and products with them.
 *
 * A factor is multiplier * 2^(shift - 31), with a multiplier in [2^30, 2^31) or 0. TFLite has two
 * rules. A 32-bit number is multiplied by all 31 bits of the multiplier and rounded twice: the
 * product at bit 31, halves up, then at the shift, halves away from zero. A 64-bit number is
 * multiplied by the upper 15 bits of the multiplier and rounded once, halves up.
 */
#ifndef TFLITE_RESCALE_H
#define TFLITE_RESCALE_H

#include "frontend/tflite/compose.h"

/**
 * struct tflite_factor - a fixed-point factor
 * @multiplier: 31 bits and a sign
 * @shift: to the left; a negative one shifts to the right
 */
struct tflite_factor {
	int32_t multiplier, shift;
};

/* @value as a factor; a value below 2^-32 becomes 0. */
struct tflite_factor tflite_factor_of(double value);

/* @x times @factor by the 32-bit rule; wraps if TFLite's product overflows. */
int32_t tflite_scaled(int32_t x, struct tflite_factor factor);

/* @x / 2^@bits, rounded to the nearest, halves away from zero; @bits is 0 to 31. */
int32_t tflite_halved(int32_t x, int32_t bits);

/**
 * enum tflite_rule - how numbers are multiplied by a factor
 * @TFLITE_RULE_32: by all bits of the multiplier, rounded twice
 * @TFLITE_RULE_32_UP: the same, halves up both times
 * @TFLITE_RULE_64: by 15 bits, rounded once
 * @TFLITE_RULE_64_FULL: by all bits, rounded once
 * @TFLITE_RULE_64_LONG: the same for a product of more than 64 bits
 */
enum tflite_rule {
	TFLITE_RULE_32, TFLITE_RULE_32_UP, TFLITE_RULE_64, TFLITE_RULE_64_FULL, TFLITE_RULE_64_LONG
};

/*
 * @x, an INT64 tensor, times @factors, of which none is negative: @count of them along the last
 * axis, or 1. The products must fit in 64 bits; with TFLITE_RULE_64_LONG only the products with the
 * upper 15 bits of a multiplier must.
 */
struct tflite_value tflite_rescaled(struct tflite_translation *t, struct tflite_value x,
				    const struct tflite_factor *factors, uint32_t count,
				    enum tflite_rule rule);

/* A constant of one INT64, [1]. */
struct tflite_value tflite_long(struct tflite_translation *t, int64_t value);

/*
 * Makes @x output 0 of the operator. @x is an INT32 or INT64 tensor of stored numbers minus the
 * zero point. It is clamped to the fused activation and to the type of the output, and reshaped.
 */
void tflite_store(struct tflite_translation *t, struct tflite_value x);
/* The same for @real, an operand of FLOAT32 in the shape of an INT16 output; rounds it first. */
void tflite_store_rounded(struct tflite_translation *t, uint32_t real);

#endif
