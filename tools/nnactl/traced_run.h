/* SPDX-License-Identifier: MIT */
/*
 * One run of a model with all that can be learned of its times: the client's calls, the driver's
 * tracepoints, and the time of the job's fence. Its outputs are in buffers of the device, without
 * which a fence could not be exported.
 */
#ifndef NNACTL_TRACED_RUN_H
#define NNACTL_TRACED_RUN_H

#include "tools/nnactl/session.h"
#include "tools/nnactl/trace.h"
#include "tools/nnactl/tracepoints.h"

/**
 * struct nnactl_traced_run - times in ns of CLOCK_MONOTONIC
 * @submit: the submission was called
 * @submitted: it returned
 * @wake: this thread knew of the end
 * @signalled: the job's fence signalled; 0: unknown, as on the loopback
 * @driver: what the tracepoints say
 * @traced: there are any
 * @buffers: of the outputs, @buffer_count of them
 */
struct nnactl_traced_run {
	uint64_t submit, submitted, wake, signalled;
	struct nnactl_tracepoints driver;
	bool traced;
	struct nna_buffer **buffers;
	uint32_t buffer_count;
};

/*
 * Gives the execution, whose inputs are bound, outputs, and runs it. Return: 0, or 1 with the error
 * printed; free it in both cases, after the execution.
 */
int nnactl_traced_run(struct nnactl_traced_run *run, struct nnactl_session *session,
		      struct nna_execution *execution);
void nnactl_traced_run_free(struct nnactl_traced_run *run);

/* Adds what client and driver did. */
void nnactl_traced_run_add(const struct nnactl_traced_run *run, json_t *trace);

#endif
