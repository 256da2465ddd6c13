// SPDX-License-Identifier: MIT
#include "device/ethosu/dma.h"

#include <string.h>

#include "hw/ethosu/opcode.h"

#define PIECE 65536u
#define PAUSE_BYTES (4u << 20) /* copied between two pauses */

/**
 * struct side - source or target of a copy
 * @address: of the first byte; of internal memory an offset
 * @stride: from copy to copy, and from row of copies to row
 * @internal: in internal memory
 * @indexed: copies are where indices say
 */
struct side {
	uint64_t address;
	int64_t stride[2];
	bool internal;
	bool indexed;
};

/**
 * struct dma - a command while it runs
 * @machine: the machine
 * @source: of it
 * @target: of it
 * @length: bytes of a copy
 * @sizes: copies in a row, rows
 * @index: bus address of indices
 * @index_max: greatest one
 * @since: bytes copied since the last pause
 */
struct dma {
	struct ethosu_machine *machine;
	struct side source;
	struct side target;
	uint64_t length;
	uint32_t sizes[2];
	uint64_t index;
	uint64_t index_max;
	uint64_t since;
};

static uint32_t move_in(struct dma *dma, uint64_t address, uint8_t *bytes, uint32_t n)
{
	struct ethosu_port port = ethosu_port(dma->machine->bus, ETHOSU_CHANNEL_DMA_READ);
	uint32_t limit = dma->machine->config->internal;

	if (!dma->source.internal)
		return ethosu_port_read(&port, address, bytes, n) ? 0 : ETHOSU_BUS(port.channel);
	if (address > limit || n > limit - address)
		return ETHOSU_BUS(ETHOSU_CHANNEL_DMA_READ);
	memcpy(bytes, dma->machine->internal + address, n);
	return 0;
}

static uint32_t move_out(struct dma *dma, uint64_t address, const uint8_t *bytes, uint32_t n)
{
	struct ethosu_port port = ethosu_port(dma->machine->bus, ETHOSU_CHANNEL_DMA_WRITE);
	uint32_t limit = dma->machine->config->internal;

	if (!dma->target.internal)
		return ethosu_port_write(&port, address, bytes, n) ? 0 : ETHOSU_BUS(port.channel);
	if (address > limit || n > limit - address)
		return ETHOSU_BUS(ETHOSU_CHANNEL_DMA_WRITE);
	memcpy(dma->machine->internal + address, bytes, n);
	return 0;
}

static uint32_t copy(struct dma *dma, uint64_t from, uint64_t to)
{
	uint64_t left = dma->length;
	uint8_t *bytes = dma->machine->scratch[0];

	/* A copy of nothing takes time, too. */
	dma->since += 64;
	do {
		uint32_t n = left < PIECE ? (uint32_t)left : PIECE, status = 0;

		if (n)
			status = move_in(dma, from, bytes, n);
		if (!status && n)
			status = move_out(dma, to, bytes, n);
		if (status)
			return status;
		from += n;
		to += n;
		left -= n;
		dma->since += n;
		if (dma->since < PAUSE_BYTES)
			continue;
		dma->since = 0;
		if (!ethosu_machine_go_on(dma->machine))
			return ETHOSU_STOPPED;
	} while (left);
	return 0;
}

/* Where copy (@row, @n) of a side is. */
static uint32_t locate(struct dma *dma, const struct side *side, uint32_t row, uint32_t n,
		       uint64_t *address)
{
	struct ethosu_port port = ethosu_port(dma->machine->bus, ETHOSU_CHANNEL_DMA_READ);
	uint8_t bytes[4];
	int64_t at = n;

	if (side->indexed) {
		uint64_t entry = (uint64_t)row * dma->sizes[0] + n;

		if (!ethosu_port_read(&port, dma->index + entry * sizeof(bytes), bytes,
				      sizeof(bytes)))
			return ETHOSU_BUS(ETHOSU_CHANNEL_DMA_READ);
		at = (int32_t)(bytes[0] | bytes[1] << 8 | bytes[2] << 16 |
			       (uint32_t)bytes[3] << 24);
		if (at < 0 || (uint64_t)at > dma->index_max)
			return ETHOSU_BUS(ETHOSU_CHANNEL_DMA_READ);
	}
	*address = side->address + (uint64_t)at * (uint64_t)side->stride[0] +
		   (uint64_t)row * (uint64_t)side->stride[1];
	return 0;
}

static struct side take_side(const struct ethosu_state *state, const uint64_t *regions,
			     uint32_t region, uint32_t address, uint32_t stride, uint64_t gap)
{
	uint32_t word = ethosu_state_short(state, region);
	struct side side = {
		.address = ethosu_state_address(state, address),
		.stride = { ethosu_state_stride(state, stride),
			    ethosu_state_stride(state, stride + 1) },
		.internal = word >> 8 & 1,
		.indexed = word >> 11 & 1,
	};

	if (!side.internal)
		side.address += regions[word & (ETHOSU_REGIONS - 1)];
	side.stride[0] = (int64_t)((uint64_t)side.stride[0] + gap);
	return side;
}

uint32_t ethosu_dma_run(struct ethosu_machine *machine, const struct ethosu_state *state,
			const uint64_t regions[ETHOSU_REGIONS])
{
	bool u65 = machine->config->generation == ETHOSU_U65;
	uint32_t mode = ethosu_state_short(state, ETHOSU_SET_DMA_SOURCE_REGION) >> 9 & 3;
	struct dma dma = { .machine = machine, .sizes = { 1, 1 } };
	uint32_t status = 0;
	uint64_t gap;

	dma.length = ethosu_state_address(state, ETHOSU_SET_DMA_LENGTH);
	gap = u65 ? dma.length : 0;
	dma.source = take_side(state, regions, ETHOSU_SET_DMA_SOURCE_REGION, ETHOSU_SET_DMA_SOURCE,
			       ETHOSU_SET_DMA_SOURCE_STRIDE0, gap);
	dma.target = take_side(state, regions, ETHOSU_SET_DMA_TARGET_REGION, ETHOSU_SET_DMA_TARGET,
			       ETHOSU_SET_DMA_TARGET_STRIDE0, gap);
	if (mode == 3)
		return ETHOSU_PARSE;
	if (mode >= 1)
		dma.sizes[0] = ethosu_state_short(state, ETHOSU_SET_DMA_SIZE0);
	if (mode == 2)
		dma.sizes[1] = ethosu_state_short(state, ETHOSU_SET_DMA_SIZE1);
	if (u65)
		dma.source.indexed = dma.target.indexed = false;
	dma.index = regions[ethosu_state_short(state, ETHOSU_SET_DMA_INDEX_REGION) &
			    (ETHOSU_REGIONS - 1)] +
		    ethosu_state_address(state, ETHOSU_SET_DMA_INDEX);
	dma.index_max = ethosu_state_address(state, ETHOSU_SET_DMA_INDEX_MAX);
	for (uint32_t row = 0; row < dma.sizes[1] && !status; row++)
		for (uint32_t n = 0; n < dma.sizes[0] && !status; n++) {
			uint64_t from, to;

			status = locate(&dma, &dma.source, row, n, &from);
			if (!status)
				status = locate(&dma, &dma.target, row, n, &to);
			if (!status)
				status = copy(&dma, from, to);
		}
	return status;
}
