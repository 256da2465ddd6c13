/* SPDX-License-Identifier: MIT */
/* The options of an operator, asked of LiteRT one by one. */
#ifndef LITERT_OPTIONS_H
#define LITERT_OPTIONS_H

#include "frontend/litert/litert_abi.h"
#include "frontend/tflite/tflite.h"

/*
 * Fills the options of @operator, whose code is known. Lists point into LiteRT's memory. Some
 * operators have options without a getter: litert_options_guess() fills those.
 */
void litert_options_read(const struct LiteRtCompilerContext *context, struct LiteRtOpT *op,
			 struct tflite_operator *operator);

/*
 * Fills options that LiteRT has no getter for, such that they agree with the tensors. They serve
 * the question whether a device runs such an operator; the file that is compiled has the real ones.
 */
void litert_options_guess(const struct tflite_subgraph *sub, struct tflite_operator *operator);

#endif
