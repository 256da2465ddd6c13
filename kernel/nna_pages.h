/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The bound on memory that cannot be swapped out: pages of buffer objects, from when they are
 * allocated until the object is freed, and of page tables. It holds for one device, whoever asks.
 * The module's parameter pages_limit sets it, by default half of the machine's memory. What a
 * single client may take of it is up to its memory control group, to which all of it is charged.
 */
#ifndef NNA_PAGES_H
#define NNA_PAGES_H

#include <linux/kconfig.h>

struct nna_device;

/** nna_pages_limit - The parameter: pages that one device may pin; 0: half of all memory. */
extern unsigned long nna_pages_limit;

/** nna_pages_init() - Allocate the count, freed with the DRM device; 0 or -ENOMEM. */
int nna_pages_init(struct nna_device *nna);

/** nna_pages_take() - Account for @count pages, or return -ENOMEM; any context. */
int nna_pages_take(struct nna_device *nna, unsigned long count);

/** nna_pages_give() - Give back what nna_pages_take() has accounted for; any context. */
void nna_pages_give(struct nna_device *nna, unsigned long count);

#if IS_ENABLED(CONFIG_DRM_ACCEL_NNA_KUNIT_TEST)
/** nna_pages_pinned() - Pages that are accounted for; for tests. */
unsigned long nna_pages_pinned(struct nna_device *nna);
#endif

#endif
