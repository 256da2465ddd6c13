/* SPDX-License-Identifier: MIT */
/*
 * An invocation context: a partition that runs.
 *
 *	litert_invocation	a partition, with the buffers that are attached to it
 *	  litert_lane		the partition's program with a priority, and its execution; made
 *				when a run first has that priority
 *	litert_metrics		what runs have taken
 *
 * LiteRT registers and attaches buffers once, so they are bound once, and a run is a call of
 * nna_execution_compute(). An invocation belongs to one thread at a time.
 */
#ifndef LITERT_INVOCATION_H
#define LITERT_INVOCATION_H

#include "frontend/litert/context.h"
#include "frontend/litert/module.h"

struct tflite_model;

#define LITERT_LANES 3

/**
 * struct litert_lane - a program with a priority
 * @bound: all buffers that are attached are bound to @execution
 * @pending: the end of a run that LiteRT has not waited for
 */
struct litert_lane {
	struct nna_program *program;
	struct nna_execution *execution;
	struct nna_fence *pending;
	bool bound;
};

/**
 * struct litert_io - an input or output
 * @memory: what is attached, or NULL
 */
struct litert_io {
	struct nna_io_info info;
	struct litert_memory *memory;
};

/**
 * struct litert_invocation - a partition
 * @module: LiteRT's bytes, which live as long
 * @index: of the partition in it
 * @model, @graph: NULL, or what the programs were compiled of, because the module's is of another
 *	build or device, or has none
 * @lanes: by priority
 * @priority: of the next run
 * @fds: fences that the next run waits for
 * @collecting: runs add to @runs and @device_ns
 */
struct litert_invocation {
	struct litert_context *context;
	struct litert_module module;
	struct litert_module_part part;
	uint32_t index;
	struct tflite_model *model;
	struct nna_graph *graph;
	struct litert_lane lanes[LITERT_LANES];
	enum nna_priority priority;
	struct litert_io *inputs, *outputs;
	uint32_t input_count, output_count;
	int *fds;
	uint32_t fd_count, fd_room;
	bool collecting;
	uint64_t runs, device_ns;
};

/**
 * struct litert_metrics - what runs have taken
 * @all: operators of the model
 * @taken: how many of them are in partitions
 * @operators: in this partition
 */
struct litert_metrics {
	uint64_t runs, device_ns;
	uint32_t all, taken, operators;
};

/* The functions below return LiteRT's status. */
int litert_invocation_create(struct litert_context *context, const struct LiteRtMemBuffer *bytes,
			     const char *function, int input_count, int output_count,
			     struct litert_invocation **out);
void litert_invocation_destroy(struct litert_invocation *invocation);
int litert_invocation_attach(struct litert_invocation *invocation, bool input, int index,
			     uint64_t handle);
int litert_invocation_detach(struct litert_invocation *invocation, bool input, int index);
int litert_invocation_add_event(struct litert_invocation *invocation, struct LiteRtEventT *event);
/* With @events, of @count entries, each output gets an event, or NULL if it is complete. */
int litert_invocation_run(struct litert_invocation *invocation, int count,
			  struct LiteRtEventT **events);

#endif
