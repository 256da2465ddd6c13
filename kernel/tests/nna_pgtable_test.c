// SPDX-License-Identifier: GPL-2.0-only
/*
 * Page tables, compared with a model, an array of pages. The walk is that of the device: from the
 * root, by the bus addresses in the entries, without the driver's struct nna_pt.
 */

#include <kunit/test.h>
#include <linux/prandom.h>
#include <linux/slab.h>
#include <linux/sizes.h>

#include "nna_fake.h"
#include "../nna_pgtable.h"

/* The pages that the tests map, around an address at which the index of every level changes. */
#define NNA_TEST_PAGES	2560u
#define NNA_TEST_BASE	((1ull << 39) - 1024 * NNA_PAGE_SIZE)
#define NNA_TEST_TABLES	128u
#define NNA_TEST_STEPS	200u
/* The page number of the first table; arbitrary. */
#define NNA_TEST_FRAME	0x40000ull

struct nna_pgtable_test {
	struct nna_pgtable pgt;
	struct list_head unlinked;
	struct nna_pt *tables[NNA_TEST_TABLES];
	unsigned int live;
	unsigned int allocs;
	/* Number of allocations after which they fail. */
	unsigned int limit;
	u64 model[NNA_TEST_PAGES];
	struct rnd_state rnd;
};

static bool nna_test_alloc(void *cookie, struct nna_pt *pt)
{
	struct nna_pgtable_test *t = cookie;
	unsigned int i;

	if (t->allocs >= t->limit)
		return false;
	for (i = 0; i < NNA_TEST_TABLES; i++) {
		if (t->tables[i])
			continue;
		pt->entries = kzalloc(NNA_PAGE_SIZE, GFP_KERNEL);
		if (!pt->entries)
			return false;
		pt->dma = (NNA_TEST_FRAME + i) << NNA_PAGE_SHIFT;
		t->tables[i] = pt;
		t->allocs++;
		t->live++;
		return true;
	}
	return false;
}

static void nna_test_free(void *cookie, struct nna_pt *pt)
{
	struct nna_pgtable_test *t = cookie;
	unsigned int i;

	for (i = 0; i < NNA_TEST_TABLES; i++)
		if (t->tables[i] == pt)
			t->tables[i] = NULL;
	t->live--;
	kfree(pt->entries);
}

static const struct nna_pgtable_ops nna_test_ops = {
	.alloc = nna_test_alloc,
	.free = nna_test_free,
};

static struct nna_pt *nna_test_table(struct nna_pgtable_test *t, u64 address)
{
	u64 index = (address >> NNA_PAGE_SHIFT) - NNA_TEST_FRAME;

	return index < NNA_TEST_TABLES ? t->tables[index] : NULL;
}

/* Returns the entry that the device's walk finds; for a large page, of the small page within it. */
static u64 nna_test_walk(struct kunit *test, u64 va, bool *large)
{
	struct nna_pgtable_test *t = test->priv;
	u64 address = t->pgt.root->dma;
	unsigned int level;

	*large = false;
	for (level = NNA_PT_LEVELS; level-- > 0;) {
		struct nna_pt *pt = nna_test_table(t, address);
		unsigned int shift = NNA_PAGE_SHIFT + 9 * level;
		u64 entry;

		KUNIT_ASSERT_NOT_NULL_MSG(test, pt, "no table at %llx", address);
		entry = le64_to_cpu(pt->entries[va >> shift & (NNA_PT_ENTRIES - 1)]);
		if (!(entry & NNA_PTE_VALID)) {
			KUNIT_ASSERT_EQ(test, 0ull, entry);
			return 0;
		}
		if (!level)
			return entry;
		if (entry & NNA_PTE_LARGE) {
			KUNIT_ASSERT_EQ(test, 1u, level);
			*large = true;
			KUNIT_ASSERT_EQ(test, 0ull,
					entry & NNA_PTE_ADDRESS & (NNA_LARGE_PAGE_SIZE - 1));
			return (entry & ~(u64)NNA_PTE_LARGE) +
			       (va & (NNA_LARGE_PAGE_SIZE - 1) & ~(NNA_PAGE_SIZE - 1));
		}
		KUNIT_ASSERT_EQ(test, NNA_PTE_VALID, entry & ~NNA_PTE_ADDRESS);
		address = entry & NNA_PTE_ADDRESS;
	}
	return 0;
}

