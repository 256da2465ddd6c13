// SPDX-License-Identifier: MIT
/*
 * SOFTMAX of contiguous rows of at most one block. The exponential of each element is computed
 * once, a register at a time. Short rows that follow each other in memory are computed together, so
 * that a register has elements of several. Exponentials are added one by one in the order of the
 * scalar kernel, so that results have the same bits.
 */
#include "device/nna/engine/kernels/doubles.h"
#include "device/nna/engine/kernels/values.h"

#define TILE_ELEMENTS 32768u
#define TOGETHER 1024u /* elements of rows that are computed together */

/**
 * struct softmax - the decoded command, state of the plan
 * @dims: of the operands, but 1 along the axis, so that they count rows
 * @length: elements of a row
 * @rows: number of rows
 * @together: rows that are computed together
 */
struct softmax {
	uint32_t dims[NNAHW_MAX_RANK];
	uint32_t length, rows, together;
};

/* Return: values of rows that are computed together, rounded up to whole registers. */
static uint32_t room_of(const struct softmax *s)
{
	return (s->together * s->length + NNADEV_FLOATS - 1) & ~(NNADEV_FLOATS - 1);
}

/* Compares as the scalar kernel does: a NaN is the maximum only if it comes first. */
static float find_max(const float *x, uint32_t n)
{
	nnadev_floats most = nnadev_floats_of(x[0]);
	float lanes[NNADEV_FLOATS], max = x[0];
	uint32_t i = 0;

	for (; i + NNADEV_FLOATS <= n; i += NNADEV_FLOATS)
		most = nnadev_floats_max(nnadev_floats_load(x + i), most);
	if (i)
		nnadev_floats_store(lanes, most);
	for (uint32_t k = 0; i && k < NNADEV_FLOATS; k++)
		max = lanes[k] > max ? lanes[k] : max;
	for (; i < n; i++)
		max = x[i] > max ? x[i] : max;
	return max;
}

/* Sets the @n numbers of a row. */
static void fill(float *to, uint32_t n, float x)
{
	for (uint32_t i = 0; i < n; i++)
		to[i] = x;
}

/*
 * Computes rows one after the other at @x. @y gets the results; @each has room for a number of each
 * row, repeated for its elements.
 */
static void compute(const struct softmax *s, const struct nnahw_cmd_softmax *p, float *x, float *y,
		    float *each, uint32_t rows)
{
	const uint32_t n = s->length, all = rows * n;
	const nnadev_floats beta = nnadev_floats_of(p->beta);

	for (uint32_t r = 0; r < rows; r++)
		fill(each + r * n, n, find_max(x + r * n, n));
	for (uint32_t i = 0; i < all; i += NNADEV_FLOATS) {
		const nnadev_floats scaled = nnadev_floats_mul(
			nnadev_floats_sub(nnadev_floats_load(x + i), nnadev_floats_load(each + i)),
			beta);

		nnadev_floats_store(x + i, scaled);
		nnadev_floats_store(y + i, nnadev_exact_exp(scaled));
	}
	for (uint32_t r = 0; r < rows; r++) {
		float sum = 0;

		for (uint32_t i = 0; i < n; i++)
			sum += y[r * n + i];
		fill(each + r * n, n, p->log ? nnadev_logf(sum) : sum);
	}
	for (uint32_t i = 0; i < all; i += NNADEV_FLOATS) {
		const nnadev_floats v = nnadev_floats_load(each + i);

		nnadev_floats_store(y + i,
				    p->log ? nnadev_floats_sub(nnadev_floats_load(x + i), v) :
					     nnadev_floats_div(nnadev_floats_load(y + i), v));
	}
}

static uint32_t softmax_tile(const struct nnadev_engine_command *cmd,
			     const struct nnadev_engine_plan *plan, uint32_t phase, uint32_t tile,
			     void *scratch, void *shared)
{
	const struct nnahw_cmd_softmax *p = (const struct nnahw_cmd_softmax *)cmd->raw;
	const struct nnadev_engine_operand *output = &cmd->operands[NNAHW_SOFTMAX_OUTPUT];
	const struct nnadev_engine_operand *input = &cmd->operands[NNAHW_SOFTMAX_INPUT];
	const struct softmax *s = nnadev_state(plan);
	const uint32_t rank = output->desc.rank, room = room_of(s);
	float *x = scratch, *y = x + room, *each = y + room;
	uint32_t index[NNAHW_MAX_RANK], begin, end, rows;

	nnadev_tile_range(plan, tile, s->rows, &begin, &end);
	nnadev_unflatten(s->dims, rank, begin, index);
	for (uint32_t i = begin; i < end; i += rows) {
		uint32_t last;

		rows = end - i < s->together ? end - i : s->together;
		/* The last register reaches behind the last element. */
		last = (rows * s->length - 1) & ~(NNADEV_FLOATS - 1);
		nnadev_floats_store(x + last, nnadev_floats_zero());
		nnadev_floats_store(each + last, nnadev_floats_zero());
		nnadev_load_values(x, input, nnadev_offset(&input->desc, index), 1,
				   rows * s->length);
		compute(s, p, x, y, each, rows);
		nnadev_store_values(output, nnadev_offset(&output->desc, index), y,
				    rows * s->length, INT32_MIN, INT32_MAX);
		if (s->together == 1)
			nnadev_advance(s->dims, rank, index);
		else
			nnadev_unflatten(s->dims, rank, i + rows, index);
	}
	return NNAHW_STATUS_OK;
}

static uint32_t softmax_accepts(const struct nnadev_engine_command *cmd,
				struct nnadev_engine_plan *plan)
{
	const struct nnahw_cmd_softmax *p = (const struct nnahw_cmd_softmax *)cmd->raw;
	const struct nnadev_engine_operand *output = &cmd->operands[NNAHW_SOFTMAX_OUTPUT];

	return nnadev_accept(p->axis == output->desc.rank - 1u &&
			     output->desc.dims[p->axis] <= NNAHW_REDUCE_BLOCK &&
			     nnadev_innermost_dense(output) &&
			     nnadev_innermost_dense(&cmd->operands[NNAHW_SOFTMAX_INPUT]));
}

static void softmax_plan(const struct nnadev_engine_command *cmd, uint32_t threads,
			 struct nnadev_engine_plan *plan)
{
	const struct nnahw_cmd_softmax *p = (const struct nnahw_cmd_softmax *)cmd->raw;
	const struct nnadev_engine_operand *output = &cmd->operands[NNAHW_SOFTMAX_OUTPUT];
	struct softmax *s = nnadev_state_new(plan);

	memcpy(s->dims, output->desc.dims, sizeof(s->dims));
	s->length = s->dims[p->axis];
	s->dims[p->axis] = 1;
	s->rows = output->count / s->length;
	s->together = 1;
	if (output->contiguous && cmd->operands[NNAHW_SOFTMAX_INPUT].contiguous &&
	    s->length < TOGETHER)
		s->together = TOGETHER / s->length;
	plan->scratch_size = 3 * room_of(s) * (uint32_t)sizeof(float);
	nnadev_cut(plan, s->rows, TILE_ELEMENTS / (s->length + 32));
}

NNADEV_STATE_FITS(struct softmax);
NNADEV_VECTOR_KERNEL(softmax) = { NNAHW_OP_SOFTMAX, NNADEV_SET_ISA, softmax_accepts, softmax_plan,
				  softmax_tile };
