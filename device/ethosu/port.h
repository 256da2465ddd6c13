/* SPDX-License-Identifier: MIT */
/*
 * Ethos-U: bytes of bus memory.
 *
 * A port is one tile's way to memory, by one channel of the AXI interface. It keeps the range that
 * its last access found, which holds for as long as the tile runs: mappings change between tiles.
 */
#ifndef ETHOSU_PORT_H
#define ETHOSU_PORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "device/host/bus.h"

/* Channels, as STATUS names the one that met a bus error. */
enum ethosu_channel {
	ETHOSU_CHANNEL_COMMAND = 0,
	ETHOSU_CHANNEL_IFM = 1,
	ETHOSU_CHANNEL_WEIGHTS = 2,
	ETHOSU_CHANNEL_SCALES = 3,
	ETHOSU_CHANNEL_DMA_READ = 4,
	ETHOSU_CHANNEL_OFM = 8,
	ETHOSU_CHANNEL_DMA_WRITE = 9,
};

/* What an operation ends with, if not with 0. */
#define ETHOSU_BUS(channel) (0x100u | (uint32_t)(channel))
#define ETHOSU_PARSE 0x200u   /* the model does not know it, or the hardware refuses it */
#define ETHOSU_STOPPED 0x300u /* by a reset */
#define ETHOSU_MEMORY 0x400u  /* the process has no memory for it */

/**
 * struct ethosu_port - a way to memory
 * @bus: the bus
 * @channel: enum ethosu_channel
 * @write: it writes; else it reads
 * @start: first bus address of the range that was found last
 * @size: bytes of it; 0 if none was
 * @data: what it reaches
 */
struct ethosu_port {
	struct nnadev_bus *bus;
	enum ethosu_channel channel;
	bool write;
	uint64_t start;
	uint64_t size;
	uint8_t *data;
};

static inline struct ethosu_port ethosu_port(struct nnadev_bus *bus, enum ethosu_channel channel)
{
	return (struct ethosu_port){ .bus = bus, .channel = channel, .write = channel >= 8 };
}

/* Look @address up. Return: whether @size bytes from there on lie in one piece. */
bool ethosu_port_find(struct ethosu_port *port, uint64_t address, uint64_t size);

/* Host address of @size bytes; NULL where they do not lie in one piece, or are not reached. */
static inline uint8_t *ethosu_port_at(struct ethosu_port *port, uint64_t address, uint64_t size)
{
	uint64_t offset = address - port->start;

	if (offset < port->size && size <= port->size - offset)
		return port->data + offset;
	return ethosu_port_find(port, address, size) ? port->data : NULL;
}

/* Copy @size bytes. Return: false when one of them is not reached. */
bool ethosu_port_read(struct ethosu_port *port, uint64_t address, void *to, size_t size);
bool ethosu_port_write(struct ethosu_port *port, uint64_t address, const void *from, size_t size);

#endif
