// SPDX-License-Identifier: MIT
#include "device/ethosu/cost.h"

#include "hw/ethosu/opcode.h"

#define SUBKERNEL 8u /* rows and columns of a kernel that are done at a time */
#define RECORD 10.0  /* bytes of a channel's scale */
#define BRICK 16u
#define SUM_POOL 2u
#define LRELU 5u
#define ABS 6u
#define CLZ 7u
#define DIV 11u
#define NOT 36u
#define DIV_CYCLES 33.0 /* of an element */
#define DMA_INTERNAL 0x100u
#define RELIABLE 0.8 /* part of what a memory could do that it does */

/* Who moves bytes: buffers of reads that are under way differ. */
enum channel { COPY, STREAMED, WEIGHTS, FAST_WEIGHTS, IFM, SCALES, WRITE, CHANNELS };

/**
 * struct memory - a memory behind a port
 * @bandwidth: bytes per cycle
 * @burst: bytes of a burst, at most
 * @read_latency: cycles
 * @write_latency: cycles
 * @reads: bursts that are under way at most
 * @writes: likewise
 */
struct memory {
	double bandwidth;
	uint32_t burst, read_latency, write_latency, reads, writes;
};

/* 1 GHz, DRAM of 12 GB/s; SRAM of a U65 with one port, of a U85 with two. */
static const struct memory memories_u65[ETHOSU_MEMORIES] = {
	[ETHOSU_SRAM] = { 16, 32, 32, 32, 16, 16 },
	[ETHOSU_DRAM] = { 12, 128, 500, 250, 24, 12 },
};

static const struct memory memories_u85[ETHOSU_MEMORIES] = {
	[ETHOSU_SRAM] = { 32, 64, 32, 32, 16, 16 },
	[ETHOSU_DRAM] = { 12, 128, 500, 250, 64, 32 },
};

/**
 * struct rates - what differs between configurations of a U85
 * @macs: of the NPU
 * @output: cycles of the output stage for an element of up to 16 bits
 * @output_wide: of more
 * @buffers: words of 16 bytes of the read channels
 */
static const struct rates {
	uint32_t macs;
	double output, output_wide;
	uint32_t buffers[CHANNELS];
} rates_u85[] = {
	{ 128, 0.5, 0.5, { 64, 64, 128, 128, 104, 16 } },
	{ 256, 0.25, 0.25, { 104, 104, 128, 128, 128, 16 } },
	{ 512, 0.125, 0.125, { 128, 128, 256, 256, 128, 16 } },
	{ 1024, 0.0625, 0.125, { 256, 256, 416, 208, 256, 16 } },
	{ 2048, 0.03125, 0.0625, { 256, 256, 512, 256, 256, 16 } },
};

/**
 * struct shape - rows, columns and channels
 */
struct shape {
	uint64_t height, width, depth;
};

/**
 * struct estimate - an operation while its cost is made
 * @config: the configuration
 * @op: the operation
 * @memories: by region
 * @micro: microblock of the OFM
 * @ofm: size of it
 * @ifm: size of the IFM
 * @block: block of the OFM, as large as the OFM at most
 * @input: block of the IFM, unclipped
 * @by_channel: a channel of the OFM depends on one of the IFM
 * @multiplies: the multipliers do it
 * @moved: bytes by memory and channel, as long as the bursts are
 * @cost: the result
 */
struct estimate {
	const struct ethosu_config *config;
	const struct ethosu_operation *op;
	const enum ethosu_memory *memories;
	struct shape micro, ofm, ifm, block, input;
	bool by_channel, multiplies;
	double moved[ETHOSU_MEMORIES][CHANNELS];
	struct ethosu_cost cost;
};

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static double greater(double a, double b)
{
	return a > b ? a : b;
}

static uint64_t ceiling(uint64_t n, uint64_t by)
{
	return (n + by - 1) / by;
}

static uint64_t round_up(uint64_t n, uint64_t to)
{
	return ceiling(n, to) * to;
}

