// SPDX-License-Identifier: MIT
/*
 * REDUCE with vectors: the largest or smallest of fp32 numbers that lie together, as of a row or of
 * a whole tensor whose range a hybrid layer needs. Of zeros of both signs it may give either.
 */
#include "device/nna/engine/kernels/steps.h"
#include "device/nna/engine/reduce.h"

#define SHORTEST 8u
#define MOST (1u << 20) /* numbers in a tile, which take less than a millisecond */
#define STORE_WORK 64u /* numbers that take as long as storing an output */

static uint32_t extremes_accepts(const struct nnadev_engine_command *cmd,
				 struct nnadev_engine_plan *plan)
{
	const struct nnahw_cmd_reduce *p = (const struct nnahw_cmd_reduce *)cmd->raw;
	const struct nnadev_engine_operand *in = &cmd->operands[NNAHW_REDUCE_INPUT];
	const uint32_t size = in->count / cmd->operands[NNAHW_REDUCE_OUTPUT].count;

	return nnadev_accept((p->kind == NNAHW_REDUCTION_MAX || p->kind == NNAHW_REDUCTION_MIN) &&
			     in->desc.type == NNAHW_TYPE_F32 && size >= SHORTEST && size <= MOST &&
			     nnadev_reduce_is_run(&in->desc, p->axes));
}

static void extremes_plan(const struct nnadev_engine_command *cmd, uint32_t threads,
			  struct nnadev_engine_plan *plan)
{
	struct nnadev_reduce *r = nnadev_state_new(plan);

	nnadev_reduce_get(r, cmd);
	nnadev_cut(plan, r->output->count, MOST / (r->size + STORE_WORK));
}

static uint32_t extremes_tile(const struct nnadev_engine_command *cmd,
			      const struct nnadev_engine_plan *plan, uint32_t phase, uint32_t tile,
			      void *scratch, void *shared)
{
	const struct nnadev_reduce *r = nnadev_state(plan);
	const struct nnahw_tensor *out = &r->output->desc;
	const float sign = r->params->kind == NNAHW_REDUCTION_MAX ? 0.0f : -0.0f;
	uint32_t index[NNAHW_MAX_RANK], begin, end;

	nnadev_tile_range(plan, tile, r->output->count, &begin, &end);
	nnadev_unflatten(out->dims, out->rank, begin, index);
	for (uint32_t i = begin; i < end; i++, nnadev_advance(out->dims, out->rank, index)) {
		const float *x = (const float *)r->input->data +
				 nnadev_offset(&r->input->desc, index);
		const union nnadev_reduction y = { .f = nnadev_row_extreme(x, r->size, sign) };

		nnadev_reduce_finish(r, nnadev_offset(out, index), y);
	}
	return NNAHW_STATUS_OK;
}

NNADEV_STATE_FITS(struct nnadev_reduce);
NNADEV_VECTOR_KERNEL(extremes) = { NNAHW_OP_REDUCE, NNADEV_SET_ISA, extremes_accepts,
				   extremes_plan, extremes_tile };
