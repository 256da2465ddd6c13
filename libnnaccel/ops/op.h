/* SPDX-License-Identifier: MIT */
/*
 * The interface of an operation: its rules, the shapes of its outputs, and its lowering to the ir.
 * A file of ops/ holds one operation, or a family of operations that differ in a number or a
 * function only. It defines a `const struct nna_op nna_op_<name>` for each.
 * support/operation_list.h lists the names, and op.c has the table.
 *
 * The first comment of a file lists the operands of its operations, for instance
 *
 *	in 1	axis?	INT32	in [-rank, rank); -1 by default
 *
 * This is input 1, a scalar. "?" marks an operand that may be omitted: it has no value or, at the
 * end of the list, is absent. A tensor has its dims in brackets, [...] for any dims; a scalar has
 * none. Types are NNAPI's without TENSOR_, and
 *
 *	FLOAT		FLOAT32 or FLOAT16
 *	QUANT8		QUANT8_ASYMM or QUANT8_ASYMM_SIGNED
 *	ANY		any of FLOAT, QUANT8, INT32, INT64, BOOL8, QUANT16_SYMM, QUANT16_ASYMM,
 *			QUANT8_SYMM
 *	T0, T1 ...	the type of input 0, 1 ...
 *	Q0, Q1 ...	the same, with the same scale and zero point
 *
 * An operation has three functions. Each takes an nna_op_context. nna_op_refuse() and
 * nna_op_unsupported() write their errors.
 *
 *	check()	The rules of NNAPI that need no values and are not in the operation's signature:
 *		sizes that must agree, quantisation, and values of constant scalars. Counts, types
 *		and ranks are checked first, by the signature (support/signature.h). Both checks run
 *		when a graph is finished, where an unknown shape or value is no error, and again
 *		with complete shapes before lowering. -ENOTSUP: the operation is valid, but lower()
 *		cannot lower it; nna_graph_get_supported() reports false for it.
 *	infer()	Writes the dims of the outputs; the model states their types and quantisation. It
 *		runs when the shapes of all inputs are final. The caller compares the dims with
 *		those that the model states. -EAGAIN: the shape depends on a value that is not known
 *		yet. If the number of rows depends on data, dims[0] is an upper bound:
 *		nna_set_bound().
 *	lower()	Adds operations of the ir. The shapes of the inputs are complete. It never computes
 *		on data.
 */
#ifndef NNA_OP_H
#define NNA_OP_H

#include <errno.h>

#include "libnnaccel/graph/graph.h"
#include "libnnaccel/ops/infer.h"

struct nna_lower;
struct nna_frame;

/**
 * struct nna_demand - computes the bytes of bound values when an operation needs them
 * @meet: sets @data of all bound values that have none
 * @asked: @meet has been called
 * @error: 0, or a negative errno: @meet has failed, and lowering ends with it
 */
struct nna_demand {
	void (*meet)(struct nna_demand *demand);
	bool asked;
	int error;
};

/**
 * struct nna_op_context - an operation and its operands
 * @graph: a graph that is finished, or that nna_graph_finish() is working on
 * @subgraph: number of the subgraph
 * @index: number of the operation in it
 * @operation: that operation
 * @log: receives errors
 * @in: shapes of the inputs as far as they are known; owned
 * @in_operand: the inputs; omitted ones have the lifetime NNA_LIFETIME_NO_VALUE
 * @out: shapes of the outputs: first those in @shapes of nna_op_context_begin(), whose dims infer()
 *	completes; part of the allocation at @in
 * @out_operand: the outputs
 * @bound: @bound_count values that are known when the program is compiled, besides constants; the
 *	caller's
 * @bound_count: entries of @bound
 * @demand: computes values of @bound without @data; NULL: these stay unknown
 * @complete: the shapes of all inputs are final, and none is an upper bound
 * @lower: lower() adds its operations to it; NULL in check() and infer()
 * @frame: values of the operands of the subgraph; NULL in check() and infer()
 *
 * It lives from nna_op_context_begin() to nna_op_context_end(), in one thread.
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
	struct nna_demand *demand;
	bool complete;
	struct nna_lower *lower;
	struct nna_frame *frame;
};

/**
 * struct nna_op - one operation
 * @type: its type
 * @asks_data: infer() must know the data that it reads, even if the shapes of all outputs are known
 * @asks_floats: infer() may read FLOAT32 data, too
 * @any_rank: operands may have more than NNA_IR_MAX_RANK dims: lowered to copies and fills, or
 *	after merging dims
 * @check: see above; NULL if the signature says everything
 * @infer: see above
 * @lower: see above
 */
struct nna_op {
	enum nna_operation_type type;
	bool any_rank, asks_data, asks_floats;
	int (*check)(struct nna_op_context *op);
	int (*infer)(struct nna_op_context *op);
	int (*lower)(struct nna_op_context *op);
};

/* Return: the operation of a type, NULL if the library does not have it. */
const struct nna_op *nna_op_find(enum nna_operation_type type);

