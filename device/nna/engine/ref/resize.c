// SPDX-License-Identifier: MIT
/*
 * RESIZE, by definition: the scalar kernel. Vector kernels are bit-exact with it.
 *
 * Each output element lies between four elements of the input. resize.h computes these elements and
 * their weights.
 */
#include "device/nna/engine/resize.h"

#define TILE_ELEMENTS 8192u

/* Computes one 8-bit element in integers. The sum stays below 2^28. */
static void resize_fixed(const struct nnadev_engine_command *cmd, const uint32_t *index)
{
	const struct nnahw_cmd_resize *p = (const struct nnahw_cmd_resize *)cmd->raw;
	const struct nnadev_engine_operand *output = &cmd->operands[NNAHW_RESIZE_OUTPUT],
					*input = &cmd->operands[NNAHW_RESIZE_INPUT];
	const int64_t one = NNAHW_RESIZE_ONE, half = one * one / 2;
	struct nnadev_fixed_position at[2];
	int64_t sum = 0;

	for (uint32_t k = 0; k < 2; k++)
		at[k] = nnadev_resize_fixed_position(p, index[1 + k], input->desc.dims[1 + k],
						     output->desc.dims[1 + k]);
	for (uint32_t k = 0; k < 4; k++) {
		const uint32_t from[] = { index[0], k & 2 ? at[0].high : at[0].low,
					  k & 1 ? at[1].high : at[1].low, index[3] };

		sum += nnadev_load_integer(input, nnadev_offset(&input->desc, from)) *
		       (k & 2 ? at[0].weight : one - at[0].weight) *
		       (k & 1 ? at[1].weight : one - at[1].weight);
	}
	/* C's division truncates towards 0, so the half is added with the sum's sign. */
	nnadev_store_integer(output, nnadev_offset(&output->desc, index),
			     (sum + (sum < 0 ? -half : half)) / (one * one));
}

/* Computes one element of U8 as the sum of its four corners. */
static void resize_corners(const struct nnadev_engine_command *cmd, const uint32_t *index)
{
	const struct nnahw_cmd_resize *p = (const struct nnahw_cmd_resize *)cmd->raw;
	const struct nnadev_engine_operand *output = &cmd->operands[NNAHW_RESIZE_OUTPUT],
					*input = &cmd->operands[NNAHW_RESIZE_INPUT];
	const uint32_t *in = input->desc.dims;
	const struct nnadev_position y = nnadev_resize_corners(p, index[1], p->scale_h, in[1]),
				     x = nnadev_resize_corners(p, index[2], p->scale_w, in[2]);
	float sum = 0;

	/* Top and bottom of the left column, then of the right column. */
	for (uint32_t k = 0; k < 4; k++) {
		const uint32_t from[] = { index[0], k & 1 ? y.high : y.low,
					  k & 2 ? x.high : x.low, index[3] };
		float part = (float)nnadev_load_integer(input, nnadev_offset(&input->desc, from));

		part *= k & 1 ? y.fraction : 1 - y.fraction;
		part *= k & 2 ? x.fraction : 1 - x.fraction;
		sum = k ? sum + part : part;
	}
	nnadev_store_integer(output, nnadev_offset(&output->desc, index),
			     nnadev_clamp_s64(nnadev_truncate(sum + 0.5f), 0, UINT8_MAX));
}

