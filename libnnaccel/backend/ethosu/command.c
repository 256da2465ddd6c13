// SPDX-License-Identifier: MIT
#include "libnnaccel/backend/ethosu/command.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Bits of settings. */
#define PRECISION_SIGNED 1u
#define PRECISION_BRICK (1u << 6)
#define PRECISION_NOWHERE (3u << 14) /* U85 */
#define OFM_ONE_SCALE (1u << 8)
#define OFM_ROUNDING_SHIFT 14 /* U65 */
#define SCALE_ROUNDING_SHIFT 13 /* U85 */
#define SCALE_LEFT_SHIFT 6 /* U85 */
#define OPERAND_SCALED_SHIFT 8 /* U65 */
#define BROADCAST_HEIGHT 1u
#define BROADCAST_WIDTH 2u
#define BROADCAST_DEPTH 4u
#define BROADCAST_SCALAR_U85 8u
#define BROADCAST_REVERSED 0x40u /* U65 */
#define BROADCAST_SCALAR_U65 0x80u
#define DMA_INTERNAL 0x100u
#define ACC_WIDE 1u
#define ACC_MICROBLOCK_SHIFT 8
#define WEIGHTS_FAST 1u
#define STOP_MASK 0xffffu

/* Functions of a lookup table of 8 bits: of a U65 for any type, of a U85 by type. */
#define TABLE_U65 16u
#define TABLE_U85_UNSIGNED 1u
#define TABLE_U85_SIGNED 4u
#define TABLE_U85_SHIFT 5
#define NO_CLAMP_U85 (1u << 12)

void nna_ethosu_writer_begin(struct nna_ethosu_writer *w, const struct nna_ethosu_target *target)
{
	memset(w, 0, sizeof(*w));
	w->target = *target;
}

/* ---- words ----------------------------------------------------------------------------------- */

static void put(struct nna_ethosu_writer *w, uint32_t word)
{
	if (w->count == w->room && !w->failed) {
		const uint32_t room = w->room ? 2 * w->room : 256;
		uint32_t *words = NULL;

		if (room <= UINT32_MAX / 8)
			words = realloc(w->words, (size_t)room * sizeof(*words));
		w->failed = !words;
		if (words) {
			w->words = words;
			w->room = room;
		}
	}
	if (!w->failed)
		w->words[w->count++] = word;
}

static void put_operation(struct nna_ethosu_writer *w, uint32_t opcode, uint32_t parameter)
{
	put(w, opcode | parameter << 16);
}

static void set_short(struct nna_ethosu_writer *w, uint32_t opcode, uint32_t value)
{
	const uint32_t at = opcode - 0x100;

	if (w->short_set[at] && w->shorts[at] == (uint16_t)value)
		return;
	w->short_set[at] = true;
	w->shorts[at] = (uint16_t)value;
	put(w, opcode | (value & 0xffff) << 16);
}

static void set_word(struct nna_ethosu_writer *w, uint32_t opcode, uint32_t parameter,
		     uint32_t payload)
{
	const uint64_t value = payload | (uint64_t)parameter << 32;

	if (w->long_set[opcode] && w->longs[opcode] == value)
		return;
	w->long_set[opcode] = true;
	w->longs[opcode] = value;
	put(w, opcode | 1u << ETHOSU_WORD_FORM_SHIFT | parameter << 16);
	put(w, payload);
}

/* An address, a length or a stride, of 40 bits. */
static void set_long(struct nna_ethosu_writer *w, uint32_t opcode, uint64_t value)
{
	set_word(w, opcode, (uint32_t)(value >> 32) & 0xff, (uint32_t)value);
}

/* A region: addresses of another one mean something else, so they are written again. */
static void set_region(struct nna_ethosu_writer *w, uint32_t opcode, uint32_t region,
		       uint32_t first, uint32_t count)
{
	const uint32_t at = opcode - 0x100;

	if (!w->short_set[at] || w->shorts[at] != (uint16_t)region)
		for (uint32_t i = 0; i < count; i++)
			w->long_set[first + i] = false;
	set_short(w, opcode, region);
}

/* ---- feature maps ---------------------------------------------------------------------------- */

/**
 * struct names - opcodes of what IFM, IFM2 and OFM have alike
 */
struct names {
	uint16_t base, stride_x, stride_y, stride_c;
	uint16_t region, width0, height0, height1, zero_point;
};

