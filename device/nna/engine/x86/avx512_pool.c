// SPDX-License-Identifier: MIT
/*
 * POOL of floats with AVX-512: avx2_pool.h compiled for AVX-512. 8-bit types are left to
 * avx2_pool.c, since their code in avx2_pool.h has vectors of 256 bits.
 */
#include "device/nna/engine/x86/avx2_pool.h"

static uint32_t floats_accepts(const struct nnadev_engine_command *cmd,
			       struct nnadev_engine_plan *plan)
{
	if (nnadev_type_is_quant8(cmd->operands[NNAHW_POOL_OUTPUT].desc.type))
		return nnadev_accept(false);
	return pool_accepts(cmd, plan);
}

NNADEV_KERNEL(avx512_pool) = { NNAHW_OP_POOL, NNADEV_ENGINE_AVX512, floats_accepts, pool_plan,
			       pool_tile };
