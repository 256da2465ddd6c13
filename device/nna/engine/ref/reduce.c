// SPDX-License-Identifier: MIT
/*
 * REDUCE, by definition. If many elements are reduced to one, a first phase reduces blocks of them
 * into shared memory, and a second phase reduces the blocks' results. The order of operations is
 * the same as in one phase, so results are the same.
 */
#include "device/nna/engine/ewise.h"
#include "device/nna/engine/reduce.h"

#define TILE_ELEMENTS 16384u
#define MAX_BLOCKS_IN_TILE 4u
#define MAX_RESULTS_IN_TILE 65536u

static union nnadev_reduction reduce_start(const struct nnadev_reduce *r)
{
	union nnadev_reduction x = { .i = 0 };
	int64_t min, max;

	nnadev_type_range(r->input->desc.type, &min, &max);
	switch (r->params->kind) {
	case NNAHW_REDUCTION_PROD:
	case NNAHW_REDUCTION_ALL:
		x.i = 1;
		break;
	case NNAHW_REDUCTION_MAX:
		x.i = min;
		break;
	case NNAHW_REDUCTION_MIN:
		x.i = max;
		break;
	}
	if (r->in_float)
		x.f = r->params->kind == NNAHW_REDUCTION_MAX ? -__builtin_inff() :
		      r->params->kind == NNAHW_REDUCTION_MIN ? __builtin_inff() : (float)x.i;
	return x;
}

static union nnadev_reduction reduce_step(const struct nnadev_reduce *r,
					  union nnadev_reduction x,
					  union nnadev_reduction y)
{
	switch (r->params->kind) {
	case NNAHW_REDUCTION_SUM:
	case NNAHW_REDUCTION_MEAN:
		if (r->in_float)
			x.f += y.f;
		else
			x.i = (int64_t)((uint64_t)x.i + (uint64_t)y.i);
		break;
	case NNAHW_REDUCTION_PROD:
		if (r->in_float)
			x.f = (float)x.f * (float)y.f;
		else
			x.i = (int64_t)((uint64_t)x.i * (uint64_t)y.i);
		break;
	case NNAHW_REDUCTION_MAX:
		if (r->in_float ? y.f > x.f || y.f != y.f : y.i > x.i)
			x = y;
		break;
	case NNAHW_REDUCTION_MIN:
		if (r->in_float ? y.f < x.f || y.f != y.f : y.i < x.i)
			x = y;
		break;
	case NNAHW_REDUCTION_ALL:
		if (r->in_float)
			x.f = x.f != 0 && y.f != 0;
		else
			x.i = x.i && y.i;
		break;
	default:
		if (r->in_float)
			x.f = x.f != 0 || y.f != 0;
		else
			x.i = x.i || y.i;
		break;
	}
	return x;
}

/* Reduces block number @block of the elements that make the output element at @index. */
static union nnadev_reduction reduce_block(const struct nnadev_reduce *r, const uint32_t *index,
					   uint32_t block)
{
	const uint32_t begin = block * NNAHW_REDUCE_BLOCK, kind = r->params->kind;
	const uint32_t end = r->size - begin < NNAHW_REDUCE_BLOCK ? r->size
								: begin + NNAHW_REDUCE_BLOCK;
	const bool centred = nnadev_is_quantised(&r->input->desc) &&
			     (kind == NNAHW_REDUCTION_SUM || kind == NNAHW_REDUCTION_MEAN);
	uint32_t inner[NNAHW_MAX_RANK], full[NNAHW_MAX_RANK];
	union nnadev_reduction x = reduce_start(r), y = { .i = 0 };

	memcpy(full, index, sizeof(full[0]) * r->input->desc.rank);
	nnadev_unflatten(r->dims, r->rank, begin, inner);
	for (uint32_t i = begin; i < end; i++, nnadev_advance(r->dims, r->rank, inner)) {
		int64_t at;

		for (uint32_t k = 0; k < r->rank; k++)
			full[r->axes[k]] = inner[k];
		at = nnadev_offset(&r->input->desc, full);
		if (r->in_float)
			y.f = nnadev_load_value(r->input, at);
		else
			y.i = centred ? nnadev_load_centred(r->input, at)
				      : nnadev_load_integer(r->input, at);
		x = reduce_step(r, x, y);
	}
	return x;
}

