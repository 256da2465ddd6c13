/* SPDX-License-Identifier: MIT */
/*
 * ONNX models as graphs of libnnaccel.
 *
 * The translation walks the nodes in their order. ONNX and NNAPI differ in this:
 *
 *	layout		ONNX' images are [N, C, H, W], NNAPI's [N, H, W, C]. A value has an operand
 *			in one order or the other, or in both: a convolution reads and writes the
 *			channels last, element-wise operators keep the order of their inputs, and a
 *			TRANSPOSE is added only where an operator needs the other order. So
 *			transposes cancel, those of the model too
 *	shapes		ONNX computes shapes in the graph. Here shapes are known, since those of the
 *			inputs are: Shape is a constant, and what is computed from constants is
 *			computed during the translation (fold.c), as far as it is small
 *	QDQ		DequantizeLinear, a float operator, QuantizeLinear is one operation on
 *			quantised tensors where NNAPI has it (quantised.c). Elsewhere it is what it
 *			says: a DEQUANTIZE, the operation on floats, a QUANTIZE. What only moves
 *			elements moves the stored ones
 *	types		INT8 and UINT8 are QUANT8 types of scale 1 and zero point 0, or of those
 *			that QuantizeLinear and DequantizeLinear state. UINT32, UINT64 and DOUBLE
 *			have none
 *	scalars		of rank 0 are tensors of one element
 *
 * operator_list.h names the operators and the translation of each; ops/ holds these. A graph copies
 * what a translation computes, and reads the model's constants where they are: the model must
 * outlive it.
 */
#ifndef ONNX_TRANSLATE_H
#define ONNX_TRANSLATE_H

#include <nnaccel.h>

#include "frontend/onnx/onnx.h"

/**
 * struct onnx_shape - the shape of an input
 * @stated: false: the model's, with 1 for dimensions that it leaves open
 */
struct onnx_shape {
	bool stated;
	uint32_t rank;
	uint32_t dims[ONNX_MAX_RANK];
};

/**
 * struct onnx_origin - what has become of nodes; freed by onnx_origin_free()
 * @count: operations of the graph
 * @nodes: for each of them the node that it comes from
 * @node_count: nodes of the model
 * @why: for each node the reason why it has no translation, NULL if it has one
 * @units: for each node the node in whose operation it is: a node stands for itself unless it is a
 *	DequantizeLinear, a QuantizeLinear or an activation of a node on quantised tensors
 */
struct onnx_origin {
	uint32_t count, node_count;
	uint32_t *nodes, *units;
	char **why;
};

void onnx_origin_free(struct onnx_origin *origin);

/**
 * onnx_to_graph() - a finished graph of a model
 * @shapes: of each input, NULL for those that the model states
 * @log: gets the library's messages, may be NULL
 * @graph: unref'd by the caller, before the model is freed
 * @origin: NULL, or filled on success
 * @error: ONNX_ERROR_SIZE bytes for one line that names the node
 *
 * Return: 0, -ENOTSUP for an operator or type that has no translation, -EINVAL for a model that
 * contradicts itself, -ENOMEM, or as nna_graph_finish().
 */
int onnx_to_graph(const struct onnx_model *model, const struct onnx_shape *shapes,
		  const struct nna_log *log, struct nna_graph **graph, struct onnx_origin *origin,
		  char *error);

/*
 * The same, but a node without a translation is no error: @origin says why, and what it writes
 * becomes an input of the graph, with the type and shape that the model states. It is for asking
 * what can be translated, and by nna_graph_get_supported() what can be run.
 */
int onnx_to_partial_graph(const struct onnx_model *model, const struct onnx_shape *shapes,
			  const struct nna_log *log, struct nna_graph **graph,
			  struct onnx_origin *origin, char *error);

/* Whether the name is that of an operator of operator_list.h. @domain is "" for ai.onnx. */
bool onnx_is_operator(const char *domain, const char *op);

#endif
