/* SPDX-License-Identifier: MIT */
/*
 * How convolutions and matrix products are cut: a tile is some rows of output of one set (an image,
 * a group, a matrix) by some blocks of 16 output channels. The cut is kept in the plan's state, and
 * each tile finds its part from its number.
 */
#ifndef NNADEV_TILES_H
#define NNADEV_TILES_H

#include "device/engine/conv.h"
#include "device/engine/kernel.h"

/**
 * struct nnadev_tiles - a cut
 * @rows: of a tile (the last one may have fewer)
 * @row_tiles: tiles that the rows of a set make
 * @blocks: of a tile, likewise
 * @block_tiles: tiles that the blocks make
 */
struct nnadev_tiles {
	uint32_t rows, row_tiles, blocks, block_tiles;
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

/* At most `most` rows in a tile, a multiple of `unit`, and all tiles alike. */
static inline void nnadev_tiles_cut_rows(struct nnadev_tiles *t, uint32_t rows, uint32_t most,
					 uint32_t unit)
{
	t->row_tiles = nnadev_div_up(rows, most);
	t->rows = nnadev_div_up(nnadev_div_up(rows, t->row_tiles), unit) * unit;
	t->row_tiles = nnadev_div_up(rows, t->rows);
}

/* Multiplications that take less than another thread needs to join. */
#define NNADEV_TILES_ALONE (1u << 18)

/* Threads that are to share work of so many multiplications; 0: it is not worth it. */
static inline uint32_t nnadev_tiles_threads(uint64_t multiplications, uint32_t threads)
{
	return multiplications < NNADEV_TILES_ALONE ? 0 : threads;
}

/* `wanted` blocks in a tile, or fewer, so that every thread has something to do. */
static inline void nnadev_tiles_cut_blocks(struct nnadev_tiles *t, uint32_t threads, uint32_t sets,
					   uint32_t blocks, uint32_t wanted)
{
	if ((uint64_t)t->row_tiles * sets < 2 * threads) {
		const uint32_t fair = nnadev_div_up(blocks, 2 * threads);

		wanted = wanted < fair ? wanted : fair;
	}
	t->block_tiles = nnadev_div_up(blocks, wanted);
	t->blocks = nnadev_div_up(blocks, t->block_tiles);
	t->block_tiles = nnadev_div_up(blocks, t->blocks);
}

/*
 * Fewer blocks in a tile, where it has some but more than are computed together: a multiple of
 * them.
 */
static inline void nnadev_tiles_join_blocks(struct nnadev_tiles *t, uint32_t blocks,
					    uint32_t together)
{
	if (t->block_tiles > 1 && t->blocks > together) {
		t->blocks -= t->blocks % together;
		t->block_tiles = nnadev_div_up(blocks, t->blocks);
	}
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
 */
struct nnadev_product {
	uint32_t sets, rows, k, n, together, blocks_together, cached, wanted;
};

/* Cuts a matrix product: as many rows as are cached, then as many blocks as are wanted. */
static inline void nnadev_tiles_cut_product(struct nnadev_tiles *t, const struct nnadev_product *p,
					    uint32_t threads, nnadev_tiles_cost_fn cost,
					    const void *decoded)
{
	uint32_t unit = p->together, most = p->cached / unit * unit, rows, wanted;

	most = most < unit ? unit : most > 1020 ? 1020 : most;
	while (most > 1 && cost(decoded, most, 1) > NNADEV_TILES_MOST_COST)
		most = most > unit ? most / 2 / unit * unit : 1;
	nnadev_tiles_cut_rows(t, p->rows, most, most < unit ? 1 : unit);
	rows = p->rows < t->rows ? p->rows : t->rows;
	wanted = (uint32_t)(p->wanted / ((uint64_t)rows * p->k * 16 + 1)) + 1;
	wanted = wanted < nnadev_div_up(p->n, 16) ? wanted : nnadev_div_up(p->n, 16);
	/* Fewer rows first: tiles of the same rows put them together each for itself. */
	while (rows > 96 && cost(decoded, rows, wanted) > NNADEV_TILES_MOST_COST) {
		nnadev_tiles_cut_rows(t, p->rows, rows / 2, unit);
		rows = t->rows;
	}
	while (wanted > 1 && cost(decoded, rows, wanted) > NNADEV_TILES_MOST_COST)
		wanted /= 2;
	threads = nnadev_tiles_threads((uint64_t)p->sets * p->rows * p->n * p->k, threads);
	nnadev_tiles_cut_blocks(t, threads, p->sets, nnadev_div_up(p->n, 16), wanted);
	nnadev_tiles_join_blocks(t, nnadev_div_up(p->n, 16), p->blocks_together);
}

/*
 * Cuts a depthwise convolution: as many rows as @cost allows, then as many blocks as make @wanted
 * multiplications; @together are computed together.
 */
static inline void nnadev_tiles_cut_depthwise(struct nnadev_tiles *t,
					      const struct nnadev_conv *conv, uint32_t wanted,
					      uint32_t together, uint32_t threads,
					      nnadev_tiles_cost_fn cost, const void *decoded)
{
	uint32_t rows = conv->out_h, blocks;

	while (rows > 1 && cost(decoded, rows, 1) > NNADEV_TILES_MOST_COST)
		rows = rows / 2;
	nnadev_tiles_cut_rows(t, conv->out_h, rows, 1);
	blocks = (uint32_t)(wanted / ((uint64_t)t->rows * conv->out_w * 16 * (conv->k + 8))) + 1;
	while (blocks > 1 && cost(decoded, t->rows, blocks) > NNADEV_TILES_MOST_COST)
		blocks /= 2;
	threads = nnadev_tiles_threads((uint64_t)conv->output->count * conv->k, threads);
	nnadev_tiles_cut_blocks(t, threads, conv->batch, nnadev_div_up(conv->out_c, 16), blocks);
	nnadev_tiles_join_blocks(t, nnadev_div_up(conv->out_c, 16), together);
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

/* The part of tile `tile`, where a set has `rows` rows and `blocks` blocks. */
static inline struct nnadev_part nnadev_tiles_part(const struct nnadev_tiles *t, uint32_t tile,
						   uint32_t rows, uint32_t blocks)
{
	struct nnadev_part part = {
		.set = tile / t->block_tiles / t->row_tiles,
		.first_row = tile / t->block_tiles % t->row_tiles * t->rows,
		.first_block = tile % t->block_tiles * t->blocks,
	};

	part.rows = rows - part.first_row < t->rows ? rows - part.first_row : t->rows;
	part.blocks = blocks - part.first_block < t->blocks ? blocks - part.first_block
							    : t->blocks;
	return part;
}

#endif
