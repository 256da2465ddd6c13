/* SPDX-License-Identifier: MIT */
/*
 * Ethos-U: activation tables, and TANH and SIGMOID of values of 16 bits.
 *
 * A table of 8-bit values has 256 entries, by value - least value of the type. One of 16-bit values
 * has 512 words, by (value + 32768) / 128: the low half is the value there, the high half the slope
 * to the next.
 */
#ifndef ETHOSU_LUT_H
#define ETHOSU_LUT_H

#include <stdint.h>

#include "device/ethosu/machine.h"
#include "device/ethosu/operation.h"

/* Whether @activation has a table or is one of the two functions. */
bool ethosu_lut_used(const struct ethosu_config *config, const struct ethosu_operation *op);

/* Whether the function takes values that are not clamped before. */
bool ethosu_lut_is_function(const struct ethosu_config *config, const struct ethosu_operation *op);

/* The activation of @value, by its table or function. */
int32_t ethosu_lut_apply(const struct ethosu_machine *machine, const struct ethosu_operation *op,
			 int64_t value);

#endif
