// SPDX-License-Identifier: MIT
/*
 * A part of a graph: some operations of one subgraph as a graph of their own, which the compiler
 * compiles like any other (nna_graph_create_part()).
 *
 * A part has its own operands of subgraph 0, because their lifetimes differ, and its own lists of
 * inputs and outputs. All other data belongs to the whole graph, to which the part holds a
 * reference.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libnnaccel/graph/graph.h"

/* How a range of the execution order uses an operand: a bit set. */
enum { READ = 1, WRITTEN = 2, READ_LATER = 4 };

/*
 * Return: for each operand how [@from, @to) uses it, and whether it is read later; the caller frees
 * the array.
 */
static uint8_t *find_roles(const struct nna_subgraph *sg, uint32_t from, uint32_t to)
{
	uint8_t *roles = calloc((size_t)sg->operand_count + 1, sizeof(*roles));

	for (uint32_t p = from; roles && p < sg->operation_count; p++) {
		const struct nna_operation *operation = &sg->operations[sg->order[p]];

		for (uint32_t k = 0; k < operation->input_count; k++)
			roles[operation->inputs[k]] |= p < to ? READ : READ_LATER;
		for (uint32_t k = 0; k < operation->output_count && p < to; k++)
			roles[operation->outputs[k]] |= WRITTEN;
	}
	return roles;
}

/* Lists the inputs and outputs of the part, and sets their lifetimes accordingly. */
static int make_interface(struct nna_subgraph *part, const uint8_t *roles)
{
	part->inputs = calloc((size_t)part->operand_count + 1, sizeof(*part->inputs));
	part->outputs = calloc((size_t)part->operand_count + 1, sizeof(*part->outputs));
	if (!part->inputs || !part->outputs)
		return -ENOMEM;
	for (uint32_t i = 0; i < part->operand_count; i++) {
		struct nna_operand *operand = &part->operands[i];

		operand->owned = false;
		if (operand->lifetime != NNA_LIFETIME_TEMPORARY &&
		    operand->lifetime != NNA_LIFETIME_INPUT &&
		    operand->lifetime != NNA_LIFETIME_OUTPUT)
			continue;
		if (!(roles[i] & WRITTEN)) {
			operand->lifetime = NNA_LIFETIME_INPUT;
			operand->shape.bounded = false;
			if (roles[i] & READ)
				part->inputs[part->input_count++] = i;
		} else if (operand->lifetime == NNA_LIFETIME_OUTPUT || roles[i] & READ_LATER) {
			operand->lifetime = NNA_LIFETIME_OUTPUT;
			part->outputs[part->output_count++] = i;
		}
	}
	return 0;
}

int nna_graph_create_part(struct nna_graph *whole, uint32_t subgraph, uint32_t from, uint32_t to,
		       struct nna_graph **out)
{
	const struct nna_subgraph *sg = &whole->subgraphs[subgraph];
	struct nna_graph *graph = calloc(1, sizeof(*graph));
	struct nna_subgraph *part;
	uint8_t *roles;
	int ret = -ENOMEM;

	if (!graph)
		return -ENOMEM;
	atomic_init(&graph->references, 1);
	graph->log = whole->log;
	graph->finished = true;
	graph->relaxed = whole->relaxed;
	graph->rounding = whole->rounding;
	graph->whole = nna_graph_ref(whole);
	graph->subgraphs = calloc(whole->subgraph_count, sizeof(*graph->subgraphs));
	roles = find_roles(sg, from, to);
	if (!graph->subgraphs || !roles)
		goto out;
	graph->subgraph_count = whole->subgraph_count;
	memcpy(graph->subgraphs, whole->subgraphs,
	       whole->subgraph_count * sizeof(*graph->subgraphs));
	part = &graph->subgraphs[0];
	*part = *sg;
	part->order = sg->order + from;
	part->operation_count = to - from;
	part->inputs = NULL;
	part->outputs = NULL;
	part->input_count = 0;
	part->output_count = 0;
	part->operands = malloc(((size_t)sg->operand_count + 1) * sizeof(*part->operands));
	if (!part->operands)
		goto out;
	memcpy(part->operands, sg->operands, sg->operand_count * sizeof(*part->operands));
	ret = make_interface(part, roles);
out:
	free(roles);
	if (ret)
		nna_graph_unref(graph);
	else
		*out = graph;
	return ret;
}