static const struct names names_ifm = {
	ETHOSU_SET_IFM_BASE0,	 ETHOSU_SET_IFM_STRIDE_X, ETHOSU_SET_IFM_STRIDE_Y,
	ETHOSU_SET_IFM_STRIDE_C, ETHOSU_SET_IFM_REGION,	  ETHOSU_SET_IFM_WIDTH0,
	ETHOSU_SET_IFM_HEIGHT0,	 ETHOSU_SET_IFM_HEIGHT1,  ETHOSU_SET_IFM_ZERO_POINT,
};

static const struct names names_ifm2 = {
	ETHOSU_SET_IFM2_BASE0,	  ETHOSU_SET_IFM2_STRIDE_X, ETHOSU_SET_IFM2_STRIDE_Y,
	ETHOSU_SET_IFM2_STRIDE_C, ETHOSU_SET_IFM2_REGION,   ETHOSU_SET_IFM2_WIDTH0,
	ETHOSU_SET_IFM2_HEIGHT0,  ETHOSU_SET_IFM2_HEIGHT1,  ETHOSU_SET_IFM2_ZERO_POINT,
};

static const struct names names_ofm = {
	ETHOSU_SET_OFM_BASE0,	 ETHOSU_SET_OFM_STRIDE_X, ETHOSU_SET_OFM_STRIDE_Y,
	ETHOSU_SET_OFM_STRIDE_C, ETHOSU_SET_OFM_REGION,	  ETHOSU_SET_OFM_WIDTH0,
	ETHOSU_SET_OFM_HEIGHT0,	 ETHOSU_SET_OFM_HEIGHT1,  ETHOSU_SET_OFM_ZERO_POINT,
};

/* log2 of the bytes of an element: 1, 2 or 4. */
static uint32_t width_of(const struct nna_ethosu_map *map)
{
	return map->bytes >> 1;
}

/* One tile: the others begin behind the last row and column. */
static void set_map(struct nna_ethosu_writer *w, const struct names *names,
		    const struct nna_ethosu_map *map, uint32_t height, uint32_t width)
{
	set_region(w, names->region, map->region, names->base, 4);
	set_long(w, names->base, map->offset);
	for (uint32_t i = 1; i < 4; i++)
		set_long(w, names->base + i, 0);
	set_short(w, names->height0, height - 1);
	set_short(w, names->height1, height - 1);
	set_short(w, names->width0, width - 1);
	set_long(w, names->stride_y, map->stride_y);
	set_long(w, names->stride_x, map->stride_x);
	set_long(w, names->stride_c, map->stride_c);
}

static uint32_t input_word(const struct nna_ethosu_map *map)
{
	return (map->is_signed ? PRECISION_SIGNED : 0) | width_of(map) << 2 |
	       (map->brick ? PRECISION_BRICK : 0);
}

static uint32_t dilated(uint32_t n, uint32_t dilation)
{
	return (n - 1) * dilation + 1;
}

static void set_ifm(struct nna_ethosu_writer *w, const struct nna_ethosu_operation *op)
{
	const struct nna_ethosu_window *k = &op->window;
	const struct nna_ethosu_map ifm = nna_ethosu_operation_ifm(op);
	uint32_t word = input_word(&op->ifm);

	if (op->code != ETHOSU_OP_ELEMENTWISE) {
		set_short(w, ETHOSU_SET_IFM_UPSCALE, k->upscale);
		set_short(w, ETHOSU_SET_IFM_PAD_TOP, k->top);
		set_short(w, ETHOSU_SET_IFM_PAD_LEFT, k->left);
		set_short(w, ETHOSU_SET_IFM_PAD_BOTTOM, k->bottom);
		set_short(w, ETHOSU_SET_IFM_PAD_RIGHT, k->right);
	} else {
		set_short(w, ETHOSU_SET_IFM_UPSCALE, 0);
	}
	if (w->target.generation == NNA_ETHOSU_U65)
		word |= (uint32_t)op->scaled << OPERAND_SCALED_SHIFT;
	set_short(w, ETHOSU_SET_IFM_PRECISION, word);
	set_short(w, ETHOSU_SET_IFM_DEPTH, op->ifm.depth - 1);
	set_short(w, ETHOSU_SET_IFM_ZERO_POINT, (uint32_t)op->ifm.zero_point);
	set_map(w, &names_ifm, &ifm, ifm.height, ifm.width);
}

