// SPDX-License-Identifier: MIT
#include "frontend/ort/partition.h"

#include <errno.h>
#include <stdlib.h>

/* A unit that is not taken whole is not taken. */
static void drop_parts(const struct onnx_model *m, const uint32_t *units, bool *taken)
{
	bool changed = true;

	while (changed) {
		changed = false;
		for (uint32_t i = 0; i < m->node_count; i++) {
			if (taken[i] == taken[units[i]])
				continue;
			taken[i] = taken[units[i]] = false;
			changed = true;
		}
	}
}

/* The level of node @i by those of the nodes before it. */
static uint32_t level_of(const struct onnx_model *m, uint32_t i, const bool *taken,
			 const uint32_t *units, const uint32_t *levels)
{
	uint32_t level = levels[i];

	for (uint32_t k = 0; k < m->nodes[i].input_count; k++) {
		const uint32_t value = m->nodes[i].inputs[k];
		const uint32_t from = value == ONNX_ABSENT ? ONNX_ABSENT : m->values[value].writer;
		uint32_t least;

		if (from == ONNX_ABSENT)
			continue;
		/* Levels of nodes of others count the groups before them, with 0 for none. */
		least = levels[from] + (taken[i] && !taken[from] && levels[from]);
		level = least > level ? least : level;
	}
	/* The first group has level 1. */
	if (taken[i] && !level)
		level = 1;
	if (taken[i] && levels[units[i]] > level)
		level = levels[units[i]];
	return level;
}

int ort_partition(const struct onnx_model *m, const uint32_t *units, bool *taken, uint32_t *groups,
		  uint32_t *count)
{
	uint32_t *levels = calloc((size_t)m->node_count + 1, sizeof(*levels));
	uint32_t *numbers = calloc((size_t)m->node_count + 2, sizeof(*numbers));
	bool changed = true;

	*count = 0;
	if (!levels || !numbers) {
		free(levels);
		free(numbers);
		return -ENOMEM;
	}
	drop_parts(m, units, taken);
	/* Levels only grow, up to the number of nodes; a unit raises what is before it. */
	for (uint32_t round = 0; changed && round <= m->node_count; round++) {
		changed = false;
		for (uint32_t i = 0; i < m->node_count; i++) {
			const uint32_t level = level_of(m, i, taken, units, levels);

			if (level > m->node_count) {
				/* A unit that waits for itself is none of ours. */
				taken[i] = false;
				levels[i] = 0;
				continue;
			}
			changed |= level != levels[i];
			levels[i] = level;
			if (taken[i] && levels[units[i]] < level) {
				levels[units[i]] = level;
				changed = true;
			}
		}
	}
	for (uint32_t i = 0; i < m->node_count; i++) {
		groups[i] = ORT_NO_GROUP;
		if (!taken[i])
			continue;
		if (!numbers[levels[i]])
			numbers[levels[i]] = ++*count;
		groups[i] = numbers[levels[i]] - 1;
	}
	free(levels);
	free(numbers);
	return 0;
}
