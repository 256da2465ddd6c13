/* SPDX-License-Identifier: MIT */
/*
 * Runs whose shapes depend on data.
 *
 * The graph is cut at each operation for which the compiler needs a value that only a run provides.
 * Every part is a program of its own (program.h) and runs in an execution of its own (part.c); the
 * thread that submits runs one part after the other (parts.c). An IF or WHILE whose subgraphs
 * cannot be lowered in its place is decided between parts, by the value that the device has
 * written. The library computes nothing.
 *
 * Parts pass tensors to each other. A tensor is reference-counted and in device memory, unless it
 * is the caller's or the model's. A frame holds the tensors of a subgraph that is being run
 * (frame.c). All of them belong to one run in one thread; only the program's list of parts is
 * shared.
 */
#ifndef NNA_PARTS_H
#define NNA_PARTS_H

#include "libnnaccel/runtime/execution.h"

/* The most buffers of freed tensors that are kept for new tensors, so that loops create none. */
#define NNA_PARTS_MAX_SPARE 16u

/**
 * struct nna_parts_tensor - the value of an operand
 * @references: of frames, and of lists of inputs and outputs
 * @omitted: there is no value: the optional operand is omitted
 * @dims: @rank of them
 * @size: bytes
 * @data: the caller's or the model's bytes; NULL when they are in @buffer
 * @offset: of the first byte in @buffer
 * @owned: @buffer is the tensor's own, else the caller's
 */
struct nna_parts_tensor {
	uint32_t references;
	bool omitted;
	uint32_t rank;
	uint32_t dims[NNACCEL_MAX_RANK];
	size_t size;
	const void *data;
	struct nna_buffer *buffer;
	size_t offset;
	bool owned;
};

/**
 * struct nna_parts - a run under way
 * @execution: the execution of the run
 * @deadline_ns: absolute, 0 is none
 * @loop_end: when the time limit of the current loop expires; the earliest one of nested loops; 0
 *	outside of loops
 * @loop: the operation of that loop
 * @loop_subgraph: the subgraph with @loop
 * @spare: @spare_count buffers for reuse, owned
 */
struct nna_parts {
	struct nna_execution *execution;
	struct nna_program *program;
	uint64_t deadline_ns, loop_end;
	uint32_t loop, loop_subgraph;
	struct nna_buffer *spare[NNA_PARTS_MAX_SPARE];
	uint32_t spare_count;
};

/**
 * struct nna_parts_frame - a subgraph that is being run
 * @number: of the subgraph
 * @tensors: one per operand, references; NULL for an operand without a value
 */
struct nna_parts_frame {
	uint32_t number;
	const struct nna_subgraph *subgraph;
	struct nna_parts_tensor **tensors;
};

/* Return: the log of the device. */
const struct nna_log *nna_parts_log(const struct nna_parts *run);

struct nna_parts_tensor *nna_parts_tensor_ref(struct nna_parts_tensor *t);
/* Gives a reference back; NULL does nothing. */
void nna_parts_tensor_put(struct nna_parts *run, struct nna_parts_tensor *t);
/*
 * Creates a tensor of @size bytes in device memory; with a @size of NULL, one without bytes.
 * Return: NULL without memory.
 */
struct nna_parts_tensor *nna_parts_tensor_create(struct nna_parts *run, const size_t *size);
/* Return: the bytes of a tensor. */
const void *nna_parts_tensor_data(const struct nna_parts_tensor *t);

/* Begins a frame of subgraph @number, without tensors. */
int nna_parts_frame_begin(struct nna_parts *run, struct nna_parts_frame *f, uint32_t number);
/* Must be called also after nna_parts_frame_begin() has failed. */
void nna_parts_frame_end(struct nna_parts *run, struct nna_parts_frame *f);
/*
 * Sets the tensor of an operand, and takes over the caller's reference to it. Return: 0; or
 * -EINVAL, which is logged: its dimensions differ from the model's.
 */
int nna_parts_frame_set(struct nna_parts *run, struct nna_parts_frame *f, uint32_t operand,
			struct nna_parts_tensor *t);
/* Gives the tensor of an operand, without a reference. The tensor of a constant is created here. */
int nna_parts_frame_get(struct nna_parts *run, struct nna_parts_frame *f, uint32_t operand,
			struct nna_parts_tensor **out);

/*
 * Runs a part in an execution of its own. Return: 0; -EAGAIN: the part has to end before operation
 * *stop; or another error.
 */
int nna_parts_run_part(struct nna_parts *run, struct nna_parts_frame *f,
		       const struct nna_part *part, uint32_t *stop);

/**
 * nna_parts_run() - run an execution's graph in parts, to the end, in this thread
 * @execution: sets its @results and @timing, and copies the outputs
 * @stop: the operation before which the first part ends
 * @deadline_ns: absolute CLOCK_MONOTONIC, 0 is none
 *
 * Return: 0, -ENOSPC when at least one output did not fit, or the error of a part.
 */
int nna_parts_run(struct nna_execution *execution, uint32_t stop, uint64_t deadline_ns);

#endif
