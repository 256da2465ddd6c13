// SPDX-License-Identifier: MIT
#include "device/host/pages.h"

#include <stddef.h>
#include <sys/mman.h>

/* Some systems have older headers. A kernel that does not know it returns an error. */
#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

static uint64_t round_up(uint64_t size)
{
	return (size + NNADEV_PAGES_LARGE - 1) & ~(NNADEV_PAGES_LARGE - 1);
}

void *nnadev_pages_create(uint64_t size, bool there)
{
	const uint64_t whole = round_up(size);
	uint8_t *map, *begin;

	if (!size || size > SIZE_MAX - 2 * NNADEV_PAGES_LARGE)
		return NULL;
	map = mmap(NULL, whole + NNADEV_PAGES_LARGE, PROT_READ | PROT_WRITE,
		   MAP_PRIVATE | MAP_ANONYMOUS | (there ? 0 : MAP_NORESERVE), -1, 0);
	if (map == MAP_FAILED)
		return NULL;
	begin = (uint8_t *)(uintptr_t)round_up((uintptr_t)map);
	if (begin > map)
		munmap(map, (uint64_t)(begin - map));
	if (begin < map + NNADEV_PAGES_LARGE)
		munmap(begin + whole, (uint64_t)(map + NNADEV_PAGES_LARGE - begin));
	/* Both are optional: without them pages are allocated when they are first touched. */
	madvise(begin, whole, MADV_HUGEPAGE);
	if (there)
		madvise(begin, size, MADV_POPULATE_WRITE);
	return begin;
}

void nnadev_pages_destroy(void *pages, uint64_t size)
{
	if (pages)
		munmap(pages, round_up(size));
}
