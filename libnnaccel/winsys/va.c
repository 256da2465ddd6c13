// SPDX-License-Identifier: MIT
/*
 * The free ranges are a list, ordered by address; neighbours are merged, so no two of them touch.
 * The search is linear: the list is only long when memory is fragmented, and BOs are not created on
 * the inference path.
 *
 * At least one taken range lies between two free ones, so n taken ranges leave at most n + 1 free
 * ones. nna_va_take() allocates that many nodes, so nna_va_give() always finds a spare node and
 * cannot fail.
 */
#include <errno.h>
#include <stdlib.h>

#include "libnnaccel/winsys/va.h"

struct range {
	struct range *next;
	uint64_t at, size;
};

/**
 * struct nna_va - an allocator of ranges
 * @free: free ranges by address
 * @spare: nodes that describe no range
 * @nodes: length of @free and @spare together, at least @taken + 1
 * @taken: ranges that are taken
 */
struct nna_va {
	struct range *free, *spare;
	uint64_t nodes, taken;
};

static int node_add(struct nna_va *va)
{
	struct range *r = malloc(sizeof(*r));

	if (!r)
		return -ENOMEM;
	r->next = va->spare;
	va->spare = r;
	va->nodes++;
	return 0;
}

/* Puts a spare node in front of *@link. */
static void range_insert(struct nna_va *va, struct range **link, uint64_t at, uint64_t size)
{
	struct range *r = va->spare;

	va->spare = r->next;
	*r = (struct range){ *link, at, size };
	*link = r;
}

static void range_remove(struct nna_va *va, struct range **link)
{
	struct range *r = *link;

	*link = r->next;
	r->next = va->spare;
	va->spare = r;
}

struct nna_va *nna_va_create(uint64_t start, uint64_t size)
{
	struct nna_va *va = calloc(1, sizeof(*va));

	if (!va || node_add(va)) {
		free(va);
		return NULL;
	}
	range_insert(va, &va->free, start, size);
	return va;
}

static void list_free(struct range *r)
{
	while (r) {
		struct range *next = r->next;

		free(r);
		r = next;
	}
}

void nna_va_destroy(struct nna_va *va)
{
	if (!va)
		return;
	list_free(va->free);
	list_free(va->spare);
	free(va);
}

int nna_va_take_from(struct nna_va *va, uint64_t from, uint64_t size, uint64_t align, uint64_t *at)
{
	for (struct range **link = &va->free; *link; link = &(*link)->next) {
		struct range *r = *link;
		uint64_t skip = r->at < from ? from - r->at : 0, behind;

		if (r->size <= skip)
			continue;
		skip += -(r->at + skip) & (align - 1);
		if (r->size < skip || r->size - skip < size)
			continue;
		/* Allocates the node that giving back this range may need. */
		if (va->nodes < va->taken + 2 && node_add(va))
			return -ENOMEM;
		va->taken++;
		*at = r->at + skip;
		behind = r->size - skip - size;
		r->size = skip;
		if (behind)
			range_insert(va, &r->next, *at + size, behind);
		if (!skip)
			range_remove(va, link);
		return 0;
	}
	return -ENOSPC;
}

int nna_va_take(struct nna_va *va, uint64_t size, uint64_t align, uint64_t *at)
{
	return nna_va_take_from(va, 0, size, align, at);
}

void nna_va_give(struct nna_va *va, uint64_t at, uint64_t size)
{
	struct range **link = &va->free, *before = NULL, *r;

	while (*link && (*link)->at < at) {
		before = *link;
		link = &before->next;
	}
	va->taken--;
	r = *link;
	if (r && r->at == at + size) {
		r->at = at;
		r->size += size;
	} else {
		range_insert(va, link, at, size);
		r = *link;
	}
	if (before && before->at + before->size == at) {
		before->size += r->size;
		range_remove(va, link);
	}
}
