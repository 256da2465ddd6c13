/* SPDX-License-Identifier: MIT */
/*
 * How convolutions and matrix products are cut: a tile is some rows of output of one set (an image,
 * a group, a matrix) by some blocks of 16 output channels. The cut is kept in the plan, and each
 * tile finds its part from its number.
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

/* Replaces the plan, unless the cut makes too many tiles or needs too much scratch memory. */
static inline void nnadev_tiles_plan(const struct nnadev_tiles *t, uint32_t sets,
				     size_t scratch_size, struct nnadev_engine_plan *plan,
				     __typeof__(plan->run) run)
{
	const uint64_t tiles = (uint64_t)sets * t->row_tiles * t->block_tiles;

	if (tiles > UINT32_MAX || scratch_size > NNADEV_ENGINE_MAX_SCRATCH)
		return;
	memset(plan, 0, sizeof(*plan));
	plan->run = run;
	plan->phases = 1;
	plan->phase_tiles[0] = (uint32_t)tiles;
	plan->scratch_size = (uint32_t)scratch_size;
	plan->priv[0] = t->rows;
	plan->priv[1] = t->row_tiles;
	plan->priv[2] = t->blocks;
	plan->priv[3] = t->block_tiles;
}

/* Rows that a tile of the plan has at most. */
static inline uint32_t nnadev_tiles_rows(const struct nnadev_engine_plan *plan)
{
	return (uint32_t)plan->priv[0];
}

/* The part of tile `tile`, where a set has `rows` rows and `blocks` blocks. */
static inline struct nnadev_part nnadev_tiles_part(const struct nnadev_engine_plan *plan,
						   uint32_t tile, uint32_t rows, uint32_t blocks)
{
	const uint32_t per_tile = nnadev_tiles_rows(plan), row_tiles = (uint32_t)plan->priv[1];
	const uint32_t blocks_per_tile = (uint32_t)plan->priv[2],
		       block_tiles = (uint32_t)plan->priv[3];
	struct nnadev_part part = {
		.set = tile / block_tiles / row_tiles,
		.first_row = tile / block_tiles % row_tiles * per_tile,
		.first_block = tile % block_tiles * blocks_per_tile,
	};

	part.rows = rows - part.first_row < per_tile ? rows - part.first_row : per_tile;
	part.blocks = blocks - part.first_block < blocks_per_tile ? blocks - part.first_block
								  : blocks_per_tile;
	return part;
}

#endif
