/* SPDX-License-Identifier: MIT */
/* ONNX Runtime's graph as frontend/onnx has it: the second reader of ONNX models. */
#ifndef ORT_GRAPH_H
#define ORT_GRAPH_H

#include "frontend/onnx/onnx.h"
#include "frontend/ort/api.h"

/**
 * ort_graph_read() - a model of a graph of the runtime
 * @graph: valid during the call of the runtime that gave it
 * @copy: constants are copied, so that the model outlives the graph; else they are the graph's
 * @nodes: NULL, or gets the runtime's nodes, in the order of the model's, freed by the caller
 * @out: freed by onnx_model_free()
 * @error: ONNX_ERROR_SIZE bytes
 *
 * What a graph reads from outside of it is an input, too.
 *
 * Return: 0, -ENOMEM, or -EINVAL.
 */
int ort_graph_read(const struct ort_api *api, const void *graph, bool copy, const void ***nodes,
		   struct onnx_model **out, char *error);

/* Type and shape of a tensor of a run, without its data. Return: false when it is no tensor. */
bool ort_graph_tensor(const struct ort_api *api, const void *value, struct onnx_tensor *tensor);

/* The name of an input or output; "" where it is left out. */
const char *ort_graph_name(const struct ort_api *api, const void *value);

#endif
