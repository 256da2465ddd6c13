/* SPDX-License-Identifier: MIT */
/* TFLite's reference kernels, through what Python has: LiteRT, tflite_runtime or TensorFlow. */
#ifndef NNACTL_REFERENCE_H
#define NNACTL_REFERENCE_H

#include "tools/nnactl/nnactl.h"

/**
 * struct nnactl_reference - a run; zeros at first
 * @name: package and version, "" where there is none
 * @reason: why there is none
 * @ms: median time of a run
 * @data: all outputs, back to back, owned
 */
struct nnactl_reference {
	char name[64], reason[160];
	double ms;
	uint8_t *data;
};

/**
 * nnactl_reference_run() - run a model in a Python of its own
 * @r: filled
 * @python: a program
 * @model: path of the model
 * @signature: NULL, or what runs: its "key", and the names of its "inputs" and "outputs" in the
 *	order of the subgraph's
 * @inputs: bytes of all inputs, back to back, @size
 * @info: of each, @count
 * @output_size: bytes that all outputs together have to have
 *
 * Return: 0, also where there is no TFLite, or 1 with the error printed.
 */
int nnactl_reference_run(struct nnactl_reference *r, const char *python, const char *model,
			 const json_t *signature, const void *inputs, size_t size,
			 const struct nna_io_info *info, uint32_t count, size_t output_size);
void nnactl_reference_free(struct nnactl_reference *r);

#endif
