// SPDX-License-Identifier: GPL-2.0-only
/* Page tables: see nna_pgtable.h. */

#include <linux/align.h>
#include <linux/bug.h>
#include <linux/errno.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/slab.h>
#include <asm/barrier.h>

#include "nna_pgtable.h"

#define NNA_PT_BITS	9u
#define NNA_PT_ROOT	(NNA_PT_LEVELS - 1)
/* Number of tables that stay in each pool, so that binds of a few buffers need no allocation. */
#define NNA_PT_POOL_KEEP	8u

static unsigned int nna_pt_shift(unsigned int level)
{
	return NNA_PAGE_SHIFT + NNA_PT_BITS * level;
}

static unsigned int nna_pt_index(u64 va, unsigned int level)
{
	return (va >> nna_pt_shift(level)) & (NNA_PT_ENTRIES - 1);
}

static u64 nna_pt_get(const struct nna_pt *pt, unsigned int index)
{
	return le64_to_cpu(READ_ONCE(pt->entries[index]));
}

/* A single store, so that the device reads either the old entry or the new one. */
static void nna_pt_set(struct nna_pt *pt, unsigned int index, u64 value)
{
	WRITE_ONCE(pt->entries[index], cpu_to_le64(value));
}

static void nna_pt_free(struct nna_pgtable *pgt, struct nna_pt *pt)
{
	pgt->ops->free(pgt->cookie, pt);
	kfree(pt->children);
	kfree(pt);
}

static struct nna_pt *nna_pt_alloc(struct nna_pgtable *pgt, bool leaf)
{
	struct nna_pt *pt = kzalloc(sizeof(*pt), GFP_KERNEL_ACCOUNT);

	if (!pt)
		return NULL;
	INIT_LIST_HEAD(&pt->link);
	if (!leaf) {
		pt->children = kcalloc(NNA_PT_ENTRIES, sizeof(*pt->children), GFP_KERNEL_ACCOUNT);
		if (!pt->children)
			goto err_free;
	}
	if (!pgt->ops->alloc(pgt->cookie, pt))
		goto err_free;
	return pt;

err_free:
	kfree(pt->children);
	kfree(pt);
	return NULL;
}

static void nna_pt_pool_put(struct nna_pgtable *pgt, struct nna_pt *pt)
{
	struct nna_pt_pool *pool = pt->children ? &pgt->inner : &pgt->leaf;

	list_add(&pt->link, &pool->free);
	pool->count++;
}

static int nna_pt_pool_reserve(struct nna_pgtable *pgt, struct nna_pt_pool *pool, u64 count)
{
	struct nna_pt *pt;

	while (pool->count < pool->reserved + count) {
		pt = nna_pt_alloc(pgt, pool == &pgt->leaf);
		if (!pt)
			return -ENOMEM;
		nna_pt_pool_put(pgt, pt);
	}
	pool->reserved += count;
	return 0;
}

static void nna_pt_pool_trim(struct nna_pgtable *pgt, struct nna_pt_pool *pool, unsigned int keep)
{
	struct nna_pt *pt;

	pool->reserved = 0;
	while (pool->count > keep) {
		pt = list_first_entry(&pool->free, struct nna_pt, link);
		list_del(&pt->link);
		pool->count--;
		nna_pt_free(pgt, pt);
	}
}

static struct nna_pt *nna_pt_pool_take(struct nna_pgtable *pgt, struct nna_pt_pool *pool)
{
	struct nna_pt *pt = list_first_entry_or_null(&pool->free, struct nna_pt, link);

	/* The reservation covers the worst case: an empty pool is a bug. */
	if (WARN_ON_ONCE(!pt))
		return NULL;
	list_del_init(&pt->link);
	pool->count--;
	pgt->tables++;
	return pt;
}

static void nna_pt_pool_init(struct nna_pt_pool *pool)
{
	INIT_LIST_HEAD(&pool->free);
	pool->count = 0;
	pool->reserved = 0;
}

