// SPDX-License-Identifier: MIT
/*
 * Page tables. A table of small pages stays when its last page is unmapped, as other BOs are likely
 * to come there; only a table below the end of a large BO is given back with it.
 */
#include <string.h>

#include "libnnaccel/winsys/loopback/loopback.h"

/* The model reads entries while they are written: each is one atomic word. */
static void pte_write(uint64_t *entry, uint64_t value)
{
	__atomic_store_n(entry, value, __ATOMIC_RELEASE);
}

static int table_take(struct nna_loopback *lb, uint64_t *bus)
{
	struct nna_loopback_chunk *c;
	uint64_t offset;
	int ret;

	if (lb->spare_tables) {
		uint64_t *table = nna_loopback_memory_of_bus(lb, lb->spare_tables);

		*bus = lb->spare_tables;
		lb->spare_tables = table[0];
		table[0] = 0;
		return 0;
	}
	ret = nna_loopback_memory_take(lb, NNA_VA_PAGE, NNA_VA_PAGE, &c, &offset);
	if (ret)
		return ret;
	*bus = c->iova + offset;
	return 0;
}

void nna_loopback_pgtable_give(struct nna_loopback *lb, uint64_t bus)
{
	uint64_t *table = nna_loopback_memory_of_bus(lb, bus);

	memset(table, 0, NNA_VA_PAGE);
	table[0] = lb->spare_tables;
	lb->spare_tables = bus;
}

/*
 * Finds the entry of @va at @level: 0 is that of a small page, 1 that of a large page or of a table
 * of small ones. Where a table above is missing it is made if @make, else *out is NULL. Return: 0
 * or a negative errno, which is possible only if @make.
 */
static int pt_entry(struct nna_loopback *lb, uint64_t va, unsigned int level, bool make,
		    uint64_t **out)
{
	uint64_t *table = nna_loopback_memory_of_bus(lb, lb->root);

	for (unsigned int at = NNAHW_PT_LEVELS - 1;; at--) {
		uint64_t *entry =
			&table[va >> (NNAHW_PAGE_SHIFT + 9 * at) & (NNAHW_PT_ENTRIES - 1)];
		uint64_t bus;
		int ret;

		if (at == level) {
			*out = entry;
			return 0;
		}
		if (!(*entry & NNAHW_PTE_VALID) || (at == 1 && *entry & NNAHW_PTE_LARGE)) {
			*out = NULL;
			if (!make)
				return 0;
			ret = table_take(lb, &bus);
			if (ret)
				return ret;
			pte_write(entry, bus | NNAHW_PTE_VALID);
		}
		table = nna_loopback_memory_of_bus(lb, *entry & NNAHW_PTE_ADDRESS);
	}
}

int nna_loopback_pgtable_map(struct nna_loopback *lb, uint64_t va, uint64_t bus, uint64_t size,
			     bool write)
{
	uint64_t flags = NNAHW_PTE_VALID | (write ? NNAHW_PTE_WRITE : 0);

	while (size) {
		uint64_t *entry;
		int ret;

		if (!((va | bus) & (NNA_VA_LARGE_PAGE - 1)) && size >= NNA_VA_LARGE_PAGE) {
			ret = pt_entry(lb, va, 1, true, &entry);
			if (ret)
				return ret;
			if (!(*entry & NNAHW_PTE_VALID)) {
				pte_write(entry, bus | flags | NNAHW_PTE_LARGE);
				va += NNA_VA_LARGE_PAGE;
				bus += NNA_VA_LARGE_PAGE;
				size -= NNA_VA_LARGE_PAGE;
				continue;
			}
		}
		ret = pt_entry(lb, va, 0, true, &entry);
		if (ret)
			return ret;
		/* The entries up to the end of this table lie side by side. */
		do {
			pte_write(entry++, bus | flags);
			va += NNA_VA_PAGE;
			bus += NNA_VA_PAGE;
			size -= NNA_VA_PAGE;
		} while (size && va & (NNA_VA_LARGE_PAGE - 1));
	}
	return 0;
}

void nna_loopback_pgtable_unmap(struct nna_loopback *lb, uint64_t va, uint64_t size, bool own_slots,
				uint64_t *table)
{
	while (size) {
		uint64_t step = NNA_VA_LARGE_PAGE - (va & (NNA_VA_LARGE_PAGE - 1));
		uint64_t *entry, *leaf;

		if (step > size)
			step = size;
		pt_entry(lb, va, 1, false, &entry);
		if (entry && *entry & NNAHW_PTE_VALID) {
			if (*entry & NNAHW_PTE_LARGE) {
				pte_write(entry, 0);
			} else if (own_slots) {
				*table = *entry & NNAHW_PTE_ADDRESS;
				pte_write(entry, 0);
			} else {
				pt_entry(lb, va, 0, false, &leaf);
				for (uint64_t at = 0; at < step; at += NNA_VA_PAGE)
					pte_write(leaf++, 0);
			}
		}
		va += step;
		size -= step;
	}
}
