/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The limit of pinned pages of a device. Pages of buffer objects count from their allocation until
 * the object is freed or purged, and so do pages of page tables. They count for the user whose file
 * has created the object. All users of the device together are limited by the module's parameter
 * pages_limit, by default half of the machine's memory. The memory control group of a client limits
 * the client: all of it is charged there.
 *
 * One user gets no more pages than three times those that are left. So a user alone can have three
 * quarters of the limit, and each further one three quarters of what the others have left.
 *
 * Locking: one lock protects the counts; a leaf, in any context.
 */
#ifndef NNA_PAGES_H
#define NNA_PAGES_H

#include <linux/kconfig.h>

struct nna_device;
struct nna_user;

/** nna_pages_limit - The parameter: pages that a device may pin; 0: half of the memory. */
extern unsigned long nna_pages_limit;

/** nna_pages_init() - Allocate the count, freed with the DRM device; 0 or -ENOMEM. */
int nna_pages_init(struct nna_device *nna);

/** nna_pages_take() - Count @count more pages of a user, or return -ENOMEM; any context. */
int nna_pages_take(struct nna_user *user, unsigned long count);

/** nna_pages_give() - Give back @count pages that nna_pages_take() has counted; any context. */
void nna_pages_give(struct nna_user *user, unsigned long count);

#if IS_ENABLED(CONFIG_DRM_ACCEL_NNA_KUNIT_TEST)
/** nna_pages_pinned() - Number of pages that are counted; for tests. */
unsigned long nna_pages_pinned(struct nna_device *nna);
#endif

#endif
