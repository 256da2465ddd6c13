/* SPDX-License-Identifier: MIT */
/*
 * Ethos-U: the order of weights in a stream.
 *
 * The hardware reads weights in the order in which it uses them: by OFM block, IFM block, part of
 * the kernel, and within these in small blocks of channels. What sticks out of the tensor is in the
 * stream as zeros.
 */
#ifndef ETHOSU_ORDER_H
#define ETHOSU_ORDER_H

#include "device/ethosu/config.h"
#include "device/ethosu/operation.h"

/**
 * struct ethosu_stream_values - a decoded stream
 * @values: its values
 * @count: of them
 * @at: values used
 */
struct ethosu_stream_values {
	const int16_t *values;
	uint64_t count;
	uint64_t at;
};

/**
 * ethosu_order_length() - values that a stream of an operation has
 * @config: the configuration
 * @op: CONV or DEPTHWISE
 * @stream: which stream
 * @limit: stop counting there
 *
 * Return: their number, or more than @limit.
 */
uint64_t ethosu_order_length(const struct ethosu_config *config, const struct ethosu_operation *op,
			     uint32_t stream, uint64_t limit);

/**
 * ethosu_order_place() - put the weights of all streams where they belong
 * @config: the configuration
 * @op: CONV or DEPTHWISE
 * @streams: decoded, each as long as ethosu_order_length() says
 * @weights: written: of CONV by OFM channel, row, column, IFM channel; of DEPTHWISE by row, column,
 *	channel
 */
void ethosu_order_place(const struct ethosu_config *config, const struct ethosu_operation *op,
			struct ethosu_stream_values *streams, int16_t *weights);

#endif
