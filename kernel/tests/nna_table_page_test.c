// SPDX-License-Identifier: GPL-2.0-only
/* Pages for page tables, for each size that a CPU's page may have. */

#include <kunit/test.h>
#include <linux/bitops.h>
#include <linux/prandom.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "nna_fake.h"
#include "../nna_pgtable.h"
#include "../nna_table_page.h"

#define NNA_TEST_TABLES	100u
#define NNA_TEST_STEPS	2000u
/* The bus address of the first page; arbitrary. */
#define NNA_TEST_DMA	0x4000000ull

struct nna_table_page_test {
	struct nna_table_pages pages;
	size_t size;
	struct nna_pt pts[NNA_TEST_TABLES];
	struct nna_table_page *live[NNA_TEST_TABLES];
	unsigned int live_count;
	/* Number of pages above which allocations fail. */
	unsigned int limit;
};

static bool nna_test_page_alloc(void *cookie, struct nna_table_page *page)
{
	struct nna_table_page_test *t = cookie;
	unsigned int i;

	for (i = 0; i < t->limit; i++) {
		if (t->live[i])
			continue;
		page->cpu = kzalloc(t->size, GFP_KERNEL);
		if (!page->cpu)
			return false;
		page->dma = NNA_TEST_DMA + i * t->size;
		t->live[i] = page;
		t->live_count++;
		return true;
	}
	return false;
}

static void nna_test_page_free(void *cookie, struct nna_table_page *page)
{
	struct nna_table_page_test *t = cookie;
	unsigned int i;

	for (i = 0; i < NNA_TEST_TABLES; i++)
		if (t->live[i] == page)
			t->live[i] = NULL;
	t->live_count--;
	kfree(page->cpu);
}

static const struct nna_table_page_ops nna_test_page_ops = {
	.alloc = nna_test_page_alloc,
	.free = nna_test_page_free,
};

static const struct nna_page_size {
	const char *name;
	size_t size;
} nna_page_sizes[] = {
	{ "4 KiB", SZ_4K },
	{ "16 KiB", SZ_16K },
	{ "64 KiB", SZ_64K },
};
KUNIT_ARRAY_PARAM_DESC(nna_page_size, nna_page_sizes, name);

static struct nna_table_page_test *nna_test_start(struct kunit *test)
{
	const struct nna_page_size *param = test->param_value;
	struct nna_table_page_test *t = test->priv;

	t->size = param->size;
	t->limit = NNA_TEST_TABLES;
	nna_table_pages_init(&t->pages, &nna_test_page_ops, t, t->size);
	return t;
}

/* Takes a table, checks that it is zero and lies in its page, and fills it. */
static bool nna_test_take(struct kunit *test, unsigned int i)
{
	struct nna_table_page_test *t = test->priv;
	struct nna_pt *pt = &t->pts[i];
	unsigned int page;

	if (!nna_table_pages_take(&t->pages, pt))
		return false;
	page = (pt->dma - NNA_TEST_DMA) / t->size;
	KUNIT_ASSERT_LT(test, page, NNA_TEST_TABLES);
	KUNIT_ASSERT_PTR_EQ(test, pt->page, t->live[page]);
	KUNIT_ASSERT_EQ(test, 0ull, pt->dma % NNA_PAGE_SIZE);
	KUNIT_ASSERT_PTR_EQ(test, (void *)pt->entries, pt->page->cpu + (pt->dma - pt->page->dma));
	KUNIT_ASSERT_NULL(test, memchr_inv(pt->entries, 0, NNA_PAGE_SIZE));
	memset(pt->entries, i + 1, NNA_PAGE_SIZE);
	return true;
}

/* Gives a table back, and checks that nobody else has had it. */
static void nna_test_give(struct kunit *test, unsigned int i)
{
	struct nna_table_page_test *t = test->priv;

	KUNIT_ASSERT_NULL(test, memchr_inv(t->pts[i].entries, i + 1, NNA_PAGE_SIZE));
	nna_table_pages_give(&t->pages, &t->pts[i]);
	t->pts[i].entries = NULL;
}

static unsigned int nna_test_pages_for(size_t size, unsigned int tables)
{
	return DIV_ROUND_UP(tables, size / NNA_PAGE_SIZE);
}

static void nna_table_page_fills_pages(struct kunit *test)
{
	struct nna_table_page_test *t = nna_test_start(test);
	unsigned int i, full = nna_test_pages_for(t->size, NNA_TEST_TABLES);

	for (i = 0; i < NNA_TEST_TABLES; i++) {
		KUNIT_ASSERT_TRUE(test, nna_test_take(test, i));
		KUNIT_ASSERT_EQ(test, nna_test_pages_for(t->size, i + 1), t->live_count);
	}
	/* In the same order: a page is freed with its last table and not before. */
	for (i = 0; i < NNA_TEST_TABLES - 1; i++) {
		nna_test_give(test, i);
		KUNIT_ASSERT_EQ(test, full - (i + 1) / (unsigned int)(t->size / NNA_PAGE_SIZE),
				t->live_count);
	}
	nna_test_give(test, i);
	KUNIT_EXPECT_EQ(test, 0u, t->live_count);
}

