// SPDX-License-Identifier: MIT
/* The allocator of addresses, against a model that has one byte for each page. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "libnnaccel/winsys/va.h"

#define PAGE NNA_VA_PAGE

/* The model: which pages are taken. */
enum { PAGES = 512 };

struct model {
	uint64_t start;
	bool taken[PAGES];
};

static bool model_free(const struct model *m, uint32_t page, uint32_t count)
{
	if (page + count > PAGES)
		return false;
	for (uint32_t i = 0; i < count; i++)
		if (m->taken[page + i])
			return false;
	return true;
}

/* Return: the lowest page from @page on of which @count are free and aligned; PAGES: none. */
static uint32_t model_find(const struct model *m, uint32_t page, uint32_t count, uint64_t align)
{
	for (; page < PAGES; page++)
		if (!((m->start + page * PAGE) % align) && model_free(m, page, count))
			return page;
	return PAGES;
}

static void model_set(struct model *m, uint32_t page, uint32_t count, bool taken)
{
	for (uint32_t i = 0; i < count; i++)
		m->taken[page + i] = taken;
}

/*
 * Random ranges come and go. What is taken is where the model says that it is, which covers
 * alignment, overlap, exhaustion, and that everything that has been given back can be taken again.
 */
static void random_ranges(uint64_t start, uint32_t seed, uint32_t largest)
{
	static const uint64_t aligns[] = { PAGE, PAGE, PAGE, 4 * PAGE, 64 * PAGE };
	enum { RANGES = 100 };
	struct {
		uint64_t at;
		uint32_t count;
	} ranges[RANGES] = { 0 };
	struct nna_va *va = nna_va_create(start, PAGES * PAGE);
	struct model model = { .start = start };
	uint32_t taken = 0, refused = 0;
	uint64_t at;

	assert_non_null(va);
	for (uint32_t step = 0; step < 20000; step++) {
		uint32_t i, count, page, from;
		uint64_t align;
		int ret;

		seed = seed * 1664525 + 1013904223;
		i = (seed >> 8) % RANGES;
		if (ranges[i].count) {
			nna_va_give(va, ranges[i].at, ranges[i].count * PAGE);
			model_set(&model, (ranges[i].at - start) / PAGE, ranges[i].count, false);
			ranges[i].count = 0;
			continue;
		}
		seed = seed * 1664525 + 1013904223;
		count = 1 + (seed >> 8) % largest;
		align = aligns[(seed >> 24) % 5];
		/* Most begin anywhere; of others the first address need not be a page's. */
		from = seed >> 28 ? 0 : (seed >> 8) % (PAGES * PAGE);
		page = model_find(&model, (from + PAGE - 1) / PAGE, count, align);
		ret = from ? nna_va_take_from(va, start + from, count * PAGE, align, &at) :
			     nna_va_take(va, count * PAGE, align, &at);
		if (page == PAGES) {
			assert_int_equal(ret, -ENOSPC);
			refused++;
			continue;
		}
		assert_int_equal(ret, 0);
		assert_int_equal(at, start + page * PAGE);
		model_set(&model, page, count, true);
		ranges[i].at = at;
		ranges[i].count = count;
		taken++;
	}
	/* Both ends have been reached, or the test has shown nothing. */
	assert_true(taken > 1000);
	assert_true(refused > 100);

	for (uint32_t i = 0; i < RANGES; i++)
		if (ranges[i].count)
			nna_va_give(va, ranges[i].at, ranges[i].count * PAGE);
	/* All in one piece again. */
	assert_int_equal(nna_va_take(va, PAGES * PAGE, PAGE, &at), 0);
	assert_int_equal(at, start);
	nna_va_destroy(va);
}

static void test_random(void **state)
{
	random_ranges(0, 1, 16);
	random_ranges(0, 2, 200);
	random_ranges(NNA_VA_SMALL_START, 3, 16);
	/* A start that is itself not aligned to what is asked for. */
	random_ranges(NNA_VA_LARGE_START + 3 * PAGE, 4, 32);
}

