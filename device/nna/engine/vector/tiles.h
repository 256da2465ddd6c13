/* SPDX-License-Identifier: MIT */
/*
 * Cuts convolutions and matrix products into tiles. A tile is a range of output rows of one set (an
 * image, a group, a matrix) by a range of blocks of 16 output channels. The plan's state holds the
 * cut, and a tile finds its ranges from its number.
 *
 * Threads start with equal shares of neighbouring tiles, so the cut also decides which thread
 * computes what. If threads share rows, each finds most of its input in its own caches, because it
 * wrote that input. If threads share blocks, each reads its own range of the weights.
 */
#ifndef NNADEV_TILES_H
#define NNADEV_TILES_H

#include "device/nna/engine/conv.h"
#include "device/nna/engine/kernel.h"

/**
 * struct nnadev_tiles - a cut
 * @rows: most rows of a tile
 * @row_tiles: tiles that the rows of a set make
 * @row_unit: each tile but the last one has a multiple of @row_unit rows
 * @blocks: most blocks of a tile
 * @block_tiles: tiles that the blocks make
 * @block_unit: each tile but the last one has a multiple of @block_unit blocks
 *
 * Tiles differ by one unit at most, and so do threads' shares of them. If the last tile took an
 * uneven remainder, threads would wait for each other.
 */
struct nnadev_tiles {
	uint32_t rows, row_tiles, row_unit, blocks, block_tiles, block_unit;
};

/**
 * struct nnadev_area - the output that one tile computes
 * @set: image, group or matrix
 * @first_row, @rows: range of output rows
 * @first_block, @blocks: range of blocks of 16 output channels
 */
struct nnadev_area {
	uint32_t set, first_row, rows, first_block, blocks;
};

/*
 * A command of fewer than 1/96 of a tile's wanted multiplications ends before another thread joins.
 */
#define NNADEV_TILES_ALONE 96u

/*
 * Return: threads that share @multiplications; 1 if the command ends before another thread joins.
 */
static inline uint32_t nnadev_tiles_threads(uint64_t multiplications, uint32_t wanted,
					    uint32_t threads)
{
	return multiplications < wanted / NNADEV_TILES_ALONE ? 1 : threads;
}

/*
 * Return: multiplications of a tile. These are @wanted, or fewer if a thread's share would have
 * fewer than 4 such tiles, so that other threads can help with it; but at least @wanted / 4,
 * because smaller tiles end too soon to be worth sharing.
 */
static inline uint32_t nnadev_tiles_wanted(uint64_t multiplications, uint32_t wanted,
					   uint32_t threads)
{
	const uint64_t some = multiplications / (4 * threads);

	if (threads == 1 || some >= wanted)
		return wanted;
	return some > wanted / 4 ? (uint32_t)some : wanted / 4;
}

/*
 * Fetching one row from another thread's cache costs as much as reading the weights of this many
 * columns. The second number holds if weights are unpacked as they are read.
 */
#define NNADEV_TILES_COLUMNS 32u
#define NNADEV_TILES_COLUMNS_UNPACKED 8u

/*
 * True if threads share rows rather than blocks. Sharing blocks, threads fetch rows from each
 * other; sharing rows, each thread reads the weights of all columns. @per_row columns cost as much
 * as one row. The answer is the same for a depthwise convolution, whose channels are the columns,
 * as for the product before it, so that rows stay in their thread's caches.
 */
static inline bool nnadev_tiles_share_rows(uint64_t rows, uint64_t columns, uint32_t per_row,
					   uint32_t threads)
{
	return threads > 1 && rows >= 8 * threads && rows >= columns / per_row;
}

/* Rounds @tiles up so that each of @shares has the same number of tiles. */
static inline uint32_t nnadev_tiles_deal(uint32_t tiles, uint32_t shares)
{
	return nnadev_div_up(tiles, shares) * shares;
}