/* Checks that no table but the root is empty, and that each table's count of entries is right. */
static unsigned int nna_test_count_tables(struct kunit *test, struct nna_pt *pt, unsigned int level)
{
	unsigned int i, used = 0, tables = 1;

	for (i = 0; i < NNA_PT_ENTRIES; i++) {
		used += !!pt->entries[i];
		if (level && pt->children[i])
			tables += nna_test_count_tables(test, pt->children[i], level - 1);
	}
	KUNIT_ASSERT_EQ(test, used, pt->used);
	if (level < NNA_PT_LEVELS - 1)
		KUNIT_ASSERT_NE(test, 0u, used);
	return tables;
}

static void nna_test_compare(struct kunit *test)
{
	struct nna_pgtable_test *t = test->priv;
	unsigned int i;

	for (i = 0; i < NNA_TEST_PAGES; i++) {
		u64 va = NNA_TEST_BASE + i * NNA_PAGE_SIZE, entry, found;
		bool large, large_found;

		entry = nna_test_walk(test, va, &large);
		KUNIT_ASSERT_EQ_MSG(test, t->model[i], entry, "page %u", i);
		found = nna_pgtable_lookup(&t->pgt, va + 8, &large_found);
		KUNIT_ASSERT_EQ(test, large, large_found);
		if (!large)
			KUNIT_ASSERT_EQ(test, entry, found);
	}
	KUNIT_ASSERT_EQ(test, t->pgt.tables,
			nna_test_count_tables(test, t->pgt.root, NNA_PT_LEVELS - 1));
}

static u64 nna_test_va(unsigned int page)
{
	return NNA_TEST_BASE + page * NNA_PAGE_SIZE;
}

/* Unmaps as a bind does: reserve, unmap, recycle. */
static void nna_test_unmap(struct kunit *test, unsigned int first, unsigned int count)
{
	struct nna_pgtable_test *t = test->priv;
	bool any = false;
	unsigned int i, limit = t->limit;

	KUNIT_ASSERT_EQ(test, 0, nna_pgtable_reserve_unmap(&t->pgt));
	/* From here on every allocation fails. */
	t->limit = 0;
	for (i = first; i < first + count; i++) {
		any |= !!t->model[i];
		t->model[i] = 0;
	}
	KUNIT_ASSERT_EQ(test, any, nna_pgtable_unmap(&t->pgt, nna_test_va(first),
						     count * NNA_PAGE_SIZE, &t->unlinked));
	t->limit = limit;
	nna_pgtable_recycle(&t->pgt, &t->unlinked);
	nna_pgtable_release(&t->pgt);
}

static void nna_test_map(struct kunit *test, unsigned int first, unsigned int count, u64 dma,
			 bool write)
{
	struct nna_pgtable_test *t = test->priv;
	unsigned int i, limit = t->limit;

	nna_test_unmap(test, first, count);
	KUNIT_ASSERT_EQ(test, 0, nna_pgtable_reserve_map(&t->pgt, nna_test_va(first),
							 count * NNA_PAGE_SIZE));
	t->limit = 0;
	nna_pgtable_map(&t->pgt, nna_test_va(first), dma, count * NNA_PAGE_SIZE, write);
	for (i = 0; i < count; i++)
		t->model[first + i] = (dma + i * NNA_PAGE_SIZE) | NNA_PTE_VALID |
				      (write ? NNA_PTE_WRITE : 0);
	t->limit = limit;
	nna_pgtable_release(&t->pgt);
}

static unsigned int nna_test_large_pages(struct kunit *test)
{
	unsigned int i, n = 0;
	bool large;

	for (i = 0; i < NNA_TEST_PAGES; i += 512) {
		nna_test_walk(test, nna_test_va(i), &large);
		n += large;
	}
	return n;
}

static int nna_pgtable_test_init(struct kunit *test)
{
	struct nna_pgtable_test *t = kunit_kzalloc(test, sizeof(*t), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, t);
	INIT_LIST_HEAD(&t->unlinked);
	t->limit = UINT_MAX;
	test->priv = t;
	return nna_pgtable_init(&t->pgt, &nna_test_ops, t);
}

static void nna_pgtable_test_exit(struct kunit *test)
{
	struct nna_pgtable_test *t = test->priv;

	if (!t->pgt.root)
		return;
	nna_pgtable_fini(&t->pgt);
	KUNIT_EXPECT_EQ(test, 0u, t->live);
	KUNIT_EXPECT_TRUE(test, list_empty(&t->unlinked));
}

