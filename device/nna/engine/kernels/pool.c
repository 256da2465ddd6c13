// SPDX-License-Identifier: MIT
/*
 * POOL. A step computes 16 channels of 8 bits, or a register of floats. Floats are added in the
 * order of the window, so that results equal the scalar kernel's.
 */
#include "device/nna/engine/kernels/floats.h"
#include "device/nna/engine/window.h"

#define TILE_WORK ((1u << 20) / NNADEV_SLOWER) /* input elements */
#define BLOCK 16u /* channels of a piece of work */

/* A window, clipped to the input. */
struct clip {
	int64_t top, left;
	uint32_t rows, columns;
};

static struct clip get_clip(const struct nnadev_window *w, uint32_t y, uint32_t x)
{
	int64_t top = nnadev_window_row(w, y, 0), left = nnadev_window_column(w, x, 0);
	int64_t bottom = top + w->kernel_h, right = left + w->kernel_w;

	top = top < 0 ? 0 : top;
	left = left < 0 ? 0 : left;
	bottom = bottom > w->height ? w->height : bottom;
	right = right > w->width ? w->width : right;
	return (struct clip){ top, left, (uint32_t)(bottom - top), (uint32_t)(right - left) };
}

/*
 * floor((sum + floor(n / 2)) / n); with @away, of |sum|, with the sign of the sum. Division in fp64
 * is exact enough: a quotient is an integer, or at least 2^-20 below the next one.
 */
static nnadev_ints mean(nnadev_ints sum, uint32_t n, bool away)
{
	const nnadev_lanes negative = nnadev_ints_less(sum, nnadev_ints_of(0));
	nnadev_ints q = away ? nnadev_ints_abs(sum) : sum;

	q = nnadev_ints_add(q, nnadev_ints_of((int32_t)(n / 2)));
	q = nnadev_doubles_floor(
		nnadev_doubles_div(nnadev_doubles_from_ints(q), nnadev_doubles_of(n)));
	if (!away)
		return q;
	return nnadev_ints_select(q, nnadev_ints_sub(nnadev_ints_of(0), q), negative);
}

#define PARTS (BLOCK / NNADEV_FLOATS) /* registers of a block */

/* Pools @count channels of 8 bits, at most a block. */
static void pool_integer(const struct nnahw_cmd_pool *p, const struct nnadev_engine_operand *output,
			 int64_t at, const struct nnadev_engine_operand *input, int64_t from,
			 const struct clip *clip, uint32_t count)
{
	const bool max = p->kind == NNAHW_POOL_MAX, is_signed = input->desc.type == NNAHW_TYPE_S8;
	uint8_t result[BLOCK], *to = (uint8_t *)output->data + at;
	nnadev_ints r[PARTS];
	int64_t low, high;

	for (uint32_t i = 0; i < PARTS; i++)
		r[i] = nnadev_ints_of(max ? -256 : 0);
	for (uint32_t y = 0; y < clip->rows; y++) {
		const uint8_t *row = (const uint8_t *)input->data + from +
				     y * (int64_t)input->desc.strides[1];

		for (uint32_t x = 0; x < clip->columns; x++, row += input->desc.strides[2]) {
			uint8_t tail[BLOCK] = { 0 };
			const uint8_t *bytes = row;

			if (count < BLOCK)
				bytes = memcpy(tail, row, count);
#pragma GCC unroll 2
			for (uint32_t i = 0; i < PARTS; i++) {
				const uint8_t *part = bytes + i * NNADEV_FLOATS;
				const nnadev_ints v =
					is_signed ? nnadev_ints_load_s8((const int8_t *)part) :
						    nnadev_ints_load_u8(part);

				r[i] = max ? nnadev_ints_max(r[i], v) : nnadev_ints_add(r[i], v);
			}
		}
	}
	nnadev_type_range(output->desc.type, &low, &high);
	low = nnadev_clamp_s64(p->q_min, low, high);
	high = nnadev_clamp_s64(p->q_max, low, high);
	for (uint32_t i = 0; i < PARTS; i++) {
		if (!max)
			r[i] = mean(r[i], clip->rows * clip->columns, p->away);
		r[i] = nnadev_ints_max(r[i], nnadev_ints_of((int32_t)low));
		r[i] = nnadev_ints_min(r[i], nnadev_ints_of((int32_t)high));
		nnadev_ints_store_u8(result + i * NNADEV_FLOATS, r[i]);
	}
	memcpy(to, result, count);
}