static uint64_t elements(const struct shape *s)
{
	return s->height * s->width * s->depth;
}

static struct shape clip(const struct shape *a, const struct shape *b)
{
	return (struct shape){ least(a->height, b->height), least(a->width, b->width),
			       least(a->depth, b->depth) };
}

static struct shape size_of(const struct ethosu_feature_map *map)
{
	return (struct shape){ map->height, map->width, map->depth };
}

static bool is_u85(const struct ethosu_config *config)
{
	return config->generation == ETHOSU_U85;
}

static const struct rates *rates_of(const struct ethosu_config *config)
{
	const uint32_t last = sizeof(rates_u85) / sizeof(rates_u85[0]) - 1;
	uint32_t i = 0;

	while (rates_u85[i].macs != config->macs && i < last)
		i++;
	return &rates_u85[i];
}

static const struct memory *memory_of(const struct ethosu_config *config, enum ethosu_memory number)
{
	return is_u85(config) ? &memories_u85[number] : &memories_u65[number];
}

static enum ethosu_memory number_at(const struct estimate *e, uint64_t address)
{
	return e->memories[address >> ETHOSU_COST_REGION_SHIFT & (ETHOSU_REGIONS - 1)];
}

static const struct memory *memory_at(const struct estimate *e, uint64_t address)
{
	return memory_of(e->config, number_at(e, address));
}

/* Whether an operation on elements has two inputs. */
static bool has_two(const struct ethosu_operation *op)
{
	return op->code == ETHOSU_OP_ELEMENTWISE && op->mode != LRELU && op->mode != ABS &&
	       op->mode != CLZ && op->mode != NOT;
}

/* A map of chained operations, or a scalar, passes no port. */
static bool is_in_memory(const struct ethosu_feature_map *map)
{
	return map->storage == ETHOSU_IN_MEMORY || map->storage == ETHOSU_IN_COLUMN;
}

/* ---- shapes ---------------------------------------------------------------------------------- */

static uint64_t needed(uint64_t n, uint32_t stride, uint32_t kernel, uint32_t dilation,
		       uint32_t upscale)
{
	uint64_t seen = (n - 1) * stride + least((kernel - 1) * dilation + 1, SUBKERNEL) +
			(upscale == 1);

	return upscale ? (seen + 1) / 2 : seen;
}

/* Channels that a step of the multipliers takes at most. */
static uint64_t most_depth(const struct estimate *e)
{
	const struct ethosu_operation *op = e->op;

	if (op->part_kernel)
		return BRICK;
	if (!is_u85(e->config))
		return op->ifm.bytes == 2 ? 16 : 32;
	if (op->sparse_weights && op->ifm.bytes == 1)
		return 128;
	return op->ifm.bytes == 4 || (e->config->macs <= 256 && e->micro.depth == BRICK) ? 32 : 64;
}

static void shape_blocks(struct estimate *e)
{
	const struct ethosu_operation *op = e->op;
	const struct ethosu_window *w = &op->window;
	struct shape block = { op->block_height, op->block_width, op->block_depth };

	e->micro = (struct shape){ 2, 2, 8 };
	if (is_u85(e->config))
		e->micro = (struct shape){ op->microblock_height, op->microblock_width,
					   e->config->macs / 8 / (op->microblock_height *
								  op->microblock_width) };
	e->ofm = size_of(&op->ofm);
	e->ifm = size_of(&op->ifm);
	e->input = block;
	if (op->code == ETHOSU_OP_CONV || op->code == ETHOSU_OP_DEPTHWISE ||
	    op->code == ETHOSU_OP_POOL) {
		e->input.height = round_up(needed(block.height, w->stride_y, w->height,
						  w->dilation_y, w->upscale), e->micro.height);
		e->input.width = round_up(needed(block.width, w->stride_x, w->width, w->dilation_x,
						 w->upscale), e->micro.width);
	}
	if (!e->by_channel)
		e->input.depth = least(most_depth(e), round_up(op->ifm.depth,
							       is_u85(e->config) ? 32 : 8));
	/* A U65 computes single rows, which no kernel spans, four columns at a time. */
	if (!is_u85(e->config) && op->code == ETHOSU_OP_CONV && e->ofm.height == 1 &&
	    e->ofm.width % 2 == 0 && w->height == 1)
		e->micro = (struct shape){ 1, 4, 8 };
	e->block = clip(&block, &e->ofm);
}