static void nna_pgtable_starts_empty(struct kunit *test)
{
	struct nna_pgtable_test *t = test->priv;

	KUNIT_EXPECT_EQ(test, 1u, t->pgt.tables);
	KUNIT_EXPECT_EQ(test, 1u, t->live);
	nna_test_compare(test);
}

static void nna_pgtable_maps_one_page(struct kunit *test)
{
	struct nna_pgtable_test *t = test->priv;

	nna_test_map(test, 5, 1, 0x123000, true);
	KUNIT_EXPECT_EQ(test, 4u, t->pgt.tables);
	nna_test_compare(test);
}

static void nna_pgtable_first_and_last_address(struct kunit *test)
{
	struct nna_pgtable_test *t = test->priv;
	u64 last = NNA_VA_END - NNA_PAGE_SIZE;

	KUNIT_ASSERT_EQ(test, 0, nna_pgtable_reserve_map(&t->pgt, 0, NNA_PAGE_SIZE));
	KUNIT_ASSERT_EQ(test, 0, nna_pgtable_reserve_map(&t->pgt, last, NNA_PAGE_SIZE));
	nna_pgtable_map(&t->pgt, 0, 0x1000, NNA_PAGE_SIZE, true);
	nna_pgtable_map(&t->pgt, last, 0x2000, NNA_PAGE_SIZE, false);
	KUNIT_EXPECT_EQ(test, 0x1000 | NNA_PTE_VALID | NNA_PTE_WRITE,
			nna_pgtable_lookup(&t->pgt, 0, NULL));
	KUNIT_EXPECT_EQ(test, 0x2000 | NNA_PTE_VALID, nna_pgtable_lookup(&t->pgt, last, NULL));
	KUNIT_EXPECT_EQ(test, 7u, t->pgt.tables);
	KUNIT_EXPECT_TRUE(test, nna_pgtable_unmap(&t->pgt, 0, NNA_VA_END, &t->unlinked));
	KUNIT_EXPECT_EQ(test, 1u, t->pgt.tables);
	nna_pgtable_recycle(&t->pgt, &t->unlinked);
	nna_pgtable_release(&t->pgt);
}

static void nna_pgtable_highest_bus_address(struct kunit *test)
{
	nna_test_map(test, 0, 1, NNA_PTE_ADDRESS, true);
	nna_test_compare(test);
	nna_test_map(test, 512, 512, NNA_PTE_ADDRESS & ~(NNA_LARGE_PAGE_SIZE - 1), false);
	nna_test_compare(test);
	KUNIT_EXPECT_EQ(test, 1u, nna_test_large_pages(test));
}

static void nna_pgtable_readonly(struct kunit *test)
{
	nna_test_map(test, 3, 4, SZ_1M, false);
	nna_test_compare(test);
	nna_test_map(test, 4, 1, SZ_1M + SZ_4K, true);
	nna_test_compare(test);
}

static void nna_pgtable_aligned_is_large(struct kunit *test)
{
	struct nna_pgtable_test *t = test->priv;

	nna_test_map(test, 512, 1024, SZ_4M, true);
	nna_test_compare(test);
	KUNIT_EXPECT_EQ(test, 2u, nna_test_large_pages(test));
	/*
	 * The root, and two tables each of levels 2 and 1, as the window lies across a boundary of
	 * the root's entries; none of level 0.
	 */
	KUNIT_EXPECT_EQ(test, 5u, t->pgt.tables);
}

static void nna_pgtable_misaligned_is_small(struct kunit *test)
{
	nna_test_map(test, 512, 1024, SZ_4M + SZ_4K, true);
	nna_test_compare(test);
	KUNIT_EXPECT_EQ(test, 0u, nna_test_large_pages(test));
}

static void nna_pgtable_large_amid_small(struct kunit *test)
{
	nna_test_map(test, 500, 1048, SZ_4M - 12 * SZ_4K, true);
	nna_test_compare(test);
	KUNIT_EXPECT_EQ(test, 2u, nna_test_large_pages(test));
}

static void nna_pgtable_one_page_short_of_large(struct kunit *test)
{
	nna_test_map(test, 512, 511, SZ_4M, true);
	nna_test_compare(test);
	KUNIT_EXPECT_EQ(test, 0u, nna_test_large_pages(test));
}

static void nna_pgtable_small_then_large(struct kunit *test)
{
	nna_test_map(test, 700, 3, SZ_1M, true);
	nna_test_map(test, 512, 512, SZ_4M, true);
	nna_test_compare(test);
	/* The table of the small pages has been unlinked, so a large page can be mapped there. */
	KUNIT_EXPECT_EQ(test, 1u, nna_test_large_pages(test));
}

