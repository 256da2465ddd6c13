/* SPDX-License-Identifier: MIT */
/*
 * Random graphs against the device.
 *
 * A graph is made from a seed (nnr_make()), run on the device (nnr_run_graph()) and judged
 * operation by operation: each operation's result is compared with what an evaluator in double
 * precision (eval.h) computes from the device's own inputs of that operation, so that no error
 * adds up over a chain. The graph is then run once more with only its ends as outputs, where the
 * compiler may fuse and reuse memory: those must agree to the byte (where fast kernels add floats
 * in another order, with the scalar ones).
 *
 * A graph owns all that its operands point to. Nothing here is shared between threads, except the
 * device.
 */
#ifndef NNR_RANDOM_H
#define NNR_RANDOM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "nnaccel.h"

#define NNR_MAX_IN 64
#define NNR_MAX_OUT 8
#define NNR_MAX_OPERANDS 400
#define NNR_MAX_OPERATIONS 24
#define NNR_MAX_SUBGRAPHS 12
#define NNR_MAX_CHANNELS 64
/* More elements than this in one tensor only cost time. */
#define NNR_MAX_ELEMENTS 20000

/* ---- random numbers */

struct nnr_random {
	uint64_t state;
};

static inline uint64_t nnr_next(struct nnr_random *r)
{
	uint64_t z = r->state += 0x9e3779b97f4a7c15ull;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ z >> 27) * 0x94d049bb133111ebull;
	return z ^ z >> 31;
}

/* 0 to n - 1 */
static inline uint32_t nnr_below(struct nnr_random *r, uint32_t n)
{
	return (uint32_t)((nnr_next(r) >> 32) * n >> 32);
}

/* low to high, both included */
static inline int32_t nnr_range(struct nnr_random *r, int32_t low, int32_t high)
{
	return low + (int32_t)nnr_below(r, (uint32_t)(high - low + 1));
}

/* True once in n. */
static inline bool nnr_once_in(struct nnr_random *r, uint32_t n)
{
	return !nnr_below(r, n);
}

static inline double nnr_uniform(struct nnr_random *r, double low, double high)
{
	return low + (high - low) * ((double)(nnr_next(r) >> 11) * 0x1p-53);
}

/* ---- graphs */

enum nnr_kind { NNR_TEMPORARY, NNR_INPUT, NNR_CONSTANT, NNR_NO_VALUE };

/**
 * struct nnr_operand - an operand and its bytes
 * @dims: known ones, also where @hidden keeps them from the library
 * @hidden: dimensions are stated as unknown: of temporaries, and of outputs of the graph
 * @output: an output of the graph when only ends are
 * @subgraph: which of the graph's an operand of type NNA_OPERAND_SUBGRAPH is
 * @data: constants, inputs, and after a run what the device computed
 */
struct nnr_operand {
	uint32_t type, rank, dims[NNACCEL_MAX_RANK];
	float scale;
	int32_t zero_point;
	uint32_t channel_dim, channel_count;
	float channel_scales[NNR_MAX_CHANNELS];
	enum nnr_kind kind;
	bool hidden, output;
	uint32_t subgraph;
	uint8_t *data;
	size_t size;
};

struct nnr_operation {
	uint32_t type;
	uint32_t input_count, output_count;
	uint32_t in[NNR_MAX_IN], out[NNR_MAX_OUT];
};

/**
 * struct nnr_graph - a graph, or a subgraph of one
 * @as_tflite: built with TFLite's rounding; the same for all subgraphs
 * @subgraphs: those that its operands refer to; in these the inputs are the operands that are
 *	NNR_INPUT and the outputs those with @output, in their order
 */
struct nnr_graph {
	uint64_t seed;
	bool relaxed, as_tflite;
	uint32_t operand_count, operation_count, subgraph_count;
	struct nnr_operand *operands[NNR_MAX_OPERANDS];
	struct nnr_operation operations[NNR_MAX_OPERATIONS];
	struct nnr_graph *subgraphs[NNR_MAX_SUBGRAPHS];
};

struct nnr_graph *nnr_graph_new(void);
struct nnr_graph *nnr_graph_copy(const struct nnr_graph *graph);
void nnr_graph_free(struct nnr_graph *graph);

/* Adds an operand without bytes. Return: its number, or -1 when there are too many. */
int nnr_add_operand(struct nnr_graph *graph, enum nnr_kind kind, uint32_t type, uint32_t rank,
		    const uint32_t *dims);
void nnr_set_data(struct nnr_operand *operand, const void *data, size_t size);
/* Adds an operand that is @subgraph, which @graph then owns; it is freed if there are too many. */
int nnr_add_subgraph(struct nnr_graph *graph, struct nnr_graph *subgraph);
void nnr_drop_operands(struct nnr_graph *graph, uint32_t count);

/* Removes operands that nothing uses; operations keep their order. */
void nnr_compact(struct nnr_graph *graph);