/* ---- transfers ------------------------------------------------------------------------------- */

/* Return: the time of a map's bytes as a multiple of that of as many bytes in whole bursts. */
static double stretch(const struct estimate *e, const struct ethosu_feature_map *map, bool write,
		      const struct shape *block)
{
	const struct memory *memory = memory_at(e, map->base[0]);
	const bool whole = map->depth == block->depth;
	uint64_t bytes = block->depth * map->bytes;

	if (map->brick)
		bytes = BRICK * block->width * map->bytes *
			(write && !is_u85(e->config) ? e->config->streams : 1);
	else if (whole && (!write || block->depth <= BRICK))
		bytes *= block->width;
	else if (write)
		bytes = least(least(64, BRICK * map->bytes * e->config->streams), bytes);
	bytes = least(bytes, memory->burst);
	return bytes ? (double)memory->burst / (double)bytes : 1;
}

static void move(struct estimate *e, uint64_t address, enum channel channel, uint64_t bytes,
		 double times)
{
	const enum ethosu_memory number = number_at(e, address);

	e->cost.bytes[number] += bytes;
	e->moved[number][channel] += (double)bytes * times;
}

static void move_map(struct estimate *e, const struct ethosu_feature_map *map,
		     enum channel channel, uint64_t count, const struct shape *block)
{
	if (is_in_memory(map))
		move(e, map->base[0], channel, count * map->bytes,
		     stretch(e, map, channel == WRITE, block));
}

static uint64_t stored_depth(const struct ethosu_feature_map *map)
{
	return map->brick ? round_up(map->depth, BRICK) : map->depth;
}

static uint64_t stored(const struct ethosu_feature_map *map)
{
	return (uint64_t)map->height * map->width * stored_depth(map);
}

/* Parts of the kernel. */
static uint64_t subkernels(const struct ethosu_operation *op)
{
	return ceiling(op->window.height, SUBKERNEL) * ceiling(op->window.width, SUBKERNEL);
}

static void move_weights(struct estimate *e, uint64_t times)
{
	const struct ethosu_operation *op = e->op;

	for (uint32_t i = 0; i < ETHOSU_WEIGHT_STREAMS; i++)
		move(e, op->weights[i].address, op->fast_weights ? FAST_WEIGHTS : WEIGHTS,
		     op->weights[i].size * times, 1);
	for (uint32_t i = 0; i < 2; i++)
		move(e, op->scales[i].address, SCALES, op->scales[i].size * times, 1);
}

static void move_all(struct estimate *e)
{
	const struct ethosu_operation *op = e->op;
	const struct shape block = clip(&e->input, &e->ifm);
	const uint64_t flat = ceiling(e->ofm.height, e->block.height) *
			      ceiling(e->ofm.width, e->block.width);
	const uint64_t deep = e->by_channel ? 1 : ceiling(e->ofm.depth, e->block.depth);
	const struct shape out = { op->block_height, op->block_width, op->block_depth };

	if (e->multiplies) {
		move_map(e, &op->ifm, IFM, block.height * block.width * stored_depth(&op->ifm) *
						   subkernels(op) * flat * deep, &e->input);
		if (op->code != ETHOSU_OP_POOL)
			move_weights(e, flat);
	} else {
		if (!op->scalar)
			move_map(e, &op->ifm, STREAMED, stored(&op->ifm), &e->input);
		if (has_two(op) && !op->scalar2)
			move_map(e, &op->ifm2, STREAMED, stored(&op->ifm2), &e->input);
	}
	move_map(e, &op->ofm, WRITE, stored(&op->ofm), &out);
}

