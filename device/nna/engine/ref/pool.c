// SPDX-License-Identifier: MIT
/* POOL, by definition. */
#include "device/nna/engine/window.h"

#define TILE_WORK 65536u /* input elements */

/*
 * floor((sum + floor(count / 2)) / count); with @away, halves of negative means round down, away
 * from 0.
 */
static int64_t mean_integer(int64_t sum, int64_t count, bool away)
{
	int64_t x = sum + count / 2, q = x / count;

	if (away && sum < 0)
		return (sum - count / 2) / count;
	return q - (x % count < 0);
}

/* Partial result of a window. */
struct seen {
	int64_t sum, count, best;
	float total, largest;
};

static const struct seen nothing = { .best = INT64_MIN, .largest = -__builtin_inff() };

/* Processes positions [begin, end) of a window, in their order. */
static void pool_look(const struct nnadev_engine_command *cmd, const struct nnadev_window *w,
		      const uint32_t *index, uint32_t begin, uint32_t end, struct seen *seen)
{
	const struct nnahw_cmd_pool *p = (const struct nnahw_cmd_pool *)cmd->raw;
	const struct nnadev_engine_operand *input = &cmd->operands[NNAHW_POOL_INPUT];
	const bool quantised = nnadev_type_is_quant8(input->desc.type);
	uint32_t ky = begin / w->kernel_w, kx = begin % w->kernel_w;
	struct seen s = *seen;

	for (uint32_t i = begin; i < end; i++) {
		const int64_t row = nnadev_window_row(w, index[1], ky);
		const int64_t column = nnadev_window_column(w, index[2], kx);
		int64_t from;

		if (++kx == w->kernel_w) {
			kx = 0;
			ky++;
		}
		if (row < 0 || row >= w->height || column < 0 || column >= w->width)
			continue;
		from = nnadev_offset(&input->desc,
				     (uint32_t[]){ index[0], (uint32_t)row, (uint32_t)column,
						   index[3] });
		s.count++;
		if (quantised) {
			const int64_t q = nnadev_load_integer(input, from);

			s.sum += q;
			s.best = q > s.best ? q : s.best;
		} else {
			const float v = nnadev_load_float(input, from);

			s.total += p->kind == NNAHW_POOL_L2 ? v * v : v;
			s.largest = v > s.largest || v != v ? v : s.largest;
		}
	}
	*seen = s;
}

/* Stores an output element whose window is complete. */
static void pool_finish(const struct nnadev_engine_command *cmd, const uint32_t *index,
			const struct seen *s)
{
	const struct nnahw_cmd_pool *p = (const struct nnahw_cmd_pool *)cmd->raw;
	const struct nnadev_engine_operand *output = &cmd->operands[NNAHW_POOL_OUTPUT];
	const int64_t at = nnadev_offset(&output->desc, index);
	float largest = s->largest;

	if (nnadev_type_is_quant8(output->desc.type)) {
		const int64_t best = p->kind == NNAHW_POOL_MAX
					     ? s->best
					     : mean_integer(s->sum, s->count, p->away);

		nnadev_store_centred(output, at, best - output->desc.zero_point, p->q_min,
				     p->q_max);
		return;
	}
	if (p->kind != NNAHW_POOL_MAX)
		largest = s->total / (float)s->count;
	if (p->kind == NNAHW_POOL_L2)
		largest = nnadev_sqrtf(largest);
	nnadev_store_value(output, at, nnadev_clamp_float(largest, p->clamp_min, p->clamp_max), 0,
			   0);
}

/* Computes one step of an output element whose window is too large for a tile. */
static void pool_step(const struct nnadev_engine_command *cmd,
		      const struct nnadev_engine_plan *plan, uint32_t tile, struct seen *seen)
{
	const struct nnadev_engine_operand *output = &cmd->operands[NNAHW_POOL_OUTPUT];
	const struct nnadev_window *w = nnadev_state(plan);
	const uint32_t size = w->kernel_h * w->kernel_w;
	uint32_t index[4], piece, step, begin;

	if (!nnadev_step_get(plan, tile, output->count, &piece, &step))
		return;
	nnadev_unflatten(output->desc.dims, 4, piece, index);
	if (!step)
		*seen = nothing;
	begin = step * TILE_WORK;
	pool_look(cmd, w, index, begin, size - begin < TILE_WORK ? size : begin + TILE_WORK, seen);
	if (step == plan->steps - 1)
		pool_finish(cmd, index, seen);
}

