// SPDX-License-Identifier: MIT
/*
 * Copying a subgraph from one graph into another.
 *
 * Front ends need this for models that refer to other, finished models: of such a model they keep
 * only the graph.
 */
#include <errno.h>

#include "libnnaccel/graph/graph.h"

#define FAIL(graph, ...) (nna_log_print(&(graph)->log, NNA_LOG_ERROR, __VA_ARGS__), -EINVAL)

int nna_graph_copy_operand(struct nna_graph *graph, uint32_t subgraph,
			   const struct nna_operand *operand, const struct nna_shape *shape,
			   const uint32_t *numbers)
{
	const struct nna_operand_desc desc = {
		.type = shape->type,
		.rank = shape->rank,
		.dims = shape->dims,
		.scale = shape->scale,
		.zero_point = shape->zero_point,
		.channel_dim = shape->channel_dim,
		.channel_count = shape->channel_count,
		.channel_scales = shape->channel_scales,
	};
	int number = nna_graph_add_operand(graph, subgraph, &desc), ret = 0;

	if (number < 0)
		return number;
	switch (operand->lifetime) {
	case NNA_LIFETIME_CONSTANT:
		ret = nna_graph_set_constant(graph, subgraph, number, operand->data, operand->size,
					     !operand->owned);
		break;
	case NNA_LIFETIME_NO_VALUE:
		ret = nna_graph_set_no_value(graph, subgraph, number);
		break;
	case NNA_LIFETIME_SUBGRAPH:
		ret = nna_graph_set_subgraph(graph, subgraph, number, numbers[operand->subgraph]);
		break;
	case NNA_LIFETIME_VARIABLE:
		ret = nna_graph_set_variable(graph, subgraph, number);
		break;
	default:
		break; /* Its position in lists and operations determines its lifetime. */
	}
	return ret ? ret : number;
}

int nna_graph_copy_subgraph(struct nna_graph *graph, uint32_t subgraph,
			    const struct nna_graph *from, uint32_t from_subgraph,
			    const uint32_t *numbers)
{
	const struct nna_subgraph *source;
	int ret = 0;

	if (!graph)
		return -EINVAL;
	if (!from || !numbers)
		return FAIL(graph, "subgraph %u: the graph to copy from, or the list of numbers, "
			    "is NULL", subgraph);
	if (!from->finished || from->failed)
		return FAIL(graph, "subgraph %u: the graph to copy from must be finished without "
			    "an error", subgraph);
	if (from_subgraph >= from->subgraph_count)
		return FAIL(graph, "subgraph %u: the graph to copy from has %u subgraphs, number "
			    "%u does not exist", subgraph, from->subgraph_count, from_subgraph);
	if (subgraph < graph->subgraph_count && graph->subgraphs[subgraph].operand_count)
		return FAIL(graph, "subgraph %u has operands already: a copy goes to an empty one",
			    subgraph);
	source = &from->subgraphs[from_subgraph];
	for (uint32_t i = 0; i < source->operand_count && ret >= 0; i++)
		ret = nna_graph_copy_operand(graph, subgraph, &source->operands[i],
					     &source->operands[i].stated, numbers);
	ret = ret < 0 ? ret : 0;
	for (uint32_t i = 0; i < source->operation_count && !ret; i++) {
		const struct nna_operation *operation = &source->operations[i];

		ret = nna_graph_add_operation(graph, subgraph, operation->type,
					      operation->input_count, operation->inputs,
					      operation->output_count, operation->outputs);
	}
	if (!ret)
		ret = nna_graph_set_io(graph, subgraph, source->input_count, source->inputs,
				       source->output_count, source->outputs);
	return ret;
}
