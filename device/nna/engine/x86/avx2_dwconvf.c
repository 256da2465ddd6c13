// SPDX-License-Identifier: MIT
/* DWCONV on floats with AVX2 and FMA. */
#include "device/nna/engine/vector/dwconvf.h"

NNADEV_KERNEL(avx2_dwconvf) = { NNAHW_OP_DWCONV, NNADEV_ENGINE_AVX2, dwconv_accepts, dwconv_plan,
				dwconv_tile };
