/* SPDX-License-Identifier: MIT */
/*
 * Maps operands of the graph to values of the ir while a subgraph is lowered. All dims are known.
 *
 * An operand has one value. The operation that produces the operand calls one of two functions:
 *  - nna_lower_out() makes a new contiguous value to write to; for an output of the model it lies
 *    in the output's storage;
 *  - nna_lower_alias() makes the operand a view of an existing value (RESHAPE, SPLIT ...); for an
 *    output of the model it emits a COPY.
 */
#ifndef NNA_OPS_LOWER_H
#define NNA_OPS_LOWER_H

#include "libnnaccel/ir/ir.h"
#include "libnnaccel/ops/op.h"

/* Return: the enum nna_type of an operand's elements; NNA_TYPE_NONE for NNA_OPERAND_SUBGRAPH. */
uint8_t nna_lower_type(enum nna_operand_type type);

/**
 * struct nna_frame - operands of a subgraph while it is lowered
 * @subgraph: its number
 * @values: value of each operand; NNA_NO_VALUE before it has one
 * @shapes: complete shape of each operand with a value
 * @bound: @bound_count operands that are no constants, but whose bytes are known or can be demanded
 * @bound_count: entries of @bound
 * @bound_room: allocated entries of @bound
 * @outer: the frame of the operation that lowers this subgraph
 */
struct nna_frame {
	uint32_t subgraph;
	uint32_t *values;
	struct nna_shape *shapes;
	struct nna_bound_value *bound;
	uint32_t bound_count, bound_room;
	struct nna_frame *outer;
};

/*
 * Begins a frame: no operand has a value, and shapes are those that the model states. Return: 0 or
 * -ENOMEM.
 */
int nna_frame_begin(struct nna_frame *f, const struct nna_graph *graph, uint32_t subgraph,
		    struct nna_frame *outer);
void nna_frame_end(struct nna_frame *f);
/*
 * Binds an operand to @data, which the frame does not copy. NULL: an operation that needs the bytes
 * demands them (struct nna_demand). Return: 0 or -ENOMEM.
 */
int nna_frame_bind(struct nna_frame *f, uint32_t operand, const void *data, size_t size);

/* Return: the value of an operand of a frame; a constant gets its value in the first call. */
int64_t nna_frame_value(struct nna_lower *l, const struct nna_frame *f,
			const struct nna_subgraph *sub, uint32_t operand,
			const struct nna_shape *shape);

/*
 * Gives an operand a value in scratch memory, which no operation writes. For an operation that is
 * lowered alone. Return: 0 or a negative errno.
 */
int nna_frame_stand_in(struct nna_lower *l, struct nna_frame *f, uint32_t operand,
		       const struct nna_shape *shape);

/* Return: the value of input @i, NNA_NO_VALUE if it is omitted. Scalars have rank 0. */
int64_t nna_lower_in(struct nna_op_context *op, uint32_t i);
/* Return: the value to write output @i to, of the inferred shape. */
int64_t nna_lower_out(struct nna_op_context *op, uint32_t i);
/*
 * States which value holds the number of rows of output @i, whose dims[0] is an upper bound. @count
 * is one S32 in scratch memory.
 */
int nna_lower_set_count(struct nna_op_context *op, uint32_t i, uint32_t count);
/* Makes output @i a view of @value: the same elements in the same order, with the output's dims. */
int nna_lower_alias(struct nna_op_context *op, uint32_t i, uint32_t value);

#endif
