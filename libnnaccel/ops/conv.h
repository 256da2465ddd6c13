/* SPDX-License-Identifier: MIT */
#ifndef NNA_CONV_H
#define NNA_CONV_H

#include "libnnaccel/ops/op_util.h"

/*
 * Types of input 0, weights 1 and bias 2 of a convolution or fully-connected layer and its output,
 * and the bias's scale.
 * @channel_dim: of the weights, the one that scales per channel must run along
 */
int nna_conv_check_types(const struct nna_op_context *op, uint32_t channel_dim);

#endif
