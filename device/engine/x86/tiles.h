/* SPDX-License-Identifier: MIT */
/*
 * How convolutions and matrix products are cut: a tile is some rows of output of one set (an image,
 * a group, a matrix) by some blocks of 16 output channels. The cut is kept in the plan's state, and
 * each tile finds its part from its number.
 */
#ifndef NNADEV_TILES_H
#define NNADEV_TILES_H

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
 * The most that a tile may cost by a kernel's estimate, in loops of a few instructions: 1 ms or
 * less, whatever the shapes and the data are. What costs more in the smallest tile is left to the
 * scalar kernel, which can leave a sum and go on with it in a later tile.
 */
#define NNADEV_TILES_MOST_COST (3u << 19)

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