static uint32_t broadcast(const struct nna_ethosu_map *map, const struct nna_ethosu_map *ofm)
{
	return (map->height < ofm->height ? BROADCAST_HEIGHT : 0) |
	       (map->width < ofm->width ? BROADCAST_WIDTH : 0) |
	       (map->depth < ofm->depth ? BROADCAST_DEPTH : 0);
}

static void set_ifm2(struct nna_ethosu_writer *w, const struct nna_ethosu_operation *op)
{
	const bool u85 = w->target.generation == NNA_ETHOSU_U85;
	uint32_t word = input_word(&op->ifm2);

	set_short(w, ETHOSU_SET_IFM2_ZERO_POINT, (uint32_t)op->ifm2.zero_point);
	if (op->scalar && u85) {
		set_short(w, ETHOSU_SET_IFM2_PRECISION, word | PRECISION_NOWHERE);
		set_short(w, ETHOSU_SET_IFM2_BROADCAST, BROADCAST_SCALAR_U85);
		set_word(w, ETHOSU_SET_SCALAR, 0, (uint32_t)op->constant);
		return;
	}
	set_short(w, ETHOSU_SET_IFM2_PRECISION, word);
	if (op->scalar) {
		set_short(w, ETHOSU_SET_IFM2_BROADCAST,
			  BROADCAST_SCALAR_U65 | (op->reversed ? BROADCAST_REVERSED : 0));
		set_short(w, ETHOSU_SET_IFM2_SCALAR, (uint32_t)op->constant);
		return;
	}
	set_short(w, ETHOSU_SET_IFM2_BROADCAST,
		  broadcast(&op->ifm2, &op->ofm) |
			  (op->reversed && !u85 ? BROADCAST_REVERSED : 0));
	set_map(w, &names_ifm2, &op->ifm2, op->ifm2.height, op->ifm2.width);
}

static void set_ofm(struct nna_ethosu_writer *w, const struct nna_ethosu_operation *op)
{
	static const uint8_t roundings[] = {
		[NNA_ETHOSU_ROUND_DOUBLE] = 0,
		[NNA_ETHOSU_ROUND_NATURAL] = 2,
		[NNA_ETHOSU_ROUND_TRUNCATE] = 1,
		[NNA_ETHOSU_ROUND_SYMMETRIC] = 2, /* there is none: nobody asks for it */
	};
	uint32_t word = (op->ofm.is_signed ? PRECISION_SIGNED : 0) | width_of(&op->ofm) << 1 |
			(op->ofm.brick ? PRECISION_BRICK : 0) |
			(op->one_scale ? OFM_ONE_SCALE : 0);

	if (w->target.generation == NNA_ETHOSU_U65)
		word |= (uint32_t)roundings[op->rounding] << OFM_ROUNDING_SHIFT;
	set_short(w, ETHOSU_SET_OFM_PRECISION, word);
	set_short(w, ETHOSU_SET_OFM_HEIGHT, op->ofm.height - 1);
	set_short(w, ETHOSU_SET_OFM_WIDTH, op->ofm.width - 1);
	set_short(w, ETHOSU_SET_OFM_DEPTH, op->ofm.depth - 1);
	set_short(w, ETHOSU_SET_OFM_ZERO_POINT, (uint32_t)op->ofm.zero_point);
	set_map(w, &names_ofm, &op->ofm, op->ofm.height, op->ofm.width);
}

/* ---- what is done with them ------------------------------------------------------------------ */

static void set_window(struct nna_ethosu_writer *w, const struct nna_ethosu_window *k)
{
	const uint32_t x = k->stride_x - 1, y = k->stride_y - 1;

	set_short(w, ETHOSU_SET_KERNEL_HEIGHT, dilated(k->height, k->dilation_y) - 1);
	set_short(w, ETHOSU_SET_KERNEL_WIDTH, dilated(k->width, k->dilation_x) - 1);
	set_short(w, ETHOSU_SET_KERNEL_STRIDE,
		  (x & 1) | (y & 1) << 1 | (k->part_kernel ? 1u << 2 : 0) |
			  (k->dilation_x - 1) << 3 | (k->dilation_y - 1) << 4 | (x >> 1) << 6 |
			  (y >> 1) << 9);
}

static void set_range(struct nna_ethosu_writer *w, uint32_t opcode,
		      const struct nna_ethosu_range *range)
{
	set_long(w, opcode, range->offset);
	set_long(w, opcode + 1, range->size);
}

