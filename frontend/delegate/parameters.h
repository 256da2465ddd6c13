/* SPDX-License-Identifier: MIT */
/* Converts the options of operators from TFLite's structures in memory to those of its files. */
#ifndef DELEGATE_PARAMETERS_H
#define DELEGATE_PARAMETERS_H

#include "frontend/tflite/tflite.h"

/*
 * Fills @options of an operator with @code from TFLite's structure @data, which may be NULL for an
 * operator without options. Lists in @options point into @data.
 */
void delegate_parameters_read(uint32_t code, const void *data, struct tflite_options *options);

#endif