/* The first of a space's addresses may be 0, the last one 2^64 - 1. */
static void test_whole_space(void **state)
{
	struct nna_va *va = nna_va_create(0 - 4 * PAGE, 4 * PAGE);
	uint64_t at;

	assert_non_null(va);
	assert_int_equal(nna_va_take(va, 5 * PAGE, PAGE, &at), -ENOSPC);
	assert_int_equal(nna_va_take(va, UINT64_MAX, PAGE, &at), -ENOSPC);
	/* The next multiple is 2^64. */
	assert_int_equal(nna_va_take(va, PAGE, 8 * PAGE, &at), -ENOSPC);
	assert_int_equal(nna_va_take(va, 4 * PAGE, 4 * PAGE, &at), 0);
	assert_int_equal(at, 0 - 4 * PAGE);
	assert_int_equal(nna_va_take(va, PAGE, PAGE, &at), -ENOSPC);
	nna_va_give(va, 0 - 4 * PAGE, 4 * PAGE);
	assert_int_equal(nna_va_take(va, PAGE, PAGE, &at), 0);
	assert_int_equal(at, 0 - 4 * PAGE);
	nna_va_destroy(va);
}

/* A range that is given back joins its free neighbours: none, the lower, the upper, both. */
static void test_merge(void **state)
{
	static const struct {
		uint8_t order[3]; /* in which three neighbours are given back */
	} cases[] = { { { 0, 1, 2 } }, { { 0, 2, 1 } }, { { 1, 0, 2 } },
		      { { 1, 2, 0 } }, { { 2, 0, 1 } }, { { 2, 1, 0 } } };

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct nna_va *va = nna_va_create(PAGE, 5 * PAGE);
		uint64_t at;

		assert_non_null(va);
		for (uint32_t k = 1; k <= 5; k++) {
			assert_int_equal(nna_va_take(va, PAGE, PAGE, &at), 0);
			assert_int_equal(at, k * PAGE);
		}
		/* The first and the last page stay taken. */
		for (uint32_t k = 0; k < 3; k++) {
			assert_int_equal(nna_va_take(va, 3 * PAGE, PAGE, &at), -ENOSPC);
			nna_va_give(va, (2 + cases[i].order[k]) * PAGE, PAGE);
		}
		assert_int_equal(nna_va_take(va, 4 * PAGE, PAGE, &at), -ENOSPC);
		assert_int_equal(nna_va_take(va, 3 * PAGE, PAGE, &at), 0);
		assert_int_equal(at, 2 * PAGE);
		nna_va_destroy(va);
	}
}

/*
 * As many free ranges as there can be: every other page. Giving back must find a node for each
 * without an allocation, whatever was taken and given before.
 */
static void test_fragmented(void **state)
{
	struct nna_va *va = nna_va_create(0, PAGES * PAGE);
	uint64_t at;

	assert_non_null(va);
	for (uint32_t round = 0; round < 3; round++) {
		for (uint32_t i = 0; i < PAGES; i++)
			assert_int_equal(nna_va_take(va, PAGE, PAGE, &at), 0);
		assert_int_equal(nna_va_take(va, PAGE, PAGE, &at), -ENOSPC);
		for (uint32_t i = round & 1; i < PAGES; i += 2)
			nna_va_give(va, i * PAGE, PAGE);
		assert_int_equal(nna_va_take(va, 2 * PAGE, PAGE, &at), -ENOSPC);
		for (uint32_t i = !(round & 1); i < PAGES; i += 2)
			nna_va_give(va, i * PAGE, PAGE);
		assert_int_equal(nna_va_take(va, PAGES * PAGE, PAGE, &at), 0);
		nna_va_give(va, at, PAGES * PAGE);
	}
	nna_va_destroy(va);
	nna_va_destroy(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random),
		cmocka_unit_test(test_whole_space),
		cmocka_unit_test(test_merge),
		cmocka_unit_test(test_fragmented),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
