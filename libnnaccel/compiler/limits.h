/* SPDX-License-Identifier: MIT */
/* What the device refuses for its size, said when a model is compiled instead of when it runs. */
#ifndef NNA_LIMITS_H
#define NNA_LIMITS_H

#include "libnnaccel/compiler/lower.h"

/**
 * nna_limits_check() - hold a command against the device's limits
 * @command: complete but for its operands' descriptors
 * @values: its operands, all valid
 *
 * Return: 0, or -ENOTSUP with a line that names operation and operand.
 */
int nna_limits_check(const struct nna_lower *l, const void *command, const uint32_t *values);

#endif