/* Pools @count channels, at most a register. */
static inline __attribute__((always_inline)) nnadev_floats
pool_floats(const struct nnadev_engine_operand *input, int64_t from, const struct clip *clip,
	    uint32_t count, const uint32_t kind, const bool f32)
{
	const float begin = kind == NNAHW_POOL_MAX ? -__builtin_inff() : 0,
		    size = (float)(clip->rows * clip->columns);
	nnadev_floats r = nnadev_floats_of(begin), wrong = nnadev_floats_zero();

	for (uint32_t y = 0; y < clip->rows; y++, from += input->desc.strides[1]) {
		int64_t at = from;

		for (uint32_t x = 0; x < clip->columns; x++, at += input->desc.strides[2]) {
			const nnadev_floats a = nnadev_floats_load_any(input, at, count, f32);

			if (kind == NNAHW_POOL_MAX) {
				r = nnadev_floats_max(r, a);
				wrong = nnadev_floats_or_nan(wrong, a);
			} else {
				r = nnadev_floats_add(
					r, kind == NNAHW_POOL_L2 ? nnadev_floats_mul(a, a) : a);
			}
		}
	}
	if (kind == NNAHW_POOL_MAX)
		return nnadev_floats_or(r, wrong);
	r = nnadev_floats_div(r, nnadev_floats_of(size));
	return kind == NNAHW_POOL_L2 ? nnadev_floats_sqrt(r) : r;
}

/* Pools neighbouring channels of a position. */
static inline __attribute__((always_inline)) void
pool_position(const struct nnahw_cmd_pool *p, const struct nnadev_engine_operand *output,
	      int64_t at, const struct nnadev_engine_operand *input, int64_t from,
	      const struct clip *clip, uint32_t count, const uint32_t kind, const bool f32)
{
	const nnadev_floats low = nnadev_floats_of(p->clamp_min),
			    high = nnadev_floats_of(p->clamp_max);

	for (uint32_t n; count; count -= n, at += n, from += n) {
		nnadev_floats r;
		float result[NNADEV_FLOATS];

		n = count < NNADEV_FLOATS ? count : NNADEV_FLOATS;
		r = n == NNADEV_FLOATS ?
			    pool_floats(input, from, clip, NNADEV_FLOATS, kind, f32) :
			    pool_floats(input, from, clip, n, kind, f32);
		r = nnadev_floats_clamp(r, low, high);
		if (f32) {
			if (n == NNADEV_FLOATS)
				nnadev_floats_store((float *)output->data + at, r);
			else
				nnadev_floats_store_some((float *)output->data + at, n, r);
			continue;
		}
		nnadev_floats_store(result, r);
		for (uint32_t i = 0; i < n; i++)
			nnadev_store_value(output, at + i, result[i], 0, 0);
	}
}

static inline __attribute__((always_inline)) void
pool_float(const struct nnahw_cmd_pool *p, const struct nnadev_engine_operand *output, int64_t at,
	   const struct nnadev_engine_operand *input, int64_t from, const struct clip *clip,
	   uint32_t count, const bool f32)
{
	switch (p->kind) {
	case NNAHW_POOL_MAX:
		pool_position(p, output, at, input, from, clip, count, NNAHW_POOL_MAX, f32);
		break;
	case NNAHW_POOL_L2:
		pool_position(p, output, at, input, from, clip, count, NNAHW_POOL_L2, f32);
		break;
	default:
		pool_position(p, output, at, input, from, clip, count, NNAHW_POOL_AVERAGE, f32);
		break;
	}
}

