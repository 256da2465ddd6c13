// SPDX-License-Identifier: MIT
/*
 * SOFTMAX, by definition: computes the maximum, the sum of the exponentials, and the results. Along
 * a long axis these are three phases over blocks, and shared memory holds the blocks' maxima and
 * sums. The order of operations is the same as in one phase, so results are the same.
 */
#include "device/nna/engine/kernel.h"

#define TILE_ELEMENTS 8192u

/**
 * struct softmax - a command
 * @output, @input: operands
 * @params: parameters
 * @dims: of the operands, but 1 along the axis, so that they count rows
 * @length: elements of a row, which lies along the axis
 * @rows: number of rows
 * @blocks: blocks of NNAHW_REDUCE_BLOCK elements in a row
 */
struct softmax {
	const struct nnadev_engine_operand *output, *input;
	const struct nnahw_cmd_softmax *params;
	uint32_t dims[NNAHW_MAX_RANK];
	uint32_t length, rows, blocks;
};

/**
 * struct row - a row, or a block of it
 * @from, @to: offsets of the row's first element in input and output
 * @begin, @end: range of the block's elements
 */
struct row {
	int64_t from, to;
	uint32_t begin, end;
};

static void softmax_get(const struct nnadev_engine_command *cmd, struct softmax *s)
{
	s->params = (const struct nnahw_cmd_softmax *)cmd->raw;
	s->output = &cmd->operands[NNAHW_SOFTMAX_OUTPUT];
	s->input = &cmd->operands[NNAHW_SOFTMAX_INPUT];
	memcpy(s->dims, s->output->desc.dims, sizeof(s->dims));
	s->length = s->dims[s->params->axis];
	s->dims[s->params->axis] = 1;
	s->rows = s->length ? s->output->count / s->length : 0;
	s->blocks = nnadev_div_up(s->length, NNAHW_REDUCE_BLOCK);
}

static struct row softmax_row(const struct softmax *s, uint32_t row, uint32_t block)
{
	const uint32_t begin = block * NNAHW_REDUCE_BLOCK;
	const uint32_t end = s->length - begin < NNAHW_REDUCE_BLOCK ? s->length
								    : begin + NNAHW_REDUCE_BLOCK;
	uint32_t index[NNAHW_MAX_RANK];

	nnadev_unflatten(s->dims, s->output->desc.rank, row, index);
	return (struct row){ nnadev_offset(&s->input->desc, index),
			     nnadev_offset(&s->output->desc, index), begin, end };
}

static float softmax_load(const struct softmax *s, const struct row *r, uint32_t i)
{
	return nnadev_load_value(s->input,
				 r->from + (int64_t)i * s->input->desc.strides[s->params->axis]);
}

static float softmax_max(const struct softmax *s, const struct row *r)
{
	float max = softmax_load(s, r, r->begin);

	for (uint32_t i = r->begin + 1; i < r->end; i++) {
		const float x = softmax_load(s, r, i);

		max = x > max ? x : max;
	}
	return max;
}

static float softmax_sum(const struct softmax *s, const struct row *r, float max)
{
	float sum = 0;

	for (uint32_t i = r->begin; i < r->end; i++)
		sum += nnadev_expf((softmax_load(s, r, i) - max) * s->params->beta);
	return sum;
}

static void softmax_write(const struct softmax *s, const struct row *r, float max, float sum)
{
	const float log_sum = s->params->log ? nnadev_logf(sum) : 0;

	for (uint32_t i = r->begin; i < r->end; i++) {
		const float x = (softmax_load(s, r, i) - max) * s->params->beta;

		nnadev_store_value(
			s->output, r->to + (int64_t)i * s->output->desc.strides[s->params->axis],
			s->params->log ? x - log_sum : nnadev_expf(x) / sum, INT32_MIN, INT32_MAX);
	}
}

/* One phase: a tile is a range of rows. */
static void softmax_rows(const struct softmax *s, const struct nnadev_engine_plan *plan,
			 uint32_t tile)
{
	uint32_t begin, end;

	nnadev_tile_range(plan, tile, s->rows, &begin, &end);
	for (uint32_t i = begin; i < end; i++) {
		const struct row r = softmax_row(s, i, 0);
		const float max = softmax_max(s, &r);

		softmax_write(s, &r, max, softmax_sum(s, &r, max));
	}
}

/* Three phases: a tile is a block. @maxima has one number per block; the sums follow the maxima. */
static void softmax_blocks(const struct softmax *s, uint32_t phase, uint32_t tile, float *maxima)
{
	const struct row r = softmax_row(s, tile / s->blocks, tile % s->blocks);
	float *sums, max, sum = 0;

	maxima += (size_t)(tile / s->blocks) * s->blocks;
	sums = maxima + (size_t)s->rows * s->blocks;
	if (phase == 0) {
		maxima[tile % s->blocks] = softmax_max(s, &r);
		return;
	}
	max = maxima[0];
	for (uint32_t i = 1; i < s->blocks; i++)
		max = maxima[i] > max ? maxima[i] : max;
	if (phase == 1) {
		sums[tile % s->blocks] = softmax_sum(s, &r, max);
		return;
	}
	for (uint32_t i = 0; i < s->blocks; i++)
		sum += sums[i];
	softmax_write(s, &r, max, sum);
}

static uint32_t softmax_tile(const struct nnadev_engine_command *cmd,
			     const struct nnadev_engine_plan *plan, uint32_t phase, uint32_t tile,
			     void *scratch, void *shared)
{
	const struct softmax *s = nnadev_state(plan);

	if (s->blocks <= 1)
		softmax_rows(s, plan, tile);
	else
		softmax_blocks(s, phase, tile, shared);
	return NNAHW_STATUS_OK;
}

static uint32_t softmax_accepts(const struct nnadev_engine_command *cmd,
				struct nnadev_engine_plan *plan)
{
	const struct nnahw_cmd_softmax *p = (const struct nnahw_cmd_softmax *)cmd->raw;
	const struct nnahw_tensor *output = &cmd->operands[NNAHW_SOFTMAX_OUTPUT].desc;

	if (p->axis >= output->rank || p->log > 1)
		return NNAHW_STATUS_BAD_COMMAND;
	if (!nnadev_same_dims(output, &cmd->operands[NNAHW_SOFTMAX_INPUT].desc) ||
	    output->dims[p->axis] > NNAHW_LIMIT_SOFTMAX_LENGTH)
		return NNAHW_STATUS_BAD_SHAPE;
	return NNAHW_STATUS_OK;
}

static void softmax_plan(const struct nnadev_engine_command *cmd, uint32_t threads,
			 struct nnadev_engine_plan *plan)
{
	struct softmax *s = nnadev_state_new(plan);

	softmax_get(cmd, s);
	if (s->blocks <= 1) {
		nnadev_cut(plan, s->rows, s->length ? TILE_ELEMENTS / s->length : 1);
		return;
	}
	/* At most 2^31 elements in blocks of 2^12, half of the blocks nearly empty: below 9 MiB. */
	plan->shared_size = s->rows * s->blocks * 2 * (uint32_t)sizeof(float);
	plan->phases = s->rows ? 3 : 0;
	for (uint32_t phase = 0; phase < plan->phases; phase++)
		plan->phase_tiles[phase] = s->rows * s->blocks;
}

NNADEV_STATE_FITS(struct softmax);
NNADEV_KERNEL(softmax) = { NNAHW_OP_SOFTMAX, NNADEV_ENGINE_SCALAR, softmax_accepts, softmax_plan,
			   softmax_tile };
