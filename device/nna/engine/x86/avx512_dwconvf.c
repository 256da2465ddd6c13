// SPDX-License-Identifier: MIT
/* DWCONV on floats with AVX-512. */
#include "device/nna/engine/vector/dwconvf.h"

NNADEV_KERNEL(avx512_dwconvf) = { NNAHW_OP_DWCONV, NNADEV_ENGINE_AVX512, dwconv_accepts,
				  dwconv_plan, dwconv_tile };