static void set_weights(struct nna_ethosu_writer *w, const struct nna_ethosu_operation *op)
{
	static const uint16_t bases[NNA_ETHOSU_STREAMS] = {
		ETHOSU_SET_WEIGHT_BASE, ETHOSU_SET_WEIGHT1_BASE, ETHOSU_SET_WEIGHT2_BASE,
		ETHOSU_SET_WEIGHT3_BASE,
	};
	const uint32_t cores = w->target.generation == NNA_ETHOSU_U65 ? w->target.streams : 1;

	set_region(w, ETHOSU_SET_WEIGHT_REGION, op->weights[0].region, ETHOSU_SET_WEIGHT_BASE, 1);
	for (uint32_t i = 1; i < NNA_ETHOSU_STREAMS; i++)
		w->long_set[bases[i]] = false;
	for (uint32_t i = 0; i < w->target.streams; i++)
		set_range(w, bases[i], &op->weights[i]);
	if (w->target.generation == NNA_ETHOSU_U85)
		set_short(w, ETHOSU_SET_WEIGHT_FORMAT, op->fast_weights ? WEIGHTS_FAST : 0);
	if (op->one_scale)
		return;
	set_region(w, ETHOSU_SET_SCALE_REGION, op->scales[0].region, ETHOSU_SET_SCALE_BASE, 1);
	set_range(w, ETHOSU_SET_SCALE_BASE, &op->scales[0]);
	if (cores > 1)
		set_range(w, ETHOSU_SET_SCALE1_BASE, &op->scales[1]);
}

static uint32_t scale_word(const struct nna_ethosu_scale *scale)
{
	return scale->shift | (uint32_t)scale->left << SCALE_LEFT_SHIFT;
}

static void set_scales(struct nna_ethosu_writer *w, const struct nna_ethosu_operation *op)
{
	static const uint8_t roundings[] = {
		[NNA_ETHOSU_ROUND_DOUBLE] = 0,
		[NNA_ETHOSU_ROUND_NATURAL] = 1,
		[NNA_ETHOSU_ROUND_TRUNCATE] = 4,
		[NNA_ETHOSU_ROUND_SYMMETRIC] = 3,
	};
	const bool u85 = w->target.generation == NNA_ETHOSU_U85;

	if (u85)
		set_word(w, ETHOSU_SET_OFM_SCALE,
			 op->scale.shift | (uint32_t)roundings[op->rounding]
						   << SCALE_ROUNDING_SHIFT,
			 op->scale.scale);
	else if (op->one_scale)
		set_word(w, ETHOSU_SET_OFM_SCALE, op->scale.shift, op->scale.scale);
	if (op->code != ETHOSU_OP_ELEMENTWISE)
		return;
	if (u85) {
		set_word(w, ETHOSU_SET_IFM_SCALE, scale_word(&op->a), op->a.scale);
		set_word(w, ETHOSU_SET_IFM2_SCALE, scale_word(&op->b), op->b.scale);
	} else if (op->mode == NNA_ETHOSU_ADD || op->mode == NNA_ETHOSU_SUB) {
		/* The first factor is that of the operand which is multiplied, whichever it is. */
		const struct nna_ethosu_scale *scaled =
			op->scaled == NNA_ETHOSU_SCALED_B ? &op->b : &op->a;
		const bool both = op->scaled == NNA_ETHOSU_SCALED_BOTH;

		set_word(w, ETHOSU_SET_IFM_SCALE, scaled->shift, scaled->scale);
		set_word(w, ETHOSU_SET_IFM2_SCALE, 0, both ? op->b.scale : 0);
	}
}

static void set_activation(struct nna_ethosu_writer *w, const struct nna_ethosu_operation *op)
{
	const bool u85 = w->target.generation == NNA_ETHOSU_U85;
	uint32_t function = 0;

	if (op->table && u85)
		function = (op->ofm.is_signed ? TABLE_U85_SIGNED : TABLE_U85_UNSIGNED) |
			   (uint32_t)op->table_slot << TABLE_U85_SHIFT;
	else if (op->table)
		function = TABLE_U65 + op->table_slot;
	if (u85 && op->ofm.bytes == 4)
		function |= NO_CLAMP_U85;
	set_short(w, ETHOSU_SET_ACTIVATION, function);
	/* Of a U65 this range means none. */
	set_short(w, ETHOSU_SET_ACTIVATION_MIN, op->ofm.bytes == 4 ? 0x8000 : (uint32_t)op->min);
	set_short(w, ETHOSU_SET_ACTIVATION_MAX, op->ofm.bytes == 4 ? 0x7fff : (uint32_t)op->max);
}

