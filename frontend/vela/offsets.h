/* SPDX-License-Identifier: MIT */
/*
 * Where Vela has put the tensors of a model in the scratch memory: the metadata
 * "OfflineMemoryAllocation", little-endian numbers of 32 bits: a version, the number of subgraphs,
 * that of tensors, then an offset in bytes for each tensor, -1 for one that has no place. Tensors
 * that the reader of files has added have none either.
 */
#ifndef VELA_OFFSETS_H
#define VELA_OFFSETS_H

#include "frontend/tflite/tflite.h"

#define VELA_OFFSETS_NAME "OfflineMemoryAllocation"

/**
 * vela_offsets_read() - offsets of tensors
 * @data: the metadata, @size bytes, NULL for none
 * @first: the first tensor that is wanted, in the order of the file
 * @count: tensors that are wanted
 * @out: @count offsets, -1 for none; the caller frees it
 * @error: TFLITE_ERROR_SIZE bytes for a line
 *
 * Return: 0, -EINVAL or -ENOMEM.
 */
int vela_offsets_read(const void *data, size_t size, uint32_t first, uint32_t count, int64_t **out,
		      char *error);

/* The same of the main subgraph of a model that was read from a file. */
int vela_offsets_of(const struct tflite_model *model, int64_t **out, char *error);

#endif
