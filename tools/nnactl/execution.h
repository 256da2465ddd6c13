/* SPDX-License-Identifier: MIT */
/*
 * Runs of a session's model: an execution of a program, or, of a model on two devices, a run of
 * that one's program. Both have inputs and outputs in this process's memory; the former also in
 * buffers.
 */
#ifndef NNACTL_EXECUTION_H
#define NNACTL_EXECUTION_H

#include "tools/nnactl/session.h"

/**
 * struct nnactl_execution - runs, one after the other
 * @session: not owned
 * @nna: owned; NULL for a model on two devices
 * @inputs: of a model on two devices: the memory of each
 * @outputs: likewise
 */
struct nnactl_execution {
	struct nnactl_session *session;
	struct nna_execution *nna;
	const void **inputs;
	void **outputs;
};

/**
 * struct nnactl_times - of one run, in nanoseconds
 * @wall: from the call of the submission until this thread knows that the run has ended
 * @submit: of that, until the submission returned; 0 for a model on two devices
 * @device: that the devices have worked, without time in which other jobs ran
 * @jobs: of a model on two devices: of the first one
 * @commands: of the device; of a model on two, of the second one
 */
struct nnactl_times {
	uint64_t wall, submit, device;
	uint32_t jobs, commands;
};

/* Return: 0, or 1 with the error printed; destroy it in both cases. */
int nnactl_execution_create(struct nnactl_session *session, struct nnactl_execution *execution);
void nnactl_execution_destroy(struct nnactl_execution *execution);

/* Bind an input or output to memory, or to @buffer unless that is NULL. Return: 0 or an errno. */
int nnactl_execution_bind(struct nnactl_execution *execution, bool input, uint32_t index,
			  void *data, size_t size, struct nna_buffer *buffer);

/* State is as before the first run. Return: 0 or an errno. */
int nnactl_execution_reset(struct nnactl_execution *execution);

/* Return: 0, or 1 with the error printed. */
int nnactl_execution_run(struct nnactl_execution *execution, struct nnactl_times *times);

#endif