static void nna_pgtable_large_then_small(struct kunit *test)
{
	nna_test_map(test, 512, 512, SZ_4M, true);
	nna_test_map(test, 700, 3, SZ_1M, false);
	nna_test_compare(test);
	KUNIT_EXPECT_EQ(test, 0u, nna_test_large_pages(test));
}

static void nna_pgtable_unmaps_nothing(struct kunit *test)
{
	struct nna_pgtable_test *t = test->priv;

	nna_test_unmap(test, 0, NNA_TEST_PAGES);
	nna_test_map(test, 10, 1, SZ_1M, true);
	nna_test_unmap(test, 11, 100);
	KUNIT_EXPECT_FALSE(test, nna_pgtable_unmap(&t->pgt, nna_test_va(10), 0, &t->unlinked));
	nna_test_compare(test);
}

static void nna_pgtable_unmap_returns_tables(struct kunit *test)
{
	struct nna_pgtable_test *t = test->priv;

	nna_test_map(test, 0, NNA_TEST_PAGES, SZ_1M + SZ_4K, true);
	nna_test_unmap(test, 0, NNA_TEST_PAGES);
	KUNIT_EXPECT_EQ(test, 1u, t->pgt.tables);
	nna_test_compare(test);
	nna_pgtable_release(&t->pgt);
	/* The pools keep a limited number of tables. */
	KUNIT_EXPECT_LE(test, t->live, 1u + 16u);
}

static void nna_pgtable_unlinked_stay_until_recycled(struct kunit *test)
{
	struct nna_pgtable_test *t = test->priv;
	struct nna_pt *pt;
	unsigned int n = 0;

	nna_test_map(test, 7, 1, SZ_1M, true);
	KUNIT_ASSERT_TRUE(test,
			  nna_pgtable_unmap(&t->pgt, nna_test_va(7), NNA_PAGE_SIZE, &t->unlinked));
	list_for_each_entry(pt, &t->unlinked, link) {
		KUNIT_EXPECT_EQ(test, 0u, pt->used);
		KUNIT_EXPECT_PTR_EQ(test, pt, nna_test_table(t, pt->dma));
		n++;
	}
	KUNIT_EXPECT_EQ(test, 3u, n);
	KUNIT_EXPECT_EQ(test, 1u, t->pgt.tables);
	/* The pool has none of them: the device may still walk these tables. */
	list_for_each_entry(pt, &t->pgt.leaf.free, link)
		KUNIT_EXPECT_PTR_NE(test, pt, list_first_entry(&t->unlinked, struct nna_pt, link));
	nna_pgtable_recycle(&t->pgt, &t->unlinked);
}

static void nna_pgtable_recycled_are_clean(struct kunit *test)
{
	struct nna_pgtable_test *t = test->priv;
	unsigned int i;

	for (i = 0; i < 20; i++) {
		nna_test_map(test, i * 100, 300, SZ_1M + SZ_4K * i, i & 1);
		nna_test_compare(test);
		nna_test_unmap(test, i * 100, 300);
		nna_test_compare(test);
	}
	KUNIT_EXPECT_EQ(test, 1u, t->pgt.tables);
}

struct nna_split {
	const char *name;
	unsigned int first;
	unsigned int count;
	unsigned int large;
};

/* Ranges of pages to unmap, of three large pages at 512, 1024 and 1536. */
static const struct nna_split nna_splits[] = {
	{ "first page", 512, 1, 2 },
	{ "last page", 1023, 1, 2 },
	{ "a page amid", 700, 1, 2 },
	{ "first half", 512, 256, 2 },
	{ "all but the last page", 512, 511, 2 },
	{ "all but the first page", 513, 511, 2 },
	{ "exactly one", 1024, 512, 2 },
	{ "two halves", 768, 512, 1 },
	{ "one and its neighbours' ends", 1023, 514, 0 },
	{ "all", 512, 1536, 0 },
	{ "more than all", 0, 2560, 0 },
	{ "up to one, not into it", 0, 512, 3 },
};
KUNIT_ARRAY_PARAM_DESC(nna_split, nna_splits, name);

static void nna_pgtable_splits(struct kunit *test)
{
	const struct nna_split *split = test->param_value;

	nna_test_map(test, 512, 1536, SZ_8M, true);
	KUNIT_ASSERT_EQ(test, 3u, nna_test_large_pages(test));
	nna_test_unmap(test, split->first, split->count);
	nna_test_compare(test);
	KUNIT_EXPECT_EQ(test, split->large, nna_test_large_pages(test));
}