/* floor(x * multiplier * 2^-shift + 1/2) in 32 bits that wrap. A product has at most 63 bits. */
static int32_t reduce_scale(const struct nnahw_cmd_reduce *p, int64_t x)
{
	const uint64_t product = (uint64_t)x * (uint64_t)p->multiplier;

	return (int32_t)(uint32_t)nnadev_shift_right(
		(int64_t)(product + (1ull << (p->shift - 1))), p->shift);
}

/* Return: the PROD of an output element, scaled after each factor. */
static int64_t reduce_scaled_product(const struct nnadev_reduce *r, const uint32_t *index)
{
	uint32_t inner[NNAHW_MAX_RANK] = { 0 }, full[NNAHW_MAX_RANK];
	int32_t x = 0;

	memcpy(full, index, sizeof(full[0]) * r->input->desc.rank);
	for (uint32_t i = 0; i < r->size; i++, nnadev_advance(r->dims, r->rank, inner)) {
		int64_t factor;

		for (uint32_t k = 0; k < r->rank; k++)
			full[r->axes[k]] = inner[k];
		factor = nnadev_load_centred(r->input, nnadev_offset(&r->input->desc, full));
		x = i ? reduce_scale(r->params, x * factor) : (int32_t)factor;
	}
	return reduce_scale(r->params, x);
}

/* One phase: a tile is a range of outputs. */
static void reduce_outputs(const struct nnadev_reduce *r, const struct nnadev_engine_plan *plan,
			   uint32_t tile)
{
	uint32_t index[NNAHW_MAX_RANK], begin, end;

	nnadev_tile_range(plan, tile, r->output->count, &begin, &end);
	nnadev_unflatten(r->output->desc.dims, r->output->desc.rank, begin, index);
	for (uint32_t i = begin; i < end;
	     i++, nnadev_advance(r->output->desc.dims, r->output->desc.rank, index)) {
		union nnadev_reduction x = reduce_start(r);

		if (nnadev_reduce_is_scaled_product(r->params)) {
			nnadev_store_centred(r->output, nnadev_offset(&r->output->desc, index),
					     reduce_scaled_product(r, index), r->params->q_min,
					     r->params->q_max);
			continue;
		}
		for (uint32_t block = 0; block < r->blocks; block++)
			x = reduce_step(r, x, reduce_block(r, index, block));
		nnadev_reduce_finish(r, nnadev_offset(&r->output->desc, index), x);
	}
}

/*
 * Two phases: a tile is MAX_BLOCKS_IN_TILE blocks in the first, one output in the second. A round
 * of the second phase reduces a range of the blocks' results and stores its own result in the place
 * of the last one.
 */
static void reduce_blocks(const struct nnadev_reduce *r, uint32_t phase, uint32_t round,
			  uint32_t tile, union nnadev_reduction *results)
{
	uint32_t begin, end;
	const uint32_t parts = phase ? 1 : nnadev_div_up(r->blocks, MAX_BLOCKS_IN_TILE),
		       output = tile / parts, first = tile % parts * MAX_BLOCKS_IN_TILE;
	uint32_t index[NNAHW_MAX_RANK];
	union nnadev_reduction x;

	results += (size_t)output * r->blocks;
	nnadev_unflatten(r->output->desc.dims, r->output->desc.rank, output, index);
	if (phase == 0) {
		for (uint32_t block = first;
		     block < r->blocks && block < first + MAX_BLOCKS_IN_TILE; block++)
			results[block] = reduce_block(r, index, block);
		return;
	}
	begin = round * MAX_RESULTS_IN_TILE;
	end = r->blocks - begin < MAX_RESULTS_IN_TILE ? r->blocks : begin + MAX_RESULTS_IN_TILE;
	x = begin ? results[begin - 1] : reduce_start(r);
	for (uint32_t block = begin; block < end; block++)
		x = reduce_step(r, x, results[block]);
	results[end - 1] = x;
	if (end == r->blocks)
		nnadev_reduce_finish(r, nnadev_offset(&r->output->desc, index), x);
}

