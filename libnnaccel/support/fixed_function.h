/* SPDX-License-Identifier: MIT */
/*
 * The 16-bit activation functions of quantised LSTMs. The definition of these LSTMs states
 * fixed-point approximations, so their errors are part of the result.
 */
#ifndef NNA_FIXED_FUNCTION_H
#define NNA_FIXED_FUNCTION_H

#include <stdint.h>

enum nna_fixed_function { NNA_FIXED_LOGISTIC, NNA_FIXED_TANH };

#define NNA_FIXED_ENTRIES 65536u

/* Return: the function of raw / 2^(15 - integer_bits), in 1/32768; @integer_bits is 0 to 6. */
int16_t nna_fixed_evaluate(enum nna_fixed_function function, uint32_t integer_bits, int16_t raw);

/* Fills a table of NNA_FIXED_ENTRIES: entry raw + 32768 is the function of raw. */
void nna_fixed_tabulate(enum nna_fixed_function function, uint32_t integer_bits, int16_t *table);

#endif
