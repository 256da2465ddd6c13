// SPDX-License-Identifier: MIT
#include "device/ethosu/operation.h"

#include <string.h>

#include "hw/ethosu/opcode.h"

#define WINDOW_AREA_MAX 65536u /* of a kernel, dilated */

/**
 * struct names - opcodes of what IFM, IFM2 and OFM have alike
 */
struct names {
	uint32_t base0, stride_x, stride_y, stride_c;
	uint32_t region, width0, height0, height1, zero_point;
};

static const struct names names_ifm = {
	ETHOSU_SET_IFM_BASE0,  ETHOSU_SET_IFM_STRIDE_X, ETHOSU_SET_IFM_STRIDE_Y,
	ETHOSU_SET_IFM_STRIDE_C, ETHOSU_SET_IFM_REGION, ETHOSU_SET_IFM_WIDTH0,
	ETHOSU_SET_IFM_HEIGHT0, ETHOSU_SET_IFM_HEIGHT1, ETHOSU_SET_IFM_ZERO_POINT,
};

static const struct names names_ifm2 = {
	ETHOSU_SET_IFM2_BASE0,  ETHOSU_SET_IFM2_STRIDE_X, ETHOSU_SET_IFM2_STRIDE_Y,
	ETHOSU_SET_IFM2_STRIDE_C, ETHOSU_SET_IFM2_REGION, ETHOSU_SET_IFM2_WIDTH0,
	ETHOSU_SET_IFM2_HEIGHT0, ETHOSU_SET_IFM2_HEIGHT1, ETHOSU_SET_IFM2_ZERO_POINT,
};

static const struct names names_ofm = {
	ETHOSU_SET_OFM_BASE0,  ETHOSU_SET_OFM_STRIDE_X, ETHOSU_SET_OFM_STRIDE_Y,
	ETHOSU_SET_OFM_STRIDE_C, ETHOSU_SET_OFM_REGION, ETHOSU_SET_OFM_WIDTH0,
	ETHOSU_SET_OFM_HEIGHT0, ETHOSU_SET_OFM_HEIGHT1, ETHOSU_SET_OFM_ZERO_POINT,
};

/* @width: bits of the precision word, from 0 for 8 bits on. Return: whether the region exists. */
static bool take_map(struct ethosu_feature_map *map, const struct ethosu_state *state,
		     const uint64_t *regions, const struct names *names, uint32_t precision,
		     uint32_t width, bool u85)
{
	uint32_t region = ethosu_state_short(state, names->region);

	memset(map, 0, sizeof(*map));
	map->is_signed = precision & 1;
	map->bytes = (uint8_t)(1u << width);
	map->brick = (precision >> 6 & 3) == 1;
	map->storage = u85 ? (enum ethosu_storage)(precision >> 14 & 3) : ETHOSU_IN_MEMORY;
	map->zero_point = map->is_signed ? (int16_t)ethosu_state_short(state, names->zero_point)
					 : ethosu_state_short(state, names->zero_point);
	map->stride_x = ethosu_state_stride(state, names->stride_x);
	map->stride_y = ethosu_state_stride(state, names->stride_y);
	map->stride_c = ethosu_state_stride(state, names->stride_c);
	map->width0 = ethosu_state_short(state, names->width0) + 1u;
	map->height0 = ethosu_state_short(state, names->height0) + 1u;
	map->height1 = ethosu_state_short(state, names->height1) + 1u;
	if (map->storage == ETHOSU_IN_CHAIN) {
		map->chain = (uint8_t)(region & (ETHOSU_CHAINS - 1));
		return true;
	}
	region &= ETHOSU_REGIONS - 1;
	for (uint32_t i = 0; i < 4; i++)
		map->base[i] = regions[region] + ethosu_state_address(state, names->base0 + i);
	return (precision >> 6 & 3) < 2;
}

static struct ethosu_range take_range(const struct ethosu_state *state, const uint64_t *regions,
				      uint32_t region, uint32_t base, uint32_t length)
{
	uint32_t n = ethosu_state_short(state, region) & (ETHOSU_REGIONS - 1);

	return (struct ethosu_range){ regions[n] + ethosu_state_address(state, base),
				      ethosu_state_address(state, length) };
}