/* Bytes per cycle of a channel. */
static double channel_bandwidth(const struct ethosu_config *config, enum ethosu_memory number,
				enum channel channel)
{
	const struct memory *m = memory_of(config, number);
	double under_way, possible;

	if (!is_u85(config))
		return m->bandwidth;
	under_way = RELIABLE * (channel == WRITE ? m->writes : m->reads);
	if (channel != WRITE) {
		possible = (double)rates_of(config)->buffers[channel] / (m->burst / BRICK);
		under_way = under_way < possible ? under_way : possible;
	}
	possible = RELIABLE * m->burst * under_way /
		   (channel == WRITE ? m->write_latency : m->read_latency);
	return possible < m->bandwidth ? possible : m->bandwidth;
}

static void take_ports(struct estimate *e)
{
	for (uint32_t m = 0; m < ETHOSU_MEMORIES; m++) {
		double all = 0, most = 0;

		for (uint32_t c = 0; c < CHANNELS; c++) {
			all += e->moved[m][c];
			most = greater(most, e->moved[m][c] /
						     channel_bandwidth(e->config, m, c));
		}
		e->cost.ports[m] =
			(uint64_t)greater(all / memory_of(e->config, m)->bandwidth, most);
	}
}

/* ---- the NPU --------------------------------------------------------------------------------- */

/* Cycles in which the inputs of the first block are read, and the result of the last is written. */
static double block_transfer(const struct estimate *e)
{
	const struct ethosu_operation *op = e->op;
	const struct shape block = { op->block_height, op->block_width, op->block_depth };
	const struct shape part = clip(&e->input, &e->ifm);
	double cycles = 0;

	if (is_in_memory(&op->ifm)) {
		const struct memory *m = memory_at(e, op->ifm.base[0]);

		cycles += m->read_latency + (double)(elements(&part) * op->ifm.bytes) *
						    stretch(e, &op->ifm, false, &e->input) /
						    m->bandwidth;
	}
	if (is_in_memory(&op->ofm)) {
		const struct memory *m = memory_at(e, op->ofm.base[0]);

		cycles += m->write_latency + (double)(elements(&e->block) * op->ofm.bytes) *
						     stretch(e, &op->ofm, true, &block) /
						     m->bandwidth;
	}
	return cycles;
}

/* Cycles of the output stage for an element. */
static double output_rate_u65(const struct ethosu_operation *op)
{
	const bool element = op->code == ETHOSU_OP_ELEMENTWISE;
	const bool two = has_two(op);
	double rate = 0.25;

	if (element && op->ifm.bytes == 4)
		rate = two ? 1.125 : 0.625;
	else if (element && !op->mode)
		rate = op->ofm.bytes == 4 ? 0.5 : 0.375;
	else if (!element && op->wide)
		rate = 0.375;
	else if (element && op->mode <= 2)
		rate = 0.75;
	/* A table, or one of the two functions. */
	return op->activation ? greater(rate, 1) : rate;
}

static double output_rate(const struct estimate *e)
{
	const struct ethosu_operation *op = e->op;
	const struct rates *rates = rates_of(e->config);

	if (!is_u85(e->config))
		return output_rate_u65(op) / e->config->streams;
	if (op->code == ETHOSU_OP_ELEMENTWISE && op->mode == DIV)
		return DIV_CYCLES;
	if (has_two(op) && op->ifm.bytes == 4)
		return rates->output * 2;
	return op->ofm.bytes == 4 ? rates->output_wide : rates->output;
}

