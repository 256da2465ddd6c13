/* SPDX-License-Identifier: MIT */
/*
 * Anonymous memory that is aligned to a large page, and backed by large pages where the kernel has
 * them. That saves page faults when it is first touched, and TLB misses when it is read.
 */
#ifndef NNADEV_PAGES_H
#define NNADEV_PAGES_H

#include <stdbool.h>
#include <stdint.h>

/* The size of a large page; sizes that are multiples of it waste nothing. */
#define NNADEV_PAGES_LARGE (2ull << 20)

/**
 * nnadev_pages_create() - make memory
 * @size: bytes
 * @there: allocate all pages now, so that no later access waits for a page fault. Otherwise each
 *	page is allocated when it is first touched.
 *
 * Return: zeroed memory, to be given to nnadev_pages_destroy(); NULL when there is no memory.
 */
void *nnadev_pages_create(uint64_t size, bool there);

/* @size as given to nnadev_pages_create(); NULL does nothing. */
void nnadev_pages_destroy(void *pages, uint64_t size);

#endif
