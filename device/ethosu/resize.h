/* SPDX-License-Identifier: MIT */
/* Ethos-U: RESIZE of a U85: bilinear, by replication, or of the nearest element. */
#ifndef ETHOSU_RESIZE_H
#define ETHOSU_RESIZE_H

#include "device/ethosu/machine.h"
#include "device/ethosu/operation.h"

/* Return: 0 or a status. */
uint32_t ethosu_resize_run(struct ethosu_machine *machine, const struct ethosu_operation *op);

#endif
