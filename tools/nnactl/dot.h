/* SPDX-License-Identifier: MIT */
/* A model as a graph in Graphviz's language. */
#ifndef NNACTL_DOT_H
#define NNACTL_DOT_H

#include <stdio.h>

#include "frontend/onnx/onnx.h"
#include "frontend/tflite/tflite.h"

/* Writes operators as boxes, inputs and outputs as ellipses, and tensors as arrows. */
void nnactl_dot_print(const struct tflite_model *model, FILE *to);
void nnactl_dot_print_onnx(const struct onnx_model *model, FILE *to);

#endif
