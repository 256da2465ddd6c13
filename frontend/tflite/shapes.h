/* SPDX-License-Identifier: MIT */
/* Shapes of tensors that the file leaves open, and what STRIDED_SLICE takes. */
#ifndef TFLITE_SHAPES_H
#define TFLITE_SHAPES_H

#include "frontend/tflite/tflite.h"

/**
 * struct tflite_span - the elements of one dimension that a slice takes
 * @start: the first one
 * @step: to the next, not 0
 * @count: how many
 * @shrink: the dimension is dropped
 */
struct tflite_span {
	int32_t start, step, count;
	bool shrink;
};

/**
 * tflite_find_spans() - what a STRIDED_SLICE takes of each dimension of its input
 * @options: its masks. An ellipsis stands for as many whole dimensions as are left, a new axis for
 *	none; of a dimension that shrinks only the begin counts
 * @x: the input
 * @count: of begins, ends and steps; at most 32
 * @begin: of each dimension of the slice
 * @end: likewise
 * @step: likewise
 * @spans: one for each dimension of @x
 *
 * Return: NULL, or what is wrong, in a few words.
 */
const char *tflite_find_spans(const struct tflite_options *options, const struct tflite_tensor *x,
			      uint32_t count, const int32_t *begin, const int32_t *end,
			      const int32_t *step, struct tflite_span *spans);

/**
 * struct tflite_list_update - a row of a list replaced, as the converter writes it
 * @list: tensor [n, ...]
 * @sizes: tensor whose first element is the number of the row
 * @row: tensor [1, ...]
 *
 * A loop that fills a list row by row, as recurrent layers do, becomes SLICEs of what stands before
 * and behind the row, and a CONCATENATION with the row between. Their shapes depend on the data,
 * that of the whole does not.
 */
struct tflite_list_update {
	int32_t list, sizes, row;
};

/* Whether operator @index, a CONCATENATION, is the end of such an update. */
bool tflite_find_list_update(const struct tflite_subgraph *sub, uint32_t index,
			     struct tflite_list_update *update);
/* Whether operator @index, a SLICE, is a part of one. */
bool tflite_in_list_update(const struct tflite_subgraph *sub, uint32_t index);

/**
 * tflite_infer_shapes() - complete the shapes of a model
 * @error: TFLITE_ERROR_SIZE bytes for one line
 *
 * Does nothing where the file states all shapes and nobody has changed one. Translation calls it.
 *
 * Return: 0, -ENOTSUP where a shape depends on data or on an operator without a rule, -EINVAL,
 * -ENOMEM.
 */
int tflite_infer_shapes(struct tflite_model *model, char *error);

#endif
