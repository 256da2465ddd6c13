/* SPDX-License-Identifier: MIT */
/* A model's metadata: bytes that have a name, which writers of files agree on. */
#ifndef TFLITE_METADATA_H
#define TFLITE_METADATA_H

#include "frontend/tflite/tflite.h"

/*
 * The bytes of the first metadata called @name, which lie in the model at any alignment. Return:
 * NULL where the file has none, and for a model that was not made of a file.
 */
const void *tflite_metadata(const struct tflite_model *model, const char *name, size_t *size);

#endif
