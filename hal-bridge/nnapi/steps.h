/* SPDX-License-Identifier: MIT */
/*
 * Computing a plan: its steps one after the other, with the values between them.
 *
 * A step reads and writes the arguments of the model in the caller's memory. Other values lie in
 * memory of this process, which stays allocated from one run to the next. If only the run shows the
 * size of a value, the value gets memory after the step has reported the size, and the step is
 * repeated. An output of the model that does not fit the caller's memory is computed in such memory
 * as well, so that a run reports the dimensions of all outputs.
 *
 * One thread at a time uses a struct nnapi_steps.
 */
#ifndef NNAPI_STEPS_H
#define NNAPI_STEPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hal-bridge/nnapi/memory.h"
#include "hal-bridge/nnapi/plan.h"
#include "nnaccel.h"

/**
 * struct nnapi_argument - an input or output of an execution
 * @bound: it has been set
 * @known: its dimensions are known before the execution runs
 * @contradicts: of an output: the caller's shape differs from the operations', so the run fails
 * @memory: a reference; NULL for a user pointer
 * @data: its bytes in this process; NULL if it is omitted
 * @copy: of a file that can shrink: @data, owned, which is read before and written after each run
 * @offset: of the first byte in @memory
 * @length: bytes
 * @rank: entries of @dims; 0 if libnnaccel needs no dimensions
 * @dims: the dimensions, if the model leaves some unknown
 */
struct nnapi_argument {
	bool bound, known, contradicts;
	ANeuralNetworksMemory *memory;
	void *data, *copy;
	size_t offset, length;
	uint32_t rank;
	uint32_t dims[NNACCEL_MAX_RANK];
};

/* Binds an argument of the model to input or output @index of an execution on @device. */
int nnapi_argument_hand_over(const struct nnapi_argument *argument, bool output, uint32_t index,
			     struct nna_execution *execution, struct ANeuralNetworksDevice *device);

struct nnapi_steps;

/* Creates the steps of @plan, which must outlive them. Return: 0 or -ENOMEM. */
int nnapi_steps_create(const struct nnapi_plan *plan, struct nnapi_steps **out);
/* Destroys the steps. NULL is allowed. */
void nnapi_steps_destroy(struct nnapi_steps *steps);
/*
 * Computes the plan with these arguments. @loop_limit_ns: of each loop, 0 for the library's own.
 * Return: 0, -ENOSPC if an output is too small, or another error of the library.
 */
int nnapi_steps_run(struct nnapi_steps *steps, const struct nnapi_argument *inputs,
		    const struct nnapi_argument *outputs, uint64_t loop_limit_ns);
/* As nna_execution_get_output_dims(), for an output of the model after a run. */
int nnapi_steps_get_output_dims(const struct nnapi_steps *steps, uint32_t index, uint32_t *rank,
				uint32_t dims[NNACCEL_MAX_RANK]);

#endif
