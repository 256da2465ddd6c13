// SPDX-License-Identifier: MIT
/* CONV on 8-bit types with NEON. */
#include "device/nna/engine/arm/neon_gemm8.h"

NNADEV_KERNEL(neon_conv8) = { NNAHW_OP_CONV, NNADEV_ENGINE_NEON, gemm_accepts, gemm_plan,
			      gemm_tile };
