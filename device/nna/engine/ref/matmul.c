// SPDX-License-Identifier: MIT
/* MATMUL, by definition. */
#include "device/nna/engine/epilogue.h"

#define TILE_WORK 65536u /* products */

/* A partial sum of products: an integer that wraps, or a float. */
struct sum {
	uint32_t integer;
	float real;
};

/* Adds products [begin, end) of an output element, in their order. */
static void matmul_sum(const struct nnadev_engine_command *cmd, const uint32_t *index,
		       uint32_t begin, uint32_t end, struct sum *sum)
{
	const struct nnadev_engine_operand *a = &cmd->operands[NNAHW_MATMUL_A],
					*b = &cmd->operands[NNAHW_MATMUL_B];
	const int64_t a0 = nnadev_offset(&a->desc, (uint32_t[]){ index[0], index[1], 0 });
	const int64_t b0 = nnadev_offset(&b->desc, (uint32_t[]){ index[0], 0, index[2] });
	const int64_t a_step = a->desc.strides[2], b_step = b->desc.strides[1];
	uint32_t acc = sum->integer;
	float real = sum->real;

	if (nnadev_present(&cmd->operands[NNAHW_MATMUL_CHANNELS]))
		for (int64_t k = begin; k < end; k++)
			acc += (uint32_t)(nnadev_load_centred(a, a0 + k * a_step) *
					  nnadev_load_centred(b, b0 + k * b_step));
	else
		for (int64_t k = begin; k < end; k++)
			real += nnadev_load_float(a, a0 + k * a_step) *
				nnadev_load_float(b, b0 + k * b_step);
	sum->integer = acc;
	sum->real = real;
}

/* Stores an output element whose products are all added. */
static void matmul_finish(const struct nnadev_engine_command *cmd, const uint32_t *index,
			  struct sum sum)
{
	const struct nnahw_cmd_matmul *p = (const struct nnahw_cmd_matmul *)cmd->raw;
	const struct nnadev_engine_operand *output = &cmd->operands[NNAHW_MATMUL_OUTPUT],
					*bias = &cmd->operands[NNAHW_MATMUL_BIAS],
					*channels = &cmd->operands[NNAHW_MATMUL_CHANNELS],
					*residual = &cmd->operands[NNAHW_MATMUL_RESIDUAL];
	const int64_t at = nnadev_offset(&output->desc, index), n = index[2];
	const int64_t rat = nnadev_present(residual) ? nnadev_offset(&residual->desc, index) : 0;

	if (nnadev_present(channels)) {
		const bool one = channels->desc.dims[0] == 1;
		const struct nnahw_channel channel =
			((const struct nnahw_channel *)channels->data)[one ? 0 : n];
		uint32_t acc = (uint32_t)channel.bias + sum.integer;

		if (nnadev_present(bias))
			acc += (uint32_t)nnadev_load_integer(bias, n * bias->desc.strides[0]);
		if (output->desc.type == NNAHW_TYPE_F32)
			nnadev_epilogue_sum(&p->epilogue, (int32_t)acc, output, at);
		else
			nnadev_epilogue_integer(&p->epilogue, (int32_t)acc, &channel, output, at,
						residual, rat);
	} else {
		if (nnadev_present(bias))
			sum.real += nnadev_load_float(bias, n * bias->desc.strides[0]);
		nnadev_epilogue_float(&p->epilogue, sum.real, output, at, residual, rat);
	}
}

/* Computes one step of an output element that has too many products for a tile. */
static void matmul_step(const struct nnadev_engine_command *cmd,
			const struct nnadev_engine_plan *plan, uint32_t tile, struct sum *sum)
{
	const struct nnadev_engine_operand *output = &cmd->operands[NNAHW_MATMUL_OUTPUT];
	const uint32_t k = cmd->operands[NNAHW_MATMUL_A].desc.dims[2];
	uint32_t index[3], piece, step, begin;

	if (!nnadev_step_get(plan, tile, output->count, &piece, &step))
		return;
	nnadev_unflatten(output->desc.dims, 3, piece, index);
	if (!step)
		*sum = (struct sum){ 0 };
	begin = step * TILE_WORK;
	matmul_sum(cmd, index, begin, k - begin < TILE_WORK ? k : begin + TILE_WORK, sum);
	if (step == plan->steps - 1)
		matmul_finish(cmd, index, *sum);
}

