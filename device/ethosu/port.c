// SPDX-License-Identifier: MIT
#include "device/ethosu/port.h"

#include <string.h>

bool ethosu_port_find(struct ethosu_port *port, uint64_t address, uint64_t size)
{
	struct nnadev_reach reach;

	port->size = 0;
	if (!nnadev_memory_find(&port->bus->memory, address, &reach) ||
	    (port->write && !reach.writable))
		return false;
	port->start = address;
	port->size = reach.size;
	port->data = reach.data;
	return size <= reach.size;
}

bool ethosu_port_read(struct ethosu_port *port, uint64_t address, void *to, size_t size)
{
	const uint8_t *from = ethosu_port_at(port, address, size);

	if (!from)
		return nnadev_bus_read(port->bus, address, to, size);
	memcpy(to, from, size);
	return true;
}

bool ethosu_port_write(struct ethosu_port *port, uint64_t address, const void *from, size_t size)
{
	uint8_t *to = ethosu_port_at(port, address, size);

	if (!to)
		return nnadev_bus_write(port->bus, address, from, size);
	memcpy(to, from, size);
	return true;
}
