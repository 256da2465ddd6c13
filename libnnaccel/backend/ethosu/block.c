// SPDX-License-Identifier: MIT
/*
 * The OFM block: the part of a result that is computed at a time.
 *
 * A block needs room for its part of the IFM and for its accumulators, twice, because the next
 * block is loaded while one is computed; a U85 may do without that. Of the blocks that have room
 * the one is chosen that takes the least time: products, with what sticks out of the OFM, or bytes
 * that are read, whichever takes longer; the IFM is read again for each block of channels, and the
 * weights and records for each block of rows and columns.
 *
 *	U65	banks of 1 KiB of shared memory: 2 of outputs, those of inputs, those of
 *		accumulators, 2 of lookup tables. Parts begin at multiples of a granule
 *	U85	a memory of inputs and one of accumulators. What is computed in a cycle is a
 *		microblock, whose shape can be chosen
 */
#include "libnnaccel/backend/ethosu/ethosu.h"

#define SUBKERNEL 8u /* rows and columns of a kernel that are done at a time */

/* U65 */
#define U65_MICRO 2u /* rows and columns of a microblock */
#define U65_MICRO_DEPTH 8u
#define U65_HEIGHT_MAX 32u
#define U65_WIDTH_MAX 64u
#define U65_DEPTH_MAX 128u
#define BANK 1024u
#define OUTPUT_BANKS 2u
#define INPUT_GRANULE 8u
#define INPUT_GRANULE_WORDS 16u /* of elements of 32 bits */
#define SUM_GRANULE 16u
#define SUM_GRANULE_WIDE 20u

/* U85 */
#define U85_HEIGHT_MAX 128u
#define U85_WIDTH_MAX 128u
#define U85_DEPTH_MAX 1024u
#define BRICK 16u

#define SPLIT_DEPTH 16u	     /* blocks that do not have all channels have a multiple of these */
#define BYTES_PER_CYCLE 8u   /* read from memory, about */
#define U85_BYTES_PER_CYCLE 4u
/* Few records are under way at a time. */
#define CYCLES_PER_RECORD 9u
#define U85_CYCLES_PER_RECORD 15u
#define APART 4u /* part of what computing and reading do not do at the same time */
#define CYCLES_PER_BLOCK 32u /* that a block takes besides, about */

/* Which operations a microblock of a U85 is for. */
enum {
	FOR_CONV = 1,
	FOR_CHANNELS = 2,      /* a channel of the OFM is one of the IFM, of 8 bits */
	FOR_CHANNELS_WIDE = 4, /* of more */
	FOR_SUM = 8,	       /* of channels */
	FOR_ELEMENTS = 16,
	FOR_ALL = 31,
};

/**
 * struct microblock - elements that are computed in a cycle
 * @macs: of the NPU
 * @code: in ACC_FORMAT
 * @height: rows
 * @width: columns
 * @uses: operations that it is for
 */
struct microblock {
	uint32_t macs;
	uint8_t code, height, width, uses;
};

static const struct microblock microblocks[] = {
	{ 128, 1, 1, 2, FOR_ALL & ~FOR_CHANNELS },
	{ 128, 0, 1, 1, FOR_CHANNELS | FOR_ELEMENTS },
	{ 256, 3, 2, 2, FOR_ALL & ~FOR_CHANNELS },
	{ 256, 2, 1, 4, FOR_ALL & ~FOR_CHANNELS },
	{ 256, 1, 1, 2, FOR_CHANNELS | FOR_ELEMENTS },
	{ 512, 3, 2, 2, FOR_ALL },
	{ 512, 2, 1, 4, FOR_ALL },
	{ 1024, 3, 2, 2, FOR_CONV | FOR_ELEMENTS },
	{ 1024, 2, 1, 4, FOR_CONV | FOR_ELEMENTS },
	{ 1024, 4, 2, 4, FOR_ALL },
	{ 2048, 3, 2, 2, FOR_CONV | FOR_ELEMENTS },
	{ 2048, 2, 1, 4, FOR_CONV | FOR_ELEMENTS },
	{ 2048, 5, 4, 4, FOR_ALL },
};

/**
 * struct shape - rows, columns and channels
 */
struct shape {
	uint32_t height, width, depth;
};

/**
 * struct search - what a block is chosen for
 * @target: the NPU
 * @op: the operation
 * @by_channel: a channel of the OFM depends on one of the IFM alone
 * @has_sums: it has accumulators
 * @micro: microblock
 * @most: size of a block
 * @buffers: blocks that there is room for, 2 or 1
 */
struct search {
	const struct nna_ethosu_target *target;
	const struct nna_ethosu_operation *op;
	bool by_channel, has_sums;
	struct shape micro, most;
	uint32_t buffers;
};

