/* SPDX-License-Identifier: MIT */
/*
 * Subgraphs that an operation (IF, WHILE) refers to: their shapes for given inputs, and their
 * operations in the place of the operation.
 *
 * An nna_subgraph_run belongs to its user from nna_subgraph_begin() to nna_subgraph_end(). Values
 * of the operation's inputs that are known when the program is compiled are known inside, too.
 */
#ifndef NNA_SUBGRAPH_H
#define NNA_SUBGRAPH_H

#include "libnnaccel/ops/op_util.h"

/**
 * struct nna_subgraph_run - a subgraph in the place of one operation
 * @subgraph: which, the graph's
 * @number: its number
 * @shapes: of all its operands, final; owned
 * @bound: @bound_count inputs whose values are known; the array is owned, the bytes are not
 * @bound_count: entries of @bound
 */
struct nna_subgraph_run {
	const struct nna_subgraph *subgraph;
	uint32_t number;
	struct nna_shape *shapes;
	struct nna_bound_value *bound;
	uint32_t bound_count;
};

/**
 * nna_subgraph_begin() - the subgraph that an input of an operation refers to, with its shapes
 * @run: filled in
 * @op: the operation
 * @i: number of that input
 * @first: the inputs of the subgraph are the operation's inputs from this one on
 * @known: how many of the last inputs keep their values while the subgraph runs (all for IF; for
 *	WHILE those that no iteration writes)
 *
 * Return: 0, -EAGAIN where shapes depend on data, or another error; after an error there is nothing
 * to end.
 */
int nna_subgraph_begin(struct nna_subgraph_run *run, const struct nna_op_context *op, uint32_t i,
		       uint32_t first, uint32_t known);
void nna_subgraph_end(struct nna_subgraph_run *run);

/* Input @i refers to a subgraph. */
int nna_subgraph_check_input(const struct nna_op_context *op, uint32_t i);
/*
 * Input @i refers to a subgraph with @outputs outputs, whose inputs have the types of the
 * operation's inputs from @first on; -ENOTSUP where one of its operations is not supported.
 */
int nna_subgraph_check(const struct nna_op_context *op, uint32_t i, uint32_t first,
		       uint32_t outputs);

/*
 * Lowers all operations of the subgraph. @inputs: a value for each of its inputs. @outputs: a value
 * for each of its outputs to write to, of the inferred shape.
 */
int nna_subgraph_lower(struct nna_subgraph_run *run, const struct nna_op_context *op,
		       const uint32_t *inputs, const uint32_t *outputs);

/* The inferred shape of output @i. */
static inline const struct nna_shape *nna_subgraph_output(const struct nna_subgraph_run *run,
							  uint32_t i)
{
	return &run->shapes[run->subgraph->outputs[i]];
}

#endif