int nna_pgtable_init(struct nna_pgtable *pgt, const struct nna_pgtable_ops *ops, void *cookie)
{
	pgt->ops = ops;
	pgt->cookie = cookie;
	pgt->tables = 1;
	nna_pt_pool_init(&pgt->leaf);
	nna_pt_pool_init(&pgt->inner);
	pgt->root = nna_pt_alloc(pgt, false);
	return pgt->root ? 0 : -ENOMEM;
}

static void nna_pt_free_tree(struct nna_pgtable *pgt, struct nna_pt *pt)
{
	unsigned int i;

	for (i = 0; pt->children && i < NNA_PT_ENTRIES; i++)
		if (pt->children[i])
			nna_pt_free_tree(pgt, pt->children[i]);
	nna_pt_free(pgt, pt);
}

void nna_pgtable_fini(struct nna_pgtable *pgt)
{
	if (pgt->root)
		nna_pt_free_tree(pgt, pgt->root);
	pgt->root = NULL;
	pgt->tables = 0;
	nna_pt_pool_trim(pgt, &pgt->leaf, 0);
	nna_pt_pool_trim(pgt, &pgt->inner, 0);
}

int nna_pgtable_reserve_map(struct nna_pgtable *pgt, u64 va, u64 size)
{
	unsigned int level;
	int ret;

	for (level = 0; level < NNA_PT_ROOT; level++) {
		unsigned int shift = nna_pt_shift(level + 1);
		u64 count = ((va + size - 1) >> shift) - (va >> shift) + 1;

		if (pgt->tables + pgt->leaf.reserved + pgt->inner.reserved + count > NNA_MAX_TABLES)
			return -ENOSPC;
		ret = nna_pt_pool_reserve(pgt, level ? &pgt->inner : &pgt->leaf, count);
		if (ret)
			return ret;
	}
	return 0;
}

int nna_pgtable_reserve_unmap(struct nna_pgtable *pgt)
{
	return nna_pt_pool_reserve(pgt, &pgt->leaf, 2);
}

void nna_pgtable_release(struct nna_pgtable *pgt)
{
	nna_pt_pool_trim(pgt, &pgt->leaf, NNA_PT_POOL_KEEP);
	nna_pt_pool_trim(pgt, &pgt->inner, NNA_PT_POOL_KEEP);
}

/* Links a table. Its entries must be in memory before the entry that points to it. */
static void nna_pt_publish(struct nna_pt *parent, unsigned int index, struct nna_pt *child)
{
	if (!nna_pt_get(parent, index))
		parent->used++;
	parent->children[index] = child;
	dma_wmb();
	nna_pt_set(parent, index, child->dma | NNA_PTE_VALID);
}

static struct nna_pt *nna_pt_descend(struct nna_pgtable *pgt, struct nna_pt *pt,
				     unsigned int index, unsigned int level)
{
	struct nna_pt *child = pt->children[index];

	if (!child) {
		child = nna_pt_pool_take(pgt, level == 1 ? &pgt->leaf : &pgt->inner);
		if (child)
			nna_pt_publish(pt, index, child);
	}
	return child;
}

void nna_pgtable_map(struct nna_pgtable *pgt, u64 va, dma_addr_t dma, u64 size, bool write)
{
	u64 bits = NNA_PTE_VALID | (write ? NNA_PTE_WRITE : 0);

	while (size) {
		struct nna_pt *pt = pgt->root;
		unsigned int level, index;
		u64 step = NNA_PAGE_SIZE;

		for (level = NNA_PT_ROOT; level > 1 && pt; level--)
			pt = nna_pt_descend(pgt, pt, nna_pt_index(va, level), level);
		if (!pt)
			return;

		index = nna_pt_index(va, 1);
		if (IS_ALIGNED(va | dma, NNA_LARGE_PAGE_SIZE) && size >= NNA_LARGE_PAGE_SIZE &&
		    !pt->children[index]) {
			WARN_ON_ONCE(nna_pt_get(pt, index));
			nna_pt_set(pt, index, dma | bits | NNA_PTE_LARGE);
			pt->used++;
			step = NNA_LARGE_PAGE_SIZE;
		} else {
			u64 n, i;

			pt = nna_pt_descend(pgt, pt, index, 1);
			if (!pt)
				return;
			index = nna_pt_index(va, 0);
			n = min_t(u64, size >> NNA_PAGE_SHIFT, NNA_PT_ENTRIES - index);
			for (i = 0; i < n; i++) {
				WARN_ON_ONCE(nna_pt_get(pt, index + i));
				nna_pt_set(pt, index + i, (dma + (i << NNA_PAGE_SHIFT)) | bits);
			}
			pt->used += n;
			step = n << NNA_PAGE_SHIFT;
		}
		va += step;
		dma += step;
		size -= step;
	}
}