static uint32_t pool_tile(const struct nnadev_engine_command *cmd,
			  const struct nnadev_engine_plan *plan, uint32_t phase, uint32_t tile,
			  void *scratch, void *shared)
{
	const struct nnadev_engine_operand *output = &cmd->operands[NNAHW_POOL_OUTPUT];
	const struct nnadev_window w = *(const struct nnadev_window *)nnadev_state(plan);
	uint32_t index[4], begin, end;

	if (plan->steps) {
		pool_step(cmd, plan, tile, (struct seen *)shared + tile);
		return NNAHW_STATUS_OK;
	}
	nnadev_tile_range(plan, tile, output->count, &begin, &end);
	nnadev_unflatten(output->desc.dims, 4, begin, index);
	for (uint32_t i = begin; i < end; i++, nnadev_advance(output->desc.dims, 4, index)) {
		struct seen seen = nothing;

		pool_look(cmd, &w, index, 0, w.kernel_h * w.kernel_w, &seen);
		pool_finish(cmd, index, &seen);
	}
	return NNAHW_STATUS_OK;
}

/* True if all windows of an axis overlap the input; only the first and the last one can miss it. */
static bool axis_covered(uint32_t outputs, uint32_t size, uint32_t kernel, uint32_t stride,
			 uint32_t pad)
{
	int64_t last = (int64_t)(outputs - 1) * stride - pad;

	return (int64_t)kernel - pad > 0 && last < size;
}

static uint32_t pool_accepts(const struct nnadev_engine_command *cmd,
			     struct nnadev_engine_plan *plan)
{
	const struct nnahw_cmd_pool *p = (const struct nnahw_cmd_pool *)cmd->raw;
	const struct nnadev_engine_operand *output = &cmd->operands[NNAHW_POOL_OUTPUT],
					*input = &cmd->operands[NNAHW_POOL_INPUT];
	const uint32_t *dims = output->desc.dims;
	const struct nnadev_window w = nnadev_window_of_pool(cmd);
	bool quantised = nnadev_type_is_quant8(output->desc.type);

	if (p->away > (p->kind == NNAHW_POOL_AVERAGE && quantised))
		return NNAHW_STATUS_BAD_COMMAND;
	if (p->kind > NNAHW_POOL_L2 ||
	    (quantised && (p->kind == NNAHW_POOL_L2 || p->q_min > p->q_max)))
		return NNAHW_STATUS_BAD_COMMAND;
	if (input->desc.type != output->desc.type ||
	    (quantised && !nnadev_same_quantisation(&input->desc, &output->desc)))
		return nnadev_bad_operand(plan, NNAHW_POOL_INPUT);
	if (output->desc.rank != 4 ||
	    !nnadev_has_dims(&input->desc, 4,
			     (uint64_t[]){ dims[0], w.height, w.width, dims[3] }) ||
	    !nnadev_window_valid(&w, dims[1], dims[2], 1, NNAHW_LIMIT_POOL_WINDOW))
		return NNAHW_STATUS_BAD_SHAPE;
	if (output->count && (!axis_covered(dims[1], w.height, w.kernel_h, w.stride_h, w.pad_top) ||
			      !axis_covered(dims[2], w.width, w.kernel_w, w.stride_w, w.pad_left)))
		return NNAHW_STATUS_BAD_SHAPE;
	return NNAHW_STATUS_OK;
}

static void pool_plan(const struct nnadev_engine_command *cmd, uint32_t threads,
		      struct nnadev_engine_plan *plan)
{
	struct nnadev_window *w = nnadev_state_new(plan);

	*w = nnadev_window_of_pool(cmd);
	if (w->kernel_h * w->kernel_w > TILE_WORK)
		nnadev_cut_steps(plan, cmd->operands[NNAHW_POOL_OUTPUT].count,
				 nnadev_div_up(w->kernel_h * w->kernel_w, TILE_WORK),
				 sizeof(struct seen));
	else
		nnadev_cut(plan, cmd->operands[NNAHW_POOL_OUTPUT].count,
			   TILE_WORK / (w->kernel_h * w->kernel_w + 16));
}

NNADEV_KERNEL(pool) = { NNAHW_OP_POOL, NNADEV_ENGINE_SCALAR, pool_accepts, pool_plan, pool_tile };
