/* SPDX-License-Identifier: MIT */
/*
 * A network of 8 bits out of one of floats, for accelerators that take no floats.
 *
 *	tensors		TENSOR_QUANT8_ASYMM_SIGNED, over the range that was measured and 0
 *	weights		TENSOR_QUANT8_SYMM_PER_CHANNEL
 *	bias		TENSOR_INT32, of the input's scale times the weights'
 *
 * What only moves or chooses numbers (PAD, RESHAPE, MAX_POOL_2D, RELU) has one scale in and out. So
 * have both operands of an ADD: NNAPI's rule rounds their sum once, which an NPU that multiplies
 * them by 16 bits each can only do when their ratio is a simple one. A RELU behind the operation
 * that is alone to feed it becomes that operation's activation, so that no numbers are spent on
 * what it takes away.
 */
#ifndef QUANTISE_H
#define QUANTISE_H

#include "demo/network.h"
#include "demo/range.h"

/**
 * quantise_network() - in place
 * @network: of floats
 * @ranges: for each of its operands
 * @error: TFLITE_ERROR_SIZE bytes for a line that names the operation with no form of 8 bits
 *
 * Return: 0, -ENOTSUP or -ENOMEM; after an error the network can only be freed.
 */
int quantise_network(struct network *network, const struct range *ranges, char *error);

/* Floats as the numbers of a tensor, of @desc. */
void quantise_floats(const struct nna_operand_desc *desc, const float *from, size_t count,
		     int8_t *to);
/* The reverse. */
void quantise_to_floats(const struct nna_operand_desc *desc, const int8_t *from, size_t count,
			float *to);

#endif