static void nna_pgtable_replaces_part_of_large(struct kunit *test)
{
	const struct nna_split *split = test->param_value;

	nna_test_map(test, 512, 1536, SZ_8M, true);
	nna_test_map(test, split->first, split->count, SZ_64M + SZ_4K, false);
	nna_test_compare(test);
}

static const unsigned int nna_failures[] = { 0, 1, 2, 3, 5, 8 };

static void nna_failure_desc(const unsigned int *n, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "after %u tables", *n);
}
KUNIT_ARRAY_PARAM(nna_failure, nna_failures, nna_failure_desc);

static void nna_pgtable_no_memory(struct kunit *test)
{
	const unsigned int *n = test->param_value;
	struct nna_pgtable_test *t = test->priv;

	/* Nine are needed, since the window begins in one entry of the root and ends in another. */
	t->limit = t->allocs + *n;
	KUNIT_EXPECT_EQ(test, -ENOMEM, nna_pgtable_reserve_map(&t->pgt, NNA_TEST_BASE,
							       NNA_TEST_PAGES * NNA_PAGE_SIZE));
	nna_pgtable_release(&t->pgt);
	KUNIT_EXPECT_EQ(test, 1u, t->pgt.tables);
	nna_test_compare(test);
	t->limit = UINT_MAX;
	nna_test_map(test, 0, NNA_TEST_PAGES, SZ_4K, true);
	nna_test_compare(test);
}

static void nna_pgtable_keeps_nothing(struct kunit *test)
{
	struct nna_pgtable_test *t = test->priv;

	nna_pgtable_fini(&t->pgt);
	nna_fake_watch_memory(test, 0);
	KUNIT_ASSERT_EQ(test, 0, nna_pgtable_init(&t->pgt, &nna_test_ops, t));
	nna_test_map(test, 0, NNA_TEST_PAGES, SZ_4K, true);
	KUNIT_EXPECT_GE(test, nna_fake_kept_memory(test), t->pgt.tables);
	nna_pgtable_fini(&t->pgt);
	KUNIT_EXPECT_EQ(test, 0u, nna_fake_kept_memory(test));
}

static void nna_pgtable_no_root(struct kunit *test)
{
	struct nna_pgtable_test *t = test->priv;

	nna_pgtable_fini(&t->pgt);
	t->limit = 0;
	KUNIT_EXPECT_EQ(test, -ENOMEM, nna_pgtable_init(&t->pgt, &nna_test_ops, t));
	KUNIT_EXPECT_EQ(test, 0u, t->live);
	KUNIT_EXPECT_NULL(test, t->pgt.root);
}

static void nna_pgtable_most_tables(struct kunit *test)
{
	struct nna_pgtable_test *t = test->priv;
	const u64 most = (NNA_MAX_TABLES - 1) * NNA_LARGE_PAGE_SIZE;

	KUNIT_EXPECT_EQ(test, -ENOSPC, nna_pgtable_reserve_map(&t->pgt, 0, most + SZ_4K));
	nna_pgtable_release(&t->pgt);
	/* Tables in use and reservations both count. */
	t->pgt.tables = NNA_MAX_TABLES - NNA_PT_LEVELS;
	KUNIT_EXPECT_EQ(test, 0, nna_pgtable_reserve_map(&t->pgt, 0, SZ_4K));
	KUNIT_EXPECT_EQ(test, -ENOSPC, nna_pgtable_reserve_map(&t->pgt, 0, 2 * SZ_4K));
	KUNIT_EXPECT_EQ(test, 0, nna_pgtable_reserve_unmap(&t->pgt));
	nna_pgtable_release(&t->pgt);
	t->pgt.tables = 1;
}

static void nna_pgtable_reservations_add_up(struct kunit *test)
{
	struct nna_pgtable_test *t = test->priv;
	unsigned int i;

	for (i = 0; i < 6; i++)
		KUNIT_ASSERT_EQ(test, 0, nna_pgtable_reserve_map(&t->pgt, (u64)i << 40,
								 NNA_PAGE_SIZE));
	t->limit = 0;
	for (i = 0; i < 6; i++)
		nna_pgtable_map(&t->pgt, (u64)i << 40, SZ_1M, NNA_PAGE_SIZE, true);
	for (i = 0; i < 6; i++)
		KUNIT_EXPECT_NE(test, 0ull, nna_pgtable_lookup(&t->pgt, (u64)i << 40, NULL));
	KUNIT_EXPECT_EQ(test, 1u + 6 * 3, t->pgt.tables);
	nna_pgtable_release(&t->pgt);
}