static uint32_t matmul_tile(const struct nnadev_engine_command *cmd,
			    const struct nnadev_engine_plan *plan, uint32_t phase, uint32_t tile,
			    void *scratch, void *shared)
{
	const struct nnadev_engine_operand *output = &cmd->operands[NNAHW_MATMUL_OUTPUT];
	const uint32_t k = cmd->operands[NNAHW_MATMUL_A].desc.dims[2];
	uint32_t index[3], begin, end;

	if (plan->steps) {
		matmul_step(cmd, plan, tile, (struct sum *)shared + tile);
		return NNAHW_STATUS_OK;
	}
	nnadev_tile_range(plan, tile, output->count, &begin, &end);
	nnadev_unflatten(output->desc.dims, 3, begin, index);
	for (uint32_t i = begin; i < end; i++, nnadev_advance(output->desc.dims, 3, index)) {
		struct sum sum = { 0 };

		matmul_sum(cmd, index, 0, k, &sum);
		matmul_finish(cmd, index, sum);
	}
	return NNAHW_STATUS_OK;
}

static uint32_t matmul_accepts(const struct nnadev_engine_command *cmd,
			       struct nnadev_engine_plan *plan)
{
	const struct nnahw_cmd_matmul *p = (const struct nnahw_cmd_matmul *)cmd->raw;
	const struct nnadev_engine_operand *output = &cmd->operands[NNAHW_MATMUL_OUTPUT],
					*a = &cmd->operands[NNAHW_MATMUL_A],
					*b = &cmd->operands[NNAHW_MATMUL_B],
					*residual = &cmd->operands[NNAHW_MATMUL_RESIDUAL];
	const uint32_t *dims = output->desc.dims;
	uint32_t type = output->desc.type, k;
	const bool sums = nnadev_has_sums(output, a);
	bool quantised = nnadev_type_is_quant8(type) || sums;

	if (a->desc.type != type && !sums)
		return nnadev_bad_operand(plan, NNAHW_MATMUL_A);
	if (quantised ? !nnadev_type_is_quant8(b->desc.type) : b->desc.type != type)
		return nnadev_bad_operand(plan, NNAHW_MATMUL_B);
	if (nnadev_present(residual) && (sums || residual->desc.type != type))
		return nnadev_bad_operand(plan, NNAHW_MATMUL_RESIDUAL);
	if (!nnadev_epilogue_valid(&p->epilogue, quantised && !sums, nnadev_present(residual)))
		return NNAHW_STATUS_BAD_COMMAND;
	if (output->desc.rank != 3 || a->desc.rank != 3)
		return NNAHW_STATUS_BAD_SHAPE;
	k = a->desc.dims[2];
	if (k > NNAHW_LIMIT_MATMUL_WINDOW ||
	    !nnadev_has_dims(&a->desc, 3, (uint64_t[]){ dims[0], dims[1], k }) ||
	    !nnadev_has_dims(&b->desc, 3, (uint64_t[]){ dims[0], k, dims[2] }) ||
	    (nnadev_present(residual) && !nnadev_same_dims(&residual->desc, &output->desc)))
		return NNAHW_STATUS_BAD_SHAPE;
	return nnadev_check_bias(cmd, plan, NNAHW_MATMUL_BIAS, NNAHW_MATMUL_CHANNELS, quantised,
				 false, true, dims[2]);
}

static void matmul_plan(const struct nnadev_engine_command *cmd, uint32_t threads,
			struct nnadev_engine_plan *plan)
{
	const uint32_t count = cmd->operands[NNAHW_MATMUL_OUTPUT].count,
		       k = cmd->operands[NNAHW_MATMUL_A].desc.dims[2];

	if (k > TILE_WORK)
		nnadev_cut_steps(plan, count, nnadev_div_up(k, TILE_WORK), sizeof(struct sum));
	else
		nnadev_cut(plan, count, TILE_WORK / (k + 16));
}

NNADEV_KERNEL(matmul) = { NNAHW_OP_MATMUL, NNADEV_ENGINE_SCALAR, matmul_accepts, matmul_plan,
			  matmul_tile };
