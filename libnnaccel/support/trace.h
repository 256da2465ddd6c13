/* SPDX-License-Identifier: MIT */
/*
 * Trace marks: they record the time of a client's calls in ftrace's trace_marker, so that trace-cmd
 * and Perfetto show them beside the tracepoints of the driver. Each span has two marks of its
 * thread:
 *
 *	B|PID|[NN_LR_PE]NAME	it begins: the layer is L and a letter, the phase P and a letter
 *	E|PID			it ends
 *
 * NNACCEL_TRACE in the environment turns them on: 1 for the kernel's file, or a path. A program
 * with more privileges than its user ignores it. The variable is read once. While marks are off, a
 * span costs one load.
 */
#ifndef NNA_TRACE_H
#define NNA_TRACE_H

#include <stdbool.h>

#define NNA_TRACE_LAYER_RUNTIME "LR" /* the API's functions */
#define NNA_TRACE_LAYER_DRIVER "LD" /* what the library does for them, or the HAL */
#define NNA_TRACE_PHASE_PREPARATION "PP"
#define NNA_TRACE_PHASE_COMPILATION "PC"
#define NNA_TRACE_PHASE_EXECUTION "PE"

/* Opens the file now, for a process that cannot open it later; else the first span does. */
void nna_trace_prepare(void);
/* Writes the mark for a beginning, if marks are on. Return: whether an end has to follow. */
bool nna_trace_begin(const char *layer, const char *phase, const char *name);
/* The end of a span that has begun. */
void nna_trace_end(bool *began);

/* A span from here to the end of the block. */
#define NNA_TRACE(layer, phase, name) \
	bool nna_span __attribute__((cleanup(nna_trace_end), unused)) = \
		nna_trace_begin(NNA_TRACE_LAYER_##layer, NNA_TRACE_PHASE_##phase, name)

#endif
