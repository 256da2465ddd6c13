/* SPDX-License-Identifier: MIT */
/*
 * Runs whose shapes depend on data.
 *
 * The graph is cut where compiling needs to know what only a run tells; every part is a program of
 * its own, and the thread that submits runs one after the other (parts.c). What IF and WHILE decide
 * is decided there where their subgraphs cannot be lowered in their place, by the value that the
 * device has written (control.c). Nothing is computed here.
 *
 * Between parts lie tensors: reference-counted, in device memory unless they are the caller's or
 * the model's. A frame holds those of one subgraph in use (frame.c). All of it belongs to one run
 * in one thread; only the program's list of parts is shared.
 */
#ifndef NNA_PARTS_H
#define NNA_PARTS_H

#include "libnnaccel/runtime/runtime.h"

/* Buffers of tensors that are gone are kept for the next ones, so that loops make none. */
#define NNA_PARTS_MAX_SPARE 16u

/**
 * struct nna_parts_tensor - what an operand holds
 * @references: those of frames, and of lists of inputs and outputs
 * @omitted: nothing: an optional operand that is left out
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
 * @execution: whose run it is
 * @deadline_ns: absolute, 0 is none
 * @loop_end: when the time is over of the loop around, of several the first; 0 outside of loops
 * @loop: the operation that this loop is
 * @loop_subgraph: the subgraph that @loop is in
 * @spare: @spare_count buffers, owned, that can be used again
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
 * struct nna_parts_frame - a subgraph in use
 * @number: of the subgraph
 * @tensors: one per operand, references; NULL where there is none yet
 */
struct nna_parts_frame {
	uint32_t number;
	const struct nna_subgraph *subgraph;
	struct nna_parts_tensor **tensors;
};

/* Where messages go. */
const struct nna_log *nna_parts_log(const struct nna_parts *run);

struct nna_parts_tensor *nna_parts_tensor_ref(struct nna_parts_tensor *t);
/* Gives a reference back; NULL does nothing. */
void nna_parts_tensor_put(struct nna_parts *run, struct nna_parts_tensor *t);
/*
 * A tensor of @size bytes in device memory; without @size it holds nothing yet. NULL without
 * memory.
 */
struct nna_parts_tensor *nna_parts_tensor_create(struct nna_parts *run, const size_t *size);
/* Its bytes. */
const void *nna_parts_tensor_data(const struct nna_parts_tensor *t);

/* A frame of subgraph @number, without tensors. */
int nna_parts_frame_begin(struct nna_parts *run, struct nna_parts_frame *f, uint32_t number);
/* Also after a begin that has failed. */
void nna_parts_frame_end(struct nna_parts *run, struct nna_parts_frame *f);
/*
 * Sets the tensor of an operand, and takes over the caller's reference to it. -EINVAL: it has other
 * dimensions than the model says.
 */
int nna_parts_frame_set(struct nna_parts *run, struct nna_parts_frame *f, uint32_t operand,
			struct nna_parts_tensor *t);
/* The tensor of an operand, without a reference; constants get one when they are asked for. */
int nna_parts_frame_get(struct nna_parts *run, struct nna_parts_frame *f, uint32_t operand,
			struct nna_parts_tensor **out);

/*
 * Runs all operations of a frame whose inputs are set. @stop: the first part ends before this
 * operation, NNA_NONE is not known.
 */
int nna_parts_run_frame(struct nna_parts *run, struct nna_parts_frame *f, uint32_t stop);
/* Runs operation @index of a frame, which is IF or WHILE, from here. */
int nna_parts_run_control(struct nna_parts *run, struct nna_parts_frame *f, uint32_t index);

#endif
