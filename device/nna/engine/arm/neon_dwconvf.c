// SPDX-License-Identifier: MIT
/* DWCONV on floats with NEON. */
#include "device/nna/engine/vector/dwconvf.h"

NNADEV_KERNEL(neon_dwconvf) = { NNAHW_OP_DWCONV, NNADEV_ENGINE_NEON, dwconv_accepts, dwconv_plan,
				dwconv_tile };
