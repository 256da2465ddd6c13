// SPDX-License-Identifier: MIT
#include "device/ethosu/block.h"

#include "hw/ethosu/opcode.h"

#define SUBKERNEL 8u /* rows and columns of a kernel that are done at a time */
#define SUM_POOL 2u  /* the pool that adds channels */

static uint64_t round_up(uint64_t n, uint64_t to)
{
	return (n + to - 1) / to * to;
}

static uint32_t least(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

/* Whether a channel of the OFM depends on one channel of the IFM alone. */
static bool is_by_channel(const struct ethosu_operation *op)
{
	return op->code != ETHOSU_OP_CONV && !(op->code == ETHOSU_OP_POOL && op->mode == SUM_POOL);
}

uint32_t ethosu_block_ifm_depth(const struct ethosu_config *config,
				const struct ethosu_operation *op)
{
	if (is_by_channel(op))
		return op->block_depth;
	if (op->part_kernel || (op->ifm.bytes == 2 && config->generation == ETHOSU_U65))
		return 16;
	/* Of a U85, the least that there is. */
	return 32;
}

/* Rows or columns of the IFM that @n of the OFM need. */
static uint64_t needed(uint32_t n, uint32_t stride, uint32_t kernel, uint32_t dilation,
		       uint32_t upscale)
{
	uint64_t taps = least((kernel - 1) * dilation + 1, SUBKERNEL);
	uint64_t seen = (uint64_t)(n - 1) * stride + taps + (upscale == 1);

	return upscale ? (seen + 1) / 2 : seen;
}

/* Bytes of a block of an input. */
static uint64_t input(const struct ethosu_config *config, const struct ethosu_operation *op,
		      const struct ethosu_feature_map *map)
{
	const struct ethosu_window *w = &op->window;
	bool kernel = op->code != ETHOSU_OP_ELEMENTWISE;
	uint64_t height = kernel ? needed(op->block_height, w->stride_y, w->height, w->dilation_y,
					  w->upscale)
				 : op->block_height;
	uint64_t width = kernel ? needed(op->block_width, w->stride_x, w->width, w->dilation_x,
					 w->upscale)
				: op->block_width;
	uint64_t depth = ethosu_block_ifm_depth(config, op);
	uint64_t whole = (uint64_t)map->height * map->width * map->depth * map->bytes, bytes;

	if (config->generation == ETHOSU_U65) {
		if (!is_by_channel(op) && depth > round_up(map->depth, 8))
			depth = round_up(map->depth, 8);
		return round_up(height, 2) * round_up(width, 2) * round_up(depth * map->bytes, 8);
	}
	/* A map that is smaller than a block takes no more than it has. */
	bytes = height * width * depth * map->bytes;
	return bytes < whole ? bytes : whole;
}

struct ethosu_block_needs ethosu_block_needs(const struct ethosu_config *config,
					     const struct ethosu_operation *op, uint32_t sum_bits)
{
	struct ethosu_block_needs needs = { .ifm = input(config, op, &op->ifm) };
	uint64_t rows = op->block_height, channels = op->block_depth;

	if (op->code != ETHOSU_OP_CONV && op->code != ETHOSU_OP_DEPTHWISE &&
	    op->code != ETHOSU_OP_POOL)
		return needs;
	/* Of a single row, which no kernel spans, a block has one. */
	if (op->ofm.height == 1 && op->window.height == 1)
		rows = 1;
	if (config->generation == ETHOSU_U65)
		channels = round_up(channels, 8);
	needs.sums = rows * op->block_width * channels * sum_bits / 8;
	return needs;
}

uint64_t ethosu_block_banks(uint64_t bytes)
{
	return 2 * ((bytes + ETHOSU_BANK - 1) / ETHOSU_BANK);
}

struct ethosu_block_needs ethosu_block_memory(const struct ethosu_config *config)
{
	static const struct {
		uint32_t macs, ifm, sums;
	} memories[] = {
		{ 128, 8192, 8192 },	{ 256, 16384, 16384 },	 { 512, 16384, 32768 },
		{ 1024, 16384, 65536 }, { 2048, 32768, 131072 },
	};

	for (uint32_t i = 0; i < sizeof(memories) / sizeof(memories[0]); i++)
		if (memories[i].macs == config->macs)
			return (struct ethosu_block_needs){ memories[i].ifm, memories[i].sums };
	return (struct ethosu_block_needs){ 0 };
}
