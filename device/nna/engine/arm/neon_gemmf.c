// SPDX-License-Identifier: MIT
/* CONV and MATMUL on floats with NEON. */
#include "device/nna/engine/vector/gemmf.h"

NNADEV_KERNEL(neon_convf) = { NNAHW_OP_CONV, NNADEV_ENGINE_NEON, gemm_accepts, gemm_plan,
			      gemm_tile };
NNADEV_KERNEL(neon_matmulf) = { NNAHW_OP_MATMUL, NNADEV_ENGINE_NEON, gemm_accepts, gemm_plan,
				gemm_tile };
