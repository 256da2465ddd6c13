/* SPDX-License-Identifier: MIT */
/*
 * Shape inference over a subgraph: each operation is checked and infers the shapes of its outputs.
 *
 * The caller owns an array with a shape for each operand. nna_infer_begin() fills it with the
 * shapes that the model states. The caller overwrites the shapes of inputs that it has bound and
 * sets their
 * @final. nna_infer_subgraph() completes the other shapes in execution order. The graph keeps the
 * channel_scales. No state is kept between calls; any thread may infer a finished graph.
 */
#ifndef NNA_INFER_H
#define NNA_INFER_H

#include "libnnaccel/graph/graph.h"

/**
 * struct nna_bound_value - an operand that is no constant, but whose value is known
 * @operand: number of an input of the subgraph, or of a result that has been computed
 * @data: its elements, row-major; the caller's. NULL: not computed yet, see struct nna_demand
 * @size: bytes at @data, exactly those of the shape
 */
struct nna_bound_value {
	uint32_t operand;
	const void *data;
	size_t size;
};

/* Fills @shapes with the shapes that the model states for the operands of @subgraph. */
void nna_infer_begin(const struct nna_graph *graph, uint32_t subgraph, struct nna_shape *shapes);

/**
 * nna_infer_subgraph() - complete the shapes of a subgraph
 * @graph: a finished graph
 * @subgraph: number of the subgraph
 * @shapes: one for each operand, completed
 * @values: @value_count values, on which shapes and parameters may depend
 * @value_count: entries of @values
 * @stop: after an error: position of the failed operation in the execution order; shapes of the
 *	outputs of earlier operations are final. May be NULL
 * @log: receives errors; NULL: the graph's log does
 *
 * Return: 0 if all shapes are final; -EAGAIN if a shape depends on a value, or on the shape of an
 * input, that is not known; -EINVAL or -ENOTSUP with a message; -ENOMEM.
 */
int nna_infer_subgraph(const struct nna_graph *graph, uint32_t subgraph, struct nna_shape *shapes,
		       const struct nna_bound_value *values, uint32_t value_count, uint32_t *stop,
		       const struct nna_log *log);

/*
 * As nna_infer_subgraph(), for nna_graph_finish(): passes over operations whose shapes are not
 * known yet or that are not supported; with @lenient also over those that break a rule, with a
 * message.
 */
int nna_infer_known(const struct nna_graph *graph, uint32_t subgraph, struct nna_shape *shapes,
		    bool lenient, const struct nna_log *log);

struct nna_op_context;
/*
 * Compares the outputs of an operation, whose infer() has returned 0, with the shapes that the
 * graph states, and makes them final. Return: 0, or -EINVAL with a message.
 */
int nna_infer_settle(struct nna_op_context *op);

#endif
