/* SPDX-License-Identifier: MIT */
/* What a file is that was taken for a model, and what is to be done with it. */
#ifndef NNACTL_KIND_H
#define NNACTL_KIND_H

/*
 * Look at the beginning of a file, and at its name. Return: a line such as "an ONNX model: convert
 * it", which lives as long as the program, or NULL for what is not known.
 */
const char *nnactl_kind_of(const char *path);

#endif
