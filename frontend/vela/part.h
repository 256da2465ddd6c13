/* SPDX-License-Identifier: MIT */
/* Operators of a model that follow each other and are not the NPU's, compiled for the NNA. */
#ifndef VELA_PART_H
#define VELA_PART_H

#include "frontend/vela/program.h"
#include "frontend/tflite/translate.h"

/**
 * struct vela_part - the operators
 * @first: of them
 * @count: how many
 * @model: a model of them alone
 * @origin: of the graph's operations
 */
struct vela_part {
	uint32_t first, count;
	struct tflite_model *model;
	struct tflite_origin origin;
	struct nna_graph *graph;
	struct nna_program *program;
	struct nna_execution *execution;
};

/*
 * For each tensor the number of the last operator that reads it, UINT32_MAX for an output of the
 * subgraph, which the caller reads. The caller frees it; NULL without memory.
 */
uint32_t *vela_last_reads(const struct tflite_subgraph *sub);

/*
 * Compile operators @first to @first + @count - 1. The part's inputs and outputs are the main
 * subgraph's of vela_part.model. @last: of vela_last_reads().
 */
int vela_part_create(const struct tflite_model *model, const uint32_t *last, uint32_t first,
		     uint32_t count, const struct vela_program_options *options,
		     struct vela_part *part, char *error);
void vela_part_destroy(struct vela_part *part);

/* Bind it to the memory of its tensors, by their numbers. */
int vela_part_bind(struct vela_part *part, uint8_t *const *values, char *error);
int vela_part_run(struct vela_part *part, char *error);

#endif
