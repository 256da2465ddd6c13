// SPDX-License-Identifier: MIT
#include "device/transport/ranges.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void nnadev_ranges_init(struct nnadev_ranges *ranges, size_t limit)
{
	memset(ranges, 0, sizeof(*ranges));
	ranges->limit = limit;
}

void nnadev_ranges_fini(struct nnadev_ranges *ranges)
{
	free(ranges->at);
	memset(ranges, 0, sizeof(*ranges));
}

/* Index of the first range that ends at or behind @first. */
static size_t lower_bound(const struct nnadev_ranges *ranges, uint64_t first)
{
	size_t low = 0, high = ranges->count;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (ranges->at[mid].last < first)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

int nnadev_ranges_add(struct nnadev_ranges *ranges, uint64_t first, uint64_t size, bool backed)
{
	uint64_t last;
	size_t i;

	if (size == 0 || __builtin_add_overflow(first, size - 1, &last))
		return -EINVAL;
	i = lower_bound(ranges, first);
	if (i < ranges->count && ranges->at[i].first <= last)
		return -EEXIST;
	if (ranges->count >= ranges->limit)
		return -ENOSPC;
	if (ranges->count == ranges->capacity) {
		size_t capacity = ranges->capacity ? 2 * ranges->capacity : 64;
		struct nnadev_bus_range *at = reallocarray(ranges->at, capacity, sizeof(*at));

		if (!at)
			return -ENOMEM;
		ranges->at = at;
		ranges->capacity = capacity;
	}
	memmove(&ranges->at[i + 1], &ranges->at[i], (ranges->count - i) * sizeof(*ranges->at));
	ranges->at[i] = (struct nnadev_bus_range){ .first = first, .last = last, .backed = backed };
	ranges->count++;
	return 0;
}

int nnadev_ranges_find(const struct nnadev_ranges *ranges, uint64_t first, uint64_t last,
		       size_t *index, size_t *count, size_t *backed)
{
	size_t i = lower_bound(ranges, first);

	*index = i;
	*count = 0;
	*backed = 0;
	for (; i < ranges->count && ranges->at[i].first <= last; i++) {
		if (ranges->at[i].first < first || ranges->at[i].last > last)
			return -EINVAL;
		++*count;
		*backed += ranges->at[i].backed;
	}
	return 0;
}

void nnadev_ranges_remove(struct nnadev_ranges *ranges, size_t index, size_t count)
{
	if (count == 0)
		return;
	memmove(&ranges->at[index], &ranges->at[index + count],
		(ranges->count - index - count) * sizeof(*ranges->at));
	ranges->count -= count;
}
