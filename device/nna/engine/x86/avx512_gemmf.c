// SPDX-License-Identifier: MIT
/* CONV and MATMUL on floats with AVX-512. */
#include "device/nna/engine/vector/gemmf.h"

NNADEV_KERNEL(avx512_convf) = { NNAHW_OP_CONV, NNADEV_ENGINE_AVX512, gemm_accepts, gemm_plan,
				gemm_tile };
NNADEV_KERNEL(avx512_matmulf) = { NNAHW_OP_MATMUL, NNADEV_ENGINE_AVX512, gemm_accepts, gemm_plan,
				  gemm_tile };
