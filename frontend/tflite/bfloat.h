/* SPDX-License-Identifier: MIT */
/*
 * BFLOAT16, the upper half of a FLOAT32. The NNA has no such type: a tensor of it is one of FLOAT32
 * here whose numbers are BFLOAT16's. The reader widens constants; most operators that TFLite runs
 * on BFLOAT16 only choose among numbers; the results of others, and the inputs of a model, which
 * come as FLOAT32, are rounded.
 */
#ifndef TFLITE_BFLOAT_H
#define TFLITE_BFLOAT_H

#include "frontend/tflite/compose.h"

/* Whether a tensor of the operator is BFLOAT16 in the file. */
bool tflite_has_bfloat(const struct tflite_translation *t);

/* Translates such an operator, by @translate; refuses those that TFLite does not run. */
void tflite_translate_bfloat(struct tflite_translation *t,
			     void (*translate)(struct tflite_translation *t));

/* @x, FLOAT32, as the nearest numbers of BFLOAT16; of two the even one. */
struct tflite_value tflite_rounded_bfloat(struct tflite_translation *t, struct tflite_value x);

#endif
