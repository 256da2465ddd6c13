// SPDX-License-Identifier: MIT
/* Extremes of fp32 numbers with AVX-512. */
#include "device/nna/engine/x86/avx2_extremes.h"

NNADEV_KERNEL(avx512_extremes) = { NNAHW_OP_REDUCE, NNADEV_ENGINE_AVX512, extremes_accepts,
				   extremes_plan, extremes_tile };
