/* SPDX-License-Identifier: MIT */
/*
 * Ethos-U: weights in the order in which the hardware reads them.
 *
 * A convolution reads them by OFM block, IFM block, part of the kernel, and in these by small
 * blocks of channels. Each core of a U65 and each weight decoder of a U85 has a stream of its own.
 * Where a block sticks out of the tensor, the stream has zeros.
 */
#ifndef NNA_ETHOSU_ORDER_H
#define NNA_ETHOSU_ORDER_H

#include "libnnaccel/backend/ethosu/command.h"

#define NNA_ETHOSU_VALUES_MAX (1u << 27) /* of a stream */

/**
 * struct nna_ethosu_weights - weights of a convolution, and what their order depends on
 * @target: the NPU
 * @depthwise: each OFM channel depends on one IFM channel
 * @part_kernel: elements of the kernel come before IFM channels
 * @ifm_bytes: of an element of the IFM
 * @ofm_depth: channels of the OFM
 * @ifm_depth: channels of the IFM; 1 with @depthwise
 * @height: rows of the kernel, without dilation
 * @width: columns of it
 * @stride_y: rows of the IFM from one row of the OFM to the next
 * @stride_x: columns likewise
 * @dilation_y: rows of the IFM from one row of the kernel to the next
 * @dilation_x: columns likewise
 * @block_depth: channels of an OFM block
 * @microblock: elements of a microblock of one channel; U85
 * @is_signed: weights are of type int8_t, else of type uint8_t
 * @data: weight of OFM channel, row, column and IFM channel 0
 * @strides: bytes to the next OFM channel, row, column, IFM channel
 * @zero_point: subtracted from each weight
 */
struct nna_ethosu_weights {
	const struct nna_ethosu_target *target;
	bool depthwise, part_kernel;
	uint32_t ifm_bytes;
	uint32_t ofm_depth, ifm_depth;
	uint32_t height, width;
	uint32_t stride_y, stride_x, dilation_y, dilation_x;
	uint32_t block_depth, microblock;
	bool is_signed;
	const void *data;
	int64_t strides[4];
	int32_t zero_point;
};

/**
 * nna_ethosu_order_count() - values of a stream
 * @weights: the weights
 * @stream: number of the stream, less than @streams
 *
 * Return: their number; more than NNA_ETHOSU_VALUES_MAX where there are more, or for weights that
 * have no order.
 */
uint64_t nna_ethosu_order_count(const struct nna_ethosu_weights *weights, uint32_t stream);

/* Writes the values of a stream, as many as nna_ethosu_order_count() says. */
void nna_ethosu_order_write(const struct nna_ethosu_weights *weights, uint32_t stream,
			    int16_t *values);

#endif
