/* SPDX-License-Identifier: MIT */
/*
 * Names of operators and tensors in messages. A user finds them in any viewer of TFLite models by
 * their number and name.
 */
#ifndef TFLITE_LABEL_H
#define TFLITE_LABEL_H

#include "frontend/tflite/tflite.h"

/* Fits a label, whose name is cut after 48 characters. */
#define TFLITE_LABEL_SIZE 256

/**
 * tflite_operator_label() - the name of an operator: "operator 3 (CONV_2D)"
 * @op: the operator; one of a composite is "operator 3 (MUL) of subgraph 2, odml.rms_norm"
 * @text: TFLITE_LABEL_SIZE bytes
 *
 * Return: @text.
 */
const char *tflite_operator_label(const struct tflite_operator *op, char *text);

/**
 * tflite_tensor_label() - the name of a tensor: input 1 (tensor 5 "conv/w", INT8 [8, 3, 3, 16])
 * @sub: the subgraph that has the tensor
 * @op: the operator that has it as an input or output, or NULL
 * @x: the tensor; one that is not in @sub has no number
 * @text: TFLITE_LABEL_SIZE bytes
 *
 * Return: @text.
 */
const char *tflite_tensor_label(const struct tflite_subgraph *sub, const struct tflite_operator *op,
				const struct tflite_tensor *x, char *text);

#endif