static void set_block(struct nna_ethosu_writer *w, const struct nna_ethosu_block *block)
{
	uint32_t format = block->wide ? ACC_WIDE : 0;

	set_short(w, ETHOSU_SET_OFM_BLOCK_HEIGHT, block->height - 1);
	set_short(w, ETHOSU_SET_OFM_BLOCK_WIDTH, block->width - 1);
	set_short(w, ETHOSU_SET_OFM_BLOCK_DEPTH, block->depth - 1);
	if (w->target.generation == NNA_ETHOSU_U85) {
		format |= (uint32_t)block->microblock << ACC_MICROBLOCK_SHIFT;
	} else {
		set_short(w, ETHOSU_SET_IFM_BUFFER_END, block->input_end);
		set_short(w, ETHOSU_SET_IFM2_BUFFER_START, block->input2_at);
		set_short(w, ETHOSU_SET_ACC_BUFFER_START, block->sums_at);
		set_short(w, ETHOSU_SET_PARALLEL_MODE, w->target.streams - 1);
	}
	set_short(w, ETHOSU_SET_ACC_FORMAT, format);
}

void nna_ethosu_writer_operation(struct nna_ethosu_writer *w,
				 const struct nna_ethosu_operation *op)
{
	const bool element = op->code == ETHOSU_OP_ELEMENTWISE;

	set_ifm(w, op);
	if (element && op->ifm2.bytes)
		set_ifm2(w, op);
	if (element && w->target.generation == NNA_ETHOSU_U85)
		set_short(w, ETHOSU_SET_IFM_BROADCAST, broadcast(&op->ifm, &op->ofm));
	set_ofm(w, op);
	if (!element)
		set_window(w, &op->window);
	if (op->code == ETHOSU_OP_CONV || op->code == ETHOSU_OP_DEPTHWISE)
		set_weights(w, op);
	set_scales(w, op);
	set_activation(w, op);
	set_block(w, &op->block);
	set_short(w, ETHOSU_SET_BLOCKDEP,
		  w->has_before ? nna_ethosu_dependency(&w->target, &w->before, op) : 0);
	if (w->dma_pending)
		put_operation(w, ETHOSU_OP_DMA_WAIT, 0);
	put_operation(w, op->code, op->mode);
	w->before = *op;
	w->has_before = true;
	w->dma_pending = false;
	w->kernel_pending = true;
	w->operations++;
}

static uint32_t dma_word(uint32_t region)
{
	return region == NNA_ETHOSU_INTERNAL ? DMA_INTERNAL : region;
}

void nna_ethosu_writer_copy(struct nna_ethosu_writer *w, uint32_t to_region, uint64_t to,
			    uint32_t from_region, uint64_t from, uint64_t size)
{
	set_region(w, ETHOSU_SET_DMA_SOURCE_REGION, dma_word(from_region), ETHOSU_SET_DMA_SOURCE,
		   1);
	set_long(w, ETHOSU_SET_DMA_SOURCE, from);
	set_region(w, ETHOSU_SET_DMA_TARGET_REGION, dma_word(to_region), ETHOSU_SET_DMA_TARGET, 1);
	set_long(w, ETHOSU_SET_DMA_TARGET, to);
	set_long(w, ETHOSU_SET_DMA_LENGTH, size);
	if (w->kernel_pending)
		put_operation(w, ETHOSU_OP_KERNEL_WAIT, 0);
	/* DMAs may overtake one another. */
	if (w->dma_pending)
		put_operation(w, ETHOSU_OP_DMA_WAIT, 0);
	put_operation(w, ETHOSU_OP_DMA_START, 0);
	w->kernel_pending = false;
	w->dma_pending = true;
	w->operations++;
}

int nna_ethosu_writer_finish(struct nna_ethosu_writer *w, uint32_t **words, uint32_t *count)
{
	put_operation(w, ETHOSU_OP_STOP, STOP_MASK);
	if (w->failed) {
		free(w->words);
		w->words = NULL;
		return -ENOMEM;
	}
	*words = w->words;
	*count = w->count;
	w->words = NULL;
	return 0;
}
