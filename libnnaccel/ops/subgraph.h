/* SPDX-License-Identifier: MIT */
/*
 * Subgraphs that an operation (IF, WHILE) refers to: infers their shapes for given inputs and
 * lowers their operations in place of the operation.
 *
 * The caller owns an nna_subgraph_run from nna_subgraph_begin() to nna_subgraph_end(). A value of
 * the operation's inputs that is known when the program is compiled is known in the subgraph, too.
 */
#ifndef NNA_SUBGRAPH_H
#define NNA_SUBGRAPH_H

#include "libnnaccel/ops/op_util.h"

/**
 * struct nna_subgraph_run - a subgraph that is lowered in place of one operation
 * @subgraph: the subgraph; the graph owns it
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
 * nna_subgraph_begin() - infer the shapes of the subgraph that an input of an operation refers to
 * @run: filled in
 * @op: the operation
 * @i: number of that input
 * @first: the inputs of the subgraph are the operation's inputs from this one on
 * @known: the number of the last inputs that keep their values while the subgraph runs (all for IF;
 *	for WHILE those that no iteration writes)
 *
 * Return: 0, -EAGAIN if a shape depends on data, or another error. After an error the caller does
 * not call nna_subgraph_end().
 */
int nna_subgraph_begin(struct nna_subgraph_run *run, const struct nna_op_context *op, uint32_t i,
		       uint32_t first, uint32_t known);
void nna_subgraph_end(struct nna_subgraph_run *run);

/* Input @i refers to a subgraph. */
int nna_subgraph_check_input(const struct nna_op_context *op, uint32_t i);
/*
 * Input @i refers to a subgraph with @outputs outputs, whose inputs have the types of the
 * operation's inputs from @first on. -ENOTSUP: one of its operations cannot be lowered.
 */
int nna_subgraph_check(const struct nna_op_context *op, uint32_t i, uint32_t first,
		       uint32_t outputs);

/*
 * Lowers all operations of the subgraph. @inputs: a value for each of its inputs. @outputs: a value
 * for each of its outputs to write to, of the inferred shape.
 */
int nna_subgraph_lower(struct nna_subgraph_run *run, const struct nna_op_context *op,
		       const uint32_t *inputs, const uint32_t *outputs);

/* Return: the inferred shape of output @i. */
static inline const struct nna_shape *nna_subgraph_output(const struct nna_subgraph_run *run,
							  uint32_t i)
{
	return &run->shapes[run->subgraph->outputs[i]];
}

#endif
