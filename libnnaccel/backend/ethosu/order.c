// SPDX-License-Identifier: MIT
#include "libnnaccel/backend/ethosu/order.h"

#define SUBKERNEL 8u /* rows and columns of a part of a kernel, dilated */
#define U65_MICRO 8u /* channels of microblocks */
#define U85_GROUP 4u /* OFM channels that go to one decoder */
#define U85_STEP 8u  /* IFM channels of a step */

/**
 * struct walk - a walk over the values of a stream
 * @w: weights
 * @stream: number of the stream
 * @values: written; NULL to count only
 * @count: values walked over
 */
struct walk {
	const struct nna_ethosu_weights *w;
	uint32_t stream;
	int16_t *values;
	uint64_t count;
};

/**
 * struct part - a part of a kernel
 */
struct part {
	uint32_t y, x, height, width;
};

static uint32_t least(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

static uint32_t round_to(uint32_t n, uint32_t to)
{
	return (n + to - 1) / to * to;
}

static bool is_over(const struct walk *walk)
{
	return walk->count > NNA_ETHOSU_VALUES_MAX;
}

static void put(struct walk *walk, uint32_t o, uint32_t y, uint32_t x, uint32_t i)
{
	const struct nna_ethosu_weights *w = walk->w;
	const uint8_t *at;
	int32_t value = 0;

	if (walk->values) {
		if (o < w->ofm_depth && i < w->ifm_depth && y < w->height && x < w->width) {
			at = (const uint8_t *)w->data + o * w->strides[0] + y * w->strides[1] +
			     x * w->strides[2] + i * w->strides[3];
			value = (w->is_signed ? (int8_t)*at : *at) - w->zero_point;
		}
		walk->values[walk->count] = (int16_t)value;
	}
	walk->count++;
}

static void put_zeros(struct walk *walk, uint64_t n)
{
	for (uint64_t i = 0; walk->values && i < n; i++)
		walk->values[walk->count + i] = 0;
	walk->count += n;
}

static struct part part_of(const struct nna_ethosu_weights *w, uint32_t y, uint32_t x)
{
	return (struct part){ y, x, least(SUBKERNEL / w->dilation_y, w->height - y),
			      least(SUBKERNEL / w->dilation_x, w->width - x) };
}

/* ---- U65 ------------------------------------------------------------------------------------- */

/* One element: IFM channels from @i on, of OFM channels of this core from @o on. */
static void u65_element(struct walk *walk, const struct part *part, uint32_t element, uint32_t o,
			uint32_t i, uint32_t end)
{
	const struct nna_ethosu_weights *w = walk->w;
	uint32_t y = element / part->width, deep = w->depthwise ? 1 : U65_MICRO;

	for (uint32_t oz = o; oz < o + U65_MICRO; oz++) {
		/* Elements and channels that do not exist are zeros: no row has that number. */
		bool inside = y < part->height && oz < end;

		for (uint32_t iz = i; iz < i + deep; iz++)
			put(walk, oz * w->target->streams + walk->stream,
			    inside ? part->y + y : w->height, part->x + element % part->width, iz);
	}
}

static void u65_part(struct walk *walk, const struct part *part, uint32_t first, uint32_t end,
		     uint32_t last, uint32_t i, uint32_t ifm_block)
{
	const struct nna_ethosu_weights *w = walk->w;
	bool kernel_first = w->part_kernel && !w->depthwise;
	uint32_t round = w->depthwise ? 4 : !w->part_kernel ? 1 : w->ifm_bytes == 2 ? 2 : 4;
	uint32_t elements = round_to(part->height * part->width, round);
	uint32_t depth = w->depthwise ? U65_MICRO : ifm_block, outer, inner;

	if (kernel_first)
		depth = least(depth, w->ifm_depth - i);
	outer = kernel_first ? depth : 1;
	inner = kernel_first ? 1 : depth;
	for (uint32_t io = 0; io < outer; io += U65_MICRO)
		for (uint32_t o = first; o < end; o += U65_MICRO)
			for (uint32_t e = 0; e < elements; e++)
				for (uint32_t ii = 0; ii < inner; ii += U65_MICRO)
					u65_element(walk, part, e, o, i + io + ii, last);
}

static void walk_u65(struct walk *walk)
{
	const struct nna_ethosu_weights *w = walk->w;
	uint32_t ifm_block = w->part_kernel || w->ifm_bytes == 2 ? 16 : 32;
	/* Channels are dealt out to the cores, one by one. */
	uint32_t others = w->target->streams - 1 - walk->stream;
	uint32_t depth = (w->ofm_depth + others) / w->target->streams;
	uint32_t block = (w->block_depth + others) / w->target->streams;

	for (uint32_t o = 0; block && o < depth; o += block)
		for (uint32_t i = 0; i < w->ifm_depth; i += ifm_block)
			for (uint32_t y = 0; y < w->height; y += SUBKERNEL / w->dilation_y)
				for (uint32_t x = 0; x < w->width; x += SUBKERNEL / w->dilation_x) {
					const struct part part = part_of(w, y, x);

					if (is_over(walk))
						return;
					u65_part(walk, &part, o, least(o + block, depth), depth, i,
						 ifm_block);
				}
}

/* ---- U85 ------------------------------------------------------------------------------------- */

/**
 * struct u85 - what the order of a U85 depends on
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
	uint32_t micro, ifm_block, ifm_micro, ifm_step, round, pad, stride_y, stride_x;
};

static struct u85 u85_of(const struct nna_ethosu_weights *w)
{
	bool half = w->ifm_bytes == 2;
	struct u85 u = {
		.micro = w->target->macs / 8 / w->microblock,
		.ifm_block = 64,
		.ifm_step = U85_STEP,
		.round = 1,
		.pad = !half && w->target->macs <= 256 ? 0 : w->target->macs <= 512 ? 2 : 6,
		.stride_y = 1,
		.stride_x = 1,
	};

	if (w->part_kernel)
		u.ifm_block = 16;
	else if (w->ifm_bytes == 4 || (w->target->macs <= 256 && u.micro == 16))
		u.ifm_block = 32;
	u.ifm_micro = u.ifm_block;
	if (w->depthwise) {
		u.ifm_micro = 1;
		u.ifm_step = 1;
		u.round = 10;
	} else if (w->part_kernel) {
		u.round = half ? 10 : 5;
		u.ifm_micro = half ? 8 : u.ifm_block;
	}
	if (w->depthwise || w->part_kernel) {
		u.stride_y = w->stride_y;
		u.stride_x = w->stride_x;
	}
	return u;
}

static void u85_element(struct walk *walk, const struct u85 *u, uint32_t y, uint32_t x, uint32_t o,
			uint32_t i)
{
	const uint32_t streams = walk->w->target->streams;

	for (uint32_t ii = i; ii < i + u->ifm_micro; ii += u->ifm_step)
		for (uint32_t oz = walk->stream * U85_GROUP; oz < u->micro;
		     oz += U85_GROUP * streams)
			for (uint32_t group = 0; group < U85_GROUP; group++)
				for (uint32_t iz = 0; iz < u->ifm_step; iz++)
					put(walk, o + oz + group, y, x, ii + iz);
}

/* All elements of a part of the kernel, for one microblock of OFM channels. */
static void u85_part(struct walk *walk, const struct u85 *u, const struct part *part, uint32_t o,
		     uint32_t i)
{
	const bool depthwise = walk->w->depthwise;
	const uint64_t zeros = (uint64_t)u->ifm_micro * u->micro / walk->w->target->streams;
	uint32_t left = round_to(part->height * part->width, u->round);

	/* Phases of the stride; in each, every second row goes backwards. */
	for (uint32_t phase = 0; phase < u->stride_y * u->stride_x; phase++) {
		uint32_t sy = phase / u->stride_x, sx = phase % u->stride_x;
		uint32_t height = (part->height + u->stride_y - 1 - sy) / u->stride_y;
		uint32_t width = (part->width + u->stride_x - 1 - sx) / u->stride_x;

		for (uint32_t e = 0; e < height * width; e++) {
			uint32_t y = e / width, x = y & 1 ? width - 1 - e % width : e % width;

			u85_element(walk, u, part->y + sy + y * u->stride_y,
				    part->x + sx + x * u->stride_x, o, i);
			left--;
			if (depthwise && left % u->round == 0)
				put_zeros(walk, zeros * u->pad);
		}
	}
	if (left)
		put_zeros(walk, zeros * (left + (depthwise ? u->pad : 0)));
}

static void u85_blocks(struct walk *walk, const struct u85 *u, uint32_t o, uint32_t i)
{
	const struct nna_ethosu_weights *w = walk->w;
	uint32_t depth = least(w->block_depth, w->ofm_depth - o);
	uint32_t ifm_depth = w->depthwise ? 1 : least(u->ifm_block, w->ifm_depth - i);

	for (uint32_t x = 0; x < w->width; x += SUBKERNEL / w->dilation_x)
		for (uint32_t y = 0; y < w->height; y += SUBKERNEL / w->dilation_y) {
			const struct part part = part_of(w, y, x);

			for (uint32_t io = 0; io < ifm_depth; io += u->ifm_micro)
				for (uint32_t oz = 0; oz < depth && !is_over(walk); oz += u->micro)
					u85_part(walk, u, &part, o + oz, i + io);
		}
}

/* IFM blocks go up and down alternately from OFM block to OFM block. */
static void walk_u85(struct walk *walk)
{
	const struct nna_ethosu_weights *w = walk->w;
	const struct u85 u = u85_of(w);
	uint32_t blocks = w->depthwise ? 1 : (w->ifm_depth + u.ifm_block - 1) / u.ifm_block;
	bool up = true;

	for (uint32_t o = 0; o < w->ofm_depth && !is_over(walk); o += w->block_depth, up = !up)
		for (uint32_t n = 0; n < blocks; n++)
			u85_blocks(walk, &u, o, (up ? n : blocks - 1 - n) * u.ifm_block);
}

/* ---- both ------------------------------------------------------------------------------------ */

/* Whether each step of a walk has a size. */
static bool has_order(const struct nna_ethosu_weights *w)
{
	if (!w->block_depth || !w->stride_y || !w->stride_x || w->dilation_y - 1 > 1 ||
	    w->dilation_x - 1 > 1)
		return false;
	/* At most this many weights before zeros come in between. */
	if ((uint64_t)w->ofm_depth * w->ifm_depth > NNA_ETHOSU_VALUES_MAX ||
	    (uint64_t)w->height * w->width > NNA_ETHOSU_VALUES_MAX)
		return false;
	return w->target->generation == NNA_ETHOSU_U65 ||
	       (w->target->generation == NNA_ETHOSU_U85 && w->microblock &&
		w->target->macs / 8 / w->microblock >= U85_GROUP);
}

static void walk_stream(struct walk *walk)
{
	if (walk->w->target->generation == NNA_ETHOSU_U65)
		walk_u65(walk);
	else
		walk_u85(walk);
}

uint64_t nna_ethosu_order_count(const struct nna_ethosu_weights *weights, uint32_t stream)
{
	struct walk walk = { .w = weights, .stream = stream };

	if (!has_order(weights))
		return UINT64_MAX;
	walk_stream(&walk);
	return walk.count;
}

void nna_ethosu_order_write(const struct nna_ethosu_weights *weights, uint32_t stream,
			    int16_t *values)
{
	struct walk walk = { .w = weights, .stream = stream, .values = values };

	walk_stream(&walk);
}
