/* SPDX-License-Identifier: MIT */
/*
 * The driver's tracepoints around one run of this thread. They are read from an instance of the
 * kernel's tracer that nobody else uses, in CLOCK_MONOTONIC; whoever may not make one (it takes
 * root) goes without.
 */
#ifndef NNACTL_TRACEPOINTS_H
#define NNACTL_TRACEPOINTS_H

#include <stdbool.h>
#include <stdint.h>

/**
 * struct nnactl_tracepoints - when the driver did what with a job, in ns
 * @directory: of the instance; "" without one
 * @submit: SUBMIT has armed it
 * @run: it was about to be put on its ring
 * @done: its completion was read
 */
struct nnactl_tracepoints {
	char directory[64];
	uint64_t submit, run, done;
};

/* Return: 0, or a negative errno where there are none to be read, and all is as before. */
int nnactl_tracepoints_begin(struct nnactl_tracepoints *tracepoints);
/* Finds the job that this thread has submitted since. Return: whether all three are there. */
bool nnactl_tracepoints_end(struct nnactl_tracepoints *tracepoints);

#endif
