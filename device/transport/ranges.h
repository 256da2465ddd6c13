/* SPDX-License-Identifier: MIT */
/*
 * Which bus address ranges a client has mapped: a sorted array of ranges that do not overlap.
 *
 * The device model keeps those that reach a file; a client also maps memory that cannot be shared
 * (ROMs), unmaps wide ranges that hold many mappings or none, and must not split one. This table
 * answers such questions, so that the model is asked only what it can do. Owned by one session; not
 * thread-safe.
 */
#ifndef NNADEV_RANGES_H
#define NNADEV_RANGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * struct nnadev_bus_range - one mapping
 * @first: first address
 * @last: last address (inclusive: a range may end at the top)
 * @backed: the model knows it
 */
struct nnadev_bus_range {
	uint64_t first;
	uint64_t last;
	bool backed;
};

struct nnadev_ranges {
	struct nnadev_bus_range *at;
	size_t count;
	size_t capacity;
	size_t limit;
};

/* At most @limit ranges; nothing is allocated yet. */
void nnadev_ranges_init(struct nnadev_ranges *ranges, size_t limit);
void nnadev_ranges_fini(struct nnadev_ranges *ranges);

/* Return: 0, -EINVAL (empty or wraps), -EEXIST (overlaps), -ENOSPC (limit), -ENOMEM. */
int nnadev_ranges_add(struct nnadev_ranges *ranges, uint64_t first, uint64_t size, bool backed);

/**
 * nnadev_ranges_find() - the ranges within an interval
 * @index: gets the first of them
 * @count: gets their number, may be 0
 * @backed: gets how many of them the model knows
 *
 * Return: 0, or -EINVAL when a range is only partly inside.
 */
int nnadev_ranges_find(const struct nnadev_ranges *ranges, uint64_t first, uint64_t last,
		       size_t *index, size_t *count, size_t *backed);

/* Drop @count ranges from @index on, as found. */
void nnadev_ranges_remove(struct nnadev_ranges *ranges, size_t index, size_t count);

#endif
