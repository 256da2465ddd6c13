/* SPDX-License-Identifier: MIT */
/* Inputs of a run that is measured: a fixed pattern, so that runs can be compared. */
#ifndef NNACTL_INPUTS_H
#define NNACTL_INPUTS_H

#include "tools/nnactl/execution.h"

/**
 * struct nnactl_inputs - memory for all inputs of a program, owned
 * @count: inputs
 * @data: of each
 * @buffers: of which @data is the mapping; NULL of one in this process's own memory
 */
struct nnactl_inputs {
	uint32_t count;
	void **data;
	struct nna_buffer **buffers;
};

/*
 * Make and fill the memory, @shared with the device or of this process alone, and give it to an
 * execution. Return: 0, or 1 with the error printed; free it in both cases, after the execution.
 */
int nnactl_inputs_bind(struct nnactl_inputs *inputs, struct nnactl_execution *execution,
		       bool shared);
void nnactl_inputs_free(struct nnactl_inputs *inputs);

#endif
