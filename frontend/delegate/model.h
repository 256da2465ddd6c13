/* SPDX-License-Identifier: MIT */
/*
 * A part of an interpreter's subgraph as a model that frontend/tflite can translate. It is made of
 * TFLite's structures in memory, as the reader of files makes a model of a flatbuffer.
 */
#ifndef DELEGATE_MODEL_H
#define DELEGATE_MODEL_H

#include "frontend/delegate/tflite_abi.h"
#include "frontend/tflite/tflite.h"

/**
 * struct delegate_part - some operators of a subgraph
 * @nodes: their numbers, in an order in which they can run
 * @inputs: tensors that they read and none of them writes; constants may be among them
 * @outputs: tensors that they write and that operators outside of the part read
 */
struct delegate_part {
	const int *nodes, *inputs, *outputs;
	int node_count, input_count, output_count;
};

/**
 * struct delegate_model - the model of a part
 * @model: one subgraph; its inputs are the part's inputs without constants. Constants and options
 *	point into TFLite's memory, which lives as long as the interpreter
 * @tensors: for each tensor of the subgraph its number in the interpreter
 */
struct delegate_model {
	struct tflite_model *model;
	int *tensors;
};

/*
 * Makes the model of @part. To be called only while TFLite prepares the delegate or creates a
 * kernel: TFLite gives access to its nodes at no other time. Return: 0, -ENOTSUP for operators that
 * cannot be a model, -EINVAL for invalid numbers from TFLite, or -ENOMEM; an error leaves a line at
 * @error, of TFLITE_ERROR_SIZE bytes.
 */
int delegate_model_create(struct TfLiteContext *context, const struct delegate_part *part,
			  struct delegate_model *out, char *error);
void delegate_model_destroy(struct delegate_model *model);

/*
 * Copies @from, which must outlive the copy, for one translation, because a translation changes
 * shapes and adds constants. The inputs get their shapes in @context. The shapes that follow from
 * them are inferred again with @infer, or if an input's shape has changed. Return: 0, -ENOTSUP or
 * -ENOMEM with a line at @error.
 */
int delegate_model_copy(struct TfLiteContext *context, const struct delegate_model *from,
			bool infer, struct tflite_model **out, char *error);

/* Return: true if a tensor's bytes are part of the model's file. */
bool delegate_is_constant(const struct TfLiteTensor *tensor);

#endif
