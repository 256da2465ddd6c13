// SPDX-License-Identifier: MIT
#include "device/ethosu/order.h"

#include "hw/ethosu/opcode.h"

#define DECOMPOSED 8u	 /* rows and columns of a part of a kernel, dilated */
#define U65_MICRO 8u	 /* depth of microblocks */
#define U85_GROUP 4u	 /* OFM channels that go to one decoder */
#define U85_IFM_STEP 8u	 /* IFM channels of a step */
#define VALUES_BETWEEN (1u << 20) /* between two questions whether to go on */

/**
 * struct walk - a walk over the weights of one stream
 * @op: the operation
 * @weights: where they go; NULL to count only
 * @stream: where they come from
 * @count: values walked over
 * @limit: of a count
 * @ask: whether to go on
 * @told: values of which it knows
 * @ended: it has said no
 * @depthwise: the operation is
 * @ifm_depth: IFM channels of a weight: 1 if depthwise
 */
struct walk {
	const struct ethosu_operation *op;
	int16_t *weights;
	struct ethosu_stream_values *stream;
	uint64_t count;
	uint64_t limit;
	const struct ethosu_ask *ask;
	uint64_t told;
	bool ended;
	bool depthwise;
	uint32_t ifm_depth;
};

static int16_t next(struct walk *walk)
{
	struct ethosu_stream_values *s = walk->stream;

	return s->at < s->count ? s->values[s->at++] : 0;
}

/* @n values that are not weights. */
static void skip(struct walk *walk, uint64_t n)
{
	walk->count += n;
	if (walk->weights)
		walk->stream->at += n;
}

/* The weight of OFM channel @o and IFM channel @i at (@y, @x), if there is one. */
static void place(struct walk *walk, uint32_t o, uint32_t y, uint32_t x, uint32_t i, bool inside)
{
	const struct ethosu_operation *op = walk->op;
	int16_t value;

	walk->count++;
	if (!walk->weights)
		return;
	value = next(walk);
	if (!inside || o >= op->ofm.depth || i >= walk->ifm_depth)
		return;
	if (walk->depthwise)
		walk->weights[((uint64_t)y * op->window.width + x) * op->ofm.depth + o] = value;
	else
		walk->weights[(((uint64_t)o * op->window.height + y) * op->window.width + x) *
				      walk->ifm_depth +
			      i] = value;
}

