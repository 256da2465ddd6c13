/* SPDX-License-Identifier: MIT */
/*
 * A part of an interpreter's subgraph as a model that frontend/tflite translates: what the reader
 * of files makes of a flatbuffer, this makes of TFLite's structures in memory.
 */
#ifndef DELEGATE_MODEL_H
#define DELEGATE_MODEL_H

#include "frontend/delegate/tflite_abi.h"
#include "frontend/tflite/tflite.h"

/**
 * struct delegate_part - some operators of a subgraph
 * @nodes: their numbers, in an order in which they can run
 * @inputs: tensors that they read and none of them writes; constants may be among them
 * @outputs: tensors that they write and that somebody else reads
 */
struct delegate_part {
	const int *nodes, *inputs, *outputs;
	int node_count, input_count, output_count;
};

/**
 * struct delegate_model - the model of a part
 * @model: one subgraph; its inputs are those of the part that change from run to run. Constants
 *	and options point into TFLite's memory, which lives as long as the interpreter
 * @tensors: for each tensor of it the number that it has in the interpreter
 */
struct delegate_model {
	struct tflite_model *model;
	int *tensors;
};

/*
 * Makes the model of @part; only while TFLite prepares the delegate or makes a kernel: it does
 * not show its nodes at other times. Return: 0, -ENOTSUP for what cannot be a model, -EINVAL for
 * what TFLite should not say, or -ENOMEM; then there is a line at @error, of TFLITE_ERROR_SIZE
 * bytes.
 */
int delegate_model_create(struct TfLiteContext *context, const struct delegate_part *part,
			  struct delegate_model *out, char *error);
void delegate_model_destroy(struct delegate_model *model);

/*
 * A copy of @from, which has to outlive it, for one translation: that changes shapes and adds
 * constants. Its inputs get the shapes that they have in @context; with @infer, or where these are
 * others than before, the shapes of all that follows from them are to be inferred. Return: 0,
 * -ENOTSUP or -ENOMEM with a line at @error.
 */
int delegate_model_copy(struct TfLiteContext *context, const struct delegate_model *from,
			bool infer, struct tflite_model **out, char *error);

/* A tensor whose bytes are part of the model's file. */
bool delegate_is_constant(const struct TfLiteTensor *tensor);

#endif
