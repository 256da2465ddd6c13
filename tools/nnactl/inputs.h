/* SPDX-License-Identifier: MIT */
/* Inputs of a run that is measured: a fixed pattern, so that runs can be compared. */
#ifndef NNACTL_INPUTS_H
#define NNACTL_INPUTS_H

#include "tools/nnactl/session.h"

/**
 * struct nnactl_inputs - memory for all inputs of a program, owned
 * @count: inputs
 * @data: of each
 */
struct nnactl_inputs {
	uint32_t count;
	void **data;
};

/*
 * Make and fill the memory and give it to an execution. Return: 0, or 1 with the error printed;
 * free it in both cases, after the execution.
 */
int nnactl_inputs_bind(struct nnactl_inputs *inputs, struct nnactl_session *session,
		       struct nna_execution *execution);
void nnactl_inputs_free(struct nnactl_inputs *inputs);

#endif
