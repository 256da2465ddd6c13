// SPDX-License-Identifier: MIT
/* The cut of products and depthwise convolutions: all once, nothing too long, fair shares. */
#include "device/nna/engine/vector/tiles.h"

#include "tests/unit/device/nna/engine/engine.h"

#define MOST_THREADS 9

static struct rng r = { 11 };

/* Loops that a row by a block costs. */
static uint64_t per_row;

static uint64_t cost(const void *decoded, uint64_t rows, uint64_t blocks)
{
	return rows * blocks * per_row + 100;
}

/* The tiles of a set cover its rows and blocks once; none costs too much. */
static void assert_covers(const struct nnadev_tiles *t, uint32_t rows, uint32_t blocks)
{
	uint64_t covered = 0;

	assert_true(t->rows && t->blocks && t->row_tiles && t->block_tiles);
	for (uint32_t i = 0; i < t->row_tiles * t->block_tiles; i++) {
		const struct nnadev_area area = nnadev_tiles_area(t, i, rows, blocks);

		assert_int_equal(area.set, 0);
		assert_true(area.rows && area.rows <= t->rows && area.first_row < rows);
		assert_true(area.blocks && area.blocks <= t->blocks && area.first_block < blocks);
		assert_true(cost(NULL, area.rows, area.blocks) <= NNADEV_TILES_MOST_COST);
		covered += (uint64_t)area.rows * area.blocks;
	}
	assert_true(covered == (uint64_t)rows * blocks);
}

static void test_product(void **state)
{
	for (int i = 0; i < 20000; i++) {
		const uint32_t threads = (uint32_t)rng_range(&r, 1, MOST_THREADS);
		const struct nnadev_product p = {
			.sets = 1,
			.rows = (uint32_t)rng_range(&r, 1, i % 2 ? 40 : 9000),
			.k = (uint32_t)rng_range(&r, 1, i % 3 ? 100 : 3000),
			.n = (uint32_t)rng_range(&r, 1, i % 5 ? 200 : 3000),
			.together = (uint32_t)rng_range(&r, 1, 8),
			.blocks_together = 1u << rng_range(&r, 0, 2),
			.cached = (uint32_t)rng_range(&r, 0, 3000),
			.wanted = (uint32_t)rng_range(&r, 1, 12 << 20),
			.columns = 1u << rng_range(&r, 0, 6),
		};
		struct nnadev_tiles t;

		per_row = (uint64_t)rng_range(&r, 1, i % 7 ? 3000 : NNADEV_TILES_MOST_COST - 100);
		nnadev_tiles_cut_product(&t, &p, threads, cost, NULL);
		assert_covers(&t, p.rows, nnadev_div_up(p.n, 16));
	}
}

static void test_depthwise(void **state)
{
	for (int i = 0; i < 20000; i++) {
		struct nnadev_engine_operand output = { .count = 1 };
		struct nnadev_conv conv = {
			.output = &output,
			.batch = 1,
			.out_h = (uint32_t)rng_range(&r, 1, 150),
			.out_w = (uint32_t)rng_range(&r, 1, 150),
			.out_c = (uint32_t)rng_range(&r, 1, i % 5 ? 200 : 3000),
			.k = (uint32_t)rng_range(&r, 1, 25),
		};
		struct nnadev_tiles t;

		output.count = conv.out_h * conv.out_w * conv.out_c;
		per_row = (uint64_t)rng_range(&r, 1, i % 7 ? 3000 : NNADEV_TILES_MOST_COST - 100);
		nnadev_tiles_cut_depthwise(&t, &conv, 1u << rng_range(&r, 0, 22),
					   1u << rng_range(&r, 0, 2), 1u << rng_range(&r, 0, 6),
					   (uint32_t)rng_range(&r, 1, MOST_THREADS), cost, NULL);
		assert_covers(&t, conv.out_h, nnadev_div_up(conv.out_c, 16));
	}
}

/* Rows that threads share are dealt evenly: none has a whole tile less than another. */
static void test_even(void **state)
{
	for (uint32_t threads = 2; threads <= 16; threads++)
		for (uint32_t rows = 1; rows <= 200; rows++) {
			const uint32_t most = (uint32_t)rng_range(&r, 1, 40);
			struct nnadev_tiles t = { .blocks = 1, .block_tiles = 1, .block_unit = 1 };
			uint32_t least = UINT32_MAX, greatest = 0;

			nnadev_tiles_cut_rows(&t, rows, most, 1, threads);
			assert_true(t.rows <= most);
			for (uint32_t i = 0; i < threads && t.row_tiles % threads == 0; i++) {
				const uint32_t each = t.row_tiles / threads;
				uint32_t sum = 0;

				for (uint32_t k = i * each; k < (i + 1) * each; k++)
					sum += nnadev_tiles_area(&t, k, rows, 1).rows;
				least = sum < least ? sum : least;
				greatest = sum > greatest ? sum : greatest;
			}
			/* Fewer tiles than are fair are single rows. */
			if (t.row_tiles % threads)
				assert_int_equal(t.rows, 1);
			else
				assert_true(greatest - least <= 1);
		}
}

/* Layers of networks, whose threads get equal shares; of small ones the caller does all. */
static void test_shares(void **state)
{
	static const struct {
		uint32_t rows, k, n, columns, tiles;
		bool by_rows, by_blocks;
	} layers[] = {
		{ 3136, 24, 144, 32, 0, true, false }, { 784, 32, 192, 32, 0, true, false },
		{ 196, 512, 512, 32, 0, true, false }, { 49, 160, 960, 32, 0, true, false },
		{ 49, 160, 960, 8, 0, false, true },   { 36, 384, 384, 8, 0, false, true },
		{ 1, 1280, 1001, 32, 0, false, true }, { 1, 1024, 1024, 8, 0, false, true },
		{ 4, 64, 64, 32, 1, false, false },
	};

	per_row = 300;
	for (uint32_t i = 0; i < sizeof(layers) / sizeof(layers[0]); i++) {
		const uint32_t rows = layers[i].rows, blocks = nnadev_div_up(layers[i].n, 16);
		const struct nnadev_product p = {
			.sets = 1,
			.rows = rows,
			.k = layers[i].k,
			.n = layers[i].n,
			.together = 6,
			.blocks_together = 4,
			.cached = (128u << 10) / nnadev_div_up(layers[i].k, 64) / 64,
			.wanted = 12 << 20,
			.columns = layers[i].columns,
		};
		struct nnadev_tiles t;

		nnadev_tiles_cut_product(&t, &p, 2, cost, NULL);
		if (layers[i].tiles)
			assert_int_equal(t.row_tiles * t.block_tiles, layers[i].tiles);
		if (layers[i].by_rows)
			assert_int_equal(t.row_tiles % 2, 0);
		if (layers[i].by_blocks)
			assert_int_equal(t.block_tiles % 2, 0);
		/* The greater half has at most an eighth more than its part. */
		if (layers[i].by_rows)
			assert_true(t.row_tiles / 2 * t.rows * 16 <= rows * 9);
		if (layers[i].by_blocks)
			assert_true(t.block_tiles / 2 * t.blocks * 16 <= blocks * 9);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_product),
		cmocka_unit_test(test_depthwise),
		cmocka_unit_test(test_even),
		cmocka_unit_test(test_shares),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
