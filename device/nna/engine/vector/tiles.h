/* SPDX-License-Identifier: MIT */
/*
 * How convolutions and matrix products are cut: a tile is some rows of output of one set (an image,
 * a group, a matrix) by some blocks of 16 output channels. The cut is kept in the plan's state, and
 * each tile finds its part from its number.
 *
 * Threads begin with equal shares of neighbouring tiles, so the cut also says who computes what.
 * Where they share rows, each finds most of its input in its own caches, as it has written it;
 * where they share blocks, each reads its own part of the weights.
 */
#ifndef NNADEV_TILES_H
#define NNADEV_TILES_H

#include "device/nna/engine/conv.h"
#include "device/nna/engine/kernel.h"

/**
 * struct nnadev_tiles - a cut. Tiles differ by a unit at most, and so do threads' shares of them:
 *	a last tile that had what is left over would have one thread wait for the others.
 * @rows: of a tile, at most
 * @row_tiles: tiles that the rows of a set make
 * @row_unit: each tile but the last one has a multiple of so many
 * @blocks: of a tile, at most
 * @block_tiles: tiles that the blocks make
 * @block_unit: likewise
 */
struct nnadev_tiles {
	uint32_t rows, row_tiles, row_unit, blocks, block_tiles, block_unit;
};

/**
 * struct nnadev_part - what one tile computes
 * @set: image, group or matrix
 * @first_row, @rows: of output
 * @first_block, @blocks: of 16 output channels
 */
struct nnadev_part {
	uint32_t set, first_row, rows, first_block, blocks;
};

/* What takes a tile of @wanted multiplications by so much is over before another thread joins. */
#define NNADEV_TILES_ALONE 96u

/* Threads that are to share work of so many multiplications; 1: others are not worth it. */
static inline uint32_t nnadev_tiles_threads(uint64_t multiplications, uint32_t wanted,
					    uint32_t threads)
{
	return multiplications < wanted / NNADEV_TILES_ALONE ? 1 : threads;
}

/*
 * Multiplications of a tile: as many as are wanted, but of a share some, so that others can help
 * with it, unless these are so few that they are soon done.
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
 * Reading the weights of so many columns costs what getting a row from another thread does; and of
 * so many if they are unpacked as they are read.
 */
#define NNADEV_TILES_COLUMNS 32u
#define NNADEV_TILES_COLUMNS_UNPACKED 8u

/*
 * Whether threads are to share rows, which depends on what there is more of: rows that they would
 * have to get from each other, or columns whose weights each of them would have to read: @per_row of
 * these cost what a row does. It is the same for a depthwise convolution, whose channels are the
 * columns, as for the product before it.
 */
static inline bool nnadev_tiles_share_rows(uint64_t rows, uint64_t columns, uint32_t per_row,
					   uint32_t threads)
{
	return threads > 1 && rows >= 8 * threads && rows >= columns / per_row;
}

/* So many tiles, or as many more that each of `shares` has the same number. */
static inline uint32_t nnadev_tiles_deal(uint32_t tiles, uint32_t shares)
{
	return nnadev_div_up(tiles, shares) * shares;
}

/* Whether multiples of `unit` are no more than a @part greater than x, or what is less than them. */
static inline bool nnadev_tiles_are_units(uint32_t x, uint32_t unit, uint32_t part)
{
	return nnadev_div_up(x, unit) * unit - x <= x / part;
}

/*
 * At most `most` rows in a tile, multiples of `unit`, and for several shares as many tiles in each;
 * there the unit gives way where shares would differ by it.
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
 * At most `most` blocks in a tile, if there is room for them a multiple of the `together` that are
 * computed together, and for several shares as many tiles in each.
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
 * less, whatever the shapes and the data are. What costs more in the smallest tile is left to the
 * scalar kernel, which can leave a sum and go on with it in a later tile.
 */
#define NNADEV_TILES_MOST_COST (3u << 19)

/* A kernel's estimate for a tile of so many rows and blocks of what it has decoded. */
typedef uint64_t (*nnadev_tiles_cost_fn)(const void *decoded, uint64_t rows, uint64_t blocks);

/* Whether channels are contiguous, and the smallest tile is not too much. */
static inline bool nnadev_tiles_fit(const struct nnadev_conv *conv, nnadev_tiles_cost_fn cost,
				    const void *decoded)
{
	return nnadev_innermost_dense(conv->output) && nnadev_innermost_dense(conv->input) &&
	       nnadev_innermost_dense(conv->residual) &&
	       cost(decoded, 1, 1) <= NNADEV_TILES_MOST_COST;
}

