/* SPDX-License-Identifier: MIT */
/*
 * A model with operators of Vela's as a program.
 *
 *	arena	the memory that those operators share (arena.h)
 *	steps	run one after the other, in the order of the file: an operator of the NPU (job.h),
 *		or a part of operators that follow each other, compiled for the NNA (part.h)
 *	values	of tensors that steps, or the caller, exchange, in memory of this process
 *
 * A step of the NPU gets copies of its inputs in the arena, and its outputs are copied out. State
 * of the NPU's operators stays in the arena from one run to the next.
 *
 * A program may be used by one thread at a time. Functions return 0 or a negative errno, with a
 * line of TFLITE_ERROR_SIZE bytes at @error that names the operator.
 */
#ifndef VELA_PROGRAM_H
#define VELA_PROGRAM_H

#include <nnaccel.h>

#include "frontend/tflite/tflite.h"

struct vela_arena;
struct vela_program;

/**
 * struct vela_program_options - what a program is made with
 * @arena: its memory, NULL for one of its own
 * @npu: without @arena: the node, NULL for the first one
 * @offsets: of the main subgraph's tensors (offsets.h), NULL for those of the model's metadata
 * @nna: for operators that are not the NPU's; NULL where there is none
 * @nna_name: of @nna, or why there is none, for messages
 * @rounding: of those operators
 * @log: gets the library's messages about them
 */
struct vela_program_options {
	struct vela_arena *arena;
	const char *npu;
	const int64_t *offsets;
	struct nna_device *nna;
	const char *nna_name;
	enum nna_rounding rounding;
	struct nna_log log;
};

/**
 * struct vela_timing - times of the last run in ns
 * @npu: from the submissions of the NPU's jobs to their ends
 * @nna: that the NNA has worked
 * @jobs: of the NPU
 * @commands: of the NNA
 */
struct vela_timing {
	uint64_t npu, nna;
	uint32_t jobs, commands;
};

/* Whether the main subgraph has operators that are not the NPU's. */
bool vela_program_needs_nna(const struct tflite_model *model);

/* @model: outlives the program. */
int vela_program_create(const struct tflite_model *model,
			const struct vela_program_options *options, struct vela_program **out,
			char *error);
void vela_program_destroy(struct vela_program *program);

/* "ethos-u65-256 /dev/accel/accel0", at most @size bytes. */
void vela_program_describe(const struct vela_program *program, char *to, size_t size);

uint32_t vela_program_count(const struct vela_program *program, bool input);
void vela_program_io(const struct vela_program *program, bool input, uint32_t index,
		     struct nna_io_info *info);

/* @inputs, @outputs: memory of each, of the sizes that vela_program_io() gives. */
int vela_program_run(struct vela_program *program, const void *const *inputs,
		     void *const *outputs, char *error);

/* State is as before the first run. */
int vela_program_reset(struct vela_program *program);

void vela_program_timing(const struct vela_program *program, struct vela_timing *timing);

#endif