/* Replaces a large page by a table that maps the same range without the pages @first to @last. */
static void nna_pt_split(struct nna_pgtable *pgt, struct nna_pt *pt, unsigned int index,
			 unsigned int first, unsigned int last)
{
	u64 entry = nna_pt_get(pt, index) & ~(u64)NNA_PTE_LARGE;
	struct nna_pt *leaf = nna_pt_pool_take(pgt, &pgt->leaf);
	unsigned int i;

	if (!leaf)
		return;
	for (i = 0; i < NNA_PT_ENTRIES; i++) {
		if (i >= first && i <= last)
			continue;
		nna_pt_set(leaf, i, entry + ((u64)i << NNA_PAGE_SHIFT));
		leaf->used++;
	}
	nna_pt_publish(pt, index, leaf);
}

static bool nna_pt_unmap(struct nna_pgtable *pgt, struct nna_pt *pt, unsigned int level, u64 va,
			 u64 last, struct list_head *unlinked)
{
	unsigned int shift = nna_pt_shift(level);
	bool any = false;

	for (;;) {
		unsigned int index = nna_pt_index(va, level);
		u64 end = min(last, va | ((1ull << shift) - 1));
		u64 entry = nna_pt_get(pt, index);

		if (!entry) {
			/* Nothing is mapped here. */
		} else if (level && pt->children[index]) {
			struct nna_pt *child = pt->children[index];

			any |= nna_pt_unmap(pgt, child, level - 1, va, end, unlinked);
			if (!child->used) {
				nna_pt_set(pt, index, 0);
				pt->children[index] = NULL;
				pt->used--;
				pgt->tables--;
				list_add(&child->link, unlinked);
			}
		} else if (level && end - va + 1 < NNA_LARGE_PAGE_SIZE) {
			nna_pt_split(pgt, pt, index, nna_pt_index(va, 0), nna_pt_index(end, 0));
			any = true;
		} else {
			nna_pt_set(pt, index, 0);
			pt->used--;
			any = true;
		}
		if (end == last)
			return any;
		va = end + 1;
	}
}

bool nna_pgtable_unmap(struct nna_pgtable *pgt, u64 va, u64 size, struct list_head *unlinked)
{
	if (!size)
		return false;
	return nna_pt_unmap(pgt, pgt->root, NNA_PT_ROOT, va, va + size - 1, unlinked);
}

void nna_pgtable_recycle(struct nna_pgtable *pgt, struct list_head *unlinked)
{
	struct nna_pt *pt, *tmp;

	list_for_each_entry_safe(pt, tmp, unlinked, link) {
		list_del(&pt->link);
		nna_pt_pool_put(pgt, pt);
	}
}

#if IS_ENABLED(CONFIG_DRM_ACCEL_NNA_KUNIT_TEST)
u64 nna_pgtable_lookup(const struct nna_pgtable *pgt, u64 va, bool *large)
{
	const struct nna_pt *pt = pgt->root;
	unsigned int level;
	u64 entry = 0;

	if (large)
		*large = false;
	for (level = NNA_PT_LEVELS; level-- > 0;) {
		entry = nna_pt_get(pt, nna_pt_index(va, level));
		if (!(entry & NNA_PTE_VALID))
			return 0;
		if (level == 1 && (entry & NNA_PTE_LARGE)) {
			if (large)
				*large = true;
			return entry;
		}
		if (level)
			pt = pt->children[nna_pt_index(va, level)];
	}
	return entry;
}
#endif
