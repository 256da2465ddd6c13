/* SPDX-License-Identifier: MIT */
/* Cancelling an execution: its run ends as soon as possible, whatever it waits for. */
#ifndef NNA_RUNTIME_CANCEL_H
#define NNA_RUNTIME_CANCEL_H

#include "libnnaccel/runtime/execution.h"

/*
 * Ends a dependent run that still waits, unless the waiter has taken it out of its list to go on
 * with it.
 */
void nna_execution_stop_waiting(struct nna_execution *execution);

#endif
