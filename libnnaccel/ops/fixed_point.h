/* SPDX-License-Identifier: MIT */
/*
 * The 16-bit activation functions that quantised LSTMs are defined by. They are fixed-point
 * approximations, whose errors are part of the result. A function of 16 bits is a table of 65536
 * numbers, made when a program is compiled; the device looks them up.
 */
#ifndef NNA_FIXED_POINT_H
#define NNA_FIXED_POINT_H

#include "libnnaccel/ir/builder.h"

enum nna_fixed_function { NNA_FIXED_LOGISTIC, NNA_FIXED_TANH };

#define NNA_FIXED_ENTRIES 65536u
/* Integer bits of gates, for which both functions are in use. */
#define NNA_FIXED_GATE_BITS 3u

/*
 * The function of raw / 2^(15 - integer_bits), in 1/32768; @integer_bits is 0 to 6. Pure; for tests
 * too.
 */
int16_t nna_fixed_evaluate(enum nna_fixed_function function, uint32_t integer_bits, int16_t raw);

/*
 * The table as a constant [65536] of S16 in 1/32768, whose entry raw + 32768 is the function of
 * raw. A lowering makes it once for each function and number of bits. Return: a value number,
 * -ENOTSUP for more than 6 bits, or -ENOMEM.
 */
int64_t nna_fixed_table(struct nna_lower *l, enum nna_fixed_function function,
			uint32_t integer_bits);
/* The tables of both functions for gates behind each other [2 * 65536], by function. */
int64_t nna_fixed_gate_tables(struct nna_lower *l);

/* out = the table at the stored numbers of @in; both are S16 [rows, columns]. A GATHER. */
int nna_fixed_lookup(struct nna_lower *l, uint32_t out, uint32_t in, uint32_t table);
/* The same at in - lowest, which is S32 [columns] or [1]. */
int nna_fixed_lookup_from(struct nna_lower *l, uint32_t out, uint32_t in, uint32_t table,
			  uint32_t lowest);

#endif