static void nna_table_page_uses_holes(struct kunit *test)
{
	struct nna_table_page_test *t = nna_test_start(test);
	unsigned int i, full = nna_test_pages_for(t->size, NNA_TEST_TABLES);

	for (i = 0; i < NNA_TEST_TABLES; i++)
		KUNIT_ASSERT_TRUE(test, nna_test_take(test, i));
	for (i = 0; i < NNA_TEST_TABLES; i += 2)
		nna_test_give(test, i);
	for (i = 0; i < NNA_TEST_TABLES; i += 2)
		KUNIT_ASSERT_TRUE(test, nna_test_take(test, i));
	KUNIT_EXPECT_EQ(test, full, t->live_count);
	for (i = 0; i < NNA_TEST_TABLES; i++)
		nna_test_give(test, i);
	KUNIT_EXPECT_EQ(test, 0u, t->live_count);
}

static void nna_table_page_no_memory(struct kunit *test)
{
	struct nna_table_page_test *t = nna_test_start(test);
	unsigned int i, n = t->size / NNA_PAGE_SIZE * 2;

	t->limit = 2;
	for (i = 0; i < n; i++)
		KUNIT_ASSERT_TRUE(test, nna_test_take(test, i));
	KUNIT_EXPECT_FALSE(test, nna_test_take(test, n));
	nna_test_give(test, 0);
	KUNIT_EXPECT_TRUE(test, nna_test_take(test, 0));
	KUNIT_EXPECT_FALSE(test, nna_test_take(test, n));
	for (i = 0; i < n; i++)
		nna_test_give(test, i);
	KUNIT_EXPECT_EQ(test, 0u, t->live_count);
	KUNIT_EXPECT_TRUE(test, list_empty(&t->pages.partial));
}

/* No page is without a table, and no two tables overlap: each one keeps its pattern. */
static void nna_table_page_random(struct kunit *test)
{
	struct nna_table_page_test *t = nna_test_start(test);
	unsigned int seed = nna_fake_seed(), i, n = 0;
	struct rnd_state rnd;

	kunit_info(test, "nna.test_seed=%u repeats this\n", seed);
	prandom_seed_state(&rnd, seed);
	for (i = 0; i < NNA_TEST_STEPS / nna_fake_slowness(); i++) {
		unsigned int which = prandom_u32_state(&rnd) % NNA_TEST_TABLES, page;

		if (t->pts[which].entries) {
			nna_test_give(test, which);
			n--;
		} else {
			KUNIT_ASSERT_TRUE(test, nna_test_take(test, which));
			n++;
		}
		KUNIT_ASSERT_GE(test, t->live_count, nna_test_pages_for(t->size, n));
		for (page = 0; page < NNA_TEST_TABLES; page++)
			if (t->live[page])
				KUNIT_ASSERT_NE(test, 0ul, t->live[page]->used);
	}
	for (i = 0; i < NNA_TEST_TABLES; i++)
		if (t->pts[i].entries)
			nna_test_give(test, i);
	KUNIT_EXPECT_EQ(test, 0u, t->live_count);
}

static int nna_table_page_test_init(struct kunit *test)
{
	test->priv = kunit_kzalloc(test, sizeof(struct nna_table_page_test), GFP_KERNEL);
	return test->priv ? 0 : -ENOMEM;
}

/* A test that has failed may leave pages behind. */
static void nna_table_page_test_exit(struct kunit *test)
{
	struct nna_table_page_test *t = test->priv;
	unsigned int i;

	for (i = 0; t && i < NNA_TEST_TABLES; i++)
		if (t->pts[i].entries)
			nna_table_pages_give(&t->pages, &t->pts[i]);
}

static struct kunit_case nna_table_page_cases[] = {
	KUNIT_CASE_PARAM(nna_table_page_fills_pages, nna_page_size_gen_params),
	KUNIT_CASE_PARAM(nna_table_page_uses_holes, nna_page_size_gen_params),
	KUNIT_CASE_PARAM(nna_table_page_no_memory, nna_page_size_gen_params),
	KUNIT_CASE_PARAM(nna_table_page_random, nna_page_size_gen_params),
	{}
};

static struct kunit_suite nna_table_page_suite = {
	.name = "nna_table_page",
	.init = nna_table_page_test_init,
	.exit = nna_table_page_test_exit,
	.test_cases = nna_table_page_cases,
};
kunit_test_suite(nna_table_page_suite);
