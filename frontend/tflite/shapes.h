/* SPDX-License-Identifier: MIT */
/*
 * Inference of the shapes that a file leaves open, and what operators with many options take of
 * their inputs.
 */
#ifndef TFLITE_SHAPES_H
#define TFLITE_SHAPES_H

#include "frontend/tflite/tflite.h"

/**
 * struct tflite_span - the elements of one dimension that a slice takes
 * @start: the first one
 * @step: to the next, not 0
 * @count: number of elements
 * @shrink: the output lacks the dimension
 */
struct tflite_span {
	int32_t start, step, count;
	bool shrink;
};

/**
 * struct tflite_span_error - why there is no such slice
 * @wrong: an object of "with": "stride 0"
 * @expected: a noun phrase
 */
struct tflite_span_error {
	const char *wrong, *expected;
};

/**
 * tflite_find_spans() - the elements that a STRIDED_SLICE takes of each dimension of its input
 * @options: its masks. An ellipsis stands for all dimensions that are left, a new axis for none; a
 *	dimension that shrinks uses its begin and its bit of the begin mask
 * @x: the input
 * @count: of begins, ends and steps; at most 32
 * @begin: of each dimension of the slice
 * @end: likewise
 * @step: likewise
 * @spans: one for each dimension of @x
 *
 * Return: NULL, or an error.
 */
const struct tflite_span_error *tflite_find_spans(const struct tflite_options *options,
						  const struct tflite_tensor *x, uint32_t count,
						  const int32_t *begin, const int32_t *end,
						  const int32_t *step, struct tflite_span *spans);

/**
 * struct tflite_window - windows along a dimension of a STABLEHLO_REDUCE_WINDOW
 * @size: elements of a window
 * @stride: distance of two windows
 * @dilation: distance of two elements of a window
 * @before: elements of padding
 * @after: likewise
 * @count: windows
 */
struct tflite_window {
	uint32_t size, stride, dilation, before, after, count;
};

/**
 * tflite_find_windows() - read the options of a STABLEHLO_REDUCE_WINDOW
 * @options: the operator's
 * @x: the input
 * @windows: one for each dimension of @x
 *
 * Return: NULL, or an error.
 */
const struct tflite_span_error *tflite_find_windows(const struct tflite_options *options,
						    const struct tflite_tensor *x,
						    struct tflite_window *windows);

/**
 * tflite_find_plain_windows() - read the lists of a REDUCE_WINDOW
 * @x: the input
 * @sizes: of each dimension of @x
 * @strides: likewise
 * @dilations: likewise
 * @windows: one for each dimension of @x, without padding
 *
 * Return: NULL, or an error.
 */
const struct tflite_span_error *tflite_find_plain_windows(const struct tflite_tensor *x,
							  const int64_t *sizes,
							  const int64_t *strides,
							  const int64_t *dilations,
							  struct tflite_window *windows);

/**
 * struct tflite_gap - what a STABLEHLO_PAD or a DILATE adds along a dimension
 * @before: elements in front; less than 0: elements that are taken away
 * @after: likewise behind the last one
 * @between: elements between two neighbours
 * @count: elements of the output
 */
struct tflite_gap {
	int32_t before, after, between;
	uint32_t count;
};

/**
 * tflite_find_gaps() - what a STABLEHLO_PAD or a DILATE adds
 * @options: of a STABLEHLO_PAD
 * @x: the input
 * @factors: of a DILATE one for each dimension of @x, else NULL
 * @gaps: one for each dimension of @x
 *
 * Return: NULL, or an error.
 */
const struct tflite_span_error *tflite_find_gaps(const struct tflite_options *options,
						 const struct tflite_tensor *x,
						 const int32_t *factors, struct tflite_gap *gaps);

/**
 * struct tflite_slices - the slices that a STABLEHLO_GATHER takes
 * @size: elements of a slice along each dimension of the operand
 * @start: the element of an index that says where a slice begins in the dimension, or -1
 * @vector: the dimension of the indices that holds an index; their rank if each is one number
 * @count: slices
 * @kept: dimensions of the operand in front of those that each slice has whole
 * @rows: of a slice: its elements along the dimensions in front
 * @inner: elements of a row, the product of the dimensions behind
 * @rank: of the output
 * @dims: of the output
 * @of_slice: which of them are of a slice; the others are of the indices
 */
struct tflite_slices {
	uint32_t size[TFLITE_MAX_RANK], vector, count, kept, rows, inner, rank;
	int32_t start[TFLITE_MAX_RANK];
	uint32_t dims[TFLITE_MAX_RANK];
	bool of_slice[TFLITE_MAX_RANK];
};

/**
 * tflite_find_slices() - read the options of a STABLEHLO_GATHER
 * @options: the operator's
 * @x: the operand
 * @indices: where slices begin
 * @slices: filled
 *
 * Return: NULL, or an error.
 */
const struct tflite_span_error *tflite_find_slices(const struct tflite_options *options,
						   const struct tflite_tensor *x,
						   const struct tflite_tensor *indices,
						   struct tflite_slices *slices);

/**
 * struct tflite_list_update - one row of a list is replaced, in the operators of the converter
 * @list: tensor [n, ...]
 * @sizes: tensor whose first element is the number of the row
 * @row: tensor [1, ...]
 *
 * The converter writes a loop that fills a list row by row, such as a recurrent layer, as one SLICE
 * of the rows before, one of the rows after, and a CONCATENATION of both with the row between. The
 * shapes of the SLICEs depend on the data, the shape of the list does not.
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
 * Does nothing if the file states all shapes and none has been changed. The translation calls it.
 *
 * Return: 0, -ENOTSUP if a shape depends on data or on an operator without a rule, -EINVAL,
 * -ENOMEM.
 */
int tflite_infer_shapes(struct tflite_model *model, char *error);

#endif
