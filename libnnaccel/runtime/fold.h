/* SPDX-License-Identifier: MIT */
/*
 * Constant folding: a job that computes constants while a variant is compiled. The library itself
 * computes nothing.
 */
#ifndef NNA_RUNTIME_FOLD_H
#define NNA_RUNTIME_FOLD_H

#include "libnnaccel/compiler/compile.h"

struct nna_program;

/* Runs code without inputs on the device and copies its outputs. Return: 0 or a negative errno. */
int nna_fold_run(struct nna_program *program, const struct nna_code *code, void *const *outputs);

#endif
