/* SPDX-License-Identifier: MIT */
/*
 * Sparse constants of TFLite as dense ones.
 *
 * A sparse tensor stores the elements that are not 0, in the order of a walk over its dimensions.
 * Some dimensions may be cut into blocks, whose inside is walked like further dimensions. Each
 * level of the walk is dense (all its indices) or compressed (the indices that a list states, for
 * each index of the level above a range of that list).
 */
#ifndef TFLITE_SPARSE_H
#define TFLITE_SPARSE_H

#include "frontend/tflite/flatbuffer.h"
#include "frontend/tflite/tflite.h"

/* Bytes that a dense constant may have; more than any layer's weights. */
#define TFLITE_MAX_DENSE ((uint64_t)1 << 28)

/**
 * tflite_densify() - write a sparse constant out
 * @fb: the file
 * @table: its SparsityParameters
 * @tensor: type and shape
 * @data: the stored elements
 * @size: bytes of @data
 * @dense: zeros, room for all elements of @tensor
 *
 * Return: NULL, or what is wrong with the file, in a few words.
 */
const char *tflite_densify(const struct flatbuffer *fb, const struct flatbuffer_table *table,
			   const struct tflite_tensor *tensor, const void *data, uint64_t size,
			   void *dense);

#endif