uint64_t nnr_elements(const struct nnr_operand *operand);
bool nnr_is_tensor(uint32_t type);
bool nnr_is_float(uint32_t type);
bool nnr_is_quantised(uint32_t type);
/* Range of stored numbers of an integer type. */
void nnr_type_range(uint32_t type, int64_t *low, int64_t *high);

/* The stored number (quantised types) or value (others) at @data, and back. */
double nnr_load(uint32_t type, const void *data, size_t index);
void nnr_store(uint32_t type, void *data, size_t index, double value);
/* What an element means: its stored number with scale and zero point applied. */
double nnr_real(const struct nnr_operand *operand, size_t index);

void nnr_print(const struct nnr_graph *graph, FILE *to);
const char *nnr_type_text(uint32_t type);

/* ---- making, judging them */

/**
 * struct nnr_options - what is made and how it is judged
 * @allowed: operations that may be made, by type; empty (@allowed_count 0) is all
 * @flip: a bit of the device's first result is flipped before it is judged: a test of the test
 * @biased: results are expected to be a little larger than they are: likewise
 */
struct nnr_options {
	uint32_t allowed[128];
	uint32_t allowed_count;
	bool flip, biased;
};

/* The operations that can be made, numbered from 0. */
extern const uint32_t nnr_maker_count;
uint32_t nnr_maker_type(uint32_t i);

struct nnr_graph *nnr_make(uint64_t seed, const struct nnr_options *options);

/* How a graph ended. */
enum nnr_verdict {
	NNR_AGREES,
	NNR_SENSELESS, /* the evaluator does not accept it */
	NNR_UNKNOWN,   /* the library does not have one of the operations */
	NNR_REFUSED,   /* a valid graph was not accepted, or did not run */
	NNR_DIFFERS,   /* a result is off */
	NNR_SHAPE,     /* an output has other dimensions */
	NNR_FUSED,     /* ends differ when intermediate results are not outputs */
	NNR_TAKEN,     /* an invalid graph was accepted */
	NNR_SILENT,    /* one was refused without a message that helps */
};

/**
 * struct nnr_report - why
 * @operation: number of the operation that differs, or -1
 * @checked: elements compared
 * @unchecked: elements passed over: an overflow, or a result that the specification leaves open
 * @text: one line
 * @log: last line of the library
 */
struct nnr_report {
	enum nnr_verdict verdict;
	int operation;
	uint64_t checked, unchecked;
	char text[400];
	char log[400];
};

struct nnr_log {
	char last[400];
	uint32_t lines;
};

/* For struct nna_log: puts a message into the log that nnr_log_use() set for the calling thread. */
void nnr_log_line(void *user, enum nna_log_level level, const char *text);
void nnr_log_use(struct nnr_log *log);

/* Builds the graph in the library. @all: every result is an output. Return: 0, or its error. */
int nnr_build(const struct nnr_graph *graph, bool all, struct nna_graph **out);

/* Whether the device claims to support all operations of the graph. */
bool nnr_supports(struct nna_device *device, const struct nnr_graph *graph);

/*
 * Builds the graph, compiles it and runs it; its operands then hold the results. Return: 0, or the
 * library's error, and *step says of what.
 */
int nnr_run_graph(struct nna_device *device, struct nnr_graph *graph, bool all, const char **step);

/**
 * struct nnr_device - where graphs run
 * @main: the device
 * @plain: one that adds up in the defined order whatever the layout, or NULL when there is none:
 *	fast kernels may add floats in another order, and which kernel runs may depend on what is
 *	fused
 */
struct nnr_device {
	struct nna_device *main, *plain;
};

/* Runs the graph and judges it; its operands then hold the device's results. */
enum nnr_verdict nnr_judge(const struct nnr_device *device, struct nnr_graph *graph,
			   const struct nnr_options *options, struct nnr_report *report);

/* The smallest graph found that ends with the same verdict at an operation of the same type. */
struct nnr_graph *nnr_shrink(const struct nnr_device *device, const struct nnr_graph *graph,
			     const struct nnr_options *options, struct nnr_report *report);

/* Computes all results by the evaluator alone. Return: false when it does not take the graph. */
bool nnr_reinfer(struct nnr_graph *graph);

/*
 * Writes @path for nnv_run. Expected are the results that the graph's outputs hold or, with @all,
 * those of every operation.
 */
int nnr_save(const struct nnr_graph *graph, bool all, const char *path, const char *name);

/* Changes one thing of a valid graph, and *what says which. Return: whether it is invalid now. */
bool nnr_mutate(struct nnr_graph *graph, struct nnr_random *random, const char **what);

/* Runs a mutant: it must run, or be refused by a message that names an operation or operand. */
enum nnr_verdict nnr_judge_mutant(const struct nnr_device *device, struct nnr_graph *graph,
				  bool invalid, const char *what, struct nnr_report *report);

#endif
