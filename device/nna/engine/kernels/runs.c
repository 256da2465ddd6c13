// SPDX-License-Identifier: MIT
/*
 * REDUCE of numbers that lie together, as of a row or of a whole tensor. Integers: sums in 64 bits
 * and extremes, by loops that know the type; results do not depend on the order. Floats: extremes,
 * of zeros of both signs either one.
 */
#include "device/nna/engine/kernels/steps.h"
#include "device/nna/engine/reduce.h"

#define SHORTEST 4u
#define MOST (1u << 19) /* numbers in a tile, which take less than a millisecond */
#define STORE_WORK 64u /* numbers that take as long as storing an output */

/* The sum, largest or smallest of @n numbers of @type. */
#define RUN(type)                                                                                  \
	do {                                                                                       \
		const type *p = (const type *)r->input->data + at;                                 \
		type low = p[0], high = p[0];                                                      \
												   \
		if (kind == NNAHW_REDUCTION_MAX) {                                                 \
			for (uint32_t i = 1; i < n; i++)                                           \
				high = p[i] > high ? p[i] : high;                                  \
			return high;                                                               \
		}                                                                                  \
		if (kind == NNAHW_REDUCTION_MIN) {                                                 \
			for (uint32_t i = 1; i < n; i++)                                           \
				low = p[i] < low ? p[i] : low;                                     \
			return low;                                                                \
		}                                                                                  \
		for (uint32_t i = 0; i < n; i++)                                                   \
			sum += p[i];                                                               \
		return sum;                                                                        \
	} while (0)

/* Return: the result of a run of @n numbers from element @at on, as they are stored. */
static int64_t reduce_run(const struct nnadev_reduce *r, int64_t at, uint32_t n)
{
	const uint32_t kind = r->params->kind;
	int64_t sum = 0;

	switch (r->input->desc.type) {
	case NNAHW_TYPE_U8:
		RUN(uint8_t);
	case NNAHW_TYPE_S8:
		RUN(int8_t);
	case NNAHW_TYPE_U16:
		RUN(uint16_t);
	case NNAHW_TYPE_S16:
		RUN(int16_t);
	default:
		RUN(int32_t);
	}
}

static uint32_t runs_accepts(const struct nnadev_engine_command *cmd,
			     struct nnadev_engine_plan *plan)
{
	const struct nnahw_cmd_reduce *p = (const struct nnahw_cmd_reduce *)cmd->raw;
	const struct nnadev_engine_operand *in = &cmd->operands[NNAHW_REDUCE_INPUT];
	const uint32_t size = in->count / cmd->operands[NNAHW_REDUCE_OUTPUT].count;
	const bool extreme = p->kind == NNAHW_REDUCTION_MAX || p->kind == NNAHW_REDUCTION_MIN;
	bool known = extreme || p->kind == NNAHW_REDUCTION_SUM || p->kind == NNAHW_REDUCTION_MEAN;

	switch (in->desc.type) {
	case NNAHW_TYPE_F32:
		known = extreme;
		break;
	case NNAHW_TYPE_U8:
	case NNAHW_TYPE_S8:
	case NNAHW_TYPE_U16:
	case NNAHW_TYPE_S16:
	case NNAHW_TYPE_S32:
		break;
	default:
		known = false;
		break;
	}
	return nnadev_accept(known && size >= SHORTEST && size <= MOST &&
			     nnadev_reduce_is_run(&in->desc, p->axes));
}

static void runs_plan(const struct nnadev_engine_command *cmd, uint32_t threads,
		      struct nnadev_engine_plan *plan)
{
	struct nnadev_reduce *r = nnadev_state_new(plan);

	nnadev_reduce_get(r, cmd);
	nnadev_cut(plan, r->output->count, MOST / (r->size + STORE_WORK));
}

static uint32_t runs_tile(const struct nnadev_engine_command *cmd,
			  const struct nnadev_engine_plan *plan, uint32_t phase, uint32_t tile,
			  void *scratch, void *shared)
{
	const struct nnadev_reduce *r = nnadev_state(plan);
	const struct nnahw_tensor *out = &r->output->desc, *in = &r->input->desc;
	const bool centred = nnadev_is_quantised(in) && (r->params->kind == NNAHW_REDUCTION_SUM ||
							 r->params->kind == NNAHW_REDUCTION_MEAN);
	const int64_t zero = centred ? (int64_t)in->zero_point * r->size : 0;
	const float sign = r->params->kind == NNAHW_REDUCTION_MAX ? 0.0f : -0.0f;
	uint32_t index[NNAHW_MAX_RANK], begin, end;

	nnadev_tile_range(plan, tile, r->output->count, &begin, &end);
	nnadev_unflatten(out->dims, out->rank, begin, index);
	for (uint32_t i = begin; i < end; i++, nnadev_advance(out->dims, out->rank, index)) {
		const int64_t at = nnadev_offset(in, index);
		union nnadev_reduction x;

		if (r->in_float)
			x.f = nnadev_row_extreme((const float *)r->input->data + at, r->size, sign);
		else
			x.i = reduce_run(r, at, r->size) - zero;
		nnadev_reduce_finish(r, nnadev_offset(out, index), x);
	}
	return NNAHW_STATUS_OK;
}

NNADEV_STATE_FITS(struct nnadev_reduce);
NNADEV_VECTOR_KERNEL(runs) = { NNAHW_OP_REDUCE, NNADEV_SET_ISA, runs_accepts, runs_plan,
			       runs_tile };