/**
 * struct nnadev_product - a matrix product that is to be cut
 * @sets: of products
 * @rows, @k, @n: of each
 * @together: rows that are computed together
 * @blocks_together: likewise, of 16 columns
 * @cached: rows that fit into the caches, put together
 * @wanted: multiplications of a tile that others can share the work with
 * @columns: that cost a thread what a row of another one does: NNADEV_TILES_COLUMNS or the like
 */
struct nnadev_product {
	uint32_t sets, rows, k, n, together, blocks_together, cached, wanted, columns;
};

/* Cuts a matrix product: as many rows as are cached, then as many blocks as are wanted. */
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
	/* Weights that stay in the caches can be read for fewer rows at a time. */
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
	/* Fewer rows first: tiles of the same rows put them together each for itself. */
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
 * multiplications; @together are computed together. @columns is as in struct nnadev_product.
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
 * @base: aligned to 64 bytes; NULL to only learn the size
 * @size: of all pieces so far
 */
struct nnadev_layout {
	uint8_t *base;
	uint64_t size;
};

/* The next piece, aligned to 64 bytes; NULL without a base. */
static inline void *nnadev_layout_take(struct nnadev_layout *l, uint64_t bytes)
{
	void *piece = l->base ? l->base + l->size : NULL;

	l->size += (bytes + 63) & ~(uint64_t)63;
	return piece;
}

/* Plans one phase by a cut; of at most 2^31 elements there are no more tiles. */
static inline void nnadev_tiles_plan(const struct nnadev_tiles *t, uint32_t sets,
				     uint64_t scratch_size, struct nnadev_engine_plan *plan)
{
	plan->phases = 1;
	plan->phase_tiles[0] = sets * t->row_tiles * t->block_tiles;
	plan->scratch_size = (uint32_t)scratch_size;
}

/* The first of `all` that tile `tile` of `tiles` has, if each has multiples of `unit`. */
static inline uint32_t nnadev_tiles_first(uint32_t tile, uint32_t tiles, uint32_t all,
					  uint32_t unit)
{
	const uint64_t first = (uint64_t)tile * nnadev_div_up(all, unit) / tiles * unit;

	return first < all ? (uint32_t)first : all;
}

/* The part of tile `tile`, where a set has `rows` rows and `blocks` blocks. */
static inline struct nnadev_part nnadev_tiles_part(const struct nnadev_tiles *t, uint32_t tile,
						   uint32_t rows, uint32_t blocks)
{
	const uint32_t row_tile = tile / t->block_tiles % t->row_tiles,
		       block_tile = tile % t->block_tiles;
	struct nnadev_part part = {
		.set = tile / t->block_tiles / t->row_tiles,
		.first_row = nnadev_tiles_first(row_tile, t->row_tiles, rows, t->row_unit),
		.first_block =
			nnadev_tiles_first(block_tile, t->block_tiles, blocks, t->block_unit),
	};

	part.rows = nnadev_tiles_first(row_tile + 1, t->row_tiles, rows, t->row_unit) -
		    part.first_row;
	part.blocks = nnadev_tiles_first(block_tile + 1, t->block_tiles, blocks, t->block_unit) -
		      part.first_block;
	return part;
}

#define NNADEV_TILES_PREFETCH 16384 /* bytes; more would push each other out */

/*
 * Has the first and the last row of input that a tile of a convolution reads come to this CPU's
 * caches, as another thread may have written them: they come together then, and not one cache line
 * after the other when they are needed.
 */
static inline void nnadev_tiles_prefetch(const struct nnadev_conv *conv,
					 const struct nnadev_part *part)
{
	const struct nnahw_tensor *in = &conv->input->desc;
	const uint32_t size = nnahw_type_size(in->type);
	const int64_t rows[2] = {
		nnadev_window_row(&conv->window, part->first_row, 0),
		nnadev_window_row(&conv->window, part->first_row + part->rows - 1,
				  conv->window.kernel_h - 1),
	};

	for (uint32_t i = 0; i < 2; i++) {
		const int64_t row = (int64_t)part->set * in->strides[0] + rows[i] * in->strides[1],
			      bytes = (int64_t)in->dims[2] * in->strides[2] * size;
		const uint8_t *from = (const uint8_t *)conv->input->data + row * size;

		if (rows[i] < 0 || rows[i] >= in->dims[1] || part->rows == conv->out_h)
			continue;
		for (int64_t at = 0; at < bytes && at < NNADEV_TILES_PREFETCH; at += 64)
			__builtin_prefetch(from + at);
	}
}

#endif
