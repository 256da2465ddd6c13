// SPDX-License-Identifier: GPL-2.0-only
/* The limit of pinned pages: see nna_pages.h. */

#include <linux/atomic.h>
#include <linux/compiler.h>
#include <linux/errno.h>
#include <linux/mm.h>
#include <linux/moduleparam.h>
#include <linux/spinlock.h>
#include <drm/drm_managed.h>

#include "nna_core.h"
#include "nna_pages.h"
#include "nna_user.h"

unsigned long nna_pages_limit;
module_param_named(pages_limit, nna_pages_limit, ulong, 0644);
MODULE_PARM_DESC(pages_limit, "Pages that a device may pin (0, the default: half of the memory)");

/* A user may have at most this many times the pages that are left of the limit. */
#define NNA_PAGES_PER_FREE	3ul

/**
 * struct nna_pages - Pinned pages of a device.
 * @lock: protects this and nna_user.pages.
 * @pinned: number of pages of buffer objects and page tables.
 */
struct nna_pages {
	spinlock_t lock;
	unsigned long pinned;
};

int nna_pages_init(struct nna_device *nna)
{
	nna->pages = drmm_kzalloc(&nna->drm, sizeof(*nna->pages), GFP_KERNEL);
	if (!nna->pages)
		return -ENOMEM;
	spin_lock_init(&nna->pages->lock);
	return 0;
}

static int nna_pages_take_locked(struct nna_user *user, unsigned long count, unsigned long limit)
{
	struct nna_pages *pages = user->nna->pages;
	unsigned long own = atomic_long_read(&user->pages) + count;
	unsigned long left;

	lockdep_assert_held(&pages->lock);
	/* More than the limit may be pinned, if the limit was lowered. */
	if (count > limit || pages->pinned > limit - count)
		return -ENOMEM;
	left = limit - count - pages->pinned;
	if (own / NNA_PAGES_PER_FREE > left)
		return -ENOMEM;
	WRITE_ONCE(pages->pinned, pages->pinned + count);
	atomic_long_set(&user->pages, own);
	return 0;
}

int nna_pages_take(struct nna_user *user, unsigned long count)
{
	unsigned long limit = READ_ONCE(nna_pages_limit) ?: totalram_pages() / 2;
	struct nna_pages *pages = user->nna->pages;
	unsigned long flags;
	int ret;

	spin_lock_irqsave(&pages->lock, flags);
	ret = nna_pages_take_locked(user, count, limit);
	spin_unlock_irqrestore(&pages->lock, flags);
	if (ret)
		drm_dbg_driver(&user->nna->drm,
			       "%lu pages are pinned, %lu of uid %u, which wants %lu more: pages_limit is %lu\n",
			       READ_ONCE(pages->pinned), atomic_long_read(&user->pages),
			       user->key.uid, count, limit);
	return ret;
}

void nna_pages_give(struct nna_user *user, unsigned long count)
{
	struct nna_pages *pages = user->nna->pages;
	unsigned long flags;

	spin_lock_irqsave(&pages->lock, flags);
	WRITE_ONCE(pages->pinned, pages->pinned - count);
	atomic_long_sub(count, &user->pages);
	spin_unlock_irqrestore(&pages->lock, flags);
}

#if IS_ENABLED(CONFIG_DRM_ACCEL_NNA_KUNIT_TEST)
unsigned long nna_pages_pinned(struct nna_device *nna)
{
	return READ_ONCE(nna->pages->pinned);
}
#endif
