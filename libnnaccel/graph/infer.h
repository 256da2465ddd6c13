/* SPDX-License-Identifier: MIT */
/*
 * Shape inference over a subgraph: every operation is checked, then asked for the shapes of its
 * outputs.
 *
 * The caller owns an array of one shape per operand. nna_infer_begin() fills it with what the model
 * states; the caller overwrites the shapes of inputs that it has bound (and sets their @final), and
 * nna_infer_subgraph() completes the rest in execution order. channel_scales stay the graph's.
 * Nothing is kept between calls; any thread may infer a finished graph.
 */
#ifndef NNA_INFER_H
#define NNA_INFER_H

#include "libnnaccel/graph/graph.h"

/**
 * struct nna_bound_value - the value of an operand that is no constant of the model, known at
 * set-up
 * @operand: an input of the subgraph, or an operand whose operation has already run
 * @data: row-major elements
 * @size: bytes at @data, exactly those of the shape
 */
struct nna_bound_value {
	uint32_t operand;
	const void *data;
	size_t size;
};

/* The shapes that the model states for the operands of @subgraph. */
void nna_infer_begin(const struct nna_graph *graph, uint32_t subgraph, struct nna_shape *shapes);

/**
 * nna_infer_subgraph() - complete the shapes of a subgraph
 * @graph: a finished graph
 * @shapes: in and out, one per operand
 * @values: @value_count values that may decide about shapes and parameters
 * @stop: with -EAGAIN: position in the subgraph's execution order of the operation whose shapes
 *	depend on a value that is not known (or on an input whose shape is not known); shapes of
 *	what precedes it are final. May be NULL
 *
 * Return: 0 when all shapes are final, -EAGAIN, -EINVAL or -ENOTSUP with a line in @log (NULL: the
 * graph's), -ENOMEM.
 */
int nna_infer_subgraph(const struct nna_graph *graph, uint32_t subgraph, struct nna_shape *shapes,
		       const struct nna_bound_value *values, uint32_t value_count, uint32_t *stop,
		       const struct nna_log *log);

/* For nna_graph_finish(): the same, passing over all that is not known or not supported. */
int nna_infer_known(const struct nna_graph *graph, uint32_t subgraph, struct nna_shape *shapes,
		    const struct nna_log *log);

#endif