static void take_window(struct ethosu_window *window, const struct ethosu_state *state)
{
	uint32_t stride = ethosu_state_short(state, ETHOSU_SET_KERNEL_STRIDE);

	window->stride_x = 1 + (stride & 1) + (stride >> 6 & 1) * 2;
	window->stride_y = 1 + (stride >> 1 & 1) + (stride >> 9 & 1) * 2;
	window->dilation_x = 1 + (stride >> 3 & 1);
	window->dilation_y = 1 + (stride >> 4 & 1);
	window->width = ethosu_state_short(state, ETHOSU_SET_KERNEL_WIDTH) / window->dilation_x + 1;
	window->height =
		ethosu_state_short(state, ETHOSU_SET_KERNEL_HEIGHT) / window->dilation_y + 1;
	window->top = ethosu_state_short(state, ETHOSU_SET_IFM_PAD_TOP) & 0x7f;
	window->left = ethosu_state_short(state, ETHOSU_SET_IFM_PAD_LEFT) & 0x7f;
	window->right = ethosu_state_short(state, ETHOSU_SET_IFM_PAD_RIGHT) & 0xff;
	window->bottom = ethosu_state_short(state, ETHOSU_SET_IFM_PAD_BOTTOM) & 0xff;
	window->upscale = ethosu_state_short(state, ETHOSU_SET_IFM_UPSCALE) & 3;
}

/* The size of the IFM is not in the stream: it follows from the OFM's and the kernel. */
static bool size_ifm(struct ethosu_operation *op)
{
	struct ethosu_window *w = &op->window;
	uint64_t kernel_height = (uint64_t)(w->height - 1) * w->dilation_y + 1;
	uint64_t kernel_width = (uint64_t)(w->width - 1) * w->dilation_x + 1;

	if (kernel_height * kernel_width > WINDOW_AREA_MAX || w->upscale == 3)
		return false;
	w->view_height = (int64_t)((uint64_t)(op->ofm.height - 1) * w->stride_y + kernel_height) -
			 w->top - w->bottom;
	w->view_width = (int64_t)((uint64_t)(op->ofm.width - 1) * w->stride_x + kernel_width) -
			w->left - w->right;
	if (w->view_height < 0)
		w->view_height = 0;
	if (w->view_width < 0)
		w->view_width = 0;
	op->ifm.height = (uint32_t)(w->upscale ? (w->view_height + 1) / 2 : w->view_height);
	op->ifm.width = (uint32_t)(w->upscale ? (w->view_width + 1) / 2 : w->view_width);
	return true;
}

static void take_weights(struct ethosu_operation *op, const struct ethosu_config *config,
			 const struct ethosu_state *state, const uint64_t *regions)
{
	static const uint32_t bases[] = { ETHOSU_SET_WEIGHT_BASE, ETHOSU_SET_WEIGHT1_BASE,
					  ETHOSU_SET_WEIGHT2_BASE, ETHOSU_SET_WEIGHT3_BASE };
	uint32_t format = ethosu_state_short(state, ETHOSU_SET_WEIGHT_FORMAT);
	bool u85 = config->generation == ETHOSU_U85;
	uint32_t streams = config->streams;

	if (u85) {
		op->fast_weights = format & 1;
		op->sparse_weights = format >> 4 & 1;
		if (op->fast_weights)
			streams = 1;
	}
	for (uint32_t i = 0; i < streams; i++)
		op->weights[i] = take_range(state, regions, ETHOSU_SET_WEIGHT_REGION, bases[i],
					    bases[i] + 1);
	op->scales[0] = take_range(state, regions, ETHOSU_SET_SCALE_REGION, ETHOSU_SET_SCALE_BASE,
				   ETHOSU_SET_SCALE_LENGTH);
	if (!u85 && streams > 1)
		op->scales[1] = take_range(state, regions, ETHOSU_SET_SCALE_REGION,
					   ETHOSU_SET_SCALE1_BASE, ETHOSU_SET_SCALE1_LENGTH);
}

static struct ethosu_scale take_scale(const struct ethosu_state *state, uint32_t opcode)
{
	uint32_t word = state->params[opcode];

	return (struct ethosu_scale){
		.scale = state->payloads[opcode],
		.shift = word & 0x3f,
		.extra = word >> 6 & 0x1f,
		.rounding = (enum ethosu_rounding)(word >> 13 & 7),
	};
}

