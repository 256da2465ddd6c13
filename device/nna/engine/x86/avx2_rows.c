// SPDX-License-Identifier: MIT
/* ROWS with AVX2. */
#include "device/nna/engine/x86/avx2_rows.h"

NNADEV_KERNEL(avx2_rows) = { NNAHW_OP_ROWS, NNADEV_ENGINE_AVX2, rows_accepts, rows_plan,
			     rows_tile };
