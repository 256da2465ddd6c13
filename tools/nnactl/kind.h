/* SPDX-License-Identifier: MIT */
/* What a file is that was taken for a model, and what is to be done with it. */
#ifndef NNACTL_KIND_H
#define NNACTL_KIND_H

#include <stdbool.h>

/*
 * Look at the beginning of a file, and at its name. Return: a line such as "a Keras model: convert
 * it", which lives as long as the program, or NULL for what is not known.
 */
const char *nnactl_kind_of(const char *path);

/*
 * Whether a file is to be read as an ONNX model: by what it begins with, or by its name where its
 * beginning says nothing else.
 */
bool nnactl_kind_is_onnx(const char *path);

#endif
