/* SPDX-License-Identifier: MIT */
/*
 * A group of nodes as programs, one for each set of input shapes. One whose shapes the model states
 * is compiled when the session is made; the others when their shapes come first.
 *
 * Data and ownership
 *
 *	ort_program	what the runtime computes as one fused node (struct ort_compute)
 *	  ort_variant	a program for the shapes of its inputs
 *	    ort_run	an execution, of as many as run at once
 *
 * Any number of threads compute; a lock is held while a variant or a run is looked for, and while a
 * new one is compiled, but not while the device works.
 */
#ifndef ORT_PROGRAM_H
#define ORT_PROGRAM_H

#include "frontend/ort/api.h"

struct ort_program;

/**
 * ort_program_create() - compile a group
 * @device: outlives the program
 * @graph: the runtime's graph of the group, read during the call
 * @node: the runtime's fused node, whose inputs and outputs have an order of their own
 * @priority: enum nna_priority
 * @out: the functions that the runtime calls; ort_program_destroy() frees it
 *
 * Return: NULL, or the error.
 */
struct ort_status *ort_program_create(struct ort_log *log, struct nna_device *device,
				      const void *graph, const void *node, int priority,
				      struct ort_compute **out);
void ort_program_destroy(struct ort_compute *compute);

#endif
