/* SPDX-License-Identifier: MIT */
/*
 * The graph, as data.
 *
 * A graph is an array of subgraphs; a subgraph has operands and operations by number, as in NNAPI.
 * While it is built, one thread at a time may use it. nna_graph_finish() (finish.c) checks it,
 * lists operations in execution order, and infers shapes from those that the model states (0 where
 * unknown). A finished graph does not change, so any thread may read it without a lock.
 *
 * The graph owns all arrays, and constants up to 128 bytes or set by copy; other constants are the
 * caller's bytes. It is freed with its last reference.
 */
#ifndef NNA_GRAPH_H
#define NNA_GRAPH_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libnnaccel/support/log.h"
#include "libnnaccel/support/operand_type.h"
#include "nnaccel.h"

/* The most subgraphs of a model, and the most operands or operations of each. */
#define NNA_GRAPH_MAX_SUBGRAPHS 1024u
#define NNA_GRAPH_MAX_OPERANDS (1u << 20)
/* Stands for no operand, operation, storage or label, where numbers name them. */
#define NNA_NONE UINT32_MAX

/**
 * enum nna_lifetime - the role of an operand
 * @NNA_LIFETIME_TEMPORARY: written by an operation of its subgraph
 * @NNA_LIFETIME_INPUT: an input of its subgraph
 * @NNA_LIFETIME_OUTPUT: an output of its subgraph, written by an operation
 * @NNA_LIFETIME_CONSTANT: its bytes are in the model
 * @NNA_LIFETIME_NO_VALUE: omitted
 * @NNA_LIFETIME_SUBGRAPH: refers to a subgraph
 * @NNA_LIFETIME_VARIABLE: state that lives from one run to the next
 */
enum nna_lifetime {
	NNA_LIFETIME_TEMPORARY = 0,
	NNA_LIFETIME_INPUT,
	NNA_LIFETIME_OUTPUT,
	NNA_LIFETIME_CONSTANT,
	NNA_LIFETIME_NO_VALUE,
	NNA_LIFETIME_SUBGRAPH,
	NNA_LIFETIME_VARIABLE,
};

/**
 * struct nna_shape - type, dimensions and quantisation of an operand
 * @type: of the operand
 * @rank_known: false for a tensor of unknown rank
 * @final: all dims are known; a dim of 0 then means empty. A stated shape is final if its rank is
 *	known and no dim is 0; shapes of scalars are final
 * @bounded: @dims[0] is an upper bound, because only a run counts the rows. An operation that reads
 *	such a tensor cannot be lowered (-EAGAIN); its program runs in parts
 * @omitted: in a run: an input of the main subgraph that the caller omits; operations treat it as
 *	NNA_LIFETIME_NO_VALUE
 * @rank: number of dims, 0 for scalars
 * @dims: outermost first; 0 is unknown or, in a final shape, empty
 * @scale: of quantised types, and of INT32 tensors that are a bias
 * @zero_point: of quantised types
 * @channel_dim: the dimension of the channels
 * @channel_count: entries of @channel_scales
 * @channel_scales: owned by the operand's @stated, NULL if there are none
 */
struct nna_shape {
	enum nna_operand_type type;
	bool rank_known;
	bool final;
	bool bounded;
	bool omitted;
	uint32_t rank;
	uint32_t dims[NNACCEL_MAX_RANK];
	float scale;
	int32_t zero_point;
	uint32_t channel_dim;
	uint32_t channel_count;
	float *channel_scales;
};

/**
 * struct nna_operand - one operand
 * @stated: its shape as the model states it
 * @shape: in a finished graph: @stated, completed by dims that can be inferred before inputs are
 *	bound
 * @lifetime: its role
 * @data: of a constant: its bytes
 * @size: bytes at @data
 * @owned: @data is freed with the graph; else it is the caller's
 * @subgraph: of NNA_LIFETIME_SUBGRAPH: number of the subgraph
 * @producer: number of the operation that writes it, or NNA_NONE; set by nna_graph_finish()
 * @consumers: how many inputs of operations refer to it; set by nna_graph_finish()
 */