/* Pools neighbouring channels of a position, of any type. */
static void pool_any(const struct nnahw_cmd_pool *p, const struct nnadev_engine_operand *output,
		     int64_t at, const struct nnadev_engine_operand *input, int64_t from,
		     const struct clip *clip, uint32_t count)
{
	if (output->desc.type == NNAHW_TYPE_F32)
		pool_float(p, output, at, input, from, clip, count, true);
	else if (!nnadev_type_is_quant8(output->desc.type))
		pool_float(p, output, at, input, from, clip, count, false);
	else
		for (uint32_t k = 0; k < count; k += BLOCK)
			pool_integer(p, output, at + k, input, from + k, clip,
				     count - k < BLOCK ? count - k : BLOCK);
}

static uint32_t pool_tile(const struct nnadev_engine_command *cmd,
			  const struct nnadev_engine_plan *plan, uint32_t phase, uint32_t tile,
			  void *scratch, void *shared)
{
	const struct nnahw_cmd_pool *p = (const struct nnahw_cmd_pool *)cmd->raw;
	const struct nnadev_engine_operand *output = &cmd->operands[NNAHW_POOL_OUTPUT],
					*input = &cmd->operands[NNAHW_POOL_INPUT];
	const uint32_t *out = output->desc.dims, blocks = nnadev_div_up(out[3], BLOCK);
	const struct nnadev_window *w = nnadev_state(plan);
	const uint32_t dims[4] = { out[0], out[1], out[2], blocks };
	uint32_t index[4], begin, end;

	/* A piece of work is a block of channels at a position. */
	nnadev_tile_range(plan, tile, out[0] * out[1] * out[2] * blocks, &begin, &end);
	nnadev_unflatten(dims, 4, begin, index);
	for (uint32_t i = begin, n; i < end; i += n) {
		const struct clip clip = get_clip(w, index[1], index[2]);
		const uint32_t first = index[3] * BLOCK, left = blocks - index[3];
		uint32_t count;
		const int64_t at = nnadev_offset(
			&output->desc, (uint32_t[]){ index[0], index[1], index[2], first });
		const int64_t from = nnadev_offset(
			&input->desc,
			(uint32_t[]){ index[0], (uint32_t)clip.top, (uint32_t)clip.left, first });

		/* Pool all blocks of the position that belong to the tile at once. */
		n = left < end - i ? left : end - i;
		count = n < left ? n * BLOCK : out[3] - first;
		pool_any(p, output, at, input, from, &clip, count);
		index[3] += n - 1;
		nnadev_advance(dims, 4, index);
	}
	return NNAHW_STATUS_OK;
}

/* Accepts contiguous channels, if a window is no larger than a tile. */
static uint32_t pool_accepts(const struct nnadev_engine_command *cmd,
			     struct nnadev_engine_plan *plan)
{
	const struct nnahw_cmd_pool *p = (const struct nnahw_cmd_pool *)cmd->raw;

	return nnadev_accept(p->kernel_h * p->kernel_w <= TILE_WORK / BLOCK &&
			     nnadev_innermost_dense(&cmd->operands[NNAHW_POOL_OUTPUT]) &&
			     nnadev_innermost_dense(&cmd->operands[NNAHW_POOL_INPUT]));
}

static void pool_plan(const struct nnadev_engine_command *cmd, uint32_t threads,
		      struct nnadev_engine_plan *plan)
{
	const struct nnahw_cmd_pool *p = (const struct nnahw_cmd_pool *)cmd->raw;
	const uint32_t *out = cmd->operands[NNAHW_POOL_OUTPUT].desc.dims;
	struct nnadev_window *w = nnadev_state_new(plan);

	*w = nnadev_window_of_pool(cmd);
	nnadev_cut(plan, out[0] * out[1] * out[2] * nnadev_div_up(out[3], BLOCK),
		   TILE_WORK / BLOCK / (p->kernel_h * p->kernel_w + 16));
}

NNADEV_VECTOR_KERNEL(pool) = { NNAHW_OP_POOL, NNADEV_SET_ISA, pool_accepts, pool_plan, pool_tile };
