/* SPDX-License-Identifier: MIT */
/*
 * Memory that begins at a large page and lies in large pages where the kernel has them: thousands
 * of its pages become there at once, and who reads much of it finds them sooner.
 */
#ifndef NNADEV_PAGES_H
#define NNADEV_PAGES_H

#include <stdbool.h>
#include <stdint.h>

/* What the sizes of such memory are best multiples of. */
#define NNADEV_PAGES_LARGE (2ull << 20)

/**
 * nnadev_pages_create() - make memory
 * @size: bytes
 * @there: whether its pages are there from the start, so that who uses it never waits for one;
 *	else they come as they are touched, and cost nothing before
 *
 * Return: memory that is zero, for nnadev_pages_destroy(); NULL without memory.
 */
void *nnadev_pages_create(uint64_t size, bool there);

/* @size is that of the creation; NULL does nothing. */
void nnadev_pages_destroy(void *pages, uint64_t size);

#endif
