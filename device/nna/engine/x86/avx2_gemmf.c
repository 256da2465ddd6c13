// SPDX-License-Identifier: MIT
/* CONV and MATMUL on floats with AVX2 and FMA. */
#include "device/nna/engine/vector/gemmf.h"

NNADEV_KERNEL(avx2_convf) = { NNAHW_OP_CONV, NNADEV_ENGINE_AVX2, gemm_accepts, gemm_plan,
			      gemm_tile };
NNADEV_KERNEL(avx2_matmulf) = { NNAHW_OP_MATMUL, NNADEV_ENGINE_AVX2, gemm_accepts, gemm_plan,
				gemm_tile };
