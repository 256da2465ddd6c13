/* SPDX-License-Identifier: MIT */
/* Operators of a model that follow each other and are none of Vela's, compiled for one device. */
#ifndef SPLIT_PART_H
#define SPLIT_PART_H

#include "frontend/split/program.h"
#include "frontend/tflite/translate.h"

/**
 * struct split_part - the operators
 * @first: of them
 * @count: how many
 * @model: a model of them alone
 * @origin: of the graph's operations
 */
struct split_part {
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
uint32_t *split_last_reads(const struct tflite_subgraph *sub);

/**
 * split_part_create() - compile operators @first to @first + @count - 1
 * @last: of split_last_reads()
 * @device: for which
 * @refused: gets the number of the operator that @device does not do, where that is the error
 *
 * The part's inputs and outputs are the main subgraph's of split_part.model.
 *
 * Return: 0; -ENOTSUP with @refused, or with UINT32_MAX there for another reason; or another error.
 * Destroy it in all cases.
 */
int split_part_create(const struct tflite_model *model, const uint32_t *last, uint32_t first,
		      uint32_t count, const struct split_program_options *options,
		      struct nna_device *device, struct split_part *part, uint32_t *refused,
		      char *error);
void split_part_destroy(struct split_part *part);

/* Bind it to the memory of tensors of the whole model's subgraph, by their numbers. */
int split_part_bind(struct split_part *part, const struct tflite_subgraph *whole,
		    uint8_t *const *values, char *error);
int split_part_run(struct split_part *part, char *error);

#endif