/* Cycles that the multipliers take for @area elements of the kernel, and the steps. */
static uint64_t part_cycles(const struct estimate *e, const struct shape *micro, uint64_t area,
			    uint64_t *steps)
{
	const struct ethosu_operation *op = e->op;
	const uint64_t flat = micro->height * micro->width;
	const uint64_t least_of_weights = 32 * e->micro.depth / 8;
	const uint64_t depth = least(e->ifm.depth, e->input.depth);
	uint64_t each = 4 * flat;

	switch (op->code) {
	case ETHOSU_OP_POOL:
		if (!e->by_channel)
			break;
		*steps = 1;
		return (area > 4 ? area : 4) * flat * micro->depth * 4 * op->ifm.bytes;
	case ETHOSU_OP_DEPTHWISE:
		*steps = ceiling(area, 4);
		each *= op->ifm.bytes;
		return (each > least_of_weights ? each : least_of_weights) * *steps * micro->depth;
	default:
		break;
	}
	if (op->part_kernel) {
		*steps = ceiling(area, op->ifm.bytes == 2 ? 2 : 4);
		each = (each > least_of_weights ? each : least_of_weights) * *steps *
		       micro->depth * ceiling(depth, 8);
	} else {
		*steps = area;
		if (is_u85(e->config))
			each = depth / 8 * flat;
		each = (each > least_of_weights ? each : least_of_weights) * *steps * micro->depth;
		if (is_u85(e->config))
			each *= op->ifm.bytes;
	}
	return op->sparse_weights ? each / 2 : each;
}

static double multiplier_cycles(const struct estimate *e)
{
	const struct ethosu_operation *op = e->op;
	const struct shape micro = { ceiling(e->block.height, e->micro.height),
				     ceiling(e->block.width, e->micro.width),
				     ceiling(e->block.depth, e->micro.depth) };
	const uint64_t depth = least(e->ifm.depth, e->input.depth);
	const uint64_t delay = is_u85(e->config) && op->wide && e->config->macs <= 128 ? 3 : 2;
	uint64_t cycles = 0;

	for (uint32_t y = 0; y < op->window.height; y += SUBKERNEL)
		for (uint32_t x = 0; x < op->window.width; x += SUBKERNEL) {
			uint64_t area = least(op->window.height - y, SUBKERNEL) *
					least(op->window.width - x, SUBKERNEL);
			uint64_t steps, waits = 0;

			cycles += part_cycles(e, &micro, area, &steps);
			/* The next step of a single microblock waits for the one before. */
			if (micro.height * micro.width == 1)
				waits = micro.depth == 1 ? delay * steps
							 : delay * (steps - 1) * micro.depth;
			if (op->code == ETHOSU_OP_CONV && op->part_kernel)
				waits *= ceiling(depth, 8);
			cycles += waits;
		}
	if (!e->by_channel)
		cycles *= ceiling(e->ifm.depth, depth);
	return (double)cycles / (is_u85(e->config) ? 1 : e->config->streams);
}

static void take_multiplied(struct estimate *e)
{
	const struct ethosu_operation *op = e->op;
	const struct shape micro = { ceiling(e->block.height, e->micro.height),
				     ceiling(e->block.width, e->micro.width),
				     ceiling(e->block.depth, e->micro.depth) };
	const struct shape all = { ceiling(e->ofm.height, e->micro.height),
				   ceiling(e->ofm.width, e->micro.width),
				   ceiling(e->ofm.depth, e->micro.depth) };
	const double blocks = (double)elements(&all) / (double)elements(&micro);
	const double multiplied = multiplier_cycles(e);
	double issued, output = output_rate(e) * (double)elements(&e->block);

	if (op->code != ETHOSU_OP_POOL && op->scales[0].size)
		output = greater(output, RECORD * (double)e->block.depth *
						 memory_at(e, op->scales[0].address)->read_latency /
						 256);
	issued = (multiplied + output) / 4;
	e->cost.npu = (uint64_t)(greater(multiplied, output) * blocks + block_transfer(e) +
				 greater(issued, multiplied > output ? output : multiplied));
	e->cost.macs = elements(&e->ofm) * op->window.height * op->window.width *
		       (e->by_channel ? 1 : e->ifm.depth);
}

