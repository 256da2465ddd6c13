// SPDX-License-Identifier: MIT
/*
 * Page tables. A table of small pages stays when its last page is unmapped, because other BOs are
 * likely to be mapped there; only a table for the end of a large BO is freed with it.
 */
#include <string.h>

#include "libnnaccel/winsys/loopback/loopback.h"

/* The model may read an entry while it is written, so each entry is one atomic word. */
static void pte_write(uint64_t *entry, uint64_t value)
{
	__atomic_store_n(entry, value, __ATOMIC_RELEASE);
}

/* A spare table; there is one. */
static uint64_t table_take(struct nna_loopback *lb)
{
	uint64_t bus = lb->spare_tables, *table = nna_loopback_memory_of_bus(lb, bus);

	lb->spare_tables = table[0];
	lb->spare_table_count--;
	table[0] = 0;
	return bus;
}

/* Keeps a table that is all zero. */
static void table_keep(struct nna_loopback *lb, uint64_t bus)
{
	uint64_t *table = nna_loopback_memory_of_bus(lb, bus);

	table[0] = lb->spare_tables;
	lb->spare_tables = bus;
	lb->spare_table_count++;
}

/*
 * Makes sure that there are @count spare tables, and locks @memory. Return: 0; or a negative errno,
 * and @memory is not locked.
 */
static int tables_lock(struct nna_loopback *lb, uint64_t count)
{
	pthread_mutex_lock(&lb->memory);
	while (lb->spare_table_count < count) {
		struct nna_loopback_chunk *c;
		uint64_t offset;
		int ret;

		pthread_mutex_unlock(&lb->memory);
		ret = nna_loopback_memory_take(lb, NNA_VA_PAGE, NNA_VA_PAGE, &c, &offset);
		if (ret)
			return ret;
		pthread_mutex_lock(&lb->memory);
		table_keep(lb, c->iova + offset);
	}
	return 0;
}

/* The most tables that a mapping can need, if there are none yet but the root. */
static uint64_t tables_of(uint64_t va, uint64_t bus, uint64_t size)
{
	uint64_t count = 0;

	for (unsigned int level = 0; level + 1 < NNAHW_PT_LEVELS; level++) {
		unsigned int shift = NNAHW_PAGE_SHIFT + 9 * (level + 1);

		/* Large pages need no table of small pages, except for the end of the range. */
		if (!level && !((va | bus) & (NNA_VA_LARGE_PAGE - 1)))
			count += size % NNA_VA_LARGE_PAGE != 0;
		else
			count += ((va + size - 1) >> shift) - (va >> shift) + 1;
	}
	return count;
}

/*
 * Return: the entry of @va at @level: 0 is a small page, 1 is a large page or a table of small
 * pages. A missing table above is made of a spare one if @make is set, else NULL is returned. Under
 * @memory.
 */
static uint64_t *pt_entry(struct nna_loopback *lb, uint64_t va, unsigned int level, bool make)
{
	uint64_t *table = nna_loopback_memory_of_bus(lb, lb->root);

	for (unsigned int at = NNAHW_PT_LEVELS - 1;; at--) {
		uint64_t *entry =
			&table[va >> (NNAHW_PAGE_SHIFT + 9 * at) & (NNAHW_PT_ENTRIES - 1)];

		if (at == level)
			return entry;
		if (!(*entry & NNAHW_PTE_VALID) || (at == 1 && *entry & NNAHW_PTE_LARGE)) {
			if (!make)
				return NULL;
			pte_write(entry, table_take(lb) | NNAHW_PTE_VALID);
		}
		table = nna_loopback_memory_of_bus(lb, *entry & NNAHW_PTE_ADDRESS);
	}
}

int nna_loopback_pgtable_map(struct nna_loopback *lb, uint64_t va, uint64_t bus, uint64_t size,
			     bool write)
{
	uint64_t flags = NNAHW_PTE_VALID | (write ? NNAHW_PTE_WRITE : 0);
	int ret = tables_lock(lb, tables_of(va, bus, size));

	if (ret)
		return ret;
	while (size) {
		uint64_t *entry;

		if (!((va | bus) & (NNA_VA_LARGE_PAGE - 1)) && size >= NNA_VA_LARGE_PAGE) {
			entry = pt_entry(lb, va, 1, true);
			if (!(*entry & NNAHW_PTE_VALID)) {
				pte_write(entry, bus | flags | NNAHW_PTE_LARGE);
				va += NNA_VA_LARGE_PAGE;
				bus += NNA_VA_LARGE_PAGE;
				size -= NNA_VA_LARGE_PAGE;
				continue;
			}
		}
		entry = pt_entry(lb, va, 0, true);
		/* The entries up to the end of this table lie side by side. */
		do {
			pte_write(entry++, bus | flags);
			va += NNA_VA_PAGE;
			bus += NNA_VA_PAGE;
			size -= NNA_VA_PAGE;
		} while (size && va & (NNA_VA_LARGE_PAGE - 1));
	}
	pthread_mutex_unlock(&lb->memory);
	return 0;
}

/* Clears the entries. Return: the table that is taken out with @own_slots, or 0. Under @memory. */
static uint64_t clear(struct nna_loopback *lb, uint64_t va, uint64_t size, bool own_slots)
{
	uint64_t table = 0;

	while (size) {
		uint64_t step = NNA_VA_LARGE_PAGE - (va & (NNA_VA_LARGE_PAGE - 1));
		uint64_t *entry, *leaf;

		if (step > size)
			step = size;
		entry = pt_entry(lb, va, 1, false);
		if (entry && *entry & NNAHW_PTE_VALID) {
			if (*entry & NNAHW_PTE_LARGE) {
				pte_write(entry, 0);
			} else if (own_slots) {
				table = *entry & NNAHW_PTE_ADDRESS;
				pte_write(entry, 0);
			} else {
				leaf = pt_entry(lb, va, 0, false);
				for (uint64_t at = 0; at < step; at += NNA_VA_PAGE)
					pte_write(leaf++, 0);
			}
		}
		va += step;
		size -= step;
	}
	return table;
}

void nna_loopback_pgtable_unmap(struct nna_loopback *lb, uint64_t va, uint64_t size, bool own_slots)
{
	uint64_t table;

	pthread_mutex_lock(&lb->memory);
	table = clear(lb, va, size, own_slots);
	pthread_mutex_unlock(&lb->memory);
	nna_loopback_control_invalidate(lb, va, size);
	if (!table)
		return;
	/* The device does not use the table any more. */
	pthread_mutex_lock(&lb->memory);
	memset(nna_loopback_memory_of_bus(lb, table), 0, NNA_VA_PAGE);
	table_keep(lb, table);
	pthread_mutex_unlock(&lb->memory);
}
