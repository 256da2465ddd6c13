/* SPDX-License-Identifier: MIT */
/*
 * An operation in one place: its rules, its output shapes, its commands. One file of ops/ per
 * operation, or per family of operations that differ in a number only; each defines a `const struct
 * nna_op nna_op_<name>`, and ops/op.c lists them all by type.
 *
 * check() states the rules of the HAL's text that need no values: counts, types, ranks,
 * quantisation, values of constant scalars. It is called when a graph is finished (known shapes and
 * constants only: what is unknown is not an error then) and again with complete shapes before
 * lowering. -ENOTSUP says that the operation is valid, but that lower() cannot do it:
 * nna_graph_get_supported() says no to it. infer() writes the shapes of the outputs and runs only
 * when all shapes of the inputs are final: type and quantisation stay as stated by the model, dims
 * are computed; dims that the model states and that differ are an error, which the caller reports.
 * -EAGAIN says that a value which decides about the shape is not known yet. A number of rows that
 * the data decide about is a bound: nna_set_bound(). lower() emits commands; it runs with complete
 * input shapes. It never computes on data.
 *
 * All three see the operation through an nna_op_context; errors go through nna_op_fail(), which
 * names the operation.
 */
#ifndef NNA_OP_H
#define NNA_OP_H

#include "libnnaccel/graph/graph.h"
#include "libnnaccel/graph/infer.h"

struct nna_lower;

/**
 * struct nna_op_context - an operation with its operands at hand
 * @graph, @subgraph, @operation, @index: which
 * @in: shapes of inputs as far as known; omitted (NO_VALUE) ones have lifetime NO_VALUE in
 *	@in_operand
 * @out: shapes of outputs: stated by the model at first; infer() completes dims
 * @bound, @bound_count: values of operands that are known at set-up besides constants
 * @complete: the shapes of all inputs are final and exact
 * @lower: NULL except in lower()
 */
struct nna_op_context {
	const struct nna_graph *graph;
	uint32_t subgraph;
	uint32_t index;
	const struct nna_operation *operation;
	const struct nna_log *log;
	struct nna_shape *in;
	const struct nna_operand **in_operand;
	struct nna_shape *out;
	const struct nna_operand **out_operand;
	const struct nna_bound_value *bound;
	uint32_t bound_count;
	bool complete;
	struct nna_lower *lower;
};

/**
 * struct nna_op - one operation
 * @min_inputs: fewest inputs; @max_inputs: most (UINT32_MAX: no limit)
 * @min_outputs, @max_outputs: likewise
 */
struct nna_op {
	enum nna_operation_type type;
	bool any_rank; /* its commands are copies and fills, which take operands of any rank */
	uint32_t min_inputs, max_inputs;
	uint32_t min_outputs, max_outputs;
	int (*check)(struct nna_op_context *op);
	int (*infer)(struct nna_op_context *op);
	int (*lower)(struct nna_op_context *op);
};

/* The table; NULL for a type that the library does not know. */
const struct nna_op *nna_op_find(enum nna_operation_type type);

/**
 * nna_op_context_begin() - an operation with its operands at hand
 * @shapes: of all operands of @subgraph; those of the operation are copied into the context
 * @bound: see nna_infer_subgraph(); both stay the caller's, until nna_op_context_end()
 *
 * op->lower is NULL: a lowering sets it. Return: 0 or -ENOMEM.
 */
int nna_op_context_begin(struct nna_op_context *op, const struct nna_graph *graph,
			 uint32_t subgraph, uint32_t operation, const struct nna_shape *shapes,
			 const struct nna_bound_value *bound, uint32_t bound_count,
			 const struct nna_log *log);
void nna_op_context_end(struct nna_op_context *op);

/*
 * Counts of operands and the operation's check(). Return: 0, -EINVAL, or -ENOTSUP (also for a type
 * not in the table).
 */
int nna_op_check(struct nna_op_context *op);

/*
 * Logs "CONV_2D (operation 3): <text>" and returns -EINVAL (nna_op_fail) or -ENOTSUP
 * (nna_op_unsupported).
 */
int nna_op_fail(const struct nna_op_context *op, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
int nna_op_unsupported(const struct nna_op_context *op, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * True when input @i is given: in range, not NO_VALUE, and not left out by the caller (nna_shape's
 * omitted).
 */
bool nna_op_has_input(const struct nna_op_context *op, uint32_t i);

/*
 * Shapes of outputs that depend on values are stated by the model, or known from an earlier run:
 * lowering can go on.
 */
bool nna_op_outputs_are_final(const struct nna_op_context *op);

/*
 * Values of inputs that are constants or bound to known values (NNAPI lets scalars be model inputs
 * too). -EAGAIN: the value is not known (yet), check() passes over it. Return: 0, -EAGAIN, or
 * -EINVAL with a message when the type is wrong.
 */
int nna_op_scalar_i32(const struct nna_op_context *op, uint32_t i, int32_t *value);
/* FLOAT32 or FLOAT16 */
int nna_op_scalar_f32(const struct nna_op_context *op, uint32_t i, float *value);
int nna_op_scalar_bool(const struct nna_op_context *op, uint32_t i, bool *value);
/*
 * Bytes of input @i if they are known: a constant or a bound value of the shape's size; else NULL.
 */
const void *nna_op_data(const struct nna_op_context *op, uint32_t i);
/*
 * Elements of a TENSOR_INT32 (or INT64) input whose value is known; *count entries at *values
 * (caller frees).
 */
int nna_op_tensor_i32(const struct nna_op_context *op, uint32_t i, int32_t **values,
		      uint32_t *count);

#endif
