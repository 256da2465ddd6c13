/* SPDX-License-Identifier: MIT */
/*
 * Which operators of a subgraph the NNA takes, and in which partitions.
 *
 * LiteRT makes a partition of the operators that follow one another in the order of execution and
 * have the same number. First the subgraph is tried whole: a value that one operator alone knows
 * only at run time may be a constant in the whole. If the device does not run that, each operator
 * is tried alone, and then each run of those that it takes. The operators of a run that it does not
 * take together get numbers, and so partitions, of their own.
 */
#ifndef LITERT_CHOICE_H
#define LITERT_CHOICE_H

#include <nnaccel.h>

#include "frontend/tflite/tflite.h"

/* The number of an operator that is left to LiteRT. */
#define LITERT_LEFT UINT32_MAX

/**
 * struct litert_choice - the result
 * @count: operators of the subgraph
 * @taken: how many of them the device takes
 * @partitions: for each operator a number, or LITERT_LEFT
 * @reasons: for each operator that is left a line; NULL for others
 */
struct litert_choice {
	uint32_t count, taken;
	uint32_t *partitions;
	char **reasons;
};

/**
 * litert_choose() - choose operators
 * @device: the device
 * @sub: the subgraph
 * @refusals: NULL, or for each operator why it is left, or NULL to ask the device
 * @out: freed by litert_choice_free()
 *
 * Return: 0 or -ENOMEM.
 */
int litert_choose(const struct nna_device *device, const struct tflite_subgraph *sub,
		  char *const *refusals, struct litert_choice *out);
void litert_choice_free(struct litert_choice *choice);

/*
 * The line for an operator that is left: "operator 3 (CONV_2D) is left to LiteRT: REASON". Return:
 * @to, of TFLITE_ERROR_SIZE bytes.
 */
const char *litert_choice_describe(const struct litert_choice *choice,
				   const struct tflite_subgraph *sub, uint32_t index, char *to);

#endif
