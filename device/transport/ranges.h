/* SPDX-License-Identifier: MIT */
/*
 * Which ranges of bus addresses a client has mapped: a sorted array of ranges that do not overlap.
 *
 * The bus has only the ranges that reach a file. A client also maps memory that cannot be shared
 * (ROMs). It unmaps wide ranges that contain many mappings or none, but must not split a mapping.
 * The server checks such requests against this table, and passes to the bus only those that the bus
 * can do. One session owns the table; not thread-safe.
 */
#ifndef NNADEV_RANGES_H
#define NNADEV_RANGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * struct nnadev_bus_range - one mapping
 * @first: first address
 * @last: last address; an end would overflow for a range up to 2^64 - 1
 * @backed: the range reaches a file, so the bus has it
 */
struct nnadev_bus_range {
	uint64_t first;
	uint64_t last;
	bool backed;
};

/**
 * struct nnadev_ranges - the table
 * @at: sorted, disjoint
 * @count: entries of @at
 * @capacity: entries that @at has room for
 * @limit: most entries that there may be
 */
struct nnadev_ranges {
	struct nnadev_bus_range *at;
	size_t count;
	size_t capacity;
	size_t limit;
};

/* An empty table of at most @limit ranges. Allocates nothing. */
void nnadev_ranges_init(struct nnadev_ranges *ranges, size_t limit);
void nnadev_ranges_fini(struct nnadev_ranges *ranges);

/* Return: 0, -EINVAL (empty or wraps), -EEXIST (overlaps), -ENOSPC (limit), -ENOMEM. */
int nnadev_ranges_add(struct nnadev_ranges *ranges, uint64_t first, uint64_t size, bool backed);

/**
 * nnadev_ranges_find() - the ranges within an interval
 * @ranges: the table
 * @first: first address of the interval
 * @last: last address of the interval
 * @index: written: number of the first of them
 * @count: written: how many there are, may be 0
 * @backed: written: how many of them reach a file
 *
 * Return: 0, or -EINVAL when a range is only partly inside.
 */
int nnadev_ranges_find(const struct nnadev_ranges *ranges, uint64_t first, uint64_t last,
		       size_t *index, size_t *count, size_t *backed);

/* Remove @count ranges from @index on, as nnadev_ranges_find() wrote them. */
void nnadev_ranges_remove(struct nnadev_ranges *ranges, size_t index, size_t count);

#endif
