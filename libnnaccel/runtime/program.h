/* SPDX-License-Identifier: MIT */
/*
 * Programs: a graph for a device.
 *
 * A program holds a reference to its graph, borrows its device, and owns its variants and parts. A
 * part is a range of the graph's operations as a program of its own; parts are created when a run
 * whose shapes depend on data first needs them (parts.h), and kept.
 *
 * Locks, in the order in which they are taken: the watchdog's (spare.h), @compiling, @lock.
 */
#ifndef NNA_RUNTIME_PROGRAM_H
#define NNA_RUNTIME_PROGRAM_H

#include <pthread.h>
#include <stdatomic.h>

#include "libnnaccel/compiler/compile.h"
#include "libnnaccel/graph/graph.h"

struct nna_part;
struct nna_variant;

/**
 * struct nna_program - a graph for a device
 * @device: the device; borrowed
 * @graph: a reference
 * @priority: of all runs
 * @preference: the caller's, an enum nna_preference where the library looks at it
 * @next_of_device: the next of the device's programs, under the watchdog's lock
 * @fixed: the program was loaded without its graph, so nothing more can be compiled; @graph has the
 *	interface only
 * @lock: guards @variants, @variant_count, @stated, @parts and the spare contexts of variants
 * @compiling: held while a variant is compiled; taken before @lock
 * @variants: @variant_count variants, most recently used first
 * @parameters: for each input: its value is part of the signature. Elements are only ever set,
 *	under both locks.
 * @has_parameters: at least one element of @parameters is set
 * @own_slots: of the inputs and then the outputs, the first @own_slots have slots of their own;
 *	constant
 * @stated: the variant for the shapes that the graph states, if they are complete and it has code;
 *	no reference
 * @parts: never shrinks, so that a part can be used without the lock; of two equal parts the first
 *	one counts
 */
struct nna_program {
	struct nna_device *device;
	struct nna_graph *graph;
	enum nna_priority priority;
	uint32_t preference;
	struct nna_program *next_of_device;
	bool fixed;
	pthread_mutex_t lock;
	pthread_mutex_t compiling;
	struct nna_variant *variants;
	uint32_t variant_count;
	bool *parameters;
	atomic_bool has_parameters;
	uint32_t own_slots;
	struct nna_variant *stated;
	struct nna_part *parts;
};

/**
 * struct nna_part - a range of a graph's operations as a program of its own
 * @next: the next part of the program's list
 * @subgraph: the subgraph of the operations
 * @from: the first operation, as a position in the execution order of @subgraph
 * @to: the position after the last operation
 * @graph: the operations as a graph, a reference
 * @program: the program of @graph; owned
 */
struct nna_part {
	struct nna_part *next;
	uint32_t subgraph, from, to;
	struct nna_graph *graph;
	struct nna_program *program;
};

/*
 * Creates a program without variants, with a reference to @graph. Return: the program, or NULL
 * without memory.
 */
struct nna_program *nna_program_begin(struct nna_device *device, struct nna_graph *graph,
				      const struct nna_program_options *options);

/* The limit for compiling that @options, which may be NULL, state. */
struct nna_compile_limit nna_program_limit(const struct nna_program_options *options);

/**
 * nna_program_get_part() - a part of the program, created if the program does not have it yet
 * @program: the program
 * @subgraph: the subgraph of the operations
 * @from: position of the first operation in the execution order
 * @to: the position after the last operation. 0: the part that was created last, which went as far
 *	as is possible, or at first all operations up to the end of the subgraph
 * @limit: when compiling gives up; NULL is never
 * @out: the part, which lives as long as the program
 *
 * Return: 0 or a negative errno.
 */
int nna_program_get_part(struct nna_program *program, uint32_t subgraph, uint32_t from, uint32_t to,
			 const struct nna_compile_limit *limit, struct nna_part **out);
/* The position of operation @index in the execution order of @subgraph. */
uint32_t nna_program_position_of(const struct nna_subgraph *subgraph, uint32_t index);

#endif