static bool take_u65(struct ethosu_operation *op, const struct ethosu_state *state)
{
	static const enum ethosu_rounding roundings[4] = {
		ETHOSU_ROUND_DOUBLE, ETHOSU_ROUND_TO_ZERO, ETHOSU_ROUND_NATURAL,
		ETHOSU_ROUND_NATURAL,
	};
	uint32_t ofm = ethosu_state_short(state, ETHOSU_SET_OFM_PRECISION);
	uint32_t ifm = ethosu_state_short(state, ETHOSU_SET_IFM_PRECISION);
	uint32_t broadcast = ethosu_state_short(state, ETHOSU_SET_IFM2_BROADCAST);
	uint32_t scalar = ethosu_state_short(state, ETHOSU_SET_IFM2_SCALAR);

	op->ofm_scale.scale = state->payloads[ETHOSU_SET_OFM_SCALE];
	op->ofm_scale.shift = state->params[ETHOSU_SET_OFM_SCALE] & 0x3f;
	op->ofm_scale.rounding = roundings[ofm >> 14 & 3];
	op->operand = ifm >> 8 & 3;
	op->operand_a = state->payloads[ETHOSU_SET_IFM_SCALE];
	op->operand_a_shift = state->params[ETHOSU_SET_IFM_SCALE] & 0x3f;
	op->operand_b = state->payloads[ETHOSU_SET_IFM2_SCALE] & 0xffff;
	op->broadcast2 = broadcast & 7;
	op->reversed = broadcast >> 6 & 1;
	op->scalar2 = broadcast >> 7 & 1;
	op->constant = op->ifm2.is_signed ? (int16_t)scalar : (int32_t)scalar;
	op->activation = ethosu_state_short(state, ETHOSU_SET_ACTIVATION) & 0x1f;
	op->clip = ethosu_state_short(state, ETHOSU_SET_ACTIVATION) >> 12 & 7;
	op->wide = (ethosu_state_short(state, ETHOSU_SET_ACC_FORMAT) & 3) == 1;
	return op->operand < 3;
}

static bool take_u85(struct ethosu_operation *op, const struct ethosu_state *state)
{
	static const uint8_t heights[8] = { 1, 1, 1, 2, 2, 4, 2, 0 };
	static const uint8_t widths[8] = { 1, 2, 4, 2, 4, 4, 1, 0 };
	uint32_t ofm = ethosu_state_short(state, ETHOSU_SET_OFM_PRECISION);
	uint32_t acc = ethosu_state_short(state, ETHOSU_SET_ACC_FORMAT);
	uint32_t activation = ethosu_state_short(state, ETHOSU_SET_ACTIVATION);
	uint32_t broadcast = ethosu_state_short(state, ETHOSU_SET_IFM_BROADCAST);
	uint32_t broadcast2 = ethosu_state_short(state, ETHOSU_SET_IFM2_BROADCAST);

	op->ofm_scale = take_scale(state, ETHOSU_SET_OFM_SCALE);
	op->ifm_scale = take_scale(state, ETHOSU_SET_IFM_SCALE);
	op->ifm2_scale = take_scale(state, ETHOSU_SET_IFM2_SCALE);
	op->reverse = ofm >> 9 & 3;
	op->transpose = ofm >> 11 & 7;
	op->microblock_height = heights[acc >> 8 & 7];
	op->microblock_width = widths[acc >> 8 & 7];
	op->wide = (acc & 3) == 1;
	op->accumulators = (enum ethosu_accumulators)(acc >> 4 & 3);
	op->activation = activation & 0x1f;
	op->table = activation >> 5 & 7;
	op->clip = activation >> 12 & 7;
	op->broadcast = broadcast & 7;
	op->broadcast2 = broadcast2 & 7;
	op->scalar = broadcast >> 3 & 1;
	op->scalar2 = broadcast2 >> 3 & 1;
	op->constant = (int32_t)state->payloads[ETHOSU_SET_SCALAR];
	if (acc >> 6 & 1)
		op->ofm.storage = ETHOSU_NOWHERE;
	return op->microblock_height && (acc >> 4 & 3) != 3 && op->ofm_scale.rounding < 6 &&
	       op->transpose != 4 && op->transpose != 5;
}

/* @step: one step in whole elements and parts, of which there are @numerator in one. */
static void take_resize(struct ethosu_operation *op, const struct ethosu_state *state)
{
	static const uint32_t steps[2] = { ETHOSU_SET_RESIZE_X_STEP, ETHOSU_SET_RESIZE_Y_STEP };

	for (uint32_t i = 0; i < 2; i++) {
		int32_t n = (ethosu_state_short(state, ETHOSU_SET_RESIZE_X_SCALE + i) & 0x7ff) + 1;
		uint32_t offset =
			ethosu_state_short(state, ETHOSU_SET_RESIZE_X_OFFSET + i) & 0xfff;

		op->resize[i].numerator = n;
		op->resize[i].step = (int32_t)(state->params[steps[i]] & 0xf) * n +
				     (int32_t)(state->payloads[steps[i]] & 0x7ff);
		op->resize[i].offset = (int32_t)(offset ^ 0x800) - 0x800;
	}
	op->ifm.height = ethosu_state_short(state, ETHOSU_SET_KERNEL_HEIGHT) + 1u;
	op->ifm.width = ethosu_state_short(state, ETHOSU_SET_KERNEL_WIDTH) + 1u;
}

