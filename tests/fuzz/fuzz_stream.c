// SPDX-License-Identifier: MIT
/* Command streams, and what their base table says: fuzz_device.c with these steps alone. */
#define FUZZ_STEPS 5, 6, 11, 12, 12, 12, 12, 14
#include "tests/fuzz/fuzz_device.c"
