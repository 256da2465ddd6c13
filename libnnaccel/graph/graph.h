/* SPDX-License-Identifier: MIT */
/*
 * The graph as the library holds it.
 *
 * A graph is an array of subgraphs; a subgraph has operands and operations by number, as in NNAPI.
 * After nna_graph_finish() nothing changes any more: operations are also listed in execution order,
 * and operands carry the shapes that could be inferred from what the model states (0 where
 * unknown). Constants of up to 128 bytes and those set by copy live in the graph; others are the
 * caller's bytes. The graph owns all arrays and frees them when its last reference goes.
 */
#ifndef NNA_GRAPH_H
#define NNA_GRAPH_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "nnaccel.h"

#define NNA_GRAPH_MAX_SUBGRAPHS 1024u
#define NNA_GRAPH_MAX_OPERANDS (1u << 20)
#define NNA_NONE UINT32_MAX

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
 * @rank_known: false for a tensor of unknown rank
 * @final: nothing is unknown any more: a dim of 0 is an empty one. A stated shape is final when its
 *	rank is known and no dim is 0 (scalars are)
 * @bounded: dims[0] is an upper bound; how many of them there are is known after the run. An
 *	operation that reads such a tensor waits for that (-EAGAIN)
 * @omitted: for a run: an input of the main subgraph that the caller leaves out; its operations see
 *	it as NO_VALUE
 * @dims: 0 is unknown, or empty in a final shape
 * @channel_scales: @channel_count values owned by the operand, NULL if none
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
 * @stated: as the model says
 * @shape: finished graph: @stated, completed by what could be inferred without bindings
 * @lifetime: what it is
 * @data: constants: the bytes
 * @size: of @data
 * @owned: @data is freed with the graph
 * @subgraph: NNA_LIFETIME_SUBGRAPH: which
 * @producer: operation that writes it, or NNA_NONE
 * @consumers: number of operation inputs that read it
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

struct nna_operation {
	enum nna_operation_type type;
	uint32_t input_count, output_count;
	uint32_t *inputs, *outputs; /* operand numbers */
};

struct nna_subgraph {
	struct nna_operand *operands;
	uint32_t operand_count, operand_room;
	struct nna_operation *operations;
	uint32_t operation_count, operation_room;
	uint32_t *order; /* finished: operations in execution order */
	uint32_t *inputs, *outputs;
	uint32_t input_count, output_count;
};

struct nna_graph {
	atomic_uint references;
	struct nna_log log;
	bool finished;
	bool failed; /* nna_graph_finish() found a fault: of no use any more */
	bool relaxed;
	enum nna_rounding rounding;
	struct nna_subgraph *subgraphs;
	uint32_t subgraph_count;
	/* of a part: what its operations and constants belong to, with a reference */
	struct nna_graph *whole;
};

/**
 * nna_graph_create_part() - some operations of a finished graph as a graph of its own
 * @subgraph: whose operations; it is subgraph 0 of the part, the others keep their numbers
 * @from, @to: range of its execution order
 *
 * Operands keep their numbers. What the operations read from elsewhere is an input of the part,
 * what is wanted elsewhere an output, each in the order of operands; @whole is not itself a part.
 */
int nna_graph_create_part(struct nna_graph *whole, uint32_t subgraph, uint32_t from, uint32_t to,
		       struct nna_graph **out);
/* For nna_graph_unref(). */
void nna_graph_destroy_part(struct nna_graph *part);

/* One line to a log; printf-like. */
void nna_log_print(const struct nna_log *log, enum nna_log_level level, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/*
 * Product of dims times element size; false on overflow or an unknown dim. Scalars have one
 * element.
 */
bool nna_shape_bytes(const struct nna_shape *shape, size_t *bytes);
bool nna_shape_elements(const struct nna_shape *shape, uint64_t *elements);
bool nna_operand_type_is_tensor(enum nna_operand_type type);
bool nna_operand_type_is_quantised(enum nna_operand_type type);
/* Range of the numbers that a quantised or integer type stores. */
void nna_operand_type_range(enum nna_operand_type type, int64_t *low, int64_t *high);

#endif
