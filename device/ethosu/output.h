/* SPDX-License-Identifier: MIT */
/*
 * Ethos-U: the output stage of an operation. It scales the values, adds the zero point, applies
 * the activation and the clamp, and writes the values into the OFM.
 */
#ifndef ETHOSU_OUTPUT_H
#define ETHOSU_OUTPUT_H

#include "device/ethosu/machine.h"
#include "device/ethosu/operation.h"
#include "device/ethosu/port.h"

/**
 * struct ethosu_channel_scale - a scale record
 * @bias: added to the sum
 * @scale: factor
 * @shift: 0 to 63
 */
struct ethosu_channel_scale {
	int64_t bias;
	uint32_t scale;
	uint8_t shift;
};

/**
 * enum ethosu_scaling - how values are scaled
 * @ETHOSU_UNSCALED: not at all: the operation has scaled them, or they need no scaling
 * @ETHOSU_SCALED: as the operation's OFM scale says
 * @ETHOSU_BY_CHANNEL: as the channel's record says
 */
enum ethosu_scaling {
	ETHOSU_UNSCALED,
	ETHOSU_SCALED,
	ETHOSU_BY_CHANNEL,
};

/**
 * struct ethosu_output - the output stage of a tile
 * @machine: the machine
 * @op: the operation
 * @channels: records of ETHOSU_BY_CHANNEL, by channel
 * @scaling: how values are scaled
 * @port: the port through which it writes the OFM
 */
struct ethosu_output {
	struct ethosu_machine *machine;
	const struct ethosu_operation *op;
	const struct ethosu_channel_scale *channels;
	enum ethosu_scaling scaling;
	struct ethosu_port port;
};

/* Call before the first tile. Makes the OFM's chain buffer, if it has one. Return: a status. */
uint32_t ethosu_output_prepare(struct ethosu_machine *machine, const struct ethosu_operation *op);

/* Return: the output stage of a tile. @channels: for ETHOSU_BY_CHANNEL. */
struct ethosu_output ethosu_output(struct ethosu_machine *machine,
				   const struct ethosu_operation *op, enum ethosu_scaling scaling,
				   const struct ethosu_channel_scale *channels);

/* Finishes values of @n channels from channel @c on: all but to write them. */
void ethosu_output_finish(const struct ethosu_output *output, uint32_t c, uint32_t n,
			  int64_t *values);

/*
 * Finishes and writes the values of @n channels of a pixel, from channel @c on. Changes @values.
 * Return: 0 or a status.
 */
uint32_t ethosu_output_put(struct ethosu_output *output, uint32_t y, uint32_t x, uint32_t c,
			   uint32_t n, int64_t *values);

#endif
