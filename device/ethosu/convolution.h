/* SPDX-License-Identifier: MIT */
/*
 * Ethos-U: CONV and DEPTHWISE, and the product of two feature maps (CONV of a U85 whose weights are
 * IFM2: the weight of OFM channel o and IFM channel i is the element of IFM2 at column o).
 */
#ifndef ETHOSU_CONVOLUTION_H
#define ETHOSU_CONVOLUTION_H

#include "device/ethosu/machine.h"
#include "device/ethosu/operation.h"

/* Return: 0 or a status. */
uint32_t ethosu_convolution_run(struct ethosu_machine *machine, const struct ethosu_operation *op);

#endif