static uint32_t resize_tile(const struct nnadev_engine_command *cmd,
			    const struct nnadev_engine_plan *plan, uint32_t phase, uint32_t tile,
			    void *scratch, void *shared)
{
	const struct nnahw_cmd_resize *p = (const struct nnahw_cmd_resize *)cmd->raw;
	const struct nnadev_engine_operand *output = &cmd->operands[NNAHW_RESIZE_OUTPUT],
					*input = &cmd->operands[NNAHW_RESIZE_INPUT];
	const uint32_t *in = input->desc.dims;
	const bool is_float = nnadev_type_is_float(input->desc.type);
	uint32_t index[4], begin, end;

	nnadev_tile_range(plan, tile, output->count, &begin, &end);
	nnadev_unflatten(output->desc.dims, 4, begin, index);
	for (uint32_t i = begin; (p->fixed_point || p->corners) && i < end; i++) {
		if (p->corners)
			resize_corners(cmd, index);
		else
			resize_fixed(cmd, index);
		nnadev_advance(output->desc.dims, 4, index);
	}
	if (p->fixed_point || p->corners)
		return NNAHW_STATUS_OK;
	for (uint32_t i = begin; i < end; i++, nnadev_advance(output->desc.dims, 4, index)) {
		const struct nnadev_position y = nnadev_resize_position(p, index[1], p->scale_h,
									in[1]);
		const struct nnadev_position x = nnadev_resize_position(p, index[2], p->scale_w,
									in[2]);
		const int64_t at = nnadev_offset(&output->desc, index);
		float corner[4], top, bottom, value;

		for (uint32_t k = 0; k < 4; k++) {
			const int64_t from = nnadev_offset(
				&input->desc, (uint32_t[]){ index[0], k & 2 ? y.high : y.low,
							    k & 1 ? x.high : x.low, index[3] });

			corner[k] = is_float ? nnadev_load_float(input, from)
					     : (float)nnadev_load_integer(input, from);
		}
		if (p->kind == NNAHW_RESAMPLE_NEAREST) {
			value = corner[0];
		} else {
			top = corner[0] * (1 - x.fraction) + corner[1] * x.fraction;
			bottom = corner[2] * (1 - x.fraction) + corner[3] * x.fraction;
			value = top * (1 - y.fraction) + bottom * y.fraction;
		}
		if (is_float)
			nnadev_store_value(output, at, value, 0, 0);
		else
			/* The value lies between input elements, so it is in the type's range. */
			nnadev_store_integer(output, at, nnadev_round(value));
	}
	return NNAHW_STATUS_OK;
}

static uint32_t resize_accepts(const struct nnadev_engine_command *cmd,
			       struct nnadev_engine_plan *plan)
{
	const struct nnahw_cmd_resize *p = (const struct nnahw_cmd_resize *)cmd->raw;
	const struct nnadev_engine_operand *output = &cmd->operands[NNAHW_RESIZE_OUTPUT],
					*input = &cmd->operands[NNAHW_RESIZE_INPUT];

	if (p->kind > NNAHW_RESAMPLE_NEAREST || p->align_corners > 1 || p->half_pixel_centers > 1)
		return NNAHW_STATUS_BAD_COMMAND;
	if (p->fixed_point > (p->kind == NNAHW_RESAMPLE_BILINEAR &&
			      !nnadev_type_is_float(output->desc.type)))
		return NNAHW_STATUS_BAD_COMMAND;
	if (p->corners > (p->kind == NNAHW_RESAMPLE_BILINEAR && !p->fixed_point &&
			  output->desc.type == NNAHW_TYPE_U8))
		return NNAHW_STATUS_BAD_COMMAND;
	if (input->desc.type != output->desc.type ||
	    !nnadev_same_quantisation(&input->desc, &output->desc))
		return nnadev_bad_operand(plan, NNAHW_RESIZE_INPUT);
	if (output->desc.rank != 4 || input->desc.rank != 4 ||
	    input->desc.dims[0] != output->desc.dims[0] ||
	    input->desc.dims[3] != output->desc.dims[3])
		return NNAHW_STATUS_BAD_SHAPE;
	if (output->count && !input->count)
		return NNAHW_STATUS_BAD_SHAPE;
	return NNAHW_STATUS_OK;
}

static void resize_plan(const struct nnadev_engine_command *cmd, uint32_t threads,
			struct nnadev_engine_plan *plan)
{
	nnadev_cut(plan, cmd->operands[NNAHW_RESIZE_OUTPUT].count, TILE_ELEMENTS);
}

NNADEV_KERNEL(resize) = { NNAHW_OP_RESIZE, NNADEV_ENGINE_SCALAR, resize_accepts, resize_plan,
			  resize_tile };
