// SPDX-License-Identifier: MIT
/* Which vector kernel is asked for which command. */
#include "device/engine/x86/x86.h"

void nnadev_x86_plan(uint32_t threads, const struct nnadev_engine_command *cmd,
		     struct nnadev_engine_plan *plan)
{
	/* Convolutions and matrix products have kernels by the type of their first input. */
	const bool quant8 = nnadev_type_is_quant8(cmd->operands[1].desc.type);

	switch (cmd->raw->opcode) {
	case NNAHW_OP_CONV:
	case NNAHW_OP_MATMUL:
		if (quant8)
			nnadev_avx2_gemm8_plan(threads, cmd, plan);
		else
			nnadev_avx2_gemmf_plan(threads, cmd, plan);
		break;
	case NNAHW_OP_DWCONV:
		if (quant8)
			nnadev_avx2_dwconv8_plan(threads, cmd, plan);
		else
			nnadev_avx2_dwconvf_plan(threads, cmd, plan);
		break;
	case NNAHW_OP_POOL:
		nnadev_avx2_pool_plan(cmd, plan);
		break;
	case NNAHW_OP_ARG:
		nnadev_avx2_arg_plan(cmd, plan);
		break;
	case NNAHW_OP_RESIZE:
		nnadev_avx2_resize_plan(cmd, plan);
		break;
	case NNAHW_OP_EWISE:
		nnadev_avx2_ewise_plan(cmd, plan);
		break;
	case NNAHW_OP_COPY:
		nnadev_x86_copy_plan(cmd, plan);
		break;
	case NNAHW_OP_FILL:
		nnadev_x86_fill_plan(cmd, plan);
		break;
	}
}
