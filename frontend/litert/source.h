/* SPDX-License-Identifier: MIT */
/*
 * A subgraph of LiteRT as a model that frontend/tflite can translate, made of what LiteRT's getters
 * say, as the reader of files makes a model of a flatbuffer.
 */
#ifndef LITERT_SOURCE_H
#define LITERT_SOURCE_H

#include "frontend/litert/litert_abi.h"
#include "frontend/tflite/tflite.h"

/**
 * struct litert_source - a subgraph
 * @model: one subgraph. Constants and lists point into LiteRT's memory, so it serves only within
 *	the call that gave the subgraph
 * @ops: LiteRT's object of each operator
 * @refusals: for each operator why it cannot be a part of a model, or NULL
 */
struct litert_source {
	struct tflite_model *model;
	struct LiteRtOpT **ops;
	char **refusals;
};

/* Return: 0, -EINVAL (LiteRT does not answer) or -ENOMEM, with a line at @error. */
int litert_source_read(const struct LiteRtCompilerContext *context,
		       struct LiteRtSubgraphT *subgraph, struct litert_source *out, char *error);
void litert_source_free(struct litert_source *source);

#endif
