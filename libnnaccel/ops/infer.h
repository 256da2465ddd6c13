/* SPDX-License-Identifier: MIT */
/*
 * Shape inference over a subgraph: every operation is checked, then asked for the shapes of its
 * outputs.
 *
 * The caller owns an array of one shape for each operand. nna_infer_begin() fills it with what the
 * model states; the caller overwrites the shapes of inputs that it has bound (and sets their
 * @final), and nna_infer_subgraph() completes the rest in execution order. The channel_scales stay
 * the graph's. Nothing is kept between calls; any thread may infer a finished graph.
 */
#ifndef NNA_INFER_H
#define NNA_INFER_H

#include "libnnaccel/graph/graph.h"

/**
 * struct nna_bound_value - an operand whose value is known though it is no constant of the model
 * @operand: number of an input of the subgraph, or of a result that is known already
 * @data: its elements, row-major; the caller's. NULL: not computed yet, see struct nna_demand
 * @size: bytes at @data, exactly those of the shape
 */
struct nna_bound_value {
	uint32_t operand;
	const void *data;
	size_t size;
};

/* Fills @shapes with what the model states for the operands of @subgraph. */
void nna_infer_begin(const struct nna_graph *graph, uint32_t subgraph, struct nna_shape *shapes);

/**
 * nna_infer_subgraph() - complete the shapes of a subgraph
 * @graph: a finished graph
 * @subgraph: number of the subgraph
 * @shapes: one for each operand, completed
 * @values: @value_count values, which may decide about shapes and parameters
 * @value_count: entries of @values
 * @stop: set with any error: position in the execution order of the operation that it belongs to;
 *	shapes of what precedes it are final. May be NULL
 * @log: where errors go; NULL: to the graph's log
 *
 * Return: 0 when all shapes are final; -EAGAIN when they depend on a value, or on the shape of an
 * input, that is not known; -EINVAL or -ENOTSUP with a message; -ENOMEM.
 */
int nna_infer_subgraph(const struct nna_graph *graph, uint32_t subgraph, struct nna_shape *shapes,
		       const struct nna_bound_value *values, uint32_t value_count, uint32_t *stop,
		       const struct nna_log *log);

/*
 * The same for nna_graph_finish(): operations that are not known or not supported are passed over;
 * with @lenient also those that break their rules, with a message.
 */
int nna_infer_known(const struct nna_graph *graph, uint32_t subgraph, struct nna_shape *shapes,
		    bool lenient, const struct nna_log *log);

struct nna_op_context;
/*
 * Compares the outputs of an operation, whose infer() has returned 0, with what the graph states;
 * then they are final. Return: 0, or -EINVAL with a message.
 */
int nna_infer_settle(struct nna_op_context *op);

#endif
