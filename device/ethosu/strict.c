// SPDX-License-Identifier: MIT
#include "device/ethosu/strict.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "device/ethosu/block.h"
#include "hw/ethosu/opcode.h"

#define ALIGNED 16u
#define U65_DMAS 2u
#define U65_BLOCKDEP_MAX 3u
#define U85_BLOCKDEP_MAX 7u
#define U65_BLOCK_HEIGHT 32u
#define U65_BLOCK_WIDTH 64u
#define U65_BLOCK_DEPTH 128u
#define U85_BLOCK_HEIGHT 128u
#define U85_BLOCK_WIDTH 128u
#define U85_BLOCK_DEPTH 1024u
#define SET_IFM_IB_END 0x10d
#define SET_AB_START 0x12d
#define SET_IFM2_IB_START 0x18d
#define TABLES 2048u

static void report(struct ethosu_strict *strict, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static void report(struct ethosu_strict *strict, const char *format, ...)
{
	char line[224];
	va_list args;
	int n;

	if (strict->reports++ >= ETHOSU_STRICT_REPORTS)
		return;
	n = snprintf(line, sizeof(line), "strict: offset %u: ", strict->offset);
	va_start(args, format);
	vsnprintf(line + n, sizeof(line) - (size_t)n, format, args);
	va_end(args);
	strict->report(strict->owner, line);
}

void ethosu_strict_begin(struct ethosu_strict *strict, const struct ethosu_config *config)
{
	*strict = (struct ethosu_strict){
		.config = config,
		.report = strict->report,
		.owner = strict->owner,
	};
}

/* ---- bits that no field has ------------------------------------------------------------------ */

/**
 * struct field_mask - bits of a setting of one word that mean something
 */
struct field_mask {
	uint16_t opcode, u65, u85;
};

static const struct field_mask masks[] = {
	{ ETHOSU_SET_IFM_PAD_TOP, 0x7f, 0x7f },
	{ ETHOSU_SET_IFM_PAD_LEFT, 0x7f, 0x7f },
	{ ETHOSU_SET_IFM_PAD_RIGHT, 0xff, 0xff },
	{ ETHOSU_SET_IFM_PAD_BOTTOM, 0xff, 0xff },
	{ ETHOSU_SET_IFM_PRECISION, 0xc3cd, 0xc0cd },
	{ ETHOSU_SET_IFM_UPSCALE, 3, 3 },
	{ ETHOSU_SET_IFM_BROADCAST, 0, 0xf },
	{ ETHOSU_SET_IFM_REGION, 7, 7 },
	{ ETHOSU_SET_OFM_PRECISION, 0xc1c7, 0xffc7 },
	{ ETHOSU_SET_OFM_REGION, 7, 7 },
	{ ETHOSU_SET_KERNEL_STRIDE, 0x27f, 0x27f },
	{ ETHOSU_SET_PARALLEL_MODE, 1, 0 },
	{ ETHOSU_SET_ACC_FORMAT, 3, 0x773 },
	{ ETHOSU_SET_ACTIVATION, 0x701f, 0x10ff },
	{ ETHOSU_SET_WEIGHT_REGION, 7, 7 },
	{ ETHOSU_SET_SCALE_REGION, 7, 7 },
	{ ETHOSU_SET_WEIGHT_FORMAT, 0, 0x11 },
	{ ETHOSU_SET_BLOCKDEP, U65_BLOCKDEP_MAX, U85_BLOCKDEP_MAX },
	{ ETHOSU_SET_DMA_SOURCE_REGION, 0x707, 0xf07 },
	{ ETHOSU_SET_DMA_TARGET_REGION, 0x707, 0xf07 },
	{ ETHOSU_SET_DMA_INDEX_REGION, 0, 7 },
	{ ETHOSU_SET_IFM2_BROADCAST, 0xc7, 0xf },
	{ ETHOSU_SET_IFM2_PRECISION, 0xcd, 0xc0cd },
	{ ETHOSU_SET_IFM2_REGION, 7, 7 },
};

static void check_bits(struct ethosu_strict *strict, const struct ethosu_command *command)
{
	bool u65 = strict->config->generation == ETHOSU_U65;

	for (size_t i = 0; i < sizeof(masks) / sizeof(masks[0]); i++) {
		uint16_t mask = u65 ? masks[i].u65 : masks[i].u85;

		if (masks[i].opcode == command->opcode && command->parameter & ~mask)
			report(strict, "setting 0x%03x is 0x%04x, of which 0x%04x is no field's",
			       command->opcode, command->parameter, command->parameter & ~mask);
	}
}

/* ---- what is under way ----------------------------------------------------------------------- */

/* Keep the newest @left. */
static void wait_for(struct ethosu_accesses *items, uint32_t *count, uint32_t left)
{
	if (*count <= left)
		return;
	memmove(items, items + (*count - left), left * sizeof(*items));
	*count = left;
}

static void push(struct ethosu_accesses *items, uint32_t *count, uint32_t most,
		 const struct ethosu_accesses *item)
{
	wait_for(items, count, most - 1);
	items[(*count)++] = *item;
}

static bool conflict(const struct ethosu_accesses *a, const struct ethosu_accesses *b)
{
	for (uint32_t i = 0; i < a->count; i++)
		for (uint32_t k = 0; k < b->count; k++)
			if ((a->items[i].write || b->items[k].write) &&
			    a->items[i].internal == b->items[k].internal &&
			    a->items[i].first <= b->items[k].last &&
			    b->items[k].first <= a->items[i].last)
				return true;
	return false;
}

static void touch(struct ethosu_accesses *to, uint64_t first, uint64_t last, bool write,
		  bool internal)
{
	if (to->count < ETHOSU_STRICT_RANGES && last >= first)
		to->items[to->count++] = (struct ethosu_access){ first, last, write, internal };
}

void ethosu_strict_command(struct ethosu_strict *strict, const struct ethosu_state *state,
			   const struct ethosu_command *command, uint32_t offset)
{
	strict->offset = offset;
	if (command->sets && command->words == 1 && command->opcode - 0x100u < ETHOSU_SHORT_CODES) {
		strict->shorts[command->opcode - 0x100] = true;
		check_bits(strict, command);
	} else if (command->sets && command->words == 2 && command->opcode < ETHOSU_LONG_CODES) {
		strict->longs[command->opcode] = true;
	} else if (!command->sets && command->words == 1) {
		if (command->opcode == ETHOSU_OP_DMA_WAIT)
			wait_for(strict->dmas, &strict->dma_count, command->parameter & 0xf);
		else if (command->opcode == ETHOSU_OP_KERNEL_WAIT)
			wait_for(strict->kernels, &strict->kernel_count, command->parameter & 0xf);
	}
}

/* ---- kernels --------------------------------------------------------------------------------- */

static bool is_in_memory(const struct ethosu_feature_map *map)
{
	return map->storage <= ETHOSU_IN_COLUMN;
}

/* Bytes of a part of a tile, of @height rows and @width columns from its base on. */
static void touch_tile(struct ethosu_accesses *to, const struct ethosu_feature_map *map,
		       uint32_t tile, uint32_t height, uint32_t width, bool write)
{
	int64_t spans[3], low = 0, high = 0;

	if (!height || !width)
		return;
	spans[0] = (int64_t)(height - 1) * map->stride_y;
	spans[1] = (int64_t)(width - 1) * (map->brick ? 16 * map->bytes : map->stride_x);
	spans[2] = map->brick ? (int64_t)((map->depth - 1) / 16) * map->stride_c : 0;
	for (uint32_t i = 0; i < 3; i++) {
		low += spans[i] < 0 ? spans[i] : 0;
		high += spans[i] > 0 ? spans[i] : 0;
	}
	high += (int64_t)(map->brick && map->depth > 16 ? 16 : map->depth) * map->bytes - 1;
	touch(to, map->base[tile] + (uint64_t)low, map->base[tile] + (uint64_t)high, write, false);
}

static uint32_t least(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

static void touch_map(struct ethosu_accesses *to, const struct ethosu_feature_map *map, bool write)
{
	uint32_t width, height0, height1;

	if (!is_in_memory(map) || !map->height || !map->width)
		return;
	width = least(map->width, map->width0);
	height0 = least(map->height, map->height0);
	height1 = least(map->height, map->height1);
	touch_tile(to, map, 0, height0, width, write);
	if (map->storage == ETHOSU_IN_COLUMN) {
		height1 = least(map->height - height0, map->height1);
		touch_tile(to, map, 1, height1, width, write);
		touch_tile(to, map, 2, map->height - height0 - height1, width, write);
		return;
	}
	touch_tile(to, map, 1, height1, map->width - width, write);
	touch_tile(to, map, 2, map->height - height0, width, write);
	touch_tile(to, map, 3, map->height - height1, map->width - width, write);
}

static bool has_weights(const struct ethosu_operation *op)
{
	return op->code == ETHOSU_OP_DEPTHWISE || (op->code == ETHOSU_OP_CONV && !(op->mode & 1));
}

/* ABS, LRELU, CLZ and NOT have one operand. */
static bool has_ifm2(const struct ethosu_operation *op)
{
	if (op->code == ETHOSU_OP_ELEMENTWISE)
		return !op->scalar2 && !(op->mode >= 5 && op->mode <= 7) && op->mode != 36;
	return (op->code == ETHOSU_OP_CONV && op->mode & 1) ||
	       op->accumulators == ETHOSU_ACC_IFM2;
}

static bool has_ifm(const struct ethosu_operation *op)
{
	return !(op->code == ETHOSU_OP_ELEMENTWISE && op->scalar) &&
	       !(op->code == ETHOSU_OP_POOL && op->accumulators == ETHOSU_ACC_IFM2);
}

static bool has_scales(const struct ethosu_operation *op)
{
	return op->code != ETHOSU_OP_ELEMENTWISE && op->code != ETHOSU_OP_RESIZE &&
	       !op->global_scale;
}

/* The OFM as it lies in memory: transposed. */
static struct ethosu_feature_map lying(const struct ethosu_operation *op)
{
	static const uint8_t orders[8][3] = {
		{ 0, 1, 2 }, { 1, 0, 2 }, { 0, 2, 1 }, { 1, 2, 0 },
		{ 0, 1, 2 }, { 0, 1, 2 }, { 2, 0, 1 }, { 2, 1, 0 },
	};
	struct ethosu_feature_map map = op->ofm;
	const uint32_t dims[3] = { op->ofm.height, op->ofm.width, op->ofm.depth };

	map.height = dims[orders[op->transpose][0]];
	map.width = dims[orders[op->transpose][1]];
	map.depth = dims[orders[op->transpose][2]];
	return map;
}

static void touch_kernel(struct ethosu_strict *strict, struct ethosu_accesses *to,
			 const struct ethosu_operation *op)
{
	struct ethosu_feature_map ofm = lying(op);
	bool table = strict->config->generation == ETHOSU_U65
			     ? op->activation >= 16
			     : op->activation != 0;

	to->offset = strict->offset;
	if (has_ifm(op))
		touch_map(to, &op->ifm, false);
	if (has_ifm2(op))
		touch_map(to, &op->ifm2, false);
	touch_map(to, &ofm, true);
	for (uint32_t i = 0; i < ETHOSU_WEIGHT_STREAMS && has_weights(op); i++)
		if (op->weights[i].size)
			touch(to, op->weights[i].address,
			      op->weights[i].address + op->weights[i].size - 1, false, false);
	for (uint32_t i = 0; i < 2 && has_scales(op); i++)
		if (op->scales[i].size)
			touch(to, op->scales[i].address,
			      op->scales[i].address + op->scales[i].size - 1, false, false);
	if (table)
		touch(to, strict->config->lut, strict->config->lut + TABLES - 1, false, true);
}

static void check_map(struct ethosu_strict *strict, const struct ethosu_feature_map *map,
		      const char *name)
{
	if (!is_in_memory(map))
		return;
	if (map->brick && (map->base[0] % ALIGNED || map->stride_y % ALIGNED ||
			   map->stride_c % ALIGNED))
		report(strict, "%s: bricks need a base and strides that are multiples of 16: "
			       "0x%llx, y %lld, c %lld",
		       name, (unsigned long long)map->base[0], (long long)map->stride_y,
		       (long long)map->stride_c);
	else if (map->base[0] % map->bytes || map->stride_y % map->bytes ||
		 (!map->brick && map->stride_x % map->bytes))
		report(strict, "%s: its base and strides are no multiples of an element of %u "
			       "bytes",
		       name, map->bytes);
}

static void check_alignment(struct ethosu_strict *strict, const struct ethosu_operation *op)
{
	if (has_ifm(op))
		check_map(strict, &op->ifm, "IFM");
	if (has_ifm2(op))
		check_map(strict, &op->ifm2, "IFM2");
	check_map(strict, &op->ofm, "OFM");
	for (uint32_t i = 0; i < ETHOSU_WEIGHT_STREAMS && has_weights(op); i++)
		if (op->weights[i].size &&
		    (op->weights[i].address % ALIGNED || op->weights[i].size % ALIGNED))
			report(strict, "weights %u: address and length must be multiples of 16", i);
	for (uint32_t i = 0; i < 2 && has_scales(op); i++)
		if (op->scales[i].address % ALIGNED || op->scales[i].size % ALIGNED)
			report(strict, "scales %u: address and length must be multiples of 16", i);
}

static void need_short(struct ethosu_strict *strict, uint32_t opcode)
{
	if (!strict->shorts[opcode - 0x100])
		report(strict, "the operation takes setting 0x%03x, which was never made", opcode);
}

static void need_long(struct ethosu_strict *strict, uint32_t opcode)
{
	if (!strict->longs[opcode])
		report(strict, "the operation takes setting 0x%02x of two words, which was never "
			       "made",
		       opcode);
}

static void check_settings(struct ethosu_strict *strict, const struct ethosu_operation *op)
{
	static const uint16_t always[] = { ETHOSU_SET_OFM_WIDTH,	 ETHOSU_SET_OFM_HEIGHT,
					   ETHOSU_SET_OFM_DEPTH,	 ETHOSU_SET_OFM_PRECISION,
					   ETHOSU_SET_OFM_BLOCK_WIDTH, ETHOSU_SET_OFM_BLOCK_HEIGHT,
					   ETHOSU_SET_OFM_BLOCK_DEPTH, ETHOSU_SET_OFM_ZERO_POINT,
					   ETHOSU_SET_IFM_PRECISION,   ETHOSU_SET_ACTIVATION,
					   ETHOSU_SET_ACTIVATION_MIN,  ETHOSU_SET_ACTIVATION_MAX,
					   ETHOSU_SET_ACC_FORMAT };
	static const uint16_t kernel[] = { ETHOSU_SET_KERNEL_WIDTH,   ETHOSU_SET_KERNEL_HEIGHT,
					   ETHOSU_SET_KERNEL_STRIDE,  ETHOSU_SET_IFM_PAD_TOP,
					   ETHOSU_SET_IFM_PAD_LEFT,   ETHOSU_SET_IFM_PAD_RIGHT,
					   ETHOSU_SET_IFM_PAD_BOTTOM, ETHOSU_SET_IFM_DEPTH };

	for (size_t i = 0; i < sizeof(always) / sizeof(always[0]); i++)
		need_short(strict, always[i]);
	for (size_t i = 0; i < sizeof(kernel) / sizeof(kernel[0]) &&
			   op->code != ETHOSU_OP_ELEMENTWISE && op->code != ETHOSU_OP_RESIZE;
	     i++)
		need_short(strict, kernel[i]);
	if (is_in_memory(&op->ofm)) {
		need_short(strict, ETHOSU_SET_OFM_REGION);
		need_long(strict, ETHOSU_SET_OFM_BASE0);
		need_long(strict, ETHOSU_SET_OFM_STRIDE_Y);
	}
	if (has_ifm(op) && is_in_memory(&op->ifm)) {
		need_short(strict, ETHOSU_SET_IFM_REGION);
		need_long(strict, ETHOSU_SET_IFM_BASE0);
		need_long(strict, ETHOSU_SET_IFM_STRIDE_Y);
	}
	if (has_ifm2(op) && is_in_memory(&op->ifm2)) {
		need_short(strict, ETHOSU_SET_IFM2_REGION);
		need_long(strict, ETHOSU_SET_IFM2_BASE0);
		need_long(strict, ETHOSU_SET_IFM2_STRIDE_Y);
	}
	if (has_weights(op)) {
		need_short(strict, ETHOSU_SET_WEIGHT_REGION);
		need_long(strict, ETHOSU_SET_WEIGHT_BASE);
		need_long(strict, ETHOSU_SET_WEIGHT_LENGTH);
	}
	if (has_scales(op)) {
		need_short(strict, ETHOSU_SET_SCALE_REGION);
		need_long(strict, ETHOSU_SET_SCALE_BASE);
		need_long(strict, ETHOSU_SET_SCALE_LENGTH);
	}
}

/* Bits of an accumulator. */
static uint32_t sum_bits(const struct ethosu_strict *strict, const struct ethosu_state *state,
			 const struct ethosu_operation *op)
{
	if (strict->config->generation == ETHOSU_U85)
		return op->wide ? 64 : 32;
	switch (ethosu_state_short(state, ETHOSU_SET_ACC_FORMAT) & 3) {
	case 1:
		return 40;
	case 2:
		return 16;
	default:
		return 32;
	}
}

/* Reports a block that does not fit into its parts of the SHRAM; see block.h. */
static void check_shram(struct ethosu_strict *strict, const struct ethosu_state *state,
			const struct ethosu_operation *op)
{
	struct ethosu_block_needs needs =
		ethosu_block_needs(strict->config, op, sum_bits(strict, state, op));
	uint64_t ifm = ethosu_block_banks(needs.ifm), sums = ethosu_block_banks(needs.sums);
	uint32_t end = ethosu_state_short(state, SET_IFM_IB_END);
	uint32_t sums_at = ethosu_state_short(state, SET_AB_START);
	uint32_t ifm2_at = ethosu_state_short(state, SET_IFM2_IB_START);
	uint32_t tables = strict->config->internal / ETHOSU_BANK - ETHOSU_TABLE_BANKS;
	bool both = op->code == ETHOSU_OP_ELEMENTWISE && has_ifm(op) && has_ifm2(op);

	need_short(strict, SET_IFM_IB_END);
	need_short(strict, SET_AB_START);
	if (both)
		need_short(strict, SET_IFM2_IB_START);
	if (ETHOSU_OUTPUT_BANKS + ifm > (both ? ifm2_at : end))
		report(strict, "blocks of the IFM take %llu banks of SHRAM from bank %u on, and "
			       "have those up to %u",
		       (unsigned long long)ifm, ETHOSU_OUTPUT_BANKS, both ? ifm2_at : end);
	if (both && ifm2_at + ifm > end)
		report(strict, "blocks of IFM2 take %llu banks of SHRAM from bank %u on, and have "
			       "those up to %u",
		       (unsigned long long)ifm, ifm2_at, end);
	if (sums && sums_at + sums > tables)
		report(strict, "accumulators take %llu banks of SHRAM from bank %u on, and have "
			       "those up to %u",
		       (unsigned long long)sums, sums_at, tables);
	if (end > sums_at || sums_at > tables)
		report(strict, "the IFM's banks of SHRAM end at %u, accumulators begin at %u, "
			       "tables at %u",
		       end, sums_at, tables);
}

/* The same of the two memories of a U85. */
static void check_memories(struct ethosu_strict *strict, const struct ethosu_state *state,
			   const struct ethosu_operation *op)
{
	struct ethosu_block_needs needs =
		ethosu_block_needs(strict->config, op, sum_bits(strict, state, op));
	struct ethosu_block_needs have = ethosu_block_memory(strict->config);

	if (!needs.sums)
		return;
	if (needs.sums > have.sums)
		report(strict, "accumulators of an OFM block of %ux%ux%u take %llu bytes, of %llu",
		       op->block_height, op->block_width, op->block_depth,
		       (unsigned long long)needs.sums, (unsigned long long)have.sums);
	if (has_ifm(op) && needs.ifm > have.ifm)
		report(strict, "the IFM of an OFM block of %ux%ux%u takes %llu bytes, of %llu",
		       op->block_height, op->block_width, op->block_depth,
		       (unsigned long long)needs.ifm, (unsigned long long)have.ifm);
}

static void check_block(struct ethosu_strict *strict, const struct ethosu_state *state,
			const struct ethosu_operation *op)
{
	bool u65 = strict->config->generation == ETHOSU_U65;
	uint32_t height = u65 ? U65_BLOCK_HEIGHT : U85_BLOCK_HEIGHT;
	uint32_t width = u65 ? U65_BLOCK_WIDTH : U85_BLOCK_WIDTH;
	uint32_t depth = u65 ? U65_BLOCK_DEPTH : U85_BLOCK_DEPTH;

	if (op->block_height > height || op->block_width > width || op->block_depth > depth)
		report(strict, "an OFM block of %ux%ux%u is larger than %ux%ux%u",
		       op->block_height, op->block_width, op->block_depth, height, width, depth);
	else if (u65)
		check_shram(strict, state, op);
	else
		check_memories(strict, state, op);
}

/* ---- block dependencies ---------------------------------------------------------------------- */

/**
 * struct jobs - an area that is cut into blocks: by row, column, then channel
 */
struct jobs {
	uint32_t height, width, depth;
	uint32_t block_height, block_width, block_depth;
};

static uint64_t ceiling(uint64_t a, uint64_t b)
{
	return (a + b - 1) / b;
}

static uint64_t job_count(const struct jobs *j)
{
	return ceiling(j->height, j->block_height) * ceiling(j->width, j->block_width) *
	       ceiling(j->depth, j->block_depth);
}

/* Corners of block @n: first and end of rows, columns, channels. */
static void job_box(const struct jobs *j, uint64_t n, uint64_t box[3][2])
{
	uint64_t deep = ceiling(j->depth, j->block_depth), wide = ceiling(j->width, j->block_width);
	const uint64_t first[3] = { n / (deep * wide) * j->block_height,
				    n / deep % wide * j->block_width, n % deep * j->block_depth };
	const uint64_t steps[3] = { j->block_height, j->block_width, j->block_depth };
	const uint64_t sizes[3] = { j->height, j->width, j->depth };

	for (uint32_t i = 0; i < 3; i++) {
		box[i][0] = first[i];
		box[i][1] = first[i] + steps[i] < sizes[i] ? first[i] + steps[i] : sizes[i];
	}
}

static bool overlap(const struct jobs *a, uint64_t n, const struct jobs *b, uint64_t m)
{
	uint64_t x[3][2], y[3][2];

	job_box(a, n, x);
	job_box(b, m, y);
	for (uint32_t i = 0; i < 3; i++)
		if (x[i][0] >= y[i][1] || y[i][0] >= x[i][1])
			return false;
	return true;
}

/* The highest BLOCKDEP, where @now reads what @before has written. */
static uint32_t highest(const struct jobs *before, const struct jobs *now, uint32_t most)
{
	uint64_t old = job_count(before), fresh = job_count(now);
	uint32_t limit = most;

	limit = old < limit ? (uint32_t)old : limit;
	limit = fresh < limit ? (uint32_t)fresh : limit;
	for (uint32_t depth = 0; depth < limit; depth++)
		for (uint32_t i = 0; i <= depth; i++)
			if (overlap(now, i, before, old - 1 - (depth - i)))
				return depth;
	return limit;
}

static bool same_place(const struct ethosu_feature_map *a, const struct ethosu_feature_map *b)
{
	return a->base[0] == b->base[0] && a->height == b->height && a->width == b->width &&
	       a->depth == b->depth && a->stride_y == b->stride_y && a->brick == b->brick &&
	       a->bytes == b->bytes;
}

/* Whether rows of both follow each other alike, so that they may be parts of one buffer. */
static bool same_rows(const struct ethosu_feature_map *a, const struct ethosu_feature_map *b)
{
	return a->stride_y == b->stride_y && a->brick == b->brick && a->bytes == b->bytes;
}

/* The highest BLOCKDEP that the input @map allows, if that is known; else @most. */
static uint32_t allowed_by(const struct ethosu_strict *strict, const struct ethosu_operation *op,
			   const struct ethosu_feature_map *map, uint32_t most)
{
	const struct ethosu_operation *last = &strict->last;
	const struct ethosu_window *w = &op->window;
	struct ethosu_accesses written = { .count = 0 }, read = { .count = 0 };
	bool plain = op->code != ETHOSU_OP_ELEMENTWISE;
	uint32_t down = plain ? w->stride_y : 1, along = plain ? w->stride_x : 1;
	uint32_t tall = plain ? (w->height - 1) * w->dilation_y + 1 : 1;
	uint32_t broad = plain ? (w->width - 1) * w->dilation_x + 1 : 1;
	struct jobs before = { last->ofm.height,   last->ofm.width,   last->ofm.depth,
			       last->block_height, last->block_width, last->block_depth };
	struct jobs fresh = { map->height,
			      map->width,
			      map->depth,
			      (op->block_height - 1) * down + tall,
			      (op->block_width - 1) * along + broad,
			      op->code == ETHOSU_OP_CONV
				      ? ethosu_block_ifm_depth(strict->config, op)
				      : op->block_depth };

	touch_map(&written, &last->ofm, true);
	touch_map(&read, map, false);
	if (!conflict(&written, &read))
		return most;
	if (last->transpose || last->reverse || !same_rows(map, &last->ofm))
		return 0;
	if (!same_place(map, &last->ofm) || op->code == ETHOSU_OP_RESIZE ||
	    (plain && w->upscale))
		return most;
	return highest(&before, &fresh, most);
}

static void check_blockdep(struct ethosu_strict *strict, const struct ethosu_state *state,
			   const struct ethosu_operation *op)
{
	uint32_t blockdep = ethosu_state_short(state, ETHOSU_SET_BLOCKDEP);
	uint32_t most = strict->config->generation == ETHOSU_U65 ? U65_BLOCKDEP_MAX
								 : U85_BLOCKDEP_MAX;
	uint32_t allowed = most, also;

	if (!blockdep || !strict->has_last || !is_in_memory(&strict->last.ofm))
		return;
	if (has_ifm(op))
		allowed = allowed_by(strict, op, &op->ifm, most);
	if (has_ifm2(op)) {
		also = allowed_by(strict, op, &op->ifm2, most);
		allowed = also < allowed ? also : allowed;
	}
	if (blockdep > allowed)
		report(strict, "BLOCKDEP is %u, but the blocks of this operation and of the one "
			       "before allow %u",
		       blockdep, allowed);
}

void ethosu_strict_kernel(struct ethosu_strict *strict, const struct ethosu_state *state,
			  const struct ethosu_operation *op)
{
	struct ethosu_accesses now = { .count = 0 };

	touch_kernel(strict, &now, op);
	check_settings(strict, op);
	check_alignment(strict, op);
	check_block(strict, state, op);
	for (uint32_t i = 0; i < strict->dma_count; i++)
		if (conflict(&strict->dmas[i], &now))
			report(strict, "no DMA_WAIT orders it after the DMA at offset %u, whose "
				       "bytes it uses",
			       strict->dmas[i].offset);
	check_blockdep(strict, state, op);
	push(strict->kernels, &strict->kernel_count, ETHOSU_STRICT_KERNELS, &now);
	strict->last = *op;
	strict->has_last = true;
}

/* ---- DMA ------------------------------------------------------------------------------------- */

static void touch_side(const struct ethosu_state *state, const uint64_t *regions,
		       struct ethosu_accesses *to, uint32_t region, uint32_t address, bool write)
{
	uint32_t word = ethosu_state_short(state, region);
	uint64_t length = ethosu_state_address(state, ETHOSU_SET_DMA_LENGTH);
	uint64_t first = ethosu_state_address(state, address);
	bool internal = word >> 8 & 1;

	/* Copies of more than one dimension are left out. */
	if (!length || ethosu_state_short(state, ETHOSU_SET_DMA_SOURCE_REGION) >> 9 & 3)
		return;
	if (!internal)
		first += regions[word & (ETHOSU_REGIONS - 1)];
	touch(to, first, first + length - 1, write, internal);
}

void ethosu_strict_dma(struct ethosu_strict *strict, const struct ethosu_state *state,
		       const uint64_t regions[ETHOSU_REGIONS])
{
	struct ethosu_accesses now = { .offset = strict->offset };
	uint32_t most = strict->config->generation == ETHOSU_U65 ? U65_DMAS : ETHOSU_STRICT_DMAS;

	need_short(strict, ETHOSU_SET_DMA_SOURCE_REGION);
	need_short(strict, ETHOSU_SET_DMA_TARGET_REGION);
	need_long(strict, ETHOSU_SET_DMA_SOURCE);
	need_long(strict, ETHOSU_SET_DMA_TARGET);
	need_long(strict, ETHOSU_SET_DMA_LENGTH);
	touch_side(state, regions, &now, ETHOSU_SET_DMA_SOURCE_REGION, ETHOSU_SET_DMA_SOURCE,
		   false);
	touch_side(state, regions, &now, ETHOSU_SET_DMA_TARGET_REGION, ETHOSU_SET_DMA_TARGET,
		   true);
	for (uint32_t i = 0; i < strict->kernel_count; i++)
		if (conflict(&strict->kernels[i], &now))
			report(strict, "no KERNEL_WAIT orders the DMA after the operation at "
				       "offset %u, whose bytes it uses",
			       strict->kernels[i].offset);
	push(strict->dmas, &strict->dma_count, most, &now);
}
