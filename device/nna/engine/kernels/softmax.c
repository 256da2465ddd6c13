// SPDX-License-Identifier: MIT
/*
 * SOFTMAX of contiguous rows of at most one block. The exponential of each element is computed
 * once, a register at a time. Exponentials are added one by one in the order of the scalar kernel,
 * so that results have the same bits.
 */
#include "device/nna/engine/kernels/doubles.h"
#include "device/nna/engine/kernels/values.h"

#define TILE_ELEMENTS 32768u

/**
 * struct softmax - the decoded command, state of the plan
 * @dims: of the operands, but 1 along the axis, so that they count rows
 * @length: elements of a row
 * @rows: number of rows
 */
struct softmax {
	uint32_t dims[NNAHW_MAX_RANK];
	uint32_t length, rows;
};

/* Return: values of a row, rounded up to whole registers. */
static uint32_t row_room(uint32_t length)
{
	return (length + NNADEV_FLOATS - 1) & ~(NNADEV_FLOATS - 1);
}

/* Compares as the scalar kernel does: a NaN is the maximum only if it comes first. */
static float find_max(const float *x, uint32_t n)
{
	nnadev_floats most = nnadev_floats_of(x[0]);
	float lanes[NNADEV_FLOATS], max = x[0];
	uint32_t i = 0;

	for (; i + NNADEV_FLOATS <= n; i += NNADEV_FLOATS)
		most = nnadev_floats_max(nnadev_floats_load(x + i), most);
	nnadev_floats_store(lanes, most);
	for (uint32_t k = 0; k < NNADEV_FLOATS; k++)
		max = lanes[k] > max ? lanes[k] : max;
	for (; i < n; i++)
		max = x[i] > max ? x[i] : max;
	return max;
}

/*
 * Replaces x by (x - max) * beta and stores its exponentials to @y. Return: the sum of the
 * exponentials.
 */
static float exponentials(float *x, float *y, uint32_t n, float max, float beta)
{
	float sum = 0;

	for (uint32_t i = 0; i < n; i += NNADEV_FLOATS) {
		const nnadev_floats scaled = nnadev_floats_mul(
			nnadev_floats_sub(nnadev_floats_load(x + i), nnadev_floats_of(max)),
			nnadev_floats_of(beta));

		nnadev_floats_store(x + i, scaled);
		nnadev_floats_store(y + i, nnadev_exact_exp(scaled));
	}
	for (uint32_t i = 0; i < n; i++)
		sum += y[i];
	return sum;
}

static uint32_t softmax_tile(const struct nnadev_engine_command *cmd,
			     const struct nnadev_engine_plan *plan, uint32_t phase, uint32_t tile,
			     void *scratch, void *shared)
{
	const struct nnahw_cmd_softmax *p = (const struct nnahw_cmd_softmax *)cmd->raw;
	const struct nnadev_engine_operand *output = &cmd->operands[NNAHW_SOFTMAX_OUTPUT];
	const struct nnadev_engine_operand *input = &cmd->operands[NNAHW_SOFTMAX_INPUT];
	const struct softmax *s = nnadev_state(plan);
	const uint32_t rank = output->desc.rank, n = s->length;
	float *x = scratch, *y = x + row_room(n);
	uint32_t index[NNAHW_MAX_RANK], begin, end;

	nnadev_floats_store(y - NNADEV_FLOATS, nnadev_floats_zero());
	nnadev_tile_range(plan, tile, s->rows, &begin, &end);
	nnadev_unflatten(s->dims, rank, begin, index);
	for (uint32_t i = begin; i < end; i++, nnadev_advance(s->dims, rank, index)) {
		float sum;

		nnadev_load_values(x, input, nnadev_offset(&input->desc, index), 1, n);
		sum = exponentials(x, y, n, find_max(x, n), p->beta);
		if (p->log) {
			const nnadev_floats log_sum = nnadev_floats_of(nnadev_logf(sum));

			for (uint32_t k = 0; k < n; k += NNADEV_FLOATS)
				nnadev_floats_store(y + k, nnadev_floats_sub(
								   nnadev_floats_load(x + k),
								   log_sum));
		} else {
			const nnadev_floats all = nnadev_floats_of(sum);

			for (uint32_t k = 0; k < n; k += NNADEV_FLOATS)
				nnadev_floats_store(y + k, nnadev_floats_div(
								   nnadev_floats_load(y + k),
								   all));
		}
		nnadev_store_values(output, nnadev_offset(&output->desc, index), y, n, INT32_MIN,
				    INT32_MAX);
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
	plan->scratch_size = 2 * row_room(s->length) * (uint32_t)sizeof(float);
	nnadev_cut(plan, s->rows, TILE_ELEMENTS / (s->length + 32));
}

NNADEV_STATE_FITS(struct softmax);
NNADEV_VECTOR_KERNEL(softmax) = { NNAHW_OP_SOFTMAX, NNADEV_SET_ISA, softmax_accepts, softmax_plan,
				  softmax_tile };
