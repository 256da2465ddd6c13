/* SPDX-License-Identifier: MIT */
/*
 * Composites: operators STABLEHLO_COMPOSITE, each of which names a function and has a subgraph of
 * plain operators that computes the same, its decomposition.
 *
 * The reader puts the operators of the decomposition in the composite's place, in all subgraphs and
 * on all levels, so that nothing behind the reader handles composites:
 *
 *	tensors		inputs and outputs of the decomposition become those of the composite; the
 *			others are appended to the subgraph, whose own tensors keep their numbers
 *	operators	struct tflite_operator tells where in the file each one is
 *	copies		remain of type STABLEHLO_COMPOSITE, with one input and one output: where the
 *			decomposition gives an input, a constant or one tensor twice, or quantises a
 *			tensor in another way than the composite
 */
#ifndef TFLITE_COMPOSITE_H
#define TFLITE_COMPOSITE_H

#include "frontend/tflite/tflite.h"

/* No real model has more operators and tensors in the end. The limit bounds hostile nesting. */
#define TFLITE_MAX_INLINED (1u << 19)

/**
 * tflite_inline_composites() - replace all composites of a model by their decompositions
 * @model: as the reader has it: all numbers of tensors are in range
 * @error: TFLITE_ERROR_SIZE bytes for one line
 *
 * Return: 0, -EINVAL with a line for a decomposition that is missing, has other inputs, outputs or
 * types than the composite, or contains itself, or -ENOMEM.
 */
int tflite_inline_composites(struct tflite_model *model, char *error);

#endif
