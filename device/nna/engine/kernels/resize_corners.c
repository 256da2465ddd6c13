// SPDX-License-Identifier: MIT
/*
 * RESIZE as sums of four corners, a register of channels at a time, with the scalar kernel's
 * operations in their order. With sets that have 16-bit integers for whole sixteenths, resize.c
 * accepts commands with such weights and computes the same bits faster.
 */
#include "device/nna/engine/resize.h"
#include "device/nna/engine/simd/simd.h"

#define TILE_ELEMENTS 16384u
#define MOST_CHANNELS (1u << 20)

/*
 * Return: a register of channels of a corner, @n of which are present, times the weights of the
 * corner's row and column.
 */
static inline nnadev_floats corner(const uint8_t *from, uint32_t n, nnadev_floats row,
				   nnadev_floats column)
{
	uint8_t part[NNADEV_FLOATS] = { 0 };

	if (n < NNADEV_FLOATS)
		from = memcpy(part, from, n);
	return nnadev_floats_mul(
		nnadev_floats_mul(nnadev_floats_from(nnadev_ints_load_u8(from)), row), column);
}

/* Computes the channels of one pixel. @from: the corners in the order of the sum. */
static void pixel(uint8_t *to, const uint8_t *const *from, uint32_t channels, float fy, float fx)
{
	const nnadev_floats top = nnadev_floats_of(1 - fy), bottom = nnadev_floats_of(fy),
			    left = nnadev_floats_of(1 - fx), right = nnadev_floats_of(fx),
			    half = nnadev_floats_of(0.5f);

	for (uint32_t i = 0; i < channels; i += NNADEV_FLOATS) {
		const uint32_t n = channels - i;
		nnadev_floats sum = nnadev_floats_add(corner(from[0] + i, n, top, left),
						      corner(from[1] + i, n, bottom, left));
		uint8_t part[NNADEV_FLOATS];

		sum = nnadev_floats_add(sum, corner(from[2] + i, n, top, right));
		sum = nnadev_floats_add(sum, corner(from[3] + i, n, bottom, right));
		/* A NaN gives 0. */
		sum = nnadev_floats_limit(nnadev_floats_add(sum, half), 0, UINT8_MAX);
		nnadev_ints_store_u8(n < NNADEV_FLOATS ? part : to + i, nnadev_ints_truncate(sum));
		if (n < NNADEV_FLOATS)
			memcpy(to + i, part, n);
	}
}

static uint32_t corners_tile(const struct nnadev_engine_command *cmd,
			     const struct nnadev_engine_plan *plan, uint32_t phase, uint32_t tile,
			     void *scratch, void *shared)
{
	const struct nnahw_cmd_resize *p = (const struct nnahw_cmd_resize *)cmd->raw;
	const struct nnadev_engine_operand *output = &cmd->operands[NNAHW_RESIZE_OUTPUT],
					*input = &cmd->operands[NNAHW_RESIZE_INPUT];
	const uint32_t *in = input->desc.dims, *out = output->desc.dims;
	uint32_t index[3], begin, end;

	nnadev_tile_range(plan, tile, out[0] * out[1] * out[2], &begin, &end);
	nnadev_unflatten(out, 3, begin, index);
	for (uint32_t i = begin; i < end; i++, nnadev_advance(out, 3, index)) {
		const struct nnadev_position y = nnadev_resize_corners(p, index[1], p->scale_h,
								       in[1]),
					     x = nnadev_resize_corners(p, index[2], p->scale_w,
								       in[2]);
		const uint8_t *from[4];

		for (uint32_t k = 0; k < 4; k++)
			from[k] = (const uint8_t *)input->data +
				  nnadev_offset(&input->desc,
						(uint32_t[]){ index[0], k & 1 ? y.high : y.low,
							      k & 2 ? x.high : x.low, 0 });
		pixel((uint8_t *)output->data +
			      nnadev_offset(&output->desc, (uint32_t[]){ index[0], index[1],
									 index[2], 0 }),
		      from, out[3], y.fraction, x.fraction);
	}
	return NNAHW_STATUS_OK;
}

/* Accepts contiguous channels, if the channels of a pixel are not too many for a tile. */
static uint32_t corners_accepts(const struct nnadev_engine_command *cmd,
				struct nnadev_engine_plan *plan)
{
	const struct nnahw_cmd_resize *p = (const struct nnahw_cmd_resize *)cmd->raw;

	return nnadev_accept(p->corners &&
			     cmd->operands[NNAHW_RESIZE_OUTPUT].desc.dims[3] <= MOST_CHANNELS &&
			     nnadev_innermost_dense(&cmd->operands[NNAHW_RESIZE_OUTPUT]) &&
			     nnadev_innermost_dense(&cmd->operands[NNAHW_RESIZE_INPUT]));
}

static void corners_plan(const struct nnadev_engine_command *cmd, uint32_t threads,
			 struct nnadev_engine_plan *plan)
{
	const uint32_t *out = cmd->operands[NNAHW_RESIZE_OUTPUT].desc.dims;

	nnadev_cut(plan, out[0] * out[1] * out[2], TILE_ELEMENTS / (out[3] + 8) + 1);
}

NNADEV_VECTOR_KERNEL(resize_corners) = { NNAHW_OP_RESIZE, NNADEV_SET_ISA, corners_accepts,
					 corners_plan, corners_tile };
