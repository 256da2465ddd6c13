/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The limit of pinned pages of a device. Pages of buffer objects count from their allocation until
 * the object is freed, and so do pages of page tables. All clients of the device together are
 * limited by the module's parameter pages_limit, by default half of the machine's memory. The
 * memory control group of a client limits the client: all of it is charged there.
 */
#ifndef NNA_PAGES_H
#define NNA_PAGES_H

#include <linux/kconfig.h>

struct nna_device;

/** nna_pages_limit - The parameter: pages that a device may pin; 0: half of the memory. */
extern unsigned long nna_pages_limit;

/** nna_pages_init() - Allocate the count, freed with the DRM device; 0 or -ENOMEM. */
int nna_pages_init(struct nna_device *nna);

/** nna_pages_take() - Count @count more pages, or return -ENOMEM; any context. */
int nna_pages_take(struct nna_device *nna, unsigned long count);

/** nna_pages_give() - Give back @count pages that nna_pages_take() has counted; any context. */
void nna_pages_give(struct nna_device *nna, unsigned long count);

#if IS_ENABLED(CONFIG_DRM_ACCEL_NNA_KUNIT_TEST)
/** nna_pages_pinned() - Number of pages that are counted; for tests. */
unsigned long nna_pages_pinned(struct nna_device *nna);
#endif

#endif