static uint32_t least(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

static uint32_t round_to(uint32_t n, uint32_t to)
{
	return (n + to - 1) / to * to;
}

static bool is_over(struct walk *walk)
{
	if (walk->ask && walk->count - walk->told > VALUES_BETWEEN) {
		walk->told = walk->count;
		walk->ended |= !walk->ask->go_on(walk->ask->context);
	}
	return walk->ended || walk->count > walk->limit;
}

/* ---- U65 ------------------------------------------------------------------------------------- */

/**
 * struct part - a part of a kernel
 * @y: first row
 * @x: first column
 * @height: rows
 * @width: columns
 */
struct part {
	uint32_t y;
	uint32_t x;
	uint32_t height;
	uint32_t width;
};

/**
 * struct u65 - what the order of a U65 depends on
 * @cores: streams
 * @core: this one. Channels are dealt out to the cores, one by one.
 * @depth: OFM channels of this core
 * @block: OFM channels of a block
 * @ifm_block: IFM channels of a block
 * @round: elements of a part are rounded up to a multiple of it
 */
struct u65 {
	uint32_t cores;
	uint32_t core;
	uint32_t depth;
	uint32_t block;
	uint32_t ifm_block;
	uint32_t round;
};

/* One element of the kernel for one microblock of OFM channels and one of IFM channels. */
static void u65_element(struct walk *walk, const struct u65 *u, const struct part *part,
			uint32_t element, uint32_t o, uint32_t i)
{
	uint32_t y = element / part->width, x = element % part->width;
	uint32_t deep = walk->depthwise ? 1 : U65_MICRO;

	for (uint32_t oz = 0; oz < U65_MICRO; oz++) {
		bool inside = y < part->height && o + oz < u->depth;

		for (uint32_t iz = 0; iz < deep; iz++)
			place(walk, (o + oz) * u->cores + u->core, part->y + y, part->x + x, i + iz,
			      inside);
	}
}

static void u65_part(struct walk *walk, const struct u65 *u, const struct part *part, uint32_t o,
		     uint32_t i)
{
	uint32_t elements = round_to(part->height * part->width, u->round);
	uint32_t depth = least(u->block, u->depth - o);
	bool kernel_first = walk->op->part_kernel && !walk->depthwise;
	uint32_t ifm_depth = walk->depthwise ? U65_MICRO : u->ifm_block;
	uint32_t outer, inner;

	if (kernel_first)
		ifm_depth = least(ifm_depth, walk->ifm_depth - i);
	outer = kernel_first ? ifm_depth : 1;
	inner = kernel_first ? 1 : ifm_depth;
	for (uint32_t io = 0; io < outer; io += U65_MICRO)
		for (uint32_t oz = 0; oz < depth && !is_over(walk); oz += U65_MICRO)
			for (uint32_t e = 0; e < elements; e++)
				for (uint32_t ii = 0; ii < inner; ii += U65_MICRO)
					u65_element(walk, u, part, e, o + oz, i + io + ii);
}

static void walk_u65(struct walk *walk, const struct ethosu_config *config, uint32_t stream)
{
	const struct ethosu_window *w = &walk->op->window;
	bool half = walk->op->ifm.bytes == 2;
	struct u65 u = {
		.cores = config->streams,
		.core = stream,
		.depth = (walk->op->ofm.depth + config->streams - 1 - stream) / config->streams,
		.block = (walk->op->block_depth + config->streams - 1 - stream) / config->streams,
		.ifm_block = walk->op->part_kernel || half ? 16 : 32,
		.round = 1,
	};
	uint32_t step_y = DECOMPOSED / w->dilation_y, step_x = DECOMPOSED / w->dilation_x;

	if (walk->depthwise)
		u.round = 4;
	else if (walk->op->part_kernel)
		u.round = half ? 2 : 4;
	if (!u.block)
		return;
	for (uint32_t o = 0; o < u.depth; o += u.block)
		for (uint32_t i = 0; i < walk->ifm_depth; i += u.ifm_block)
			for (uint32_t y = 0; y < w->height; y += step_y)
				for (uint32_t x = 0; x < w->width; x += step_x) {
					struct part part = { y, x, least(step_y, w->height - y),
							     least(step_x, w->width - x) };

					u65_part(walk, &u, &part, o, i);
					if (is_over(walk))
						return;
				}
}

/* ---- U85 ------------------------------------------------------------------------------------- */

/**
 * struct u85 - what the order of a U85 depends on
 * @streams: decoders
 * @stream: this one
 * @micro: OFM channels of a microblock
 * @ifm_block: IFM channels of a block
 * @ifm_micro: IFM channels of an outer step
 * @ifm_step: IFM channels of an inner step
 * @round: elements of a part are rounded up to a multiple of it
 * @pad: depthwise: elements of zeros after each @round
 * @stride_y: phases of rows
 * @stride_x: phases of columns
 */
struct u85 {
	uint32_t streams;
	uint32_t stream;
	uint32_t micro;
	uint32_t ifm_block;
	uint32_t ifm_micro;
	uint32_t ifm_step;
	uint32_t round;
	uint32_t pad;
	uint32_t stride_y;
	uint32_t stride_x;
};

static void u85_element(struct walk *walk, const struct u85 *u, uint32_t y, uint32_t x, uint32_t o,
			uint32_t i)
{
	for (uint32_t ii = 0; ii < u->ifm_micro; ii += u->ifm_step)
		for (uint32_t oz = u->stream * U85_GROUP; oz < u->micro;
		     oz += U85_GROUP * u->streams)
			for (uint32_t group = 0; group < U85_GROUP; group++)
				for (uint32_t iz = 0; iz < u->ifm_step; iz++)
					place(walk, o + oz + group, y, x, i + ii + iz, true);
}

/* All elements of a part of the kernel for one microblock of OFM channels. */
static void u85_part(struct walk *walk, const struct u85 *u, const struct part *part, uint32_t o,
		     uint32_t i)
{
	uint32_t left = round_to(part->height * part->width, u->round);

	for (uint32_t sy = 0; sy < u->stride_y; sy++) {
		uint32_t height = (part->height + u->stride_y - 1 - sy) / u->stride_y;

		for (uint32_t sx = 0; sx < u->stride_x; sx++) {
			uint32_t width = (part->width + u->stride_x - 1 - sx) / u->stride_x;

			for (uint32_t e = 0; e < height * width; e++) {
				uint32_t y = e / width, x = e % width;

				if (y & 1)
					x = width - 1 - x;
				u85_element(walk, u, part->y + sy + y * u->stride_y,
					    part->x + sx + x * u->stride_x, o, i);
				left--;
				if (walk->depthwise && left % u->round == 0)
					skip(walk, (uint64_t)u->pad * u->micro / u->streams);
			}
		}
	}
	if (left)
		skip(walk, (uint64_t)(left + (walk->depthwise ? u->pad : 0)) * u->ifm_micro *
				   u->micro / u->streams);
}

static void u85_blocks(struct walk *walk, const struct u85 *u, uint32_t o, uint32_t i)
{
	const struct ethosu_window *w = &walk->op->window;
	uint32_t step_y = DECOMPOSED / w->dilation_y, step_x = DECOMPOSED / w->dilation_x;
	uint32_t depth = least(walk->op->block_depth, walk->op->ofm.depth - o);
	uint32_t ifm_depth = walk->depthwise ? 1 : least(u->ifm_block, walk->ifm_depth - i);

	for (uint32_t x = 0; x < w->width; x += step_x)
		for (uint32_t y = 0; y < w->height; y += step_y) {
			struct part part = { y, x, least(step_y, w->height - y),
					     least(step_x, w->width - x) };

			for (uint32_t io = 0; io < ifm_depth; io += u->ifm_micro)
				for (uint32_t oz = 0; oz < depth; oz += u->micro) {
					u85_part(walk, u, &part, o + oz, i + io);
					if (is_over(walk))
						return;
				}
		}
}

static bool u85_take(struct u85 *u, const struct walk *walk, const struct ethosu_config *config,
		     uint32_t stream)
{
	const struct ethosu_operation *op = walk->op;
	uint32_t area = op->microblock_height * op->microblock_width;
	bool half = op->ifm.bytes == 2, sparse = op->sparse_weights;

	u->streams = config->streams;
	u->stream = stream;
	u->micro = area ? config->macs / 8 / area : 0;
	u->ifm_step = sparse ? 16 : U85_IFM_STEP;
	u->pad = !half && config->macs <= 256 ? 0 : config->macs <= 512 ? 2 : 6;
	u->stride_y = op->window.stride_y;
	u->stride_x = op->window.stride_x;
	if (op->part_kernel)
		u->ifm_block = 16;
	else if (op->ifm.bytes == 4 || (config->macs <= 256 && u->micro == 16 && !sparse))
		u->ifm_block = 32;
	else
		u->ifm_block = sparse && !half ? 128 : 64;
	u->ifm_micro = u->ifm_block;
	if (walk->depthwise) {
		u->ifm_micro = 1;
		u->ifm_step = 1;
		u->round = 10;
	} else if (op->part_kernel) {
		u->round = half || sparse ? 10 : 5;
		u->ifm_micro = half && !sparse ? 8 : u->ifm_block;
	} else {
		u->round = 1;
		u->stride_y = 1;
		u->stride_x = 1;
	}
	return u->micro != 0;
}

/* IFM blocks go up and down alternately from OFM block to OFM block. */
static void walk_u85(struct walk *walk, const struct ethosu_config *config, uint32_t stream)
{
	uint32_t depth = walk->op->ofm.depth, blocks;
	bool up = true;
	struct u85 u;

	if (!u85_take(&u, walk, config, stream))
		return;
	blocks = walk->depthwise ? 1 : (walk->ifm_depth + u.ifm_block - 1) / u.ifm_block;
	for (uint32_t o = 0; o < depth; o += walk->op->block_depth) {
		for (uint32_t n = 0; n < blocks; n++) {
			u85_blocks(walk, &u, o, (up ? n : blocks - 1 - n) * u.ifm_block);
			if (is_over(walk))
				return;
		}
		up = !up;
	}
}

/* ---- both ------------------------------------------------------------------------------------ */

static void walk_stream(struct walk *walk, const struct ethosu_config *config, uint32_t stream)
{
	walk->depthwise = walk->op->code == ETHOSU_OP_DEPTHWISE;
	walk->ifm_depth = walk->depthwise ? 1 : walk->op->ifm.depth;
	if (config->generation == ETHOSU_U65)
		walk_u65(walk, config, stream);
	else
		walk_u85(walk, config, stream);
}

uint64_t ethosu_order_length(const struct ethosu_config *config, const struct ethosu_operation *op,
			     uint32_t stream, uint64_t limit, const struct ethosu_ask *ask)
{
	struct walk walk = { .op = op, .limit = limit, .ask = ask };

	walk_stream(&walk, config, stream);
	return walk.ended ? UINT64_MAX : walk.count;
}

void ethosu_order_place(const struct ethosu_config *config, const struct ethosu_operation *op,
			struct ethosu_stream_values *streams, int16_t *weights,
			const struct ethosu_ask *ask)
{
	for (uint32_t stream = 0; stream < config->streams; stream++) {
		struct walk walk = { .op = op, .weights = weights, .stream = &streams[stream],
				     .limit = UINT64_MAX, .ask = ask };

		walk_stream(&walk, config, stream);
	}
}
