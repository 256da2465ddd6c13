// SPDX-License-Identifier: GPL-2.0-only
/* Pages for page tables: see nna_table_page.h. */

#include <linux/bitops.h>
#include <linux/bits.h>
#include <linux/minmax.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "nna_pgtable.h"
#include "nna_table_page.h"

void nna_table_pages_init(struct nna_table_pages *pages, const struct nna_table_page_ops *ops,
			  void *cookie, size_t size)
{
	pages->ops = ops;
	pages->cookie = cookie;
	pages->tables = min_t(size_t, size / NNA_PAGE_SIZE, BITS_PER_LONG);
	INIT_LIST_HEAD(&pages->partial);
}

static unsigned long nna_table_page_full(const struct nna_table_pages *pages)
{
	return GENMASK(pages->tables - 1, 0);
}

static struct nna_table_page *nna_table_page_alloc(struct nna_table_pages *pages)
{
	struct nna_table_page *page = kzalloc(sizeof(*page), GFP_KERNEL_ACCOUNT);

	if (!page)
		return NULL;
	if (!pages->ops->alloc(pages->cookie, page)) {
		kfree(page);
		return NULL;
	}
	list_add(&page->link, &pages->partial);
	return page;
}

bool nna_table_pages_take(struct nna_table_pages *pages, struct nna_pt *pt)
{
	struct nna_table_page *page = list_first_entry_or_null(&pages->partial,
							       struct nna_table_page, link);
	unsigned int index;

	if (!page)
		page = nna_table_page_alloc(pages);
	if (!page)
		return false;
	index = ffz(page->used);
	page->used |= BIT(index);
	if (page->used == nna_table_page_full(pages))
		list_del_init(&page->link);
	pt->entries = page->cpu + index * NNA_PAGE_SIZE;
	pt->dma = page->dma + index * NNA_PAGE_SIZE;
	pt->page = page;
	return true;
}

void nna_table_pages_give(struct nna_table_pages *pages, struct nna_pt *pt)
{
	struct nna_table_page *page = pt->page;
	unsigned int index = (pt->dma - page->dma) / NNA_PAGE_SIZE;

	/* An almost full page comes first, so that others may become empty. */
	if (page->used == nna_table_page_full(pages))
		list_add(&page->link, &pages->partial);
	page->used &= ~BIT(index);
	if (page->used) {
		/* Unused tables are zero, as those of a new page are. */
		memset(pt->entries, 0, NNA_PAGE_SIZE);
		return;
	}
	list_del(&page->link);
	pages->ops->free(pages->cookie, page);
	kfree(page);
}
