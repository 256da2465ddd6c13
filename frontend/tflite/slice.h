/* SPDX-License-Identifier: MIT */
/*
 * Some operators of a subgraph as a model of their own, to ask whether a device runs them.
 *
 *	tflite_slicer	what is known once of the subgraph
 *	tflite_model	a slice: one subgraph, with copies of the tensors that its operators use
 *
 * A slice points to lists, constants and options of the model that it is cut from, which must live
 * longer. A translation changes shapes of the slice's tensors alone.
 */
#ifndef TFLITE_SLICE_H
#define TFLITE_SLICE_H

#include "frontend/tflite/tflite.h"

/**
 * struct tflite_slicer - of one subgraph
 * @sub: the subgraph
 * @uses: for each tensor how often operators, and the subgraph's outputs, use it
 * @numbers: for each tensor its number in the slice under construction, -1 for none
 */
struct tflite_slicer {
	const struct tflite_subgraph *sub;
	uint32_t *uses;
	int32_t *numbers;
};

/* Return: 0 or -ENOMEM; tflite_slicer_destroy() frees what it holds. */
int tflite_slicer_init(struct tflite_slicer *slicer, const struct tflite_subgraph *sub);
void tflite_slicer_destroy(struct tflite_slicer *slicer);

/**
 * tflite_slice() - cut operators out
 * @slicer: used by one thread at a time
 * @operators: numbers of operators in the subgraph, in an order in which they can run
 * @count: entries of @operators
 * @out: the slice, freed by tflite_free(). Its inputs are the tensors that no constant and none of
 *	the operators gives; its outputs those that others read, or nobody
 *
 * Return: 0 or -ENOMEM.
 */
int tflite_slice(struct tflite_slicer *slicer, const uint32_t *operators, uint32_t count,
		 struct tflite_model **out);

/*
 * Why operators with this code cannot be cut out: they use other subgraphs or resources, which a
 * part of a subgraph does not have. Return: the reason, or NULL.
 */
const char *tflite_slice_refusal(uint32_t code);

#endif