/* True if rounding @x up to a multiple of @unit adds at most @x / @part. */
static inline bool nnadev_tiles_are_units(uint32_t x, uint32_t unit, uint32_t part)
{
	return nnadev_div_up(x, unit) * unit - x <= x / part;
}

/*
 * Cuts @rows into tiles of at most @most rows, in multiples of @unit. Each of several shares gets
 * the same number of tiles; the unit becomes 1 if shares would differ by much.
 */
static inline void nnadev_tiles_cut_rows(struct nnadev_tiles *t, uint32_t rows, uint32_t most,
					 uint32_t unit, uint32_t shares)
{
	uint32_t units;

	t->row_tiles = nnadev_tiles_deal(nnadev_div_up(rows, most), shares);
	if (shares > 1 && !nnadev_tiles_are_units(nnadev_div_up(rows, shares), unit, 64))
		unit = 1;
	units = nnadev_div_up(rows, unit);
	t->row_unit = unit;
	t->row_tiles = t->row_tiles < units ? t->row_tiles : units;
	t->rows = nnadev_div_up(units, t->row_tiles) * unit;
}

/*
 * Cuts @blocks into tiles of at most @most blocks. Each of several shares gets the same number of
 * tiles. Tiles are multiples of @together, the blocks that are computed together, where that fits.
 */
static inline void nnadev_tiles_cut_blocks(struct nnadev_tiles *t, uint32_t blocks, uint32_t most,
					   uint32_t together, uint32_t shares)
{
	uint32_t units, each;

	if (most > together && most < blocks)
		most -= most % together;
	t->block_tiles = nnadev_tiles_deal(nnadev_div_up(blocks, most), shares);
	each = nnadev_div_up(blocks, t->block_tiles);
	t->block_unit = 1;
	if (most % together == 0 && nnadev_tiles_are_units(each, together, 8))
		t->block_unit = together;
	units = nnadev_div_up(blocks, t->block_unit);
	t->block_tiles = t->block_tiles < units ? t->block_tiles : units;
	t->blocks = nnadev_div_up(units, t->block_tiles) * t->block_unit;
}

/*
 * The most that a tile may cost by a kernel's estimate, in loops of a few instructions: 1 ms or
 * less for any shapes and data. A command whose smallest tile costs more is left to the scalar
 * kernel, which can suspend a sum and resume it in a later tile.
 */
#define NNADEV_TILES_MOST_COST (3u << 19)

/* A kernel's estimate of the cost of a tile of @rows and @blocks of the decoded command. */
typedef uint64_t (*nnadev_tiles_cost_fn)(const void *decoded, uint64_t rows, uint64_t blocks);

/* True if channels are contiguous and the smallest tile does not cost too much. */
static inline bool nnadev_tiles_fit(const struct nnadev_conv *conv, nnadev_tiles_cost_fn cost,
				    const void *decoded)
{
	return nnadev_innermost_dense(conv->output) && nnadev_innermost_dense(conv->input) &&
	       nnadev_innermost_dense(conv->residual) &&
	       cost(decoded, 1, 1) <= NNADEV_TILES_MOST_COST;
}

/**
 * struct nnadev_product - a matrix product to be cut
 * @sets: number of products
 * @rows, @k, @n: of each product
 * @together: rows that are computed together
 * @blocks_together: blocks of 16 columns that are computed together
 * @cached: gathered rows that fit into the caches
 * @wanted: multiplications of a tile that threads can share efficiently
 * @columns: columns that cost a thread as much as a row of another thread: NNADEV_TILES_COLUMNS or
 *	NNADEV_TILES_COLUMNS_UNPACKED
 */
struct nnadev_product {
	uint32_t sets, rows, k, n, together, blocks_together, cached, wanted, columns;
};

/*
 * Cuts a matrix product: as many rows as are cached, then as many blocks as make @p->wanted
 * multiplications.
 */
