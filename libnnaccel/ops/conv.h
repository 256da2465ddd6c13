/* SPDX-License-Identifier: MIT */
/* Functions that operations with weights and a bias share. */
#ifndef NNA_CONV_H
#define NNA_CONV_H

#include "libnnaccel/ops/op_util.h"

/*
 * For check(): compares the scales of input 0, weights 1 and bias 2 of a convolution or
 * fully-connected layer. Scales per channel must run along dimension @channel_dim of the weights.
 */
int nna_conv_check_scales(const struct nna_op_context *op, uint32_t channel_dim);

#endif
