/* SPDX-License-Identifier: MIT */
/*
 * Operands of the graph as values of the ir, while a subgraph is lowered; every dim is known then.
 *
 * An operand has one value; its producer decides what it is:
 *  - nna_lower_out() gives a fresh contiguous value to write to (directly in the output's storage
 *    for model outputs), or
 *  - nna_lower_alias() says that the operand is a view of an existing value (RESHAPE, SPLIT ...);
 *    when the operand is a model output, a COPY is inserted.
 */
#ifndef NNA_OPS_LOWER_H
#define NNA_OPS_LOWER_H

#include "libnnaccel/ir/ir.h"
#include "libnnaccel/ops/op.h"

/* The enum nna_type of an operand's elements; NNA_TYPE_NONE for NNA_OPERAND_SUBGRAPH. */
uint8_t nna_lower_type(enum nna_operand_type type);

/**
 * struct nna_frame - operands of a subgraph while it is lowered
 * @values: value of each operand, NNA_NO_VALUE until there is one
 * @shapes: complete shape of each operand with a value
 * @bound, @bound_count, @bound_room: operands whose bytes are known, or can be asked for, though
 *	the graph does not state them
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
 * A frame in which no operand has a value, and shapes are as the model states them. Return: 0 or
 * -ENOMEM.
 */
int nna_frame_begin(struct nna_frame *f, const struct nna_graph *graph, uint32_t subgraph,
		    struct nna_frame *outer);
void nna_frame_end(struct nna_frame *f);
/*
 * Makes the bytes of an operand known; they stay where they are. NULL: somebody who needs them asks
 * for them (struct nna_demand). Return: 0 or -ENOMEM.
 */
int nna_frame_bind(struct nna_frame *f, uint32_t operand, const void *data, size_t size);

/* The value of an operand of a frame; constants get one when they are asked for. */
int64_t nna_frame_value(struct nna_lower *l, const struct nna_frame *f,
			const struct nna_subgraph *sub, uint32_t operand,
			const struct nna_shape *shape);

/*
 * Gives an operand a value in scratch memory, whoever would write it. For operations that are
 * lowered alone. Return: 0 or a negative errno.
 */
int nna_frame_stand_in(struct nna_lower *l, struct nna_frame *f, uint32_t operand,
		       const struct nna_shape *shape);

/* The value of input @i, NNA_NO_VALUE where it is omitted. Scalars have rank 0. */
int64_t nna_lower_in(struct nna_op_context *op, uint32_t i);
/* The value to write output @i to, of the inferred shape. */
int64_t nna_lower_out(struct nna_op_context *op, uint32_t i);
/*
 * Names the value that holds the number of rows of output @i, whose shape is bounded: one S32 in
 * scratch memory.
 */
int nna_lower_set_count(struct nna_op_context *op, uint32_t i, uint32_t count);
/* Makes output @i a view of @value: the same elements in the same order, under its own dims. */
int nna_lower_alias(struct nna_op_context *op, uint32_t i, uint32_t value);

#endif
