/* SPDX-License-Identifier: MIT */
/*
 * How often the results of quantised operations reach the limits of their type. A test whose values
 * never do says nothing about how an operation saturates.
 */
#ifndef NNR_REACH_H
#define NNR_REACH_H

#include "tests/random/random.h"

#define NNR_REACH_MOST 512u

/**
 * struct nnr_reach - what has been seen
 * @lines: one for each operation and type of 8 or 16 bits that has had a result
 * @type, @result: of the operation; of its result
 * @graphs: with such a result
 * @elements, @low, @high: of these results, and how many are the least and the greatest number
 */
struct nnr_reach {
	struct {
		uint32_t type, result;
		uint64_t graphs, elements, low, high;
	} lines[NNR_REACH_MOST];
	uint32_t count;
};

/* Counts the results that the operands of @graph hold. */
void nnr_reach_add(struct nnr_reach *reach, const struct nnr_graph *graph);

/*
 * Prints a line for each operation and type. Return: how many of those that can saturate, and have
 * been made often enough, have not reached both limits.
 */
uint32_t nnr_reach_print(const struct nnr_reach *reach, FILE *to);

#endif
