/* SPDX-License-Identifier: MIT */
/*
 * Memory whose pages are there from the start, in large pages where the kernel has them: who uses
 * it never waits for one.
 */
#ifndef NNADEV_PAGES_H
#define NNADEV_PAGES_H

#include <stdint.h>

/* @size bytes that are zero, page aligned; NULL without memory. */
void *nnadev_pages_create(uint64_t size);

/* @size is that of the creation; NULL does nothing. */
void nnadev_pages_destroy(void *pages, uint64_t size);

#endif