struct ethosu_cost ethosu_cost_kernel(const struct ethosu_config *config,
				      const struct ethosu_operation *op,
				      const enum ethosu_memory memories[ETHOSU_REGIONS])
{
	struct estimate e = { .config = config, .op = op, .memories = memories };
	const bool element = op->code == ETHOSU_OP_ELEMENTWISE;

	e.by_channel = op->code != ETHOSU_OP_CONV &&
		       !(op->code == ETHOSU_OP_POOL && op->mode == SUM_POOL);
	e.multiplies = !element && op->code != ETHOSU_OP_RESIZE;
	shape_blocks(&e);
	move_all(&e);
	take_ports(&e);
	if (e.multiplies)
		take_multiplied(&e);
	else
		e.cost.npu = (uint64_t)(output_rate(&e) * (double)stored(&op->ofm));
	return e.cost;
}

uint64_t ethosu_cost_cycles(const struct ethosu_cost *cost)
{
	uint64_t most = cost->npu;

	for (uint32_t m = 0; m < ETHOSU_MEMORIES; m++)
		most = cost->ports[m] > most ? cost->ports[m] : most;
	return most;
}

/* ---- DMA ------------------------------------------------------------------------------------- */

struct ethosu_cost ethosu_cost_dma(const struct ethosu_config *config,
				   const struct ethosu_state *state,
				   const enum ethosu_memory memories[ETHOSU_REGIONS])
{
	const uint32_t from = ethosu_state_short(state, ETHOSU_SET_DMA_SOURCE_REGION);
	const uint32_t to = ethosu_state_short(state, ETHOSU_SET_DMA_TARGET_REGION);
	struct estimate e = { .config = config, .memories = memories };
	uint64_t bytes = ethosu_state_address(state, ETHOSU_SET_DMA_LENGTH);

	if ((from >> 9 & 3) >= 1)
		bytes *= ethosu_state_short(state, ETHOSU_SET_DMA_SIZE0);
	if ((from >> 9 & 3) == 2)
		bytes *= ethosu_state_short(state, ETHOSU_SET_DMA_SIZE1);
	if (!(from & DMA_INTERNAL))
		move(&e, (uint64_t)(from & 7) << ETHOSU_COST_REGION_SHIFT, COPY, bytes, 1);
	if (!(to & DMA_INTERNAL))
		move(&e, (uint64_t)(to & 7) << ETHOSU_COST_REGION_SHIFT, WRITE, bytes, 1);
	take_ports(&e);
	return e.cost;
}

/* ---- time ------------------------------------------------------------------------------------ */

#define KERNELS 2u
#define DMAS 4u
#define DMAS_U65 2u

static uint64_t later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* Wait until at most @left of @ends, which has @count, are under way. */
static void wait_for(struct ethosu_clock *clock, const uint64_t *ends, uint32_t count,
		     uint32_t left)
{
	if (left < count)
		clock->issue = later(clock->issue, ends[count - 1 - left]);
}

static void begin(struct ethosu_clock *clock, uint64_t *ends, uint32_t count, uint64_t cycles)
{
	const uint64_t end = later(clock->issue, ends[count - 1]) + cycles;

	for (uint32_t i = 1; i < count; i++)
		ends[i - 1] = ends[i];
	ends[count - 1] = end;
}

void ethosu_clock_wait_kernels(struct ethosu_clock *clock, uint32_t left)
{
	wait_for(clock, clock->kernels, KERNELS, left);
}

void ethosu_clock_wait_dmas(struct ethosu_clock *clock, uint32_t left)
{
	wait_for(clock, clock->dmas, DMAS, left);
}

void ethosu_clock_kernel(struct ethosu_clock *clock, uint64_t cycles)
{
	ethosu_clock_wait_kernels(clock, KERNELS - 1);
	begin(clock, clock->kernels, KERNELS, cycles);
}

void ethosu_clock_dma(struct ethosu_clock *clock, const struct ethosu_config *config,
		      uint64_t cycles)
{
	ethosu_clock_wait_dmas(clock, (is_u85(config) ? DMAS : DMAS_U65) - 1);
	begin(clock, clock->dmas, DMAS, cycles);
}

uint64_t ethosu_clock_end(const struct ethosu_clock *clock)
{
	return later(clock->issue, later(clock->kernels[KERNELS - 1], clock->dmas[DMAS - 1]));
}
