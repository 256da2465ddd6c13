// SPDX-License-Identifier: MIT
/*
 * Finishes a graph: checks its structure, then the rules of every operation, and infers shapes as
 * far as they are known.
 */
#include <errno.h>
#include <stdlib.h>

#include "libnnaccel/graph/graph.h"
#include "libnnaccel/ops/infer.h"
#include "libnnaccel/ops/op.h"

static int infer_shapes(struct nna_graph *graph, uint32_t s, bool lenient)
{
	struct nna_subgraph *sg = &graph->subgraphs[s];
	struct nna_shape *shapes = calloc(sg->operand_count ? sg->operand_count : 1,
					  sizeof(*shapes));
	int ret;

	if (!shapes)
		return -ENOMEM;
	nna_infer_begin(graph, s, shapes);
	ret = nna_infer_known(graph, s, shapes, lenient, &graph->log);
	for (uint32_t i = 0; !ret && i < sg->operand_count; i++) {
		struct nna_shape *shape = &sg->operands[i].shape;

		*shape = shapes[i];
		/* Only the compiler uses an upper bound as a dimension. */
		if (shape->bounded) {
			shape->dims[0] = sg->operands[i].stated.rank
						 ? sg->operands[i].stated.dims[0]
						 : 0;
			shape->final = shape->dims[0] != 0;
		}
	}
	free(shapes);
	return ret;
}

static int finish(struct nna_graph *graph, bool lenient)
{
	int ret;

	if (!graph)
		return -EINVAL;
	if (graph->finished) {
		nna_log_print(&graph->log, NNA_LOG_ERROR,
			      "the graph is finished already: it is finished once");
		return -EINVAL;
	}
	/*
	 * A graph is finished once: the steps below change it and cannot be undone, so a graph
	 * that fails stays failed.
	 */
	graph->finished = true;
	ret = nna_graph_settle(graph);
	for (uint32_t s = 0; s < graph->subgraph_count && !ret; s++)
		ret = infer_shapes(graph, s, lenient);
	graph->failed = ret != 0;
	return ret;
}

int nna_graph_finish(struct nna_graph *graph)
{
	return finish(graph, false);
}

int nna_graph_finish_leniently(struct nna_graph *graph)
{
	return finish(graph, true);
}
