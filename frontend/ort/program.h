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
 * A group that was saved has one program and no model. Its bytes are struct ort_program_head, then
 * the number of each input and of each output among those of the fused node, as 32-bit numbers, the
 * latter with ORT_PROGRAM_SCALAR for one without dimensions, then what nna_program_save() writes.
 *
 * Any number of threads compute; a lock is held while a variant or a run is looked for, and while a
 * new one is compiled, but not while the device works.
 */
#ifndef ORT_PROGRAM_H
#define ORT_PROGRAM_H

#include "frontend/ort/api.h"

#define ORT_PROGRAM_MAGIC "NNAORT1"
#define ORT_PROGRAM_SCALAR (UINT32_C(1) << 31)

/* The first bytes of a saved group; numbers are this machine's. */
struct ort_program_head {
	char magic[8];
	uint32_t inputs, outputs;
};

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

/**
 * ort_program_save() - a group as bytes, for the same build of this library and kind of device
 * @bytes: freed by the caller
 *
 * Return: NULL, or the error: an input's shape is open.
 */
struct ort_status *ort_program_save(struct ort_compute *compute, void **bytes, size_t *size);

/**
 * ort_program_load() - a group of saved bytes
 * @node: the runtime's fused node, with the inputs and outputs of the one that was saved
 * @bytes: not trusted; read during the call
 *
 * The others are as for ort_program_create().
 *
 * Return: NULL, or the error: the bytes are damaged, or another build's or device's.
 */
struct ort_status *ort_program_load(struct ort_log *log, struct nna_device *device,
				    const void *node, int priority, const void *bytes, size_t size,
				    struct ort_compute **out);

#endif
