// SPDX-License-Identifier: MIT
/* Programs, their page tables and what those reach: fuzz_device.c with these steps alone. */
#define FUZZ_STEPS 0, 3, 3, 4, 4, 5, 7, 8, 11, 12, 12, 14
#include "tests/fuzz/fuzz_device.c"