/**
 * nna_op_context_begin() - make the context of an operation
 * @op: filled in; @demand, @lower and @frame are NULL until a lowering sets them
 * @graph: see struct nna_op_context
 * @subgraph: number of the subgraph
 * @operation: number of the operation in it
 * @shapes: of all operands of @subgraph; the context copies those of the operation
 * @bound: @bound_count known values, see nna_infer_subgraph(); used until nna_op_context_end()
 * @bound_count: entries of @bound
 * @log: receives errors
 *
 * Return: 0 or -ENOMEM.
 */
int nna_op_context_begin(struct nna_op_context *op, const struct nna_graph *graph,
			 uint32_t subgraph, uint32_t operation, const struct nna_shape *shapes,
			 const struct nna_bound_value *bound, uint32_t bound_count,
			 const struct nna_log *log);
void nna_op_context_end(struct nna_op_context *op);

/*
 * Compares the operands with the support column of the signature and calls the operation's check().
 * Return: 0, -EINVAL, or -ENOTSUP (also for a type that is not in the table).
 */
int nna_op_check(struct nna_op_context *op);

/*
 * The operand of a refusal: input @i, output @i, the list of inputs or outputs where their number
 * is wrong, or no operand where the operation itself is not known.
 */
#define NNA_OP_OUTPUT 0x80000000u
#define NNA_OP_LIST 0x7fffffffu
#define NNA_IN(i) ((uint32_t)(i))
#define NNA_OUT(i) ((uint32_t)(i) | NNA_OP_OUTPUT)
#define NNA_INPUTS NNA_OP_LIST
#define NNA_OUTPUTS (NNA_OP_LIST | NNA_OP_OUTPUT)
#define NNA_NO_OPERAND (NNA_OP_LIST - 1)

/*
 * Refuses an operation that breaks a rule: logs one line and returns -EINVAL.
 *
 *	nna_op_refuse(op, NNA_IN(2), "%u elements", "%u, one for each filter", count, filters)
 *	CONV_2D (operation 3): input 2 (bias, operand 7): 5 elements; expected 4, one for each
 *	filter
 *
 * The first text says what @operand has, the second what it must have; both are string literals,
 * and the arguments of both follow. tests/unit/libnnaccel/ops/test_refusals.c has a row for each
 * call.
 */
#define nna_op_refuse(op, operand, wrong, ...) \
	nna_op_say(op, -EINVAL, operand, wrong "; expected " __VA_ARGS__)
/*
 * Refuses an operation that is valid but beyond the library: logs one line and returns -ENOTSUP.
 * The second text says what the library supports.
 */
#define nna_op_unsupported(op, operand, wrong, ...) \
	nna_op_say(op, -ENOTSUP, operand, wrong "; supported: " __VA_ARGS__)
/* Implements both: writes the line. Return: @error. */
int nna_op_say(const struct nna_op_context *op, int error, uint32_t operand, const char *format,
	       ...) __attribute__((format(printf, 4, 5)));

/* Writes the dims as text, "[1, 224, 224, 3]". Return: @text. */
const char *nna_shape_text(const struct nna_shape *shape, char *text, size_t size);

/*
 * Return: true if input @i exists, has a value, and the caller does not omit it (nna_shape's
 * @omitted).
 */
bool nna_op_has_input(const struct nna_op_context *op, uint32_t i);
/* For check(): input @i is given. Return: 0, or -EINVAL with a message. */
int nna_check_given(const struct nna_op_context *op, uint32_t i);

/*
 * Return: true if input @i is an input of the model with the dims [0]. Models mark inputs that a
 * run may omit in this way; the rank of such an input has no meaning.
 */
bool nna_op_may_omit_input(const struct nna_op_context *op, uint32_t i);

/*
 * Return: true if the model states the shapes of all outputs, or an earlier run has set them. Then
 * lowering continues after -EAGAIN of infer(). False for an operation with asks_data.
 */
bool nna_op_outputs_are_final(const struct nna_op_context *op);

/*
 * Reads scalar input @i, which is a constant or bound to a known value (NNAPI allows scalars as
 * inputs of the model). Return: 0, -EAGAIN if the value is not known yet, or -EINVAL with a message
 * if the input is missing or of another type.
 */
int nna_op_scalar_i32(const struct nna_op_context *op, uint32_t i, int32_t *value);
/* The same for a FLOAT32 or FLOAT16. */
int nna_op_scalar_f32(const struct nna_op_context *op, uint32_t i, float *value);
int nna_op_scalar_bool(const struct nna_op_context *op, uint32_t i, bool *value);
/*
 * Return: the bytes of input @i if they are known, else NULL. They are known for a constant and for
 * a bound value, which this call may compute (struct nna_demand).
 */
const void *nna_op_data(const struct nna_op_context *op, uint32_t i);
/*
 * Reads the elements of a TENSOR_INT32 or TENSOR_INT64 input: *count numbers at *values, which the
 * caller frees. INT64 saturates. Return: as for scalars, or -ENOMEM.
 */
int nna_op_tensor_i32(const struct nna_op_context *op, uint32_t i, int32_t **values,
		      uint32_t *count);

#endif
