/* SPDX-License-Identifier: MIT */
/*
 * The 16-bit activation functions of quantised LSTMs (support/fixed_function.h) on the device: the
 * compiler evaluates a function for all 65536 numbers, and the device looks the results up.
 */
#ifndef NNA_FIXED_POINT_H
#define NNA_FIXED_POINT_H

#include "libnnaccel/ir/builder.h"
#include "libnnaccel/support/fixed_function.h"

/* Integer bits of gates before their activation. */
#define NNA_FIXED_GATE_BITS 3u

/*
 * Makes the table of a function: a constant [65536] of S16 in 1/32768, whose entry raw + 32768 is
 * the function of raw. A lowering makes it once for each function and number of bits. Return: a
 * value number, -ENOTSUP for more than 6 bits, or -ENOMEM.
 */
int64_t nna_fixed_table(struct nna_lower *l, enum nna_fixed_function function,
			uint32_t integer_bits);
/*
 * Makes the tables of both functions for gates [2 * 65536], ordered by function. Return: as above.
 */
int64_t nna_fixed_gate_tables(struct nna_lower *l);

/* Emits out = table[in + 32768], a GATHER; @out and @in are S16 [rows, columns]. */
int nna_fixed_lookup(struct nna_lower *l, uint32_t out, uint32_t in, uint32_t table);
/* Emits out = table[in - lowest]; @lowest is S32 [columns] or [1]. */
int nna_fixed_lookup_from(struct nna_lower *l, uint32_t out, uint32_t in, uint32_t table,
			  uint32_t lowest);

#endif
