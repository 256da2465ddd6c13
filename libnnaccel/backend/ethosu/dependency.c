// SPDX-License-Identifier: MIT
/*
 * BLOCKDEP: how many blocks of an operation may be unfinished while the first blocks of the next
 * one begin.
 *
 * An operation that reads nothing of what the one before has written may begin at once. Else its
 * first blocks must not read what the last blocks of that one write. Both go through their maps by
 * row, column, then channel.
 */
#include "libnnaccel/backend/ethosu/command.h"

#define U65_MOST 3u
#define U85_MOST 7u
/* Channels of a block of a convolution's IFM: of a U85 at least. */
#define CONV_DEPTH 32u
#define CONV_DEPTH_SHORT 16u

/**
 * struct blocks - a map that is cut into blocks
 * @sizes: rows, columns, channels of the map
 * @steps: of a block
 */
struct blocks {
	uint64_t sizes[3], steps[3];
};

static uint64_t ceiling(uint64_t n, uint64_t by)
{
	return (n + by - 1) / by;
}

static uint64_t block_count(const struct blocks *b)
{
	return ceiling(b->sizes[0], b->steps[0]) * ceiling(b->sizes[1], b->steps[1]) *
	       ceiling(b->sizes[2], b->steps[2]);
}

/* Where block @n begins along axis @axis; it ends a step, or the map's end, behind. */
static uint64_t begin_of(const struct blocks *b, uint64_t n, uint32_t axis)
{
	const uint64_t deep = ceiling(b->sizes[2], b->steps[2]);
	const uint64_t wide = ceiling(b->sizes[1], b->steps[1]);

	switch (axis) {
	case 0:
		return n / (deep * wide) * b->steps[0];
	case 1:
		return n / deep % wide * b->steps[1];
	default:
		return n % deep * b->steps[2];
	}
}

static bool overlap(const struct blocks *a, uint64_t n, const struct blocks *b, uint64_t m)
{
	for (uint32_t i = 0; i < 3; i++) {
		const uint64_t x = begin_of(a, n, i), y = begin_of(b, m, i);

		if (x >= y + b->steps[i] || y >= x + a->steps[i])
			return false;
	}
	return true;
}

/* The highest number of which each block may begin while so many of @before are unfinished. */
static uint32_t highest(const struct blocks *before, const struct blocks *now, uint32_t most)
{
	const uint64_t old = block_count(before), fresh = block_count(now);

	most = old < most ? (uint32_t)old : most;
	most = fresh < most ? (uint32_t)fresh : most;
	for (uint32_t n = 0; n < most; n++)
		for (uint32_t i = 0; i <= n; i++)
			if (overlap(now, i, before, old - 1 - (n - i)))
				return n;
	return most;
}

/* ---- maps ------------------------------------------------------------------------------------ */

static uint32_t dilated(uint32_t n, uint32_t dilation)
{
	return (n - 1) * dilation + 1;
}

/* Rows or columns of the IFM, of which the OFM has @n. */
static uint32_t seen(uint32_t n, uint32_t stride, uint32_t kernel, uint32_t padding,
		     uint32_t upscale)
{
	const uint32_t whole = (n - 1) * stride + kernel;
	const uint32_t view = whole > padding ? whole - padding : 1;

	return upscale ? (view + 1) / 2 : view;
}

struct nna_ethosu_map nna_ethosu_operation_ifm(const struct nna_ethosu_operation *op)
{
	const struct nna_ethosu_window *k = &op->window;
	struct nna_ethosu_map map = op->ifm;

	if (op->code == ETHOSU_OP_ELEMENTWISE)
		return map;
	map.height = seen(op->ofm.height, k->stride_y, dilated(k->height, k->dilation_y),
			  k->top + k->bottom, k->upscale);
	map.width = seen(op->ofm.width, k->stride_x, dilated(k->width, k->dilation_x),
			 k->left + k->right, k->upscale);
	return map;
}

/* Bytes from the first to behind the last one. */
static uint64_t extent(const struct nna_ethosu_map *map)
{
	const uint64_t rows = (map->height - 1) * map->stride_y;

	if (map->brick)
		return rows + (ceiling(map->depth, 16) - 1) * map->stride_c +
		       (uint64_t)map->width * 16 * map->bytes;
	return rows + (map->width - 1) * map->stride_x + (uint64_t)map->depth * map->bytes;
}

static bool share_bytes(const struct nna_ethosu_map *a, const struct nna_ethosu_map *b)
{
	return a->region == b->region && a->offset < b->offset + extent(b) &&
	       b->offset < a->offset + extent(a);
}

static bool is_same(const struct nna_ethosu_map *a, const struct nna_ethosu_map *b)
{
	return a->offset == b->offset && a->height == b->height && a->width == b->width &&
	       a->depth == b->depth && a->stride_y == b->stride_y && a->brick == b->brick &&
	       (a->brick ? a->stride_c == b->stride_c : a->stride_x == b->stride_x) &&
	       a->bytes == b->bytes;
}

/* Channels of a block of the IFM. */
static uint32_t input_depth(const struct nna_ethosu_target *target,
			    const struct nna_ethosu_operation *op)
{
	if (op->code != ETHOSU_OP_CONV)
		return op->block.depth;
	if (op->window.part_kernel ||
	    (op->ifm.bytes == 2 && target->generation == NNA_ETHOSU_U65))
		return CONV_DEPTH_SHORT;
	return CONV_DEPTH;
}

static uint32_t allowed_by(const struct nna_ethosu_target *target,
			   const struct nna_ethosu_operation *before,
			   const struct nna_ethosu_operation *now,
			   const struct nna_ethosu_map *map, uint32_t most)
{
	const struct nna_ethosu_map *ofm = &before->ofm;
	const struct nna_ethosu_window *w = &now->window;
	const bool kernel = now->code != ETHOSU_OP_ELEMENTWISE;
	const struct blocks old = {
		{ ofm->height, ofm->width, ofm->depth },
		{ before->block.height, before->block.width, before->block.depth },
	};
	struct blocks fresh = {
		{ map->height, map->width, map->depth },
		{ now->block.height, now->block.width, input_depth(target, now) },
	};

	if (!share_bytes(map, ofm))
		return most;
	/* A part of it, or another view: nothing is known of its blocks. */
	if (!is_same(map, ofm) || (kernel && w->upscale))
		return 0;
	if (kernel) {
		fresh.steps[0] = (uint64_t)(now->block.height - 1) * w->stride_y +
				 dilated(w->height, w->dilation_y);
		fresh.steps[1] = (uint64_t)(now->block.width - 1) * w->stride_x +
				 dilated(w->width, w->dilation_x);
	}
	return highest(&old, &fresh, most);
}

uint32_t nna_ethosu_dependency(const struct nna_ethosu_target *target,
			       const struct nna_ethosu_operation *before,
			       const struct nna_ethosu_operation *now)
{
	const uint32_t most = target->generation == NNA_ETHOSU_U65 ? U65_MOST : U85_MOST;
	const struct nna_ethosu_map ifm = nna_ethosu_operation_ifm(now);
	uint32_t allowed = allowed_by(target, before, now, &ifm, most);

	if (now->code == ETHOSU_OP_ELEMENTWISE && now->ifm2.bytes && !now->scalar)
		allowed = allowed_by(target, before, now, &now->ifm2, allowed);
	return allowed;
}
