// SPDX-License-Identifier: MIT
#include "device/host/memory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define PAGE 4096u

/* Index of the first mapping that ends after @bus. */
static uint32_t search(const struct nnadev_memory *memory, uint64_t bus)
{
	uint32_t low = 0, high = memory->count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		const struct nnadev_mapping *m = &memory->mappings[middle];

		/* Mappings do not reach beyond 2^64 - 1: last byte, not end. */
		if (m->iova + (m->size - 1) < bus)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Room for a mapping of a range, whose index will be *at. */
static int make_room(struct nnadev_memory *memory, uint64_t iova, uint64_t size, uint32_t *at)
{
	struct nnadev_mapping *m;
	uint64_t last;

	if (!size || (iova | size) & (PAGE - 1) || __builtin_add_overflow(iova, size - 1, &last))
		return -EINVAL;
	*at = search(memory, iova);
	if (*at < memory->count && memory->mappings[*at].iova <= last)
		return -EEXIST;
	if (memory->count == NNADEV_MEMORY_MAPPINGS)
		return -ENOSPC;
	if (memory->count == memory->capacity) {
		uint32_t capacity = memory->capacity ? memory->capacity * 2 : 16;

		m = realloc(memory->mappings, capacity * sizeof(*m));
		if (!m)
			return -ENOMEM;
		memory->mappings = m;
		memory->capacity = capacity;
	}
	return 0;
}

static void insert(struct nnadev_memory *memory, uint32_t at, struct nnadev_mapping mapping)
{
	struct nnadev_mapping *m = &memory->mappings[at];

	memmove(m + 1, m, (memory->count - at) * sizeof(*m));
	memory->count++;
	*m = mapping;
}

int nnadev_memory_map(struct nnadev_memory *memory, uint64_t iova, uint64_t size, int fd,
		      uint64_t offset, bool writable)
{
	struct nnadev_file *file;
	uint64_t length;
	uint32_t at;
	int r;

	if (offset & (PAGE - 1) || __builtin_add_overflow(offset, size, &length))
		return -EINVAL;
	r = make_room(memory, iova, size, &at);
	if (!r)
		r = nnadev_file_open(&memory->files, fd, length, writable, &file);
	if (!r)
		insert(memory, at,
		       (struct nnadev_mapping){ iova, size, offset, file, writable });
	return r;
}

int nnadev_memory_map_data(struct nnadev_memory *memory, uint64_t iova, uint64_t size, void *data)
{
	struct nnadev_file *file;
	uint32_t at;
	int r;

	if ((uintptr_t)data & (PAGE - 1))
		return -EINVAL;
	r = make_room(memory, iova, size, &at);
	if (!r)
		r = nnadev_file_wrap(&memory->files, data, size, &file);
	if (!r)
		insert(memory, at, (struct nnadev_mapping){ iova, size, 0, file, true });
	return r;
}

int nnadev_memory_covers(const struct nnadev_memory *memory, uint64_t iova, uint64_t size)
{
	uint32_t at = search(memory, iova), end;
	uint64_t last;

	if (!size)
		return -ENOENT;
	if (__builtin_add_overflow(iova, size - 1, &last))
		last = UINT64_MAX;
	for (end = at; end < memory->count && memory->mappings[end].iova <= last; end++) {
		const struct nnadev_mapping *m = &memory->mappings[end];

		if (m->iova < iova || m->iova + (m->size - 1) > last)
			return -ENOENT;
	}
	return end == at ? -ENOENT : 0;
}

struct nnadev_file *nnadev_memory_unmap(struct nnadev_memory *memory, uint64_t iova,
					uint64_t size)
{
	struct nnadev_file *gone = NULL;
	uint32_t at = search(memory, iova), end;
	uint64_t last;

	if (__builtin_add_overflow(iova, size - 1, &last))
		last = UINT64_MAX;
	for (end = at; end < memory->count && memory->mappings[end].iova <= last; end++)
		nnadev_file_close(&memory->files, memory->mappings[end].file, &gone);
	if (end == at)
		return gone;
	memmove(&memory->mappings[at], &memory->mappings[end],
		(memory->count - end) * sizeof(memory->mappings[0]));
	memory->count -= end - at;
	return gone;
}

bool nnadev_memory_break(struct nnadev_memory *memory, const void *address)
{
	for (struct nnadev_file *file = memory->files; file; file = file->next) {
		if ((const uint8_t *)address >= file->data &&
		    (const uint8_t *)address < file->data + file->length) {
			file->broken = true;
			return true;
		}
	}
	return false;
}

void nnadev_memory_fini(struct nnadev_memory *memory)
{
	struct nnadev_file *gone = NULL;

	for (uint32_t i = 0; i < memory->count; i++)
		nnadev_file_close(&memory->files, memory->mappings[i].file, &gone);
	nnadev_file_free(gone);
	free(memory->mappings);
	memory->mappings = NULL;
	memory->count = 0;
	memory->capacity = 0;
}

bool nnadev_memory_find(struct nnadev_memory *memory, uint64_t bus, struct nnadev_reach *reach)
{
	uint32_t at = search(memory, bus);
	const struct nnadev_mapping *m;
	uint64_t start, size;

	if (memory->off || at == memory->count || memory->mappings[at].iova > bus)
		return false;
	m = &memory->mappings[at];
	start = m->offset + (bus - m->iova);
	size = m->size - (bus - m->iova);
	if (!nnadev_file_reaches(m->file, start + 1))
		return false;
	if (size > m->file->size - start)
		size = m->file->size - start;
	*reach = (struct nnadev_reach){ m->file->data + start, size, m->file, m->writable };
	return true;
}

void *nnadev_memory_at(struct nnadev_memory *memory, uint64_t bus, uint64_t size, bool write)
{
	struct nnadev_reach reach;

	if (!nnadev_memory_find(memory, bus, &reach) || reach.size < size ||
	    (write && !reach.writable))
		return NULL;
	return reach.data;
}