static inline void nnadev_tiles_cut_product(struct nnadev_tiles *t, const struct nnadev_product *p,
					    uint32_t threads, nnadev_tiles_cost_fn cost,
					    const void *decoded)
{
	const uint64_t column = (uint64_t)p->rows * p->k, all = p->sets * p->n * column;
	const uint32_t unit = p->together, all_blocks = nnadev_div_up(p->n, 16);
	uint32_t most = p->cached / unit * unit, rows, blocks, wanted, shares;
	bool by_rows;

	threads = nnadev_tiles_threads(all, p->wanted, threads);
	wanted = nnadev_tiles_wanted(all, p->wanted, threads);
	by_rows = p->sets == 1 && nnadev_tiles_share_rows(p->rows, p->n, p->columns, threads);
	shares = by_rows ? threads : 1;
	most = most < unit ? unit : most > 1020 ? 1020 : most;
	while (most > 1 && cost(decoded, most, 1) > NNADEV_TILES_MOST_COST)
		most = most > unit ? most / 2 / unit * unit : 1;
	/* Weights that stay in the caches are cheap to read again, so tiles may have fewer rows. */
	if (by_rows && p->n <= p->cached) {
		const uint64_t fine = wanted / ((uint64_t)p->n * p->k + 1) / unit * unit;

		most = fine < 8 * unit ? (most < 8 * unit ? most : 8 * unit) :
		       fine < most     ? (uint32_t)fine :
					 most;
	}
	nnadev_tiles_cut_rows(t, p->rows, most, most < unit ? 1 : unit, shares);
	rows = p->rows < t->rows ? p->rows : t->rows;
	blocks = (uint32_t)(wanted / ((uint64_t)rows * p->k * 16 + 1)) + 1;
	blocks = blocks < all_blocks ? blocks : all_blocks;
	/* Reduce rows before blocks: each tile of the same rows gathers them for itself. */
	while (rows > 96 && cost(decoded, rows, blocks) > NNADEV_TILES_MOST_COST) {
		nnadev_tiles_cut_rows(t, p->rows, rows / 2, unit, shares);
		rows = t->rows;
	}
	while (blocks > 1 && cost(decoded, rows, blocks) > NNADEV_TILES_MOST_COST)
		blocks /= 2;
	shares = (uint64_t)t->row_tiles * p->sets < 2 * threads && !by_rows ? threads : 1;
	nnadev_tiles_cut_blocks(t, all_blocks, blocks, p->blocks_together, shares);
}

/*
 * Cuts a depthwise convolution: as many rows as @cost allows, then as many blocks as make @wanted
 * multiplications. @together: blocks that are computed together. @columns: see struct
 * nnadev_product.
 */
static inline void nnadev_tiles_cut_depthwise(struct nnadev_tiles *t,
					      const struct nnadev_conv *conv, uint32_t wanted,
					      uint32_t together, uint32_t columns,
					      uint32_t threads, nnadev_tiles_cost_fn cost,
					      const void *decoded)
{
	const uint64_t all = (uint64_t)conv->output->count * conv->k;
	uint32_t rows = conv->out_h, blocks;
	bool by_rows;

	threads = nnadev_tiles_threads(all, wanted, threads);
	by_rows = conv->batch == 1 && conv->out_h >= 2 * threads &&
		  nnadev_tiles_share_rows((uint64_t)rows * conv->out_w, conv->out_c, columns,
					  threads);
	while (rows > 1 && cost(decoded, rows, 1) > NNADEV_TILES_MOST_COST)
		rows = rows / 2;
	nnadev_tiles_cut_rows(t, conv->out_h, rows, 1, by_rows ? threads : 1);
	wanted = nnadev_tiles_wanted((uint64_t)conv->output->count * (conv->k + 8), wanted,
				     threads);
	blocks = (uint32_t)(wanted / ((uint64_t)t->rows * conv->out_w * 16 * (conv->k + 8))) + 1;
	while (blocks > 1 && cost(decoded, t->rows, blocks) > NNADEV_TILES_MOST_COST)
		blocks /= 2;
	nnadev_tiles_cut_blocks(
		t, nnadev_div_up(conv->out_c, 16), blocks, together,
		(uint64_t)t->row_tiles * conv->batch < 2 * threads && !by_rows ? threads : 1);
}

