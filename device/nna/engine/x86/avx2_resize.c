// SPDX-License-Identifier: MIT
/* RESIZE with AVX2. */
#include "device/nna/engine/x86/avx2_resize.h"

NNADEV_KERNEL(avx2_resize) = { NNAHW_OP_RESIZE, NNADEV_ENGINE_AVX2, resize_accepts, resize_plan,
			       resize_tile };
