/* SPDX-License-Identifier: MIT */
/*
 * Ethos-U: convolutions of 8 bits by the kernels of the NNA's engine.
 *
 * They give what convolution.c defines, many times faster. A box of the OFM is a CONV or DWCONV of
 * the engine on memory of the thread: the IFM's pixels are copied into it with their padding,
 * and the results out of it. convolution.c computes what no command of the engine describes.
 */
#ifndef ETHOSU_BYTE_CONVOLUTION_H
#define ETHOSU_BYTE_CONVOLUTION_H

#include <stdbool.h>

#include "device/ethosu/machine.h"
#include "device/ethosu/operation.h"
#include "device/ethosu/output.h"

/**
 * ethosu_byte_convolution_run() - run a convolution, if it is one for the engine
 * @machine: the machine; ethosu_kernel_get() has given the weights of @op last
 * @op: CONV with weights, or DEPTHWISE
 * @scales: its scale records
 * @done: written: whether it was one
 *
 * Return: 0 or a status.
 */
uint32_t ethosu_byte_convolution_run(struct ethosu_machine *machine,
				     const struct ethosu_operation *op,
				     const struct ethosu_channel_scale *scales, bool *done);

#endif
