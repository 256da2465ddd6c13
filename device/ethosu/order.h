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
 * struct ethosu_ask - who says whether to go on
 * @go_on: called from time to time
 * @context: handed to it
 */
struct ethosu_ask {
	bool (*go_on)(void *context);
	void *context;
};

/**
 * ethosu_order_length() - values that a stream of an operation has
 * @config: the configuration
 * @op: CONV or DEPTHWISE
 * @stream: which stream
 * @limit: stop counting there
 * @ask: whether to go on, from time to time; NULL: it does
 *
 * Return: their number; or more than @limit, where there are more or @ask has said no.
 */
uint64_t ethosu_order_length(const struct ethosu_config *config, const struct ethosu_operation *op,
			     uint32_t stream, uint64_t limit, const struct ethosu_ask *ask);

/**
 * ethosu_order_place() - put the weights of all streams where they belong
 * @config: the configuration
 * @op: CONV or DEPTHWISE
 * @streams: decoded, each as long as ethosu_order_length() says
 * @weights: written: of CONV by OFM channel, row, column, IFM channel; of DEPTHWISE by row, column,
 *	channel
 * @ask: as for ethosu_order_length(); where it says no, weights are missing
 */
void ethosu_order_place(const struct ethosu_config *config, const struct ethosu_operation *op,
			struct ethosu_stream_values *streams, int16_t *weights,
			const struct ethosu_ask *ask);

#endif
