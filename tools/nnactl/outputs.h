/* SPDX-License-Identifier: MIT */
/* The outputs of a run: memory for all of them, and their elements as real numbers. */
#ifndef NNACTL_OUTPUTS_H
#define NNACTL_OUTPUTS_H

#include "tools/nnactl/execution.h"

/**
 * struct nnactl_outputs - memory for all outputs of a program, owned
 * @count: outputs
 * @info: of each
 * @data: of each, @info's size bytes
 * @buffers: of which @data is the mapping; NULL of one in this process's own memory
 */
struct nnactl_outputs {
	uint32_t count;
	struct nna_io_info *info;
	void **data;
	struct nna_buffer **buffers;
};

/*
 * Make the memory, @shared with the device or of this process alone, and give it to an execution.
 * Return: 0, or 1 with the error printed; free it in both cases, after the execution.
 */
int nnactl_outputs_bind(struct nnactl_outputs *outputs, struct nnactl_execution *execution,
			bool shared);
void nnactl_outputs_free(struct nnactl_outputs *outputs);

/* Elements of a tensor; 0 when its type is unknown. */
size_t nnactl_io_elements(const struct nna_io_info *info);
/* The real value of element @index of a tensor. */
double nnactl_io_value(const struct nna_io_info *info, const void *data, size_t index);
/* Name, type, dimensions and quantisation of a tensor for --json. */
json_t *nnactl_io_json(const struct nna_io_info *info, const char *name);
/* "QUANT8_ASYMM [1, 224, 224, 3]". Return: @to. */
const char *nnactl_io_describe(const struct nna_io_info *info, char *to, size_t size);

#endif
