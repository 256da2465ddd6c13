/* SPDX-License-Identifier: MIT */
/*
 * Subgraphs that an operation refers to: their shapes for given inputs, and their commands in the
 * place of the operation.
 *
 * An nna_subgraph_run is owned by its user, between begin and end. Values of inputs that are known
 * at set-up are known inside, too.
 */
#ifndef NNA_SUBGRAPH_H
#define NNA_SUBGRAPH_H

#include "libnnaccel/ops/op_util.h"

/**
 * struct nna_subgraph_run - a subgraph with the inputs of one use
 * @number: which
 * @shapes: of all its operands
 * @bound: @bound_count inputs whose values are known
 */
struct nna_subgraph_run {
	const struct nna_subgraph *subgraph;
	uint32_t number;
	struct nna_shape *shapes;
	struct nna_bound_value *bound;
	uint32_t bound_count;
};

/**
 * nna_subgraph_begin() - the subgraph that input @i of the operation refers to, with its shapes
 * @first: its inputs are the operation's inputs from this one on
 * @known: how many of the last inputs keep their values for the whole run (all for IF; what no loop
 *	writes for WHILE)
 *
 * Return: 0, -EAGAIN where shapes depend on data, or another error; there is nothing to end then.
 */
int nna_subgraph_begin(struct nna_subgraph_run *run, const struct nna_op_context *op, uint32_t i,
		       uint32_t first, uint32_t known);
void nna_subgraph_end(struct nna_subgraph_run *run);

/*
 * Input @i refers to a subgraph with @outputs outputs, whose inputs have the types of the
 * operation's inputs from @first on; -ENOTSUP where one of its operations is not supported.
 */
int nna_subgraph_check(const struct nna_op_context *op, uint32_t i, uint32_t first,
		       uint32_t outputs);

/*
 * Lowers all operations. @inputs: a value per input. @outputs: a value per output to write to, of
 * the inferred shape.
 */
int nna_subgraph_lower(struct nna_subgraph_run *run, const struct nna_op_context *op,
		       const uint32_t *inputs, const uint32_t *outputs);

static inline const struct nna_shape *nna_subgraph_output(const struct nna_subgraph_run *run,
							  uint32_t i)
{
	return &run->shapes[run->subgraph->outputs[i]];
}

#endif
