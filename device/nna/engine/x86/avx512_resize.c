// SPDX-License-Identifier: MIT
/* RESIZE with AVX-512. */
#include "device/nna/engine/x86/avx2_resize.h"

NNADEV_KERNEL(avx512_resize) = { NNAHW_OP_RESIZE, NNADEV_ENGINE_AVX512, resize_accepts, resize_plan,
				 resize_tile };