static const unsigned int nna_seeds[] = { 1, 2, 3, 4, 5, 6, 7, 0 };

static void nna_seed_desc(const unsigned int *seed, char *desc)
{
	if (*seed)
		snprintf(desc, KUNIT_PARAM_DESC_SIZE, "seed %u", *seed);
	else
		snprintf(desc, KUNIT_PARAM_DESC_SIZE, "seed of the day");
}
KUNIT_ARRAY_PARAM(nna_seed, nna_seeds, nna_seed_desc);

static void nna_pgtable_random(struct kunit *test)
{
	unsigned int seed = *(const unsigned int *)test->param_value, i;
	struct nna_pgtable_test *t = test->priv;

	if (!seed) {
		seed = nna_fake_seed();
		kunit_info(test, "nna.test_seed=%u repeats this\n", seed);
	}
	prandom_seed_state(&t->rnd, seed);
	for (i = 0; i < NNA_TEST_STEPS / nna_fake_slowness(); i++) {
		unsigned int kind = prandom_u32_state(&t->rnd) % 8;
		unsigned int first = prandom_u32_state(&t->rnd) % NNA_TEST_PAGES;
		unsigned int count = prandom_u32_state(&t->rnd);
		u64 dma = (prandom_u32_state(&t->rnd) & 0xfffff) * NNA_PAGE_SIZE;

		/* A few pages, many pages, or whole large pages. */
		if (kind & 1)
			count %= 8;
		else if (kind & 2)
			first &= ~511u;
		count = min(count % 1200 + 1, NNA_TEST_PAGES - first);
		if (kind & 4)
			dma = ALIGN_DOWN(dma, NNA_LARGE_PAGE_SIZE) + (first & 511) * NNA_PAGE_SIZE;
		if (kind < 3)
			nna_test_unmap(test, first, count);
		else
			nna_test_map(test, first, count, dma, kind & 1);
		nna_test_compare(test);
	}
	nna_test_unmap(test, 0, NNA_TEST_PAGES);
	KUNIT_EXPECT_EQ(test, 1u, t->pgt.tables);
}

static struct kunit_case nna_pgtable_cases[] = {
	KUNIT_CASE(nna_pgtable_starts_empty),
	KUNIT_CASE(nna_pgtable_maps_one_page),
	KUNIT_CASE(nna_pgtable_first_and_last_address),
	KUNIT_CASE(nna_pgtable_highest_bus_address),
	KUNIT_CASE(nna_pgtable_readonly),
	KUNIT_CASE(nna_pgtable_aligned_is_large),
	KUNIT_CASE(nna_pgtable_misaligned_is_small),
	KUNIT_CASE(nna_pgtable_large_amid_small),
	KUNIT_CASE(nna_pgtable_one_page_short_of_large),
	KUNIT_CASE(nna_pgtable_small_then_large),
	KUNIT_CASE(nna_pgtable_large_then_small),
	KUNIT_CASE(nna_pgtable_unmaps_nothing),
	KUNIT_CASE(nna_pgtable_unmap_returns_tables),
	KUNIT_CASE(nna_pgtable_unlinked_stay_until_recycled),
	KUNIT_CASE(nna_pgtable_recycled_are_clean),
	KUNIT_CASE_PARAM(nna_pgtable_splits, nna_split_gen_params),
	KUNIT_CASE_PARAM(nna_pgtable_replaces_part_of_large, nna_split_gen_params),
	KUNIT_CASE_PARAM(nna_pgtable_no_memory, nna_failure_gen_params),
	KUNIT_CASE(nna_pgtable_keeps_nothing),
	KUNIT_CASE(nna_pgtable_no_root),
	KUNIT_CASE(nna_pgtable_most_tables),
	KUNIT_CASE(nna_pgtable_reservations_add_up),
	KUNIT_CASE_PARAM(nna_pgtable_random, nna_seed_gen_params),
	{}
};

static struct kunit_suite nna_pgtable_suite = {
	.name = "nna_pgtable",
	.init = nna_pgtable_test_init,
	.exit = nna_pgtable_test_exit,
	.test_cases = nna_pgtable_cases,
};
kunit_test_suite(nna_pgtable_suite);
