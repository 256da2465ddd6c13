/* SPDX-License-Identifier: MIT */
/* Compiles the partitions of a model to a module. */
#ifndef LITERT_COMPILE_H
#define LITERT_COMPILE_H

#include <nnaccel.h>

#include "frontend/litert/litert_abi.h"
#include "frontend/litert/module.h"

/**
 * struct litert_result - a module
 * @count: partitions
 * @names: of the partitions
 * @bytes: of the module
 */
struct litert_result {
	uint32_t count;
	char (*names)[LITERT_PARTITION_NAME];
	uint8_t *bytes;
	size_t size;
};

/**
 * litert_compile() - compile the partitions that LiteRT has cut out of a model
 * @context: LiteRT's functions
 * @device: to compile for
 * @partitions: a model with a subgraph for each partition; its contents are moved out of it
 * @all: operators of the model that they were cut out of
 * @out: freed by litert_result_free()
 *
 * An error leaves a line on stderr. Return: 0 or a negative errno.
 */
int litert_compile(const struct LiteRtCompilerContext *context, struct nna_device *device,
		   struct LiteRtModelT *partitions, uint32_t all, struct litert_result **out);
void litert_result_free(struct litert_result *result);

#endif
