/* SPDX-License-Identifier: MIT */
/*
 * The vector layer: one set of small functions for each instruction set, over which kernels are
 * written once.
 *
 *   avx2.h    8 lanes; AVX2, FMA and F16C
 *   avx512.h  16 lanes; AVX-512 F, BW, DQ, VL and VNNI
 *   neon.h    8 lanes, in two registers each
 *   scalar.h  8 lanes in plain C, for every CPU: the set "vector". Sanitizers and fuzzers see all
 *             of its loads and stores, so they check the kernels on any machine
 *
 * device/nna/module.mk compiles each file of kernels/ once for each set that the machine's
 * architecture has. The compiler's flags select the header. A new set is one header here, and its
 * flags in the makefile.
 *
 * Types
 *
 *   nnadev_floats   NNADEV_FLOATS numbers of fp32
 *   nnadev_ints     as many integers of 32 bits; arithmetic wraps
 *   nnadev_lanes    a truth value for each of them: the result of a comparison
 *   nnadev_bytes    NNADEV_BYTES bytes: one for each integer of 4 registers
 *   nnadev_longs    an integer of 64 bits for each lane
 *   nnadev_doubles  a number of fp64 for each lane
 *   nnadev_sums     partial sums of floats in fp64
 *   nnadev_table    a function of a byte: 256 values, which stay where they are while it is in use
 *
 * Every function that is exact in IEEE 754 or on integers gives the same bits with every set. The
 * order in which nnadev_sums_total() adds is not specified.
 */
#ifndef NNADEV_SIMD_H
#define NNADEV_SIMD_H

#include "device/nna/engine/kernel.h"

/*
 * A set defines its name as NNADEV_SET, and its entry of enum nnadev_engine_isa. A set without
 * instructions for vectors also defines NNADEV_SLOWER.
 */
#if defined(NNADEV_SIMD_SCALAR)
#include "device/nna/engine/simd/scalar.h"
#elif defined(__AVX512VNNI__)
#include "device/nna/engine/simd/avx512.h"
#elif defined(__AVX2__)
#include "device/nna/engine/simd/avx2.h"
#elif defined(__aarch64__)
#include "device/nna/engine/simd/neon.h"
#else
#include "device/nna/engine/simd/scalar.h"
#endif

/* What a kernel that counts registers divides its tiles by, so that they keep within the bound. */
#ifndef NNADEV_SLOWER
#define NNADEV_SLOWER 1u
#endif

/* The entry of a kernel that is compiled for each set; a line starts with it (kernel.h). */
#define NNADEV_KERNEL_OF_(set, name) NNADEV_KERNEL(set##_##name)
#define NNADEV_KERNEL_OF(set, name) NNADEV_KERNEL_OF_(set, name)
#define NNADEV_VECTOR_KERNEL(name) NNADEV_KERNEL_OF(NNADEV_SET, name)

/* Clamps to limits; a NaN stays. */
static inline nnadev_floats nnadev_floats_clamp(nnadev_floats x, nnadev_floats low,
						nnadev_floats high)
{
	return nnadev_floats_min(high, nnadev_floats_max(low, x));
}

/* Clamps; a NaN becomes a number. */
static inline nnadev_floats nnadev_floats_limit(nnadev_floats x, float low, float high)
{
	return nnadev_floats_min(nnadev_floats_max(x, nnadev_floats_of(low)),
				 nnadev_floats_of(high));
}

static inline nnadev_lanes nnadev_floats_is_nan(nnadev_floats x)
{
	return nnadev_floats_differ(x, x);
}

/* Replaces @y by @x where @x is a NaN. */
static inline nnadev_floats nnadev_floats_keep_nan(nnadev_floats y, nnadev_floats x)
{
	return nnadev_floats_select(y, x, nnadev_floats_is_nan(x));
}

#endif
