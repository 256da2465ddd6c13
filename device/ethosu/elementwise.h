/* SPDX-License-Identifier: MIT */
/* Ethos-U: ELEMENTWISE: of one or two operands, with broadcast and scalars. */
#ifndef ETHOSU_ELEMENTWISE_H
#define ETHOSU_ELEMENTWISE_H

#include "device/ethosu/machine.h"
#include "device/ethosu/operation.h"

/* Return: 0 or a status. */
uint32_t ethosu_elementwise_run(struct ethosu_machine *machine, const struct ethosu_operation *op);

#endif
