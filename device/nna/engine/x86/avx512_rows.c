// SPDX-License-Identifier: MIT
/* ROWS with AVX-512. */
#include "device/nna/engine/x86/avx2_rows.h"

NNADEV_KERNEL(avx512_rows) = { NNAHW_OP_ROWS, NNADEV_ENGINE_AVX512, rows_accepts, rows_plan,
			     rows_tile };
