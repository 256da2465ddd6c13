/* SPDX-License-Identifier: MIT */
/*
 * A model that no single device runs, as a program: one with operators of Vela's, or one of which
 * an accelerator takes some operators, and another device the rest.
 *
 *	arena	the memory that operators of Vela's share (vela/arena.h)
 *	steps	run one after the other, in the order of the file: an operator of Vela's
 *		(vela/job.h), or a part of operators that follow each other, compiled for one
 *		device (part.h)
 *	values	of tensors that steps, or the caller, exchange, in memory of this process
 *
 * A step of Vela's gets copies of its inputs in the arena, and its outputs are copied out. State
 * of these operators stays in the arena from one run to the next; that of others in their part.
 * Resource variables that several parts would use are refused.
 *
 * Whether the accelerator does an operator is known of the whole model. As a part of its own an
 * operator may lose what made it possible, such as a constant that the compiler had computed: then
 * it goes to the rest.
 *
 * A program may be used by one thread at a time. Functions return 0 or a negative errno, with a
 * line of TFLITE_ERROR_SIZE bytes at @error that names the operator.
 */
#ifndef SPLIT_PROGRAM_H
#define SPLIT_PROGRAM_H

#include <nnaccel.h>

#include "frontend/tflite/tflite.h"

struct vela_arena;
struct split_program;

/**
 * struct split_program_options - what a program is made with
 * @arena: of Vela's operators; NULL for one of its own
 * @npu: without @arena: the node, NULL for the first one
 * @offsets: of the main subgraph's tensors (offsets.h), NULL for those of the model's metadata
 * @first: the device for operators that are in @takes; NULL: there are none
 * @takes: with @first: for each operator of the main subgraph whether it does it
 * @rest: for all others; NULL where there is none
 * @rest_name: of @rest, or why there is none, for messages
 * @rounding: of operators that are not Vela's
 * @log: gets the library's messages about them
 */
struct split_program_options {
	struct vela_arena *arena;
	const char *npu;
	const int64_t *offsets;
	struct nna_device *first;
	const bool *takes;
	struct nna_device *rest;
	const char *rest_name;
	enum nna_rounding rounding;
	struct nna_log log;
};

/**
 * struct split_timing - times of the last run in ns
 * @npu: from the submissions of jobs, of Vela's operators and of the first device, to their ends
 * @rest: that the device for the rest has worked
 * @jobs: such jobs
 * @commands: of the device for the rest
 */
struct split_timing {
	uint64_t npu, rest;
	uint32_t jobs, commands;
};

/* Whether the main subgraph has operators that are not Vela's. */
bool split_program_needs_rest(const struct tflite_model *model);

/* @model: outlives the program. */
int split_program_create(const struct tflite_model *model,
			const struct split_program_options *options, struct split_program **out,
			char *error);
void split_program_destroy(struct split_program *program);

/* Operators that the rest has got. */
uint32_t split_program_left(const struct split_program *program);

/* The NPU of Vela's operators, "ethos-u65-256 /dev/accel/accel0", at most @size bytes. */
void split_program_describe(const struct split_program *program, char *to, size_t size);

uint32_t split_program_count(const struct split_program *program, bool input);
void split_program_io(const struct split_program *program, bool input, uint32_t index,
		     struct nna_io_info *info);

/* @inputs, @outputs: memory of each, of the sizes that split_program_io() gives. */
int split_program_run(struct split_program *program, const void *const *inputs,
		     void *const *outputs, char *error);

/* State is as before the first run. */
int split_program_reset(struct split_program *program);

void split_program_timing(const struct split_program *program, struct split_timing *timing);

#endif
