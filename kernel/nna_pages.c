// SPDX-License-Identifier: GPL-2.0-only
/* The limit of pinned pages: see nna_pages.h. */

#include <linux/atomic.h>
#include <linux/compiler.h>
#include <linux/errno.h>
#include <linux/mm.h>
#include <linux/moduleparam.h>
#include <drm/drm_managed.h>

#include "nna_core.h"
#include "nna_pages.h"

unsigned long nna_pages_limit;
module_param_named(pages_limit, nna_pages_limit, ulong, 0644);
MODULE_PARM_DESC(pages_limit, "Pages that a device may pin (0, the default: half of the memory)");

/**
 * struct nna_pages - Pinned pages of a device.
 * @pinned: number of pages of buffer objects and page tables.
 */
struct nna_pages {
	atomic_long_t pinned;
};

int nna_pages_init(struct nna_device *nna)
{
	nna->pages = drmm_kzalloc(&nna->drm, sizeof(*nna->pages), GFP_KERNEL);
	return nna->pages ? 0 : -ENOMEM;
}

int nna_pages_take(struct nna_device *nna, unsigned long count)
{
	unsigned long limit = READ_ONCE(nna_pages_limit) ?: totalram_pages() / 2;
	unsigned long pinned = atomic_long_read(&nna->pages->pinned);

	do {
		/* More than the limit may be pinned, if the limit was lowered. */
		if (count > limit || pinned > limit - count) {
			drm_dbg_driver(&nna->drm, "%lu pages are pinned, %lu more exceed pages_limit, %lu\n",
				       pinned, count, limit);
			return -ENOMEM;
		}
	} while (!atomic_long_try_cmpxchg(&nna->pages->pinned, &pinned, pinned + count));
	return 0;
}

void nna_pages_give(struct nna_device *nna, unsigned long count)
{
	atomic_long_sub(count, &nna->pages->pinned);
}

#if IS_ENABLED(CONFIG_DRM_ACCEL_NNA_KUNIT_TEST)
unsigned long nna_pages_pinned(struct nna_device *nna)
{
	return atomic_long_read(&nna->pages->pinned);
}
#endif
