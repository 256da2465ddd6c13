// SPDX-License-Identifier: MIT
/*
 * The sink that builds a graph of libnnaccel. The graph rounds as TFLite's kernels do if NNAPI
 * rounds differently, unless the caller asks for NNAPI's rounding.
 */
#include "frontend/tflite/translate.h"

#include <stdio.h>
#include <string.h>

static int add_subgraph(void *sink)
{
	return nna_graph_add_subgraph(sink);
}

static int add_operand(void *sink, uint32_t subgraph, const struct nna_operand_desc *desc)
{
	return nna_graph_add_operand(sink, subgraph, desc);
}

static int set_constant(void *sink, uint32_t subgraph, uint32_t operand, const void *data,
			size_t size)
{
	return nna_graph_set_constant(sink, subgraph, operand, data, size, true);
}

static int set_no_value(void *sink, uint32_t subgraph, uint32_t operand)
{
	return nna_graph_set_no_value(sink, subgraph, operand);
}

static int set_variable(void *sink, uint32_t subgraph, uint32_t operand)
{
	return nna_graph_set_variable(sink, subgraph, operand);
}

static int set_subgraph(void *sink, uint32_t subgraph, uint32_t operand, uint32_t which)
{
	return nna_graph_set_subgraph(sink, subgraph, operand, which);
}

static int add_operation(void *sink, uint32_t subgraph, uint32_t type, uint32_t input_count,
			 const uint32_t *inputs, uint32_t output_count, const uint32_t *outputs)
{
	return nna_graph_add_operation(sink, subgraph, type, input_count, inputs, output_count,
				       outputs);
}

static int set_io(void *sink, uint32_t subgraph, uint32_t input_count, const uint32_t *inputs,
		  uint32_t output_count, const uint32_t *outputs)
{
	return nna_graph_set_io(sink, subgraph, input_count, inputs, output_count, outputs);
}

const struct tflite_sink tflite_graph_sink = {
	.add_subgraph = add_subgraph,
	.add_operand = add_operand,
	.set_constant = set_constant,
	.set_no_value = set_no_value,
	.set_variable = set_variable,
	.set_subgraph = set_subgraph,
	.add_operation = add_operation,
	.set_io = set_io,
};

int tflite_to_graph(struct tflite_model *model, const struct nna_log *log,
		    struct nna_graph **out, struct tflite_origin *origin, char *error)
{
	return tflite_to_rounded_graph(model, NNA_ROUNDING_TFLITE, log, out, origin, error);
}

int tflite_to_rounded_graph(struct tflite_model *model, enum nna_rounding rounding,
			    const struct nna_log *log, struct nna_graph **out,
			    struct tflite_origin *origin, char *error)
{
	struct tflite_sink sink = tflite_graph_sink;
	struct nna_graph *graph;
	int ret;

	ret = nna_graph_create(log, &graph);
	if (ret) {
		snprintf(error, TFLITE_ERROR_SIZE, "no graph: %s", strerror(-ret));
		return ret;
	}
	sink.requantizes = rounding == NNA_ROUNDING_TFLITE;
	/* This fails on a finished graph only. */
	nna_graph_set_rounding(graph, rounding);
	ret = tflite_translate(model, &sink, graph, origin, error);
	if (!ret) {
		ret = nna_graph_finish(graph);
		if (ret) {
			snprintf(error, TFLITE_ERROR_SIZE,
				 "libnnaccel refused the graph, see its log: %s", strerror(-ret));
			if (origin)
				tflite_origin_free(origin);
		}
	}
	if (ret) {
		nna_graph_unref(graph);
		return ret;
	}
	*out = graph;
	return 0;
}
