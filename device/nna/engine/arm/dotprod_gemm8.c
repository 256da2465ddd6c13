// SPDX-License-Identifier: MIT
/* CONV on 8-bit types with the dot products of Armv8.2. */
#include "device/nna/engine/arm/neon_gemm8.h"

#ifndef __ARM_FEATURE_DOTPROD
#error "compiled without what it is for"
#endif

NNADEV_KERNEL(dotprod_conv8) = { NNAHW_OP_CONV, NNADEV_ENGINE_DOTPROD, gemm_accepts, gemm_plan,
				 gemm_tile };
