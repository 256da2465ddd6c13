/* SPDX-License-Identifier: MIT */
/*
 * Sparse constants of TFLite as dense ones.
 *
 * A sparse tensor stores the elements that are not 0, in the order of a walk over its dimensions.
 * Some dimensions may be cut into blocks; the walk treats the inside of a block as one more
 * dimension. A level of the walk is dense (it visits all indices) or compressed (it visits the
 * indices of a list; each index of the level above has a range of that list).
 */
#ifndef TFLITE_SPARSE_H
#define TFLITE_SPARSE_H

#include "frontend/tflite/flatbuffer.h"
#include "frontend/tflite/tflite.h"

/* Limit of a dense constant in bytes; no layer has more weights. */
#define TFLITE_MAX_DENSE ((uint64_t)1 << 28)

/**
 * tflite_densify() - convert a sparse constant to a dense one
 * @fb: the file
 * @table: its SparsityParameters
 * @tensor: type and shape
 * @data: the stored elements
 * @size: bytes of @data
 * @dense: zeros, room for all elements of @tensor
 *
 * Return: NULL, or the error as an object of "sparse data with".
 */
const char *tflite_densify(const struct flatbuffer *fb, const struct flatbuffer_table *table,
			   const struct tflite_tensor *tensor, const void *data, uint64_t size,
			   void *dense);

#endif
