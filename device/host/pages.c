// SPDX-License-Identifier: MIT
#include "device/host/pages.h"

#include <stddef.h>
#include <sys/mman.h>

#define LARGE_PAGE (2ull << 20)

/* Newer than the headers of some systems; a kernel that does not know it says so. */
#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

static uint64_t round_up(uint64_t size)
{
	return (size + LARGE_PAGE - 1) & ~(LARGE_PAGE - 1);
}

void *nnadev_pages_create(uint64_t size)
{
	const uint64_t whole = round_up(size);
	uint8_t *map, *begin;

	if (!size || size > SIZE_MAX - 2 * LARGE_PAGE)
		return NULL;
	map = mmap(NULL, whole + LARGE_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
		   -1, 0);
	if (map == MAP_FAILED)
		return NULL;
	begin = (uint8_t *)(((uintptr_t)map + LARGE_PAGE - 1) & ~(uintptr_t)(LARGE_PAGE - 1));
	if (begin > map)
		munmap(map, (uint64_t)(begin - map));
	if (begin < map + LARGE_PAGE)
		munmap(begin + whole, (uint64_t)(map + LARGE_PAGE - begin));
	/* A kernel that cannot do the one or the other has pages come when they are used. */
	madvise(begin, whole, MADV_HUGEPAGE);
	madvise(begin, size, MADV_POPULATE_WRITE);
	return begin;
}

void nnadev_pages_destroy(void *pages, uint64_t size)
{
	if (pages)
		munmap(pages, round_up(size));
}
