/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The NNA's page tables: a data structure without locks that uses neither DRM nor the device.
 *
 * A table is a device page of 512 entries, which the device reads, and a struct nna_pt beside it.
 * Level 0 maps pages of 4 KiB. An entry of level 1 points to a table of level 0 or maps 2 MiB.
 *
 * Map and unmap cannot fail: they take tables from pools that nna_pgtable_reserve_map() and
 * nna_pgtable_reserve_unmap() have filled before. Unmap puts unlinked tables on a list of the
 * caller, since the device may still walk them. After the invalidation the caller passes the list
 * to nna_pgtable_recycle(), which returns the tables to their pools.
 *
 * Unmap unlinks a table as soon as its last valid entry is cleared, so that a large page can later
 * be mapped there.
 */
#ifndef NNA_PGTABLE_H
#define NNA_PGTABLE_H

#include <linux/kconfig.h>
#include <linux/list.h>
#include <linux/types.h>

#include "nna_regs.h"

#define NNA_PAGE_SIZE		(1ull << NNA_PAGE_SHIFT)
#define NNA_LARGE_PAGE_SIZE	(1ull << NNA_LARGE_PAGE_SHIFT)
#define NNA_VA_END		(1ull << NNA_VA_BITS)

/** NNA_MAX_TABLES - Maximum tables of an address space: enough for 64 GiB in pages of 4 KiB. */
#define NNA_MAX_TABLES		32768u

struct nna_table_page;

/**
 * struct nna_pt - One table.
 * @entries: the page that the device reads.
 * @dma: its bus address.
 * @page: the owner's record of where @entries lies.
 * @children: for each entry the table to which it points, or NULL; NULL at level 0.
 * @used: number of valid entries.
 * @link: in a pool, or in a list of unlinked tables.
 */
struct nna_pt {
	__le64 *entries;
	dma_addr_t dma;
	struct nna_table_page *page;
	struct nna_pt **children;
	unsigned int used;
	struct list_head link;
};

/**
 * struct nna_pgtable_ops - How memory for tables is allocated.
 * @alloc: allocate a zeroed device page for @pt->entries and set @pt->dma, or return false; may
 *	sleep.
 * @free: free the device page of @pt.
 */
struct nna_pgtable_ops {
	bool (*alloc)(void *cookie, struct nna_pt *pt);
	void (*free)(void *cookie, struct nna_pt *pt);
};

/**
 * struct nna_pt_pool - Tables that are not in use; all their entries are zero.
 * @free: the tables.
 * @count: number of tables.
 * @reserved: number of them that are reserved.
 */
struct nna_pt_pool {
	struct list_head free;
	unsigned int count;
	unsigned int reserved;
};

/**
 * struct nna_pgtable - The page tables of one address space. The owner serialises all calls.
 * @ops: how memory for tables is allocated.
 * @cookie: passed to @ops.
 * @root: table of the highest level.
 * @tables: number of tables in use, the root included.
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

/** nna_pgtable_init() - Initialise with an empty root table; 0 or -ENOMEM. May sleep. */
int nna_pgtable_init(struct nna_pgtable *pgt, const struct nna_pgtable_ops *ops, void *cookie);

/** nna_pgtable_fini() - Free all tables; the device must not use them. May be called again. */
void nna_pgtable_fini(struct nna_pgtable *pgt);

/**
 * nna_pgtable_reserve_map() - Reserve the maximum of tables for one nna_pgtable_map().
 * @pgt: the page tables.
 * @va: first address, page aligned.
 * @size: bytes, page aligned, more than 0.
 *
 * Reservations add up until nna_pgtable_release(), which must also follow a failure. May sleep.
 *
 * Return: 0, -ENOMEM, -ENOSPC (there might be more than NNA_MAX_TABLES tables).
 */
int nna_pgtable_reserve_map(struct nna_pgtable *pgt, u64 va, u64 size);

/**
 * nna_pgtable_reserve_unmap() - Reserve tables for one unmap, to split two large pages.
 * @pgt: the page tables.
 *
 * Ignores NNA_MAX_TABLES, so that an address space at that limit can still unmap.
 *
 * Return: 0, -ENOMEM.
 */
int nna_pgtable_reserve_unmap(struct nna_pgtable *pgt);

/** nna_pgtable_release() - Drop all reservations; free all but a few tables of the pools. */
void nna_pgtable_release(struct nna_pgtable *pgt);

/**
 * nna_pgtable_map() - Map a contiguous range of bus addresses at an unmapped range.
 * @pgt: the page tables, with a reservation for the range.
 * @va: first address, page aligned.
 * @dma: first bus address, page aligned.
 * @size: bytes, page aligned.
 * @write: whether the device may write.
 */
void nna_pgtable_map(struct nna_pgtable *pgt, u64 va, dma_addr_t dma, u64 size, bool write);

/**
 * nna_pgtable_unmap() - Unmap a range, which may be mapped in part or not at all.
 * @pgt: the page tables, with a reservation for an unmap: large pages at the ends are split.
 * @va: first address, page aligned.
 * @size: bytes, page aligned.
 * @unlinked: list to which tables without a valid entry are added; they must not be freed or
 *	recycled before an invalidation.
 *
 * Return: true if anything was mapped: an invalidation is needed.
 */
bool nna_pgtable_unmap(struct nna_pgtable *pgt, u64 va, u64 size, struct list_head *unlinked);

/** nna_pgtable_recycle() - Return unlinked tables to the pools, after an invalidation. */
void nna_pgtable_recycle(struct nna_pgtable *pgt, struct list_head *unlinked);

#if IS_ENABLED(CONFIG_DRM_ACCEL_NNA_KUNIT_TEST)
/**
 * nna_pgtable_lookup() - Walk the tables as the device does; for tests.
 * @pgt: the page tables.
 * @va: an address.
 * @large: out: whether a large page maps it; may be NULL.
 *
 * Return: the entry that maps the address, or 0.
 */
u64 nna_pgtable_lookup(const struct nna_pgtable *pgt, u64 va, bool *large);
#endif

#endif
