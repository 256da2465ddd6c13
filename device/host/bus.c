// SPDX-License-Identifier: MIT
#include "device/host/bus.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* The bus of the model for which a thread works. */
static _Thread_local struct nnadev_bus *thread_bus;

int nnadev_bus_init(struct nnadev_bus *bus, const struct nnadev_bus_host *host)
{
	memset(bus, 0, sizeof(*bus));
	bus->host = *host;
	return nnadev_gate_init(&bus->gate);
}

void nnadev_bus_fini(struct nnadev_bus *bus)
{
	nnadev_memory_fini(&bus->memory);
	nnadev_gate_fini(&bus->gate);
}

void nnadev_bus_attach(struct nnadev_bus *bus, const struct nnadev_bus_ops *ops, void *model,
		       struct nnadev_event *knock)
{
	bus->ops = ops;
	bus->model = model;
	bus->knock = knock;
}

/* ---- mappings -------------------------------------------------------------------------------- */

static void drop(struct nnadev_bus *bus, uint64_t address, uint64_t size)
{
	if (bus->ops->drop)
		bus->ops->drop(bus->model, address, size);
}

int nnadev_bus_map(struct nnadev_bus *bus, uint64_t iova, uint64_t size, int fd, uint64_t offset,
		   uint32_t prot)
{
	int r;

	/* A PCI bus has no write-only memory. */
	if (!prot || prot & ~(uint32_t)(NNADEV_PROT_READ | NNADEV_PROT_WRITE))
		return -EINVAL;
	nnadev_gate_visit(&bus->gate, bus->knock);
	r = nnadev_memory_map(&bus->memory, iova, size, fd, offset, prot & NNADEV_PROT_WRITE);
	nnadev_gate_part(&bus->gate);
	return r;
}

int nnadev_bus_map_data(struct nnadev_bus *bus, uint64_t iova, uint64_t size, void *data)
{
	int r;

	nnadev_gate_visit(&bus->gate, bus->knock);
	r = nnadev_memory_map_data(&bus->memory, iova, size, data);
	nnadev_gate_part(&bus->gate);
	return r;
}

int nnadev_bus_unmap(struct nnadev_bus *bus, uint64_t iova, uint64_t size)
{
	struct nnadev_file *gone = NULL;
	int r;

	nnadev_gate_visit(&bus->gate, bus->knock);
	r = nnadev_memory_covers(&bus->memory, iova, size);
	if (!r) {
		drop(bus, iova, size);
		gone = nnadev_memory_unmap(&bus->memory, iova, size);
	}
	nnadev_gate_part(&bus->gate);
	/* munmap() can take long, so it is done outside the gate. */
	nnadev_file_free(gone);
	return r;
}

void nnadev_bus_set_master(struct nnadev_bus *bus, bool on)
{
	nnadev_gate_visit(&bus->gate, bus->knock);
	bus->memory.off = !on;
	if (!on)
		drop(bus, 0, UINT64_MAX);
	nnadev_gate_part(&bus->gate);
}

/* ---- DMA ------------------------------------------------------------------------------------- */

/* Whether the device reaches all of a range, for writing if @write. */
static bool reaches(struct nnadev_bus *bus, uint64_t address, size_t size, bool write)
{
	struct nnadev_reach reach;
	uint64_t last;

	if (size && __builtin_add_overflow(address, size - 1, &last))
		return false;
	while (size) {
		if (!nnadev_memory_find(&bus->memory, address, &reach) ||
		    (write && !reach.writable))
			return false;
		if (reach.size >= size)
			return true;
		address += reach.size;
		size -= reach.size;
	}
	return true;
}

/* The next piece of a range that reaches() accepts: at most @size bytes, in one file. */
static uint8_t *piece(struct nnadev_bus *bus, uint64_t address, size_t size, size_t *bytes)
{
	struct nnadev_reach reach;

	/* A file may have become shorter since. */
	if (!nnadev_memory_find(&bus->memory, address, &reach))
		return NULL;
	*bytes = reach.size < size ? reach.size : size;
	return reach.data;
}

bool nnadev_bus_read(struct nnadev_bus *bus, uint64_t address, void *to, size_t size)
{
	uint8_t *at = to, *from;
	size_t bytes;

	if (!reaches(bus, address, size, false))
		return false;
	for (; size; at += bytes, address += bytes, size -= bytes) {
		from = piece(bus, address, size, &bytes);
		if (!from)
			return false;
		memcpy(at, from, bytes);
	}
	return true;
}

bool nnadev_bus_write(struct nnadev_bus *bus, uint64_t address, const void *from, size_t size)
{
	const uint8_t *at = from;
	size_t bytes;
	uint8_t *to;

	if (!reaches(bus, address, size, true))
		return false;
	for (; size; at += bytes, address += bytes, size -= bytes) {
		to = piece(bus, address, size, &bytes);
		if (!to)
			return false;
		memcpy(to, at, bytes);
	}
	return true;
}

/* ---- SIGBUS ---------------------------------------------------------------------------------- */

void nnadev_bus_enter_thread(struct nnadev_bus *bus)
{
	thread_bus = bus;
}

/*
 * The lists of files and of the model's mappings are read without a lock. They lie in private
 * memory, and SIGBUS comes from the client's memory only. So the thread is either the one inside
 * the gate, which does not change the lists at that moment, or it runs a tile, during which nobody
 * changes them.
 */
bool nnadev_bus_sigbus(void *address)
{
	struct nnadev_bus *bus = thread_bus;

	if (!bus)
		return false;
	if (!nnadev_memory_break(&bus->memory, address) &&
	    !(bus->ops->owns && bus->ops->owns(bus->model, address)))
		return false;
	if (!nnadev_file_mend(address))
		return false;
	atomic_store(&bus->lost, true);
	return true;
}

/* ---- interrupts and the log ------------------------------------------------------------------ */

void nnadev_bus_interrupt(struct nnadev_bus *bus, uint32_t vector)
{
	/* An MSI-X message is a write to memory, so it needs bus mastering. */
	if (!bus->memory.off && bus->host.raise_irq)
		bus->host.raise_irq(bus->host.user, vector);
}

void nnadev_bus_log(struct nnadev_bus *bus, const char *format, ...)
{
	char line[256];
	va_list args;

	if (!bus->host.log)
		return;
	va_start(args, format);
	vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	bus->host.log(bus->host.user, line);
}
