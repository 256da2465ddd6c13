/* SPDX-License-Identifier: MIT */
/* What the device refuses for its size is refused when a model is compiled, not when it runs. */
#ifndef NNA_LIMITS_H
#define NNA_LIMITS_H

#include "libnnaccel/compiler/lower.h"

/**
 * nna_limits_check() - compare a command with the device's limits
 * @l: the lowering that it belongs to
 * @command: complete but for its operands' descriptors
 * @values: its operands, which are numbers of values or, where optional, NNA_NO_VALUE
 *
 * Return: 0, or -ENOTSUP with a line that names operation and operand.
 */
int nna_limits_check(const struct nna_lower *l, const void *command, const uint32_t *values);

#endif
