/* SPDX-License-Identifier: MIT */
/*
 * Preparation of a run: its variant, context, state and base table, which are kept until bindings
 * change.
 */
#ifndef NNA_RUNTIME_PREPARE_H
#define NNA_RUNTIME_PREPARE_H

#include "libnnaccel/runtime/execution.h"

/* Discards the results of the last run. Return: 0, -EBUSY (it has not ended) or -ECANCELED. */
int nna_execution_begin(struct nna_execution *execution);
/**
 * nna_execution_choose_variant() - take the variant for the bindings
 * @execution: the execution
 * @readable: the bytes of all inputs may be read now
 * @stop: with -EAGAIN and @readable: the operation that needs a value which only a run provides
 *
 * Return: 0 or a negative errno. -EAGAIN: the graph cannot be compiled as a whole; without
 * @readable also: the compiler needs the values of inputs.
 */
int nna_execution_choose_variant(struct nna_execution *execution, bool readable, uint32_t *stop);
/* Prepares a run. @readable, @stop and return value: as of nna_execution_choose_variant(). */
int nna_execution_prepare(struct nna_execution *execution, bool readable, uint32_t *stop);
/* Gives back the variant and the context. */
void nna_execution_drop_variant(struct nna_execution *execution);

#endif