/**
 * struct nnadev_layout - scratch memory that is handed out piece by piece
 * @base: aligned to 64 bytes; NULL to compute the size alone
 * @size: of all pieces so far
 */
struct nnadev_layout {
	uint8_t *base;
	uint64_t size;
};

/* Return: the next piece, aligned to 64 bytes; NULL without a base. */
static inline void *nnadev_layout_take(struct nnadev_layout *l, uint64_t bytes)
{
	void *piece = l->base ? l->base + l->size : NULL;

	l->size += (bytes + 63) & ~(uint64_t)63;
	return piece;
}

/*
 * Plans one phase from a cut. An operand has at most 2^31 elements, so the number of tiles fits
 * into 32 bits.
 */
static inline void nnadev_tiles_plan(const struct nnadev_tiles *t, uint32_t sets,
				     uint64_t scratch_size, struct nnadev_engine_plan *plan)
{
	plan->phases = 1;
	plan->phase_tiles[0] = sets * t->row_tiles * t->block_tiles;
	plan->scratch_size = (uint32_t)scratch_size;
}

/* Return: the first of @all items of tile @tile of @tiles, if each tile has multiples of @unit. */
static inline uint32_t nnadev_tiles_first(uint32_t tile, uint32_t tiles, uint32_t all,
					  uint32_t unit)
{
	const uint64_t first = (uint64_t)tile * nnadev_div_up(all, unit) / tiles * unit;

	return first < all ? (uint32_t)first : all;
}

/* Return: the ranges of tile @tile of a set of @rows rows and @blocks blocks. */
static inline struct nnadev_area nnadev_tiles_area(const struct nnadev_tiles *t, uint32_t tile,
						   uint32_t rows, uint32_t blocks)
{
	const uint32_t row_tile = tile / t->block_tiles % t->row_tiles,
		       block_tile = tile % t->block_tiles;
	struct nnadev_area area = {
		.set = tile / t->block_tiles / t->row_tiles,
		.first_row = nnadev_tiles_first(row_tile, t->row_tiles, rows, t->row_unit),
		.first_block =
			nnadev_tiles_first(block_tile, t->block_tiles, blocks, t->block_unit),
	};

	area.rows = nnadev_tiles_first(row_tile + 1, t->row_tiles, rows, t->row_unit) -
		    area.first_row;
	area.blocks = nnadev_tiles_first(block_tile + 1, t->block_tiles, blocks, t->block_unit) -
		      area.first_block;
	return area;
}

#define NNADEV_TILES_PREFETCH 16384 /* bytes; more would push each other out */

/*
 * Prefetches the first and the last input row that a tile of a convolution reads, because another
 * thread may have written them. Prefetched cache lines arrive together; lines read on demand arrive
 * one after the other.
 */
static inline void nnadev_tiles_prefetch(const struct nnadev_conv *conv,
					 const struct nnadev_area *area)
{
	const struct nnahw_tensor *in = &conv->input->desc;
	const uint32_t size = nnahw_type_size(in->type);
	const int64_t rows[2] = {
		nnadev_window_row(&conv->window, area->first_row, 0),
		nnadev_window_row(&conv->window, area->first_row + area->rows - 1,
				  conv->window.kernel_h - 1),
	};

	for (uint32_t i = 0; i < 2; i++) {
		const int64_t row = (int64_t)area->set * in->strides[0] + rows[i] * in->strides[1],
			      bytes = (int64_t)in->dims[2] * in->strides[2] * size;
		const uint8_t *from = (const uint8_t *)conv->input->data + row * size;

		if (rows[i] < 0 || rows[i] >= in->dims[1] || area->rows == conv->out_h)
			continue;
		for (int64_t at = 0; at < bytes && at < NNADEV_TILES_PREFETCH; at += 64)
			__builtin_prefetch(from + at);
	}
}

#endif
