/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The NNA's page tables: pure data structure, no locks, no knowledge of DRM or of the device.
 *
 * A table is a page of 512 entries that the device reads, plus what the driver remembers about it.
 * Tables come from a pool that the caller has filled beforehand (nna_pgtable_reserve_*), so that
 * map and unmap cannot fail. Tables that an unmap unlinks go to the caller's list of dead ones: the
 * device may still be walking them until an invalidation has been acknowledged; only then they go
 * back to the pool.
 *
 * A table without valid entries is always unlinked, so that a large page never meets a small one's
 * table.
 */
#ifndef NNA_PGTABLE_H
#define NNA_PGTABLE_H

#include <linux/list.h>
#include <linux/types.h>

#include "nna_regs.h"

#define NNA_PAGE_SIZE		(1ull << NNA_PAGE_SHIFT)
#define NNA_LARGE_PAGE_SIZE	(1ull << NNA_LARGE_PAGE_SHIFT)
#define NNA_VA_END		(1ull << NNA_VA_BITS)

/**
 * struct nna_pt - One table.
 * @entries: the page that the device reads.
 * @dma: its bus address.
 * @children: the driver's side of the tables that the entries point to; NULL in a table of level 0.
 * @used: valid entries.
 * @link: in a pool or a list of dead tables.
 */
struct nna_pt {
	__le64 *entries;
	dma_addr_t dma;
	struct nna_pt **children;
	unsigned int used;
	struct list_head link;
};

/**
 * struct nna_pgtable_ops - Where tables come from.
 * @alloc: get a zeroed page for @pt->entries and set @pt->dma; 0 or -ENOMEM. May sleep.
 * @free: give the page of @pt back.
 */
struct nna_pgtable_ops {
	int (*alloc)(void *cookie, struct nna_pt *pt);
	void (*free)(void *cookie, struct nna_pt *pt);
};

/**
 * struct nna_pt_pool - Tables that are not linked, all entries zero.
 * @free: the tables.
 * @count: how many.
 * @reserved: how many of them operations to come may need.
 */
struct nna_pt_pool {
	struct list_head free;
	unsigned int count;
	unsigned int reserved;
};

/**
 * struct nna_pgtable - The tables of one address space. The owner serialises all calls.
 * @ops: where tables come from.
 * @cookie: handed to @ops.
 * @root: table of the highest level.
 * @tables: tables linked now, the root included.
 * @leaf: pool of tables of level 0.
 * @inner: pool of tables of higher levels.
 */
struct nna_pgtable {
	const struct nna_pgtable_ops *ops;
	void *cookie;
	struct nna_pt *root;
	unsigned int tables;
	struct nna_pt_pool leaf;
	struct nna_pt_pool inner;
};

/** nna_pgtable_init() - Make an empty address space; 0 or -ENOMEM. */
int nna_pgtable_init(struct nna_pgtable *pgt, const struct nna_pgtable_ops *ops, void *cookie);

/** nna_pgtable_fini() - Free all tables; once is enough. The device must not use them any more. */
void nna_pgtable_fini(struct nna_pgtable *pgt);

/**
 * nna_pgtable_reserve_map() - Set aside what nna_pgtable_map() of a range may need at most.
 * @pgt: the address space.
 * @va: first address, page aligned.
 * @size: bytes, page aligned, more than 0.
 *
 * Reservations add up until nna_pgtable_release(), which is to be called after failures too.
 *
 * Return: 0, -ENOMEM.
 */
int nna_pgtable_reserve_map(struct nna_pgtable *pgt, u64 va, u64 size);

/** nna_pgtable_reserve_unmap() - Set aside what an unmap may need, two splits; 0 or -ENOMEM. */
int nna_pgtable_reserve_unmap(struct nna_pgtable *pgt);

/** nna_pgtable_release() - Forget all reservations and free all but a few tables of the pools. */
void nna_pgtable_release(struct nna_pgtable *pgt);

/**
 * nna_pgtable_map() - Map a contiguous range of bus addresses where nothing is mapped.
 * @pgt: the address space.
 * @va: first address, page aligned.
 * @dma: first bus address, page aligned.
 * @size: bytes, page aligned.
 * @write: whether the device may write.
 */
void nna_pgtable_map(struct nna_pgtable *pgt, u64 va, dma_addr_t dma, u64 size, bool write);

/**
 * nna_pgtable_unmap() - Unmap a range, mapped or not; large pages at its ends are split.
 * @pgt: the address space.
 * @va: first address, page aligned.
 * @size: bytes, page aligned.
 * @unlinked: where unlinked tables go.
 *
 * Return: whether anything was mapped.
 */
bool nna_pgtable_unmap(struct nna_pgtable *pgt, u64 va, u64 size, struct list_head *unlinked);

/** nna_pgtable_recycle() - Put back unlinked tables that the device has forgotten. */
void nna_pgtable_recycle(struct nna_pgtable *pgt, struct list_head *unlinked);

/**
 * nna_pgtable_lookup() - Translate as the device would.
 * @pgt: the address space.
 * @va: an address.
 * @large: set to whether a large page maps it; may be NULL.
 *
 * Return: the leaf entry, or 0.
 */
u64 nna_pgtable_lookup(const struct nna_pgtable *pgt, u64 va, bool *large);

#endif
