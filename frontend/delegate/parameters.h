/* SPDX-License-Identifier: MIT */
/* The options of operators as TFLite holds them in memory, and as its files do. */
#ifndef DELEGATE_PARAMETERS_H
#define DELEGATE_PARAMETERS_H

#include "frontend/tflite/tflite.h"

/* The schema's number of a TfLiteType; UINT32_MAX for one that has none. */
uint32_t delegate_type(int type);

/*
 * Fills @options of an operator with @code from TFLite's structure @data, which may be NULL for an
 * operator that has none. Lists point into it.
 */
void delegate_parameters_read(uint32_t code, const void *data, struct tflite_options *options);

#endif