struct nna_operand {
	struct nna_shape stated;
	struct nna_shape shape;
	enum nna_lifetime lifetime;
	const void *data;
	size_t size;
	bool owned;
	uint32_t subgraph;
	uint32_t producer;
	uint32_t consumers;
};

/**
 * struct nna_operation - one operation
 * @type: its type; the library may not know it
 * @input_count: entries of @inputs
 * @output_count: entries of @outputs, at least 1
 * @inputs: operand numbers; owned
 * @outputs: operand numbers, behind @inputs in the same array
 */
struct nna_operation {
	enum nna_operation_type type;
	uint32_t input_count, output_count;
	uint32_t *inputs, *outputs;
};

/**
 * struct nna_subgraph - one subgraph; number 0 of a graph is the main one
 * @operands: @operand_count operands
 * @operand_count: entries of @operands
 * @operand_room: entries that fit
 * @operations: @operation_count operations, as they were added
 * @operation_count: entries of @operations
 * @operation_room: entries that fit
 * @order: in a finished graph: numbers of all operations in execution order
 * @inputs: operand numbers
 * @outputs: operand numbers
 * @input_count: entries of @inputs
 * @output_count: entries of @outputs
 */
struct nna_subgraph {
	struct nna_operand *operands;
	uint32_t operand_count, operand_room;
	struct nna_operation *operations;
	uint32_t operation_count, operation_room;
	uint32_t *order;
	uint32_t *inputs, *outputs;
	uint32_t input_count, output_count;
};

/**
 * struct nna_graph - a graph, or a part of one
 * @references: holders; the last one frees it
 * @log: where messages go, the caller's
 * @finished: nna_graph_finish() has been called: nothing can be added
 * @failed: nna_graph_finish() found a fault, so the graph cannot be used
 * @relaxed: float32 may be computed as float16
 * @rounding: how quantised results are rounded
 * @subgraphs: @subgraph_count subgraphs
 * @subgraph_count: entries of @subgraphs, at least 1
 * @subgraph_room: entries that fit
 * @whole: of a part: the graph that its operations and constants belong to, with a reference; else
 *	NULL
 */
struct nna_graph {
	atomic_uint references;
	struct nna_log log;
	bool finished;
	bool failed;
	bool relaxed;
	enum nna_rounding rounding;
	struct nna_subgraph *subgraphs;
	uint32_t subgraph_count, subgraph_room;
	struct nna_graph *whole;
};

/**
 * nna_graph_create_part() - some operations of a finished graph as a graph of its own
 * @whole: the graph, which is not a part itself; the part holds a reference
 * @subgraph: number of the subgraph with the operations; it is number 0 of the part, all others
 *	keep their numbers
 * @from: position in its execution order where the part begins
 * @to: position where it ends, exclusive
 * @out: the part; nna_graph_unref() gives it back
 *
 * Operands keep their numbers. An operand that the operations read and do not write is an input of
 * the part. A result that other operations read, or that is an output of the subgraph, is an output
 * of the part. Both lists are in the order of the operands' numbers.
 *
 * Return: 0 or -ENOMEM.
 */
int nna_graph_create_part(struct nna_graph *whole, uint32_t subgraph, uint32_t from, uint32_t to,
		       struct nna_graph **out);

/*
 * Adds a copy of another graph's operand, with its value and with @shape as its stated shape, to
 * @subgraph. A reference to subgraph n becomes one to subgraph @numbers[n]. Return: the number of
 * the new operand, or an error of the functions that build a graph.
 */
int nna_graph_copy_operand(struct nna_graph *graph, uint32_t subgraph,
			   const struct nna_operand *operand, const struct nna_shape *shape,
			   const uint32_t *numbers);

/*
 * Computes and checks lifetimes, producers, order and nesting of all subgraphs, for
 * nna_graph_finish(). Return: 0, -EINVAL with a line in the log, or -ENOMEM.
 */
int nna_graph_settle(struct nna_graph *graph);

/*
 * Gives the number of elements, 1 for a scalar. Return: false on overflow or if a dim is not known.
 */
bool nna_shape_elements(const struct nna_shape *shape, uint64_t *elements);
/* Gives the size in bytes. Return: as nna_shape_elements(). */
bool nna_shape_bytes(const struct nna_shape *shape, size_t *bytes);

#endif
