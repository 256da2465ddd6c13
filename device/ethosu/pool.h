/* SPDX-License-Identifier: MIT */
/*
 * Ethos-U: POOL: maximum, average, sum over the depth and, on a U85, sum, minimum, the place of the
 * maximum, and a copy of what accumulators begin with.
 */
#ifndef ETHOSU_POOL_H
#define ETHOSU_POOL_H

#include "device/ethosu/machine.h"
#include "device/ethosu/operation.h"

/* Return: 0 or a status. */
uint32_t ethosu_pool_run(struct ethosu_machine *machine, const struct ethosu_operation *op);

#endif
