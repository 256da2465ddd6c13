/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Pages of the CPU, out of which page tables of the device are carved.
 *
 * A table has 4 KiB; DMA memory comes in pages of the CPU, which may have 16 or 64 KiB. So a page
 * holds up to 16 tables of one address space. It is allocated for its first table and freed with
 * its last one. With pages of 4 KiB each table has a page of its own.
 *
 * The owner serialises all calls.
 */
#ifndef NNA_TABLE_PAGE_H
#define NNA_TABLE_PAGE_H

#include <linux/list.h>
#include <linux/types.h>

struct nna_pt;

/**
 * struct nna_table_page - One page.
 * @cpu: its memory.
 * @dma: its bus address, a multiple of the table's size.
 * @used: bit n: its table n is in use.
 * @link: in nna_table_pages.partial, if it has used and unused tables.
 */
struct nna_table_page {
	void *cpu;
	dma_addr_t dma;
	unsigned long used;
	struct list_head link;
};

/**
 * struct nna_table_page_ops - How pages are allocated.
 * @alloc: set nna_table_page.cpu to a zeroed page, and its @dma, or return false; may sleep.
 * @free: free that page.
 */
struct nna_table_page_ops {
	bool (*alloc)(void *cookie, struct nna_table_page *page);
	void (*free)(void *cookie, struct nna_table_page *page);
};

/**
 * struct nna_table_pages - The pages of one address space.
 * @ops: how pages are allocated.
 * @cookie: passed to @ops.
 * @tables: number of tables of a page, at most BITS_PER_LONG.
 * @partial: pages with unused tables.
 */
struct nna_table_pages {
	const struct nna_table_page_ops *ops;
	void *cookie;
	unsigned int tables;
	struct list_head partial;
};

/** nna_table_pages_init() - Initialise without a page; @size: bytes of a page. */
void nna_table_pages_init(struct nna_table_pages *pages, const struct nna_table_page_ops *ops,
			  void *cookie, size_t size);

/**
 * nna_table_pages_take() - Give a table its memory, zeroed; may sleep.
 * @pages: the pages.
 * @pt: the table, whose @entries, @dma and @page are set.
 *
 * Return: false if there is no memory.
 */
bool nna_table_pages_take(struct nna_table_pages *pages, struct nna_pt *pt);

/** nna_table_pages_give() - Take back the memory of a table, which the device must not use. */
void nna_table_pages_give(struct nna_table_pages *pages, struct nna_pt *pt);

#endif
