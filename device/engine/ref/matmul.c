// SPDX-License-Identifier: MIT
/* MATMUL, by definition. */
#include "device/engine/epilogue.h"

#define TILE_WORK 131072u /* products */

static uint32_t matmul_tile(const struct nnadev_engine_command *cmd,
			    const struct nnadev_engine_plan *plan, uint32_t phase, uint32_t tile,
			    void *scratch, void *shared)
{
	const struct nnahw_cmd_matmul *p = (const struct nnahw_cmd_matmul *)cmd->raw;
	const struct nnadev_engine_operand *output = &cmd->operands[NNAHW_MATMUL_OUTPUT],
					*a = &cmd->operands[NNAHW_MATMUL_A],
					*b = &cmd->operands[NNAHW_MATMUL_B],
					*bias = &cmd->operands[NNAHW_MATMUL_BIAS],
					*channels = &cmd->operands[NNAHW_MATMUL_CHANNELS],
					*residual = &cmd->operands[NNAHW_MATMUL_RESIDUAL];
	uint32_t index[3], begin, end;

	nnadev_tile_range(plan, tile, output->count, &begin, &end);
	nnadev_unflatten(output->desc.dims, 3, begin, index);
	for (uint32_t i = begin; i < end; i++, nnadev_advance(output->desc.dims, 3, index)) {
		const int64_t at = nnadev_offset(&output->desc, index), n = index[2];
		const int64_t rat = nnadev_present(residual) ?
					    nnadev_offset(&residual->desc, index) :
					    0;
		const int64_t a0 = nnadev_offset(&a->desc, (uint32_t[]){ index[0], index[1], 0 });
		const int64_t b0 = nnadev_offset(&b->desc, (uint32_t[]){ index[0], 0, index[2] });
		const int64_t a_step = a->desc.strides[2], b_step = b->desc.strides[1];

		if (nnadev_present(channels)) {
			const struct nnahw_channel channel =
				((const struct nnahw_channel *)
					    channels->data)[channels->desc.dims[0] == 1 ? 0 : n];
			uint32_t acc = (uint32_t)channel.bias;

			for (int64_t k = 0; k < a->desc.dims[2]; k++)
				acc += (uint32_t)(nnadev_load_centred(a, a0 + k * a_step) *
						  nnadev_load_centred(b, b0 + k * b_step));
			if (nnadev_present(bias))
				acc += (uint32_t)nnadev_load_integer(bias,
								     n * bias->desc.strides[0]);
			nnadev_epilogue_integer(&p->epilogue, (int32_t)acc, &channel, output, at,
						residual, rat);
		} else {
			float sum = 0;

			for (int64_t k = 0; k < a->desc.dims[2]; k++)
				sum += nnadev_load_float(a, a0 + k * a_step) *
				       nnadev_load_float(b, b0 + k * b_step);
			if (nnadev_present(bias))
				sum += nnadev_load_float(bias, n * bias->desc.strides[0]);
			nnadev_epilogue_float(&p->epilogue, sum, output, at, residual, rat);
		}
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
	bool quantised = nnadev_type_is_quant8(type);

	if (a->desc.type != type)
		return nnadev_bad_operand(plan, NNAHW_MATMUL_A);
	if (quantised ? !nnadev_type_is_quant8(b->desc.type) : b->desc.type != type)
		return nnadev_bad_operand(plan, NNAHW_MATMUL_B);
	if (nnadev_present(residual) && residual->desc.type != type)
		return nnadev_bad_operand(plan, NNAHW_MATMUL_RESIDUAL);
	if (!nnadev_epilogue_valid(&p->epilogue, quantised, nnadev_present(residual)))
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
	nnadev_cut(plan, cmd->operands[NNAHW_MATMUL_OUTPUT].count,
		   TILE_WORK / (cmd->operands[NNAHW_MATMUL_A].desc.dims[2] + 16));
}

NNADEV_KERNEL(matmul) = { NNAHW_OP_MATMUL, NNADEV_ENGINE_SCALAR, matmul_accepts, matmul_plan,
			  matmul_tile };
