/* SPDX-License-Identifier: MIT */
/*
 * Ethos-U: sums, differences and products of 8 bits by the kernels of the NNA's engine.
 *
 * They give what elementwise.c defines, many times faster: the staged rule of EWISE is TFLite's,
 * and Vela's scales of such operations are TFLite's, too. elementwise.c computes what no command of
 * the engine describes.
 */
#ifndef ETHOSU_BYTE_ELEMENTWISE_H
#define ETHOSU_BYTE_ELEMENTWISE_H

#include "device/ethosu/machine.h"
#include "device/ethosu/operation.h"
#include "device/ethosu/output.h"

/**
 * ethosu_byte_elementwise_run() - run an operation, if it is one for the engine
 * @machine: the machine
 * @op: ELEMENTWISE
 * @scaling: how its results are scaled
 * @done: written: whether it was one
 *
 * Return: 0 or a status.
 */
uint32_t ethosu_byte_elementwise_run(struct ethosu_machine *machine,
				     const struct ethosu_operation *op,
				     enum ethosu_scaling scaling, bool *done);

#endif