static uint32_t least(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

static uint64_t greatest(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static uint64_t shorter(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static uint64_t ceiling(uint64_t n, uint64_t by)
{
	return (n + by - 1) / by;
}

static uint64_t round_to(uint64_t n, uint64_t to)
{
	return ceiling(n, to) * to;
}

static bool is_u85(const struct search *s)
{
	return s->target->generation == NNA_ETHOSU_U85;
}

/* ---- the part of the IFM --------------------------------------------------------------------- */

/* Rows or columns of the IFM that @n of the OFM need, by a part of the kernel. */
static uint32_t needed(uint32_t n, uint32_t stride, uint32_t kernel, uint32_t dilation,
		       uint32_t upscale)
{
	uint32_t taps = least((kernel - 1) * dilation + 1, SUBKERNEL);
	uint32_t seen = (n - 1) * stride + taps + (upscale == 1);

	return upscale ? (seen + 1) / 2 : seen;
}

/* Channels of the IFM that are read at a time. */
static uint32_t input_depth(const struct search *s)
{
	const struct nna_ethosu_operation *op = s->op;

	if (op->window.part_kernel)
		return 16;
	if (is_u85(s))
		return op->ifm.bytes == 4 || (s->target->macs <= 256 && s->micro.depth == 16) ? 32
											      : 64;
	return op->ifm.bytes == 2 ? 16 : 32;
}

static struct shape input_of(const struct search *s, const struct shape *block)
{
	const struct nna_ethosu_window *w = &s->op->window;
	struct shape input = *block;
	uint32_t unit;

	if (s->op->code != ETHOSU_OP_ELEMENTWISE) {
		input.height = needed(block->height, w->stride_y, w->height, w->dilation_y,
				      w->upscale);
		input.width = needed(block->width, w->stride_x, w->width, w->dilation_x,
				     w->upscale);
	}
	if (!s->by_channel)
		input.depth = least(input_depth(s), (uint32_t)round_to(s->op->ifm.depth,
								       is_u85(s) ? 32 : 8));
	if (!is_u85(s)) {
		input.height = (uint32_t)round_to(input.height, U65_MICRO);
		input.width = (uint32_t)round_to(input.width, U65_MICRO);
		return input;
	}
	/* Units of 16, 32 or 64 bytes, and of a microblock at most. */
	unit = input.depth * s->op->ifm.bytes > 32 ? 64 : input.depth * s->op->ifm.bytes > 16 ? 32
											      : 16;
	input.depth = (uint32_t)round_to(input.depth * s->op->ifm.bytes, unit) / s->op->ifm.bytes;
	input.height = (uint32_t)round_to(input.height, s->micro.height);
	input.width = (uint32_t)round_to(input.width, s->micro.width);
	return input;
}

/* ---- room ------------------------------------------------------------------------------------ */

static uint32_t sum_bits(const struct search *s, bool wide)
{
	if (is_u85(s))
		return wide ? 64 : 32;
	return wide ? 40 : 32;
}

/* Bytes of the accumulators of a block. */
static uint64_t sums_of(const struct search *s, const struct shape *block, bool wide)
{
	uint32_t rows = block->height;

	if (!s->has_sums)
		return 0;
	/* Of a single row, which no kernel spans, a block has one. */
	if (!is_u85(s) && s->op->ofm.height == 1 && s->op->window.height == 1)
		rows = 1;
	return (uint64_t)rows * block->width * round_to(block->depth, U65_MICRO_DEPTH) *
	       sum_bits(s, wide) / 8;
}

static uint32_t banks_of(uint64_t bytes, uint32_t granule)
{
	return (uint32_t)round_to(2 * ceiling(bytes, BANK), granule);
}

/* Places the parts of shared memory of a U65. Return: whether they have room. */
static bool lay_out(const struct search *s, const struct shape *block,
		    struct nna_ethosu_block *to)
{
	const struct nna_ethosu_operation *op = s->op;
	const struct shape input = input_of(s, block);
	const uint32_t tables = s->target->tables / BANK;
	const bool both = op->code == ETHOSU_OP_ELEMENTWISE && op->ifm2.bytes && !op->scalar;
	uint32_t bytes = op->ifm.bytes, inputs, sums, end;

	if (both && op->ifm2.bytes > bytes)
		bytes = op->ifm2.bytes;
	inputs = banks_of((uint64_t)input.height * input.width *
			  round_to((uint64_t)input.depth * bytes, 8),
			  bytes == 4 ? INPUT_GRANULE_WORDS : INPUT_GRANULE);
	sums = banks_of(sums_of(s, block, to->wide), to->wide ? SUM_GRANULE_WIDE : SUM_GRANULE);
	end = OUTPUT_BANKS + inputs * (both ? 2 : 1);
	if (end + sums > tables)
		return false;
	to->input2_at = (uint8_t)(OUTPUT_BANKS + inputs);
	to->sums_at = (uint8_t)(tables - sums);
	to->input_end = op->code == ETHOSU_OP_ELEMENTWISE ? (uint8_t)tables : (uint8_t)end;
	return true;
}

/* Whether a block has room in the memories of a U85. */
static bool fits(const struct search *s, const struct shape *block, bool wide)
{
	const struct nna_ethosu_operation *op = s->op;
	const struct shape input = input_of(s, block);
	struct shape deep = *block;

	if (op->code == ETHOSU_OP_ELEMENTWISE) {
		const struct nna_ethosu_map *maps[] = { &op->ifm, &op->ifm2 };
		const uint32_t bytes = op->ifm.bytes > op->ofm.bytes ? op->ifm.bytes
								     : op->ofm.bytes;

		/* A row of the block is in the output buffer. */
		if ((uint64_t)block->width * block->depth * bytes > 8ull * s->target->macs)
			return false;
		/* What is broadcast is kept in a buffer of so many bricks. */
		for (uint32_t i = 0; i < (op->ifm2.bytes && !op->scalar ? 2 : 1); i++)
			if ((maps[i]->depth < op->ofm.depth || maps[i]->height < op->ofm.height) &&
			    block->width * s->micro.height * maps[i]->bytes > BRICK)
				return false;
		return true;
	}
	deep.depth = (uint32_t)round_to(block->depth, BRICK);
	return s->buffers * sums_of(s, &deep, wide) <= s->target->sum_memory &&
	       (uint64_t)s->buffers * input.height * input.width * input.depth * op->ifm.bytes <=
		       s->target->input_memory;
}

/* ---- time ------------------------------------------------------------------------------------ */

/* @n elements in blocks of @block, the last of which is rounded up to @micro. */
static uint64_t computed(uint32_t n, uint32_t block, uint32_t micro)
{
	return n / block * block + round_to(n % block, micro);
}

static uint64_t cycles(const struct search *s, const struct shape *block)
{
	const struct nna_ethosu_operation *op = s->op;
	const struct nna_ethosu_map *ofm = &op->ofm;
	const struct shape input = input_of(s, block);
	const bool kernel = op->code != ETHOSU_OP_ELEMENTWISE;
	const uint64_t area = kernel ? (uint64_t)op->window.height * op->window.width : 1;
	const uint64_t deep = ceiling(ofm->depth, block->depth);
	const uint64_t flat = ceiling(ofm->height, block->height) *
			      ceiling(ofm->width, block->width);
	const uint64_t depth = s->by_channel ? ofm->depth : op->ifm.depth;
	const uint64_t elements = computed(ofm->height, block->height, s->micro.height) *
				  computed(ofm->width, block->width, s->micro.width) *
				  computed(ofm->depth, block->depth, s->micro.depth);
	const uint64_t products = elements * area * (s->by_channel ? 1 : depth);
	const uint64_t inputs = flat * input.height * input.width * depth * op->ifm.bytes *
				(s->by_channel ? 1 : deep);
	const uint64_t time = products / s->target->macs * (s->by_channel ? 8 : 1);
	uint64_t weights = 0, records = 0, moved;

	if (op->code == ETHOSU_OP_CONV || op->code == ETHOSU_OP_DEPTHWISE) {
		weights = flat * area * ofm->depth * (s->by_channel ? 1 : depth);
		records = flat * ofm->depth;
	}
	/* A U85 reads inputs and weights at the same time, each at its own rate. */
	moved = is_u85(s) ? greatest(inputs, weights) / U85_BYTES_PER_CYCLE :
			    (inputs + weights) / BYTES_PER_CYCLE;
	moved = greatest(moved, records * (is_u85(s) ? U85_CYCLES_PER_RECORD : CYCLES_PER_RECORD));
	return greatest(time, moved) + shorter(time, moved) / APART +
	       flat * deep * CYCLES_PER_BLOCK;
}

/* ---- the search ------------------------------------------------------------------------------ */

/*
 * The next smaller size of blocks along an axis of @n elements: so many of them that one more is
 * needed. Return: 0 at the end.
 */
static uint32_t next_size(uint32_t n, uint32_t size, uint32_t granule)
{
	uint64_t blocks = ceiling(n, size);

	while (size > granule) {
		uint32_t next = (uint32_t)round_to(ceiling(n, ++blocks), granule);

		if (next < size)
			return next;
		if (blocks >= n)
			return size - granule;
	}
	return 0;
}

static uint32_t first_size(uint32_t n, uint32_t most, uint32_t granule)
{
	uint32_t size = (uint32_t)round_to(n, granule);

	return size > most ? most / granule * granule : size;
}

/* Tries all blocks with one microblock. *@best is the time of the best one so far. */
static void search_blocks(const struct search *s, uint8_t code, uint64_t *best,
			  struct nna_ethosu_block *chosen)
{
	const struct nna_ethosu_map *ofm = &s->op->ofm;
	const uint32_t split = (uint32_t)round_to(SPLIT_DEPTH, s->micro.depth);
	struct nna_ethosu_block block = *chosen;
	struct shape b;

	block.microblock = code;
	for (b.depth = first_size(ofm->depth, s->most.depth, s->micro.depth); b.depth;
	     b.depth = next_size(ofm->depth, b.depth, split)) {
		/* A block has all channels, or a multiple of some. */
		if (b.depth < ofm->depth)
			b.depth = (uint32_t)round_to(b.depth, split);
		for (b.height = first_size(ofm->height, s->most.height, s->micro.height); b.height;
		     b.height = next_size(ofm->height, b.height, s->micro.height))
			for (b.width = first_size(ofm->width, s->most.width, s->micro.width);
			     b.width; b.width = next_size(ofm->width, b.width, s->micro.width)) {
				uint64_t time;

				if (is_u85(s) ? !fits(s, &b, block.wide) : !lay_out(s, &b, &block))
					continue;
				time = cycles(s, &b);
				if (time >= *best)
					continue;
				*best = time;
				block.height = b.height;
				block.width = b.width;
				block.depth = b.depth;
				*chosen = block;
			}
	}
}

static uint8_t use_of(const struct search *s)
{
	switch (s->op->code) {
	case ETHOSU_OP_CONV:
		return FOR_CONV;
	case ETHOSU_OP_ELEMENTWISE:
		return FOR_ELEMENTS;
	default:
		if (!s->by_channel)
			return FOR_SUM;
		return s->op->ifm.bytes > 1 ? FOR_CHANNELS_WIDE : FOR_CHANNELS;
	}
}

void nna_ethosu_block_choose(const struct nna_ethosu_target *target,
			     struct nna_ethosu_operation *op)
{
	struct search s = {
		.target = target,
		.op = op,
		.by_channel = op->code != ETHOSU_OP_CONV &&
			      !(op->code == ETHOSU_OP_POOL &&
				op->mode == NNA_ETHOSU_POOL_REDUCE_SUM),
		.has_sums = op->code != ETHOSU_OP_ELEMENTWISE,
		.micro = { U65_MICRO, U65_MICRO, U65_MICRO_DEPTH * target->streams },
		.most = { U65_HEIGHT_MAX, U65_WIDTH_MAX, U65_DEPTH_MAX },
	};
	const bool sums = op->code == ETHOSU_OP_CONV || op->code == ETHOSU_OP_DEPTHWISE;
	struct nna_ethosu_block chosen = { .wide = sums && op->ifm.bytes > 1 };
	uint64_t best = UINT64_MAX;

	if (!is_u85(&s)) {
		search_blocks(&s, 0, &best, &chosen);
		op->block = chosen;
		return;
	}
	s.most = (struct shape){ U85_HEIGHT_MAX, U85_WIDTH_MAX, U85_DEPTH_MAX };
	for (s.buffers = 2; s.buffers && !chosen.height; s.buffers--)
		for (uint32_t i = 0; i < sizeof(microblocks) / sizeof(microblocks[0]); i++) {
			const struct microblock *m = &microblocks[i];

			if (m->macs != target->macs || !(m->uses & use_of(&s)))
				continue;
			s.micro = (struct shape){ m->height, m->width,
						  target->macs / 8 / (m->height * m->width) };
			search_blocks(&s, m->code, &best, &chosen);
		}
	op->block = chosen;
}

uint32_t nna_ethosu_block_elements(const struct nna_ethosu_target *target, uint8_t code)
{
	for (uint32_t i = 0; i < sizeof(microblocks) / sizeof(microblocks[0]); i++)
		if (microblocks[i].macs == target->macs && microblocks[i].code == code &&
		    target->generation == NNA_ETHOSU_U85)
			return microblocks[i].height * microblocks[i].width;
	return 0;
}

bool nna_ethosu_block_part_kernel(const struct nna_ethosu_target *target, uint32_t depth,
				  uint32_t bytes, uint32_t height, uint32_t width)
{
	const uint64_t elements = (uint64_t)height * width;
	uint64_t by_depth = round_to(depth, bytes == 1 ? 32 : 16);
	uint64_t by_kernel = round_to(depth, 8) * round_to(elements, bytes == 1 ? 4 : 2);

	/* The order in which fewer products are of zeros. */
	if (target->generation == NNA_ETHOSU_U85) {
		by_depth = round_to(depth, 64);
		by_kernel = round_to(depth, 16) * round_to(elements, bytes == 1 ? 5 : 10);
		return by_kernel <= by_depth * elements;
	}
	return depth <= 8 || by_kernel < by_depth * elements;
}
