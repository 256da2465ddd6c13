// SPDX-License-Identifier: MIT
/*
 * KEYPOINT, by definition: there is no other kernel.
 *
 * Finds the highest element of each heat map. If its surroundings are curved, the keypoint is the
 * vertex of the paraboloid through that element and its eight neighbours, else the element itself.
 * The keypoint is then scaled to the box.
 */
#include "device/nna/engine/kernel.h"

#define TILE_ELEMENTS 32768u

/* The highest element of a map found so far. */
struct highest {
	uint32_t y, x;
	float score;
};

/**
 * struct map - a heat map: one channel of an image
 * @operand: the heat maps
 * @from: offset of the channel's first element, in elements
 * @height: rows
 * @width: columns
 */
struct map {
	const struct nnadev_engine_operand *operand;
	int64_t from;
	uint32_t height, width;
};

/* Return: an element; a position outside of the map is mirrored at the border. */
static float at(const struct map *map, int64_t y, int64_t x)
{
	y = y < 0 ? 1 : y >= map->height ? map->height - 2 : y;
	x = x < 0 ? 1 : x >= map->width ? map->width - 2 : x;
	return nnadev_load_value(map->operand, map->from + y * map->operand->desc.strides[1] +
						    x * map->operand->desc.strides[2]);
}

/* |x| */
static float size_of(float x)
{
	return x < 0 ? -x : x;
}

/*
 * Computes the vertex of the paraboloid through the surroundings of (y, x): its distance d (x, then
 * y) and its height. Return: false if the surroundings are flat.
 */
static bool peak(const struct map *map, int64_t y, int64_t x, float tolerance, float d[2],
		 float *score)
{
	const float g = at(map, y, x), left = at(map, y, x - 1), right = at(map, y, x + 1),
		    above = at(map, y - 1, x), below = at(map, y + 1, x);
	const float bx = (left - right) / 2, by = (above - below) / 2;
	const float axx = left - 2 * g + right, ayy = above - 2 * g + below;
	const float axy = (at(map, y + 1, x + 1) - at(map, y + 1, x - 1) - at(map, y - 1, x + 1) +
			   at(map, y - 1, x - 1)) /
			  4;
	const float product = axx * ayy, det = product - axy * axy;
	float longest;

	if (size_of(det) < tolerance + tolerance * product)
		return false;
	d[0] = (ayy * bx - axy * by) / det;
	d[1] = (axx * by - axy * bx) / det;
	longest = size_of(d[0]) < size_of(d[1]) ? size_of(d[1]) : size_of(d[0]);
	if (longest > 1.5f) {
		d[0] *= 1.5f / longest;
		d[1] *= 1.5f / longest;
	}
	*score = g - bx * d[0] - by * d[1] +
		 ((axx * d[0] + axy * d[1]) * d[0] + (axy * d[0] + ayy * d[1]) * d[1]) / 2;
	return true;
}

/*
 * Searches elements [begin, end) in row-major order for the highest one, the first of equal ones. A
 * NaN is never the highest.
 */
static void find_max(const struct map *map, uint32_t begin, uint32_t end, struct highest *h)
{
	uint32_t y = begin / map->width, x = begin % map->width;

	if (!begin)
		*h = (struct highest){ 0, 0, -__FLT_MAX__ };
	for (uint32_t i = begin; i < end; i++) {
		const float score = at(map, y, x);

		if (score > h->score)
			*h = (struct highest){ y, x, score };
		if (++x == map->width) {
			x = 0;
			y++;
		}
	}
}

static struct map get_map(const struct nnadev_engine_command *cmd, const uint32_t *index)
{
	const struct nnadev_engine_operand *heatmaps = &cmd->operands[NNAHW_KEYPOINT_HEATMAPS];
	const uint32_t *dims = heatmaps->desc.dims;

	return (struct map){ heatmaps,
			     nnadev_offset(&heatmaps->desc,
					   (uint32_t[4]){ index[0], 0, 0, index[1] }),
			     dims[1], dims[2] };
}

