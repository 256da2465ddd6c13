/* SPDX-License-Identifier: MIT */
/* Dependent runs: those that wait in this process for their dependencies (dependent.c). */
#ifndef NNA_RUNTIME_DEPENDENT_H
#define NNA_RUNTIME_DEPENDENT_H

#include "libnnaccel/runtime/execution.h"

/* Starts a dependent run of an execution that has begun. *@out: a reference to its fence. */
int nna_dependent_start(struct nna_execution *execution,
			const struct nna_dependencies *dependencies, struct nna_fence **out);

#endif
