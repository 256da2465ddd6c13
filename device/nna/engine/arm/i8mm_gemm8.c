// SPDX-License-Identifier: MIT
/* CONV on 8-bit types with the matrix products of Armv8.6. */
#include "device/nna/engine/arm/neon_gemm8.h"

#ifndef __ARM_FEATURE_MATMUL_INT8
#error "compiled without what it is for"
#endif

NNADEV_KERNEL(i8mm_conv8) = { NNAHW_OP_CONV, NNADEV_ENGINE_I8MM, gemm_accepts, gemm_plan,
			      gemm_tile };
