// SPDX-License-Identifier: MIT
/* POOL with AVX2. */
#include "device/nna/engine/x86/avx2_pool.h"

NNADEV_KERNEL(avx2_pool) = { NNAHW_OP_POOL, NNADEV_ENGINE_AVX2, pool_accepts, pool_plan,
			     pool_tile };