/* Stores the keypoint of a map whose highest element is found. */
static uint32_t keypoint_finish(const struct nnadev_engine_command *cmd, const struct map *map,
				uint32_t *index, const struct highest *h)
{
	const struct nnahw_cmd_keypoint *p = (const struct nnahw_cmd_keypoint *)cmd->raw;
	const struct nnadev_engine_operand *scores = &cmd->operands[NNAHW_KEYPOINT_SCORES],
					*keypoints = &cmd->operands[NNAHW_KEYPOINT_KEYPOINTS],
					*boxes = &cmd->operands[NNAHW_KEYPOINT_BOXES];
	float box[4], d[2] = { 0, 0 }, score = h->score;

	for (uint32_t k = 0; k < 4; k++)
		box[k] = nnadev_load_value(
			boxes, nnadev_offset(&boxes->desc, (uint32_t[2]){ index[0], k }));
	if (!(box[0] <= box[2] && box[1] <= box[3]))
		return NNAHW_STATUS_BAD_INDEX;
	peak(map, h->y, h->x, p->tolerance, d, &score);
	nnadev_store_value(scores, nnadev_offset(&scores->desc, index), score, INT32_MIN,
			   INT32_MAX);
	index[2] = 0;
	nnadev_store_value(keypoints, nnadev_offset(&keypoints->desc, index),
			   ((float)h->x + d[0] + 0.5f) / (float)map->width * (box[2] - box[0]) +
				   box[0],
			   INT32_MIN, INT32_MAX);
	index[2] = 1;
	nnadev_store_value(keypoints, nnadev_offset(&keypoints->desc, index),
			   ((float)h->y + d[1] + 0.5f) / (float)map->height * (box[3] - box[1]) +
				   box[1],
			   INT32_MIN, INT32_MAX);
	return NNAHW_STATUS_OK;
}

static uint32_t keypoint_tile(const struct nnadev_engine_command *cmd,
			      const struct nnadev_engine_plan *plan, uint32_t phase, uint32_t tile,
			      void *scratch, void *shared)
{
	const struct nnadev_engine_operand *scores = &cmd->operands[NNAHW_KEYPOINT_SCORES];
	const uint32_t *dims = cmd->operands[NNAHW_KEYPOINT_HEATMAPS].desc.dims,
		       size = dims[1] * dims[2];
	uint32_t index[3], begin, end, step, status = NNAHW_STATUS_OK;
	struct map map;

	if (plan->steps) { /* a map is more than a tile */
		struct highest *h = (struct highest *)shared + tile;

		if (!nnadev_step_get(plan, tile, scores->count, &begin, &step))
			return NNAHW_STATUS_OK;
		nnadev_unflatten(scores->desc.dims, 2, begin, index);
		map = get_map(cmd, index);
		begin = step * TILE_ELEMENTS;
		find_max(&map, begin, size - begin < TILE_ELEMENTS ? size : begin + TILE_ELEMENTS,
			 h);
		return step == plan->steps - 1 ? keypoint_finish(cmd, &map, index, h)
					       : NNAHW_STATUS_OK;
	}
	nnadev_tile_range(plan, tile, scores->count, &begin, &end);
	nnadev_unflatten(scores->desc.dims, 2, begin, index);
	for (uint32_t i = begin; i < end && status == NNAHW_STATUS_OK;
	     i++, nnadev_advance(scores->desc.dims, 2, index)) {
		struct highest h;

		map = get_map(cmd, index);
		find_max(&map, 0, size, &h);
		status = keypoint_finish(cmd, &map, index, &h);
	}
	return status;
}

static uint32_t keypoint_accepts(const struct nnadev_engine_command *cmd,
				 struct nnadev_engine_plan *plan)
{
	const struct nnadev_engine_operand *scores = &cmd->operands[NNAHW_KEYPOINT_SCORES];
	const uint32_t *dims = cmd->operands[NNAHW_KEYPOINT_HEATMAPS].desc.dims;

	if (cmd->operands[NNAHW_KEYPOINT_HEATMAPS].desc.rank != 4 ||
	    !nnadev_has_dims(&scores->desc, 2, (uint64_t[]){ dims[0], dims[3] }) ||
	    !nnadev_has_dims(&cmd->operands[NNAHW_KEYPOINT_KEYPOINTS].desc, 3,
			     (uint64_t[]){ dims[0], dims[3], 2 }) ||
	    !nnadev_has_dims(&cmd->operands[NNAHW_KEYPOINT_BOXES].desc, 2,
			     (uint64_t[]){ dims[0], 4 }) ||
	    dims[1] < 2 || dims[2] < 2 || (uint64_t)dims[1] * dims[2] > NNAHW_LIMIT_KEYPOINT_MAP)
		return NNAHW_STATUS_BAD_SHAPE;
	return NNAHW_STATUS_OK;
}

static void keypoint_plan(const struct nnadev_engine_command *cmd, uint32_t threads,
			  struct nnadev_engine_plan *plan)
{
	const uint32_t *dims = cmd->operands[NNAHW_KEYPOINT_HEATMAPS].desc.dims;
	const uint32_t count = cmd->operands[NNAHW_KEYPOINT_SCORES].count, size = dims[1] * dims[2];

	if (size > TILE_ELEMENTS)
		nnadev_cut_steps(plan, count, nnadev_div_up(size, TILE_ELEMENTS),
				 sizeof(struct highest));
	else
		nnadev_cut(plan, count, TILE_ELEMENTS / (size + 64));
}

NNADEV_KERNEL(keypoint) = { NNAHW_OP_KEYPOINT, NNADEV_ENGINE_SCALAR, keypoint_accepts,
			    keypoint_plan, keypoint_tile };