static void size_elementwise(struct ethosu_operation *op)
{
	struct ethosu_feature_map *maps[2] = { &op->ifm, &op->ifm2 };
	uint32_t broadcasts[2] = { op->broadcast, op->broadcast2 };

	for (uint32_t i = 0; i < 2; i++) {
		maps[i]->height = broadcasts[i] & 1 ? 1 : op->ofm.height;
		maps[i]->width = broadcasts[i] & 2 ? 1 : op->ofm.width;
		maps[i]->depth = broadcasts[i] & 4 ? 1 : op->ofm.depth;
	}
}

bool ethosu_operation_take(struct ethosu_operation *op, const struct ethosu_config *config,
			   const struct ethosu_state *state,
			   const uint64_t regions[ETHOSU_REGIONS], uint32_t code, uint32_t mode)
{
	uint32_t ifm = ethosu_state_short(state, ETHOSU_SET_IFM_PRECISION);
	uint32_t ifm2 = ethosu_state_short(state, ETHOSU_SET_IFM2_PRECISION);
	uint32_t ofm = ethosu_state_short(state, ETHOSU_SET_OFM_PRECISION);
	bool u85 = config->generation == ETHOSU_U85;
	bool good;

	memset(op, 0, sizeof(*op));
	op->code = code;
	op->mode = mode;
	good = take_map(&op->ifm, state, regions, &names_ifm, ifm, ifm >> 2 & 3, u85);
	good &= take_map(&op->ifm2, state, regions, &names_ifm2, ifm2, ifm2 >> 2 & 3, u85);
	good &= take_map(&op->ofm, state, regions, &names_ofm, ofm, ofm >> 1 & 3, u85);
	op->ofm.height = ethosu_state_short(state, ETHOSU_SET_OFM_HEIGHT) + 1u;
	op->ofm.width = ethosu_state_short(state, ETHOSU_SET_OFM_WIDTH) + 1u;
	op->ofm.depth = ethosu_state_short(state, ETHOSU_SET_OFM_DEPTH) + 1u;
	op->ifm.depth = ethosu_state_short(state, ETHOSU_SET_IFM_DEPTH) + 1u;
	op->block_height = ethosu_state_short(state, ETHOSU_SET_OFM_BLOCK_HEIGHT) + 1u;
	op->block_width = ethosu_state_short(state, ETHOSU_SET_OFM_BLOCK_WIDTH) + 1u;
	op->block_depth = ethosu_state_short(state, ETHOSU_SET_OFM_BLOCK_DEPTH) + 1u;
	op->part_kernel = ethosu_state_short(state, ETHOSU_SET_KERNEL_STRIDE) >> 2 & 1;
	op->global_scale = ofm >> 8 & 1;
	good &= u85 ? take_u85(op, state) : take_u65(op, state);
	op->min = ethosu_state_short(state, ETHOSU_SET_ACTIVATION_MIN);
	op->max = ethosu_state_short(state, ETHOSU_SET_ACTIVATION_MAX);
	if (op->ofm.is_signed) {
		op->min = (int16_t)op->min;
		op->max = (int16_t)op->max;
	}
	take_window(&op->window, state);
	switch (code) {
	case ETHOSU_OP_CONV:
	case ETHOSU_OP_DEPTHWISE:
		take_weights(op, config, state, regions);
		good &= size_ifm(op) && op->ifm.bytes <= 2;
		if (code == ETHOSU_OP_CONV && u85 && mode & 1) {
			op->ifm2.height = 1;
			op->ifm2.width = op->ofm.depth;
			op->ifm2.depth = op->ifm.depth;
			good &= op->ifm2.bytes <= 2;
		}
		break;
	case ETHOSU_OP_POOL:
		take_weights(op, config, state, regions);
		good &= size_ifm(op) && op->ifm.bytes <= 4 && mode <= (u85 ? 7 : 2);
		break;
	case ETHOSU_OP_ELEMENTWISE:
		size_elementwise(op);
		good &= op->ifm.bytes <= 4 && op->ifm2.bytes <= 4;
		break;
	case ETHOSU_OP_RESIZE:
		take_resize(op, state);
		good &= u85 && op->ifm.bytes <= 2 && mode <= 2;
		break;
	default:
		return false;
	}
	if (op->accumulators == ETHOSU_ACC_IFM2 && code != ETHOSU_OP_ELEMENTWISE &&
	    !(code == ETHOSU_OP_CONV && mode & 1)) {
		op->ifm2.height = op->ofm.height;
		op->ifm2.width = op->ofm.width;
		op->ifm2.depth = op->ofm.depth;
		good &= op->ifm2.bytes >= 4;
	}
	return good;
}