static uint32_t reduce_tile(const struct nnadev_engine_command *cmd,
			    const struct nnadev_engine_plan *plan, uint32_t phase, uint32_t tile,
			    void *scratch, void *shared)
{
	const struct nnadev_reduce *r = nnadev_state(plan);

	if (r->blocks <= MAX_BLOCKS_IN_TILE || nnadev_reduce_is_scaled_product(r->params))
		reduce_outputs(r, plan, tile);
	else
		reduce_blocks(r, phase, (uint32_t)plan->round, tile, shared);
	return NNAHW_STATUS_OK;
}

static uint32_t reduce_accepts(const struct nnadev_engine_command *cmd,
			       struct nnadev_engine_plan *plan)
{
	const struct nnahw_cmd_reduce *p = (const struct nnahw_cmd_reduce *)cmd->raw;
	const struct nnadev_engine_operand *output = &cmd->operands[NNAHW_REDUCE_OUTPUT],
					*input = &cmd->operands[NNAHW_REDUCE_INPUT];

	if (p->kind > NNAHW_REDUCTION_ANY || p->axes >> input->desc.rank)
		return NNAHW_STATUS_BAD_COMMAND;
	if (nnadev_is_quantised(&output->desc) && p->q_min > p->q_max)
		return NNAHW_STATUS_BAD_COMMAND;
	if (p->multiplier && p->kind > NNAHW_REDUCTION_PROD)
		return NNAHW_STATUS_BAD_COMMAND;
	if (nnadev_reduce_is_scaled_product(p) &&
	    (p->multiplier < 1 || p->multiplier > 32768 || p->shift < 1 || p->shift > 62))
		return NNAHW_STATUS_BAD_COMMAND;
	for (uint32_t i = 0; p->multiplier && i < 2; i++)
		if (!nnadev_type_is_quant8(cmd->operands[i].desc.type) ||
		    !nnadev_is_quantised(&cmd->operands[i].desc))
			return nnadev_bad_operand(plan, i);
	if (output->desc.rank != input->desc.rank)
		return NNAHW_STATUS_BAD_SHAPE;
	for (uint32_t k = 0; k < input->desc.rank; k++)
		if (output->desc.dims[k] != (p->axes >> k & 1 ? 1 : input->desc.dims[k]))
			return NNAHW_STATUS_BAD_SHAPE;
	if (nnadev_reduce_is_scaled_product(p) && output->count &&
	    input->count / output->count > NNAHW_LIMIT_REDUCE_FACTORS)
		return NNAHW_STATUS_BAD_SHAPE;
	return NNAHW_STATUS_OK;
}

static void reduce_plan(const struct nnadev_engine_command *cmd, uint32_t threads,
			struct nnadev_engine_plan *plan)
{
	struct nnadev_reduce *r = nnadev_state_new(plan);

	nnadev_reduce_get(r, cmd);
	if (r->blocks <= MAX_BLOCKS_IN_TILE || nnadev_reduce_is_scaled_product(r->params)) {
		nnadev_cut(plan, r->output->count, TILE_ELEMENTS / (r->size + 1));
		return;
	}
	/* At most 2^31 elements, 2^12 in a block and more than 4 blocks per output: below 9 MiB. */
	plan->shared_size = r->output->count * r->blocks * (uint32_t)sizeof(union nnadev_reduction);
	plan->phases = 2;
	plan->phase_tiles[0] = r->output->count * nnadev_div_up(r->blocks, MAX_BLOCKS_IN_TILE);
	plan->phase_tiles[1] = r->output->count;
	plan->rounds[1] = nnadev_div_up(r->blocks, MAX_RESULTS_IN_TILE);
}

NNADEV_STATE_FITS(struct nnadev_reduce);
NNADEV_KERNEL(reduce) = { NNAHW_OP_REDUCE, NNADEV_ENGINE_SCALAR, reduce_accepts, reduce_plan,
			  reduce_tile };
